// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report on an experiment's runs.
use std::path::Path;

use bootline_capture::units::Dur;
use bootline_lab::boot::RunVerdict;
use bootline_lab::experiment::{ArmResult, ClaimResult, Metric, MetricValue, Outcome};
use bootline_report::{Align, Document, Entry, Style, Table, Text};
use bootline_stats::{Estimate, Verdict, VerdictKind};

/// Width of report.txt: enough for all columns of the table.
pub const WIDTH: usize = 140;

/// The report: a table for each metric, notes on single arms, the claims.
pub fn page(outcome: &Outcome, dir: &Path) -> Document {
    let mut page = Document::default();
    let complete = if outcome.complete { "" } else { ", not complete" };
    let heading = Text::new().styled(&outcome.experiment, Style::Strong).words(format!(": {}", counts(outcome)));
    page.heading(heading.words(complete));
    page.paragraph(outcome.about.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut metrics: Vec<Metric> = Vec::new();
    for arm in &outcome.arms {
        if !metrics.contains(&arm.metric) {
            metrics.push(arm.metric);
        }
    }
    for metric in metrics {
        page.paragraph(Text::new().styled(described(metric), Style::Faint));
        let arms: Vec<&ArmResult> = outcome.arms.iter().filter(|a| a.metric == metric).collect();
        page.table(table(&arms, metric));
    }
    page.entries(outcome.arms.iter().flat_map(notes).collect());
    page.entries(outcome.claims.iter().flat_map(claim).collect());
    let mut entries = Vec::new();
    if let Some(host) = &outcome.host {
        let cpu = host.cpu.as_deref().unwrap_or("an unknown CPU");
        let versions = outcome.qemu_versions.join("; ");
        // The reader of the figures should know whether the host was idle.
        let load = host.load1.map_or_else(String::new, |load| format!("; load {load} before the first run"));
        let speed = outcome.host_loop_ns.map(|loops| loops.map(|time| time.as_secs_f64() * 1000.0));
        let speed = speed.filter(|[shortest, _]| *shortest > 0.0).map(|[shortest, longest]| {
            let more = (longest / shortest - 1.0) * 100.0;
            format!("; a fixed loop took {shortest:.1} to {longest:.1} ms (+{more:.0} %)")
        });
        let speed = speed.unwrap_or_default();
        entries.push(Entry::new("host", format!("{} CPUs, {cpu}; {versions}{load}{speed}", host.cores)));
    }
    let order = format!("{}; the order was drawn from the seed {}", dir.display(), outcome.random_seed);
    entries.push(Entry::new("runs", order));
    page.entries(entries);
    page
}

fn counts(outcome: &Outcome) -> String {
    let runs = || outcome.arms.iter().flat_map(|a| &a.runs);
    let valid = runs().filter(|r| r.value.is_some()).count();
    let invalid: u32 = outcome.arms.iter().map(|a| a.invalid).sum();
    let mut text = format!("{} arms, {valid} valid runs", outcome.arms.len());
    if invalid > 0 {
        text += &format!(", {invalid} invalid");
    }
    let verdicts = [VerdictKind::Held, VerdictKind::Refuted, VerdictKind::Inconclusive].map(|v| (v, outcome.count(v)));
    for (verdict, n) in verdicts.into_iter().filter(|(_, n)| *n > 0) {
        text += &format!(", {n} {verdict}");
    }
    text
}

fn described(metric: Metric) -> &'static str {
    match metric {
        Metric::TimeToInit => "time-to-init: from the line's first byte to init, host clock",
        Metric::SinceStart => "since-start: from QEMU's start to init, host clock",
        Metric::ModulesLoaded => "modules-loaded: from QEMU's start until init has loaded its modules, host clock",
        Metric::UserSpace => "user-space: from QEMU's start until init has sent the kernel's log, host clock",
        Metric::LogComplete => "log-complete: from the line's first byte to its last, host clock",
        Metric::LogSinceStart => "log-since-start: from QEMU's start to the line's last byte, host clock",
        Metric::LogAfterPicture => {
            "log-after-picture: from the application's picture, as the host sees it, to the line's last byte, host clock"
        }
        Metric::LogLag => "log-lag: from init to the line's last byte, host clock",
        Metric::GuestTime => "guest-time: to init, guest clock; with icount, the CPU's cost",
        Metric::RegisterReadsPerByte => "register-reads-per-byte: reads of the port's registers per byte",
        Metric::PrintkLines => "printk-lines: how long init waited for the lines that it printed, guest clock",
        Metric::PrintkBench => "printk-bench: the lines of kernel/printk_bench, guest clock",
        Metric::UartBench => "uart-bench: the console's write function, per byte, guest clock",
        Metric::IrqsOff => "irqs-off: the longest delay of a timer interrupt, guest clock",
        Metric::PreemptOff => "preempt-off: the longest delay of the most urgent task, guest clock",
        Metric::Stalls => "stalls: reports of soft lockups and RCU stalls in the kernel's own log",
        Metric::Handoff => "handoff: from QEMU's start until the system's init is executed, host clock",
        Metric::ApplicationStart => {
            "application-start: from QEMU's start until the application was executed, host clock"
        }
        Metric::Application => "application: from QEMU's start until the application says that it is ready, host clock",
        Metric::ApplicationAfterHandoff => {
            "application-after-handoff: from the execution of init until the application says that it is ready, host clock"
        }
        Metric::PictureSeen => {
            "picture-seen: from QEMU's start until the host sees the application's picture, host clock"
        }
        Metric::SocketAnswered => {
            "socket-answered: from QEMU's start until the application answers the host, host clock"
        }
        Metric::Marker => "marker: from QEMU's start until the awaited line of the console has arrived, host clock",
        Metric::MultiUser => {
            "multi-user: from QEMU's start to multi-user.target, or the last script of the run level, host clock"
        }
        Metric::ProcessorToHandoff => {
            "processor-to-handoff: processor time of QEMU until the system's init is executed"
        }
        Metric::ProcessorToApplication => {
            "processor-to-application: processor time of QEMU until the application says that it is ready"
        }
        Metric::ProcessorToMultiUser => {
            "processor-to-multi-user: processor time of QEMU until multi-user.target, or the last script of the run level"
        }
        Metric::LineUse => "line-use: speed of the log up to the console's own record, as a share of the line's speed",
        Metric::FlushGap => "flush-gap: the wait for what was stored before the console registered, by the capture",
    }
}

