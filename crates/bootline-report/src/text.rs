// SPDX-License-Identifier: MIT OR Apache-2.0
//! A document on a terminal.
use std::io::{self, Write};

use super::document::{Block, Document, Entry};
use super::emitter::Emitter;
use super::escape::escaped;
use super::layout::{Run, breakable, cut, cut_start, flat, width, wrap};
use super::style::Style;
use super::table::{Align, Table};

/// The terminal's properties, as detected by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Width in columns; at least 40.
    pub width: usize,
    /// Whether to send colours.
    pub color: bool,
}

/// Maximum width of prose, in columns, for readability.
const PROSE: usize = 110;
const LEAST_WIDTH: usize = 40;
const INDENT: usize = 2;

/// A document as lines of text.
#[derive(Clone, Copy, Debug)]
pub struct TextEmitter<'a> {
    /// The document.
    pub document: &'a Document,
    /// Where it is shown.
    pub options: TextOptions,
}

impl Emitter for TextEmitter<'_> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(text(self.document, &self.options).as_bytes())
    }
}

/// The document as lines of text.
pub fn text(document: &Document, options: &TextOptions) -> String {
    let width = options.width.max(LEAST_WIDTH);
    let mut r = Renderer { out: String::new(), width, color: options.color };
    for (n, block) in document.blocks.iter().enumerate() {
        if n > 0 {
            // Entries belong to the heading or paragraph before them.
            let belongs = matches!(block, Block::Entries(_) | Block::Table(_))
                && matches!(document.blocks[n - 1], Block::Heading(_));
            if !belongs {
                r.out.push('\n');
            }
        }
        r.block(block);
    }
    r.out
}

struct Renderer {
    out: String,
    width: usize,
    color: bool,
}

