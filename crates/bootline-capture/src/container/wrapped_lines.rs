// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts whose long lines were broken on the way: by a mail program, which breaks at a blank, or by a terminal, which breaks at its
//! last column. A record's rest then stands on lines of its own, with or without what quotes it.
//!
//! ```text
//! > [    0.000000] Linux version
//! > 6.9.0-rc2-next-20240408-00042-g1a2b3c4d5e6f (jane@example.org) (gcc
//! 13.2.0) #1 SMP
//! ```
//! A line goes on with the next if that holds no record of its own and its first word had no room left. Nothing else in a log breaks
//! its lines in front of a common column.
use super::rewritten::Rewrite;

/// Broken lines that a text must have.
const FEWEST: usize = 4;
/// Different words that a terminal must have torn.
const FEWEST_TORN: usize = 2;
/// Columns of a text whose lines are broken.
const COLUMNS: std::ops::RangeInclusive<usize> = 32..=132;
/// Bytes of a line, once put together.
const LONGEST: usize = 4096;

/// How a text's lines were broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrapping {
    /// Length of the longest line that goes on.
    columns: usize,
    /// Whether lines were broken in that column, be it inside of a word.
    is_hard: bool,
}

/// How the lines of a text with this beginning were broken, if they were.
pub(super) fn detect(start: &[u8]) -> Option<Wrapping> {
    let mut broken: Vec<Break<'_>> = Vec::new();
    let mut whole: Vec<usize> = Vec::new();
    let mut previous: Option<&[u8]> = None;
    let mut is_any_torn = false;
    for line in start.split(|b| *b == b'\n').map(without_end) {
        if is_record(line) {
            previous.iter().for_each(|line| whole.push(line.len()));
            previous = Some(line);
        } else {
            let word = first_word(line);
            match previous.filter(|_| word > 0) {
                Some(before) => {
                    is_any_torn |= is_torn(before, line);
                    broken.push(Break { before, line, word });
                    previous = Some(line);
                }
                None => previous = None,
            }
        }
    }
    common_column(&broken, &whole).or_else(|| is_any_torn.then_some(Wrapping { columns: usize::MAX, is_hard: false }))
}

/// Where a line may have been broken.
#[derive(Clone, Copy)]
struct Break<'a> {
    before: &'a [u8],
    line: &'a [u8],
    /// Length of the first word after the break.
    word: usize,
}

impl Break<'_> {
    /// Length of the line before it.
    fn len(self) -> usize {
        self.before.trim_ascii_end().len()
    }

    /// Whether it tears a word.
    fn is_inside_word(self) -> bool {
        let ends = [self.before.last(), self.line.first()];
        ends.iter().all(|b| b.is_some_and(u8::is_ascii_alphanumeric))
    }
}

