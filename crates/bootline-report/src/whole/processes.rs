// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes of user space, and how busy processors and disks were.
use crate::document::Document;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::time_value::TimeValue;
use crate::wire::word;
use bootline_boot::{Boot, Process, ResourceUse};
use bootline_capture::units::Dur;

/// Rows of the table: those that used most.
const MOST: usize = 12;

/// The processes that used most processor time, and how busy the machine was; nothing where no source shows either.
pub(crate) fn processes(document: &mut Document, boot: &Boot) {
    let all = &boot.whole.processes;
    if let Some(used) = &boot.whole.resource_use {
        document.heading("Processors and disks");
        document.paragraph(sentence(used));
    }
    if all.is_empty() {
        return;
    }
    let mut longest: Vec<&Process> = all.iter().collect();
    longest.sort_by_key(|p| std::cmp::Reverse((p.cpu, p.length())));
    longest.truncate(MOST);
    let how_many = if all.len() > MOST { format!(", the first {MOST} of {}", all.len()) } else { String::new() };
    document.heading(format!("Processes by the processor time that they used{how_many}"));
    document.table(table(&longest));
}

fn table(processes: &[&Process]) -> Table {
    let mut table = Table::new([
        ("processor [s]", Align::Right, 0),
        ("I/O wait [s]", Align::Right, 3),
        ("from [s]", Align::Right, 1),
        ("to [s]", Align::Right, 2),
        ("pid", Align::Right, 4),
        ("shown by", Align::Left, 5),
        ("process", Align::Left, 0),
    ]);
    let shown = |d: Option<Dur>| d.map(|d| d.to_string()).unwrap_or_default();
    for p in processes {
        let cells = vec![
            shown(p.cpu),
            shown(p.io_wait),
            shown(p.start),
            shown(p.end),
            p.pid.to_string(),
            word(&p.by),
            p.args.clone().unwrap_or_else(|| p.name.clone()),
        ];
        table.row(cells, Style::Plain);
    }
    table
}

fn sentence(used: &ResourceUse) -> String {
    let time = |d| TimeValue::exact(d).short();
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mut parts = Vec::new();
    parts.extend(used.processor_busy.map(|s| format!("the processors worked for {} of their time", percent(s))));
    parts.extend(
        used.io_wait.map(|s| format!("they were idle for {} while a task waited for a block device", percent(s))),
    );
    parts.extend(used.disks.iter().map(|disk| {
        let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / (1u64 << 20) as f64);
        format!(
            "disk {} had requests for {} of the time ({} read, {} written)",
            disk.name,
            percent(disk.busy),
            mib(disk.read),
            mib(disk.written)
        )
    }));
    format!("From the first sample at {} to {}, {}.", time(used.from), time(used.to), parts.join("; "))
}
