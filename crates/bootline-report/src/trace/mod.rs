// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot as a trace: tracks, and what happens on them. `docs/export.md` describes how each concept is represented.
//!
//! ```text
//! Boot + Findings ─▶ trace() ─▶ TraceSink ─┬─▶ Perfetto (protobuf)
//!                                          └─▶ Chrome (JSON)
//! ```
//!
//! A sink gets a track before anything on it. On one track times never go back, and what began last ends first: the
//! sinks write what they get, and need not sort.
mod boot_trace;
mod chrome;
mod kernel_trace;
mod line;
mod perfetto;
mod perfetto_field;
mod processes;
mod protobuf;
mod services;
mod sink;
mod spans;
mod stages;
mod traced_boot;
mod track_pool;
mod tracks;
mod unit_role;
mod units;

pub use chrome::Chrome;
pub use perfetto::Perfetto;
pub(super) use spans::cause;

#[cfg(test)]
mod checked_sink;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod whole_tests;
