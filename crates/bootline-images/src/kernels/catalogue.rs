// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels that the suites had when last asked, kept in the cache so that a list needs no network.
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::package::Package;
use super::series::Series;
use super::version;

/// What the suites had for one architecture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    /// The mirror that was asked.
    pub mirror: String,
    /// When, in seconds since 1970.
    pub refreshed: u64,
    /// All kernel images.
    pub packages: Vec<Package>,
    /// Suites that could not be fetched.
    pub missing: Vec<String>,
}

impl Catalogue {
    /// Made now.
    pub fn new(mirror: &str, packages: Vec<Package>) -> Catalogue {
        let refreshed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Catalogue { mirror: mirror.to_owned(), refreshed, packages, missing: vec![] }
    }

    /// How old it is; one from the future counts as old.
    pub fn age(&self) -> Duration {
        let made = UNIX_EPOCH.checked_add(Duration::from_secs(self.refreshed));
        made.and_then(|made| SystemTime::now().duration_since(made).ok()).unwrap_or(Duration::MAX)
    }

    /// The newest package of a series. Of two with one version the signed image is taken, then the older suite's.
    pub fn newest(&self, series: Series) -> Option<&Package> {
        let of_series = self.packages.iter().rev().filter(|p| p.series == series);
        of_series.max_by(|a, b| version::compare(&a.version, &b.version).then(a.signed.cmp(&b.signed)))
    }

    /// The series it has, in order.
    pub fn series(&self) -> Vec<Series> {
        let mut series: Vec<Series> = self.packages.iter().map(|p| p.series).collect();
        series.sort_unstable();
        series.dedup();
        series
    }

    /// Reads a catalogue. None if there is none or it is invalid: it can be fetched again from the mirror.
    pub fn load(path: &Path) -> Option<Catalogue> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Writes it atomically.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let temporary = path.with_extension("new");
        let text = serde_json::to_vec(self).map_err(io::Error::from).map_err(Error::cache("write", path))?;
        fs::write(&temporary, text).map_err(Error::cache("write", &temporary))?;
        fs::rename(&temporary, path).map_err(Error::cache("write", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(version: &str, suite: &str, signed: bool) -> Package {
        Package {
            name: format!("linux-image-{version}"),
            version: version.to_owned(),
            release: version.to_owned(),
            series: "6.12".parse().unwrap(),
            suite: suite.to_owned(),
            size: 1,
            config_package: None,
            signed,
        }
    }

    fn check(packages: &[(&str, &str, bool)], expected: (&str, &str, bool)) {
        let packages = packages.iter().map(|(v, s, signed)| package(v, s, *signed)).collect();
        let catalogue = Catalogue::new("http://mirror.example/debian", packages);
        let newest = catalogue.newest("6.12".parse().unwrap()).unwrap();
        assert_eq!((newest.version.as_str(), newest.suite.as_str(), newest.signed), expected);
    }

    #[test]
    fn newest() {
        check(
            &[("6.12.9-1", "a", true), ("6.12.107-1", "b", true), ("6.12.95-1", "c", true)],
            ("6.12.107-1", "b", true),
        );
        check(&[("6.12.9-1", "a", false), ("6.12.9-1", "a", true)], ("6.12.9-1", "a", true));
        check(&[("6.12.9-1", "a", true), ("6.12.9-1", "a", false)], ("6.12.9-1", "a", true));
        check(&[("6.12.9-1", "a", true), ("6.12.10-1", "a", false)], ("6.12.10-1", "a", false));
        check(&[("6.12.9-1", "old", true), ("6.12.9-1", "new", true)], ("6.12.9-1", "old", true));
    }

    #[test]
    fn comes_back_from_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index-amd64.json");
        assert_eq!(Catalogue::load(&path), None);
        let catalogue = Catalogue::new("http://mirror.example/debian", vec![package("6.12.9-1", "a", true)]);
        catalogue.save(&path).unwrap();
        assert_eq!(Catalogue::load(&path), Some(catalogue));
        fs::write(&path, "{").unwrap();
        assert_eq!(Catalogue::load(&path), None);
    }

    #[test]
    fn age() {
        let mut catalogue = Catalogue::new("http://mirror.example/debian", vec![]);
        assert!(catalogue.age() < Duration::from_secs(600));
        catalogue.refreshed = u64::MAX;
        assert_eq!(catalogue.age(), Duration::MAX);
    }
}
