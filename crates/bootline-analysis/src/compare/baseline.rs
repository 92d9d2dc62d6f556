// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs stored in a small file, to compare later runs with: column by column, one number per run. Initcalls and probes
//! that never worked for a millisecond, and printed almost nothing, are stored by name and as a sum.
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::measures::{RunMeasures, RunSetup};
use super::part::{Part, PartKey, PartPosition};
use super::quantity::Quantity;
use super::run_set::RunSet;
use bootline_capture::units::Dur;

/// The version of the file; incremented when a field changes its meaning or is removed.
pub const BASELINE_SCHEMA: &str = "bootline-baseline/1";

/// A baseline, as stored in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// [`BASELINE_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// A note by the user: when, where, of what.
    pub note: Option<String>,
    /// The setups of its runs.
    pub setups: Vec<RunSetup>,
    /// Each run's setup, as an index into `setups`.
    pub runs: Vec<usize>,
    /// Numbers by quantity, one per run; null if a run has none.
    pub values: BTreeMap<Quantity, Vec<Option<i64>>>,
    /// Initcalls and async calls that did not return in some runs, with the positions of these: nobody knows how long they took.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unfinished: BTreeMap<Quantity, Vec<usize>>,
    /// The parts of the times.
    pub parts: Vec<StoredPart>,
    /// The parts that are stored only as a sum, because they are short.
    pub short: BTreeSet<PartKey>,
}

/// One part in all runs of a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredPart {
    /// Which.
    pub part: PartKey,
    /// Where it usually begins.
    pub place: PartPosition,
    /// For each run its work, its waits for the console, its bytes, and its start; null if the run does not have it.
    pub runs: Vec<Option<[i64; 4]>>,
}

/// Why a file is not a baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// Not JSON, or fields are missing.
    #[error("it can't be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Of another version.
    #[error("its schema is `{0}`, not `{BASELINE_SCHEMA}`")]
    Schema(String),
    /// A column's length is not the number of runs, or a run refers to a missing setup.
    #[error("it contradicts itself: {0}")]
    Uneven(String),
    /// Each of its runs is compared with each of the new ones.
    #[error("it has {0} runs; at most {MOST_RUNS} are allowed")]
    TooMany(usize),
}

/// The field that is read from a file of any version.
#[derive(Deserialize)]
struct Version {
    schema: String,
}

/// Maximum number of runs in a set: more add little information, and each pair costs time.
pub const MOST_RUNS: usize = 1000;

impl Baseline {
    /// The baseline of the usable runs of a set, with all initcalls that took long and those in `keep`.
    pub fn of(set: &RunSet, note: Option<String>, keep: &BTreeSet<PartKey>) -> Baseline {
        let mut set = set.clone();
        set.sum_up(&set.short_spans().difference(keep).cloned().collect());
        let setups: Vec<RunSetup> = set.setups().into_iter().map(|(s, _)| s.clone()).collect();
        let setup_of = |run: &RunMeasures| setups.iter().position(|s| *s == run.setup).unwrap_or_default();
        let runs = set.runs.iter().map(setup_of).collect();
        let column = |q: &Quantity| set.runs.iter().map(|r| r.values.get(q).copied()).collect();
        let values = set.quantities().into_iter().map(|q| (q.clone(), column(q))).collect();
        let mut unfinished: BTreeMap<Quantity, Vec<usize>> = BTreeMap::new();
        for (n, run) in set.runs.iter().enumerate() {
            for quantity in &run.unfinished {
                unfinished.entry(quantity.clone()).or_default().push(n);
            }
        }
        let mut parts: Vec<StoredPart> = Vec::new();
        let mut at: BTreeMap<&PartKey, usize> = BTreeMap::new();
        for (n, run) in set.runs.iter().enumerate() {
            for part in &run.parts {
                let i = *at.entry(&part.key).or_insert_with(|| {
                    let runs = vec![None; set.n()];
                    parts.push(StoredPart { part: part.key.clone(), place: part.place, runs });
                    parts.len() - 1
                });
                let bytes = i64::try_from(part.bytes).unwrap_or(i64::MAX);
                parts[i].runs[n] = Some([part.work.as_nanos(), part.console.as_nanos(), bytes, part.start.as_nanos()]);
            }
        }
        let tool = concat!("bootline ", env!("CARGO_PKG_VERSION")).to_owned();
        let schema = BASELINE_SCHEMA.to_owned();
        Baseline { schema, tool, note, setups, runs, values, unfinished, parts, short: set.short }
    }

