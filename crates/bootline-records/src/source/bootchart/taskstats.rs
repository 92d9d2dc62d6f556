// SPDX-License-Identifier: MIT OR Apache-2.0
//! taskstats.log of bootchart2: in each sample, the processes that ran or waited since the one before.
//!
//! ```text
//! 131 1 udevd 21500000 3200000 0
//! ```
//! Source: dump_taskstat() in bootchart2's collector/collector.c: number, parent, name, and the sums of processor time, of waits for block
//! devices and of waits for pages that were swapped out, in nanoseconds, of all threads. There is no start: a process has started between the first sample
//! that shows it and the one before. What is not in a sample may still run.
use std::collections::HashMap;

use super::chart::{ChartProcess, LONGEST_NAME, MOST_PROCESSES, cut};
use super::timed_block::blocks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, UptimeTime};

/// The parent of kernel threads.
const KTHREADD: u32 = 2;

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<ChartProcess> {
    let mut processes: Vec<ChartProcess> = Vec::new();
    let mut known: HashMap<u32, usize> = HashMap::new();
    let mut before: Option<UptimeTime> = None;
    for block in blocks(text, "taskstats.log", problems) {
        for line in block.lines() {
            let Some(task) = task(line) else {
                problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                    format!("no process in taskstats.log: `{}`", cut(line, 60))
                });
                continue;
            };
            if task.pid == KTHREADD || task.parent == KTHREADD {
                continue;
            }
            // Sums only grow: one that shrinks is of another process with the same number.
            let same = known.get(&task.pid).copied().filter(|at| processes[*at].cpu <= task.cpu);
            if same.is_none() && processes.len() == MOST_PROCESSES {
                problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many processes".to_owned());
                continue;
            }
            let at = same.unwrap_or_else(|| {
                known.insert(task.pid, processes.len());
                processes.push(ChartProcess {
                    pid: task.pid,
                    parent: task.parent,
                    name: String::new(),
                    args: None,
                    start: before.map(|_| block.at),
                    start_error: before.map_or(Dur::ZERO, |before| block.at - before),
                    last_seen: block.at,
                    gone: None,
                    cpu: Dur::ZERO,
                    io_wait: Dur::ZERO,
                });
                processes.len() - 1
            });
            let process = &mut processes[at];
            (process.parent, process.last_seen) = (task.parent, block.at);
            if process.name != task.name {
                process.name = cut(task.name, LONGEST_NAME);
            }
            (process.cpu, process.io_wait) = (task.cpu, task.io_wait);
        }
        before = Some(block.at);
    }
    processes
}

struct Task<'t> {
    pid: u32,
    parent: u32,
    name: &'t str,
    cpu: Dur,
    io_wait: Dur,
}

/// The name may contain blanks.
fn task(line: &str) -> Option<Task<'_>> {
    let mut head = line.splitn(3, ' ');
    let (pid, parent) = (head.next()?.parse().ok()?, head.next()?.parse().ok()?);
    let mut tail = head.next()?.rsplitn(4, ' ');
    let mut nanos = || tail.next()?.parse::<i64>().ok().filter(|ns| *ns >= 0).map(Dur::from_nanos);
    let (_swapped, io_wait, cpu) = (nanos()?, nanos()?, nanos()?);
    Some(Task { pid, parent, name: tail.next()?, cpu, io_wait })
}
