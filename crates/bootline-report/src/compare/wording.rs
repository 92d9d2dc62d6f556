// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wording of a comparison, for all formats.
use crate::counted::counted;
use crate::document::{Entry, Text};
use crate::style::Style;
use crate::time_value::{in_millis, signed};
use bootline_analysis::compare::{
    ChangeVerdict, Comparison, Contribution, Decomposition, Excluded, ObservedChange, PartChange, PartMove, PartSum,
    Quantity, QuantityChange, Unit,
};
use bootline_capture::units::Dur;
use bootline_stats::Estimate;

/// `new (13 runs) compared with base (12 runs)`
pub(super) fn set_against_set(comparison: &Comparison) -> String {
    let [from, to] = &comparison.names;
    let [n, m] = comparison.runs;
    format!("{to} ({}) compared with {from} ({})", runs(m), runs(n))
}

/// The sets' names without what they have in common at both ends: `base` and `new` of `results/base` and `results/new`.
pub(super) fn short_names(comparison: &Comparison) -> [String; 2] {
    let full = comparison.names.each_ref().map(|n| n.trim_end_matches('/'));
    let [a, b] = full.map(|n| n.split_inclusive(['/', ' ']).collect::<Vec<&str>>());
    let most = a.len().min(b.len()).saturating_sub(1);
    let head = a.iter().zip(&b).take(most).take_while(|(x, y)| x == y).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take(most - head).take_while(|(x, y)| x == y).count();
    let short = [&a, &b].map(|n| n[head..n.len() - tail].concat().trim_end_matches(['/', ' ']).to_owned());
    if short[0] == short[1] || short.iter().any(String::is_empty) { full.map(str::to_owned) } else { short }
}

pub(super) fn runs(n: usize) -> String {
    counted(n as u64, "run")
}

pub(crate) fn excluded(excluded: &Excluded) -> Entry {
    Entry::new("excluded", Text::new().words(&excluded.source).words(": ").styled(&excluded.why, Style::Warning))
}

/// `time to init`
fn whole_title(quantity: &Quantity) -> &'static str {
    if *quantity == Quantity::TimeToMarker { "Time to the marker" } else { "Time to init" }
}

pub(super) fn answer(change: &QuantityChange, comparison: &Comparison) -> Text {
    let text = Text::from(whole_title(&change.quantity));
    let (Some(from), Some(to), Some(difference)) = (&change.from, &change.to, change.difference) else {
        return text.words(" is known for one set only: the sets do not end at the same record.");
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
        ChangeVerdict::NotSignificant => but("which chance may explain"),
        ChangeVerdict::TooSmall => but("which is below the effect that matters"),
        ChangeVerdict::Noise => but("which is within the machine's own noise"),
        _ => but("which so few runs cannot confirm"),
    }
}

pub(super) fn detectable_text(comparison: &Comparison) -> String {
    let [n, m] = comparison.runs;
    match comparison.minimum_detectable_effect {
        Some(least) => format!(
            "With {n} + {m} runs that vary like these, a change of less than {} is missed in more than one of five cases.",
            value(least, Unit::Ns)
        ),
        None => format!("With {n} + {m} runs no change, however large, can be distinguished from chance."),
    }
}

pub(super) fn verdict(c: &QuantityChange) -> (String, Style) {
    let time = c.unit == Unit::Ns;
    let (words, style) = match c.verdict {
        ChangeVerdict::More if time => ("slower", Style::Cost),
        ChangeVerdict::More => ("more", Style::Cost),
        ChangeVerdict::Less if time => ("faster", Style::Strong),
        ChangeVerdict::Less => ("fewer", Style::Strong),
        ChangeVerdict::NotSignificant => ("chance may explain it", Style::Plain),
        ChangeVerdict::TooSmall => ("too small to matter", Style::Plain),
        ChangeVerdict::Noise => ("noise", Style::Plain),
        ChangeVerdict::TooFew => ("too few runs", Style::Plain),
        ChangeVerdict::New => ("new", Style::Strong),
        ChangeVerdict::Gone => ("gone", Style::Strong),
    };
    let groups = if c.has_groups() { "; two groups of runs" } else { "" };
    (format!("{words}{groups}"), style)
}

