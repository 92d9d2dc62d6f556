// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches of stock kernels that a test has to itself.
use std::fs;
use std::path::Path;

use bootline_images::arch::Arch;
use bootline_images::kernels::{Error, Kernel, Store, cache_folder};

/// Puts a kernel of the series into `cache`, a folder of the test's own that may be `BOOTLINE_CACHE` for a command, and
/// gives it. Where the series has gone from Debian it is the nearest whose console behaves the same.
///
/// The files are hard links to those of the user's cache, where what is missing is fetched once, so a test must not write
/// to them. Neither what else is in the user's cache nor who else uses it shows: with what is given the store asks nobody.
///
/// # Panics
/// The kernel can't be had.
pub fn seed_kernel(cache: &Path, arch: Arch, series: &str) -> Kernel {
    let users = cache_folder(None, |name| std::env::var_os(name));
    let users = users.expect("a place for fetched kernels: neither HOME nor XDG_CACHE_HOME nor BOOTLINE_CACHE is set");
    let store = Store::open(&users).unwrap_or_else(|e| failed(&e));
    let series = series.parse().unwrap_or_else(|e| panic!("{e:?}"));
    let found = store.fetch_or_nearest(series, arch, &mut |p| eprintln!("{p}")).unwrap_or_else(|e| failed(&e));
    let from = found.kernel.path.parent().expect("a kernel is in a folder");
    let users = users.canonicalize().expect("the store has made it");
    let own = cache.join("kernels");
    link_all(from, &own.join(from.strip_prefix(users).expect("a kernel of the cache is in its folder")));

    let store = Store::open(&own).unwrap_or_else(|e| failed(&e)).with_mirror("file:/nonexistent");
    let mut untouched = |step| panic!("the seeded kernel needs more: {step}");
    store.fetch(found.kernel.series, arch, &mut untouched).unwrap_or_else(|e| failed(&e))
}

/// Copies where the two folders are on different file systems. Folders, such as the kernel's modules, are left out: whole systems
/// need them, which are built in the user's cache.
fn link_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|e| panic!("can't create `{}`: {e}", to.display()));
    for entry in fs::read_dir(from).unwrap_or_else(|e| panic!("can't read `{}`: {e}", from.display())) {
        let file = entry.expect("a folder that is there is read to its end");
        if file.path().is_dir() {
            continue;
        }
        let (from, to) = (file.path(), to.join(file.file_name()));
        if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).unwrap_or_else(|e| panic!("can't copy `{}`: {e}", from.display()));
        }
    }
}

fn failed<T>(error: &Error) -> T {
    panic!("{error}\n  hint: {}", error.hint().unwrap_or_default())
}
