// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words that the tables have for enumerations. A new variant does not compile until it has its word here.
use bootline_boot::{Clock, EndedBy, SpanKind, TimeOrigin, UnitTimesBy};

pub(crate) fn clock(clock: Clock) -> &'static str {
    match clock {
        Clock::Arrival => "arrival",
        Clock::Kernel => "kernel",
        Clock::None => "none",
    }
}

pub(crate) fn ended_by(by: EndedBy) -> &'static str {
    match by {
        EndedBy::InitRecord => "init-record",
        EndedBy::FreeingUnused => "freeing-unused",
        EndedBy::InitBanner => "init-banner",
        EndedBy::Marker => "marker",
    }
}

pub(crate) fn since(since: TimeOrigin) -> &'static str {
    match since {
        TimeOrigin::KernelFirstByte => "kernel-first-byte",
        TimeOrigin::KernelStart => "kernel-start",
        TimeOrigin::PowerOn => "power-on",
    }
}

pub(crate) fn span_kind(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Initcall => "initcall",
        SpanKind::Probe => "probe",
        SpanKind::Async => "async",
    }
}

/// The clock of a unit's times; what the console shows has the boot's.
pub(crate) fn unit_clock(by: UnitTimesBy, boot: &'static str) -> &'static str {
    match by {
        UnitTimesBy::Systemd => "monotonic",
        UnitTimesBy::Journal => "journal",
        UnitTimesBy::Console => boot,
        // Only how long it took: `systemd-analyze blame`.
        UnitTimesBy::Nothing => "monotonic",
    }
}
