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

use super::chart::ChartProcess;
use super::process_list::{ProcessList, SampledProcess, bad_line};
use super::timed_block::blocks;
use crate::Problems;
use bootline_capture::units::{Dur, UptimeTime};

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<ChartProcess> {
    const FILE: &str = "taskstats.log";
    let mut processes = ProcessList::default();
    let mut known: HashMap<u32, usize> = HashMap::new();
    let mut before: Option<UptimeTime> = None;
    for block in blocks(text, FILE, problems) {
        for line in block.lines() {
            let Some(task) = task(line) else {
                bad_line(FILE, line, problems);
                continue;
            };
            if task.is_kernel_thread() {
                continue;
            }
            // Sums only grow: one that shrinks is of another process with the same number.
            let same = known.get(&task.pid).copied().filter(|at| processes.all[*at].cpu <= task.cpu);
            let at = match same {
                Some(at) => at,
                None => {
                    let start = (before.map(|_| block.at), before.map_or(Dur::ZERO, |before| block.at - before));
                    let Some(at) = processes.add(&task, block.at, start, problems) else { continue };
                    known.insert(task.pid, at);
                    at
                }
            };
            processes.update(at, &task, block.at);
        }
        before = Some(block.at);
    }
    processes.all
}

/// The name may contain blanks.
fn task(line: &str) -> Option<SampledProcess<'_>> {
    let mut head = line.splitn(3, ' ');
    let (pid, parent) = (head.next()?.parse().ok()?, head.next()?.parse().ok()?);
    let mut tail = head.next()?.rsplitn(4, ' ');
    let mut nanos = || tail.next()?.parse::<i64>().ok().filter(|ns| *ns >= 0).map(Dur::from_nanos);
    let (_swapped, io_wait, cpu) = (nanos()?, nanos()?, nanos()?);
    Some(SampledProcess { pid, parent, name: tail.next()?, cpu, io_wait })
}
