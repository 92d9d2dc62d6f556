// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns that match arms: `6.12-*-quiet`.

/// Whether `pattern` matches `name`; each `*` matches any text.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut rest = rest;
    // The first place that fits will do: what follows may begin anywhere after it.
    while let Some((part, next)) = rest.split_once('*') {
        let Some(at) = name.find(part) else { return false };
        (name, rest) = (&name[at + part.len()..], next);
    }
    name.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let check = |pattern: &str, yes: &[&str], no: &[&str]| {
            assert!(yes.iter().all(|name| matches(pattern, name)), "{pattern}");
            assert!(!no.iter().any(|name| matches(pattern, name)), "{pattern}");
        };
        check("6.12-*-quiet", &["6.12-9600-quiet", "6.12--quiet"], &["6.12-quiet", "6.12-9600-quiet-1cpu"]);
        check("*-9600-*", &["6.1-9600-default", "-9600-"], &["9600-", "6.1-9600"]);
        check("*", &["", "a"], &[]);
        check("a", &["a"], &["", "aa"]);
        check("a*a", &["aa", "aba"], &["a"]);
        check("*ab*ab", &["abab", "xabyab"], &["ab", "xaby"]);
        check(&"*a".repeat(40), &[], &[&"a".repeat(39)]);
    }
}
