// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes as one sample after the other shows them.
use super::chart::{ChartProcess, LONGEST_NAME, MOST_PROCESSES, cut};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, UptimeTime};

/// The parent of kernel threads.
const KTHREADD: u32 = 2;

/// What a sample says of a process.
pub(super) struct SampledProcess<'t> {
    pub pid: u32,
    pub parent: u32,
    pub name: &'t str,
    pub cpu: Dur,
    pub io_wait: Dur,
}

impl SampledProcess<'_> {
    pub fn is_kernel_thread(&self) -> bool {
        self.pid == KTHREADD || self.parent == KTHREADD
    }
}

/// The processes of a file.
#[derive(Default)]
pub(super) struct ProcessList {
    pub all: Vec<ChartProcess>,
}

impl ProcessList {
    /// Adds a process that a sample shows first, and gives its position; none if there are too many.
    pub fn add(
        &mut self,
        seen: &SampledProcess<'_>,
        at: UptimeTime,
        (start, start_error): (Option<UptimeTime>, Dur),
        problems: &mut Problems,
    ) -> Option<usize> {
        if self.all.len() == MOST_PROCESSES {
            problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many processes".to_owned());
            return None;
        }
        self.all.push(ChartProcess {
            pid: seen.pid,
            parent: seen.parent,
            name: String::new(),
            args: None,
            start,
            start_error,
            last_seen: at,
            gone: None,
            cpu: Dur::ZERO,
            io_wait: Dur::ZERO,
        });
        Some(self.all.len() - 1)
    }

    /// Takes what a sample says of the process at a position.
    pub fn update(&mut self, position: usize, seen: &SampledProcess<'_>, at: UptimeTime) {
        let process = &mut self.all[position];
        (process.parent, process.last_seen) = (seen.parent, at);
        if process.name != seen.name {
            process.name = cut(seen.name, LONGEST_NAME);
        }
        (process.cpu, process.io_wait) = (seen.cpu, seen.io_wait);
    }
}

/// Names a line that shows no process.
pub(super) fn bad_line(file: &str, line: &str, problems: &mut Problems) {
    problems.add(ProblemKind::BadLine, ByteRange::default(), || format!("no process in {file}: `{}`", cut(line, 60)));
}
