// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boot: records put on one time axis, divided, and the console's part told from the rest.
//!
//! [`Boot::analyse`] can't fail: what the log doesn't tell stays `None`, and what is wrong with it is a problem.
mod backlog;
mod clock;
mod cmdline;
mod console;
mod gap;
mod initcall;
mod kernel;
mod milestone;
mod phase;
mod speed;
mod split;
mod timeline;
mod wait;

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

pub use backlog::BacklogPoint;
pub use cmdline::{CommandLine, ConsoleArg, is_serial};
pub use console::{Console, Kind, SerialConsole};
pub use gap::Gap;
pub use initcall::{EPROBE_DEFER, Span, SpanKind};
pub use kernel::Kernel;
pub use milestone::Milestones;
pub use phase::{Phase, PhaseName};
pub use speed::{LineSpeed, SpeedSource};
pub use split::{BootRecords, MAX_RECORDS, Splitter};
pub use timeline::{Clock, Place, Printed, Timeline};
pub use wait::{Wait, WaitCause};

use serde::Serialize;

use crate::capture::{Header, Note, NoteKind};
use crate::records::{Problems, Record, RecordId, RecordSet, Source};
use crate::units::{Dur, HostTime, Interval, KernelTime};

/// What the user tells beyond the log.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Text that marks the end of the boot (a login prompt, a service's line) instead of init's start.
    pub marker: Option<String>,
    /// The serial console and its speed, where the log lacks them; wins over the log's command line.
    pub console: Option<ConsoleArg>,
}

/// One boot.
#[derive(Clone, Debug)]
pub struct Boot {
    /// Its records, in the order in which they were received.
    pub records: RecordSet,
    /// What is wrong with the log.
    pub problems: Problems,
    /// What the capture says of itself, where it is one.
    pub header: Option<Header>,
    /// Which kernel booted.
    pub kernel: Kernel,
    /// Its landmarks.
    pub milestones: Milestones,
    /// All consoles that registered.
    pub consoles: Vec<Console>,
    /// The serial line and what it cost.
    pub line: Option<Line>,
    /// When each record was stored and printed.
    pub timeline: Timeline,
    /// The waits for the console up to the boot's end.
    pub waits: Vec<Wait>,
    /// Phases, in order.
    pub phases: Vec<Phase>,
    /// Spans of `initcall_debug`, by start.
    pub spans: Vec<Span>,
    /// Silent stretches of at least [`LEAST_GAP`], longest first.
    pub gaps: Vec<Gap>,
    /// When init (or the marker) was reached; none where the log doesn't reach it.
    pub end: Option<BootEnd>,
}

/// The shortest silence that counts as a gap.
pub const LEAST_GAP: Dur = Dur::from_millis(100);

/// The boot's end: init's start, or the user's marker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BootEnd {
    /// The record that shows it.
    pub record: RecordId,
    /// Its position.
    #[serde(skip)]
    pub index: usize,
    /// How it was recognised.
    pub by: EndedBy,
    /// On the boot's axis.
    pub at: Interval,
    /// The record's stamp: the kernel's own clock since its zero.
    #[serde(rename = "kernel_ns")]
    pub kernel: Option<KernelTime>,
    /// From the kernel's first byte to the end of the record's line, by arrival.
    #[serde(rename = "arrival_ns")]
    pub arrival: Option<Dur>,
    /// True time from the reference below to the boot's end.
    pub elapsed: Interval,
    /// What `elapsed` is counted from.
    pub since: Since,
}

/// How the boot's end was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedBy {
    /// "Run ... as init process".
    InitRecord,
    /// "Freeing unused kernel memory", in kernels that say no more.
    FreeingUnused,
    /// Init's own first words on the console.
    InitBanner,
    /// The user's marker.
    Marker,
}

/// The instant from which the time to init counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Since {
    /// The kernel's first character on the line.
    KernelFirstByte,
    /// The kernel clock's zero: there are no arrival times.
    KernelStart,
    /// Power-on, as the capture notes it (a kernel that printed nothing before init).
    PowerOn,
}

/// The serial line under the boot.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The console on it.
    #[serde(flatten)]
    pub console: SerialConsole,
    /// Its speed, measured or declared.
    pub speed: Option<LineSpeed>,
    /// Characters that it had carried when the boot ended.
    pub bytes_before_end: u64,
    /// Characters of the whole log.
    pub bytes: u64,
    /// What the console cost the boot's critical path.
    pub cost: Interval,
    /// The flush at registration: characters and time.
    pub flush: Option<Flush>,
    /// The most characters that waited for the line.
    pub backlog_peak: u64,
    /// How long after the boot's end its own record arrived (asynchronous consoles).
    pub lag_at_end: Option<Dur>,
    /// When the whole log had arrived, on the axis.
    pub drained: Option<Dur>,
}

/// The flush of the ring buffer when the console registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Flush {
    /// The registration's record.
    pub record: RecordId,
    /// The record after it.
    pub next: Option<RecordId>,
    /// Characters stored before.
    pub bytes: u64,
    /// How long the boot waited for them.
    pub waited: Interval,
}

