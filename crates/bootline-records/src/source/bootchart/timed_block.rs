// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of a file in /proc, one after the other: a line with the uptime in 1/100 s, the file's lines, an empty line.
use super::chart::{MOST_SAMPLES, TICK};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::UptimeTime;

/// One sample.
#[derive(Clone, Copy)]
pub(super) struct TimedBlock<'t> {
    pub at: UptimeTime,
    lines: &'t str,
}

impl<'t> TimedBlock<'t> {
    /// Its lines that are not empty.
    pub fn lines(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.lines.lines().filter(|line| !line.trim().is_empty())
    }
}

/// The samples in a file. The last one is left out where no empty line ends it: bootchart2 stops in the middle of what it writes.
pub(super) fn blocks<'t>(text: &'t str, file: &str, problems: &mut Problems) -> Vec<TimedBlock<'t>> {
    let mut found: Vec<TimedBlock<'t>> = Vec::new();
    let mut rest = text;
    while let Some((block, after)) = rest.split_once("\n\n") {
        rest = after;
        let block = block.trim_start_matches('\n');
        let (head, lines) = block.split_once('\n').unwrap_or((block, ""));
        let Some(at) = uptime(head) else {
            problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                let head: String = head.chars().take(60).collect();
                format!("a sample of {file} begins without its time: `{head}`")
            });
            continue;
        };
        if let Some(before) = found.last().map(|b| b.at).filter(|before| at < *before) {
            problems.add(ProblemKind::ClockJumpedBack, ByteRange::default(), || {
                format!("the samples of {file} go back from {before} s to {at} s: what follows is of another recording")
            });
            break;
        }
        if found.len() == MOST_SAMPLES {
            problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || format!("too many samples in {file}"));
            break;
        }
        found.push(TimedBlock { at, lines });
    }
    found
}

/// `1234` is 12.34 s.
fn uptime(line: &str) -> Option<UptimeTime> {
    let line = line.trim();
    let is_number = !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
    let ticks: i64 = line.parse().ok().filter(|_| is_number)?;
    Some(UptimeTime::from_nanos(ticks.checked_mul(TICK.as_nanos())?))
}
