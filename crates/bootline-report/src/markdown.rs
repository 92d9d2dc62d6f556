// SPDX-License-Identifier: MIT OR Apache-2.0
//! A document as Markdown, for the comments of a merge request on GitHub or GitLab (GFM: CommonMark with tables).
//!
//! | in the document | in Markdown |
//! | --- | --- |
//! | heading | `###`, the first one `##` |
//! | paragraph | paragraph |
//! | entries | a list; a label is bold, what continues it stays in its item |
//! | quotes from the log | one fenced block of text for those that follow each other |
//! | table | a table with its columns' alignment; empty columns left out |
//! | strong, cost, error | bold |
//! | setting | code |
//!
//! What a log says is hostile: it may bring tables, HTML, links and pictures, name people (`@somebody` sends mail to
//! them), close other issues (`#12`, `GH-12`, `group/project!3`), or give orders to GitLab (`/close`). Backslashes don't
//! help against the latter: names and numbers are looked for in what was rendered. So each word that holds anything but
//! letters, digits and plain punctuation becomes code, in which no forge looks for anything.
use std::fmt::Write as _;
use std::io::{self, Write};

use super::document::{Block, Document, Entry, Piece, Text};
use super::emitter::Emitter;
use super::escape::escaped;
use super::layout::breakable;
use super::style::Style;
use super::table::{Align, Table};

/// A document as Markdown.
#[derive(Clone, Copy, Debug)]
pub struct MarkdownEmitter<'a>(pub &'a Document);

impl Emitter for MarkdownEmitter<'_> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut headings = 0;
        let mut begun = false;
        for block in &self.0.blocks {
            let mut text = if begun { "\n".to_owned() } else { String::new() };
            match block {
                Block::Heading(words) => {
                    headings += 1;
                    let marks = if headings == 1 { "##" } else { "###" };
                    _ = writeln!(text, "{marks} {}", inline(words, Bold::Never));
                }
                Block::Paragraph(words) => {
                    text.push_str(&at_line_start(inline(words, Bold::AsStyled)));
                    text.push('\n');
                }
                Block::Entries(list) => entries(&mut text, list),
                Block::Table(table) => self::table(&mut text, table),
            }
            begun |= !text.is_empty();
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

/// Whether styles are shown.
#[derive(Clone, Copy, PartialEq)]
enum Bold {
    AsStyled,
    Never,
}

fn inline(text: &Text, bold: Bold) -> String {
    let mut out = String::new();
    for piece in &text.pieces {
        let (words, style) = match piece {
            Piece::Words(words, Style::Setting) => {
                spaced(&mut out, words, code);
                continue;
            }
            Piece::Words(words, style) => (prose(words), *style),
            Piece::TimeValue(figure, style) => (prose(&figure.full()), *style),
        };
        let strong = matches!(style, Style::Strong | Style::Cost | Style::Error | Style::Warning);
        if strong && bold == Bold::AsStyled {
            spaced(&mut out, &words, |w| format!("**{w}**"));
        } else {
            out.push_str(&words);
        }
    }
    out.trim().to_owned()
}

/// Marks around a text, its outer blanks outside of them: `** bold **` would be shown as it stands.
fn spaced(out: &mut String, text: &str, mark: impl Fn(&str) -> String) {
    let inner = text.trim_matches(' ');
    if inner.is_empty() {
        return out.push_str(text);
    }
    let lead = text.len() - text.trim_start_matches(' ').len();
    out.push_str(&text[..lead]);
    out.push_str(&mark(inner));
    out.push_str(&text[lead + inner.len()..]);
}

/// The words of a text; what our own text quotes in backticks is one: `` `setenv bootdelay 0` ``.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest {
        let one = text.split(' ').next().unwrap_or_default();
        let length = quote_length(text).filter(|length| *length > one.len()).unwrap_or(one.len());
        words.push(&text[..length]);
        rest = text[length..].strip_prefix(' ');
    }
    words
}

/// Length of the quote that a text begins with, with the punctuation around it, in bytes; none if it begins with none.
fn quote_length(text: &str) -> Option<usize> {
    let inner = text.trim_start_matches('(').strip_prefix('`').filter(|inner| !inner.starts_with([' ', '`']))?;
    let (quoted, after) = inner.split_once('`').filter(|(quoted, _)| !quoted.ends_with(' '))?;
    let tail = after.len() - after.trim_start_matches([',', ';', '.', ')']).len();
    let ends = after[tail..].is_empty() || after[tail..].starts_with(' ');
    ends.then(|| text.len() - inner.len() + quoted.len() + 1 + tail)
}

