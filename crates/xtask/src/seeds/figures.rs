// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of an experiment's arms, read from its report in docs/results.md.
use std::collections::BTreeMap;

/// What each arm has measured, by its experiment: `3.929 s (3.923..4.256)`.
#[derive(Debug, Default)]
pub struct Figures(BTreeMap<(String, String), String>);

impl Figures {
    /// Reads the reports: a head `## NAME` for each, then tables whose rows are an arm, the number of its runs, the median, and
    /// the interval. Where an arm is in several tables, the first counts.
    pub fn read(results: &str) -> Figures {
        let mut figures = BTreeMap::new();
        let (mut experiment, mut unit) = ("", "");
        for line in results.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                experiment = name;
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["arm", "n", "median", rest, ..] => {
                    unit = rest.strip_prefix('[').and_then(|u| u.strip_suffix(']')).unwrap_or_default();
                }
                [arm, n, median, interval, ..] if line.starts_with("  ") && !line.starts_with("   ") => {
                    let is_row = n.parse::<u32>().is_ok() && median.parse::<f64>().is_ok() && interval.contains("..");
                    if is_row {
                        let of = (experiment.to_owned(), arm.to_owned());
                        let space = if unit.is_empty() { "" } else { " " };
                        figures.entry(of).or_insert_with(|| format!("{median}{space}{unit} ({interval})"));
                    }
                }
                _ => {}
            }
        }
        Figures(figures)
    }

    /// Whether any row of its report was read.
    pub fn has(&self, experiment: &str) -> bool {
        self.0.keys().any(|(of, _)| of == experiment)
    }

    /// What an arm has measured; none if its experiment has not been run.
    pub fn of(&self, experiment: &str, arm: &str) -> Option<&str> {
        self.0.get(&(experiment.to_owned(), arm.to_owned())).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_words_are_not() {
        let results = "\
## one

  arm  n  median [s]      interval               of base
  a    3       3.843  3.841..3.844
  b-c  3       2.061  2.061..2.061  0.536 (0.536..0.537)
  d    0           -             -

    a  with 3 runs the interval contains the median in 75 % of cases

## two

  arm  n  median  interval
  a    3      12    11..13
  arm  n  median [s]  interval
  a    3         1.5  1.4..1.6
";
        let figures = Figures::read(results);
        assert_eq!(figures.of("one", "a"), Some("3.843 s (3.841..3.844)"));
        assert_eq!(figures.of("one", "b-c"), Some("2.061 s (2.061..2.061)"));
        assert_eq!((figures.of("one", "d"), figures.of("one", "with")), (None, None));
        assert_eq!(figures.of("two", "a"), Some("12 (11..13)"));
        assert!(figures.has("two") && !figures.has("three"));
    }
}
