// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline compare`: by how much runs differ, whether that is something, and what it is made of.
use serde::Serialize;

use super::document::{Document, Entry, Style, Text};
use super::figure::{in_millis, signed};
use super::table::{Align, Table};
use crate::compare::{
    Change, ChangeVerdict, Comparison, Contribution, Excluded, Fate, Moved, PartKey, Quantity, Summary, Thresholds,
    Unit, is_whole,
};
use crate::records::RecordId;
use crate::statistics::Estimate;
use crate::units::Dur;

/// Two sets beside one another, for people. `rows` are the most parts and initcalls to show.
pub fn compare(comparison: &Comparison, rows: usize) -> Document {
    let mut document = Document::default();
    let [from, to] = &comparison.names;
    let [n, m] = comparison.runs;
    document.heading(format!("{from} ({}) against {to} ({})", runs(n), runs(m)));
    if let Some(change) = comparison.changes.iter().find(|c| is_whole(&c.quantity)) {
        document.paragraph(answer(change, comparison));
    }
    document.paragraph(sight(comparison));
    document.entries(comparison.caveats.iter().map(|c| Entry::new("note", warning(&c.to_string()))).collect());
    document.heading("What differs");
    let (many, few): (Vec<&Change>, Vec<&Change>) =
        comparison.changes.iter().partition(|c| c.quantity.is_one_of_many());
    document.table(changes(few));
    made_of(&mut document, comparison, rows);
    spans(&mut document, many, rows);
    let left_out = comparison.excluded.iter().flatten().map(excluded).collect();
    document.entries(left_out);
    document
}

fn runs(n: usize) -> String {
    if n == 1 { "1 run".to_owned() } else { format!("{n} runs") }
}

fn warning(words: &str) -> Text {
    Text::new().styled(words, Style::Warning)
}

pub(super) fn excluded(excluded: &Excluded) -> Entry {
    Entry::new("left out", Text::new().words(&excluded.source).words(": ").styled(&excluded.why, Style::Warning))
}

/// `time to init`
fn whole_title(quantity: &Quantity) -> &'static str {
    if *quantity == Quantity::TimeToMarker { "Time to the marker" } else { "Time to init" }
}

fn answer(change: &Change, comparison: &Comparison) -> Text {
    let text = Text::from(whole_title(&change.quantity));
    let (Some(from), Some(to), Some(difference)) = (&change.from, &change.to, change.difference) else {
        return text.words(" is known of one set only: they don't end at the same line.");
    };
    let medians = format!("{} before, {} now", value(from.median.best, Unit::Ns), value(to.median.best, Unit::Ns));
    let size = Dur::from_nanos(difference.best.abs() as i64);
    let interval =
        format!(" ({}, {} + {} runs)", interval(difference, Unit::Ns), comparison.runs[0], comparison.runs[1]);
    let more = |word: &str, style| {
        let size = format!(" is {} {word}", signed(size).trim_start_matches('+'));
        text.clone().styled(size, style).words(format!(": {medians}{interval}."))
    };
    let by = signed(Dur::from_nanos(difference.best as i64));
    let but = |why: &str| text.clone().words(format!(" differs by {by}, {why}: {medians}{interval}."));
    match change.verdict {
        ChangeVerdict::More => more("longer", Style::Cost),
        ChangeVerdict::Less => more("shorter", Style::Strong),
        ChangeVerdict::NotSignificant => but("which chance explains"),
        ChangeVerdict::TooSmall => but("which is less than what counts"),
        ChangeVerdict::Noise => but("which is no more than the machine's own noise"),
        _ => but("of which too few runs tell nothing"),
    }
}

fn sight(comparison: &Comparison) -> String {
    let [n, m] = comparison.runs;
    match comparison.least_seen {
        Some(least) => format!(
            "With {n} + {m} runs that vary as these do a change of that time by less than {} is missed more often than \
             in one of five cases.",
            value(least, Unit::Ns)
        ),
        None => format!("With {n} + {m} runs no change can be told from chance, however great."),
    }
}