fn table(arms: &[&ArmResult], metric: Metric) -> Table {
    let unit = if metric.is_time() { " [s]" } else { "" };
    let title = |name: &str| format!("{name}{unit}");
    let (median, predicted) = (title("median"), title("predicted"));
    let mut table = Table::new([
        ("arm", Align::Left, 0),
        ("n", Align::Right, 0),
        (median.as_str(), Align::Right, 0),
        ("interval", Align::Right, 1),
        ("of base", Align::Right, 3),
        (predicted.as_str(), Align::Right, 2),
        ("error", Align::Right, 2),
        ("verdict", Align::Left, 0),
        ("published [s]", Align::Right, 4),
        ("invalid", Align::Right, 5),
    ]);
    for arm in arms {
        let measured = arm.measured.as_ref();
        let interval = measured.map(|m| format!("{}..{}", short(m.low), short(m.high)));
        let predicted = arm.predicted.as_ref();
        let foretold = predicted.map(|p| format!("{} ({}..{})", short(p.best), short(p.low), short(p.high)));
        let error = predicted.and_then(|p| p.error).map(|e| format!("{:+.1} %", e * 100.0));
        let published = arm.published.as_ref().map(|p| format!("{}", p.value_s));
        let cells = vec![
            arm.name.clone(),
            measured.map_or(0, |m| m.n).to_string(),
            measured.map(|m| short(m.median)).unwrap_or_default(),
            interval.unwrap_or_default(),
            arm.ratio.as_ref().map(ratio).unwrap_or_default(),
            foretold.unwrap_or_default(),
            error.unwrap_or_default(),
            arm.verdict.as_ref().map(|v| v.outcome.to_string()).unwrap_or_default(),
            published.unwrap_or_default(),
            if arm.invalid > 0 { arm.invalid.to_string() } else { String::new() },
        ];
        table.row(cells, arm.verdict.as_ref().map_or(Style::Plain, style));
    }
    table
}

fn style(verdict: &Verdict) -> Style {
    match verdict.outcome {
        VerdictKind::Held => Style::Plain,
        VerdictKind::Refuted => Style::Error,
        VerdictKind::Inconclusive => Style::Faint,
    }
}

