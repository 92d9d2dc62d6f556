// SPDX-License-Identifier: MIT OR Apache-2.0
//! `systemd-analyze plot --json=short` (systemd 253): a table of units in JSON.
//!
//! ```text
//! [{"name":"ssh.service","activated":11123000,"activating":11023456,"time":99544,"deactivated":0,"deactivating":0}]
//! 119 Units listed.
//! ```
//! Source: produce_plot_as_text() in systemd's src/analyze/analyze-plot.c: microseconds of CLOCK_MONOTONIC. A line that is no JSON
//! ends the output of some versions.
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::systemd_state::{MOST_UNITS, SystemdState, UnitState, is_unit_name};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, MonotonicTime};

#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(default)]
    activated: Option<i64>,
    #[serde(default)]
    activating: Option<i64>,
    #[serde(default)]
    time: Option<i64>,
    #[serde(default)]
    deactivated: Option<i64>,
    #[serde(default)]
    deactivating: Option<i64>,
}

/// The rows that are units', as many as there can be, and whether there were others.
#[derive(Default)]
struct Rows {
    units: Vec<Row>,
    others: bool,
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rows, D::Error> {
        struct OneByOne;
        impl<'de> Visitor<'de> for OneByOne {
            type Value = Rows;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of units")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rows, A::Error> {
                let mut rows = Rows::default();
                while let Some(row) = list.next_element::<Row>()? {
                    if rows.units.len() < MOST_UNITS && is_unit_name(&row.name) {
                        rows.units.push(row);
                    } else {
                        rows.others = true;
                    }
                }
                Ok(rows)
            }
        }
        from.deserialize_seq(OneByOne)
    }
}

pub(super) fn is_one(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(400).collect();
    start.starts_with('[') && start.contains("\"activating\"") && start.contains("\"name\"")
}

pub(super) fn read(text: &str, problems: &mut Problems) -> SystemdState {
    let mut state = SystemdState::default();
    let mut bad = |detail: &str| problems.add(ProblemKind::BadLine, ByteRange::default(), || detail.to_owned());
    // One value: what follows the list is not read.
    let rows = serde_json::Deserializer::from_str(text.trim_start()).into_iter::<Rows>().next();
    let rows = match rows {
        Some(Ok(rows)) => rows,
        _ => {
            bad("the list of units is cut off, or no list");
            Rows::default()
        }
    };
    if rows.others {
        bad("a row that is no unit's, or one too many");
    }
    for row in rows.units {
        let at = |us: Option<i64>| {
            let us = us.filter(|us| *us > 0)?;
            Some(MonotonicTime::from_nanos(us.checked_mul(1_000)?))
        };
        state.units.push(UnitState {
            activating: at(row.activating),
            active: at(row.activated),
            deactivating: at(row.deactivating),
            inactive: at(row.deactivated),
            took: row.time.filter(|us| *us > 0).map(Dur::from_micros),
            name: row.name,
            ..UnitState::default()
        });
    }
    state
}
