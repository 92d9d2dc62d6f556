// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule says.
use serde::Serialize;

use crate::boot::Boot;
use crate::records::RecordId;
use crate::units::Interval;

/// One cause of lost time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The rule's code and name: `con001 synchronous-console`.
    pub rule: &'static str,
    /// One line: what costs how much.
    pub title: String,
    /// What it costs the boot; zero where it costs nothing by itself (a clock that stood still).
    #[serde(rename = "cost_ns")]
    pub cost: Interval,
    /// Why, in a sentence or two, with the figures it rests on and the clock that they are from.
    pub why: String,
    /// The records that show it.
    #[serde(rename = "records")]
    pub evidence: Vec<Evidence>,
    /// What to do, the best first.
    pub advice: Vec<Advice>,
}

/// A record cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
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
}

impl Advice {
    /// An advice with its setting.
    pub fn new(action: impl Into<String>, setting: impl Into<String>, price: impl Into<String>) -> Advice {
        Advice { action: action.into(), setting: Some(setting.into()), price: price.into() }
    }
}

/// Cites records by id, in the given order; ids that the boot doesn't hold are left out.
pub(super) fn cite(boot: &Boot, ids: impl IntoIterator<Item = RecordId>) -> Vec<Evidence> {
    ids.into_iter()
        .filter_map(|id| boot.records.by_id(id))
        .map(|r| Evidence { id: r.id, text: r.text.to_owned() })
        .collect()
}
