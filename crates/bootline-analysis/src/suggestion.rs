// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggestions for misspelt names.

/// The name with the smallest edit distance to `text`; none if that is more than a third of its letters.
pub(crate) fn nearest(text: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let slips = |name: &String| strsim::damerau_levenshtein(text, name);
    let most = (text.chars().count() / 3).max(1);
    let counted = names.into_iter().map(|name| (slips(&name), name)).filter(|(slips, _)| (1..=most).contains(slips));
    counted.min_by(|a, b| a.0.cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips() {
        let check = |text: &str, expected: Option<&str>| {
            let names = ["at_most", "increase_at_most", "of", "runs"].map(str::to_owned);
            assert_eq!(nearest(text, names).as_deref(), expected, "{text}");
        };
        check("at_mots", Some("at_most"));
        check("atmost", Some("at_most"));
        check("increase-at-most", Some("increase_at_most"));
        check("run", Some("runs"));
        check("frequency", None);
        check("", None);
    }
}
