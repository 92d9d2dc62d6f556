// SPDX-License-Identifier: MIT OR Apache-2.0
use super::text::Text;
use crate::column::{Column, Table};

/// A row of `boots`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct BootRow {
    pub boot_id: i64,
    pub file_id: i64,
    pub boot_index: i32,
    pub start_time: Option<i64>,
    pub start_time_source: Option<&'static str>,
    pub board: Option<Text>,
    pub device: Option<Text>,
    pub device_model: Option<String>,
    pub build: Option<Text>,
    pub lab: Option<Text>,
    pub job: Option<Text>,
    pub kernel_release: Option<String>,
    pub kernel_version: Option<String>,
    pub preempt_rt: bool,
    pub cpus: Option<i32>,
    pub command_line: Option<String>,
    pub clock: &'static str,
    pub ended_by: Option<&'static str>,
    pub since: Option<&'static str>,
    pub dur_us: Option<i64>,
    pub dur_low_us: Option<i64>,
    pub dur_high_us: Option<i64>,
    pub kernel_dur_us: Option<i64>,
    pub app_dur_us: Option<i64>,
    pub console: Option<String>,
    pub baud: Option<i32>,
    pub console_bytes: Option<i64>,
    pub console_us: Option<i64>,
    pub panicked: bool,
    pub usable: bool,
    pub problem: Option<String>,
    pub records: i64,
}

type Col = Column<BootRow>;

impl Table for BootRow {
    const NAME: &'static str = "boots";
    const COLUMNS: &'static [Col] = &[
        Col::int64("boot_id", |r| Some(r.boot_id)).delta(),
        Col::int64("file_id", |r| Some(r.file_id)).delta(),
        Col::int32("boot_index", |r| Some(r.boot_index)),
        Col::time("start_time", |r| r.start_time).or_null().delta(),
        Col::text("start_time_source", |r| r.start_time_source).or_null(),
        Col::text("board", |r| r.board.as_deref()).or_null(),
        Col::text("device", |r| r.device.as_deref()).or_null(),
        Col::text("device_model", |r| r.device_model.as_deref()).or_null(),
        Col::text("build", |r| r.build.as_deref()).or_null(),
        Col::text("lab", |r| r.lab.as_deref()).or_null(),
        Col::text("job", |r| r.job.as_deref()).or_null(),
        Col::text("kernel_release", |r| r.kernel_release.as_deref()).or_null(),
        Col::text("kernel_version", |r| r.kernel_version.as_deref()).or_null(),
        Col::bool("preempt_rt", |r| Some(r.preempt_rt)),
        Col::int32("cpus", |r| r.cpus).or_null(),
        Col::text("command_line", |r| r.command_line.as_deref()).or_null(),
        Col::text("clock", |r| Some(r.clock)),
        Col::text("ended_by", |r| r.ended_by).or_null(),
        Col::text("since", |r| r.since).or_null(),
        Col::int64("dur_us", |r| r.dur_us).or_null().delta(),
        Col::int64("dur_low_us", |r| r.dur_low_us).or_null().delta(),
        Col::int64("dur_high_us", |r| r.dur_high_us).or_null().delta(),
        Col::int64("kernel_dur_us", |r| r.kernel_dur_us).or_null().delta(),
        Col::int64("app_dur_us", |r| r.app_dur_us).or_null().delta(),
        Col::text("console", |r| r.console.as_deref()).or_null(),
        Col::int32("baud", |r| r.baud).or_null(),
        Col::int64("console_bytes", |r| r.console_bytes).or_null().delta(),
        Col::int64("console_us", |r| r.console_us).or_null().delta(),
        Col::bool("panicked", |r| Some(r.panicked)),
        Col::bool("usable", |r| Some(r.usable)),
        Col::text("problem", |r| r.problem.as_deref()).or_null(),
        Col::int64("records", |r| Some(r.records)).delta(),
    ];

    fn sort(rows: &mut [BootRow]) {
        rows.sort_by(|a, b| (&a.board, &a.build, a.boot_id).cmp(&(&b.board, &b.build, b.boot_id)));
    }
}
