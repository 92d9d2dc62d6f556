// SPDX-License-Identifier: MIT OR Apache-2.0
//! proc_ps.log: in each sample, /proc/PID/stat of every process.
//!
//! ```text
//! 131 (udevd) S 1 131 131 0 -1 4194560 801 0 3 0 12 7 0 0 20 0 1 0 187 ...
//! ```
//! Source: proc(5), proc_pid_stat(5): number, (name), state, parent, ...; utime and stime are the 14th and 15th, starttime the 22nd (ticks
//! since the boot), delayacct_blkio_ticks the 42nd. A name may contain blanks and parentheses.
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::chart::{ChartProcess, LONGEST_NAME, MOST_PROCESSES, TICK, cut};
use super::timed_block::blocks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, UptimeTime};

/// The parent of kernel threads.
const KTHREADD: u32 = 2;

/// The processes, and whether they started later than samples that show them: those count from the recorder's start.
pub(super) fn read(text: &str, problems: &mut Problems) -> (Vec<ChartProcess>, bool) {
    let mut processes: Vec<ChartProcess> = Vec::new();
    let mut known: HashMap<(u32, i64), usize> = HashMap::new();
    let mut is_relative = false;
    let mut times = Vec::new();
    for block in blocks(text, "proc_ps.log", problems) {
        times.push(block.at);
        for line in block.lines() {
            let Some(stat) = stat(line) else {
                problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                    format!("no process in proc_ps.log: `{}`", cut(line, 60))
                });
                continue;
            };
            if stat.pid == KTHREADD || stat.parent == KTHREADD {
                continue;
            }
            let start = UptimeTime::from_nanos(stat.start.saturating_mul(TICK.as_nanos()));
            is_relative |= start > block.at + TICK * 2;
            let at = match known.entry((stat.pid, stat.start)) {
                Entry::Occupied(at) => *at.get(),
                Entry::Vacant(_) if processes.len() == MOST_PROCESSES => {
                    problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many processes".to_owned());
                    continue;
                }
                Entry::Vacant(slot) => {
                    slot.insert(processes.len());
                    processes.push(ChartProcess {
                        pid: stat.pid,
                        parent: stat.parent,
                        name: String::new(),
                        args: None,
                        start: Some(start),
                        start_error: TICK,
                        last_seen: block.at,
                        gone: None,
                        cpu: Dur::ZERO,
                        io_wait: Dur::ZERO,
                    });
                    processes.len() - 1
                }
            };
            let process = &mut processes[at];
            (process.parent, process.last_seen) = (stat.parent, block.at);
            if process.name != stat.name {
                process.name = cut(stat.name, LONGEST_NAME);
            }
            (process.cpu, process.io_wait) = (ticks(stat.cpu), ticks(stat.io_wait));
        }
    }
    for process in &mut processes {
        // A start may be a tick later than the sample that shows it.
        let gone = times.get(times.partition_point(|at| *at <= process.last_seen)).copied();
        process.gone = gone.map(|at| at.max(process.start.unwrap_or(at)));
    }
    (processes, is_relative)
}

fn ticks(n: i64) -> Dur {
    TICK * n
}

struct Stat<'t> {
    pid: u32,
    name: &'t str,
    parent: u32,
    /// The other numbers are in ticks.
    cpu: i64,
    start: i64,
    io_wait: i64,
}

fn stat(line: &str) -> Option<Stat<'_>> {
    let (pid, rest) = line.trim_start().split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    // From the third field on.
    let fields: Vec<&str> = rest.split_ascii_whitespace().take(40).collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok().filter(|n| *n >= 0);
    Some(Stat {
        pid: pid.parse().ok()?,
        name,
        parent: u32::try_from(number(4)?).ok()?,
        cpu: number(14)?.saturating_add(number(15)?),
        start: number(22)?,
        io_wait: number(42).unwrap_or_default(),
    })
}
