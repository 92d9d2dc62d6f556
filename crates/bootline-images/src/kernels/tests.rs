// SPDX-License-Identifier: MIT OR Apache-2.0
//! The store without a network: caches made by hand, and mirrors that aren't there.
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::entry::{self, KernelManifest, VMLINUZ};
use super::*;
use crate::arch::Arch;

const NOWHERE: &str = "file:/nonexistent/debian";

struct Cache {
    folder: tempfile::TempDir,
}

impl Cache {
    fn new() -> Cache {
        Cache { folder: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> Store {
        Store::open(self.folder.path()).unwrap().with_mirror(NOWHERE)
    }

    /// Puts a kernel into the cache; gives its folder.
    fn keep(&self, arch: Arch, series: &str, version: &str) -> PathBuf {
        let folder = self.folder.path().canonicalize().unwrap().join(arch.debian_name()).join(series).join(version);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(VMLINUZ), version).unwrap();
        let record = KernelManifest {
            arch,
            series: series.parse().unwrap(),
            package: format!("linux-image-{version}"),
            version: version.to_owned(),
            release: version.to_owned(),
            suite: "trixie".to_owned(),
            sha256: entry::sha256_of(&folder.join(VMLINUZ)).unwrap(),
            config_sha256: None,
            built: None,
        };
        entry::seal(&folder, &record).unwrap();
        folder
    }

    /// Writes what the suites are said to have, each as series and version.
    fn offer(&self, arch: Arch, packages: &[(&str, &str)]) {
        let packages = packages.iter().map(|(series, version)| Package {
            name: format!("linux-image-{version}"),
            version: (*version).to_owned(),
            release: (*version).to_owned(),
            series: series.parse().unwrap(),
            suite: "trixie".to_owned(),
            size: 1,
            config_package: None,
            signed: true,
        });
        let catalogue = Catalogue::new(NOWHERE, packages.collect());
        catalogue.save(&self.folder.path().join(format!("{arch}.json"))).unwrap();
    }
}

fn fetch(store: &Store, series: &str) -> (Result<Kernel, Error>, Vec<FetchProgress>) {
    let mut seen = Vec::new();
    let kernel = store.fetch(series.parse().unwrap(), Arch::Amd64, &mut |p| seen.push(p));
    (kernel, seen)
}

#[test]
fn a_cached_kernel_needs_no_network() {
    let cache = Cache::new();
    cache.keep(Arch::Amd64, "6.18-rt", "6.18.9-1");
    let newest = cache.keep(Arch::Amd64, "6.18-rt", "6.18.15-1");
    let (kernel, seen) = fetch(&cache.store(), "6.18-rt");
    let kernel = kernel.unwrap();
    assert_eq!((kernel.path, kernel.rt, kernel.version.as_str()), (newest.join(VMLINUZ), true, "6.18.15-1"));
    assert_eq!(seen, []);
}

#[test]
fn a_damaged_kernel_is_named_and_never_given_out() {
    let cache = Cache::new();
    let folder = cache.keep(Arch::Amd64, "6.1", "6.1.164-1");
    fs::write(folder.join(VMLINUZ), "bit rot").unwrap();
    let (kernel, seen) = fetch(&cache.store(), "6.1");
    assert!(kernel.is_err());
    assert!(matches!(&seen[0], FetchProgress::Damaged { path, .. } if *path == folder.join(VMLINUZ)), "{seen:?}");
    assert!(!folder.exists());
}

#[test]
fn a_sound_older_version_serves_while_the_newest_is_damaged() {
    let cache = Cache::new();
    cache.keep(Arch::Amd64, "6.1", "6.1.100-1");
    let folder = cache.keep(Arch::Amd64, "6.1", "6.1.164-1");
    fs::remove_file(folder.join(VMLINUZ)).unwrap();
    let (kernel, _) = fetch(&cache.store(), "6.1");
    assert_eq!(kernel.unwrap().version, "6.1.100-1");
}

#[test]
fn half_a_download_does_not_count() {
    let cache = Cache::new();
    fs::create_dir_all(cache.folder.path().join("amd64/part/kernel")).unwrap();
    fs::create_dir_all(cache.folder.path().join("amd64/6.1")).unwrap();
    let listing = cache.store().list(Arch::Amd64, Refresh::Never, &mut |_| {}).unwrap();
    assert_eq!(listing.rows, []);
}

#[test]
fn listing_marks_what_is_cached() {
    let cache = Cache::new();
    cache.keep(Arch::Arm64, "6.12", "6.12.9-1");
    cache.keep(Arch::Arm64, "6.16", "6.16.3-1");
    cache.offer(Arch::Arm64, &[("6.12", "6.12.10-1"), ("6.12", "6.12.9-1"), ("6.1-rt", "6.1.164-1")]);
    let listing = cache.store().list(Arch::Arm64, Refresh::Never, &mut |_| {}).unwrap();
    let rows: Vec<_> = listing
        .rows
        .iter()
        .map(|r| (r.series.to_string(), r.offered.as_ref().map(|p| p.version.as_str()), r.cached.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            ("6.1-rt".to_owned(), Some("6.1.164-1"), None),
            ("6.12".to_owned(), Some("6.12.10-1"), Some("6.12.9-1")),
            ("6.16".to_owned(), None, Some("6.16.3-1")),
        ]
    );
    assert!(listing.age.is_some() && listing.stale.is_none());
}

#[test]
fn a_list_without_a_mirror_shows_what_is_known_and_why() {
    let cache = Cache::new();
    cache.offer(Arch::Amd64, &[("6.12", "6.12.10-1")]);
    let listing = cache.store().list(Arch::Amd64, Refresh::Always, &mut |_| {}).unwrap();
    assert_eq!(listing.rows.len(), 1);
    assert!(listing.stale.is_some());
}

#[test]
fn a_catalogue_of_another_mirror_does_not_count() {
    let cache = Cache::new();
    cache.offer(Arch::Amd64, &[("6.12", "6.12.10-1")]);
    let store = Store::open(cache.folder.path()).unwrap().with_mirror("http://mirror.example/debian");
    let listing = store.list(Arch::Amd64, Refresh::Never, &mut |_| {}).unwrap();
    assert_eq!((listing.rows, listing.age), (vec![], None));
}

#[test]
fn a_series_that_is_gone_reads_well() {
    let gone = |nearest: Option<&str>| Error::Gone {
        series: "6.18-rt".parse().unwrap(),
        arch: Arch::Amd64,
        there: ["6.12", "6.17-rt"].map(|s| s.parse().unwrap()).to_vec(),
        nearest: nearest.map(|s| s.parse().unwrap()),
        missing: vec![],
    };
    let error = gone(Some("6.17-rt"));
    assert_eq!(error.to_string(), "no kernel amd64:6.18-rt in the Debian suites; there are 6.12, 6.17-rt");
    assert!(error.hint().unwrap().contains("bootline kernels fetch amd64:6.17-rt"));
    assert!(gone(None).hint().unwrap().contains("bootline boot --kernel"));
}

#[test]
fn a_kernel_that_was_not_built_is_to_be_built_where_that_is_possible() {
    let cache = Cache::new();
    let hint = |arch| {
        let error = cache.store().built(&"tiny".parse().unwrap(), Some(arch)).unwrap_err();
        error.hint().unwrap()
    };
    assert!(hint(Arch::Arm64).starts_with("build it: `bootline kernels build tiny --arch arm64`"));
    assert_eq!(
        hint(Arch::Armhf),
        "kernels are not built for armhf: name a stock series, such as armhf:6.12, or an image"
    );
}

#[test]
fn folder_of_the_cache() {
    let check = |stated: Option<&str>, env: &[(&str, &str)], expected: Option<&str>| {
        let env: HashMap<&str, OsString> = env.iter().map(|(k, v)| (*k, OsString::from(v))).collect();
        let got = cache_folder(stated.map(Path::new), |name| env.get(name).cloned());
        assert_eq!(got, expected.map(PathBuf::from));
    };
    let (home, xdg, own) = (("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("BOOTLINE_CACHE", "/b"));
    check(None, &[], None);
    check(None, &[home], Some("/h/.cache/bootline/kernels"));
    check(None, &[home, xdg], Some("/x/bootline/kernels"));
    check(None, &[home, ("XDG_CACHE_HOME", "relative")], Some("/h/.cache/bootline/kernels"));
    check(None, &[home, xdg, own], Some("/b/kernels"));
    check(None, &[home, ("BOOTLINE_CACHE", "")], Some("/h/.cache/bootline/kernels"));
    check(Some("/s"), &[home, xdg, own], Some("/s"));
}