fn changes(list: Vec<&Change>) -> Table {
    let mut table = Table::new([
        ("", Align::Left, 0),
        ("before", Align::Right, 2),
        ("now", Align::Right, 2),
        ("difference", Align::Right, 0),
        ("95 % interval", Align::Right, 3),
        ("by chance", Align::Right, 4),
        ("", Align::Left, 0),
    ]);
    for c in list {
        let (words, style) = verdict(c);
        let of = |s: &Option<Summary>| s.as_ref().map_or_else(String::new, |s| value(s.median.best, c.unit));
        table.row(
            vec![
                c.quantity.to_string(),
                of(&c.from),
                of(&c.to),
                c.difference.map_or_else(String::new, |d| signed_value(d.best, c.unit)),
                c.difference.filter(|d| d.confidence > 0.0).map_or_else(String::new, |d| bounds(d, c.unit)),
                c.by_chance.filter(|_| c.verdict != ChangeVerdict::TooFew).map_or_else(String::new, chance),
                words.to_owned(),
            ],
            style,
        );
    }
    table
}

fn verdict(c: &Change) -> (&'static str, Style) {
    let time = c.unit == Unit::Ns;
    let two_groups = [&c.from, &c.to].into_iter().flatten().any(|s| s.groups.is_some());
    let (words, style) = match c.verdict {
        ChangeVerdict::More if time => ("slower", Style::Cost),
        ChangeVerdict::More => ("more", Style::Cost),
        ChangeVerdict::Less if time => ("faster", Style::Strong),
        ChangeVerdict::Less => ("fewer", Style::Strong),
        ChangeVerdict::NotSignificant => ("chance explains it", Style::Plain),
        ChangeVerdict::TooSmall => ("too little to count", Style::Plain),
        ChangeVerdict::Noise => ("noise", Style::Plain),
        ChangeVerdict::TooFew => ("too few runs", Style::Plain),
        ChangeVerdict::New => ("new", Style::Strong),
        ChangeVerdict::Gone => ("gone", Style::Strong),
    };
    if two_groups && !matches!(c.verdict, ChangeVerdict::New | ChangeVerdict::Gone) {
        let words = match c.verdict {
            ChangeVerdict::More if time => "slower; two groups of runs",
            ChangeVerdict::Less if time => "faster; two groups of runs",
            _ => "two groups of runs",
        };
        return (words, style);
    }
    (words, style)
}

/// `3 %`, `<0.1 %`
fn chance(p: f64) -> String {
    match p * 100.0 {
        p if p < 0.1 => "<0.1\u{a0}%".to_owned(),
        p if p < 10.0 => format!("{p:.1}\u{a0}%"),
        p => format!("{p:.0}\u{a0}%"),
    }
}

pub(super) fn value(of: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => format!("{}\u{a0}s", digits(of)),
        Unit::Bytes => format!("{of:.0}"),
    }
}

fn digits(ns: f64) -> String {
    let d = Dur::from_nanos(ns as i64);
    if d.abs() < Dur::from_millis(10) { d.to_string() } else { in_millis(d) }
}

pub(super) fn signed_value(of: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => signed(Dur::from_nanos(of as i64)),
        Unit::Bytes => format!("{of:+.0}"),
    }
}

/// `+0.110..+0.230 s`
pub(super) fn bounds(e: Estimate, unit: Unit) -> String {
    match unit {
        Unit::Ns => {
            let both = [e.low, e.high].map(|v| signed(Dur::from_nanos(v as i64)));
            format!("{}..{}", both[0].trim_end_matches("\u{a0}s"), both[1])
        }
        Unit::Bytes => format!("{:+.0}..{:+.0}", e.low, e.high),
    }
}

/// `95 % interval +0.110..+0.230 s`
pub(super) fn interval(e: Estimate, unit: Unit) -> String {
    if e.confidence <= 0.0 {
        return "no interval".to_owned();
    }
    let percent = (e.confidence * 1000.0).floor() / 10.0;
    format!("{percent}\u{a0}% interval {}", bounds(e, unit))
}