/// Notes on an arm that do not fit into the table.
fn notes(arm: &ArmResult) -> Vec<Entry> {
    let mut notes = Vec::new();
    if let Some(series) = &arm.substitute_for {
        notes.push(format!("the suites no longer have {}: {series} is used instead", arm.kernel));
    }
    if let Some(g) = &arm.groups {
        notes.push(format!(
            "two groups: {} runs up to {}, {} from {} on; the median represents neither",
            g.lower,
            short(g.below),
            g.upper,
            short(g.above)
        ));
    }
    if let Some(m) = arm.measured.as_ref().filter(|m| m.confidence < 0.949) {
        notes.push(format!(
            "with {} runs the interval contains the median in {:.0} % of cases",
            m.n,
            m.confidence * 100.0
        ));
    }
    for run in &arm.runs {
        if let Some(why) = without_value(&run.verdict, run.value, arm.metric) {
            notes.push(format!("{}: {why}", run.dir));
        }
    }
    if let Some(why) = &arm.not_predicted {
        notes.push(format!("no prediction: {why}"));
    }
    if let Some(verdict) = arm.verdict.as_ref().filter(|v| v.outcome != VerdictKind::Held) {
        notes.push(format!("prediction {}: {}", verdict.outcome, verdict.reason));
    }
    if let Some(published) = &arm.published {
        notes.push(format!("published: {} s, {}", published.value_s, published.what));
    }
    if let Some(published) = &arm.published_saving {
        let measured = arm.saving.map(|s| {
            let short = |s: f64| short(MetricValue::Time(Dur::from_secs_f64(s)));
            format!("; measured {} s ({}..{})", short(s.best), short(s.low), short(s.high))
        });
        let measured = measured.unwrap_or_default();
        notes.push(format!(
            "saving over {}: published {} s, {}{measured}",
            published.of, published.saves_s, published.what
        ));
    }
    let label = |i| if i == 0 { arm.name.as_str() } else { "" };
    notes.iter().enumerate().map(|(i, note)| Entry::new(label(i), note.as_str())).collect()
}

fn without_value(verdict: &RunVerdict, value: Option<MetricValue>, metric: Metric) -> Option<String> {
    if value.is_some() {
        return None;
    }
    Some(match verdict {
        RunVerdict::Valid | RunVerdict::Unchecked if metric.is_of_system() => {
            format!("valid, but has no {metric}: the host saw nothing of it")
        }
        RunVerdict::Valid | RunVerdict::Unchecked => format!("valid, but has no {metric} (a silent line has none)"),
        RunVerdict::Invalid => "invalid after all attempts".to_owned(),
        RunVerdict::Panicked { .. }
        | RunVerdict::ModuleFailed { .. }
        | RunVerdict::NoSystem { .. }
        | RunVerdict::TimedOut { .. }
        | RunVerdict::Stopped
        | RunVerdict::Interrupted => verdict.to_string(),
    })
}

fn claim(claim: &ClaimResult) -> Vec<Entry> {
    let style = match claim.verdict.outcome {
        VerdictKind::Held => Style::Setting,
        VerdictKind::Refuted => Style::Error,
        VerdictKind::Inconclusive => Style::Warning,
    };
    let unit = if claim.of.is_none() && claim.metric.is_time() { " s" } else { "" };
    let measured = match (&claim.ratio, claim.difference.or(claim.figure)) {
        (Some(found), _) => format!("measured {}", ratio(found)),
        (None, Some(found)) => {
            format!("measured {}{unit} ({}..{})", figure(found.best), figure(found.low), figure(found.high))
        }
        (None, None) => "not measured".to_owned(),
    };
    let limits = match (claim.at_least, claim.at_most) {
        (Some(least), Some(most)) => format!("claimed {least} to {most}{unit}"),
        (Some(least), None) => format!("claimed at least {least}{unit}"),
        (None, Some(most)) => format!("claimed at most {most}{unit}"),
        (None, None) => String::new(),
    };
    let text = Text::new().styled(claim.verdict.outcome.to_string(), style);
    let arms = match (&claim.of, &claim.than) {
        (Some(of), _) => format!("{} of {of}", claim.arm),
        (None, Some(than)) => format!("{} more than {than}", claim.arm),
        (None, None) => claim.arm.clone(),
    };
    let medians = claim.medians.map(|[this, other]| {
        let unit = if claim.metric.is_time() { " s" } else { "" };
        format!(", {} and {}{unit}", figure(this), figure(other))
    });
    let medians = medians.unwrap_or_default();
    let detail = format!(": {limits}, {measured} ({arms}, {}{medians}); {}", claim.metric, claim.verdict.reason);
    vec![Entry::new("claim", claim.text.as_str()), Entry::new("", text.words(detail))]
}

/// A value in seconds or a plain number; microseconds matter.
fn figure(value: f64) -> String {
    if value.abs() < 0.1 { format!("{value:.6}") } else { format!("{value:.4}") }
}

fn ratio(ratio: &Estimate) -> String {
    let digits = |value: f64| if value.abs() < 0.1 { format!("{value:.4}") } else { format!("{value:.3}") };
    format!("{} ({}..{})", digits(ratio.best), digits(ratio.low), digits(ratio.high))
}

/// Three decimals are enough in a table; result.json has all.
fn short(quantity: MetricValue) -> String {
    match quantity {
        // printk's caller may wait only microseconds.
        MetricValue::Time(time) if time.abs() < Dur::from_millis(100) => time.to_string(),
        MetricValue::Time(time) => format!("{:.3}", time.as_secs_f64()),
        MetricValue::Number(number) => format!("{number:.3}"),
    }
}
