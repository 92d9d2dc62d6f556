// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records: printk messages and other lines, decoded from a capture or from any text in which a boot log is kept.
//!
//! Decoding never fails. It gives records, and problems with their byte ranges.
//!
//! ```text
//! capture::Reader ─▶ chunks ─┐
//!                            ├─▶ line ─▶ console, dmesg, kmsg, journal_*, syslog, stamped, lava ─▶ Sink
//! text ─▶ detect ────────────┘        └▶ dmesg_json, journal_fields (objects, not lines)
//! ```
//!
//! What describes a boot and is no log (systemd's units, a boot loader's timer) is read by [`source`].
mod arrival_clock;
mod beginnings;
mod block_map;
mod boot_announcement;
mod console;
mod control;
mod decoder;
mod detect;
mod dmesg;
mod dmesg_json;
mod flow_map;
mod format;
mod journal_entry;
mod journal_fields;
mod journal_json;
mod journal_short;
mod kmsg;
mod lava;
mod learned_prefix;
mod log_line;
mod logcat;
mod markup;
mod other_kind;
mod output;
mod plain_kernel;
mod prefix;
mod problem;
mod record;
mod record_set;
mod sink;
pub mod source;
mod stamp;
mod stamped;
mod syslog;
mod unit_event;
mod vendor;
mod wall_origin;

pub use arrival_clock::RUNNER_LATENESS;
pub use beginnings::Beginnings;
pub use boot_announcement::{
    announces_boot, fails_boot_option, precedes_banner, starts_boot_loader, starts_boot_option, starts_kernel,
};
pub use decoder::{DecodeSummary, Decoded, Decoder, decode, decode_as};
pub use format::{Format, UnknownFormatName};
pub use other_kind::OtherKind;
pub use problem::{Problem, ProblemKind, Problems};
pub use record::{Arrival, ByteRange, Caller, Level, Record, RecordId, RecordOrigin};
pub use record_set::RecordSet;
pub use sink::Sink;
pub use unit_event::{UnitEvent, UnitEventKind};

#[cfg(test)]
mod tests;
