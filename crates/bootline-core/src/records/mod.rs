// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records: printk messages and other lines, decoded from a capture or from any text in which a boot log is kept.
//!
//! Decoding never fails. It gives records, and problems with their byte ranges.
mod problem;
mod record;
mod record_set;
mod sink;

pub use problem::{Problem, ProblemKind, Problems};
pub use record::{Arrival, ByteRange, Caller, Level, Record, RecordId, Source};
pub use record_set::RecordSet;
pub use sink::Sink;
