// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wraps text to a given width.
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::document::{Piece, Text};
use super::escape::escaped;
use super::style::Style;

/// Text of one style on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub text: String,
    pub style: Style,
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// As much of the text as fits, with a mark where it was cut.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// As much of the end of a text as fits, of a path whole names if possible: `…/journal.export.gz`.
pub(super) fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let fits = |end: &&str| width(end) <= room;
    let names = text.match_indices('/').map(|(at, _)| &text[at..]).find(fits);
    let end = names.or_else(|| text.char_indices().map(|(at, _)| &text[at..]).find(fits)).unwrap_or_default();
    if columns > 0 { format!("…{end}") } else { String::new() }
}

/// One word: runs without a line break between them.
#[derive(Default)]
struct Word {
    runs: Vec<Run>,
    width: usize,
}

/// Breaks at blanks; a word wider than a line is broken where the line ends.
pub(super) fn wrap(text: &Text, columns: usize) -> Vec<Vec<Run>> {
    let columns = columns.max(8);
    let mut lines: Vec<Vec<Run>> = Vec::new();
    let mut line: Vec<Run> = Vec::new();
    let mut used = 0;
    for word in words(text) {
        if used > 0 && used + 1 + word.width > columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            // The blank takes the style that both neighbours share.
            let before = line.last().map(|r| r.style);
            let style = before.filter(|s| word.runs.first().is_some_and(|r| r.style == *s)).unwrap_or_default();
            push(&mut line, " ", style);
            used += 1;
        }
        for run in word.runs {
            for c in run.text.chars() {
                let w = c.width().unwrap_or(0);
                if used + w > columns {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                push(&mut line, c.encode_utf8(&mut [0; 4]), run.style);
                used += w;
            }
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The text on one line, escaped.
pub(super) fn flat(text: &Text) -> Vec<Run> {
    let plain = |run: Run| Run { text: breakable(&run.text), ..run };
    text.pieces.iter().map(|piece| plain(run_of(piece))).collect()
}

fn push(line: &mut Vec<Run>, text: &str, style: Style) {
    match line.last_mut() {
        Some(run) if run.style == style => run.text.push_str(text),
        _ => line.push(Run { text: text.to_owned(), style }),
    }
}

/// A figure stays together with its unit; what is shown has ordinary blanks.
const NO_BREAK: char = '\u{a0}';

/// Replaces non-breaking blanks by ordinary ones.
pub(super) fn breakable(text: &str) -> String {
    text.replace(NO_BREAK, " ")
}

fn run_of(piece: &Piece) -> Run {
    match piece {
        Piece::Words(words, style) => Run { text: escaped(words).into_owned(), style: *style },
        Piece::TimeValue(figure, style) => Run { text: figure.full().replace(" s", "\u{a0}s"), style: *style },
    }
}

fn words(text: &Text) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for piece in &text.pieces {
        let run = run_of(piece);
        for (n, part) in run.text.split(' ').enumerate() {
            if n > 0 {
                words.push(Word::default());
            }
            if part.is_empty() {
                continue;
            }
            let word = words.last_mut().expect("never empty");
            let part = breakable(part);
            word.width += width(&part);
            word.runs.push(Run { text: part, style: run.style });
        }
    }
    words.retain(|w| !w.runs.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeValue;
    use bootline_capture::units::Dur;

    fn lines(text: &Text, columns: usize) -> Vec<String> {
        wrap(text, columns).into_iter().map(|l| l.into_iter().map(|r| r.text).collect()).collect()
    }

    #[test]
    fn of_a_path_the_end_is_kept() {
        let check = |text: &str, columns, want: &str| assert_eq!(cut_start(text, columns), want);
        check("boots/journal.export.gz", 24, "boots/journal.export.gz");
        check("corpus-systems/x86/journal.export.gz", 24, "…/x86/journal.export.gz");
        check("corpus-systems/x86/journal.export.gz", 22, "…/journal.export.gz");
        check("boots/systemctl-show-manager.txt", 12, "…manager.txt");
        check("起動/分析", 6, "…/分析");
        check("a", 0, "");
    }

    #[test]
    fn wraps_between_words() {
        let check = |text: Text, columns, want: &[&str]| assert_eq!(lines(&text, columns), want);
        check("one two three".into(), 8, &["one two", "three"]);
        check("".into(), 8, &[""]);
        check("0123456789ab c".into(), 8, &["01234567", "89ab c"]);
        check("起動時間の分析".into(), 8, &["起動時間", "の分析"]);
        let figure = Text::from("it took ").figure(TimeValue::exact(Dur::from_secs(1))).words(", no more");
        check(figure, 14, &["it took", "1.000000 s, no", "more"]);
    }

    #[test]
    fn cuts_show() {
        let check = |text, columns, want| assert_eq!(cut(text, columns), want);
        check("short", 5, "short");
        check("longer", 5, "long…");
        check("起動時間", 5, "起動…");
        check("起動時間", 4, "起…");
        check("ab", 0, "");
    }
}
