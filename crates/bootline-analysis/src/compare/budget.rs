// SPDX-License-Identifier: MIT OR Apache-2.0
//! A budget: how long each part may take. docs/gate.md explains every key.
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::measures::Asked;
use super::part::PartKey;
use super::quantity::{Quantity, Unit};
use crate::suggestion::nearest;
use bootline_boot::{AppMarker, StageName, WholeOrigin};
use bootline_capture::units::Dur;

/// A checked budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Text in the record that ends the boot, instead of init's start.
    pub end: Option<String>,
    /// What shows that the application is up.
    pub app: Option<AppMarker>,
    /// What times of the whole boot have to count from.
    pub since: Option<WholeOrigin>,
    /// The file of the baseline, as the budget names it.
    pub baseline: Option<String>,
    /// An increase below this share of the baseline's median counts as noise of the machine, whatever its limit.
    pub noise: f64,
    /// At least one.
    pub rules: Vec<LimitRule>,
}

/// The limits of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitRule {
    /// The limited quantity.
    pub of: Quantity,
    /// Largest value allowed.
    pub at_most: Option<i64>,
    /// Largest increase over the baseline allowed.
    pub increase_at_most: Option<Increase>,
    /// Fewest runs from which it is judged.
    pub runs: usize,
}

/// Size of an increase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Increase {
    /// Nanoseconds or bytes.
    By(i64),
    /// A share of the baseline's median.
    Share(f64),
}

impl Increase {
    /// The increase in nanoseconds or bytes.
    pub fn of(self, median: f64) -> f64 {
        match self {
            Increase::By(n) => n as f64,
            Increase::Share(share) => share * median,
        }
    }
}

/// Why a file is not a budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct BudgetError {
    /// What is wrong, in lower case.
    pub what: String,
    /// The line at fault, from 1, and its text.
    pub line: Option<(usize, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBudget {
    end: Option<String>,
    app: Option<Spanned<String>>,
    since: Option<WholeOrigin>,
    baseline: Option<String>,
    noise: Option<Spanned<Amount>>,
    #[serde(default)]
    budget: Vec<Spanned<RawRule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    of: Spanned<String>,
    at_most: Option<Spanned<Amount>>,
    increase_at_most: Option<Spanned<Amount>>,
    runs: Option<Spanned<usize>>,
}

/// `"1.5 s"`, `"200 ms"`, `"3 %"`, `22000`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    Time(Dur),
    Count(i64),
    Share(f64),
}

const EXPECTED: &str = "an amount is like \"1.5 s\", \"200 ms\", \"3 %\" or \"22000 bytes\"";
const BELOW_ZERO: &str = "an amount is not below zero";

