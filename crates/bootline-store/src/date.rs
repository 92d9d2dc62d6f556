// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dates of partitions.
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate};

/// A date in UTC, as the name of a partition: `2026-11-24`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

impl Date {
    /// The date of an instant in microseconds since 1970; 1970-01-01 where it is beyond all calendars.
    pub fn of_micros(us: i64) -> Date {
        Date(DateTime::from_timestamp_micros(us).map_or(NaiveDate::default(), |time| time.date_naive()))
    }

    /// Days since 1970.
    pub fn days(self) -> i32 {
        self.0.signed_duration_since(NaiveDate::default()).num_days().try_into().unwrap_or(0)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%d"))
    }
}

/// An instant in microseconds since 1970.
pub fn micros(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |us| -us),
    }
}
