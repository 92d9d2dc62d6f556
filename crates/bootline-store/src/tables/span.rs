// SPDX-License-Identifier: MIT OR Apache-2.0
use super::text::Text;
use crate::column::{Column, Table};

/// A row of `spans`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct SpanRow {
    pub boot_id: i64,
    pub board: Option<Text>,
    pub build: Option<Text>,
    pub clock: &'static str,
    pub kind: &'static str,
    pub name: Text,
    pub module: Option<Text>,
    pub ts_us: Option<i64>,
    pub dur_us: Option<i64>,
    pub console_us: i64,
    pub children_us: i64,
    pub reported_us: Option<i64>,
    pub depth: i32,
    pub tid: Option<i32>,
    pub return_value: Option<i32>,
}

impl SpanRow {
    /// Its length without waits for the console, if it ended.
    pub fn net_us(&self) -> Option<i64> {
        self.dur_us.map(|dur| dur.saturating_sub(self.console_us).max(0))
    }
}

type Col = Column<SpanRow>;

impl Table for SpanRow {
    const NAME: &'static str = "spans";
    const COLUMNS: &'static [Col] = &[
        Col::int64("boot_id", |r| Some(r.boot_id)),
        Col::text("board", |r| r.board.as_deref()).or_null(),
        Col::text("build", |r| r.build.as_deref()).or_null(),
        Col::text("clock", |r| Some(r.clock)),
        Col::text("kind", |r| Some(r.kind)),
        Col::text("name", |r| Some(&r.name)),
        Col::text("module", |r| r.module.as_deref()).or_null(),
        Col::int64("ts_us", |r| r.ts_us).or_null().delta(),
        Col::int64("dur_us", |r| r.dur_us).or_null().delta(),
        Col::int64("console_us", |r| Some(r.console_us)).delta(),
        Col::int64("children_us", |r| Some(r.children_us)).delta(),
        Col::int64("reported_us", |r| r.reported_us).or_null().delta(),
        Col::int32("depth", |r| Some(r.depth)),
        Col::int32("tid", |r| r.tid).or_null(),
        Col::int32("return_value", |r| r.return_value).or_null(),
    ];

    fn sort(rows: &mut [SpanRow]) {
        rows.sort_by(|a, b| {
            let key = |r: &SpanRow| (r.clock, r.kind);
            let by_place = (&a.board, &a.build).cmp(&(&b.board, &b.build)).then(key(a).cmp(&key(b)));
            by_place.then_with(|| a.name.cmp(&b.name)).then(a.boot_id.cmp(&b.boot_id)).then(a.ts_us.cmp(&b.ts_us))
        });
    }
}
