// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of Debian package versions, as deb-version(7) defines it: `6.12.95-1~bpo12+1` is older than `6.12.95-1`.
use std::cmp::Ordering;

/// Compares two Debian versions. Total for any two strings; a version that breaks the grammar is still ordered.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (Parts::of(a), Parts::of(b));
    compare_part(a.epoch, b.epoch)
        .then_with(|| compare_part(a.upstream, b.upstream))
        .then_with(|| compare_part(a.revision, b.revision))
}

/// The upstream part: `6.12.95` of `6.12.95-1~bpo12+1`.
pub fn upstream(version: &str) -> &str {
    Parts::of(version).upstream
}

struct Parts<'a> {
    epoch: &'a str,
    upstream: &'a str,
    revision: &'a str,
}

impl Parts<'_> {
    fn of(version: &str) -> Parts<'_> {
        let (epoch, rest) = version.split_once(':').unwrap_or(("", version));
        let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
        Parts { epoch, upstream, revision }
    }
}

/// Alternates between a run of other characters and a run of digits, as dpkg does.
fn compare_part(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while !a.is_empty() || !b.is_empty() {
        let (words_a, words_b) = (split_run(&mut a, false), split_run(&mut b, false));
        let words = compare_words(words_a, words_b);
        let (digits_a, digits_b) = (split_run(&mut a, true), split_run(&mut b, true));
        let order = words.then_with(|| compare_digits(digits_a, digits_b));
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn split_run<'a>(text: &mut &'a [u8], digits: bool) -> &'a [u8] {
    let end = text.iter().position(|b| b.is_ascii_digit() != digits).unwrap_or(text.len());
    let (run, rest) = text.split_at(end);
    *text = rest;
    run
}

fn compare_words(a: &[u8], b: &[u8]) -> Ordering {
    (0..a.len().max(b.len()))
        .map(|i| weight(a.get(i)).cmp(&weight(b.get(i))))
        .find(|o| *o != Ordering::Equal)
        .unwrap_or(Ordering::Equal)
}

/// `~` before the end, the end before letters, letters before everything else.
fn weight(byte: Option<&u8>) -> i32 {
    match byte {
        Some(b'~') => -1,
        None => 0,
        Some(b) if b.is_ascii_alphabetic() => i32::from(*b),
        Some(b) => i32::from(*b) + 256,
    }
}

/// By value, for runs of any length: without leading zeros the longer run is the larger number.
fn compare_digits(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (trim_zeros(a), trim_zeros(b));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn trim_zeros(digits: &[u8]) -> &[u8] {
    let start = digits.iter().position(|b| *b != b'0').unwrap_or(digits.len());
    &digits[start..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(older: &str, newer: &str) {
        assert_eq!(compare(older, newer), Ordering::Less, "{older} < {newer}");
        assert_eq!(compare(newer, older), Ordering::Greater, "{newer} > {older}");
    }

    #[test]
    fn order() {
        check("6.12.95-1~bpo12+1", "6.12.95-1");
        check("6.12.94-1", "6.12.107-1");
        check("6.1.9-1", "6.1.164-1");
        check("6.19.14-1~bpo13+1", "7.0.4-1~bpo13+1");
        check("7.3~rc2-1~exp1", "7.3-1~exp1");
        check("7.3-1~exp1", "7.3-1");
        check("1.0", "1.0-1");
        check("9.9", "1:0.1");
        check("1.0-1", "1.0-1+b1");
        check("1.0a", "1.0+");
        check("1.0.99999999999999999999998", "1.0.99999999999999999999999");
    }

    #[test]
    fn equal() {
        for (a, b) in [("1.0", "1.0"), ("1.00", "1.0"), ("0:1.0-0", "1.0"), ("1.0-1", "1.0-01")] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} = {b}");
        }
    }

    #[test]
    fn upstream_part() {
        assert_eq!(upstream("2:6.12.95-1~bpo12+1"), "6.12.95");
        assert_eq!(upstream("7.3~rc2-1~exp1"), "7.3~rc2");
        assert_eq!(upstream("7.2"), "7.2");
    }

    #[test]
    fn agrees_with_dpkg() {
        let versions = ["6.12.95-1~bpo12+1", "6.12.95-1", "6.12.107-1", "7.3~rc2-1~exp1", "7.3-1", "7.3a-1", "7.3+1-1"];
        for a in versions {
            for b in versions {
                let lt = std::process::Command::new("dpkg").args(["--compare-versions", a, "lt", b]).status().unwrap();
                assert_eq!(compare(a, b) == Ordering::Less, lt.success(), "{a} < {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn antisymmetric(a in "[0-9a-b~+.:-]{0,12}", b in "[0-9a-b~+.:-]{0,12}") {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
        }

        #[test]
        fn transitive(a in "[0-1a~+.-]{0,6}", b in "[0-1a~+.-]{0,6}", c in "[0-1a~+.-]{0,6}") {
            let mut sorted = [a, b, c];
            sorted.sort_by(|x, y| compare(x, y));
            prop_assert_ne!(compare(&sorted[0], &sorted[2]), Ordering::Greater);
        }

        #[test]
        fn any_text(a in "\\PC*", b in "\\PC*") {
            compare(&a, &b);
            upstream(&a);
        }
    }
}
