// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a boot ends: at init's start, or at the user's marker.
use serde::{Deserialize, Serialize};

use super::clock;
use super::console_start::ConsoleStart;
use super::milestone::Milestones;
use super::options::BootOptions;
use super::resolution::WHOLE_SECONDS;
use super::timeline::{Clock, RecordTimes, Timeline};
use bootline_capture::units::{Dur, HostTime, Interval, KernelTime};
use bootline_capture::{Note, NoteKind};
use bootline_records::{Beginnings, ProblemKind, Problems, Record, RecordId, RecordOrigin, RecordSet};

/// The boot's end: init's start, or the user's marker.
#[derive(Clone, Debug, PartialEq)]
pub struct BootEnd {
    /// The record that shows it.
    pub record: RecordId,
    /// Its position.
    pub index: usize,
    /// How it was recognised.
    pub by: EndedBy,
    /// Time of the end, on the boot's axis.
    pub at: Interval,
    /// The record's stamp: the kernel's own clock since its zero.
    pub kernel: Option<KernelTime>,
    /// From the kernel's first byte to the last byte of that record, by arrival times.
    pub arrival: Option<Dur>,
    /// Time from `since` to the boot's end.
    pub elapsed: Interval,
    /// What `elapsed` is counted from.
    pub since: TimeOrigin,
}

/// How the boot's end was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedBy {
    /// "Run ... as init process".
    InitRecord,
    /// "Freeing unused kernel memory" or "Freeing init memory", in kernels that do not announce init.
    FreeingUnused,
    /// Init's own first message on the console.
    InitBanner,
    /// The user's marker.
    Marker,
}

/// Why a boot has no end; positions are of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEnd {
    /// The record that ends it has no time.
    Untimed {
        /// Its position.
        end: usize,
    },
    /// The kernel panicked before it.
    Panicked {
        /// Where it says so.
        panic: usize,
        /// Where init started, if it did: then a marker was to end the boot.
        init: Option<usize>,
    },
    /// A marker was to end it, and no record contains it.
    NoMarker {
        /// Where init started.
        init: usize,
    },
    /// The log ends before.
    Cut,
}

/// The instant from which the time to init counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeOrigin {
    /// The kernel's first byte on the line.
    KernelFirstByte,
    /// The kernel clock's zero: there are no arrival times.
    KernelStart,
    /// Power-on, as the capture notes it (a kernel that printed nothing before init).
    PowerOn,
}

/// Init programs announce themselves; where the console is quiet, that is the first sign of user space.
/// The last four are Android's (system/core/init/init.cpp) and OpenWrt's.
const INIT_BANNERS: Beginnings = Beginnings::new(&[
    "bootline-init:",
    "INIT: version",
    "systemd[1]: systemd ",
    "init started: BusyBox",
    "init started:  BusyBox",
    "OpenRC ",
    "init: init first stage started",
    "init: init started!",
    "init: Console is alive",
    "procd: - early -",
]);

pub(super) fn is_init_banner(r: &Record<'_>) -> bool {
    INIT_BANNERS.begin(r.text.as_bytes())
}

/// Whether a record reaches a marker. The kernel's record of its command line does not, although a parameter's value
/// may contain the marker.
pub fn reaches(r: &Record<'_>, marker: &str) -> bool {
    !is_command_line(r) && r.text.contains(marker)
}

/// Whether a record is the kernel's of its own command line.
pub(super) fn is_command_line(r: &Record<'_>) -> bool {
    const ECHOES: Beginnings =
        Beginnings::new(&["Command line: ", "Kernel command line: ", "Unknown kernel command line parameters"]);
    r.source == RecordOrigin::Kernel && ECHOES.begin(r.text.as_bytes())
}

pub(super) fn find_end(records: &RecordSet, m: &Milestones, options: &BootOptions) -> Option<(usize, EndedBy)> {
    let Some(marker) = &options.marker else { return find_init(records, m) };
    Some((records.iter().position(|r| reaches(&r, marker))?, EndedBy::Marker))
}

