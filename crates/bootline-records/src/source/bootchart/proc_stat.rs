// SPDX-License-Identifier: MIT OR Apache-2.0
//! proc_stat.log: of each sample of /proc/stat, the sum of the processors.
//!
//! ```text
//! cpu  210 0 340 1200 85 0 12 0 0 0
//! ```
//! Source: proc(5): user, nice, system, idle, iowait, irq, softirq, steal. Kernels before 2.6 end with idle.
use super::chart::ProcessorSample;
use super::timed_block::blocks;
use crate::{ByteRange, ProblemKind, Problems};

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<ProcessorSample> {
    let mut samples = Vec::new();
    for block in blocks(text, "proc_stat.log", problems) {
        let times = block.lines().find_map(|line| line.strip_prefix("cpu ")).and_then(times);
        match times {
            Some([user, nice, system, idle, io_wait, irq, softirq, steal]) => {
                let busy = sum(&[user, nice, system, irq, softirq]);
                let total = sum(&[busy, idle, io_wait, steal]);
                samples.push(ProcessorSample { at: block.at, busy, io_wait, total });
            }
            None => problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                format!("the sample of proc_stat.log at {} s has no sum of the processors", block.at)
            }),
        }
    }
    samples
}

fn sum(ticks: &[u64]) -> u64 {
    ticks.iter().fold(0, |sum: u64, n| sum.saturating_add(*n))
}

fn times(line: &str) -> Option<[u64; 8]> {
    let mut times = [0; 8];
    let mut known = 0;
    for (slot, word) in times.iter_mut().zip(line.split_whitespace()) {
        *slot = word.parse().ok()?;
        known += 1;
    }
    (known >= 4).then_some(times)
}
