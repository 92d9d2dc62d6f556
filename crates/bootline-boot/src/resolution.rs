// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fine a log's clock is: `dmesg -T` shows whole seconds, and so do many loggers.
//!
//! Two stamps that differ by one step may lie next to each other or almost two steps apart: a difference is known to one step.
use bootline_capture::units::Dur;
use bootline_records::{ProblemKind, Problems, RecordSet};

/// A finer clock shows every gap that counts.
pub(super) const COARSE: Dur = Dur::from_millis(100);

/// The step of `dmesg -T`.
pub(super) const WHOLE_SECONDS: Dur = Dur::from_secs(1);

/// The step of the kernel's stamps: a second where the decoder met such stamps and no finer one, else zero.
pub(super) fn of_stamps(records: &RecordSet, problems: &Problems) -> Dur {
    let is_coarse = problems.iter().any(|p| p.kind == ProblemKind::CoarseStamps);
    let is_whole = |nanos: i64| nanos % WHOLE_SECONDS.as_nanos() == 0;
    if is_coarse && records.iter().filter_map(|r| r.stamp).all(|s| is_whole(s.as_nanos())) {
        WHOLE_SECONDS
    } else {
        Dur::ZERO
    }
}

/// The least uncertainty of the arrival times, where it is coarse.
pub(super) fn of_arrival(records: &RecordSet) -> Dur {
    let least = records.iter().filter_map(|r| r.arrival).map(|a| a.uncertainty).min().unwrap_or(Dur::ZERO);
    if least >= COARSE { least } else { Dur::ZERO }
}

#[cfg(test)]
mod tests {
    use super::super::{Boot, BootOptions, BootRecords};
    use super::*;

    fn boot(log: &str) -> Boot {
        Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default())
    }

    #[test]
    fn whole_seconds_are_carried_through() {
        let boot = boot(
            "[Sun Mar  1 10:00:00 2026] Linux version 6.6.1 (a@b) #1 SMP\n[Sun Mar  1 10:00:00 2026] a\n\
             [Sun Mar  1 10:00:01 2026] b\n[Sun Mar  1 10:00:04 2026] Run /init as init process\n",
        );
        let end = boot.end.as_ref().expect("init is there");
        assert_eq!((end.kernel, end.elapsed.best()), (None, Dur::from_secs(4)));
        assert_eq!((end.elapsed.low(), end.elapsed.high()), (Dur::from_secs(3), Dur::from_secs(5)));
        // From b to init: two seconds at the least. From a to b: perhaps nothing.
        assert_eq!(boot.gaps().iter().map(|g| g.length).collect::<Vec<_>>(), [Dur::from_secs(3)]);
    }

    #[test]
    fn stamps_that_are_round_by_chance_are_exact() {
        let boot = boot("[    0.000000] Linux version 6.6.1\n[    1.000000] Run /init as init process\n");
        assert_eq!(boot.timeline.resolution, Dur::ZERO);
    }
}
