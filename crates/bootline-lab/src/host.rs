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
    /// Processor time, in ns, of a fixed loop before the boot and after it, each the median of five. To be compared only between runs of
    /// the same build of bootline. It distinguishes a fast host from a slow one: a virtual machine whose physical cores also run other
    /// virtual machines can drop to half its speed, which no load average shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<i64>")]
    pub loop_ns: Vec<Dur>,
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
            loop_ns: vec![loop_time()],
        }
    }

    /// Times the loop once more.
    pub fn time_loop(&mut self) {
        self.loop_ns.push(loop_time());
    }
}

fn cpu_name() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// See [`Host::loop_ns`].
///
/// The loop reads and writes all over a table. What else ran on the physical core of a virtual machine raised its time by half, and that of
/// QEMU's boots by as much or more; that of a loop whose steps only wait for each other it raised by a tenth.
fn loop_time() -> Dur {
    const STEPS: usize = 1_500_000;
    let spent = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Dur::from_secs(now.tv_sec) + Dur::from_nanos(now.tv_nsec)
    };
    let mut table: Vec<u32> = (0..1 << 16).collect();
    let mut times: [Dur; 5] = std::array::from_fn(|_| {
        let began = spent();
        let (mut place, mut sum) = (1_u32, 0_u32);
        for _ in 0..STEPS {
            place = place.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            sum = sum.wrapping_add(table[place as usize >> 16]);
            let change = if sum % 2 == 0 { place } else { 3 };
            let changed = &mut table[place as usize >> 8 & 0xffff];
            *changed = changed.wrapping_add(change);
        }
        black_box(sum);
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
        let mut host = Host::observe();
        host.time_loop();
        assert!(host.cores > 0);
        assert_eq!(host.tsc_khz.is_some(), cfg!(target_arch = "x86_64"));
        assert!(host.loop_ns.len() == 2 && host.loop_ns.iter().all(|time| *time > Dur::ZERO));
    }
}
