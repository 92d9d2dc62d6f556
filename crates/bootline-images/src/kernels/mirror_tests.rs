// SPDX-License-Identifier: MIT OR Apache-2.0
//! The store and a mirror of three made-up kernels (`tests/mirror`): apt and dpkg-deb at work, without a network.
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;

use super::*;
use crate::arch::Arch;

const RELEASE: &str = "7.2.13+deb14-amd64";

/// The store of a folder, which is empty at first. The mirror is reached by a link in it: the repository's own path may
/// hold blanks, which a mirror's address may not.
fn store(folder: &Path) -> Store {
    let mirror = folder.join("mirror");
    if !mirror.exists() {
        symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mirror"), &mirror).unwrap();
    }
    let store = Store::open(&folder.join("kernels")).unwrap().with_mirror(&format!("file:{}", mirror.display()));
    store.with_keyring(&mirror.join("keyring.gpg"))
}

fn fetch(store: &Store, series: &str) -> (Result<Kernel, Error>, Vec<FetchProgress>) {
    let mut seen = Vec::new();
    let kernel = store.fetch(series.parse().unwrap(), Arch::Amd64, &mut |p| seen.push(p));
    (kernel, seen)
}

/// The packages whose download began, in order.
fn downloads(seen: &[FetchProgress]) -> Vec<&str> {
    let begun = seen.iter().filter_map(|p| match p {
        FetchProgress::Downloading { package, percent: 0.0, .. } => Some(package.as_str()),
        _ => None,
    });
    let mut names: Vec<&str> = begun.collect();
    // apt may say as well that it is at its beginning.
    names.dedup();
    names
}

/// How often the lists of packages began to be read.
fn refreshes(seen: &[FetchProgress]) -> usize {
    let reading = |p: &FetchProgress| matches!(p, FetchProgress::Refreshing { .. });
    let begun = seen.iter().enumerate().filter(|(i, p)| reading(p) && (*i == 0 || !reading(&seen[i - 1])));
    begun.count()
}

#[test]
fn a_kernel_is_fetched_and_then_needs_no_mirror() {
    let folder = tempfile::tempdir().unwrap();
    let (kernel, seen) = fetch(&store(folder.path()), "7.2");
    let kernel = kernel.unwrap();
    assert_eq!((kernel.release.as_str(), kernel.version.as_str(), kernel.suite.as_str()), (RELEASE, "7.2.13-1", "sid"));
    assert_eq!(std::fs::read_to_string(&kernel.path).unwrap(), format!("no kernel, {RELEASE}\n"));
    let config = std::fs::read_to_string(kernel.config_path.as_ref().unwrap()).unwrap();
    assert_eq!(config, "CONFIG_PREEMPT_RT=n\n");
    assert_eq!(refreshes(&seen), 1);
    assert_eq!(downloads(&seen), [format!("linux-binary-{RELEASE}"), format!("linux-base-{RELEASE}")]);

    let nowhere = Store::open(&folder.path().join("kernels")).unwrap().with_mirror("file:/nonexistent/debian");
    assert_eq!(fetch(&nowhere, "7.2").1, []);
    // What the suites have is known as well: the next kernel is fetched without asking them.
    let (kernel, seen) = fetch(&store(folder.path()), "6.12-rt");
    assert!(kernel.unwrap().rt);
    assert_eq!(refreshes(&seen), 0, "{seen:?}");
}

#[test]
fn an_unheard_of_series_names_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (error, seen) = fetch(&store(folder.path()), "1.0-16k");
    let error = error.unwrap_err();
    let Error::Gone { there, nearest: None, missing, .. } = &error else { panic!("{error}") };
    let there: Vec<String> = there.iter().map(Series::to_string).collect();
    assert_eq!(there, ["6.12", "6.12-rt", "7.2"], "{error}");
    assert!(matches!(seen[0], FetchProgress::Refreshing { .. }), "{seen:?}");
    assert!(missing.contains(&"experimental".to_owned()) && !missing.contains(&"sid".to_owned()), "{missing:?}");
    let listing = store(folder.path()).list(Arch::Amd64, Refresh::Never, &mut |_| {}).unwrap();
    assert!(listing.rows.iter().any(|r| r.series.to_string() == "6.12" && r.offered.is_some()));
}

/// An interrupted or concurrent fetch never shows: many at once give one sound kernel, which one of them fetched.
#[test]
fn concurrent_fetches_agree() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let seen = Mutex::new(Vec::new());
    let kernels: Vec<Kernel> = std::thread::scope(|scope| {
        let fetch = || {
            let (kernel, steps) = fetch(&store, "6.12");
            seen.lock().unwrap().extend(steps);
            kernel.unwrap()
        };
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(fetch)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(kernels.iter().all(|k| *k == kernels[0] && k.path.exists()));
    let seen = seen.into_inner().unwrap();
    assert_eq!((refreshes(&seen), downloads(&seen).len()), (1, 1), "{seen:?}");
}

#[test]
fn what_the_suites_have_replaced_is_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    fetch(&store(folder.path()), "1.0").0.unwrap_err();
    let path = folder.path().join("kernels/amd64.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("6.12.9-1", "6.12.8-1")).unwrap();
    let (kernel, seen) = fetch(&store(folder.path()), "6.12");
    assert_eq!((kernel.unwrap().version.as_str(), refreshes(&seen)), ("6.12.9-1", 1), "{seen:?}");
}
