// SPDX-License-Identifier: MIT OR Apache-2.0
//! The assumptions of several predictions, each once, by number.
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

    pub fn entries(&self) -> Vec<Entry> {
        let entry = |(n, a): (usize, &&Assumption)| {
            let name = Text::new().styled(a.name, Style::Strong);
            Entry::new(&(n + 1).to_string(), name.words(": ").words(&a.text))
        };
        self.all.iter().enumerate().map(entry).collect()
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
    fn numbers_are_drawn_together() {
        let check = |of: &[usize], want: &str| assert_eq!(numbers(of), want);
        check(&[], "");
        check(&[1], "1");
        check(&[1, 2, 4, 5, 6], "1 2 4-6");
    }
}