fn made_of(document: &mut Document, comparison: &Comparison, rows: usize) {
    let d = &comparison.decomposition;
    if d.contributions.is_empty() {
        return;
    }
    document.heading(format!("What the difference is made of: {} of means", signed(d.whole)));
    let mut table = Table::new([
        ("part", Align::Left, 0),
        ("adds", Align::Right, 0),
        ("work", Align::Right, 3),
        ("console", Align::Right, 2),
        ("characters", Align::Right, 4),
        ("by chance", Align::Right, 5),
        ("", Align::Left, 0),
        ("records", Align::Right, 6),
    ]);
    // What moved is news even where it takes as long.
    let shown: Vec<&Contribution> =
        d.contributions.iter().filter(|c| c.total() != Dur::ZERO || c.moved.is_some()).take(rows).collect();
    for c in &shown {
        let style = match (c.is_clear(), c.total() > Dur::ZERO) {
            (true, true) => Style::Cost,
            (true, false) => Style::Strong,
            (false, _) => Style::Plain,
        };
        let records =
            c.records.map_or_else(String::new, |(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") });
        let by_chance = c.by_chance.map_or_else(String::new, chance);
        table.row(
            row(c.key.to_string(), c.work, c.console, c.bytes, by_chance, what_became(c, comparison.runs), records),
            style,
        );
    }
    let sum =
        |of: &dyn Fn(&Contribution) -> Dur, list: &mut dyn Iterator<Item = &Contribution>| list.map(of).sum::<Dur>();
    let rest =
        |of: &dyn Fn(&Contribution) -> Dur| sum(of, &mut d.contributions.iter()) - sum(of, &mut shown.iter().copied());
    let left = d.contributions.len() - shown.len();
    if left > 0 {
        let bytes = |list: &mut dyn Iterator<Item = &Contribution>| list.map(|c| c.bytes).sum::<i64>();
        let bytes = bytes(&mut d.contributions.iter()) - bytes(&mut shown.iter().copied());
        let title = format!("{left} other parts");
        table.row(
            row(title, rest(&|c| c.work), rest(&|c| c.console), bytes, String::new(), String::new(), String::new()),
            Style::Faint,
        );
    }
    document.table(table);
    let gap = comparison.changes.iter().find(|c| is_whole(&c.quantity)).and_then(|c| c.difference);
    let gap = gap.map(|e| Dur::from_nanos(e.best as i64) - d.whole).unwrap_or_default();
    let tested = d.contributions.iter().any(|c| c.by_chance.is_some());
    let considered =
        if tested { " Chance is told with all parts considered; those that vary by a millisecond, apart." } else { "" };
    document.paragraph(format!(
        "These add up to the difference of the means to the nanosecond; that of the medians, which don't add up, is off by \
         {}.{considered}",
        signed(gap),
    ));
}

fn row(
    part: String,
    work: Dur,
    console: Dur,
    bytes: i64,
    by_chance: String,
    became: String,
    records: String,
) -> Vec<String> {
    let time = |d: Dur| if d == Dur::ZERO { String::new() } else { signed(d) };
    let bytes = if bytes == 0 { String::new() } else { format!("{bytes:+}") };
    vec![part, signed(work + console), time(work), time(console), bytes, by_chance, became, records]
}

fn what_became(c: &Contribution, runs: [usize; 2]) -> String {
    let some = |word: &str, set: usize| match c.runs[set] {
        n if n == runs[set] => word.to_owned(),
        n if set == 0 => format!("{word}; was in {n} of {}", runs[set]),
        n => format!("{word} in {n} of {}", runs[set]),
    };
    let fate = match c.fate {
        Fate::Slower | Fate::Faster if !c.is_clear() => String::new(),
        Fate::New => some("new", 1),
        Fate::Gone => some("gone", 0),
        Fate::Slower => "slower".to_owned(),
        Fate::Faster => "faster".to_owned(),
        Fate::Same => String::new(),
    };
    let moved = match c.moved {
        None => return fate,
        Some(Moved::Phase { to, .. }) => format!("moved to phase {}", to.map_or("unknown", |p| p.word())),
        Some(Moved::Beside) => "moved to another task".to_owned(),
        Some(Moved::Inline) => "moved to the boot's own task".to_owned(),
        Some(Moved::Order) => "moved in the order".to_owned(),
    };
    if fate.is_empty() { moved } else { format!("{fate}, {moved}") }
}

fn spans(document: &mut Document, many: Vec<&Change>, rows: usize) {
    if many.is_empty() {
        return;
    }
    let all = many.len();
    let told = |c: &&Change| {
        matches!(c.verdict, ChangeVerdict::More | ChangeVerdict::Less | ChangeVerdict::New | ChangeVerdict::Gone)
    };
    let mut clear: Vec<&Change> = many.into_iter().filter(told).collect();
    let size = |c: &Change| {
        let one = |s: &Option<Summary>| s.as_ref().map_or(0.0, |s| s.median.best);
        c.difference.map_or_else(|| one(&c.from).max(one(&c.to)), |d| d.best.abs())
    };
    clear.sort_by(|a, b| size(b).total_cmp(&size(a)));
    document.heading("Initcalls and probes, with what is inside them");
    let found = clear.len();
    let more = if found > rows { format!(" ({rows} shown)") } else { String::new() };
    document.paragraph(format!(
        "{found} of {all} differ{more}; with so many looked at, chance alone makes no more than one in twenty of these."
    ));
    if found > 0 {
        clear.truncate(rows);
        document.table(changes(clear));
    }
}

/// The comparison for programs: `docs/schema/compare-1.schema.json`.
pub fn compare_json(comparison: &Comparison) -> impl Serialize + '_ {
    let set =
        |n: usize| SetJson { name: &comparison.names[n], runs: comparison.runs[n], excluded: &comparison.excluded[n] };
    ComparisonJson {
        schema: "bootline-compare/1",
        tool: concat!("bootline ", env!("CARGO_PKG_VERSION")),
        from: set(0),
        to: set(1),
        caveats: comparison.caveats.iter().map(ToString::to_string).collect(),
        thresholds: comparison.thresholds,
        least_seen_ns: comparison.least_seen,
        changes: &comparison.changes,
        whole_ns: comparison.decomposition.whole,
        parts: comparison.decomposition.contributions.iter().map(PartJson::new).collect(),
    }
}

#[derive(Serialize)]
struct ComparisonJson<'c> {
    schema: &'static str,
    tool: &'static str,
    from: SetJson<'c>,
    to: SetJson<'c>,
    caveats: Vec<String>,
    thresholds: Thresholds,
    least_seen_ns: Option<f64>,
    changes: &'c [Change],
    whole_ns: Dur,
    parts: Vec<PartJson<'c>>,
}

#[derive(Serialize)]
struct SetJson<'c> {
    name: &'c str,
    runs: usize,
    excluded: &'c [Excluded],
}

#[derive(Serialize)]
struct PartJson<'c> {
    part: &'c PartKey,
    fate: Fate,
    moved: Option<Moved>,
    adds_ns: Dur,
    work_ns: Dur,
    console_ns: Dur,
    bytes: i64,
    by_chance: Option<f64>,
    runs: [usize; 2],
    records: Option<(RecordId, RecordId)>,
}

impl PartJson<'_> {
    fn new(c: &Contribution) -> PartJson<'_> {
        PartJson {
            part: &c.key,
            fate: c.fate,
            moved: c.moved,
            adds_ns: c.total(),
            work_ns: c.work,
            console_ns: c.console,
            bytes: c.bytes,
            by_chance: c.by_chance,
            runs: c.runs,
            records: c.records,
        }
    }
}
