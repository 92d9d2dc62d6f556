// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline check`: the outcome of each limit of a budget, as a document, as errors, as tests for a CI server.
use crate::counted::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::compare::{bounds, excluded, signed_value, value};
use super::document::{Document, Entry, Text};
use super::junit::{TestCase, TestOutcome, TestSuite};
use super::style::Style;
use super::table::{Align, Table};
use crate::shell::TOOL;
use crate::wire::{self, ExcludedRun, Limit, limit};
use bootline_analysis::compare::{CheckedLimit, Excluded, GateOutcome, LimitKind, RunSet, Unit, setup_caveats};
use bootline_boot::WholeOrigin;
use bootline_capture::units::Dur;

/// The budget, and what was checked against it.
#[derive(Clone, Copy, Debug)]
pub struct GateSource<'s> {
    /// The budget's file.
    pub budget: &'s str,
    /// The runs.
    pub runs: &'s RunSet,
    /// The baseline, if there is one.
    pub baseline: Option<&'s RunSet>,
}

/// The message for a limit that does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateMessage {
    /// ``gate `time-to-init` failed: +0.170 s (limit +0.050 s)``
    pub what: String,
    /// The evidence, one item per line.
    pub evidence: Vec<String>,
}

/// The outcome of each limit, as a document.
pub fn check(checked: &[CheckedLimit], source: GateSource<'_>) -> Document {
    let mut document = Document::default();
    let count = |o: GateOutcome| checked.iter().filter(|c| c.outcome == o).count();
    let (broken, open) = (count(GateOutcome::Fail), count(GateOutcome::Inconclusive));
    document.heading(format!("{}: {}", source.budget, sum(broken, open, checked.len())));
    let beside = source.baseline.map(|b| format!(", compared with {} of {}", b.n(), b.name)).unwrap_or_default();
    let runs = source.runs;
    document.paragraph(format!("{} of {}{beside}", counted(runs.n() as u64, "run"), runs.name));
    if let Some((since, until)) = whole_boot(checked, runs) {
        let until = until.map(|until| format!(" to {until}")).unwrap_or_default();
        document.paragraph(format!("The whole boot counts from {}{until}.", since.title()));
    }
    let mut table = Table::new([
        ("gate", Align::Left, 0),
        ("figure", Align::Right, 0),
        ("limit", Align::Right, 0),
        ("interval", Align::Right, 3),
        ("detectable", Align::Right, 4),
        ("", Align::Left, 0),
        ("largest part", Align::Left, 5),
    ]);
    for c in checked {
        let (word, style) = match c.outcome {
            GateOutcome::Pass => ("pass", Style::Plain),
            GateOutcome::Fail => ("fail", Style::Error),
            GateOutcome::Inconclusive => ("inconclusive", Style::Warning),
        };
        let largest = c.largest.as_ref().filter(|_| c.outcome != GateOutcome::Pass);
        table.row(
            vec![
                c.of.to_string(),
                c.figure.map_or_else(String::new, |e| figure(c, e.best)),
                c.limit.map_or_else(String::new, |l| figure(c, l)),
                c.figure.filter(|e| e.confidence > 0.0).map_or_else(String::new, |e| between(c, e)),
                c.minimum_detectable_effect.map_or_else(String::new, |l| value(l, c.unit)),
                word.to_owned(),
                largest.map_or_else(String::new, |l| format!("{} {}", l.part, adds(c, l.adds))),
            ],
            style,
        );
    }
    document.table(table);
    let notes = setup_caveats(source.baseline, runs).into_iter();
    document.entries(notes.map(|c| Entry::new("note", Text::new().styled(c.to_string(), Style::Warning))).collect());
    let why = checked.iter().filter_map(|c| Some(Entry::new(&c.of.to_string(), c.reason.as_ref()?.to_string())));
    let of_baseline = source.baseline.iter().flat_map(|b| &b.excluded);
    document.entries(why.chain(runs.excluded.iter().chain(of_baseline).map(excluded)).collect());
    document
}

