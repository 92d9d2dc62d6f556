// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison as a document, for text and Markdown.
use super::wording::{
    answer, bounds, chance, detectable_text, excluded, made_of_words, records, set_against_set, signed_value,
};
use super::wording::{change_text, sums_in_words, value, verdict};
use crate::document::{Document, Entry, Text};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::time_value::signed;
use bootline_analysis::compare::{ChangeVerdict, Comparison, Contribution, PartSum, QuantityChange, SetSummary};
use bootline_capture::units::Dur;

/// Two sets compared, as a document. `rows` is the maximum number of parts and initcalls to show.
pub fn compare(comparison: &Comparison, rows: usize) -> Document {
    let mut document = Document::default();
    document.heading(set_against_set(comparison));
    if let Some(change) = comparison.headline() {
        document.paragraph(answer(change, comparison));
    }
    document.paragraph(detectable_text(comparison));
    document.entries(comparison.caveats.iter().map(|c| Entry::new("note", warning(&c.to_string()))).collect());
    document.heading("What differs");
    document.table(changes(comparison.single()));
    made_of(&mut document, comparison, rows);
    spans(&mut document, comparison.many(), rows);
    let left_out = comparison.excluded.iter().flatten().map(excluded).collect();
    document.entries(left_out);
    document
}

fn warning(words: &str) -> Text {
    Text::new().styled(words, Style::Warning)
}

fn changes<'c>(list: impl IntoIterator<Item = &'c QuantityChange>) -> Table {
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
        let of = |s: &Option<SetSummary>| s.as_ref().map_or_else(String::new, |s| value(s.median.best, c.unit));
        table.row(
            vec![
                c.quantity.to_string(),
                of(&c.from),
                of(&c.to),
                c.difference.map_or_else(String::new, |d| signed_value(d.best, c.unit)),
                c.difference.filter(|d| d.confidence > 0.0).map_or_else(String::new, |d| bounds(d, c.unit)),
                c.p_value.filter(|_| c.verdict != ChangeVerdict::TooFew).map_or_else(String::new, chance),
                words,
            ],
            style,
        );
    }
    table
}

fn made_of(document: &mut Document, comparison: &Comparison, rows: usize) {
    let d = &comparison.decomposition;
    if d.contributions.is_empty() {
        return;
    }
    document.heading(format!("Where the difference comes from: {} between the means", signed(d.whole)));
    let mut table = Table::new([
        ("part", Align::Left, 0),
        ("adds", Align::Right, 0),
        ("work", Align::Right, 3),
        ("console", Align::Right, 2),
        ("bytes", Align::Right, 4),
        ("by chance", Align::Right, 5),
        ("", Align::Left, 0),
        ("records", Align::Right, 6),
    ]);
    let (shown, others) = d.fold(rows);
    for c in shown {
        let style = match (c.is_clear(), c.total() > Dur::ZERO) {
            (true, true) => Style::Cost,
            (true, false) => Style::Strong,
            (false, _) => Style::Plain,
        };
        table.row(row(c.key.to_string(), &PartSum::of([c]), Some((c, comparison.runs))), style);
    }
    if !others.is_empty() {
        let title = format!("{} other parts", others.len());
        table.row(row(title, &PartSum::of(others), None), Style::Faint);
    }
    document.table(table);
    document.paragraph(sums_in_words(d));
    document.paragraph(made_of_words(comparison));
}

fn row(title: String, sum: &PartSum, of: Option<(&Contribution, [usize; 2])>) -> Vec<String> {
    let time = |d: Dur| if d == Dur::ZERO { String::new() } else { signed(d) };
    let bytes = if sum.bytes == 0 { String::new() } else { format!("{:+}", sum.bytes) };
    let p_value = of.and_then(|(c, _)| c.p_value).map_or_else(String::new, chance);
    let part_change = of.map_or_else(String::new, |(c, runs)| change_text(c, runs));
    let records = of.map_or_else(String::new, |(c, _)| records(c));
    vec![title, signed(sum.total()), time(sum.work), time(sum.console), bytes, p_value, part_change, records]
}

fn spans(document: &mut Document, many: Vec<&QuantityChange>, rows: usize) {
    if many.is_empty() {
        return;
    }
    let all = many.len();
    let clear: Vec<&QuantityChange> = many.into_iter().filter(|c| c.differs()).collect();
    document.heading("Initcalls and probes, including what is nested in them");
    let found = clear.len();
    let more = if found > rows { format!(" ({rows} shown)") } else { String::new() };
    let tested = clear.iter().any(|c| c.verdict != ChangeVerdict::TooFew);
    let trust = if tested || found == 0 {
        "of these, chance alone explains no more than one in twenty"
    } else {
        "with so few runs, chance alone may explain all of them"
    };
    document.paragraph(format!("{found} of {all} differ{more}; {trust}."));
    if found > 0 {
        document.table(changes(clear.into_iter().take(rows)));
    }
}