/// The column in front of which the lines were broken: from the lines that go on, and the lengths of those that don't.
fn common_column(broken: &[Break<'_>], whole: &[usize]) -> Option<Wrapping> {
    let columns = broken.iter().map(|b| b.len()).max().filter(|columns| COLUMNS.contains(columns))?;
    let wrapping = |is_hard| Wrapping { columns, is_hard };
    let most = |n: usize| n >= FEWEST && n * 10 >= broken.len() * 8;
    let too_long = whole.iter().filter(|len| **len > columns).count();
    if too_long * 20 > whole.len() + broken.len() {
        return None;
    }
    let in_column = || broken.iter().filter(|b| b.len() == columns);
    // Equal lengths alone prove nothing: a record that comes again and again is as long each time.
    let mut torn: Vec<&[u8]> = in_column().filter(|b| b.is_inside_word()).map(|b| b.before).collect();
    torn.sort_unstable();
    torn.dedup();
    if most(in_column().count()) && torn.len() >= FEWEST_TORN {
        return Some(wrapping(true));
    }
    let had_no_room = |b: &&Break<'_>| b.len() + 1 + b.word > columns;
    let mut lengths: Vec<usize> = broken.iter().filter(had_no_room).map(|b| b.len()).collect();
    let count = lengths.len();
    lengths.sort_unstable();
    lengths.dedup();
    (most(count) && lengths.len() > 1).then(|| wrapping(false))
}

/// Whether a record that shows the boot is broken between two lines, wherever that is.
fn is_torn(before: &[u8], line: &[u8]) -> bool {
    let (before, rest) = (before.trim_ascii_end(), unquoted(line));
    before.ends_with(b"Linux version") && rest.first().is_some_and(u8::is_ascii_digit)
        || before.ends_with(b"Freeing unused kernel") && rest.starts_with(b"memory: ")
        || rest.starts_with(b"as init process")
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line without what quotes it.
fn unquoted(line: &[u8]) -> &[u8] {
    let quoting = line.iter().take_while(|b| matches!(b, b'>' | b'|' | b' ' | b'\t')).count();
    &line[quoting..]
}

/// Length of the first word of a line, quotation aside.
fn first_word(line: &[u8]) -> usize {
    unquoted(line).iter().take_while(|b| !b.is_ascii_whitespace()).count()
}

/// Whether a line begins as one of a log: with a time, in whatever form.
fn is_record(line: &[u8]) -> bool {
    const NEAR: usize = 80;
    let text = unquoted(line);
    let near = &text[..text.len().min(NEAR)];
    let digits = |at: usize| near.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    // `[    1.234567` anywhere near; `10:11:12` in the first words, after a date or a weekday.
    let has_stamp = near.iter().enumerate().filter(|(_, b)| **b == b'[').any(|(at, _)| {
        let blanks = near[at + 1..].iter().take_while(|b| **b == b' ').count();
        let seconds = digits(at + 1 + blanks);
        let dot = at + 1 + blanks + seconds;
        seconds > 0 && near.get(dot) == Some(&b'.') && digits(dot + 1) >= 3
    });
    let has_time = (0..near.len().min(24)).any(|at| {
        digits(at) == 2 && digits(at + 3) == 2 && near.get(at + 2) == Some(&b':') && near.get(at + 5) == Some(&b':')
    });
    has_stamp || has_time
}

/// Puts the lines together again.
#[derive(Debug)]
pub(super) struct WrappedLines {
    wrapping: Wrapping,
    /// The line under way.
    line: Vec<u8>,
    /// Those before it that are one line, without the last one's end.
    joined: Vec<u8>,
    /// Length of the last of them.
    last: usize,
    /// Whether that one ended with a carriage return, too.
    has_cr: bool,
    /// Whether they begin with a record.
    is_open: bool,
}

impl WrappedLines {
    pub fn new(wrapping: Wrapping) -> WrappedLines {
        WrappedLines { wrapping, line: Vec::new(), joined: Vec::new(), last: 0, has_cr: false, is_open: false }
    }

    /// Whether the line under way goes on with those before it.
    fn goes_on(&self) -> bool {
        let line = without_end(&self.line);
        let Wrapping { columns, is_hard } = self.wrapping;
        let word = first_word(line);
        let had_no_room = if is_hard { self.is_full() } else { self.last <= columns && self.last + 1 + word > columns };
        let is_rest = word > 0 && had_no_room || is_torn(&self.joined, line);
        self.is_open && is_rest && !is_record(line) && self.joined.len() + line.len() < LONGEST
    }

    /// Whether the last line reaches a terminal's last column.
    fn is_full(&self) -> bool {
        self.wrapping.is_hard && self.last == self.wrapping.columns
    }

    fn give(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.joined);
        if self.is_open {
            out.extend_from_slice(if self.has_cr { b"\r\n" } else { b"\n" });
        }
        self.is_open = false;
    }

    /// Columns of a line: a terminal also breaks after a blank, which a mail program takes off.
    fn length(&self, line: &[u8]) -> usize {
        if self.wrapping.is_hard { line.len() } else { line.trim_ascii_end().len() }
    }

    /// Takes in the line under way, which has ended.
    fn end_line(&mut self, out: &mut Vec<u8>) {
        if self.goes_on() {
            let line = without_end(&self.line);
            let rest = if self.is_full() { line } else { unquoted(line) };
            if !self.is_full() && !self.joined.ends_with(b" ") {
                self.joined.push(b' ');
            }
            self.last = self.length(line);
            self.joined.extend_from_slice(rest);
            self.has_cr = self.line.ends_with(b"\r");
            return self.line.clear();
        }
        self.give(out);
        let line = without_end(&self.line);
        if is_record(line) && line.len() < LONGEST {
            self.last = self.length(line);
            self.joined.extend_from_slice(line);
            self.has_cr = self.line.ends_with(b"\r");
            self.is_open = true;
        } else {
            out.extend_from_slice(&self.line);
            out.push(b'\n');
        }
        self.line.clear();
    }
}

impl Rewrite for WrappedLines {
    fn byte(&mut self, b: u8, out: &mut Vec<u8>) {
        if b == b'\n' {
            self.end_line(out);
        } else if self.line.len() < LONGEST {
            self.line.push(b);
        } else {
            // No line that was broken is so long.
            self.give(out);
            out.append(&mut self.line);
            self.line.push(b);
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let is_cut_off = !self.line.is_empty();
        if is_cut_off {
            self.end_line(out);
        }
        self.give(out);
        if is_cut_off {
            // The end that was not there.
            out.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let found = detect(text.as_bytes()).map(|wrapping| joined(text, wrapping));
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    fn joined(text: &str, wrapping: Wrapping) -> String {
        let (mut rewrite, mut out) = (WrappedLines::new(wrapping), Vec::new());
        text.bytes().for_each(|b| rewrite.byte(b, &mut out));
        rewrite.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    const WHOLE: &str = "[    0.000000] Linux version 6.9.0-rc2-next-20240408 (a@b) (gcc 13.2.0) #1 SMP\n\
        [    0.000000] Machine model: Acme Board\n\
        [    0.000000] Dentry cache hash table entries: 65536 (order: 6, 262144 bytes)\n\
        [    0.500000] clocksource: timer1: mask: 0xffffffff max_cycles: 0xffffffff\n\
        [    1.000000] EXT4-fs (mmcblk0p2): mounted filesystem with ordered data mode\n";

    /// As a mail program breaks lines in front of a column, or a terminal in one.
    fn broken(text: &str, columns: usize, is_hard: bool, quote: &str) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let mut rest = line;
            while rest.len() > columns {
                let at = if is_hard { columns } else { rest[..=columns].rfind(' ').unwrap() };
                out += &format!("{quote}{}\n", &rest[..at]);
                rest = if is_hard { &rest[at..] } else { rest[at..].trim_start() };
            }
            out += &format!("{quote}{rest}\n");
        }
        out
    }

    #[test]
    fn lines_are_put_together() {
        for quote in ["", "> ", "> > "] {
            let whole: String = WHOLE.lines().map(|line| format!("{quote}{line}\n")).collect();
            for columns in [42, 60] {
                let text = broken(WHOLE, columns, false, quote);
                check(&format!("Hello,\n\n{text}\nregards\n"), Some(&format!("Hello,\n\n{whole}\nregards\n")));
            }
        }
        check(&broken(WHOLE, 40, true, ""), Some(WHOLE));
        let dos = |text: &str| text.replace('\n', "\r\n");
        check(&dos(&broken(WHOLE, 60, false, "")), Some(&dos(WHOLE)));
    }

    #[test]
    fn a_quotation_may_be_lost_on_the_way() {
        let quoted: String = WHOLE.lines().map(|line| format!("> {line}\n")).collect();
        check(&broken(&quoted, 62, false, ""), Some(&quoted));
    }

    #[test]
    fn the_records_that_show_the_boot_may_be_broken_anywhere() {
        let text = "> [    0.000000] Linux version\n> 6.9.0 (a@b) (gcc 13.2.0) #1\nprose\n> [    1.000000] Run /init\n> as init process\n";
        let whole = "> [    0.000000] Linux version 6.9.0 (a@b) (gcc 13.2.0) #1\nprose\n> [    1.000000] Run /init as init process\n";
        check(text, Some(whole));
    }

    #[test]
    fn a_tail_that_is_not_broken_stays() {
        let head = broken(WHOLE, 60, false, "");
        let long = format!("[    9.000000] {}\nStarting syslogd: OK\n[    9.1", "a long record ".repeat(6).trim_end());
        // Only the beginning of a text is looked at.
        let wrapping = detect(head.as_bytes()).unwrap();
        assert_eq!(joined(&format!("{head}{long}"), wrapping), format!("{WHOLE}{long}"));
    }

    #[test]
    fn a_terminal_breaks_after_a_blank_too() {
        let torn = broken(WHOLE, 40, true, "");
        let head = "[    0.000000] Linux version\n6.1.0 (a@b)";
        assert!(detect(format!("{torn}{head}").as_bytes()).is_some_and(|w| w.is_hard));
        check(&format!("{torn}{head}"), Some(&format!("{WHOLE}[    0.000000] Linux version 6.1.0 (a@b)")));
        let blank = format!("[    2.000000] {} \nb\n", "a".repeat(24));
        check(&format!("{torn}{blank}"), Some(&format!("{WHOLE}{}", blank.replacen(" \nb", " b", 1))));
    }

    #[test]
    fn whole_lines_stay() {
        check(WHOLE, None);
        let shell = "[    1.000000] a record of the kernel\nStarting syslogd: OK\n[    1.100000] b\nlogin: root\n";
        check(&shell.repeat(9), None);
        let units: String =
            WHOLE.lines().map(|line| format!("{line}\n[  OK  ] Started a unit of systemd.\n")).collect();
        check(&units.repeat(9), None);
        let again = "[    1.100000] random: dd: uninitialized urandom read (512 bytes read)\nStarting sshd: OK\n";
        check(&again.repeat(9), None);
    }
}