/// What the whole boot counts from and to, in most runs, if a limit is about it.
fn whole_boot<'r>(checked: &[CheckedLimit], runs: &'r RunSet) -> Option<(WholeOrigin, Option<&'r str>)> {
    let (setup, _) = runs.setups().into_iter().next().filter(|_| checked.iter().any(|c| c.of.is_of_whole_boot()))?;
    Some((setup.stages_since?, setup.stages_until.as_deref()))
}

fn sum(broken: usize, open: usize, all: usize) -> String {
    let kept = all - broken - open;
    let open = if open > 0 { format!(", {open} inconclusive") } else { String::new() };
    let broken = if broken > 0 { format!("{broken} failed, ") } else { String::new() };
    format!("{broken}{kept} of {all} limits pass{open}")
}

/// An increase has a sign.
fn figure(c: &CheckedLimit, of: f64) -> String {
    match c.limit_kind {
        LimitKind::AtMost => value(of, c.unit),
        LimitKind::IncreaseAtMost => signed_value(of, c.unit),
    }
}

fn between(c: &CheckedLimit, e: bootline_stats::Estimate) -> String {
    match c.limit_kind {
        LimitKind::AtMost => format!("{}..{}", value(e.low, c.unit).trim_end_matches("\u{a0}s"), value(e.high, c.unit)),
        LimitKind::IncreaseAtMost => bounds(e, c.unit),
    }
}

fn adds(c: &CheckedLimit, by: i64) -> String {
    match (c.limit_kind, c.unit) {
        (LimitKind::AtMost, Unit::Bytes) => format!("{by} bytes"),
        (LimitKind::AtMost, Unit::Ns) => format!("{}\u{a0}s", Dur::from_nanos(by)),
        (_, Unit::Bytes) => format!("{by:+} bytes"),
        (_, Unit::Ns) => signed_value(by as f64, Unit::Ns),
    }
}

/// The message for a limit that fails or is inconclusive; none for one that passes.
pub fn gate_message(c: &CheckedLimit) -> Option<GateMessage> {
    let limit = c.limit.map_or_else(String::new, |l| format!(" (limit {})", figure(c, l)));
    let figure = c.figure.map(|e| figure(c, e.best));
    let what = match (c.outcome, &figure) {
        (GateOutcome::Pass, _) => return None,
        (GateOutcome::Fail, Some(figure)) => format!("gate `{}` failed: {figure}{limit}", c.of),
        (_, Some(figure)) => format!("gate `{}` is inconclusive: {figure}{limit}", c.of),
        (_, None) => format!("gate `{}` is inconclusive", c.of),
    };
    let mut evidence: Vec<String> = c.reason.iter().map(ToString::to_string).collect();
    let n = |s: &Option<bootline_analysis::compare::SetSummary>| s.as_ref().map(|s| s.runs);
    let boots = match (n(&c.baseline), n(&c.runs)) {
        (Some(baseline), Some(runs)) => format!("{baseline} + {runs} boots"),
        (_, Some(1)) => "1 boot".to_owned(),
        (_, runs) => format!("{} boots", runs.unwrap_or_default()),
    };
    if let Some(e) = c.figure.filter(|e| e.confidence > 0.0) {
        let percent = (e.confidence * 1000.0).floor() / 10.0;
        evidence.push(format!("{percent} % interval {}, {boots}", between(c, e)));
    } else if c.figure.is_some() {
        evidence.push(boots);
    }
    if let Some(l) = &c.largest {
        let records = l.records.map(|(a, b)| format!(", records {a}-{b}")).unwrap_or_default();
        let run = l.run.as_ref().filter(|_| l.records.is_some()).map(|r| format!(" of {r}")).unwrap_or_default();
        evidence.push(format!("largest part: {} {}{records}{run}", l.part, adds(c, l.adds)));
    }
    let plain = |s: String| s.replace('\u{a0}', " ");
    Some(GateMessage { what: plain(what), evidence: evidence.into_iter().map(plain).collect() })
}

