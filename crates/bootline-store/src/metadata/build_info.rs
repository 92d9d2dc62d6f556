// SPDX-License-Identifier: MIT OR Apache-2.0
//! What describes a build.

/// What describes a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildInfo {
    /// `mainline`
    pub tree_name: Option<String>,
    /// Where the source is from.
    pub git_repository_url: Option<String>,
    /// Its branch.
    pub git_repository_branch: Option<String>,
    /// Its commit.
    pub git_commit_hash: Option<String>,
    /// `git describe` of the commit.
    pub git_commit_name: Option<String>,
    /// `arm64`
    pub architecture: Option<String>,
    /// `defconfig`
    pub config_name: Option<String>,
    /// `gcc-14`
    pub compiler: Option<String>,
    /// When it was built, or its commit was made, in microseconds since 1970.
    pub start_time: Option<i64>,
    /// Place in the order of commits.
    pub ordinal: Option<i64>,
}

impl BuildInfo {
    pub(super) fn or(self, other: BuildInfo) -> BuildInfo {
        BuildInfo {
            tree_name: self.tree_name.or(other.tree_name),
            git_repository_url: self.git_repository_url.or(other.git_repository_url),
            git_repository_branch: self.git_repository_branch.or(other.git_repository_branch),
            git_commit_hash: self.git_commit_hash.or(other.git_commit_hash),
            git_commit_name: self.git_commit_name.or(other.git_commit_name),
            architecture: self.architecture.or(other.architecture),
            config_name: self.config_name.or(other.config_name),
            compiler: self.compiler.or(other.compiler),
            start_time: self.start_time.or(other.start_time),
            ordinal: self.ordinal.or(other.ordinal),
        }
    }

    /// A name for a build that has none: its commit, and what it was built with.
    pub(crate) fn name(&self) -> Option<String> {
        let commit = self.git_commit_name.as_ref().or(self.git_commit_hash.as_ref())?;
        let with = [&self.architecture, &self.config_name, &self.compiler].into_iter().flatten();
        Some(std::iter::once(commit).chain(with).map(String::as_str).collect::<Vec<_>>().join(" "))
    }
}