impl Renderer {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) | Block::Paragraph(text) => {
                let strong = matches!(block, Block::Heading(_));
                for mut line in wrap(text, self.width.min(PROSE)) {
                    for run in &mut line {
                        if strong && run.style == Style::Plain {
                            run.style = Style::Strong;
                        }
                    }
                    self.runs(&line);
                    self.out.push('\n');
                }
            }
            Block::Entries(entries) => self.entries(entries),
            Block::Table(table) => self.table(table),
        }
    }

    fn entries(&mut self, entries: &[Entry]) {
        let labels = entries.iter().map(|e| width(&escaped(&e.label))).max().unwrap_or(0).min(24);
        // Labels are right-aligned in a gutter, next to what they label.
        let body_at = INDENT + labels + 2;
        for entry in entries {
            let label = cut_start(&escaped(&entry.label), labels);
            let pad = INDENT + labels - width(&label);
            self.out.extend(std::iter::repeat_n(' ', pad));
            let label_style = if entry.quote { Style::Faint } else { Style::Strong };
            self.runs(&[Run { text: label, style: label_style }]);
            self.out.push_str("  ");
            if entry.quote {
                self.runs(&[Run { text: "| ".to_owned(), style: Style::Faint }]);
                let line: String = flat(&entry.body).into_iter().map(|r| r.text).collect();
                self.out.push_str(&cut(&line, self.width.saturating_sub(body_at + 2)));
                self.end_line();
                continue;
            }
            for (n, line) in wrap(&entry.body, self.width.min(PROSE) - body_at).iter().enumerate() {
                if n > 0 {
                    self.out.extend(std::iter::repeat_n(' ', body_at));
                }
                self.runs(line);
                self.end_line();
            }
        }
    }

    fn table(&mut self, table: &Table) {
        let cells: Vec<Vec<String>> =
            table.rows.iter().map(|r| r.cells.iter().map(|c| breakable(&escaped(c))).collect()).collect();
        let widths: Vec<usize> = (0..table.columns.len())
            .map(|c| cells.iter().map(|row| width(&row[c])).chain([width(&table.columns[c].title)]).max().unwrap_or(0))
            .collect();
        // A column without any content is omitted.
        let filled = |c: usize| table.rows.is_empty() || cells.iter().any(|row| !row[c].is_empty());
        let mut shown: Vec<usize> = (0..table.columns.len()).filter(|c| filled(*c)).collect();
        let flexible = |shown: &[usize]| shown.iter().rev().copied().find(|c| table.columns[*c].align == Align::Left);
        let least = |shown: &[usize]| {
            let flexible = flexible(shown);
            let sum: usize =
                shown.iter().map(|&c| if Some(c) == flexible { widths[c].min(24) } else { widths[c] }).sum();
            INDENT + sum + 2 * shown.len().saturating_sub(1)
        };
        while least(&shown) > self.width {
            let Some(at) = (0..shown.len())
                .filter(|&i| table.columns[shown[i]].drop > 0)
                .max_by_key(|&i| table.columns[shown[i]].drop)
            else {
                break;
            };
            shown.remove(at);
        }
        let flexible = flexible(&shown);
        let fixed: usize = shown.iter().filter(|c| Some(**c) != flexible).map(|&c| widths[c] + 2).sum();
        let room = self.width.saturating_sub(INDENT + fixed).max(8);
        let column_width = |c: usize| if Some(c) == flexible { widths[c].min(room) } else { widths[c] };
        let titles: Vec<String> = table.columns.iter().map(|c| c.title.clone()).collect();
        let header = std::iter::once((&titles, Style::Faint));
        for (row, style) in header.chain(cells.iter().zip(table.rows.iter().map(|r| r.style))) {
            let mut line = String::new();
            for &c in &shown {
                line.push_str("  ");
                let text = cut(&row[c], column_width(c));
                let pad = column_width(c) - width(&text);
                let pad = || std::iter::repeat_n(' ', pad);
                match table.columns[c].align {
                    Align::Left => {
                        line.push_str(&text);
                        line.extend(pad());
                    }
                    Align::Right => {
                        line.extend(pad());
                        line.push_str(&text);
                    }
                }
            }
            line.truncate(line.trim_end().len());
            self.runs(&[Run { text: line, style }]);
            self.out.push('\n');
        }
        for note in shown.iter().filter_map(|&c| table.columns[c].note_in_words()) {
            for line in wrap(&note, self.width.min(PROSE) - INDENT) {
                self.out.extend(std::iter::repeat_n(' ', INDENT));
                self.runs(&line);
                self.end_line();
            }
        }
    }

    fn runs(&mut self, runs: &[Run]) {
        for run in runs {
            let code = if self.color { sgr(run.style) } else { "" };
            if code.is_empty() || run.text.is_empty() {
                self.out.push_str(&run.text);
            } else {
                self.out.push_str(code);
                self.out.push_str(&run.text);
                self.out.push_str("\x1b[0m");
            }
        }
    }

    fn end_line(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
    }
}

fn sgr(style: Style) -> &'static str {
    match style {
        Style::Plain => "",
        Style::Strong => "\x1b[1m",
        Style::Faint => "\x1b[2m",
        Style::Cost => "\x1b[1;33m",
        Style::Setting => "\x1b[36m",
        Style::Error => "\x1b[1;31m",
        Style::Warning => "\x1b[1;35m",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_is_not_shown_is_not_explained() {
        let mut table = Table::new([
            ("activation [s]", Align::Right, 0),
            ("queue [s]", Align::Right, 1),
            ("unit", Align::Left, 0),
            ("empty", Align::Left, 2),
        ]);
        table.note("queue [s]", "until it began");
        table.note("empty", "nothing");
        let cells = ["2.5", "1.5", "a-unit-of-a-name-of-more-than-24-bytes", ""];
        table.row(cells.map(str::to_owned).to_vec(), Style::Plain);
        let mut document = Document::default();
        document.table(table);
        let shown = |width| text(&document, &TextOptions { width, color: false });
        assert!(shown(80).ends_with("bytes\n  queue: until it began\n"), "{}", shown(80));
        assert!(shown(40).contains("activation [s]") && !shown(40).contains("queue"), "{}", shown(40));
    }
}
