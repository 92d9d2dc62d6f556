// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine that the lab runs on.
use std::fs;
use std::thread;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Properties of the host that may explain a run's timing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// CPUs that this process may use.
    pub cores: u32,
    /// Load average over a minute when the run began.
    pub load1: Option<f64>,
    /// Release of the host's kernel.
    pub kernel: Option<String>,
    /// Name of the CPU.
    pub cpu: Option<String>,
    /// Measured rate of the time stamp counter, in kHz; none if there is no such counter.
    pub tsc_khz: Option<u64>,
}

impl Host {
    /// Inspects the host; takes some tens of milliseconds.
    pub fn observe() -> Host {
        let first_word = |path: &str| {
            let text = fs::read_to_string(path).ok()?;
            text.split_whitespace().next().map(str::to_owned)
        };
        Host {
            cores: thread::available_parallelism().map_or(1, |n| n.get() as u32),
            load1: first_word("/proc/loadavg").and_then(|w| w.parse().ok()),
            kernel: first_word("/proc/sys/kernel/osrelease"),
            cpu: cpu_name(),
            tsc_khz: tsc_khz(),
        }
    }
}

fn cpu_name() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// QEMU's translator shows its guest the host's counter, so a guest told this rate need not calibrate.
#[cfg(target_arch = "x86_64")]
fn tsc_khz() -> Option<u64> {
    use std::arch::x86_64::_rdtsc;
    use std::time::{Duration, Instant};

    // A preemption between the two reads of a pair spoils a measurement, so take the median of a few.
    let mut khz: Vec<u64> = (0..5)
        .map(|_| {
            // SAFETY: every x86_64 CPU has the instruction, and Linux lets user space use it.
            let (t0, c0) = (Instant::now(), unsafe { _rdtsc() });
            thread::sleep(Duration::from_millis(10));
            // SAFETY: as above.
            let (t1, c1) = (Instant::now(), unsafe { _rdtsc() });
            let ns = (t1 - t0).as_nanos().max(1);
            (u128::from(c1.wrapping_sub(c0)) * 1_000_000 / ns) as u64
        })
        .collect();
    khz.sort_unstable();
    Some(khz[khz.len() / 2]).filter(|khz| *khz > 0)
}

#[cfg(not(target_arch = "x86_64"))]
fn tsc_khz() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_somewhere() {
        let host = Host::observe();
        assert!(host.cores > 0);
        assert_eq!(host.tsc_khz.is_some(), cfg!(target_arch = "x86_64"));
    }
}
