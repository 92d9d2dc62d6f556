// SPDX-License-Identifier: MIT OR Apache-2.0
use super::text::Text;
use crate::column::{Column, Table};

/// A row of `rollups`: one bucket of a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct RollupRow {
    pub board: Option<Text>,
    pub build: Option<Text>,
    pub clock: &'static str,
    pub kind: &'static str,
    pub name: Text,
    pub bucket: i32,
    pub count: i64,
    pub sum_us: i64,
}

type Col = Column<RollupRow>;

impl Table for RollupRow {
    const NAME: &'static str = "rollups";
    const COLUMNS: &'static [Col] = &[
        Col::text("board", |r| r.board.as_deref()).or_null(),
        Col::text("build", |r| r.build.as_deref()).or_null(),
        Col::text("clock", |r| Some(r.clock)),
        Col::text("kind", |r| Some(r.kind)),
        Col::text("name", |r| Some(&r.name)),
        Col::int32("bucket", |r| Some(r.bucket)),
        Col::int64("count", |r| Some(r.count)),
        Col::int64("sum_us", |r| Some(r.sum_us)).delta(),
    ];

    fn sort(rows: &mut [RollupRow]) {
        rows.sort_by(|a, b| {
            let key = |r: &RollupRow| (r.clock, r.kind);
            let by_place = (&a.board, &a.build).cmp(&(&b.board, &b.build)).then(key(a).cmp(&key(b)));
            by_place.then_with(|| a.name.cmp(&b.name)).then(a.bucket.cmp(&b.bucket))
        });
    }
}
