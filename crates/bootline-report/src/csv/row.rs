// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row, and how its cells are written.
//!
//! What a spreadsheet takes for a formula it runs, and a log can hold one (`=cmd|...`): text that begins with `=`, `+`,
//! `-` or `@` gets a `'` in front, which spreadsheets take for "this is text". Control characters are shown by their
//! code, so that a cell never holds a line end.
use std::borrow::Cow;
use std::fmt::Write as _;

use crate::escape::escaped;
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The columns.
pub(super) const HEADER: &str = "boot,kind,name,module,task,track,depth,start_s,end_s,gross_s,console_s,net_s,self_s,reported_s,returned,first_record,last_record,clock\r\n";

/// One stretch; what it has not stays empty.
#[derive(Default)]
pub(super) struct Row<'a> {
    pub kind: Cow<'static, str>,
    pub name: Cow<'a, str>,
    pub module: Option<&'a str>,
    pub task: Option<u32>,
    pub track: Option<usize>,
    pub depth: Option<usize>,
    pub start: Option<Dur>,
    pub end: Option<Dur>,
    pub gross: Option<Dur>,
    pub console: Option<Dur>,
    pub net: Option<Dur>,
    pub own: Option<Dur>,
    pub reported: Option<Dur>,
    pub returned: Option<i32>,
    pub first: Option<RecordId>,
    pub last: Option<RecordId>,
}

impl Row<'_> {
    /// The row as a line, of a boot by its number.
    pub fn line(&self, boot: usize, clock: &str) -> String {
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
