// SPDX-License-Identifier: MIT OR Apache-2.0
//! proc_ps.log: in each sample, /proc/PID/stat of every process.
//!
//! ```text
//! 131 (udevd) S 1 131 131 0 -1 4194560 801 0 3 0 12 7 0 0 20 0 1 0 187 ...
//! ```
//! Source: proc(5), proc_pid_stat(5): number, (name), state, parent, ...; utime and stime are the 14th and 15th, starttime the 22nd (ticks
//! since the boot), delayacct_blkio_ticks the 42nd. A name may contain blanks and parentheses.
use std::collections::HashMap;

use super::chart::{ChartProcess, TICK};
use super::process_list::{ProcessList, SampledProcess, bad_line};
use super::timed_block::blocks;
use crate::Problems;
use bootline_capture::units::UptimeTime;

/// The processes, and whether they started later than samples that show them: those count from the recorder's start.
pub(super) fn read(text: &str, problems: &mut Problems) -> (Vec<ChartProcess>, bool) {
    const FILE: &str = "proc_ps.log";
    let mut processes = ProcessList::default();
    let mut known: HashMap<(u32, i64), usize> = HashMap::new();
    let mut is_relative = false;
    let mut times = Vec::new();
    for block in blocks(text, FILE, problems) {
        times.push(block.at);
        for line in block.lines() {
            let Some(Stat { seen, start: ticks }) = stat(line) else {
                bad_line(FILE, line, problems);
                continue;
            };
            if seen.is_kernel_thread() {
                continue;
            }
            let start = UptimeTime::from_nanos(ticks.saturating_mul(TICK.as_nanos()));
            is_relative |= start > block.at + TICK * 2;
            let at = match known.get(&(seen.pid, ticks)) {
                Some(at) => *at,
                None => {
                    let added = processes.add(&seen, block.at, (Some(start), TICK), problems);
                    let Some(at) = added else { continue };
                    known.insert((seen.pid, ticks), at);
                    at
                }
            };
            processes.update(at, &seen, block.at);
        }
    }
    let mut processes = processes.all;
    for process in &mut processes {
        // A start may be a tick later than the sample that shows it.
        let gone = times.get(times.partition_point(|at| *at <= process.last_seen)).copied();
        process.gone = gone.map(|at| at.max(process.start.unwrap_or(at)));
    }
    (processes, is_relative)
}

struct Stat<'t> {
    seen: SampledProcess<'t>,
    /// In ticks.
    start: i64,
}

fn stat(line: &str) -> Option<Stat<'_>> {
    let (pid, rest) = line.trim_start().split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    // From the third field on.
    let fields: Vec<&str> = rest.split_ascii_whitespace().take(40).collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok().filter(|n| *n >= 0);
    let seen = SampledProcess {
        pid: pid.parse().ok()?,
        name,
        parent: u32::try_from(number(4)?).ok()?,
        cpu: TICK * number(14)?.saturating_add(number(15)?),
        io_wait: TICK * number(42).unwrap_or_default(),
    };
    Some(Stat { seen, start: number(22)? })
}
