// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stretches of a boot as CSV (RFC 4180), a row each: phases, the critical chain, spans, waits, services, gaps,
//! findings.
//!
//! What a spreadsheet takes for a formula it runs, and a log can hold one (`=cmd|...`): text that begins with `=`, `+`,
//! `-` or `@` gets a `'` in front, which spreadsheets take for "this is text". Control characters are shown by their
//! code, so that a cell never holds a line end.
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::emitter::{BootEmitter, ReportedBoot};
use super::escape::escaped;
use super::trace::cause;
use super::wire::word;
use bootline_analysis::critical_path::CriticalPath;
use bootline_capture::units::Dur;
use bootline_records::RecordId;

const HEADER: &str = "boot,kind,name,module,task,track,depth,start_s,end_s,gross_s,console_s,net_s,self_s,reported_s,returned,first_record,last_record,clock\r\n";

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

/// One stretch; what it has not stays empty.
#[derive(Default)]
struct Row<'a> {
    kind: Cow<'static, str>,
    name: Cow<'a, str>,
    module: Option<&'a str>,
    task: Option<u32>,
    track: Option<usize>,
    depth: Option<usize>,
    start: Option<Dur>,
    end: Option<Dur>,
    gross: Option<Dur>,
    console: Option<Dur>,
    net: Option<Dur>,
    own: Option<Dur>,
    reported: Option<Dur>,
    returned: Option<i32>,
    first: Option<RecordId>,
    last: Option<RecordId>,
}

fn rows(reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
    let ReportedBoot { boot, findings, .. } = *reported;
    let number = reported.number();
    let clock = word(&boot.timeline.clock);
    let mut write = |row: Row<'_>| out.write_all(row.line(number, &clock).as_bytes());
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
    for s in CriticalPath::of(boot).iter().flat_map(|c| &c.segments) {
        write(Row {
            kind: "critical-path".into(),
            name: s.kind.title().into(),
            start: Some(s.start),
            end: Some(s.end),
            gross: Some(s.length()),
            console: Some(s.console),
            net: Some(s.net()),
            first: s.first,
            last: s.last,
            ..Row::default()
        })?;
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

impl Row<'_> {
    fn line(&self, boot: usize, clock: &str) -> String {
        let mut line = boot.to_string();
        let mut cell = |value: Option<String>| _ = write!(line, ",{}", value.unwrap_or_default());
        cell(Some(text(&self.kind)));
        cell(Some(text(&self.name)));
        cell(self.module.map(text));
        cell(self.task.map(|n| n.to_string()));
        cell(self.track.map(|n| n.to_string()));
        cell(self.depth.map(|n| n.to_string()));
        for time in [self.start, self.end, self.gross, self.console, self.net, self.own, self.reported] {
            cell(time.map(|t| t.to_string()));
        }
        cell(self.returned.map(|n| n.to_string()));
        cell(self.first.map(|id| id.to_string()));
        cell(self.last.map(|id| id.to_string()));
        cell(Some(clock.to_owned()));
        line.push_str("\r\n");
        line
    }
}

/// What begins a formula; some spreadsheets take the wide forms for the same.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// A cell of text.
fn text(text: &str) -> String {
    let guard = if text.trim_start().starts_with(FORMULA) { "'" } else { "" };
    let text = format!("{guard}{}", escaped(text));
    // Blanks at the ends are part of a cell, but not every reader keeps them without quotes.
    let plain = !text.contains([',', '"', ';', '\'']) && text.trim().len() == text.len();
    if plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        let check = |given, want| assert_eq!(text(given), want);
        check("acpi_init", "acpi_init");
        check("0000:00:02.0", "0000:00:02.0");
        check("a,b", "\"a,b\"");
        check("say \"hi\"", "\"say \"\"hi\"\"\"");
        check("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"");
        check("@SUM(1)", "\"'@SUM(1)\"");
        check("-1", "\"'-1\"");
        check(" +1", "\"' +1\"");
        check("\u{ff1d}1+1", "\"'\u{ff1d}1+1\"");
        check("\t=1", "\"'\\t=1\"");
        check("a\r\nb\x1b[2J", "a\\r\\nb\\x1b[2J");
    }

    #[test]
    fn a_row_has_the_headers_columns() {
        let line = Row::default().line(1, "kernel");
        assert_eq!(line.matches(',').count(), HEADER.matches(',').count());
    }
}