impl Boot {
    /// Puts one boot's records on a time axis.
    pub fn analyse(input: BootRecords, options: &Options) -> Boot {
        let BootRecords { records, mut problems, header, notes } = input;
        let kernel = Kernel::read(&records);
        let mut milestones = Milestones::find(&records);
        let end = find_end(&records, &mut milestones, options);
        let consoles = console::consoles(&records, &kernel);
        let serial = console::serial(&consoles, &kernel, options.console.as_ref());
        let line_open = consoles.iter().find(|c| is_serial(&c.name)).map(|c| c.enabled_index);
        let line_open = line_open.or(serial.as_ref().and_then(|s| s.enabled_index));
        let until = end.map_or(records.len(), |(i, _)| i);
        let on_wire = |r: &Record<'_>| goes_over_the_line(r, &kernel);
        let speed = line_speed(&records, header.as_ref(), serial.as_ref(), line_open, until);
        let setup =
            timeline::Setup { records: &records, console: serial.as_ref(), line_open, speed, on_wire: &on_wire };
        let timeline = timeline::align(&setup);
        let printing = serial.as_ref().map(|s| s.printing);
        let open = line_open.or(milestones.first_kernel);
        let waits = match (printing, open) {
            (Some(p), Some(open)) => wait::waits(&records, &timeline, open, until, p),
            _ => Vec::new(),
        };
        let line = serial.map(|s| describe_line(&records, &timeline, &waits, s, speed, line_open, end.map(|e| e.0)));
        let phases = phase::phases(&records, &timeline, &waits, &milestones, open);
        let spans = initcall::spans(&records, &timeline, &waits);
        let gaps = gap::gaps(&records, &timeline, &waits, until, LEAST_GAP);
        let end = end.and_then(|(i, by)| boot_end(&records, &timeline, line.as_ref(), &notes, &milestones, i, by));
        clock::check(&records, &timeline, &milestones, &mut problems);
        Boot {
            records,
            problems,
            header,
            kernel,
            milestones,
            consoles,
            line,
            timeline,
            waits,
            phases,
            spans,
            gaps,
            end,
        }
    }

    /// Characters stored against delivered, over time.
    pub fn backlog(&self) -> Vec<BacklogPoint> {
        backlog::backlog(&self.records, &self.timeline)
    }

    /// When the record with this id was stored, on the axis.
    pub fn stored(&self, id: RecordId) -> Option<Dur> {
        self.timeline.stored(self.records.index_of(id)?)
    }

    /// The best estimate of the waits for the console between two instants of the axis.
    pub fn console_wait(&self, from: Dur, to: Dur) -> Dur {
        wait::within(&self.waits, from, to)
    }

    /// The waits for the console between two instants of the axis, with their bounds.
    pub fn console_wait_bounds(&self, from: Dur, to: Dur) -> Interval {
        wait::bounds_within(&self.waits, from, to)
    }

    /// Position one past the last record of the boot proper: init's record, the marker's, or the log's end.
    pub fn end_index(&self) -> usize {
        self.end.as_ref().map_or(self.records.len(), |e| e.index + 1)
    }
}

/// Init programs announce themselves; where the console is quiet, that is the first sign of user space.
const INIT_BANNERS: [&str; 5] =
    ["bootline-init: ", "INIT: version", "systemd[1]: systemd ", "init started: BusyBox", "OpenRC "];

fn find_end(records: &RecordSet, m: &mut Milestones, options: &Options) -> Option<(usize, EndedBy)> {
    if let Some(marker) = &options.marker {
        let found = records.iter().position(|r| r.text.contains(marker.as_str()))?;
        return Some((found, EndedBy::Marker));
    }
    let banner = |r: Record<'_>| INIT_BANNERS.iter().any(|b| r.text.starts_with(b));
    match (m.init, m.freeing_unused) {
        (Some(i), _) => Some((i, EndedBy::InitRecord)),
        (None, Some(i)) => Some((i, EndedBy::FreeingUnused)),
        (None, None) => records.iter().position(banner).map(|i| (i, EndedBy::InitBanner)),
    }
}

/// Whether a record was printed. A record that arrived was. In a kernel's own log the level tells; where that is
/// missing, the texts of `initcall_debug` are known to be KERN_DEBUG, and behind `quiet` next to nothing is printed.
fn goes_over_the_line(r: &Record<'_>, kernel: &Kernel) -> bool {
    if r.arrival.is_some() {
        return true;
    }
    let limit = kernel.command_line.console_loglevel();
    match r.level {
        Some(level) => level.0 < limit,
        None => {
            let debug = ["calling  ", "initcall ", "probe of "].iter().any(|p| r.text.starts_with(p));
            limit >= 7 && (!debug || limit > 7)
        }
    }
}