impl FromStr for Amount {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Amount, &'static str> {
        let text = text.trim();
        let at = text.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(text.len());
        let (number, unit) = text.split_at(at);
        let number: f64 = number.trim().parse().map_err(|_| EXPECTED)?;
        if !(number.is_finite() && number >= 0.0) {
            return Err(BELOW_ZERO);
        }
        Ok(match unit {
            "s" => Amount::Time(Dur::from_secs_f64(number)),
            "ms" => Amount::Time(Dur::from_secs_f64(number / 1e3)),
            "us" => Amount::Time(Dur::from_secs_f64(number / 1e6)),
            "%" => Amount::Share(number / 100.0),
            "bytes" if number.fract() == 0.0 => Amount::Count(number as i64),
            _ => return Err(EXPECTED),
        })
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

/// Accepts text, and whole numbers without a unit as bytes; for anything else, reports what an amount is.
struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED.trim_start_matches("an amount is like "))
    }

    fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Amount, E> {
        if n < 0 { Err(E::custom(BELOW_ZERO)) } else { Ok(Amount::Count(n)) }
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Amount, E> {
        Err(E::custom(EXPECTED))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Amount, E> {
        text.parse().map_err(E::custom)
    }
}

/// The default of `noise`.
const NOISE: f64 = 0.01;

impl Budget {
    /// Parses a file's text.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Budget, BudgetError> {
        let raw: RawBudget = toml::from_str(text).map_err(|e| not_read(text, &e))?;
        let fault = |at: usize, what: String| BudgetError { what, line: Some(line_at(text, at)) };
        let noise = match raw.noise.as_ref().map(|n| (n.span().start, *n.as_ref())) {
            None => NOISE,
            Some((_, Amount::Share(share))) => share,
            Some((at, _)) => return Err(fault(at, "`noise` is a share, like \"1 %\"".to_owned())),
        };
        let not_app = |app: &Spanned<String>, e: &dyn fmt::Display| {
            let e = e.to_string();
            let why = e.lines().last().unwrap_or_default().trim_start_matches("error: ");
            fault(app.span().start, format!("`app` is neither a unit nor a regular expression: {why}"))
        };
        let app = raw.app.as_ref();
        let app = app.map(|app| AppMarker::parse(app.as_ref()).map_err(|e| not_app(app, &e))).transpose()?;
        if raw.budget.is_empty() {
            return Err(BudgetError { what: "no `[[budget]]` in it".to_owned(), line: None });
        }
        let mut rules: Vec<LimitRule> = Vec::new();
        for raw_rule in raw.budget {
            let at = raw_rule.as_ref().of.span().start;
            let rule = rule(raw_rule).map_err(|(at, what)| fault(at, what))?;
            if rules.iter().any(|r| r.of == rule.of) {
                return Err(fault(at, format!("`{}` has a `[[budget]]` already: one can hold both limits", rule.of)));
            }
            match (&rule.of, &raw.end) {
                (Quantity::TimeToInit, Some(_)) => {
                    let what = "where `end` ends the boot its time is `time-to-marker`; init's start next to another line: \
                                leave `end` away, and name that line as `marker:TEXT`";
                    return Err(fault(at, what.to_owned()));
                }
                (Quantity::TimeToMarker, None) => {
                    let what =
                        "`time-to-marker` needs the text of that line: `end = \"login:\"` above, or `marker:login:`";
                    return Err(fault(at, what.to_owned()));
                }
                (Quantity::Stage(StageName::Application), _)
                    if matches!(app, Some(AppMarker::Record(_) | AppMarker::Mark(_))) =>
                {
                    let what =
                        "`stage:application` needs a unit, whose start systemd reports: `app = \"camera.service\"`";
                    return Err(fault(at, what.to_owned()));
                }
                (Quantity::TimeToApplication | Quantity::Stage(StageName::Application), _) if app.is_none() => {
                    let what = format!(
                        "`{}` needs what shows that the application is up: `app = \"camera.service\"`",
                        rule.of
                    );
                    return Err(fault(at, what));
                }
                _ => rules.push(rule),
            }
        }
        Ok(Budget { end: raw.end, app, since: raw.since, baseline: raw.baseline, noise, rules })
    }

    /// The default budget: neither the boot's time nor its bytes for the console may grow by more than this share of
    /// the baseline's.
    pub fn of_increase(share: f64) -> Budget {
        let rule = |of| LimitRule { of, at_most: None, increase_at_most: Some(Increase::Share(share)), runs: 1 };
        let rules = [Quantity::TimeToInit, Quantity::ConsoleBytes].map(rule);
        Budget { end: None, app: None, since: None, baseline: None, noise: NOISE, rules: rules.into() }
    }

    /// The initcalls, probes and async calls that it limits: a baseline must store each by itself.
    pub fn spans(&self) -> BTreeSet<PartKey> {
        let span = |r: &LimitRule| match &r.of {
            Quantity::Span(kind, name) => Some(PartKey::of_span(*kind, name)),
            _ => None,
        };
        self.rules.iter().filter_map(span).collect()
    }

    /// What has to be measured for the rules that is not measured otherwise.
    pub fn asked(&self) -> Asked {
        let marker = |r: &LimitRule| match &r.of {
            Quantity::Marker(text) => Some(text.clone()),
            _ => None,
        };
        let markers = self.rules.iter().filter_map(marker).collect();
        let whole_boot = self.rules.iter().any(|r| r.of.is_of_whole_boot());
        Asked { markers, whole_boot, app: self.app.clone() }
    }
}

