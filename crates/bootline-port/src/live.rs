// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture on the screen while it is recorded: each line with its arrival time, and no control sequences.
use std::fmt::Write;

use bootline_capture::ChunkTime;
use bootline_capture::units::HostTime;

use super::control_filter::ControlFilter;

/// Turns chunks into lines such as `[ 12.345678 +0.000123] text`: the arrival of the line's first byte, and the time
/// since the previous line.
///
/// Escape sequences are dropped. Other control characters, and characters that reorder text, are shown as `\x07` or
/// `\u{202e}`; bytes that are not UTF-8 as `\xff`.
#[derive(Debug, Default)]
pub struct LiveText {
    plain: ControlFilter,
    /// The beginning of a character whose rest has not arrived.
    cut: Vec<u8>,
    in_line: bool,
    line_before: Option<HostTime>,
}

impl LiveText {
    /// Appends the display of a chunk to `out`; an incomplete line is shown as far as it has arrived.
    pub fn push(&mut self, time: ChunkTime, bytes: &[u8], out: &mut String) {
        let mut at = 0;
        for part in bytes.split_inclusive(|&b| b == b'\n') {
            let mut text = std::mem::take(&mut self.cut);
            self.plain.push(part, &mut text);
            if !self.in_line && !text.is_empty() {
                self.stamp(time.at(at, bytes.len()), out);
                self.in_line = true;
            }
            at += part.len();
            if text.last() == Some(&b'\n') {
                text.pop();
                self.show(&text, true, out);
                out.push('\n');
                self.in_line = false;
            } else {
                self.show(&text, false, out);
            }
        }
    }

    /// Ends an incomplete line, so that something else can be printed.
    pub fn break_line(&mut self, out: &mut String) {
        let cut = std::mem::take(&mut self.cut);
        self.show(&cut, true, out);
        if std::mem::take(&mut self.in_line) {
            out.push('\n');
        }
    }

    fn stamp(&mut self, at: HostTime, out: &mut String) {
        let step = at - self.line_before.unwrap_or(at);
        self.line_before = Some(at);
        // Writing into a String can't fail.
        let _ = write!(out, "[{:>12} +{step}] ", at.to_string());
    }

    fn show(&mut self, text: &[u8], whole: bool, out: &mut String) {
        for chunk in text.utf8_chunks() {
            for c in chunk.valid().chars() {
                if is_safe(c) {
                    out.push(c);
                } else if c.is_ascii() {
                    let _ = write!(out, "\\x{:02x}", c as u32);
                } else {
                    let _ = write!(out, "\\u{{{:x}}}", c as u32);
                }
            }
            let invalid = chunk.invalid();
            let at_end = invalid.as_ptr_range().end == text.as_ptr_range().end;
            // `utf8_chunks` also calls a character cut by the end of the text invalid: at most three bytes.
            if at_end && !whole && is_cut_character(invalid) {
                self.cut = invalid.to_vec();
            } else {
                for b in invalid {
                    let _ = write!(out, "\\x{b:02x}");
                }
            }
        }
    }
}

/// Whether the bytes can still become a character.
fn is_cut_character(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_none())
}

fn is_safe(c: char) -> bool {
    match c {
        '\t' => true,
        // Line and paragraph separators, bidirectional overrides and isolates, byte order mark.
        '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}' => false,
        _ => !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use bootline_capture::units::Dur;

    use super::*;

    fn at(us: i64) -> ChunkTime {
        ChunkTime::instant(HostTime::ORIGIN + Dur::from_micros(us), Dur::ZERO)
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        for piece in [1, 2, 3, 5, bytes.len()] {
            let (mut live, mut out) = (LiveText::default(), String::new());
            for part in bytes.chunks(piece) {
                live.push(at(1), part, &mut out);
            }
            live.break_line(&mut out);
            let shown: Vec<&str> = out.lines().map(|l| l.split_once("] ").unwrap().1).collect();
            assert_eq!(shown.join("\n"), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn lines_carry_their_arrival_and_the_step_since_the_line_before() {
        let (mut live, mut out) = (LiveText::default(), String::new());
        live.push(at(12_345_678), b"U-Boot\r\nHit any", &mut out);
        live.push(at(12_400_000), b" key\r\n\r\nlogin: ", &mut out);
        live.push(at(12_500_000), b"root", &mut out);
        live.break_line(&mut out);
        let want = "[   12.345678 +0.000000] U-Boot\n[   12.345678 +0.000000] Hit any key\n\
                    [   12.400000 +0.054322] \n[   12.400000 +0.000000] login: root\n";
        assert_eq!(out, want);
    }

    #[test]
    fn nothing_that_a_terminal_obeys_comes_through() {
        check(b"\x1b[31mred\x1b[0m \x1b]0;owned\x07ok", "red ok");
        check(b"bell \x07 back \x08 nul \x00 del \x7f", "bell \\x07 back \\x08 nul \\x00 del \\x7f");
        check("c1 \u{9b}31m rtl \u{202e}x".as_bytes(), "c1 \\u{9b}31m rtl \\u{202e}x");
        check(b"tab\tand \xff\xfe", "tab\tand \\xff\\xfe");
        check("ä漢🙂".as_bytes(), "ä漢🙂");
        check(b"half \xf0\x9f", "half \\xf0\\x9f");
        check(b"half \xf0\x9f\nnext", "half \\xf0\\x9f\nnext");
    }
}
