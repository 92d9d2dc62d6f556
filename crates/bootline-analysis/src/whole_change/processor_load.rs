// SPDX-License-Identifier: MIT OR Apache-2.0
//! What user space demanded of the processors, and of systemd, which starts one unit after another.
use bootline_boot::Boot;
use bootline_capture::units::{Dur, Interval};

/// The demand from systemd's start to the boot's end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProcessorLoad {
    /// Number of processors; one where the log does not show it.
    pub cpus: u32,
    /// Share of the processors' time in which one worked, 0 to 1: by a bootchart, or at most, by systemd's accounting; none where no
    /// source shows it.
    pub busy: Option<f64>,
    /// Share of the time in which systemd itself worked.
    pub manager_busy: Option<f64>,
    /// Processor time that systemd itself used for each unit that it started, on average.
    pub manager_each: Dur,
}

/// systemd's accounting runs until it is queried, which is after its last timestamp: it is an upper bound. With
/// more work than this for each second of the boot it says nothing; right after a boot in the lab it is 1.3.
const TOO_MUCH: f64 = 1.5;
/// The slice of everything, and the scope of systemd itself.
const EVERYTHING: &str = "-.slice";
const SYSTEMD: &str = "init.scope";

impl ProcessorLoad {
    pub fn of(boot: &Boot) -> ProcessorLoad {
        let whole = &boot.whole;
        let cpus = boot.kernel.cpus.unwrap_or(1).max(1);
        let stamps = whole.units.iter().flat_map(|u| [u.activating, u.up]).flatten();
        let accounted = whole.manager_start.zip(stamps.max()).map(|(from, to)| to - from).filter(|d| *d > Dur::ZERO);
        let share = |name: &str, cpus: u32| {
            let used = whole.unit(name)?.cpu?;
            let share = used.as_secs_f64() / (accounted?.as_secs_f64() * f64::from(cpus));
            (share <= TOO_MUCH).then_some(share.min(1.0))
        };
        let sampled = whole.resource_use.as_ref().and_then(|used| used.processor_busy);
        let manager_busy = share(SYSTEMD, 1);
        let started = whole.units.iter().filter(|u| u.activating.is_some()).count();
        let used = manager_busy.and_then(|_| whole.unit(SYSTEMD)?.cpu);
        let manager_each =
            used.filter(|_| started > 0).map_or(Dur::ZERO, |used| used / i64::try_from(started).unwrap_or(i64::MAX));
        ProcessorLoad { cpus, busy: sampled.or(share(EVERYTHING, cpus)), manager_busy, manager_each }
    }

    /// What user space, of this length, takes less on another number of processors: as much work, in whatever time was idle, or after it.
    pub fn with_cpus(&self, cpus: u32, length: Dur) -> Interval {
        if cpus == self.cpus {
            return Interval::exact(Dur::ZERO);
        }
        let ratio = f64::from(self.cpus) / f64::from(cpus.max(1));
        // Without a source the processors may have been busy all the time, or never.
        let least = length.scale(self.busy.unwrap_or(0.0) * ratio);
        let (busy, idle) = (self.busy.unwrap_or(1.0), 1.0 - self.busy.unwrap_or(1.0));
        let most = length.scale(busy * ratio + idle);
        // systemd itself is one task.
        let systemd = length.scale(self.manager_busy.unwrap_or_default());
        let (shortest, longest) =
            if ratio > 1.0 { (least.max(length), most) } else { (least.max(systemd).min(length), length) };
        let known = if self.busy.is_some() { (shortest + longest) / 2 } else { length };
        Interval::new(length - longest, length - known, length - shortest)
    }
}
