// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes of user space, as a bootchart or a trace shows them.
use super::sink::{SliceInfo, TraceSink};
use super::traced_boot::TracedBoot;
use super::track_pool::TrackPool;
use super::tracks::Tracks;
use crate::escape::escaped;
use crate::wire::word;
use bootline_boot::Process;
use bootline_capture::units::Dur;

/// Processes from start to end. Of one that ran before its recorder only the end can be shown; the many that also ran after it, kernel
/// threads above all, have no time at all.
pub(super) fn processes<S: TraceSink>(traced: &TracedBoot<'_>, tracks: &mut Tracks<'_, S>) {
    let timed = |p: &'_ Process| Some((p.start.or(p.end)?, p.end.unwrap_or(traced.last)));
    let mut processes: Vec<(Dur, Dur, &Process)> =
        traced.boot.whole.processes.iter().filter_map(|p| timed(p).map(|(from, to)| (from, to.max(from), p))).collect();
    processes.sort_by_key(|(from, ..)| *from);
    let about = "Processes of user space, or the programs that each executed, as a bootchart or a trace shows them.";
    let mut pool = TrackPool::new("processes", about);
    for (from, to, p) in processes {
        let on = pool.track(tracks, from, to);
        match p.start {
            Some(_) => tracks.slice(on, from, to, &info(p)),
            None => tracks.sink.instant(on, from, &info(p).arg("ran_before_recorder", true)),
        }
    }
}

fn info(p: &Process) -> SliceInfo<'_> {
    SliceInfo::new(escaped(p.path_name()), "process")
        .arg("pid", p.pid)
        .known("parent", p.parent)
        .known("path", (p.path_name() != p.name).then_some(p.name.as_str()))
        .known("args", p.args.as_deref())
        .known("cpu_ns", p.cpu)
        .known("io_wait_ns", p.io_wait)
        .arg("start_error_ns", p.start_error)
        .arg("shown_by", word(&p.by))
        .known("end_unknown", p.end.is_none().then_some(true))
}
