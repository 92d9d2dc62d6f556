// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a boot took, and its phases.
use schemars::JsonSchema;
use serde::Serialize;

use super::pair::Pair;
use super::{EndedBy, Id, Interval, PhaseName, TimeOrigin};
use bootline_boot::{Boot, BootEnd};

/// How long the boot took, by each clock.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TimeToInit {
    /// The kernel's stamp of the boot's end.
    kernel_ns: Option<i64>,
    /// From the arrival of the kernel's first byte until the last byte of the end's record arrived.
    arrival_ns: Option<i64>,
    /// Time from `since` to the boot's end, by the axis's clock.
    elapsed_ns: Interval,
    /// What `elapsed_ns` counts from.
    since: TimeOrigin,
    /// How the boot's end was recognised.
    by: EndedBy,
    /// The record that shows it.
    record: Id,
}

impl From<&BootEnd> for TimeToInit {
    fn from(end: &BootEnd) -> TimeToInit {
        TimeToInit {
            kernel_ns: end.kernel.map(|k| k.since_origin().as_nanos()),
            arrival_ns: end.arrival.map(|a| a.as_nanos()),
            elapsed_ns: end.elapsed.into(),
            since: end.since.into(),
            by: end.by.into(),
            record: end.record.0,
        }
    }
}

/// A phase of the boot.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Phase {
    /// Title of the phase, for display.
    title: &'static str,
    /// From start to end.
    length_ns: i64,
    /// Name of the phase.
    name: PhaseName,
    /// Start, on the boot's axis, whose 0 is the zero of the kernel's clock.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// Waits for the console within it.
    console_ns: i64,
    /// The kernel's stamps at start and end.
    kernel_ns: Option<Pair<i64>>,
    /// Arrival of its first and last record, from the capture's clock origin.
    arrival_ns: Option<Pair<i64>>,
    /// Its first record.
    first: Id,
    /// The record that ends it.
    last: Id,
}

impl Phase {
    /// All phases of a boot, in order.
    pub(crate) fn all(boot: &Boot) -> Vec<Phase> {
        boot.phases.iter().map(Phase::from).collect()
    }
}

impl From<&bootline_boot::Phase> for Phase {
    fn from(p: &bootline_boot::Phase) -> Phase {
        Phase {
            title: p.name.title(),
            length_ns: p.length().as_nanos(),
            name: p.name.into(),
            start_ns: p.start.as_nanos(),
            end_ns: p.end.as_nanos(),
            console_ns: p.console.as_nanos(),
            kernel_ns: p.kernel.map(|(a, b)| Pair([a, b].map(|t| t.since_origin().as_nanos()))),
            arrival_ns: p.arrival.map(|(a, b)| Pair([a, b].map(|t| t.since_origin().as_nanos()))),
            first: p.first.0,
            last: p.last.0,
        }
    }
}
