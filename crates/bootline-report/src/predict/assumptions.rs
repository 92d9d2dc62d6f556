// SPDX-License-Identifier: MIT OR Apache-2.0
//! The assumptions of several predictions, each once, by number.
use super::change_row::letters;
use crate::document::{Entry, Text};
use crate::style::Style;
use bootline_analysis::predict::Assumption;

/// The assumptions of all predictions, each once.
pub(super) struct Assumptions<'p> {
    pub all: Vec<&'p Assumption>,
    /// For each prediction the numbers of its assumptions, from 1, ascending.
    pub of_one: Vec<Vec<usize>>,
}

impl<'p> Assumptions<'p> {
    pub fn of(predictions: impl Iterator<Item = &'p [Assumption]>) -> Assumptions<'p> {
        let mut all: Vec<&Assumption> = Vec::new();
        let mut number = |a: &'p Assumption| match all.iter().position(|known| *known == a) {
            Some(n) => n + 1,
            None => {
                all.push(a);
                all.len()
            }
        };
        let mut of_one: Vec<Vec<usize>> =
            predictions.map(|assumptions| assumptions.iter().map(&mut number).collect()).collect();
        for numbers in &mut of_one {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Assumptions { all, of_one }
    }

    /// The assumptions as entries; of several with one name each says which rows it belongs to.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |(n, a): (usize, &&Assumption)| {
            let is_alone = self.all.iter().filter(|other| other.name == a.name).count() == 1;
            let rows = if is_alone { String::new() } else { format!(" ({})", self.rows(n + 1)) };
            let name = Text::new().styled(a.name, Style::Strong);
            Entry::new(&(n + 1).to_string(), name.words(rows).words(": ").words(&a.text))
        };
        self.all.iter().enumerate().map(entry).collect()
    }

    /// The predictions that rest on an assumption, by their letters: `baseline, a, d`.
    fn rows(&self, number: usize) -> String {
        let rows = self.of_one.iter().enumerate().filter(|(_, numbers)| numbers.contains(&number));
        let names: Vec<String> =
            rows.map(|(row, _)| row.checked_sub(1).map_or_else(|| "baseline".to_owned(), letters)).collect();
        names.join(", ")
    }
}

/// `1-3 5`
pub(super) fn numbers(ascending: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = ascending;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|(n, next)| **n == *next).count();
        let blank = if text.is_empty() { "" } else { " " };
        text += &match run {
            1 => format!("{blank}{first}"),
            2 => format!("{blank}{first} {}", first + 1),
            _ => format!("{blank}{first}-{}", first + run - 1),
        };
        rest = &rest[run..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_alike_assumptions_each_names_its_changes() {
        let assumption = |name, text: &str| Assumption { name, text: text.to_owned() };
        let [own, slow, fast] = [("own-work", "10 %"), ("contention", "92 %"), ("contention", "20 %")]
            .map(|(name, text)| assumption(name, text));
        let rows = [vec![own.clone(), slow.clone()], vec![own.clone(), fast], vec![own, slow]];
        let assumptions = Assumptions::of(rows.iter().map(Vec::as_slice));
        let mut document = crate::document::Document::default();
        document.entries(assumptions.entries());
        let shown = crate::text::text(&document, &crate::TextOptions { width: 80, color: false });
        assert_eq!(shown, "  1  own-work: 10 %\n  2  contention (baseline, b): 92 %\n  3  contention (a): 20 %\n");
    }

    #[test]
    fn numbers_are_drawn_together() {
        let check = |of: &[usize], want: &str| assert_eq!(numbers(of), want);
        check(&[], "");
        check(&[1], "1");
        check(&[1, 2, 4, 5, 6], "1 2 4-6");
    }
}
