// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stamps of kernels whose clock does not begin at zero.
//!
//! Up to about 2.6.20, printk took its time from jiffies where sched_clock() was no better (ARM, x86 without a usable TSC), and
//! jiffies begin 300 s before they overflow (INITIAL_JIFFIES), so that drivers that can't bear the overflow fail early. Such a
//! log begins at 42949372.960000 (HZ=100), 17179569.184000 (HZ=250) or 4294667.296000 (HZ=1000).
use super::kernel::is_banner;
use bootline_capture::units::{Dur, KernelTime};
use bootline_records::{Record, RecordOrigin};

/// From the first jiffy to the overflow.
const BEFORE_OVERFLOW: Dur = Dur::from_secs(300);
/// Values of HZ that kernels of that time were built with.
const HZ: [i64; 4] = [100, 250, 300, 1000];

/// The first jiffy of the boot in hand, if its stamps show it.
#[derive(Debug, Default)]
pub(super) struct InitialJiffies {
    first: Option<KernelTime>,
    /// Whether a kernel's record was met.
    has_begun: bool,
}

impl InitialJiffies {
    /// Makes a record's stamp count from the first jiffy.
    pub fn count_from_start(&mut self, r: &mut Record<'_>) {
        let Some(stamp) = r.stamp.filter(|_| r.source == RecordOrigin::Kernel) else { return };
        // User-mode Linux logs before its banner, as do others.
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if is_first || is_banner(r.text) {
            let begins = |first: &KernelTime| stamp >= *first && stamp - *first < BEFORE_OVERFLOW;
            self.first = HZ.into_iter().map(first_jiffy).find(begins);
        }
        let Some(first) = self.first else { return };
        // Below it, jiffies have overflowed.
        let since = if stamp >= first { stamp - first } else { stamp.since_origin() + BEFORE_OVERFLOW };
        r.stamp = Some(KernelTime::ORIGIN + since);
    }
}

/// (2^32 - 300 HZ) / HZ seconds.
fn first_jiffy(hz: i64) -> KernelTime {
    let jiffies = (1_i64 << 32) - 300 * hz;
    // A jiffy is a whole number of nanoseconds at each HZ but 300.
    KernelTime::ORIGIN + Dur::from_nanos(jiffies.saturating_mul(1_000_000_000 / hz))
}

#[cfg(test)]
mod tests {
    use super::super::{Boot, BootOptions, BootRecords};
    use bootline_capture::units::Dur;

    fn time_to_init(log: &str) -> Option<Dur> {
        let boots = BootRecords::all(log.as_bytes());
        assert_eq!(boots.len(), 1);
        let boot = Boot::analyse(boots.into_iter().next()?, &BootOptions::default());
        boot.end.map(|e| e.elapsed.best())
    }

    #[test]
    fn time_counts_from_the_first_jiffy() {
        let arm = "[42949372.960000] Linux version 2.6.18 (gcc) #1 Mon\n[42949373.160000] console up\n\
                   [42949375.460000] Freeing init memory: 120K\n";
        assert_eq!(time_to_init(arm), Some(Dur::from_millis(2500)));
        let x86 = "[17179569.184000] Linux version 2.6.15 (gcc) #1 SMP Mon\n[17179580.184000] Freeing unused kernel memory: 284k freed\n";
        assert_eq!(time_to_init(x86), Some(Dur::from_secs(11)));
    }

    #[test]
    fn a_log_may_begin_before_its_banner() {
        let log = "[42949372.960000] Checking that ptrace can change system call numbers...OK\n[42949372.960000] Linux version \
                   2.6.14.3 (gcc) #1 Mon\n[42949373.960000] Freeing unused kernel memory: 100k freed\n";
        assert_eq!(time_to_init(log), Some(Dur::from_secs(1)));
    }

    #[test]
    fn jiffies_that_overflow_do_not_begin_another_boot() {
        let log = "[4294667.296000] Linux version 2.6.11 (gcc) #1 Mon\n[4294967.290000] slow\n[    1.500000] slower\n\
                   [    2.000000] Freeing unused kernel memory: 284k freed\n";
        assert_eq!(time_to_init(log), Some(Dur::from_secs(302)));
    }

    #[test]
    fn a_clock_that_begins_at_zero_is_left_alone() {
        let log = "[    0.000000] Linux version 2.6.32 (gcc) #1 Mon\n[4294667.296000] after 49 days\n";
        let boots = BootRecords::all(log.as_bytes());
        assert_eq!(boots[0].records.get(1).unwrap().stamp.unwrap().since_origin(), Dur::from_millis(4_294_667_296));
    }
}