/// `3 %`, `<0.1 %`
pub(super) fn chance(p: f64) -> String {
    match p * 100.0 {
        p if p < 0.1 => "<0.1\u{a0}%".to_owned(),
        p if p < 10.0 => format!("{p:.1}\u{a0}%"),
        p => format!("{p:.0}\u{a0}%"),
    }
}

pub(crate) fn value(of: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => format!("{}\u{a0}s", digits(of)),
        Unit::Bytes => format!("{of:.0}"),
    }
}

fn digits(ns: f64) -> String {
    let d = Dur::from_nanos(ns as i64);
    if d.abs() < Dur::from_millis(10) { d.to_string() } else { in_millis(d) }
}

pub(crate) fn signed_value(of: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => signed(Dur::from_nanos(of as i64)),
        Unit::Bytes => format!("{of:+.0}"),
    }
}

/// `+0.110..+0.230 s`
pub(crate) fn bounds(e: Estimate, unit: Unit) -> String {
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

pub(super) fn change_text(c: &Contribution, runs: [usize; 2]) -> String {
    let some = |word: &str, set: usize| match c.runs[set] {
        n if n == runs[set] => word.to_owned(),
        n if set == 0 => format!("{word}; it was in {n} of {}", runs[set]),
        n => format!("{word} in {n} of {}", runs[set]),
    };
    let observed = match c.observed {
        ObservedChange::Slower | ObservedChange::Faster if !c.is_clear() => String::new(),
        ObservedChange::New => some("new", 1),
        ObservedChange::Gone => some("gone", 0),
        ObservedChange::Slower => "slower".to_owned(),
        ObservedChange::Faster => "faster".to_owned(),
        ObservedChange::Same => String::new(),
    };
    let moved = match c.moved {
        None => return observed,
        Some(PartMove::Phase { to, .. }) => format!("moved to phase {}", to.map_or("unknown", |p| p.word())),
        Some(PartMove::Parallel) => "moved to another task".to_owned(),
        Some(PartMove::Inline) => "moved to the boot's own task".to_owned(),
        Some(PartMove::Order) => "moved within the order".to_owned(),
    };
    if observed.is_empty() { moved } else { format!("{observed}, {moved}") }
}

/// How a part changed, as a title.
pub(super) fn part_change(of: PartChange) -> &'static str {
    match of {
        PartChange::New => "new",
        PartChange::Gone => "gone",
        PartChange::Slower => "slower",
        PartChange::Faster => "faster",
        PartChange::Moved => "moved",
        PartChange::Inconclusive => "no clear change",
    }
}

/// `New: +0.200 s (1 part); slower: ...`
pub(super) fn sums_in_words(of: &Decomposition) -> String {
    let sums = of.sums();
    let one = |(what, sum): &(PartChange, PartSum)| {
        let parts = if sum.parts == 1 { "part" } else { "parts" };
        format!("{} {} ({} {parts})", part_change(*what), signed(sum.total()), sum.parts)
    };
    format!("In total: {}.", sums.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// What the parts add up to, and how they were tested.
pub(super) fn made_of_words(comparison: &Comparison) -> String {
    let tested = comparison.decomposition.contributions.iter().any(|c| c.p_value.is_some());
    let considered = if tested {
        " P values are adjusted for all parts; parts that vary by a millisecond are adjusted separately."
    } else {
        ""
    };
    format!(
        "These add up to the difference of the means, to the nanosecond. The difference of the medians, which do not add up, \
         deviates from it by {}.{considered}",
        signed(comparison.median_against_mean().unwrap_or_default())
    )
}

/// `650-651`
pub(super) fn records(c: &Contribution) -> String {
    c.records.map_or_else(String::new, |(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") })
}
