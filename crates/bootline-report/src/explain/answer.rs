// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the boot took and what the console cost of it: what a reader wants to know first.
use super::super::boot_label::BootLabel;
use super::super::document::{Document, Entry, Text};
use super::super::style::Style;
use super::super::time_value::{ClockName, TimeValue, share};
use crate::counted::counted;
use bootline_boot::{
    Boot, BootEnd, Clock, ConsoleSwitch, EndedBy, LineSpeed, NoEnd, SerialLine, SpeedSource, TimeOrigin, WaitCause,
};
use bootline_capture::units::{Dur, Interval, LineRate};
use bootline_console::{Framework, Printing};
use bootline_records::{ProblemKind, RecordId};

pub(in super::super) fn answer(document: &mut Document, boot: &Boot, source: &BootLabel) {
    document.heading(title(boot, source));
    let mut entries = Vec::new();
    document.paragraph(in_a_sentence(boot));
    if let Some(end) = &boot.end {
        entries.extend(times(boot, end));
    }
    untrusted(document, boot);
    if let Some(line) = &boot.line {
        entries.extend(console(boot, line));
    }
    document.entries(entries);
}

/// Adds a warning if the figures can't be trusted.
pub(in super::super) fn untrusted(document: &mut Document, boot: &Boot) {
    if boot.problems.iter().any(|p| p.kind.spoils_the_answer()) {
        let warning = "Do not trust these figures before reading what is wrong with the log, below.";
        document.paragraph(Text::new().styled(warning, Style::Error));
    }
}

/// `boot.cap: Linux 6.18.15-rt, PREEMPT_RT, 2 CPUs`
pub(in super::super) fn title(boot: &Boot, source: &BootLabel) -> String {
    format!("{}: {}", source.title(), kernel_title(boot))
}

/// `Linux 6.18.15-rt, PREEMPT_RT, 2 CPUs`
pub(in super::super) fn kernel_title(boot: &Boot) -> String {
    let kernel = &boot.kernel;
    let mut parts = vec![match &kernel.release {
        Some(release) => format!("Linux {release}"),
        None => "a kernel whose banner is missing".to_owned(),
    }];
    if kernel.rt {
        parts.push("PREEMPT_RT".to_owned());
    }
    if let Some(n) = kernel.cpus {
        parts.push(counted(n.into(), "CPU"));
    }
    parts.join(", ")
}

/// How long the boot took and what the console cost of it, or why that is unknown.
pub(in super::super) fn in_a_sentence(boot: &Boot) -> Text {
    boot.end.as_ref().map_or_else(|| no_end(boot), |end| sentence(boot, end))
}

fn sentence(boot: &Boot, end: &BootEnd) -> Text {
    let what = match end.by {
        EndedBy::InitRecord => "Init started ",
        EndedBy::FreeingUnused => "The kernel's part of the boot ended ",
        EndedBy::InitBanner => "Init's first message appeared ",
        EndedBy::Marker => "The marker was reached ",
    };
    let elapsed = TimeValue::exact(end.elapsed.best()).short();
    let text = Text::new().words(what).styled(elapsed, Style::Strong).words(format!(" after {}", since(end.since)));
    let Some(line) = &boot.line else {
        return text.words("; the log shows no serial console.");
    };
    let cost = TimeValue::estimate(line.cost);
    if line.cost.high() <= Dur::ZERO {
        let asynchronous = boot.console_start.is_some_and(|o| o.is_offloaded(end.index));
        if line.speed.is_none() && !asynchronous {
            return text.words(format!("; what console {} cost is unknown.", line.console.name));
        }
        let name = &line.console.name;
        return text.words(match boot.console_switch.as_ref().filter(|_| asynchronous) {
            None => format!("; console {name} cost no time."),
            Some(s) if s.sleeps => {
                format!("; console {name} cost no time, because {} makes it asynchronous.", s.module.name())
            }
            // Its kthread takes CPU time.
            Some(s) => {
                format!("; no task waited for console {name}, because {} makes it asynchronous.", s.module.name())
            }
        });
    }
    let text = text.words(format!("; console {} cost ", line.console.name)).styled(cost.short(), Style::Cost);
    let of_it = |part| share(part, end.elapsed.best());
    let text = match of_it(line.cost.best()) {
        Some(share) => text.words(format!(" of it, {share}")),
        None => text.words(" of it"),
    };
    // Not if both bounds round to one percentage.
    let bounds = cost.bounds().filter(|_| of_it(line.cost.low()) != of_it(line.cost.high()));
    text.words(bounds.map_or_else(|| ".".to_owned(), |bounds| format!(" ({bounds}).")))
}

