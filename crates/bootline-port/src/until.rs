// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waits for a line that matches a pattern.
use std::ops::ControlFlow;

use regex::bytes::Regex;

use super::control_filter::ControlFilter;

/// What is kept of a line without end.
const LONGEST_LINE: usize = 4096;

/// Watches a stream of bytes for a line that matches. A line also counts while it is incomplete (`login: ` has no end).
///
/// Control sequences and carriage returns are not part of the line. Of a line without end the last 4 KiB are looked at.
#[derive(Debug)]
pub struct Until {
    pattern: Regex,
    plain: ControlFilter,
    line: Vec<u8>,
    matched: Option<Vec<u8>>,
}

impl Until {
    /// Waits for `pattern`.
    pub fn new(pattern: Regex) -> Until {
        Until { pattern, plain: ControlFilter::default(), line: Vec::new(), matched: None }
    }

    /// Takes the next bytes. `Break` once a line has matched and is complete.
    pub fn push(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        for part in bytes.split_inclusive(|&b| b == b'\n') {
            let (text, complete) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            self.plain.push(text, &mut self.line);
            if self.matched.is_some() || self.pattern.is_match(&self.line) {
                self.matched = Some(self.line.clone());
            }
            if complete {
                if self.matched.is_some() {
                    return ControlFlow::Break(());
                }
                self.line.clear();
            } else if self.line.len() > LONGEST_LINE * 2 {
                self.line.drain(..self.line.len() - LONGEST_LINE);
            }
        }
        ControlFlow::Continue(())
    }

    /// The line that matched, so far as it has arrived.
    pub fn matched(&self) -> Option<&[u8]> {
        self.matched.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes `text` in pieces; gives the line that matched and whether it was complete.
    fn push(pattern: &str, text: &[u8], piece: usize) -> (Option<String>, bool) {
        let mut until = Until::new(Regex::new(pattern).unwrap());
        let done = text.chunks(piece).any(|part| until.push(part).is_break());
        (until.matched().map(|m| String::from_utf8_lossy(m).into_owned()), done)
    }

    #[track_caller]
    fn check(pattern: &str, text: &[u8], expected: (Option<&str>, bool)) {
        for piece in [1, 2, 3, 7, text.len()] {
            let (line, done) = push(pattern, text, piece);
            assert_eq!((line.as_deref(), done), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_line_matches_across_any_borders() {
        check("Run .* as init", b"one\r\nRun /init as init process\r\n", (Some("Run /init as init process"), true));
        check("login: ", b"Debian\r\n\r\nboard login: ", (Some("board login: "), false));
        check("^b$", b"ab\r\nb\r\n", (Some("b"), true));
        check("\\[  OK  \\]", b"[\x1b[0;32m  OK  \x1b[0m] Started\n", (Some("[  OK  ] Started"), true));
    }

    #[test]
    fn what_is_not_there_does_not_match() {
        check("login: ", b"one\ntwo login", (None, false));
        check("onetwo", b"one\ntwo\n", (None, false));
    }

    #[test]
    fn a_line_without_end_is_bounded_and_still_matches() {
        let mut until = Until::new(Regex::new("needle").unwrap());
        for _ in 0..100 {
            assert!(until.push(&[b'x'; 10_000]).is_continue());
            assert!(until.line.len() <= LONGEST_LINE * 2 + 10_000);
        }
        assert!(until.push(b"needle\n").is_break());
    }
}
