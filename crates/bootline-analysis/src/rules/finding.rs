// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule says.
use serde::{Serialize, Serializer};

use super::case::TimeRange;
use super::rule_id::RuleId;
use crate::boot::Boot;
use crate::records::RecordId;
use bootline_capture::units::Interval;

/// One cause of lost time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The rule's code and name: `con001 synchronous-console`.
    pub rule: RuleId,
    /// One line: what costs how much. It may name what the log names (devices, functions): escape it like a record.
    pub title: String,
    /// What it costs the boot; zero where it costs nothing by itself (a clock that stood still).
    #[serde(rename = "cost_ns")]
    pub cost: Interval,
    /// Rules whose findings already hold this cost; empty where it is this finding's alone. Only findings that are
    /// part of no other add up.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "codes")]
    pub part_of: Vec<RuleId>,
    /// Where on the boot's axis the time went, where it is one stretch or few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub time_ranges: Vec<TimeRange>,
    /// Why, in a sentence or two, with the figures it rests on and the clock that they are from.
    pub why: String,
    /// The records that show it.
    #[serde(rename = "records")]
    pub evidence: Vec<CitedRecord>,
    /// What to do, the best first.
    pub advice: Vec<Advice>,
}

fn codes<S: Serializer>(rules: &[RuleId], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rules.iter().map(|r| r.code()))
}

/// A record cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CitedRecord {
    /// Its number.
    pub id: RecordId,
    /// Its text as logged: hostile until escaped by a renderer.
    pub text: String,
}

/// One way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What to do: `boot with quiet`.
    pub action: String,
    /// The exact setting: a command-line word, a config symbol, a kernel version; none where there is no such thing.
    pub setting: Option<String>,
    /// What one gives up or needs for it.
    pub price: String,
    /// What the boot is predicted to take less with it alone; none where that isn't predicted.
    #[serde(rename = "saves_ns")]
    pub saves: Option<Interval>,
}

impl Advice {
    /// An advice with its setting.
    pub fn new(action: impl Into<String>, setting: impl Into<String>, price: impl Into<String>) -> Advice {
        Advice { action: action.into(), setting: Some(setting.into()), price: price.into(), saves: None }
    }

    /// An advice for which there is no one setting.
    pub fn plain(action: impl Into<String>, price: impl Into<String>) -> Advice {
        Advice { action: action.into(), setting: None, price: price.into(), saves: None }
    }

    /// With what it is predicted to save.
    pub fn saving(self, saves: Option<Interval>) -> Advice {
        Advice { saves, ..self }
    }
}

/// Cites records by id, in the given order; ids that the boot doesn't hold are left out.
pub(super) fn cite(boot: &Boot, ids: impl IntoIterator<Item = RecordId>) -> Vec<CitedRecord> {
    ids.into_iter()
        .filter_map(|id| boot.records.by_id(id))
        .map(|r| CitedRecord { id: r.id, text: r.text.to_owned() })
        .collect()
}

/// Cites records by position.
pub(super) fn cite_at(boot: &Boot, indices: impl IntoIterator<Item = usize>) -> Vec<CitedRecord> {
    let records = indices.into_iter().filter_map(|i| boot.records.get(i));
    records.map(|r| CitedRecord { id: r.id, text: r.text.to_owned() }).collect()
}
