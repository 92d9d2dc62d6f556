// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words with which a text may begin, of which nearly no text begins with any.

/// A list of beginnings. Lists are asked about every record of every boot, so most texts are told apart by their first two bytes.
#[derive(Clone, Copy, Debug)]
pub struct Beginnings {
    words: &'static [&'static str],
    /// A bit for the first two bytes of each word; few other pairs share it.
    first: [u64; 4],
}

impl Beginnings {
    /// Of these words, each of two bytes at least.
    pub const fn new(words: &'static [&'static str]) -> Beginnings {
        let mut first = [0; 4];
        let mut i = 0;
        while i < words.len() {
            let bit = bit(words[i].as_bytes()[0], words[i].as_bytes()[1]);
            first[(bit >> 6) as usize] |= 1 << (bit & 63);
            i += 1;
        }
        Beginnings { words, first }
    }

    /// The first word of the list with which a text begins.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<&'static str> {
        let [one, two, ..] = *text else { return None };
        let bit = bit(one, two);
        if self.first[usize::from(bit >> 6)] >> (bit & 63) & 1 == 0 {
            return None;
        }
        self.words.iter().find(|word| text.starts_with(word.as_bytes())).copied()
    }

    /// Whether one of them is anywhere in a text.
    pub fn are_in(&self, text: &[u8]) -> bool {
        (0..text.len()).any(|at| self.begin(&text[at..]))
    }

    /// Whether a text begins with one of them.
    #[inline]
    pub fn begin(&self, text: &[u8]) -> bool {
        self.find(text).is_some()
    }
}

/// A number that few other pairs of letters share.
const fn bit(one: u8, two: u8) -> u8 {
    one.wrapping_mul(37).wrapping_add(two)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_list_that_fits() {
        const WORDS: Beginnings = Beginnings::new(&["ab", "abc", "~/", "\u{e4}", "b "]);
        let check = |text: &str, want: Option<&str>| assert_eq!(WORDS.find(text.as_bytes()), want, "{text}");
        check("abc", Some("ab"));
        check("ab", Some("ab"));
        check("a", None);
        check("~/x", Some("~/"));
        check("~", None);
        check("\u{e4}\u{f6}", Some("\u{e4}"));
        check("\u{e5}", None);
        check("b ", Some("b "));
        check("c", None);
        check("", None);
        assert!(WORDS.begin(b"b ") && !WORDS.begin(b" b"));
        assert!(WORDS.are_in(b"cab") && WORDS.are_in(b"ab") && !WORDS.are_in(b"a b") && !WORDS.are_in(b""));
    }
}
