// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scripts of an init that runs one after the other: System V's rc, BusyBox's rcS, OpenRC by default.
//!
//! `sequence` has their spans, and whether they are a sequence; `script_name` finds the one that a user means; `starter` finds the one
//! that starts the application. The stages of procd and runit, and the services of Android's init, are no scripts: what runs in
//! them is not printed, or runs in parallel.
mod other_init;
mod script_name;
mod sequence;
mod starter;

pub(crate) use other_init::why_no_sequence;
pub(crate) use script_name::{Unnamed, named};
pub(crate) use sequence::{ScriptSpan, in_sequence, scripts, spans_until, start_user_space};
pub(crate) use starter::{ends_with_kernel, leads_to_end, starts};

#[cfg(test)]
mod tests;
