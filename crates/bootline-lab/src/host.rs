// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine that the lab runs on.
use std::fs;
use std::hint::black_box;
use std::thread;

use bootline_capture::units::Dur;
use rustix::time::{ClockId, clock_gettime};
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
    /// Processor time of a fixed loop when the run began, the median of five. It tells runs on a fast host from those on a slow one: a
    /// virtual machine that shares its processors' cores with others can halve its speed, which no load average shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    pub loop_ns: Option<Dur>,
}

impl Host {
    /// Inspects the host; takes about a tenth of a second.
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
            loop_ns: Some(loop_time()),
        }
    }
}

fn cpu_name() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Its steps depend on each other, so that it measures the processor's speed alone, and not how well a compiler or a cache does.
fn loop_time() -> Dur {
    const STEPS: u64 = 3_000_000;
    let spent = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Dur::from_secs(now.tv_sec) + Dur::from_nanos(now.tv_nsec)
    };
    let mut times: [Dur; 5] = std::array::from_fn(|_| {
        let began = spent();
        black_box((0..STEPS).fold(black_box(1_u64), |x, step| x.wrapping_mul(6_364_136_223_846_793_005) ^ step));
        spent() - began
    });
    times.sort_unstable();
    times[times.len() / 2]
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
        assert!(host.loop_ns.is_some_and(|time| time > Dur::ZERO));
    }
}
