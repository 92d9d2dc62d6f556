// SPDX-License-Identifier: MIT OR Apache-2.0
//! systemd's lines on the console that a record of the kernel interrupted.
//!
//! ```text
//! [  OK  ] Reached target remo
//! [    4.983724] systemd[1]: Reached target slices.target - Slice Units.
//! te-fs.target - Remote File Systems.
//! ```
//! printk waits for the transmitter itself, and goes before what a program has written to the terminal and is still to be sent.
use std::collections::HashMap;

use super::systemd;
use bootline_records::source::is_unit_name;
use bootline_records::{RecordOrigin, RecordSet};

/// Two pieces of a line have no more records between them than this.
const MOST_BETWEEN: usize = 4;

/// A line has no more pieces than this: at 9600 baud the kernel's records come between any few characters.
const MOST_PIECES: usize = 12;

/// A line in pieces.
pub(super) struct TornLine {
    /// Positions of the records that it consists of.
    pub pieces: Vec<usize>,
    pub whole: String,
}

/// The whole lines about units, by the positions of the records that they begin in. O(n) in records.
pub(super) fn whole_lines(records: &RecordSet) -> HashMap<usize, String> {
    let is_about_unit = |line: &TornLine| systemd::parse(&line.whole).is_some();
    torn_lines(records).filter(is_about_unit).map(|line| (line.pieces[0], line.whole)).collect()
}

/// What begins as systemd's lines do, was interrupted, and has an end. O(n) in records.
pub(super) fn torn_lines(records: &RecordSet) -> impl Iterator<Item = TornLine> {
    let of_kernel = |i: usize| records.get(i).is_some_and(|r| r.source == RecordOrigin::Kernel);
    let torn_line = move |index: usize| {
        // Most records follow one of their own kind: parsing comes last.
        let first = records.get(index).filter(|r| r.source == RecordOrigin::Other && of_kernel(index + 1))?;
        if !begins(first.text) || !is_torn(first.text) {
            return None;
        }
        let mut line = TornLine { pieces: vec![index], whole: first.text.to_owned() };
        let mut last = index;
        for _ in 1..MOST_PIECES {
            let next = (last + 2..=last + 1 + MOST_BETWEEN).find(|i| !of_kernel(*i)).filter(|_| of_kernel(last + 1))?;
            let piece = records.get(next)?.text;
            if begins(piece) && systemd::parse(piece).is_some() {
                return None;
            }
            line.whole += without_escape(&line.whole, piece);
            line.pieces.push(next);
            last = next;
            if !is_torn(&line.whole) {
                return Some(line);
            }
        }
        None
    };
    (0..records.len()).filter_map(torn_line)
}

/// Whether it begins as all of systemd's lines do: with a state in brackets, or as much room.
fn begins(text: &str) -> bool {
    ["[  OK", "[FAILED", "[DEPEND", "[ TIME", systemd::NO_STATUS].iter().any(|state| text.starts_with(state))
}

/// Whether it lacks its end: all of systemd's lines about units end so.
fn is_torn(text: &str) -> bool {
    !text.trim_end().ends_with(['.', '\u{2026}'])
}

/// A piece without what the one before it left of an escape sequence: `[0m]`, `0;1;39mdbus.socket`. Such a sequence comes before a unit's
/// name and after it. After a name, a piece that begins with only the sequence's last letter is recognised, too.
fn without_escape<'p>(before: &str, piece: &'p str) -> &'p str {
    let numbers = piece.strip_prefix('[').unwrap_or(piece);
    let rest = numbers.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    let Some(after) = rest.strip_prefix('m') else { return piece };
    let has_numbers = rest.len() < numbers.len();
    let behind_name = || before.rsplit(' ').next().is_some_and(is_unit_name) && after.starts_with(' ');
    if has_numbers || behind_name() { after } else { piece }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BootRecords;

    #[test]
    fn a_line_that_the_kernel_interrupted_is_one() {
        let kernel = "[    4.983724] systemd[1]: Reached target slices.target - Slice Units.\n";
        let check = |lines: &[&str], expected: &[&str]| {
            let log = format!("[    0.000000] Linux version 6.12\n{}", lines.concat());
            let records = BootRecords::all(log.as_bytes()).remove(0);
            let found = whole_lines(&records.records);
            let mut found: Vec<(&usize, &String)> = found.iter().collect();
            found.sort();
            let found: Vec<&str> = found.into_iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(found, expected, "{log}");
        };
        let whole = ["[  OK  ] Reached target remote-fs.target - Remote File Systems."];
        check(&["[  OK  ] Reached target remo\n", kernel, "te-fs.target - Remote File Systems.\n"], &whole);
        check(&["[  OK  ] Reached target remo\n", kernel, kernel, "te-fs.target - Remote File Systems.\n"], &whole);
        let (in_two, rest) = ("te-fs.target - Re", "mote File Systems.\n");
        check(&["[  OK  ] Reached target remo\n", kernel, &format!("{in_two}\n"), kernel, rest], &whole);
        check(&["[  OK\n", kernel, "  ] Reached target remote-fs.target - Remote File Systems.\n"], &whole);
        // Torn within an escape sequence.
        check(&["[  OK  \n", kernel, "0m] Reached target remote-fs.target - Remote File Systems.\n"], &whole);
        check(&["[  OK  ] Reached target \n", kernel, "[0;1;39mremote-fs.target - Remote File Systems.\n"], &whole);
        check(&["[  OK  ] Reached target remote-fs.target\n", kernel, "m - Remote File Systems.\n"], &whole);
        check(
            &["[  OK  ] Reached target progra\n", kernel, "m.target - A program.\n"],
            &["[  OK  ] Reached target program.target - A program."],
        );
        // Whole ones, ones that nothing interrupted, and ones that go on with another line.
        check(&["[  OK  ] Reached target a.target - A.\n", kernel, "te-fs.target - Remote File Systems.\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", "te-fs.target - Remote File Systems.\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", kernel, "[  OK  ] Reached target b.target - B.\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", kernel, "te-fs.target\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", kernel], &[]);
        check(&["hello\n", kernel, "world.\n"], &[]);
    }
}
