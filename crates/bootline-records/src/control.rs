// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a line to text: control sequences, NULs and noise go, invalid UTF-8 is replaced.
//!
//! A sequence that never ends (an OSC without its terminator) loses only its introducer, so that a hostile log can't
//! hide the text after it.
use super::ProblemKind;

/// What was found in a stretch of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CleanedBytes {
    pub sequences: bool,
    pub nuls: bool,
    /// Bytes of invalid UTF-8.
    pub invalid: usize,
    /// Control characters that mean nothing in a log.
    pub stray: usize,
}

impl CleanedBytes {
    /// The problem to report for a range of `len` bytes.
    pub fn problems(self, len: usize) -> impl Iterator<Item = (ProblemKind, &'static str)> {
        let noise = self.invalid + self.stray;
        // A wrong baud or a boot ROM's binary chatter; single damaged characters stay far below.
        let is_noise = noise >= 4 && noise * 4 > len;
        [
            (self.sequences, ProblemKind::ControlSequences, "terminal control sequences, removed"),
            (self.nuls, ProblemKind::NulBytes, "NUL bytes, removed"),
            (is_noise, ProblemKind::BinaryNoise, "bytes that are no text"),
            (self.invalid > 0 && !is_noise, ProblemKind::InvalidUtf8, "bytes that are not UTF-8, replaced"),
            (self.stray > 0 && !is_noise, ProblemKind::ControlSequences, "control characters, removed"),
        ]
        .into_iter()
        .filter_map(|(there, kind, detail)| there.then_some((kind, detail)))
    }
}

/// Whether all bytes are printable ASCII or tabs: then they are the text.
#[inline]
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let odd = |b: &u8| (b.wrapping_sub(0x20) >= 0x5F) & (*b != b'\t');
    let mut blocks = bytes.chunks_exact(32);
    let blocks_plain = blocks.all(|block| !block.iter().fold(false, |any, b| any | odd(b)));
    blocks_plain && !blocks.remainder().iter().any(odd)
}

/// Whether all bytes are printable ASCII or tabs, and none may begin markup: the bytes are their text, whatever the line's format.
#[inline]
pub(super) fn is_ordinary(bytes: &[u8]) -> bool {
    let odd = |b: &u8| (b.wrapping_sub(0x20) >= 0x5F) & (*b != b'\t') | (*b == b'<') | (*b == b'&');
    let any_odd = |block: &[u8]| block.iter().fold(false, |any, b| any | odd(b));
    let mut blocks = bytes.chunks_exact(32);
    // The last block overlaps the one before: otherwise the rest would be looked at byte by byte.
    let last = &bytes[bytes.len().saturating_sub(32)..];
    blocks.all(|block| !any_odd(block)) && !any_odd(last)
}

/// Appends the text of `bytes` to `text`.
pub(super) fn clean(bytes: &[u8], text: &mut String) -> CleanedBytes {
    let mut found = CleanedBytes::default();
    for chunk in bytes.utf8_chunks() {
        clean_str(chunk.valid(), text, &mut found);
        if !chunk.invalid().is_empty() {
            found.invalid += chunk.invalid().len();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    found
}

/// Whether bytes begin with the sequence that moves a terminal's cursor to the first column of some row (CUP of ECMA-48):
/// `ESC [ 22 ; 1 H`, `ESC [ H`.
pub(super) fn moves_to_first_column(bytes: &[u8]) -> bool {
    /// No row or column of a terminal has more digits; the bytes may be anything.
    const DIGITS: usize = 4;
    let Some(rest) = bytes.strip_prefix(b"\x1b[") else { return false };
    let number = |text: &[u8]| text.iter().take(DIGITS).take_while(|b| b.is_ascii_digit()).count();
    let rest = &rest[number(rest)..];
    match rest.split_first() {
        Some((b'H', _)) => true,
        Some((b';', rest)) => {
            let (column, rest) = rest.split_at(number(rest));
            let column = column.iter().skip_while(|b| **b == b'0');
            // Without a number, or with 0, the first is meant.
            rest.first() == Some(&b'H') && (column.clone().next().is_none() || column.eq(b"1".iter()))
        }
        _ => false,
    }
}

fn clean_str(mut rest: &str, text: &mut String, found: &mut CleanedBytes) {
    let mut may_end = true;
    while let Some(at) = rest.find(is_control) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let c = rest.chars().next().expect("found above");
        let skip = match c {
            '\u{1b}' => escape_len(&rest[1..], &mut may_end).map(|len| 1 + len),
            '\u{9b}' => Some(c.len_utf8() + csi_len(&rest[c.len_utf8()..])),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => {
                Some(c.len_utf8() + string_len(&rest[c.len_utf8()..], &mut may_end))
            }
            _ => None,
        };
        match (c, skip) {
            (_, Some(_)) => found.sequences = true,
            ('\0', None) => found.nuls = true,
            // Bell, backspace, form feed, shift in and out: what programs send to terminals.
            ('\u{7}' | '\u{8}' | '\r' | '\u{b}' | '\u{c}' | '\u{e}' | '\u{f}' | '\u{1b}', None) => {
                found.sequences = true
            }
            _ => found.stray += 1,
        }
        rest = &rest[skip.unwrap_or(c.len_utf8())..];
    }
    text.push_str(rest);
}

fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}')
}

