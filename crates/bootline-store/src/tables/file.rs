// SPDX-License-Identifier: MIT OR Apache-2.0
use crate::column::{Column, Table};

/// A row of `files`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct FileRow {
    pub file_id: i64,
    pub sha256: Option<String>,
    pub path: String,
    pub size: Option<i64>,
    pub modified: Option<i64>,
    pub format: Option<&'static str>,
    pub status: FileStatus,
    pub problem: Option<String>,
    pub boots: i32,
    pub ingested_at: i64,
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// At least one boot was stored, and the file is whole.
    Stored,
    /// It holds no boot.
    NoBoot,
    /// It is damaged or cut off; the boots before that are stored.
    Damaged,
    /// It can't be opened or read.
    Unreadable,
}

impl FileStatus {
    /// As stored.
    pub fn word(self) -> &'static str {
        match self {
            FileStatus::Stored => "stored",
            FileStatus::NoBoot => "no-boot",
            FileStatus::Damaged => "damaged",
            FileStatus::Unreadable => "unreadable",
        }
    }
}

type Col = Column<FileRow>;

impl Table for FileRow {
    const NAME: &'static str = "files";
    const COLUMNS: &'static [Col] = &[
        Col::int64("file_id", |r| Some(r.file_id)).delta(),
        Col::text("sha256", |r| r.sha256.as_deref()).or_null().delta(),
        Col::text("path", |r| Some(&r.path)).delta(),
        Col::int64("size", |r| r.size).or_null().delta(),
        Col::time("modified", |r| r.modified).or_null().delta(),
        Col::text("format", |r| r.format).or_null(),
        Col::text("status", |r| Some(r.status.word())),
        Col::text("problem", |r| r.problem.as_deref()).or_null(),
        Col::int32("boots", |r| Some(r.boots)),
        Col::time("ingested_at", |r| Some(r.ingested_at)).delta(),
        Col::text("bootline_version", |_| Some(env!("CARGO_PKG_VERSION"))),
    ];

    fn sort(rows: &mut [FileRow]) {
        rows.sort_by(|a, b| a.path.cmp(&b.path));
    }
}