    /// Parses a file's text.
    ///
    /// # Errors
    /// It is not a baseline.
    pub fn parse(text: &[u8]) -> Result<Baseline, BaselineError> {
        // Another version may have other fields, so the version is read first.
        let Version { schema } = serde_json::from_slice(text)?;
        if schema != BASELINE_SCHEMA {
            return Err(BaselineError::Schema(schema));
        }
        let baseline: Baseline = serde_json::from_slice(text)?;
        let n = baseline.runs.len();
        if n > MOST_RUNS {
            return Err(BaselineError::TooMany(n));
        }
        if let Some(setup) = baseline.runs.iter().find(|s| **s >= baseline.setups.len()) {
            return Err(BaselineError::Uneven(format!("a run has setup {setup} of {}", baseline.setups.len())));
        }
        let uneven = |what: String, length: usize| {
            (length != n).then(|| BaselineError::Uneven(format!("{what} has {length} numbers for {n} runs")))
        };
        let in_values = baseline.values.iter().find_map(|(q, v)| uneven(format!("`{q}`"), v.len()));
        match in_values.or_else(|| baseline.parts.iter().find_map(|p| uneven(p.part.to_string(), p.runs.len()))) {
            Some(error) => Err(error),
            None => Ok(baseline),
        }
    }

    /// The file's text, one line per column, so that a diff shows what changed.
    pub fn to_text(&self) -> String {
        let pretty = "plain structs of numbers and strings always serialise";
        let line = |v: &dyn Fn() -> serde_json::Result<String>| v().expect(pretty);
        let list = |items: Vec<String>| match items.is_empty() {
            true => "[]".to_owned(),
            false => format!("[\n    {}\n  ]", items.join(",\n    ")),
        };
        let values: Vec<String> = self
            .values
            .iter()
            .map(|(q, v)| line(&|| Ok(format!("{}: {}", serde_json::to_string(q)?, serde_json::to_string(v)?))))
            .collect();
        let values =
            if values.is_empty() { "{}".to_owned() } else { format!("{{\n    {}\n  }}", values.join(",\n    ")) };
        let mut fields = vec![
            ("schema", line(&|| serde_json::to_string(&self.schema))),
            ("tool", line(&|| serde_json::to_string(&self.tool))),
            ("note", line(&|| serde_json::to_string(&self.note))),
            ("setups", list(self.setups.iter().map(|s| line(&|| serde_json::to_string(s))).collect())),
            ("runs", line(&|| serde_json::to_string(&self.runs))),
            ("values", values),
            ("parts", list(self.parts.iter().map(|p| line(&|| serde_json::to_string(p))).collect())),
            ("short", list(self.short.iter().map(|k| line(&|| serde_json::to_string(k))).collect())),
        ];
        if !self.unfinished.is_empty() {
            fields.push(("unfinished", line(&|| serde_json::to_string(&self.unfinished))));
        }
        let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }

    /// The runs, as a set with this name.
    pub fn runs(&self, name: &str) -> RunSet {
        let runs = self.runs.iter().enumerate().filter_map(|(n, setup)| {
            let values = self.values.iter().filter_map(|(q, v)| Some((q.clone(), (*v.get(n)?)?)));
            let parts = self.parts.iter().filter_map(|p| {
                let [work, console, bytes, start] = (*p.runs.get(n)?)?;
                Some(Part {
                    key: p.part.clone(),
                    work: Dur::from_nanos(work),
                    console: Dur::from_nanos(console),
                    bytes: u64::try_from(bytes).unwrap_or_default(),
                    place: p.place,
                    start: Dur::from_nanos(start),
                    records: None,
                })
            });
            let unfinished = self.unfinished.iter().filter(|(_, runs)| runs.contains(&n)).map(|(of, _)| of.clone());
            Some(RunMeasures {
                source: format!("{name}, run {}", n + 1),
                setup: self.setups.get(*setup)?.clone(),
                values: values.collect(),
                unfinished: unfinished.collect(),
                parts: parts.collect(),
            })
        });
        RunSet { name: name.to_owned(), runs: runs.collect(), excluded: Vec::new(), short: self.short.clone() }
    }
}
