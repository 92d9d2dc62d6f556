// SPDX-License-Identifier: MIT OR Apache-2.0
use super::text::Text;
use crate::column::{Column, Table};

/// A row of `findings`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct FindingRow {
    pub boot_id: i64,
    pub board: Option<Text>,
    pub build: Option<Text>,
    pub clock: &'static str,
    pub rule: &'static str,
    pub rule_name: &'static str,
    pub title: String,
    pub cost_us: i64,
    pub cost_low_us: i64,
    pub cost_high_us: i64,
    pub adds_up: bool,
    pub remedy: Option<String>,
    pub saves_us: Option<i64>,
}

type Col = Column<FindingRow>;

impl Table for FindingRow {
    const NAME: &'static str = "findings";
    const COLUMNS: &'static [Col] = &[
        Col::int64("boot_id", |r| Some(r.boot_id)),
        Col::text("board", |r| r.board.as_deref()).or_null(),
        Col::text("build", |r| r.build.as_deref()).or_null(),
        Col::text("clock", |r| Some(r.clock)),
        Col::text("rule", |r| Some(r.rule)),
        Col::text("rule_name", |r| Some(r.rule_name)),
        Col::text("title", |r| Some(&r.title)),
        Col::int64("cost_us", |r| Some(r.cost_us)).delta(),
        Col::int64("cost_low_us", |r| Some(r.cost_low_us)).delta(),
        Col::int64("cost_high_us", |r| Some(r.cost_high_us)).delta(),
        Col::bool("adds_up", |r| Some(r.adds_up)),
        Col::text("remedy", |r| r.remedy.as_deref()).or_null(),
        Col::int64("saves_us", |r| r.saves_us).or_null().delta(),
    ];

    fn sort(rows: &mut [FindingRow]) {
        rows.sort_by(|a, b| (a.rule, &a.board, &a.build, a.boot_id).cmp(&(b.rule, &b.board, &b.build, b.boot_id)));
    }
}
