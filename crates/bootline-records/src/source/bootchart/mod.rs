// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bootcharts: what bootchart2's collector and busybox's bootchartd pack into `bootchart.tgz` or `bootlog.tgz`.
//!
//! Samples of files in /proc, each headed by the uptime in 1/100 s. That clock starts with the kernel, and so do the starts of processes:
//! all times are whole hundredths of a second. kernel_pacct (BSD process accounting, whole seconds of the wall clock), proc_meminfo.log,
//! proc_netdev.log and paternity.log are not used.
mod chart;
mod cmdline2;
mod header;
mod proc_diskstats;
mod proc_ps;
mod proc_stat;
mod process_list;
mod taskstats;
mod timed_block;

pub use chart::{Bootchart, ChartHeader, ChartProcess, DiskSample, ProcessorSample};
pub(super) use header::begins;

use crate::Problems;

/// A member of a bootchart's archive that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChartMember {
    /// `header`
    Header,
    /// `proc_stat.log`
    ProcStat,
    /// `proc_diskstats.log`
    ProcDiskstats,
    /// `proc_ps.log`
    ProcPs,
    /// `taskstats.log`
    Taskstats,
    /// `cmdline2.log`
    Cmdline2,
}

impl ChartMember {
    /// The member of this name, in whatever folder.
    pub fn of(path: &str) -> Option<ChartMember> {
        match path.rsplit('/').next().unwrap_or(path) {
            "header" => Some(ChartMember::Header),
            "proc_stat.log" => Some(ChartMember::ProcStat),
            "proc_diskstats.log" => Some(ChartMember::ProcDiskstats),
            "proc_ps.log" => Some(ChartMember::ProcPs),
            "taskstats.log" => Some(ChartMember::Taskstats),
            "cmdline2.log" => Some(ChartMember::Cmdline2),
            _ => None,
        }
    }

    /// Whether an archive with this member is a bootchart's: others may have a file named `header`, too.
    pub fn shows_a_bootchart(self) -> bool {
        !matches!(self, ChartMember::Header)
    }
}

/// Reads the members of an archive; of several of one kind the first counts.
pub(super) fn read(members: &[(ChartMember, Vec<u8>)], problems: &mut Problems) -> Bootchart {
    let text = |of: ChartMember| {
        let bytes = members.iter().find(|(member, _)| *member == of).map_or(&[][..], |(_, bytes)| bytes);
        String::from_utf8_lossy(bytes)
    };
    let mut chart = Bootchart { header: header::read(&text(ChartMember::Header)), ..Bootchart::default() };
    chart.processor = proc_stat::read(&text(ChartMember::ProcStat), problems);
    (chart.disks, chart.disk) = proc_diskstats::read(&text(ChartMember::ProcDiskstats), problems);
    (chart.processes, chart.is_relative) = proc_ps::read(&text(ChartMember::ProcPs), problems);
    if chart.processes.is_empty() {
        chart.processes = taskstats::read(&text(ChartMember::Taskstats), problems);
    }
    let mut args = cmdline2::read(&text(ChartMember::Cmdline2));
    // A number is used again: its last command line is the last process's.
    for process in chart.processes.iter_mut().rev() {
        process.args = args.remove(&process.pid);
    }
    chart.processes.sort_by_key(|p| (p.start, p.pid));
    let times = chart.processor.iter().map(|s| s.at).chain(chart.disk.iter().map(|s| s.at));
    let times = times.chain(chart.processes.iter().map(|p| p.last_seen));
    chart.sampled = times.clone().min().zip(times.max());
    chart
}

#[cfg(test)]
mod tests;