/// The record that shows init's start, whatever ends the boot.
pub(super) fn find_init(records: &RecordSet, m: &Milestones) -> Option<(usize, EndedBy)> {
    if m.no_init {
        return None;
    }
    match (m.init, m.freeing_unused) {
        (Some(i), _) => Some((i, EndedBy::InitRecord)),
        (None, Some(i)) => Some((i, EndedBy::FreeingUnused)),
        (None, None) => {
            // Of a log that starts late, init may have started before it: what an init says then is of the second one, that of
            // the root file system.
            let first = m.first_kernel.and_then(|i| records.get(i));
            let is_late = |i: &usize| first.is_some_and(|first| clock::begins_late(records, first, *i));
            let banner = records.iter().position(|r| is_init_banner(&r)).filter(|i| !is_late(i));
            banner.map(|i| (i, EndedBy::InitBanner))
        }
    }
}

/// When the event that the record at a position announces begins: once the record is transmitted, if its writer waits
/// for that.
pub(super) fn follows(
    record: &Record<'_>,
    place: RecordTimes,
    console_start: Option<ConsoleStart>,
    index: usize,
) -> Option<Dur> {
    // What was stored before the console registered was transmitted later; its writer did not wait.
    let waits = record.source == RecordOrigin::Kernel
        && console_start.is_none_or(|o| o.index <= index && o.writer_waits(index));
    let stored = place.stored?;
    Some(place.transmitted.filter(|_| waits).map_or(stored, |p| p.end))
}

/// When power was switched on, as the capture notes it.
pub(super) fn power_on(notes: &[Note]) -> Option<HostTime> {
    notes.iter().find(|n| n.kind == NoteKind::PowerOn).map(|n| HostTime::from_nanos(n.at_ns))
}

pub(super) fn boot_end(
    records: &RecordSet,
    timeline: &Timeline,
    console_start: Option<ConsoleStart>,
    notes: &[Note],
    milestones: &Milestones,
    index: usize,
    by: EndedBy,
) -> Option<BootEnd> {
    let record = records.get(index)?;
    let place = timeline.place(index);
    let at = Interval::around(follows(&record, place, console_start, index)?, place.error);
    // A replayed log is transmitted after the end that it shows.
    let printed_before = milestones.first_kernel.is_some_and(|k| k < index)
        && timeline.first_byte.is_none_or(|first| first <= at.best());
    let replayed = console_start.is_some_and(|o| o.is_offloaded(index)) && !printed_before;
    let power_on = power_on(notes);
    let (since, reference) = match (timeline.clock, timeline.first_byte) {
        (Clock::Arrival, Some(first)) if printed_before => (TimeOrigin::KernelFirstByte, first),
        (Clock::Arrival, _) if replayed && power_on.is_none() => (TimeOrigin::KernelStart, Dur::ZERO),
        (Clock::Arrival, _) => (TimeOrigin::PowerOn, timeline.on_axis(power_on.unwrap_or_default())),
        _ => (TimeOrigin::KernelStart, Dur::ZERO),
    };
    let less = |d: Dur| d - reference;
    let arrival = match (record.arrival, timeline.first_byte) {
        (Some(a), Some(first)) if timeline.clock == Clock::Arrival && printed_before => {
            Some(timeline.on_axis(a.last) - first)
        }
        _ => None,
    };
    Some(BootEnd {
        record: record.id,
        index,
        by,
        at,
        // Of a clock of whole seconds the interval is all there is.
        kernel: record.stamp.filter(|_| timeline.resolution < WHOLE_SECONDS),
        arrival,
        elapsed: Interval::new(less(at.low()), less(at.best()), less(at.high())),
        since,
    })
}

/// Whether a boot's end follows its start; wall-clock stamps (`dmesg -T`) may be set back between them.
pub(super) fn follows_start(end: &BootEnd, records: &RecordSet, problems: &mut Problems) -> bool {
    let follows = end.elapsed.high() >= Dur::ZERO;
    if let Some(r) = records.get(end.index).filter(|_| !follows) {
        problems.add(ProblemKind::EndBeforeStart, r.bytes, || {
            let before = Dur::ZERO - end.elapsed.best();
            format!(
                "the boot's end (record {}) has a time {before} s before the boot's start: the clock was set back",
                r.id
            )
        });
    }
    follows
}
