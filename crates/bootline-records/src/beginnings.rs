// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words with which a text may begin, of which nearly no text begins with any.

/// A list of beginnings. Lists are asked about every record of every boot, so most texts are told apart by their first byte.
#[derive(Clone, Copy, Debug)]
pub struct Beginnings {
    words: &'static [&'static str],
    /// The first bytes of all words, one bit each.
    first: [u64; 4],
}

impl Beginnings {
    /// Of these words; none may be empty.
    pub const fn new(words: &'static [&'static str]) -> Beginnings {
        let mut first = [0; 4];
        let mut i = 0;
        while i < words.len() {
            let byte = words[i].as_bytes()[0];
            first[(byte >> 6) as usize] |= 1 << (byte & 63);
            i += 1;
        }
        Beginnings { words, first }
    }

    /// The first word of the list with which a text begins.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<&'static str> {
        let byte = *text.first()?;
        if self.first[usize::from(byte >> 6)] >> (byte & 63) & 1 == 0 {
            return None;
        }
        let begins = |word: &&&str| word.as_bytes()[0] == byte && text.starts_with(word.as_bytes());
        self.words.iter().find(begins).copied()
    }

    /// Whether a text begins with one of them.
    #[inline]
    pub fn begin(&self, text: &[u8]) -> bool {
        self.find(text).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_list_that_fits() {
        const WORDS: Beginnings = Beginnings::new(&["ab", "abc", "~", "\u{e4}", "b"]);
        let check = |text: &str, want: Option<&str>| assert_eq!(WORDS.find(text.as_bytes()), want, "{text}");
        check("abc", Some("ab"));
        check("ab", Some("ab"));
        check("a", None);
        check("~/", Some("~"));
        check("\u{e4}\u{f6}", Some("\u{e4}"));
        check("\u{e5}", None);
        check("b", Some("b"));
        check("c", None);
        check("", None);
        assert!(WORDS.begin(b"b ") && !WORDS.begin(b" b"));
    }
}
