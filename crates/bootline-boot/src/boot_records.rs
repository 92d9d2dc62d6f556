// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoded records of one boot, before any analysis.
use bootline_capture::{Header, Note};
use bootline_records::{Problems, RecordSet, UnitEvent};

/// The decoded records of one boot.
#[derive(Clone, Debug, Default)]
pub struct BootRecords {
    /// Its records.
    pub records: RecordSet,
    /// Problems of the input.
    pub problems: Problems,
    /// The capture's header, if the input is a capture.
    pub header: Option<Header>,
    /// The capture's notes.
    pub notes: Vec<Note>,
    /// What a journal says of units.
    pub unit_events: Vec<UnitEvent>,
    /// Number of kernel records that were transmitted twice, because a console replayed the log.
    pub repeated: usize,
    /// Number of kernel records left out because somebody printed them again (`dmesg | grep usb`).
    pub printed_again: usize,
}
