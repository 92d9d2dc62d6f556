// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is predicted from the earliest moment known to the application.
use super::assumptions::{Assumptions, numbers};
use super::change_row::{SAME, cells, letters, price, row_style, with_needs};
use crate::document::{Document, Entry, Text};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::time_value::{TimeValue, in_millis, share};
use bootline_analysis::whole_change::WholePrediction;
use bootline_boot::Boot;

/// The predictions; the first is the baseline.
pub(super) fn whole(document: &mut Document, boot: &Boot, predictions: &[WholePrediction]) {
    let Some((baseline, what_ifs)) = predictions.split_first() else { return };
    let end = match &boot.whole.application {
        Some(app) => app.name.as_str(),
        None => baseline.until.title(),
    };
    document.heading(format!("From {} to {end}", baseline.since.title()));
    document.paragraph(answer(baseline, what_ifs));
    let assumptions = Assumptions::of(predictions.iter().map(|p| p.assumptions.as_slice()));
    document.table(table(predictions, &assumptions));
    let worth = |what_if: &WholePrediction| what_if.saved.high() >= SAME || what_ifs.len() == 1;
    let worthy = what_ifs.iter().enumerate().filter(|(_, what_if)| worth(what_if));
    let takes: Vec<Entry> = worthy.flat_map(|(n, what_if)| requirements(n, what_if)).collect();
    if !takes.is_empty() {
        document.heading("What each of these changes takes");
        document.entries(takes);
    }
    if !assumptions.all.is_empty() {
        document.heading("Assumptions on user space");
        document.entries(assumptions.entries());
    }
}

fn answer(baseline: &WholePrediction, what_ifs: &[WholePrediction]) -> Text {
    let now = baseline.length.best();
    let text = Text::from("It takes ").styled_time(TimeValue::exact(now), Style::Strong);
    // The first of several that save the same.
    let Some((n, best)) = what_ifs.iter().enumerate().rev().max_by_key(|(_, w)| w.saved.best()) else {
        return text.words(".");
    };
    let saved = best.saved.best();
    if saved.abs() < SAME {
        return text.words("; no change below is likely to make a difference.");
    }
    let share = share(saved.abs(), now).map_or(String::new(), |s| format!(", {s}"));
    let direction = if saved > -saved { "less" } else { "more" };
    let text = match what_ifs.len() {
        1 => text.words(". With the change it would take "),
        _ => {
            text.words(". Change ").styled(letters(n), Style::Strong).words(" saves most: with it the boot would take ")
        }
    };
    text.styled_time(TimeValue::estimate(best.length), Style::Strong)
        .words(format!(", {}\u{a0}s {direction}{share}.", in_millis(saved.abs())))
}

fn table(predictions: &[WholePrediction], assumptions: &Assumptions<'_>) -> Table {
    let mut table = Table::new([
        ("", Align::Right, 0),
        ("change", Align::Left, 0),
        ("whole [s]", Align::Right, 0),
        ("interval", Align::Right, 3),
        ("saved [s]", Align::Right, 0),
        ("interval", Align::Right, 1),
        ("assumptions", Align::Right, 2),
    ]);
    for (n, p) in predictions.iter().enumerate() {
        let mut cells = cells(n, &p.title, p.length, p.saved);
        cells.push(numbers(&assumptions.of_one[n]));
        table.row(cells, row_style(n, p.saved));
    }
    table
}

fn requirements(n: usize, what_if: &WholePrediction) -> Vec<Entry> {
    // Its title says already what a change without system changes is.
    if what_if.needs.is_empty() && what_if.price.is_empty() {
        return Vec::new();
    }
    let mut entries = vec![Entry::new(&letters(n), with_needs(&what_if.title, &what_if.needs))];
    entries.extend(price(&what_if.price));
    entries
}
