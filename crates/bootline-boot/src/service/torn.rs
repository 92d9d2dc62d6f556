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
use bootline_records::{RecordOrigin, RecordSet};

/// A line is not torn by more records than this.
const MOST_BETWEEN: usize = 4;

/// The whole lines, by the positions of the records that they begin in. O(n) in records.
pub(super) fn whole_lines(records: &RecordSet) -> HashMap<usize, String> {
    let whole = |index: usize| {
        let of_kernel = |i: usize| records.get(i).is_some_and(|r| r.source == RecordOrigin::Kernel);
        // Most records follow one of their own kind: parsing comes last.
        let first = records.get(index).filter(|r| r.source == RecordOrigin::Other && of_kernel(index + 1))?;
        let rest = (index + 2..=index + 1 + MOST_BETWEEN).find(|i| !of_kernel(*i)).and_then(|i| records.get(i))?;
        let whole = format!("{}{}", first.text, rest.text);
        let is_it = is_torn(first.text) && !is_torn(&whole) && systemd::parse(rest.text).is_none();
        is_it.then_some((index, whole))
    };
    (0..records.len()).filter_map(whole).collect()
}

/// Whether it is systemd's and lacks its end: all its lines about units end so.
fn is_torn(text: &str) -> bool {
    text.starts_with(['[', ' ']) && !text.trim_end().ends_with(['.', '\u{2026}']) && systemd::parse(text).is_some()
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
        // Whole ones, ones that nothing interrupted, and ones that go on with another line.
        check(&["[  OK  ] Reached target a.target - A.\n", kernel, "te-fs.target - Remote File Systems.\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", "te-fs.target - Remote File Systems.\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", kernel, "[  OK  ] Reached target b.target - B.\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", kernel, "te-fs.target\n"], &[]);
        check(&["[  OK  ] Reached target remo\n", kernel], &[]);
        check(&["hello\n", kernel, "world.\n"], &[]);
    }
}