pub(in super::super) fn no_end(boot: &Boot) -> Text {
    let clock = ClockName::of_axis(boot.timeline.clock);
    let last = boot.records.iter().enumerate().rev().find_map(|(i, _)| timed(boot, i));
    let text = Text::new();
    if boot.problems.iter().any(|p| p.kind == ProblemKind::EndBeforeStart) {
        return text
            .styled("The boot ends before it starts, by the stamps", Style::Error)
            .words(": the clock was set back, and they show no time to init.");
    }
    let Some((last, last_at)) = last else {
        return text.styled("The log has no timestamps: bootline cannot show where the time went.", Style::Error);
    };
    let at_record = |text: Text, index: usize| match timed(boot, index) {
        Some((id, at)) => text.words(" at ").figure(TimeValue::exact(at).by(clock)).words(format!(", record {id}.")),
        None => text.words("."),
    };
    match boot.no_end() {
        Some(NoEnd::Untimed { end }) => {
            let record =
                boot.records.get(end).map_or_else(String::new, |r| format!("record {}, which shows it, ", r.id));
            text.styled("The boot's end has no time: ", Style::Error).words(format!("{record}has no stamp."))
        }
        Some(NoEnd::Panicked { panic, init }) => {
            let what = if init.is_some() { "The marker" } else { "Init" };
            at_record(text.styled(format!("{what} was not reached: the kernel panicked"), Style::Error), panic)
        }
        Some(NoEnd::NoMarker { init }) => {
            let text =
                text.styled("The marker was not reached: ", Style::Error).words("no record contains it; init started");
            at_record(text, init)
        }
        Some(NoEnd::Cut) | None => text
            .styled("The log ends before the boot does: ", Style::Error)
            .words(format!("it ends with record {last} at "))
            .figure(TimeValue::exact(last_at).by(clock))
            .words("."),
    }
}

/// A record and its time.
fn timed(boot: &Boot, index: usize) -> Option<(RecordId, Dur)> {
    Some((boot.records.get(index)?.id, boot.timeline.stored(index)?))
}

pub(in super::super) fn since(since: TimeOrigin) -> &'static str {
    match since {
        TimeOrigin::KernelFirstByte => "the kernel's first byte",
        TimeOrigin::KernelStart => "the kernel clock's zero",
        TimeOrigin::PowerOn => "power-on",
    }
}

/// What a boot's figures end with.
pub(super) fn end_name(end: &BootEnd) -> &'static str {
    if end.by == EndedBy::Marker { "the marker" } else { "init" }
}

/// Clocks agree where they differ by less than this.
const SAME: Dur = Dur::from_millis(10);

fn times(boot: &Boot, end: &BootEnd) -> Vec<Entry> {
    let label = if end.by == EndedBy::Marker { "time to marker" } else { "time to init" };
    let axis = ClockName::of_axis(boot.timeline.clock);
    let how = Text::new().styled_time(TimeValue::estimate(end.elapsed).by(axis), Style::Strong).words(format!(
        " from {} to record {}",
        since(end.since),
        end.record
    ));
    let mut entries = vec![Entry::new(label, how)];
    let differs = |d: Dur| (d - end.elapsed.best()).abs() > SAME;
    if let Some(k) = end.kernel.filter(|k| boot.timeline.clock == Clock::Arrival && differs(k.since_origin())) {
        let text = Text::new().figure(TimeValue::exact(k.since_origin()).by(Some(ClockName::Kernel)));
        let lost = boot.timeline.kernel_clock_lost;
        let why = if lost > SAME {
            format!(", which lost {} meanwhile", TimeValue::exact(lost).short())
        } else {
            " since that clock's zero".to_owned()
        };
        entries.push(Entry::new("", text.words(why)));
    }
    if let Some(a) = end.arrival.filter(|a| differs(*a)) {
        let text = Text::new().figure(TimeValue::exact(a).by(Some(ClockName::Arrival)));
        entries.push(Entry::new("", text.words(" until that record was transmitted")));
    }
    entries
}

fn console(boot: &Boot, line: &SerialLine) -> Vec<Entry> {
    let c = &line.console;
    if line.bytes == 0 && line.speed.is_none() {
        let name = Text::new().styled(&c.name, Style::Strong);
        let why = match c.declared_baud {
            Some(baud) => format!("its records follow one another faster than the declared {baud} baud allow"),
            None => "the log does not show its speed".to_owned(),
        };
        let hint = format!(": {why}; state its speed with --console {},BAUD", c.name);
        return vec![Entry::new("console", name.words(hint))];
    }
    if line.bytes == 0 {
        let nothing = Text::new().styled(&c.name, Style::Strong).words(": none of this log was transmitted over it");
        return vec![Entry::new("console", nothing)];
    }
    let mut cost = Text::new().styled_time(TimeValue::estimate(line.cost), Style::Cost);
    let of_end = |end: &BootEnd| Some((share(line.cost.best(), end.elapsed.best())?, end_name(end)));
    if let Some((share, end)) = boot.end.as_ref().and_then(of_end) {
        cost = cost.words(format!(", {share} of the time to {end}"));
    }
    if line.speed.is_some_and(|s| s.source == SpeedSource::Declared) {
        cost = cost.words("; nothing in the log confirms the declared speed");
    }
    let framework = match c.framework {
        Framework::Legacy => "legacy",
        Framework::Nbcon => "nbcon",
    };
    let shares = boot.waits.iter().any(|w| w.cause == WaitCause::Processor);
    let alone = if shares { ", but that kthread takes the boot's only CPU" } else { "" };
    let name =
        Text::new().styled(&c.name, Style::Strong).words(format!(" ({framework}): {}{alone}", printing(c.printing)));
    let mut entries = vec![Entry::new("console cost", cost), Entry::new("console", name)];
    entries.extend(boot.console_switch.as_ref().map(console_switch_entry));
    if let Some(speed) = &line.speed {
        entries.push(Entry::new("line", speed_text(line, speed)));
    } else {
        entries.push(Entry::new("line", "its speed is unknown: state it, `--console ttyS0,115200n8`"));
    }
    let mut transmitted = match &boot.end {
        Some(end) => {
            format!("{} bytes before {}, {} in the whole log", line.bytes_before_end, end_name(end), line.bytes)
        }
        None => format!("{} bytes", line.bytes),
    };
    if let Some(flush) = line.flush.filter(|f| f.bytes > 0) {
        transmitted +=
            &format!("; {} of them stored before the console registered (record {})", flush.bytes, flush.record);
    }
    entries.push(Entry::new("transmitted", transmitted));
    entries.extend(backlog(boot, line));
    entries
}

