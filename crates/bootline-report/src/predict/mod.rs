// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline predict`: the boot as it is and as it could be, up to init and to the application, the requirements and prices of the
//! changes, and the assumptions.
mod assumptions;
mod change_row;
mod json;
mod whole;

pub(crate) use json::PredictedBoot;
pub use json::predictions_json;

use assumptions::{Assumptions, numbers};
use change_row::{SAME, letters, price, row_style, with_needs};

use crate::boot_label::BootLabel;
use crate::document::{Document, Entry, Text};
use crate::explain::{since, title, untrusted};
use crate::problem;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::time_value::{TimeValue, in_millis, share};
use bootline_analysis::predict::Prediction;
use bootline_analysis::predictions::Predictions;
use bootline_boot::{Boot, TimeOrigin};
use bootline_capture::units::Dur;

/// The predictions of a boot, as a document.
pub fn predictions(boot: &Boot, predictions: &Predictions, source: &BootLabel) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    match &predictions.to_init {
        Ok(list) => to_init(&mut document, boot, list),
        Err(_) => untrusted(&mut document, boot),
    }
    if let Some(Ok(list)) = &predictions.whole {
        whole::whole(&mut document, boot, list);
    }
    if predictions.refused().is_some() {
        document.paragraph("Nothing is predicted.");
    }
    problem::problems(&mut document, &boot.problems);
    document
}

/// The times to init; the first prediction is the baseline.
fn to_init(document: &mut Document, boot: &Boot, predictions: &[Prediction]) {
    let Some((baseline, what_ifs)) = predictions.split_first() else { return };
    let from = boot.end.as_ref().map_or(TimeOrigin::KernelFirstByte, |e| e.since);
    document.paragraph(answer(baseline, what_ifs, from));
    untrusted(document, boot);
    let assumptions = Assumptions::of(predictions.iter().map(|p| p.assumptions.as_slice()));
    document.heading(format!("Times from {} to init's start (init) and to the complete log (log)", since(from)));
    document.table(table(predictions, &assumptions));
    // What saves nothing is omitted, unless it was requested.
    let worth = |what_if: &Prediction| what_if.saved.best() >= SAME || what_ifs.len() == 1;
    let worthy = what_ifs.iter().enumerate().filter(|(_, what_if)| worth(what_if));
    let takes: Vec<Entry> = worthy.flat_map(|(n, what_if)| requirements(n, what_if, from)).collect();
    if !takes.is_empty() {
        document.heading("What each change takes");
        document.entries(takes);
    }
    if !assumptions.all.is_empty() {
        document.heading("Assumptions");
        document.entries(assumptions.entries());
    }
}

fn answer(baseline: &Prediction, what_ifs: &[Prediction], from: TimeOrigin) -> Text {
    let now = baseline.time_to_init.best();
    let text = Text::from("In the baseline, init starts ")
        .styled_time(TimeValue::exact(now), Style::Strong)
        .words(format!(" after {}", since(from)));
    // The first of several that save the same.
    let Some(best) = what_ifs.iter().rev().max_by_key(|w| w.saved.best()) else {
        return text.words(".");
    };
    if best.saved.best().abs() < SAME {
        return text.words("; no change below makes a significant difference.");
    }
    let change = best.saved.best();
    let text = match (change > Dur::ZERO, what_ifs.len()) {
        (true, 1) => text.words(". With ").styled(&best.title, Style::Setting).words(" it would start after "),
        (true, _) => text
            .words(". The largest saving comes from ")
            .styled(&best.title, Style::Setting)
            .words(": init then starts after "),
        (false, 1) => text.words(". With ").styled(&best.title, Style::Setting).words(" it would start after "),
        (false, _) => return text.words("; every change below makes it later."),
    };
    let text = text.styled_time(TimeValue::estimate(best.time_to_init), Style::Strong);
    let direction = if change > Dur::ZERO { "sooner" } else { "later" };
    let share = share(change.abs(), now).map_or(String::new(), |s| format!(", {s}"));
    text.words(format!(", {}\u{a0}s {direction}{share}.", in_millis(change.abs())))
}

fn table(predictions: &[Prediction], assumptions: &Assumptions<'_>) -> Table {
    let mut table = Table::new([
        ("", Align::Right, 0),
        ("change", Align::Left, 0),
        ("init [s]", Align::Right, 0),
        ("interval", Align::Right, 3),
        ("saved [s]", Align::Right, 0),
        ("interval", Align::Right, 4),
        ("log [s]", Align::Right, 2),
        ("bytes", Align::Right, 6),
        ("assumptions", Align::Right, 5),
    ]);
    for (n, p) in predictions.iter().enumerate() {
        let mut cells = change_row::cells(n, &p.title, p.time_to_init, p.saved);
        cells.extend([
            p.log_complete.map_or_else(|| "never".to_owned(), |i| in_millis(i.best())),
            p.bytes.to_string(),
            numbers(&assumptions.of_one[n]),
        ]);
        table.row(cells, row_style(n, p.saved));
    }
    table
}

fn requirements(n: usize, what_if: &Prediction, from: TimeOrigin) -> Vec<Entry> {
    let text = with_needs(&what_if.title, &what_if.needs);
    let mut entries = vec![Entry::new(&letters(n), text)];
    let shift = what_if.first_byte_shift;
    if shift.best().abs() >= SAME {
        let direction = if shift.best() > Dur::ZERO { "later" } else { "earlier" };
        let by = in_millis(shift.best().abs());
        let counts = if from == TimeOrigin::KernelFirstByte { ", and its times count from there" } else { "" };
        let text = format!("its first byte comes {by}\u{a0}s {direction} than the baseline's{counts}");
        entries.push(Entry::new("", text));
    }
    entries.extend(price(&what_if.price));
    // A change without requirements and price needs no entry.
    if what_if.needs.is_empty() && entries.len() == 1 {
        entries.clear();
    }
    entries
}
