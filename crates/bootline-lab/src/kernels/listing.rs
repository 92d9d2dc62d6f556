// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be had: the series of the suites and of the cache.
use std::time::Duration;

use super::error::Error;
use super::package::Package;
use super::series::{Arch, Series};

/// When to ask the mirror before listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Not at all.
    Never,
    /// When what is known is older than this.
    OlderThan(Duration),
    /// In any case.
    Always,
}

/// What can be had for an architecture.
#[derive(Debug)]
pub struct Listing {
    /// One row a series, in order.
    pub rows: Vec<Row>,
    /// The age of what is known of the suites; None where they were never asked.
    pub age: Option<Duration>,
    /// Why the mirror couldn't be asked though it should have been.
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