/// Length of an escape sequence after its ESC.
fn escape_len(rest: &str, may_end: &mut bool) -> Option<usize> {
    match rest.as_bytes().first()? {
        b'[' => Some(1 + csi_len(&rest[1..])),
        b']' | b'P' | b'^' | b'_' | b'X' => Some(1 + string_len(&rest[1..], may_end)),
        // Intermediates, then one final character: character sets, screen tests.
        b' '..=b'/' => {
            let intermediates = rest.bytes().take_while(|b| (0x20..=0x2f).contains(b)).count();
            let is_final = rest.as_bytes().get(intermediates).is_some_and(|b| (0x30..=0x7e).contains(b));
            Some(intermediates + usize::from(is_final))
        }
        b'0'..=b'~' => Some(1),
        _ => None,
    }
}

/// Parameters, intermediates and the final character of a CSI.
fn csi_len(rest: &str) -> usize {
    let inner = rest.bytes().take_while(|b| (0x20..=0x3f).contains(b)).count();
    inner + usize::from(rest.as_bytes().get(inner).is_some_and(|b| (0x40..=0x7e).contains(b)))
}

/// The text of an OSC, DCS or the like with its terminator; 0 where none follows.
fn string_len(rest: &str, may_end: &mut bool) -> usize {
    if !*may_end {
        return 0;
    }
    let end = rest.char_indices().find_map(|(i, c)| match c {
        '\u{7}' => Some(i + 1),
        '\u{1b}' if rest[i..].starts_with("\u{1b}\\") => Some(i + 2),
        '\u{9c}' => Some(i + c.len_utf8()),
        _ => None,
    });
    *may_end = end.is_some();
    end.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expected: &str, problems: &[ProblemKind]) {
        let mut text = String::new();
        let found = clean(input, &mut text);
        assert_eq!(text, expected, "{}", input.escape_ascii());
        let kinds: Vec<_> = found.problems(input.len()).map(|(kind, _)| kind).collect();
        assert_eq!(kinds, problems, "{}", input.escape_ascii());
        assert_eq!(is_plain(input), problems.is_empty() && input.is_ascii(), "{}", input.escape_ascii());
    }

    #[test]
    fn ordinary_bytes_at_each_place() {
        for len in 0..100 {
            assert!(is_ordinary(&vec![b'a'; len]) && is_ordinary(&vec![b'\t'; len]));
            for (at, odd) in (0..len).flat_map(|at| [b'<', b'&', 0x1b, b'\r', 0x7f, 0x80, 0].map(|odd| (at, odd))) {
                let mut line = vec![b'~'; len];
                line[at] = odd;
                assert!(!is_ordinary(&line), "{odd:#x} at {at} of {len}");
            }
        }
    }

    #[test]
    fn text_stays() {
        check(b"", "", &[]);
        check(
            b"a\tb ~ and more than one block of thirty-two bytes",
            "a\tb ~ and more than one block of thirty-two bytes",
            &[],
        );
        check("grün ✓".as_bytes(), "grün ✓", &[]);
    }

    #[test]
    fn sequences_go() {
        let kind = &[ProblemKind::ControlSequences];
        check(b"\x1b[0;32mOK\x1b[0m", "OK", kind);
        check(b"\x1b[?25l\x1b[2Ka", "a", kind);
        check(b"\x1b]0;title\x07a", "a", kind);
        check(b"\x1b]0;title\x1b\\a", "a", kind);
        check(b"\x1b(Ba\x1b7b\x1b=c", "abc", kind);
        check("\u{9b}1mx".as_bytes(), "x", kind);
        check(b"a\x08b\x07", "ab", kind);
        check(b"\x1b", "", kind);
        check(b"\x1b[", "", kind);
    }

    #[test]
    fn the_first_column_is_that_of_any_row() {
        for to in ["\x1b[H", "\x1b[22H", "\x1b[1;1Hx", "\x1b[22;01H", "\x1b[;H"] {
            assert!(moves_to_first_column(to.as_bytes()), "{}", to.escape_debug());
        }
        for elsewhere in
            ["", "x\x1b[H", "\x1b", "\x1b[", "\x1b[5;78H", "\x1b[1;", "\x1b[1;1", "\x1b[1;11H", "\x1b[1m", "\x1b[J"]
        {
            assert!(!moves_to_first_column(elsewhere.as_bytes()), "{}", elsewhere.escape_debug());
        }
    }

    #[test]
    fn an_unended_string_hides_nothing() {
        check(b"\x1b]0;evil text", "0;evil text", &[ProblemKind::ControlSequences]);
        check(b"\x1b]a\x1b]b", "ab", &[ProblemKind::ControlSequences]);
    }

    #[test]
    fn damage_is_named() {
        check(b"a\0b", "ab", &[ProblemKind::NulBytes]);
        check(b"text with one \xff in it", "text with one \u{fffd} in it", &[ProblemKind::InvalidUtf8]);
        check(b"half a \xe2\x9c", "half a \u{fffd}", &[ProblemKind::InvalidUtf8]);
        check(b"\xfe\xf8\x80\x86\x01\x02ab", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}ab", &[ProblemKind::BinaryNoise]);
    }
}