/// All keys of a budget and its rules.
const KEYS: [&str; 10] =
    ["end", "app", "since", "baseline", "noise", "budget", "of", "at_most", "increase_at_most", "runs"];

fn not_read(text: &str, e: &toml::de::Error) -> BudgetError {
    let mut what = e.message().lines().collect::<Vec<_>>().join("; ");
    let span = e.span();
    if what.starts_with("unknown field") {
        let key = span.clone().and_then(|at| text.get(at)).unwrap_or_default().trim();
        if let Some(meant) = nearest(key, KEYS.map(str::to_owned)) {
            what = format!("{what}; the nearest is `{meant}`");
        }
    }
    BudgetError { what, line: span.map(|span| line_at(text, span.start)) }
}

fn rule(raw: Spanned<RawRule>) -> Result<LimitRule, (usize, String)> {
    let span = raw.span().start;
    let raw = raw.into_inner();
    let of: Quantity = raw.of.as_ref().parse().map_err(|e| (raw.of.span().start, format!("{e}")))?;
    let fits = |amount: &Spanned<Amount>, key: &str, unit: Unit| {
        let wrong = |what: &str| Err((amount.span().start, format!("`{key}` of `{of}` is {what}")));
        match (*amount.as_ref(), unit) {
            (Amount::Time(d), Unit::Ns) => Ok(Increase::By(d.as_nanos())),
            (Amount::Count(n), Unit::Bytes) => Ok(Increase::By(n)),
            (Amount::Share(share), _) => Ok(Increase::Share(share)),
            (_, Unit::Ns) => wrong("a time, like \"1.5 s\""),
            (_, Unit::Bytes) => wrong("a number of characters, like 22000"),
        }
    };
    let at_most = match raw.at_most.as_ref().map(|a| (a.span().start, fits(a, "at_most", of.unit()))) {
        None => None,
        Some((_, Ok(Increase::By(n)))) => Some(n),
        Some((at, Ok(Increase::Share(_)))) => {
            return Err((at, "`at_most` can't be a share; a share of the baseline is `increase_at_most`".to_owned()));
        }
        Some((_, Err(e))) => return Err(e),
    };
    let increase_at_most = raw.increase_at_most.as_ref().map(|a| fits(a, "increase_at_most", of.unit())).transpose()?;
    if at_most.is_none() && increase_at_most.is_none() {
        return Err((span, format!("nothing limits `{of}`: `at_most` or `increase_at_most` is missing")));
    }
    let runs = match raw.runs {
        Some(n) if !(1..=1000).contains(n.as_ref()) => {
            return Err((n.span().start, "`runs` is 1 to 1000".to_owned()));
        }
        n => n.map_or(1, Spanned::into_inner),
    };
    Ok(LimitRule { of, at_most, increase_at_most, runs })
}

