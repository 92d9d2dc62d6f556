// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chain of systemd's units: as a section of its own where it does not lead to the boot's end, and its slack.
use crate::counted::counted;
use crate::document::{Document, Text};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::time_value::{TimeValue, share};
use bootline_analysis::user_space::UnitChain;
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// Units that are shown with their slack, those with the least.
const SLACK: usize = 10;
/// Units that are named as not needed, the longest.
const OFF_PATH: usize = 10;
/// A queue shorter than this is not worth a row.
const SMALL: Dur = Dur::from_millis(1);

/// Why there is time between units.
pub(super) const WHY_QUEUED: &str = ": a unit could start and did not yet, because systemd started others, the processor was busy, or it \
     is started on demand. `systemd-analyze critical-chain` does not show this time.";

/// The chain of units on its own.
pub(super) fn units(document: &mut Document, boot: &Boot, chain: &UnitChain) {
    let Some(last) = chain.links.last() else { return };
    let name = |i: usize| boot.whole.units[i].name.as_str();
    document.heading("User space: the units that decided when the last one was up");
    let mut text = Text::new()
        .words(name(last.unit))
        .words(" was up ")
        .styled_time(TimeValue::exact(chain.length()), Style::Strong)
        .words(" after systemd had loaded its units; ")
        .styled(TimeValue::exact(chain.queue()).short(), Style::Cost)
        .words(" of it");
    if let Some(share) = share(chain.queue(), chain.length()) {
        text = text.words(format!(", {share},"));
    }
    document.paragraph(text.words(" is no unit's own").words(WHY_QUEUED));
    document.table(links(boot, chain));
    slack(document, boot, chain, Dur::ZERO);
    off_path(document, boot, chain);
}

/// The units that the chain's last one does not need.
pub(super) fn off_path(document: &mut Document, boot: &Boot, chain: &UnitChain) {
    let Some(last) = chain.links.last().filter(|_| !chain.off_path.is_empty()) else { return };
    let name = |i: usize| boot.whole.units[i].name.as_str();
    let shown: Vec<&str> = chain.off_path.iter().take(OFF_PATH).map(|i| name(*i)).collect();
    let more = chain.off_path.len() - shown.len();
    let and = if more > 0 { format!(", and {more} more") } else { String::new() };
    document.paragraph(format!(
        "{} that {} does not need began to start before it was up: {}{and}.",
        counted(chain.off_path.len() as u64, "unit"),
        name(last.unit),
        shown.join(", ")
    ));
}

fn links(boot: &Boot, chain: &UnitChain) -> Table {
    let mut table = Table::new([
        ("from [s]", Align::Right, 0),
        ("length [s]", Align::Right, 0),
        ("processor [s]", Align::Right, 2),
        ("what", Align::Left, 0),
    ]);
    let heavy = chain.length().scale(0.1);
    for link in chain.links.iter().rev() {
        let style = |length: Dur| if length >= heavy && length > Dur::ZERO { Style::Cost } else { Style::Plain };
        let name = &boot.whole.units[link.unit].name;
        let processor = link.processor.map(|p| p.to_string()).unwrap_or_default();
        let cells = vec![link.activating.to_string(), link.activation().to_string(), processor, name.clone()];
        table.row(cells, style(link.activation()));
        if link.queue() >= SMALL {
            let others = match link.started_meanwhile {
                0 => "no unit was started".to_owned(),
                1 => "systemd started 1 other unit".to_owned(),
                n => format!("systemd started {n} other units"),
            };
            let what = format!("  before its start: {others}");
            table.row(vec![link.from.to_string(), link.queue().to_string(), String::new(), what], style(link.queue()));
        }
    }
    table
}

/// The units that had to be up and were in time; `zero` is what their times are counted from.
pub(super) fn slack(document: &mut Document, boot: &Boot, chain: &UnitChain, zero: Dur) {
    if chain.slack.is_empty() {
        return;
    }
    let more = chain.slack.len().saturating_sub(SLACK);
    let and = if more > 0 { format!(" {more} with more slack are not shown.") } else { String::new() };
    document.paragraph(format!("Not critical: each of these could be up later by its slack without effect.{and}"));
    let mut table = Table::new([
        ("slack [s]", Align::Right, 0),
        ("activation [s]", Align::Right, 1),
        ("up at [s]", Align::Right, 2),
        ("unit", Align::Left, 0),
    ]);
    for s in chain.slack.iter().take(SLACK) {
        let unit = &boot.whole.units[s.unit];
        let shown = |d: Option<Dur>| d.map(|d| d.to_string()).unwrap_or_default();
        let cells =
            vec![s.slack.to_string(), shown(unit.activation()), shown(unit.up.map(|up| up - zero)), unit.name.clone()];
        table.row(cells, Style::Plain);
    }
    document.table(table);
}