/// Text in which every word that a forge could interpret becomes code.
fn prose(text: &str) -> String {
    let text = breakable(&escaped(text));
    let mut out = String::new();
    // Code that goes on in the next word.
    let mut run = String::new();
    for (n, word) in words(&text).into_iter().enumerate() {
        // Prose's own punctuation stays outside.
        let inner = word.trim_start_matches('(');
        let (lead, core) = (&word[..word.len() - inner.len()], inner.trim_end_matches([',', ';', '.', ')']));
        // What our own text quotes in backticks is code without them.
        let quoted =
            core.strip_prefix('`').and_then(|c| c.strip_suffix('`')).filter(|c| !c.contains('`') && !c.is_empty());
        let goes_on = !is_plain(word) && quoted.is_none() && lead.is_empty() && !run.is_empty();
        if !goes_on {
            out.push_str(&code(&std::mem::take(&mut run)));
        }
        match n {
            0 => {}
            _ if goes_on => run.push(' '),
            _ => out.push(' '),
        }
        if is_plain(word) {
            out.push_str(word);
            continue;
        }
        out.push_str(lead);
        run.push_str(quoted.unwrap_or(core));
        let tail = &inner[core.len()..];
        if quoted.is_some() || !tail.is_empty() {
            out.push_str(&code(&std::mem::take(&mut run)));
            out.push_str(tail);
        }
    }
    out.push_str(&code(&run));
    out
}

/// Whether a word consists of letters, digits and ordinary punctuation in ordinary places.
fn is_plain(word: &str) -> bool {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | ';' | '(' | ')' | '\'' | '"' | '?' | '…');
    let inner = |c: char| plain(c) || matches!(c, '-' | '+' | '=' | '/' | '%');
    let inside = word.trim_matches(|c: char| "(),.;:\"'".contains(c));
    // A sign alone (`=`, `%`), a word of prose, a number with its sign.
    let sign = matches!(inside, "" | "=" | "%" | "+" | "-");
    let link = word.contains("://") || word.to_ascii_lowercase().contains("www.");
    let reference = word.to_ascii_uppercase().contains("GH-");
    let emoji = word.len() > 2 && word.starts_with(':') && word.ends_with(':');
    let order = inside.starts_with('/') || inside.starts_with('%');
    sign || word.chars().all(inner) && !link && !reference && !emoji && !order
}

/// As code: between more backticks than it contains in a row.
fn code(text: &str) -> String {
    let text = escaped(text);
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str, of: char) -> usize {
    let mut run = 0;
    text.chars()
        .map(|c| {
            if c == of {
                run += 1;
                run
            } else {
                run = 0;
                0
            }
        })
        .max()
        .unwrap_or(0)
}

/// At the beginning of a line, a sign or a numeral makes a list, a rule or a heading of it.
fn at_line_start(line: String) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 && matches!(line.as_bytes().get(digits + 1), None | Some(b' ')) => {
            format!("{}\\{}", &line[..digits], &line[digits..])
        }
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{line}"),
        _ => line,
    }
}

fn entries(out: &mut String, entries: &[Entry]) {
    let mut quoting = false;
    let mut listed = false;
    for entry in entries {
        if entry.quote != quoting {
            out.push_str(if !quoting { if listed { "\n```text\n" } else { "```text\n" } } else { "```\n" });
            if quoting {
                out.push('\n');
            }
            quoting = entry.quote;
        }
        if entry.quote {
            let body: String = entry.body.pieces.iter().map(plain).collect();
            // Indented by its label, no quotation can close the block.
            _ = writeln!(out, "{:>6}  {}", escaped(&entry.label), breakable(&body));
        } else if entry.label.is_empty() {
            _ = writeln!(
                out,
                "  {}{}",
                if listed { "" } else { "- " },
                at_line_start(inline(&entry.body, Bold::AsStyled))
            );
            listed = true;
        } else {
            _ = writeln!(out, "- **{}** {}", prose(&entry.label), inline(&entry.body, Bold::AsStyled));
            listed = true;
        }
    }
    if quoting {
        out.push_str("```\n");
    }
}

fn plain(piece: &Piece) -> String {
    match piece {
        Piece::Words(words, _) => escaped(words).into_owned(),
        Piece::TimeValue(figure, _) => figure.full(),
    }
}

fn table(out: &mut String, table: &Table) {
    let filled = |c: &usize| table.rows.is_empty() || table.rows.iter().any(|r| !r.cells[*c].is_empty());
    let shown: Vec<usize> = (0..table.columns.len()).filter(filled).collect();
    let line = |cells: &mut dyn Iterator<Item = String>| {
        format!("|{}\n", cells.map(|c| format!(" {c} |")).collect::<String>())
    };
    out.push_str(&line(&mut shown.iter().map(|&c| cell(&table.columns[c].title, Style::Plain))));
    let rule = |c: &usize| match table.columns[*c].align {
        Align::Left => ":--",
        Align::Right => "--:",
    };
    out.push_str(&line(&mut shown.iter().map(|c| rule(c).to_owned())));
    for row in &table.rows {
        out.push_str(&line(&mut shown.iter().map(|&c| cell(&row.cells[c], row.style))));
    }
    for note in shown.iter().filter_map(|&c| table.columns[c].note_in_words()) {
        _ = writeln!(out, "\n{}", at_line_start(inline(&note, Bold::AsStyled)));
    }
}

/// A bar parts cells even in code; there, too, a backslash keeps it. `[s]` is a unit, not a link, and stays readable.
fn cell(text: &str, style: Style) -> String {
    let words = match text.strip_suffix("[s]") {
        Some(name) => format!("{}\\[s\\]", prose(name)),
        None => prose(text),
    };
    let words = words.trim().replace('|', "\\|");
    match style {
        Style::Strong | Style::Error if !words.is_empty() => format!("**{words}**"),
        _ => words,
    }
}

#[cfg(test)]
mod tests;
