// SPDX-License-Identifier: MIT OR Apache-2.0
use super::text::Text;
use crate::column::{Column, Table};

/// A row of `builds`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "docs/store.md describes the columns of the same names")]
pub struct BuildRow {
    pub build: Text,
    pub tree_name: Option<String>,
    pub git_repository_url: Option<String>,
    pub git_repository_branch: Option<String>,
    pub git_commit_hash: Option<String>,
    pub git_commit_name: Option<String>,
    pub architecture: Option<String>,
    pub config_name: Option<String>,
    pub compiler: Option<String>,
    pub start_time: Option<i64>,
    pub ordinal: Option<i64>,
}

type Col = Column<BuildRow>;

impl Table for BuildRow {
    const NAME: &'static str = "builds";
    const COLUMNS: &'static [Col] = &[
        Col::text("build", |r| Some(&r.build)),
        Col::text("tree_name", |r| r.tree_name.as_deref()).or_null(),
        Col::text("git_repository_url", |r| r.git_repository_url.as_deref()).or_null(),
        Col::text("git_repository_branch", |r| r.git_repository_branch.as_deref()).or_null(),
        Col::text("git_commit_hash", |r| r.git_commit_hash.as_deref()).or_null(),
        Col::text("git_commit_name", |r| r.git_commit_name.as_deref()).or_null(),
        Col::text("architecture", |r| r.architecture.as_deref()).or_null(),
        Col::text("config_name", |r| r.config_name.as_deref()).or_null(),
        Col::text("compiler", |r| r.compiler.as_deref()).or_null(),
        Col::time("start_time", |r| r.start_time).or_null(),
        Col::int64("ordinal", |r| r.ordinal).or_null(),
    ];

    fn sort(rows: &mut [BuildRow]) {
        rows.sort_by(|a, b| a.build.cmp(&b.build));
    }
}

impl BuildRow {
    /// A build of which only the name is known.
    pub fn named(build: Text) -> BuildRow {
        BuildRow {
            build,
            tree_name: None,
            git_repository_url: None,
            git_repository_branch: None,
            git_commit_hash: None,
            git_commit_name: None,
            architecture: None,
            config_name: None,
            compiler: None,
            start_time: None,
            ordinal: None,
        }
    }
}