fn line_speed(
    records: &RecordSet,
    header: Option<&Header>,
    serial: Option<&SerialConsole>,
    line_open: Option<usize>,
    until: usize,
) -> Option<LineSpeed> {
    let exactly = |rate, source| LineSpeed { rate, low: rate, high: rate, source, samples: 0 };
    if records.iter().any(|r| r.arrival.is_some()) {
        let measured = speed::from_arrival(records);
        let stated = header.and_then(|h| h.line_bytes_per_s).map(|r| exactly(r, SpeedSource::Header));
        if measured.is_some() || stated.is_some() {
            return measured.or(stated);
        }
    }
    let serial = serial?;
    // Stamps show the line's speed only where the writer waits for it.
    let fitted = || speed::from_stamps(records, line_open.map_or(0, |o| o + 1), until);
    let declared =
        || serial.declared_baud.map(|b| exactly(crate::units::LineRate::of(b, serial.frame), SpeedSource::Declared));
    serial.printing.writer_waits().then(fitted).flatten().or_else(declared)
}

fn describe_line(
    records: &RecordSet,
    timeline: &Timeline,
    waits: &[Wait],
    console: SerialConsole,
    speed: Option<LineSpeed>,
    line_open: Option<usize>,
    end: Option<usize>,
) -> Line {
    let first_kernel = records.iter().position(|r| r.source == Source::Kernel).unwrap_or(0);
    let printed = |i: usize| timeline.place(i).printed;
    let (mut bytes, mut bytes_before_end) = (0, 0);
    let end_stored = end.and_then(|e| timeline.stored(e));
    let mut drained = None;
    for (i, r) in records.iter().enumerate().skip(first_kernel) {
        let Some(p) = printed(i) else { continue };
        bytes += u64::from(r.wire_len);
        drained = drained.max(Some(p.end));
        if end.is_none_or(|e| i <= e)
            && end_stored.is_none_or(|t| p.end <= t || Some(i) == end && console.printing.writer_waits())
        {
            bytes_before_end += u64::from(r.wire_len);
        }
    }
    let total: Interval = waits.iter().fold(Interval::default(), |sum, w| sum + w.time);
    let cost = match speed.map(|s| (s.source, s)) {
        // A speed that nothing in the log confirms: the line may as well have cost nothing.
        Some((SpeedSource::Declared, _)) | None => Interval::new(Dur::ZERO, total.best(), total.high()),
        // What is modelled from a fitted speed is as uncertain as the fit: it may hold work that always follows a record.
        Some((SpeedSource::Stamps, s)) => {
            let share = |other: crate::units::LineRate| s.rate.bytes_per_s() / other.bytes_per_s();
            Interval::new(total.low().scale(share(s.high) * 0.9), total.best(), total.high().scale(share(s.low)))
        }
        Some(_) => total,
    };
    let flush = line_open.map(|open| {
        let waited = waits.iter().find(|w| w.cause == WaitCause::Flush).map_or(Interval::default(), |w| w.time);
        let before = records.iter().enumerate().take(open + 1).filter(|(_, r)| r.source == Source::Kernel);
        Flush {
            record: milestone::id_at(records, open),
            next: (open + 1..records.len())
                .find_map(|i| records.get(i).filter(|r| r.source == Source::Kernel))
                .map(|r| r.id),
            bytes: before.filter(|(i, _)| printed(*i).is_some()).map(|(_, r)| u64::from(r.wire_len)).sum(),
            waited,
        }
    });
    let points = backlog::backlog(records, timeline);
    Line {
        backlog_peak: points.iter().map(BacklogPoint::waiting).max().unwrap_or(0),
        lag_at_end: end.and_then(|e| Some((printed(e)?.end - timeline.stored(e)?).max_zero())),
        console,
        speed,
        bytes_before_end,
        bytes,
        cost,
        flush,
        drained,
    }
}

fn boot_end(
    records: &RecordSet,
    timeline: &Timeline,
    line: Option<&Line>,
    notes: &[Note],
    milestones: &Milestones,
    index: usize,
    by: EndedBy,
) -> Option<BootEnd> {
    let record = records.get(index)?;
    let place = timeline.place(index);
    let stored = place.stored?;
    let waits = line.is_none_or(|l| l.console.printing.writer_waits());
    // Where the writer waits, init starts once the record that announces it is through.
    let at = match place.printed {
        Some(p) if waits && record.source == Source::Kernel => p.end,
        _ => stored,
    };
    let at = Interval::around(at, place.error);
    let printed_before = milestones.first_kernel.is_some_and(|k| k < index);
    let power_on = notes.iter().find(|n| n.kind == NoteKind::PowerOn).map(|n| HostTime::from_nanos(n.at_ns));
    let (since, reference) = match (timeline.clock, timeline.first_byte) {
        (Clock::Arrival, Some(first)) if printed_before => (Since::KernelFirstByte, first),
        (Clock::Arrival, _) => (Since::PowerOn, timeline.on_axis(power_on.unwrap_or_default())),
        _ => (Since::KernelStart, Dur::ZERO),
    };
    let less = |d: Dur| d - reference;
    let arrival = match (record.arrival, timeline.first_byte) {
        (Some(a), Some(first)) if timeline.clock == Clock::Arrival => Some(timeline.on_axis(a.last) - first),
        _ => None,
    };
    Some(BootEnd {
        record: record.id,
        index,
        by,
        at,
        kernel: record.stamp,
        arrival,
        elapsed: Interval::new(less(at.low()), less(at.best()), less(at.high())),
        since,
    })
}