/// The console after the switch.
fn console_switch_entry(t: &ConsoleSwitch) -> Entry {
    let mut text = match t.ended {
        None => format!("the console is already asynchronous ({}): from record {} on", t.module.name(), t.from),
        Some(ended) => {
            format!("the console was asynchronous ({}) from record {} to record {ended}:", t.module.name(), t.from)
        }
    };
    text += match t.sleeps {
        true => " a kthread prints and sleeps while the line is busy, and no task waits",
        false => {
            " a kthread prints, and no task waits; it takes a CPU while the line is busy, but lets the boot go first (nice 19)"
        }
    };
    if t.replayed {
        text += "; the earlier log was replayed after that, so its arrival times do not show when it was stored";
    }
    match t.repeated {
        0 => {}
        1 => text += "; one record was transmitted twice",
        n => text += &format!("; {n} records were transmitted twice"),
    }
    let mut text = Text::from(text);
    if let Some(lag) = t.backlog_age {
        text =
            text.words("; a record was transmitted up to ").figure(TimeValue::exact(lag)).words(" after it was stored");
    }
    Entry::new("", text)
}

fn backlog(boot: &Boot, line: &SerialLine) -> Option<Entry> {
    let waited = boot.console_start.zip(boot.end.as_ref()).is_none_or(|(o, e)| o.writer_waits(e.index));
    let lag = line.lag_at_end.filter(|lag| *lag > SAME && !waited);
    let peak = boot.backlog_peak();
    if peak < 1_000 && lag.is_none() {
        return None;
    }
    let mut text = Text::from(format!("at most {peak} bytes waited for the line"));
    if let Some(speed) = &line.speed {
        let time = speed.rate.time_for(peak).as_dur();
        text = text.words(format!(", {} of transmit time", TimeValue::estimate(Interval::around(time, SAME)).short()));
    }
    if let Some(lag) = lag {
        text = text
            .words("; the boot's last record was transmitted ")
            .figure(TimeValue::exact(lag))
            .words(" after it was stored");
    }
    Some(Entry::new("backlog", text))
}

fn speed_text(line: &SerialLine, speed: &LineSpeed) -> String {
    let how = match speed.source {
        SpeedSource::Arrival => "measured by arrival times",
        SpeedSource::Stamps => "fitted to the kernel's stamps",
        SpeedSource::Header => "as the capture states",
        SpeedSource::Declared => "as declared",
    };
    let mut text = format!("{:.1} B/s {how}", speed.rate.bytes_per_s());
    let bounds = [speed.low, speed.high].map(|rate| format!("{:.1}", rate.bytes_per_s()));
    if bounds[0] != bounds[1] {
        text += &format!(" ({}..{})", bounds[0], bounds[1]);
    }
    let Some(baud) = line.console.declared_baud else { return text };
    let frame = line.console.frame;
    if speed.source == SpeedSource::Declared {
        return format!("{text}: {baud} baud {frame}");
    }
    let declared = LineRate::of(baud, frame).bytes_per_s();
    text += &format!("; declared: {baud} baud {frame}, {declared:.1} B/s");
    if speed.rate.bytes_per_s() > declared * 1.2 {
        text += ", which the port ignores (QEMU's UARTs always do)";
    }
    text
}

fn printing(printing: Printing) -> &'static str {
    match printing {
        Printing::Synchronous => "the caller of printk waits until its bytes are transmitted",
        Printing::ThreadWholeFlush => {
            "a kthread prints and holds the console lock until the backlog is transmitted; tasks that need the lock wait for all of it"
        }
        Printing::ThreadPerRecord => {
            "once its kthread runs, it prints one record per console lock, and almost no task waits"
        }
        Printing::Nbcon => "once its own kthread runs, no task waits for the console",
        Printing::RtPatch => "an out-of-tree PREEMPT_RT kernel: a kthread prints",
        Printing::Unknown => "the log does not show how it prints; bootline assumes that each caller of printk waits",
    }
}
