// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the board showed on inputs next to its console.
use crate::document::Document;
use crate::style::Style;
use crate::table::{Align, Table};
use bootline_boot::{Boot, Mark, Stage};
use bootline_capture::units::Dur;

/// The table of marks, under its heading; nothing without one.
pub(crate) fn marks(document: &mut Document, boot: &Boot) {
    if boot.marks.is_empty() {
        return;
    }
    document.heading("Marks of the capture (the host's clock; 0 is the zero of the kernel's clock)");
    document.table(table(boot));
}

fn table(boot: &Boot) -> Table {
    let mut table = Table::new([
        ("mark", Align::Left, 0),
        ("at [s]", Align::Right, 0),
        ("earlier by up to [s]", Align::Right, 1),
        ("since the one before [s]", Align::Right, 2),
        ("in stage", Align::Left, 3),
        ("shown by", Align::Left, 4),
    ]);
    let mut before: Option<Dur> = None;
    for mark in &boot.marks {
        let since = before.replace(mark.at).map(|before| mark.at - before);
        let cells = vec![
            mark.name.clone(),
            mark.at.to_string(),
            mark.uncertainty.to_string(),
            since.map(|d| d.to_string()).unwrap_or_default(),
            stage(boot, mark).unwrap_or_default().to_owned(),
            shown_by(mark),
        ];
        table.row(cells, Style::Plain);
    }
    table
}

/// The stage that the mark falls into.
fn stage(boot: &Boot, mark: &Mark) -> Option<&'static str> {
    let around = |s: &&Stage| s.start <= mark.at && mark.at <= s.end;
    boot.whole.stages.iter().find(around).map(|s| s.name.title())
}

fn shown_by(mark: &Mark) -> String {
    match mark.count {
        1 => mark.what(),
        n => format!("{}, {n} times; the first counts", mark.what()),
    }
}
