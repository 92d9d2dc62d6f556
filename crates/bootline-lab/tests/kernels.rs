// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fetches real kernels from the host's Debian mirror. The cache is the user's own, as for the boots of other tests.
use std::fs;
use std::path::PathBuf;

use bootline_lab::kernels::{Arch, Error, Kernel, Progress, Refresh, Store, cache_folder};

fn store() -> Store {
    let folder = cache_folder(None, |name| std::env::var_os(name)).unwrap_or_else(std::env::temp_dir);
    Store::open(&folder).unwrap()
}

fn fetch(store: &Store, arch: Arch, series: &str) -> Kernel {
    match store.fetch(series.parse().unwrap(), arch, &mut |p| eprintln!("{p}")) {
        Ok(kernel) => kernel,
        Err(error) => panic!("{error}\n  hint: {}", error.hint().unwrap_or_default()),
    }
}

#[test]
fn a_kernel_is_fetched_and_then_needs_no_network() {
    let kernel = fetch(&store(), Arch::Amd64, "6.12-rt");
    let image = fs::read(&kernel.path).unwrap();
    // The boot protocol's magic, Documentation/arch/x86/boot.rst.
    assert_eq!(&image[0x202..0x206], b"HdrS");
    assert!(kernel.rt && kernel.release.starts_with("6.12.") && kernel.version.starts_with("6.12."));
    let config = fs::read_to_string(kernel.config_path.as_ref().unwrap()).unwrap();
    assert!(config.contains("CONFIG_PREEMPT_RT=y\n"));

    let mut steps = Vec::new();
    let offline = store().with_mirror("http://127.0.0.1:9/debian");
    let again = offline.fetch("6.12-rt".parse().unwrap(), Arch::Amd64, &mut |p| steps.push(p)).unwrap();
    assert_eq!((again, steps), (kernel, vec![]));
}

#[test]
fn an_unheard_of_series_names_what_is_there() {
    let mut told = Vec::new();
    let error = store().fetch("1.0-16k".parse().unwrap(), Arch::Amd64, &mut |p| told.push(p)).unwrap_err();
    let Error::Gone { there, nearest: None, .. } = &error else { panic!("{error}") };
    assert!(there.contains(&"6.12-rt".parse().unwrap()), "{error}");
    assert!(matches!(told[0], Progress::Refreshing { .. }));
    let listing = store().list(Arch::Amd64, Refresh::Never, &mut |_| {}).unwrap();
    assert!(listing.rows.iter().any(|r| r.series.to_string() == "6.12" && r.offered.is_some()));
}

/// An interrupted or concurrent fetch never shows: many at once give one sound kernel.
#[test]
fn concurrent_fetches_agree() {
    let folder = tempfile::tempdir().unwrap();
    // A cache of its own, so that nothing is in it yet; the smallest kernel there is.
    let store = Store::open(folder.path()).unwrap();
    let kernels: Vec<PathBuf> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| fetch(&store, Arch::Amd64, "7.2-cloud").path)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(kernels.iter().all(|k| *k == kernels[0] && k.exists()));
}
