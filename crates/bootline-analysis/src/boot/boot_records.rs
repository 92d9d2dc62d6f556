// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoded material of one boot, before anything is made of it.
use crate::records::{Problems, RecordSet};
use bootline_capture::{Header, Note};

/// The decoded material of one boot.
#[derive(Clone, Debug, Default)]
pub struct BootRecords {
    /// Its records.
    pub records: RecordSet,
    /// What was wrong with them.
    pub problems: Problems,
    /// What the capture says of itself, where it is one.
    pub header: Option<Header>,
    /// What happened while it was taken.
    pub notes: Vec<Note>,
    /// Kernel records that came over the line twice, because a console that took over replayed the log.
    pub repeated: usize,
}
