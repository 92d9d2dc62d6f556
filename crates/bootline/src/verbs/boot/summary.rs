// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of a run: the truth compared with what `bootline explain` reads from the capture.
use std::path::Path;

use bootline_boot::{Boot, BootOptions};
use bootline_capture::units::{Dur, HostTime};
use bootline_input::{Failure, only_boot};
use bootline_lab::boot::{BootOutcome, RunVerdict, Truth};
use bootline_lab::fidelity::FidelityFlaw;
use bootline_lab::registers::RegisterCount;
use bootline_report::{
    Align, BootRun, BootRunsJson, Document, Entry, ExplainedRun, JsonEmitter, Style, Table, Text, TimeValue, text,
};
use bootline_terminal::Terminal;

use crate::output_file;

/// Shows one run as text.
pub fn show(outcome: &BootOutcome, terminal: &Terminal) -> Result<(), Failure> {
    let document = document(outcome, explained(outcome)?.as_ref());
    print(&document, terminal)
}

/// Shows all runs: in JSON each of them, as text their median and range.
pub fn show_all(outcomes: &[BootOutcome], as_json: bool, terminal: &Terminal) -> Result<(), Failure> {
    if as_json {
        let runs = outcomes.iter().map(to_json).collect::<Result<Vec<_>, _>>()?;
        return output_file::print(&JsonEmitter(BootRunsJson { schema: "bootline-boot/1", runs })).map(drop);
    }
    let mut times: Vec<Dur> = believed(outcomes).filter_map(|t| t.time_to_init_ns.or(t.init_guest_ns)).collect();
    times.sort();
    let (Some(&low), Some(&high)) = (times.first(), times.last()) else { return Ok(()) };
    if outcomes.len() < 2 {
        return Ok(());
    }
    let median = (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2;
    let mut document = Document::default();
    document.paragraph(format!(
        "{} runs, {} of them valid: median time to init {median} s, {low}..{high} s",
        outcomes.len(),
        times.len()
    ));
    print(&document, terminal)
}

fn believed(outcomes: &[BootOutcome]) -> impl Iterator<Item = &Truth> {
    outcomes.iter().map(|o| &o.truth).filter(|t| t.verdict == RunVerdict::Valid)
}

fn print(document: &Document, terminal: &Terminal) -> Result<(), Failure> {
    output_file::print(&(text(document, &terminal.text_options()) + "\n")).map(drop)
}

/// The boot as `explain` reads it from the capture alone, without the truth.
fn explained(outcome: &BootOutcome) -> Result<Option<Boot>, Failure> {
    outcome.capture.as_ref().map_or(Ok(None), |capture| only_boot(capture, &BootOptions::default()))
}

fn document(outcome: &BootOutcome, explained: Option<&Boot>) -> Document {
    let truth = &outcome.truth;
    let mut document = Document::default();
    let (verdict, style) = verdict(&truth.verdict);
    let guest = &truth.guest;
    let processors = if guest.smp == 1 { "1 CPU".to_owned() } else { format!("{} CPUs", guest.smp) };
    let line = truth.line.map_or("no console".to_owned(), |l| format!("{} baud {}", l.baud, l.frame));
    let what = format!("{}: {}, {processors}, {line}: ", outcome.dir.display(), guest.arch.qemu_name());
    document.heading(Text::new().words(what).styled(verdict, style));
    document.table(table(truth, explained));
    if truth.registers.is_some() {
        document.paragraph("Registers were traced, which slows the guest: do not compare its times.");
    }
    let mut entries: Vec<Entry> = truth.fidelity.flaws.iter().map(|f| Entry::new("flaw", flaw(f))).collect();
    for module in &truth.modules {
        let came = module.error.clone().unwrap_or_else(|| format!("loaded in {} s", module.guest_ns));
        entries.push(Entry::new("module", format!("{}: {came}", module.name)));
    }
    for dir in &outcome.discarded {
        entries.push(Entry::new("set aside", format!("{} (invalid)", dir.display())));
    }
    if let Some(capture) = &outcome.capture {
        // A quiet console does not show the boot; the kernel's own log does.
        let kernel_log = outcome.dir.join("dmesg.kmsg");
        let shows_it = explained.is_some_and(|b| b.end.is_some());
        let best = if shows_it || !kernel_log.exists() { capture } else { &kernel_log };
        let command = format!("bootline explain {}", best.display());
        entries.push(Entry::new("next", Text::new().styled(command, Style::Setting)));
    }
    document.entries(entries);
    document
}

fn table(truth: &Truth, boot: Option<&Boot>) -> Table {
    let mut table = Table::new([
        ("", Align::Left, 0),
        ("truth", Align::Right, 0),
        ("explain", Align::Right, 0),
        ("difference", Align::Right, 1),
    ]);
    let end = boot.and_then(|b| b.end.as_ref());
    // The cost in a boot that did not reach its end is meaningless.
    let line = boot.filter(|b| b.end.is_some()).and_then(|b| b.line.as_ref());
    let mut row = |name: &str, truth: Option<String>, explain: Option<String>, difference: Option<String>| {
        if truth.is_some() || explain.is_some() {
            let cells = vec![name.to_owned(), truth.unwrap_or_default(), explain.unwrap_or_default()];
            table.row(cells.into_iter().chain([difference.unwrap_or_default()]).collect(), Style::Plain);
        }
    };
    let seconds = |d: Dur| format!("{d} s");
    let elapsed = end.map(|e| e.elapsed.best());
    // With a boot loader the truth counts from its first byte, and `explain` from the kernel's.
    let same_start = truth.guest.loader.is_none();
    let apart = |a: f64, b: f64| (a > 0.0 && same_start).then(|| format!("{:+.2} %", (b / a - 1.0) * 100.0));
    let both = |t: Option<Dur>, e: Option<Dur>| t.zip(e).and_then(|(t, e)| apart(t.as_secs_f64(), e.as_secs_f64()));
    row(
        "time to init, host clock",
        truth.time_to_init_ns.map(seconds),
        elapsed.map(seconds),
        both(truth.time_to_init_ns, elapsed),
    );
    let silent = truth.line.is_some() && truth.time_to_init_ns.is_none();
    row("QEMU's start to init", truth.since_start().filter(|_| silent).map(seconds), None, None);
    row("time to init, guest clock", truth.init_guest_ns.map(seconds), None, None);
    row("line busy before init", truth.console_busy_before_init_ns.map(seconds), None, None);
    row("console cost", None, line.map(|l| TimeValue::estimate(l.cost).short()), None);
    let bytes = line.map(|l| l.bytes_before_end);
    row(
        "bytes before init",
        truth.bytes_before_init.map(|n| n.to_string()),
        bytes.map(|n| n.to_string()),
        truth.bytes_before_init.zip(bytes).and_then(|(t, e)| apart(t as f64, e as f64)),
    );
    if let Some(system) = &truth.system {
        let since = |at: Option<HostTime>| at.map(|at| seconds(at - truth.qemu_started_ns));
        row("power-on to hand-off", since(system.handoff_ns), None, None);
        row("  to the awaited line", since(truth.marker_ns), None, None);
        row("  to multi-user", since(system.multi_user_ns), None, None);
        row("  to the application", since(system.application_ns), None, None);
        row("  to its picture, as seen", since(system.picture_seen_ns), None, None);
        row("  to its socket's answer", since(system.socket_answered_ns), None, None);
        row("storage", system.storage_rate_ratio.map(|r| format!("{:.1} % of its speed", r * 100.0)), None, None);
    }
    if let Some(lines) = truth.lines {
        row(&format!("{} lines printed in", lines.count), Some(seconds(lines.guest_ns)), None, None);
    }
    if let Some(registers) = &truth.registers {
        let reads = |count: &RegisterCount| count.reads_per_byte().map(|n| format!("{n:.2}"));
        row("register reads per byte", reads(&registers.before_init), None, None);
        row("  while lines were printed", registers.lines.as_ref().and_then(reads), None, None);
    }
    table
}

fn verdict(verdict: &RunVerdict) -> (String, Style) {
    let style = match verdict {
        RunVerdict::Valid => Style::Setting,
        RunVerdict::Unchecked => Style::Warning,
        RunVerdict::Invalid
        | RunVerdict::Panicked { .. }
        | RunVerdict::ModuleFailed { .. }
        | RunVerdict::NoSystem { .. }
        | RunVerdict::TimedOut { .. }
        | RunVerdict::Stopped
        | RunVerdict::Interrupted => Style::Error,
    };
    (verdict.to_string(), style)
}

fn flaw(flaw: &FidelityFlaw) -> String {
    match flaw {
        FidelityFlaw::Lost { lines, first } => {
            format!("{lines} records of the kernel's log were not transmitted: `{first}`")
        }
        FidelityFlaw::Duplicated { lines, first } => format!("{lines} records were transmitted twice: `{first}`"),
        FidelityFlaw::PrintedAgain { lines } => format!(
            "the console registered a second time, and the kernel printed its log again: {lines} records were transmitted twice \
             (`driver_async_probe=*,serial` leaves the port alone)"
        ),
        FidelityFlaw::OutOfOrder { lines, first } => {
            format!("{lines} records were transmitted out of order: `{first}`")
        }
        FidelityFlaw::WrongRate { ratio } => format!("the line ran at {:.1} % of its speed", ratio * 100.0),
        FidelityFlaw::LateReader { max_ns } => format!("the host was busy: the line's reader woke {max_ns} s late"),
        FidelityFlaw::StampsAtZero => "the guest's clock stood at 0: its calibration failed".to_owned(),
        FidelityFlaw::EmulatorBreakpoint => {
            "QEMU ran a breakpoint that the guest had already removed: a bug of the emulator".to_owned()
        }
        FidelityFlaw::WrongStorageRate { ratio } => format!("the storage ran at {:.1} % of its speed", ratio * 100.0),
        FidelityFlaw::UncheckedStorage => "the guest could not measure the speed of its storage".to_owned(),
        FidelityFlaw::LateStorage { late_ns } => {
            format!("the host was busy: the storage answered {late_ns} s late in total")
        }
        FidelityFlaw::MemoryNotAdded { total_kib: Some(total) } => format!(
            "not all memory was added: after the boot the kernel had {} MiB (CONFIG_VIRTIO_MEM; a module is loaded by udev or `--module virtio_mem`; \
             memory that stays offline does not count: `--append memhp_default_state=online_movable`)",
            total >> 10
        ),
        FidelityFlaw::MemoryNotAdded { total_kib: None } => {
            "the guest did not report whether memory was added".to_owned()
        }
        FidelityFlaw::TooMuchOutput => "more was transmitted than the lab can compare".to_owned(),
    }
}

fn to_json(outcome: &BootOutcome) -> Result<BootRun<&Truth>, Failure> {
    let name = |path: &Path| path.to_string_lossy().into_owned();
    Ok(BootRun {
        dir: name(&outcome.dir),
        capture: outcome.capture.as_deref().map(name),
        discarded: outcome.discarded.iter().map(|d| name(d)).collect(),
        truth: &outcome.truth,
        explained: ExplainedRun::of(explained(outcome)?.as_ref()),
    })
}
