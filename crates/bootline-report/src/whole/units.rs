// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units by the time that they took to start.
use crate::style::Style;
use crate::table::{Align, Table};
use crate::wire::word;
use bootline_analysis::user_space::UnitTime;
use bootline_boot::{Boot, ServiceState};
use bootline_capture::units::Dur;

/// Errors that are shown.
const SHOWN_ERROR: Dur = Dur::from_millis(1);

/// The longest first; `count` of them at most.
pub(crate) fn units_table(boot: &Boot, times: &[UnitTime], count: Option<usize>) -> Table {
    let mut table = Table::new([
        ("activation [s]", Align::Right, 0),
        ("processor [s]", Align::Right, 3),
        ("dependencies [s]", Align::Right, 4),
        ("queue [s]", Align::Right, 5),
        ("from [s]", Align::Right, 1),
        ("± [s]", Align::Right, 2),
        ("unit", Align::Left, 0),
        ("released by", Align::Left, 7),
        ("times by", Align::Left, 6),
        ("state", Align::Left, 2),
    ]);
    table.note("dependencies [s]", "from systemd's start until the last unit was up that this one starts after");
    table.note("queue [s]", "from when the unit's dependencies were up until it began to start");
    table.note("± [s]", "how far off the unit's times can be, if that is 1 ms or more: what reports them may have waited for the console");
    let mut order: Vec<&UnitTime> = times.iter().filter(|t| t.activation.is_some()).collect();
    order.sort_by_key(|t| (std::cmp::Reverse(t.activation), t.unit));
    order.truncate(count.unwrap_or(usize::MAX));
    let shown = |d: Option<Dur>| d.map(|d| d.to_string()).unwrap_or_default();
    for t in order {
        let unit = &boot.whole.units[t.unit];
        let cells = vec![
            shown(t.activation),
            shown(t.processor),
            shown(t.dependencies),
            shown(t.queue),
            shown(unit.activating),
            shown(Some(unit.error).filter(|error| *error >= SHOWN_ERROR)),
            unit.name.clone(),
            t.released_by.map(|i| boot.whole.units[i].name.clone()).unwrap_or_default(),
            word(&unit.by),
            if unit.timed_out { "timed out".to_owned() } else { word(&unit.state) },
        ];
        table.row(cells, if unit.state == ServiceState::Up { Style::Plain } else { Style::Warning });
    }
    table
}
