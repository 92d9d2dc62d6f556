// SPDX-License-Identifier: MIT OR Apache-2.0
//! The phases of a boot as a table.
use super::document::Document;
use super::style::Style;
use super::table::{Align, Table};
use super::time_value::{ClockName, share};
use bootline_boot::{Boot, Phase, PhaseName};
use bootline_capture::units::Dur;

/// The table of phases, unless the log shows none.
pub(super) fn phases(document: &mut Document, boot: &Boot) {
    if boot.phases.is_empty() {
        return;
    }
    let clock = ClockName::of_axis(boot.timeline.clock).map_or("no clock", ClockName::title);
    document.heading(format!("Phases ({clock}; 0 is the zero of the kernel's clock)"));
    document.table(table(boot));
}

pub(super) fn table(boot: &Boot) -> Table {
    let mut table = Table::new([
        ("phase", Align::Left, 0),
        ("length [s]", Align::Right, 0),
        ("share", Align::Right, 2),
        ("console [s]", Align::Right, 1),
        ("from [s]", Align::Right, 3),
        ("to [s]", Align::Right, 3),
        ("kernel clock [s]", Align::Right, 5),
        ("records", Align::Right, 4),
    ]);
    // Phases count from the zero of the axis, as the boot's end does here.
    let total = boot.end.as_ref().map_or(Dur::ZERO, |e| e.at.best());
    let longest = boot.phases.iter().filter(|p| is_kernel(p)).map(Phase::length).max().unwrap_or_default();
    for p in &boot.phases {
        // Stamps of the axis's own clock would only repeat the same values.
        let by_kernel = p.kernel.filter(|_| boot.timeline.clock == bootline_boot::Clock::Arrival);
        let cells = vec![
            p.name.title().to_owned(),
            p.length().to_string(),
            share(p.length(), total).filter(|_| is_kernel(p)).unwrap_or_default(),
            p.console.to_string(),
            p.start.to_string(),
            p.end.to_string(),
            by_kernel.map(|(from, to)| (to - from).to_string()).unwrap_or_default(),
            format!("{}-{}", p.first, p.last),
        ];
        let style = if is_kernel(p) && p.length() == longest { Style::Strong } else { Style::Plain };
        table.row(cells, style);
    }
    table
}

fn is_kernel(p: &Phase) -> bool {
    !matches!(p.name, PhaseName::BeforeKernel | PhaseName::UserSpace)
}
