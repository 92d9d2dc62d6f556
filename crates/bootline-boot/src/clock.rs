// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the times of a log reveal about its clocks and its completeness.
use super::milestone::Milestones;
use super::timeline::{Clock, Timeline};
use bootline_capture::units::{Dur, KernelTime};
use bootline_records::{ByteRange, ProblemKind, Problems, Record, RecordId, RecordOrigin, RecordSet};

/// Stamps from different CPUs may be out of order by this much.
pub(super) const REORDERING: Dur = Dur::from_millis(100);

pub(super) fn check(records: &RecordSet, timeline: &Timeline, m: &Milestones, problems: &mut Problems) {
    let Some(first) = m.first_kernel.and_then(|i| records.get(i)) else {
        let range = ByteRange { start: 0, end: records.iter().last().map_or(0, |r| r.bytes.end) };
        problems.add(ProblemKind::NoKernelRecords, range, || format!("no kernel record among {} lines", records.len()));
        return;
    };
    beginning(records, first, problems);
    jumps(records, problems);
    lost_time(records, timeline, first, problems);
    stood_still(records, timeline, m, problems);
    ran_before(records, timeline, m, problems);
    panic(records, m, problems);
}

/// A boot that reached init and fell over later is no good boot.
fn panic(records: &RecordSet, m: &Milestones, problems: &mut Problems) {
    let Some(panic) = m.panic.filter(|p| m.kernel_end().is_some_and(|end| end < *p)) else { return };
    if let Some(r) = records.get(panic) {
        problems.add(ProblemKind::PanicAfterBoot, r.bytes, || {
            let at = r.stamp.map(|s| format!(" at {s} s")).unwrap_or_default();
            format!("the kernel panicked after init had started{at} (record {}): {}", r.id, r.text)
        });
    }
}

/// Whether a log starts in the middle of the boot, by its records up to a position. A quiet console prints no banner either; a
/// log that starts densely has lost its beginning.
pub(super) fn begins_late(records: &RecordSet, first: Record<'_>, until: usize) -> bool {
    let mut of_kernel = records.iter().take(until).filter(|r| r.source == RecordOrigin::Kernel);
    first.stamp.is_some_and(|s| s.as_nanos() > 0)
        && of_kernel.clone().nth(20).is_some()
        && !of_kernel.any(|r| super::kernel::is_banner(r.text))
}

fn beginning(records: &RecordSet, first: Record<'_>, problems: &mut Problems) {
    if begins_late(records, first, records.len()) {
        problems.add(ProblemKind::BeginningLost, first.bytes, || {
            let at = first.stamp.map(|s| s.to_string()).unwrap_or_default();
            format!("the log begins at {at} s without the kernel's banner: the ring buffer wrapped, or the capture began late")
        });
    }
}

fn jumps(records: &RecordSet, problems: &mut Problems) {
    let mut latest: Option<(RecordId, KernelTime)> = None;
    for r in records.iter().filter(|r| r.source == RecordOrigin::Kernel) {
        let Some(stamp) = r.stamp else { continue };
        if let Some((last, before)) = latest {
            if stamp + REORDERING < before {
                problems.add(ProblemKind::ClockJumpedBack, r.bytes, || {
                    format!("from {before} s (record {last}) back to {stamp} s (record {})", r.id)
                });
                latest = Some((r.id, stamp));
                continue;
            }
            if stamp < before {
                continue;
            }
        }
        latest = Some((r.id, stamp));
    }
}

/// A kernel without a clock of its own stamps all records with zero.
fn stood_still(records: &RecordSet, timeline: &Timeline, m: &Milestones, problems: &mut Problems) {
    let Some(end) = m.kernel_end().and_then(|end| records.get(end)) else { return };
    let is_zero = |r: &Record<'_>| r.stamp.is_some_and(|s| s.as_nanos() == 0);
    if timeline.clock == Clock::Kernel && is_zero(&end) && m.first_stamped.is_none() {
        problems.add(ProblemKind::ClockStoodStill, end.bytes, || {
            "the stamps are zero up to init's start: this kernel's clock did not run, and they show no time".to_owned()
        });
    }
}

/// A kernel's clock begins near zero, unless it reads a counter that began before.
const LATEST_BEGIN: Dur = Dur::from_millis(500);

/// A counter that the kernel takes as it is: the timer of early arm64 kernels, x86's TSC up to 2.6.30, a guest's kvm-clock.
fn ran_before(records: &RecordSet, timeline: &Timeline, m: &Milestones, problems: &mut Problems) {
    let banner = records.iter().find(|r| r.source == RecordOrigin::Kernel && super::kernel::is_banner(r.text));
    let first = m.first_stamped.and_then(|i| records.get(i));
    let (Some(banner), Some(first)) = (banner, first) else { return };
    let Some(begin) = first.stamp.map(|s| s.since_origin()) else { return };
    // After a banner with a stamp above zero, the first one is the banner's, or nearly so.
    let is_offset = first.id <= banner.id || !runs_from_zero(records, m);
    if timeline.clock == Clock::Kernel && timeline.resolution == Dur::ZERO && is_offset && begin >= LATEST_BEGIN {
        problems.add(ProblemKind::ClockRanBefore, first.bytes, || {
            let id = first.id;
            format!("the first stamp above zero is {begin} s (record {id}): the clock ran before the kernel did, or records are missing")
        });
    }
}

/// Whether the kernel says, with a stamp of zero, from which counter its clock begins to count.
pub(super) fn runs_from_zero(records: &RecordSet, m: &Milestones) -> bool {
    let dark = m.first_stamped.unwrap_or(records.len());
    records.iter().take(dark).any(|r| r.source == RecordOrigin::Kernel && r.text.starts_with("sched_clock: "))
}

fn lost_time(records: &RecordSet, timeline: &Timeline, first: Record<'_>, problems: &mut Problems) {
    let lost = timeline.kernel_clock_lost;
    let last = records.iter().rev().find_map(|r| r.stamp).map_or(Dur::ZERO, |s| s.since_origin());
    if timeline.clock == Clock::Arrival && lost > Dur::from_millis(200) && lost > last.scale(0.02) {
        problems.add(ProblemKind::ClockStoodStill, first.bytes, || {
            format!("the kernel's clock lost {lost} s against the host's; times are by arrival")
        });
    }
}
