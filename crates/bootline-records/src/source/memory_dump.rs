// SPDX-License-Identifier: MIT OR Apache-2.0
//! What U-Boot's `md` prints of memory, as bytes.
//!
//! ```text
//! 80010000: 00000000 00000003 00000084 b00757a3    .............W..
//! 80010010: 000000d9 00000000 00000000 80801000    ................
//! ```
//! Source: print_buffer() in U-Boot's lib/display_options.c. Words of 2, 4 or 8 bytes are numbers in the board's byte order, which is
//! that in which they are the text next to them.

/// Bytes in a line; the last one may have fewer.
const LINE: usize = 16;
/// What stands between the words and the text; four blanks in older versions.
const BEFORE_TEXT: &str = "  ";
/// Bytes at most: a bootstage stash has some kilobytes, and U-Boot prints all that it is asked for.
const MOST_BYTES: usize = 1 << 20;
/// Digits of an address up to which U-Boot's buffer holds a whole line: of longer ones, the text loses its end.
const SHORT_ADDRESS: usize = 8;

/// The memory from a line whose bytes satisfy `begins` up to the first gap, the longest where several are shown: `md` without a length
/// shows 64 words, and is often typed again with one. None where no line's do.
pub(super) fn bytes<'l>(
    lines: impl Iterator<Item = &'l str> + Clone,
    begins: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    // In the wrong order, the first line with a text differs from it and ends the memory.
    let by_order = [false, true].map(|is_little| {
        let (mut longest, mut memory, mut next) = (Vec::new(), Vec::new(), None);
        for found in lines.clone().map(|text| line(text.trim_end_matches('\r'), is_little)) {
            match found {
                Some((address, bytes)) if next == Some(address) && memory.len() < MOST_BYTES => {
                    next = address.checked_add(bytes.len() as u64);
                    memory.extend(bytes);
                }
                found => {
                    if memory.len() > longest.len() {
                        longest = std::mem::take(&mut memory);
                    }
                    let start = found.filter(|(_, bytes)| begins(bytes));
                    next = start.as_ref().and_then(|(address, bytes)| address.checked_add(bytes.len() as u64));
                    memory = start.map(|(_, bytes)| bytes).unwrap_or_default();
                }
            }
        }
        if memory.len() > longest.len() { memory } else { longest }
    });
    by_order.into_iter().max_by_key(Vec::len).filter(|memory| !memory.is_empty())
}

/// A line's address and its bytes, if they are the text at its end.
fn line(line: &str, is_little: bool) -> Option<(u64, Vec<u8>)> {
    let (address, rest) = line.split_once(": ")?;
    let digits = address.trim();
    let address = u64::from_str_radix(digits, 16).ok()?;
    // Words are never so far from each other.
    let (words, text) = rest.split_once(BEFORE_TEXT)?;
    let mut bytes = Vec::new();
    for word in words.split_ascii_whitespace() {
        let is_hexadecimal = word.bytes().all(|b| b.is_ascii_hexdigit());
        let number = u64::from_str_radix(word, 16).ok().filter(|_| is_hexadecimal)?;
        let length = word.len() / 2;
        if bytes.len() + length > LINE || !matches!(word.len(), 2 | 4 | 8 | 16) {
            return None;
        }
        match is_little {
            true => bytes.extend(&number.to_le_bytes()[..length]),
            false => bytes.extend(&number.to_be_bytes()[8 - length..]),
        }
    }
    let shown = bytes.iter().map(|b| if matches!(b, b' '..=b'~') { char::from(*b) } else { '.' });
    // The last line is filled with blanks between words and text; a text may end with blanks that a terminal removes.
    let (shown, text) = (shown.collect::<String>(), text.trim());
    let is_cut = digits.len() > SHORT_ADDRESS && !text.is_empty() && shown.trim().starts_with(text);
    let is_shown = is_cut || shown.trim() == text;
    (is_shown && !bytes.is_empty()).then_some((address, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_each_size_in_either_order() {
        let expected = b"\xa3W\x07\xb0reset\0spl\0a bcd".to_vec();
        let check = |dump: &str| {
            let found = bytes(dump.lines(), |bytes| bytes.contains(&b'W'));
            assert_eq!(
                found.map(|b| String::from_utf8_lossy(&b).into_owned()),
                Some(String::from_utf8_lossy(&expected).into_owned()),
                "{dump}"
            );
        };
        check(
            "=> md.b 80010000 13\r\n\
             80010000: a3 57 07 b0 72 65 73 65 74 00 73 70 6c 00 61 20  .W..reset.spl.a \r\n\
             80010010: 62 63 64                                         bcd\r\n=> \r\n",
        );
        let words = "80010000: b00757a3 65736572 70730074 2061006c    .W..reset.spl.a\n80010010: 646362\n";
        let found = bytes(words.lines(), |_| true).unwrap();
        assert_eq!(found, expected[..16], "what is no line ends it");
        let big = "0: a35707b0 72657365 74007370 6c006120    .W..reset.spl.a \n";
        assert_eq!(bytes(big.lines(), |_| true).unwrap(), expected[..16]);
        let long = "0: 65736572b00757a3 2061006c70730074    .W..reset.spl.a \n";
        assert_eq!(bytes(long.lines(), |_| true).unwrap(), expected[..16]);
    }

    #[test]
    fn what_is_none() {
        for text in
            ["", "80010000: 00000000    ", "x: 00    .\n", "0: 414243    ABC\n", "0: 41 42    XY\n", "0: +1    .\n"]
        {
            assert_eq!(bytes(text.lines(), |_| true), None, "{text}");
        }
        // A gap between two addresses.
        let gap = "0: 41 42    AB\n4: 43    C\n";
        assert_eq!(bytes(gap.lines(), |_| true), Some(b"AB".to_vec()));
        // A text that is cut, of a short address.
        assert_eq!(bytes("81000000: 41 42    A\n".lines(), |_| true), None);
    }

    /// hexdump_line() in U-Boot's lib/hexdump.c, of which print_buffer() gives no room for more than eight digits: seen on MIPS64.
    #[test]
    fn a_long_address_cuts_the_text() {
        let dump = "ffffffff81000000: 72 65 73 65 74 00 62 6f 61 72 64 5f 69 6e 69 74  reset.board_i\n\
                    ffffffff81000010: 5f 66 00                                         _f.\n";
        assert_eq!(bytes(dump.lines(), |_| true), Some(b"reset\0board_init_f\0".to_vec()));
        assert_eq!(bytes("ffffffff81000000: 72 65    x\n".lines(), |_| true), None);
    }

    #[test]
    fn of_several_dumps_the_longest() {
        let dump = "=> md.b 0 1\n0: 41    A\n=> md.b 0 3\n0: 41 42    AB\n2: 43    C\n=> md.b 2 1\n2: 43    C\n\
                    => md.b 0 2\n0: 41 42    AB\n";
        assert_eq!(bytes(dump.lines(), |bytes| bytes[0] == b'A'), Some(b"ABC".to_vec()));
    }
}
