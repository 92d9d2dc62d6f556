// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stretches of a boot as CSV (RFC 4180), a row each: phases, the critical path, spans, waits, services, gaps, findings; and those
//! of the whole boot: stages, the application, units, processes.
mod row;
mod whole;

use std::io::{self, Write};

use super::critical_chain::DecidingChain;
use super::emitter::{BootEmitter, ReportedBoot};
use super::trace::cause;
use super::wire::word;
use bootline_capture::units::Dur;
use row::{HEADER, Row};

/// Boots as CSV, with one header for all.
#[derive(Debug, Default)]
pub struct Csv {
    opened: bool,
}

impl BootEmitter for Csv {
    fn boot(&mut self, boot: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.opened, true) {
            out.write_all(HEADER.as_bytes())?;
        }
        rows(boot, out)
    }
}

fn rows(reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
    let ReportedBoot { boot, findings, .. } = *reported;
    let number = reported.number();
    let clock = word(&boot.timeline.clock);
    let mut write = |row: Row<'_>| out.write_all(row.line(number, &clock).as_bytes());
    whole::rows(boot, &mut write)?;
    for p in &boot.phases {
        write(Row {
            kind: "phase".into(),
            name: word(&p.name).into(),
            start: Some(p.start),
            end: Some(p.end),
            gross: Some(p.length()),
            console: Some(p.console),
            net: Some((p.length() - p.console).max_zero()),
            first: Some(p.first),
            last: Some(p.last),
            ..Row::default()
        })?;
    }
    if let Some(shown) = DecidingChain::of(boot).shown(boot) {
        for link in &shown.chain.links {
            let (first, last) = shown.records(link);
            write(Row {
                kind: "critical-path".into(),
                name: shown.title(link).into(),
                start: Some(link.start),
                end: Some(link.end),
                gross: Some(link.length()),
                console: link.console,
                net: link.console.map(|_| link.net()),
                first,
                last,
                ..Row::default()
            })?;
        }
    }
    let mut drawn = vec![(0, 0); boot.spans().len()];
    for track in boot.tracks() {
        track.slices.iter().for_each(|bar| drawn[bar.span] = (track.number, bar.depth));
    }
    for (s, (track, depth)) in boot.spans().iter().zip(drawn) {
        write(Row {
            kind: word(&s.kind).into(),
            name: s.name.as_str().into(),
            module: s.module.as_deref(),
            task: s.task,
            track: Some(track),
            depth: Some(depth),
            start: Some(s.start),
            end: s.end,
            gross: s.end.map(|_| s.gross()),
            console: Some(s.console),
            net: s.end.map(|_| s.net()),
            own: s.end.map(|_| s.self_time()),
            reported: s.reported,
            returned: s.returned,
            first: Some(s.first),
            last: s.last,
        })?;
    }
    for w in boot.waits.iter() {
        let record = boot.records.get(w.index).map(|r| r.id);
        write(Row {
            kind: "wait".into(),
            name: cause(w.cause).into(),
            start: Some(w.from),
            end: Some(w.from + w.time.best()),
            gross: Some(w.time.best()),
            console: Some(w.time.best()),
            net: Some(Dur::ZERO),
            first: record,
            last: record,
            ..Row::default()
        })?;
    }
    for w in &boot.async_waits {
        write(Row {
            kind: "async-wait".into(),
            task: Some(w.task),
            start: Some(w.from),
            end: Some(w.to),
            gross: Some(w.to - w.from),
            first: Some(w.first),
            last: Some(w.last),
            ..Row::default()
        })?;
    }
    for s in &boot.services {
        write(Row {
            kind: "service".into(),
            name: s.name.as_str().into(),
            start: s.start,
            end: s.end,
            gross: s.start.zip(s.end).map(|(from, to)| to - from),
            first: Some(s.first),
            last: s.last,
            ..Row::default()
        })?;
    }
    for g in boot.gaps() {
        write(Row {
            kind: "gap".into(),
            start: Some(g.start),
            end: Some(g.start + g.length),
            gross: Some(g.length),
            console: Some(g.console),
            net: Some(g.net()),
            first: Some(g.after),
            last: Some(g.before),
            ..Row::default()
        })?;
    }
    for f in findings {
        write(Row {
            kind: "finding".into(),
            name: f.rule.title().into(),
            start: f.time_ranges.iter().map(|s| s.from).min(),
            end: f.time_ranges.iter().map(|s| s.to).max(),
            gross: Some(f.cost.best()),
            first: f.evidence.first().map(|e| e.id),
            last: f.evidence.last().map(|e| e.id),
            ..Row::default()
        })?;
    }
    Ok(())
}