fn line_at(text: &str, at: usize) -> (usize, String) {
    let before = text.get(..at).unwrap_or(text);
    let number = before.matches('\n').count() + 1;
    (number, text.lines().nth(number - 1).unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget() {
        let text = r#"
            baseline = "boot-baseline.json"
            [[budget]]
            of = "time-to-init"
            at_most = "3.5 s"
            increase_at_most = "50 ms"
            runs = 5
            [[budget]]
            of = "console-bytes"
            at_most = 22000
            [[budget]]
            of = "marker:login: "
            increase_at_most = "2.5 %"
        "#;
        let budget = Budget::parse(text).unwrap();
        assert_eq!((budget.noise, budget.baseline.as_deref()), (NOISE, Some("boot-baseline.json")));
        assert_eq!(budget.asked(), Asked { markers: vec!["login: ".to_owned()], ..Asked::default() });
        let limits: Vec<_> = budget.rules.iter().map(|r| (r.at_most, r.increase_at_most, r.runs)).collect();
        let expected = [
            (Some(3_500_000_000), Some(Increase::By(50_000_000)), 5),
            (Some(22_000), None, 1),
            (None, Some(Increase::Share(0.025)), 1),
        ];
        assert_eq!(limits, expected);
        let stages = "app = \"camera.service\"\n[[budget]]\nof = \"stage:loader\"\nat_most = \"500 ms\"\n";
        let budget = Budget::parse(stages).unwrap();
        assert_eq!((budget.asked().whole_boot, budget.app), (true, Some(AppMarker::Unit("camera.service".to_owned()))));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let check = |rest: &str, what: &str, line: usize| {
            let text = format!("[[budget]]\nof = \"time-to-init\"\n{rest}");
            let error = Budget::parse(&text).unwrap_err();
            assert!(error.what.contains(what), "{rest}: {error:?}");
            assert_eq!(error.line.map(|l| l.0), Some(line), "{rest}");
        };
        check("", "nothing limits `time-to-init`", 1);
        check("at_most = \"fast\"", "an amount is like", 3);
        check("at_most = \"-1 s\"", "not below zero", 3);
        check("at_most = 3", "is a time, like", 3);
        check("at_most = -3", "not below zero", 3);
        check("at_most = 3.5", "an amount is like", 3);
        check("at_most = nan", "an amount is like", 3);
        check("at_most = \"nan s\"", "an amount is like", 3);
        check("at_most = \"1.5 bytes\"", "an amount is like", 3);
        check("at_most = true", "expected \"1.5 s\"", 3);
        check("at_most = \"3 s\"\n[[budget]]\nof = \"time-to-init\"\nincrease_at_most = \"3 %\"", "already", 5);
        check("at_most = \"3 s\"\n[[budget]]\nof = \"time-to-marker\"\nat_most = \"3 s\"", "needs the text", 5);
        check("at_most = \"3 %\"", "can't be a share", 3);
        check("atmost = \"3 s\"", "unknown field `atmost`", 3);
        check("atmost = \"3 s\"", "; the nearest is `at_most`", 3);
        check("at_most = \"3 s\"\nruns = 0", "`runs` is 1 to 1000", 4);
        check("at_most = \"3 s\"\n[[budget]]\nof = \"init\"\nat_most = 3", "`init` is not a quantity", 5);
        assert_eq!(Budget::parse("").unwrap_err().what, "no `[[budget]]` in it");
        assert!(Budget::parse("noise = \"3 s\"").unwrap_err().what.contains("is a share"));
        assert!(Budget::parse("nois = \"3 %\"").unwrap_err().what.contains("the nearest is `noise`"));
        check("at_most = \"3 s\"\n[[budget]]\nof = \"time-to-application\"\nat_most = \"3 s\"", "needs what shows", 5);
        let app = "app = \"cam(\"\n[[budget]]\nof = \"stage:kernel\"\nat_most = \"3 s\"";
        let regex = "app = \"cam.* up\"\n[[budget]]\nof = \"stage:application\"\nat_most = \"3 s\"";
        assert!(Budget::parse(regex).unwrap_err().what.contains("needs a unit"));
        let since = "since = \"reset\"\n[[budget]]\nof = \"stage:kernel\"\nat_most = \"3 s\"";
        let error = Budget::parse(since).unwrap_err();
        assert!(error.what.contains("unknown variant `reset`, expected one of `power-on`"), "{}", error.what);
        let error = Budget::parse(app).unwrap_err();
        assert_eq!(error.what, "`app` is neither a unit nor a regular expression: unclosed group");
        assert_eq!(error.line.map(|l| l.0), Some(1));
        let both = "end = \"login:\"\n[[budget]]\nof = \"time-to-init\"\nat_most = \"3 s\"";
        assert!(Budget::parse(both).unwrap_err().what.contains("`time-to-marker`"));
    }
}
