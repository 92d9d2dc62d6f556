// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a console as text: line ends and tabs as they are, all other controls by their code, whatever the pieces in
//! which the bytes come.
use std::fmt::Write;

use super::escape::escaped;

/// Converts bytes to text.
#[derive(Clone, Debug, Default)]
pub struct PlainText {
    /// The beginning of an incomplete character, or a CR.
    pending: Vec<u8>,
}

impl PlainText {
    /// Before the first byte.
    pub fn new() -> PlainText {
        PlainText::default()
    }

    /// Takes the next bytes and appends their text.
    pub fn push(&mut self, bytes: &[u8], out: &mut String) {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            let (valid, bad) = match std::str::from_utf8(rest) {
                Ok(all) => (all, None),
                Err(e) => (std::str::from_utf8(&rest[..e.valid_up_to()]).unwrap_or_default(), Some(e.error_len())),
            };
            // Only the next character shows whether a CR ends a line.
            let held = usize::from(bad.is_none() && valid.ends_with('\r'));
            show(&valid[..valid.len() - held], out);
            rest = &rest[valid.len() - held..];
            match bad {
                Some(Some(n)) => {
                    rest[..n].iter().for_each(|b| _ = write!(out, "\\x{b:02x}"));
                    rest = &rest[n..];
                }
                _ => break,
            }
        }
        self.pending = rest.to_vec();
    }

    /// The input has ended.
    pub fn finish(self, out: &mut String) {
        for b in self.pending {
            if b == b'\r' { out.push_str("\\r") } else { _ = write!(out, "\\x{b:02x}") }
        }
    }
}

fn show(text: &str, out: &mut String) {
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let ended = lines.peek().is_some();
        let line = if ended { line.strip_suffix('\r').unwrap_or(line) } else { line };
        for (n, part) in line.split('\t').enumerate() {
            if n > 0 {
                out.push('\t');
            }
            out.push_str(&escaped(part));
        }
        if ended {
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(pieces: &[&[u8]]) -> String {
        let mut out = String::new();
        let mut plain = PlainText::new();
        pieces.iter().for_each(|p| plain.push(p, &mut out));
        plain.finish(&mut out);
        out
    }

    #[test]
    fn controls_by_their_code() {
        let check = |bytes: &[u8], want: &str| assert_eq!(shown(&[bytes]), want);
        check(b"one\r\ntwo\n\tthree", "one\ntwo\n\tthree");
        check(b"50 %\r100 %\r\r\n", "50 %\\r100 %\\r\n");
        check(b"a\x1b[2Jb\0\x07", "a\\x1b[2Jb\\x00\\x07");
        check(b"\xff\xfegr\xc3\xbcn \xc3", "\\xff\\xfegr\u{fc}n \\xc3");
        check(b"end\r", "end\\r");
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), Just(0xc3), Just(0xbc), any::<u8>()], 0..60),
            cuts in proptest::collection::vec(0..60usize, 0..5),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            let whole = shown(&[&bytes]);
            prop_assert_eq!(shown(&pieces), whole.as_str());
            prop_assert!(!whole.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        }
    }
}
