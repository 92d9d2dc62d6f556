// SPDX-License-Identifier: MIT OR Apache-2.0
use super::text::Text;
use crate::column::{Column, Table};

/// A row of `measures`: a figure that somebody else measured.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct MeasureRow {
    pub boot_id: i64,
    pub board: Option<Text>,
    pub build: Option<Text>,
    pub source: &'static str,
    pub clock: String,
    pub name: String,
    pub value: f64,
    pub unit: Option<String>,
}

type Col = Column<MeasureRow>;

impl Table for MeasureRow {
    const NAME: &'static str = "measures";
    const COLUMNS: &'static [Col] = &[
        Col::int64("boot_id", |r| Some(r.boot_id)),
        Col::text("board", |r| r.board.as_deref()).or_null(),
        Col::text("build", |r| r.build.as_deref()).or_null(),
        Col::text("source", |r| Some(r.source)),
        Col::text("clock", |r| Some(&r.clock)),
        Col::text("name", |r| Some(&r.name)),
        Col::double("value", |r| Some(r.value)),
        Col::text("unit", |r| r.unit.as_deref()).or_null(),
    ];

    fn sort(rows: &mut [MeasureRow]) {
        rows.sort_by(|a, b| (&a.name, &a.board, &a.build, a.boot_id).cmp(&(&b.name, &b.board, &b.build, b.boot_id)));
    }
}
