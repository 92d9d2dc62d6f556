// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of a boot besides its log, and how two sources add up.
use super::build_info::BuildInfo;
use super::foreign_measure::Measure;
use crate::tables::{BuildRow, Text};

/// What is known of a boot besides its log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// Kind of device.
    pub board: Option<Text>,
    /// The individual device.
    pub device: Option<Text>,
    /// What was booted.
    pub build: Option<Text>,
    /// Where.
    pub lab: Option<Text>,
    /// The run that booted it.
    pub job: Option<Text>,
    /// When the boot started, in microseconds since 1970, and what says so.
    pub start_time: Option<(i64, &'static str)>,
    /// What describes the build; its name is [`Metadata::build`].
    pub build_info: BuildInfo,
    /// Figures that somebody else measured.
    pub measures: Vec<Measure>,
}

impl Metadata {
    /// This, and what it lacks from another source. Figures of both count.
    pub fn or(mut self, mut other: Metadata) -> Metadata {
        self.measures.append(&mut other.measures);
        Metadata {
            board: self.board.or(other.board),
            device: self.device.or(other.device),
            build: self.build.or(other.build),
            lab: self.lab.or(other.lab),
            job: self.job.or(other.job),
            start_time: self.start_time.or(other.start_time),
            build_info: self.build_info.or(other.build_info),
            measures: self.measures,
        }
    }

    /// Sets the field of this name; false if there is none.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> bool {
        let text = Some(Text::from(value));
        let field = Some(value.to_owned());
        let build = &mut self.build_info;
        match name {
            "board" => self.board = text,
            "device" => self.device = text,
            "build" => self.build = text,
            "lab" => self.lab = text,
            "job" => self.job = text,
            "tree_name" => build.tree_name = field,
            "git_repository_branch" => build.git_repository_branch = field,
            "git_commit_hash" => build.git_commit_hash = field,
            "git_commit_name" => build.git_commit_name = field,
            "architecture" => build.architecture = field,
            "config_name" => build.config_name = field,
            "compiler" => build.compiler = field,
            _ => return false,
        }
        true
    }

    /// The row of the build, if there is one.
    pub fn build_row(&self) -> Option<BuildRow> {
        let build = self.build.clone()?;
        let info = self.build_info.clone();
        Some(BuildRow {
            build,
            tree_name: info.tree_name,
            git_repository_url: info.git_repository_url,
            git_repository_branch: info.git_repository_branch,
            git_commit_hash: info.git_commit_hash,
            git_commit_name: info.git_commit_name,
            architecture: info.architecture,
            config_name: info.config_name,
            compiler: info.compiler,
            start_time: info.start_time,
            ordinal: info.ordinal,
        })
    }
}
