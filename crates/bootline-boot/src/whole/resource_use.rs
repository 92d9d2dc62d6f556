// SPDX-License-Identifier: MIT OR Apache-2.0
//! How busy processors and disks were, from a bootchart's first sample to the boot's end.
use bootline_capture::units::{Dur, UptimeTime};
use bootline_records::source::Bootchart;

use super::alignment::Alignment;

/// How busy processors and disks were.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceUse {
    /// The first sample, on the axis.
    pub from: Dur,
    /// The last sample up to the boot's end; the last of all where that is not known.
    pub to: Dur,
    /// Share of the processors' time in which one worked, 0 to 1; none without samples.
    pub processor_busy: Option<f64>,
    /// Share of the processors' time in which one was idle while a task waited for a block device.
    pub io_wait: Option<f64>,
    /// The disks that were used, the busiest first.
    pub disks: Vec<DiskUse>,
}

/// What a disk did.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskUse {
    /// `mmcblk0`
    pub name: String,
    /// Share of the time in which requests were in flight, 0 to 1.
    pub busy: f64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

/// The use up to an end on the axis; none where two samples by then are missing.
pub(super) fn resource_use(chart: &Bootchart, clock: Alignment, end: Option<Dur>) -> Option<ResourceUse> {
    let on_axis = |t: UptimeTime| clock.on_axis(t.since_origin());
    let (first, last) = chart.sampled?;
    // Where the boot ended before the recorder began, all of the recording counts.
    let limit = end.filter(|end| *end > on_axis(first));
    let is_counted = |t: UptimeTime| limit.is_none_or(|end| on_axis(t) <= end);
    let times = chart.processor.iter().map(|s| s.at).chain(chart.disk.iter().map(|s| s.at));
    let to = times.filter(|t| is_counted(*t)).max().unwrap_or(last);
    let mut within = chart.processor.iter().filter(|s| is_counted(s.at));
    let (begin, until) = (within.next(), within.next_back());
    let total = begin.zip(until).map(|(a, b)| b.total.saturating_sub(a.total)).filter(|total| *total > 0);
    // The kernel's iowait may go back.
    let share = |of: fn(&bootline_records::source::ProcessorSample) -> u64| {
        let (a, b) = begin.zip(until)?;
        Some((of(b).saturating_sub(of(a)) as f64 / total? as f64).min(1.0))
    };
    let mut disks: Vec<DiskUse> = (0..chart.disks.len())
        .filter_map(|disk| {
            let mut within = chart.disk.iter().filter(|s| s.disk == disk && is_counted(s.at));
            let (a, b) = (within.next()?, within.next_back()?);
            let length = (b.at - a.at).as_secs_f64();
            let (read, written) = (b.read.saturating_sub(a.read), b.written.saturating_sub(a.written));
            let busy = if length > 0.0 { ((b.busy - a.busy).as_secs_f64() / length).clamp(0.0, 1.0) } else { 0.0 };
            let was_used = read > 0 || written > 0 || busy > 0.0;
            was_used.then(|| DiskUse { name: chart.disks[disk].clone(), busy, read, written })
        })
        .collect();
    disks.sort_by(|a, b| b.busy.total_cmp(&a.busy));
    let processor_busy = share(|s| s.busy);
    // A recording of processes alone shows no use.
    let has_figures = processor_busy.is_some() || !disks.is_empty();
    (to > first && has_figures).then(|| ResourceUse {
        from: on_axis(first),
        to: on_axis(to),
        processor_busy,
        io_wait: share(|s| s.io_wait),
        disks,
    })
}