/// The limits as tests for a CI server; an inconclusive one is an error, not a failure.
pub fn gate_suite(checked: &[CheckedLimit], source: GateSource<'_>) -> TestSuite {
    let mut properties = vec![
        ("runs".to_owned(), format!("{} of {}", source.runs.n(), source.runs.name)),
        ("excluded".to_owned(), source.runs.excluded.len().to_string()),
    ];
    if let Some((setup, _)) = source.runs.setups().first() {
        properties.extend(setup.kernel.clone().map(|k| ("kernel".to_owned(), k)));
    }
    let case = |c: &CheckedLimit| {
        let kind = match c.limit_kind {
            LimitKind::AtMost => "at most",
            LimitKind::IncreaseAtMost => "increase at most",
        };
        // A server plots the time itself over runs, not its difference.
        let time = c.runs.as_ref().filter(|_| c.unit == Unit::Ns).map(|s| Dur::from_nanos(s.median.best as i64));
        let case = TestCase::passed("bootline.gate", format!("{}, {kind}", c.of), time);
        let Some(GateMessage { what, evidence }) = gate_message(c) else { return case };
        let details = evidence.join("\n");
        case.with(match c.outcome {
            GateOutcome::Fail => TestOutcome::Failed { message: what, details },
            _ => TestOutcome::Error { message: what, details },
        })
    };
    let mut cases: Vec<TestCase> = checked.iter().map(case).collect();
    // Reports failed boots, although no limit refers to them; and why, if no run is left.
    let seen = |e: &&Excluded| !e.expected || source.runs.n() == 0;
    cases.extend(source.runs.excluded.iter().filter(seen).map(|e| {
        let outcome = TestOutcome::Error { message: e.why.clone(), details: e.source.clone() };
        TestCase::passed("bootline.boot", &e.source, None).with(outcome)
    }));
    // The boot's own time, as in an export: most limits are on parts of it. A record that a limit names may come after it.
    let whole = source.runs.median_whole_time().map(Dur::from_nanos);
    let time = cases.iter().filter_map(|c| c.time).chain(whole).max();
    TestSuite { name: source.budget.to_owned(), properties, time: Some(time.unwrap_or_default()), cases }
}

/// The outcome of each limit, as JSON: `docs/schema/check-1.schema.json`.
pub fn check_json<'c>(checked: &'c [CheckedLimit], source: GateSource<'c>) -> impl Serialize + 'c {
    CheckJson {
        schema: "bootline-check/1",
        tool: TOOL,
        budget: source.budget,
        runs: source.runs.n(),
        baseline_runs: source.baseline.map(RunSet::n),
        whole_since: whole_boot(checked, source.runs).map(|(since, _)| since.into()),
        whole_until: whole_boot(checked, source.runs).and_then(|(_, until)| until),
        caveats: setup_caveats(source.baseline, source.runs).iter().map(ToString::to_string).collect(),
        excluded: source.runs.excluded.iter().map(ExcludedRun::from).collect(),
        limits: checked.iter().map(limit).collect(),
    }
}

/// A budget, and whether its limits hold.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckJson<'c> {
    #[schemars(extend("const" = "bootline-check/1"))]
    schema: &'static str,
    /// The program and its version.
    tool: &'static str,
    /// The budget's file.
    budget: &'c str,
    /// Number of runs checked.
    runs: usize,
    /// Number of runs in the baseline; null without a baseline.
    baseline_runs: Option<usize>,
    /// What times of the whole boot count from, in most runs; null if no limit is about them.
    whole_since: Option<wire::WholeOrigin>,
    /// What the last stage ends with; null if that is the log.
    whole_until: Option<&'c str>,
    /// What to know before trusting the figures.
    caveats: Vec<String>,
    /// Runs that were excluded.
    excluded: Vec<ExcludedRun<'c>>,
    /// In the order of the budget.
    limits: Vec<Limit<'c>>,
}
