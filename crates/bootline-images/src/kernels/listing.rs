// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be had: the series of the suites and of the cache.
use std::time::Duration;

use super::error::Error;
use super::package::Package;
use super::series::Series;
use crate::arch::Arch;

/// Whether to ask the mirror before listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Not at all.
    Never,
    /// If the list is older than this.
    OlderThan(Duration),
    /// In any case.
    Always,
}

/// The kernels available for an architecture.
#[derive(Debug)]
pub struct Listing {
    /// One row per series, in order.
    pub rows: Vec<Row>,
    /// Age of the list of the suites; none if they were never asked.
    pub age: Option<Duration>,
    /// Why the mirror could not be asked, if it should have been.
    pub stale: Option<Error>,
}

/// One series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The architecture.
    pub arch: Arch,
    /// The series.
    pub series: Series,
    /// The newest package that the suites have.
    pub offered: Option<Package>,
    /// The newest version in the cache.
    pub cached: Option<String>,
}
