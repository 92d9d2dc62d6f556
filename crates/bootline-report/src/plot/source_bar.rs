// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bootcharts and traces show, as bars on tracks of their own.
use bootline_boot::{Boot, InitcallOfTrace, MarkKind, MarkOfTrace, Process};
use bootline_capture::units::Dur;

/// The tracks, by the number that a bar has.
pub(super) const SOURCE_TRACKS: [&str; 3] = ["initcalls (trace)", "processes", "marks (trace)"];

/// Bars of one track at most: more can't be told apart.
const MOST: usize = 4_000;

/// A bar.
#[derive(Clone, Debug)]
pub(super) struct SourceBar {
    /// Position of its track's name in [`SOURCE_TRACKS`].
    pub track: usize,
    /// What it is: `process`.
    pub about: &'static str,
    pub name: String,
    pub start: Dur,
    /// None where the sources do not show it.
    pub end: Option<Dur>,
    /// What else there is to know.
    pub facts: Vec<(&'static str, String)>,
}

/// All bars, those of each track by their start.
pub(super) fn source_bars(boot: &Boot) -> Vec<SourceBar> {
    let whole = &boot.whole;
    let initcalls = whole.traced_initcalls.iter().filter(|c| !c.in_log).map(initcall);
    let processes = whole.processes.iter().filter_map(process);
    let marks = whole.trace_marks.iter().map(mark);
    initcalls.take(MOST).chain(processes.take(MOST)).chain(marks.take(MOST)).collect()
}

fn initcall(call: &InitcallOfTrace) -> SourceBar {
    let mut facts = vec![("shown by", "the trace alone".to_owned()), ("thread", call.task.to_string())];
    facts.extend(call.returned.map(|n| ("returned", n.to_string())));
    facts.extend(call.module.clone().map(|module| ("module", module)));
    facts.extend(call.level.clone().map(|level| ("level", level)));
    SourceBar { track: 0, about: "initcall", name: call.name.clone(), start: call.start, end: call.end, facts }
}

fn process(process: &Process) -> Option<SourceBar> {
    let seconds = |d: Dur| format!("{d} s");
    let mut facts = vec![("pid", process.pid.to_string())];
    facts.extend(process.parent.map(|pid| ("parent", pid.to_string())));
    facts.extend(process.args.clone().map(|args| ("command line", args)));
    facts.extend(process.cpu.map(|d| ("processor time", seconds(d))));
    facts.extend(process.io_wait.map(|d| ("waited for block devices", seconds(d))));
    if process.start_error > Dur::ZERO {
        facts.push(("its start may be off by", seconds(process.start_error)));
    }
    Some(SourceBar {
        track: 1,
        about: "process",
        name: process.path_name().to_owned(),
        start: process.start?,
        end: process.end,
        facts,
    })
}

fn mark(mark: &MarkOfTrace) -> SourceBar {
    let about = match mark.kind {
        MarkKind::Module => "module loaded",
        MarkKind::Marker => "marker",
    };
    let facts = vec![("thread", mark.task.to_string())];
    SourceBar { track: 2, about, name: mark.text.clone(), start: mark.at, end: Some(mark.at), facts }
}
