// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a document names a record of the log.
use bootline_records::RecordId;

/// A record, by its number in the log.
pub(crate) type Id = u32;

/// The number of a record that may be unknown.
pub(crate) fn id(record: Option<RecordId>) -> Option<Id> {
    record.map(|r| r.0)
}

/// The first and the last record of something.
pub(crate) fn ids(records: Option<(RecordId, RecordId)>) -> Option<[Id; 2]> {
    records.map(|(first, last)| [first.0, last.0])
}
