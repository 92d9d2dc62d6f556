// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes a terminal's control sequences out of a stream of bytes.

/// Maximum length of a sequence: beyond it, the bytes so far are dropped, and text continues.
const LONGEST: usize = 256;

/// Drops escape sequences and carriage returns; keeps all other bytes. Sequences may be split over pushes.
#[derive(Clone, Debug, Default)]
pub struct ControlFilter {
    state: State,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and intermediate bytes (0x20-0x2F): one final byte follows.
    Intermediate,
    /// After ESC [: parameters, then a final byte 0x40-0x7E.
    Csi,
    /// After ESC ], P, X, ^ or _: a string up to BEL or ESC \.
    String,
}

impl ControlFilter {
    /// Appends the text in `bytes` to `out`. A newline ends any sequence: text is worth more than a cut sequence.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &b in bytes {
            self.len += 1;
            self.state = match (self.state, b) {
                (_, b'\n') => {
                    out.push(b);
                    State::Text
                }
                (_, 0x1B) => {
                    self.len = 0;
                    State::Escape
                }
                (State::Text, b'\r') => State::Text,
                (State::Text, _) => {
                    out.push(b);
                    State::Text
                }
                (_, _) if self.len > LONGEST => State::Text,
                (State::Escape, b'[') => State::Csi,
                (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::String,
                (State::Escape | State::Intermediate, 0x20..=0x2F) => State::Intermediate,
                (State::Escape | State::Intermediate, _) => State::Text,
                (State::Csi, 0x40..=0x7E) => State::Text,
                (State::Csi, _) => State::Csi,
                (State::String, 0x07) => State::Text,
                (State::String, _) => State::String,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        for piece in [1, 2, 5, bytes.len().max(1)] {
            let (mut plain, mut out) = (ControlFilter::default(), Vec::new());
            bytes.chunks(piece).for_each(|part| plain.push(part, &mut out));
            assert_eq!(String::from_utf8_lossy(&out), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn sequences_go_and_text_stays() {
        check(b"plain\r\n", "plain\n");
        check(b"\x1b[0;1;32mgreen\x1b[0m!", "green!");
        check(b"\x1b]0;title\x07a\x1b]2;t\x1b\\b", "ab");
        check(b"\x1b(B\x1b=\x1b>x", "x");
        check("\u{1b}[Kgrün".as_bytes(), "grün");
        check(b"cut \x1b[0;3\nnext", "cut \nnext");
        check(b"\x1b[1;\x1b[2Jx", "x");
    }

    #[test]
    fn a_string_without_end_swallows_little() {
        let mut text = b"\x1b]0;".to_vec();
        text.extend([b'x'; 1000]);
        let (mut plain, mut out) = (ControlFilter::default(), Vec::new());
        plain.push(&text, &mut out);
        assert!(out.len() > 1000 - LONGEST - 1, "{}", out.len());
    }
}
