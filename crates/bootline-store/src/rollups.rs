// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rollups of boots: per date and key a sketch of the values, one per boot.
use std::collections::BTreeMap;

use crate::date::Date;
use crate::sketch::Sketch;
use crate::tables::{BootRow, RollupRow, SpanRow, Text};

/// What rollups are grouped by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RollupKey {
    board: Option<Text>,
    build: Option<Text>,
    clock: &'static str,
    kind: &'static str,
    name: Text,
}

/// Collects rollups of boots.
#[derive(Debug, Default)]
pub struct Rollups(BTreeMap<Date, BTreeMap<RollupKey, Sketch>>);

impl Rollups {
    /// Adds a boot of this date, if its figures can be trusted. Texts are shared with its rows.
    pub fn add(&mut self, date: Date, boot: &BootRow, spans: &[SpanRow]) {
        if !boot.usable {
            return;
        }
        let mut values: BTreeMap<(&'static str, &'static str, Text), i64> = BTreeMap::new();
        for span in spans {
            if let Some(net) = span.net_us() {
                let sum = values.entry((span.clock, span.kind, span.name.clone())).or_default();
                *sum = sum.saturating_add(net);
            }
        }
        if let (Some(dur), Some(by)) = (boot.dur_us, boot.ended_by) {
            let name = if by == "marker" { "time-to-marker" } else { "time-to-init" };
            values.insert((boot.clock, "boot", Text::from(name)), dur);
        }
        let of_date = self.0.entry(date).or_default();
        for ((clock, kind, name), value) in values {
            let key = RollupKey { board: boot.board.clone(), build: boot.build.clone(), clock, kind, name };
            of_date.entry(key).or_default().add(value);
        }
    }

    /// The rows, by date.
    pub fn into_rows(self) -> impl Iterator<Item = (Date, Vec<RollupRow>)> {
        self.0.into_iter().map(|(date, sketches)| (date, rollup_rows(sketches)))
    }
}

fn rollup_rows(sketches: BTreeMap<RollupKey, Sketch>) -> Vec<RollupRow> {
    let mut rows = Vec::new();
    for (key, sketch) in sketches {
        let RollupKey { board, build, clock, kind, name } = key;
        rows.extend(sketch.buckets.into_iter().map(|(bucket, (count, sum_us))| RollupRow {
            board: board.clone(),
            build: build.clone(),
            clock,
            kind,
            name: name.clone(),
            bucket,
            count,
            sum_us,
        }));
    }
    rows
}
