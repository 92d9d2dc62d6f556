// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the whole boot: stages, the application, initcalls that only a trace shows, units, processes.
use std::io;

use super::row::Row;
use crate::wire::word;
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// Writes the rows, in the order of the trace's tracks.
pub(super) fn rows(boot: &Boot, write: &mut impl FnMut(Row<'_>) -> io::Result<()>) -> io::Result<()> {
    let whole = &boot.whole;
    for s in &whole.stages {
        write(between("stage", Some(s.start), Some(s.end), Row { name: word(&s.name).into(), ..Row::default() }))?;
    }
    if let Some(app) = &whole.application {
        let pid = app.process.and_then(|i| whole.processes.get(i)).map(|p| p.pid);
        let row =
            Row { name: app.name.as_str().into(), task: pid, first: app.record, last: app.record, ..Row::default() };
        write(between("application", app.start, Some(app.at), row))?;
    }
    for call in whole.traced_initcalls.iter().filter(|call| !call.in_log) {
        let (module, task, returned) = (call.module.as_deref(), Some(call.task), call.returned);
        let row = Row { name: call.name.as_str().into(), module, task, returned, ..Row::default() };
        write(between("traced-initcall", Some(call.start), call.end, row))?;
    }
    for unit in &whole.units {
        let row = Row { name: unit.name.as_str().into(), first: unit.first, last: unit.last, ..Row::default() };
        // Of some only the length is known.
        write(Row { gross: unit.activation(), ..between("unit", unit.activating, unit.up, row) })?;
    }
    for p in &whole.processes {
        let row = Row { name: p.name.as_str().into(), task: Some(p.pid), ..Row::default() };
        write(between("process", p.start, p.end, row))?;
    }
    Ok(())
}

fn between<'a>(kind: &'static str, start: Option<Dur>, end: Option<Dur>, row: Row<'a>) -> Row<'a> {
    Row { kind: kind.into(), start, end, gross: start.zip(end).map(|(from, to)| to - from), ..row }
}
