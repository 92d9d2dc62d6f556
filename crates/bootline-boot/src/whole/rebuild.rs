// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot from its log and other sources.
use std::collections::HashMap;

use super::alignment::Alignment;
use super::application_search::{self, AppMarker};
use super::boot_source::{BootSource, SourceContent, SourceUse};
use super::bootchart_place::PlacedChart;
use super::process::Process;
use super::systemd_clock::SystemdSources;
use super::trace_place::PlacedTrace;
use super::whole_boot::WholeBoot;
use super::{
    bootchart_place, daemon_message_search, initramfs, journal_match, loader_timer, process, resource_use, stage_start,
    tile, trace_place, unit_join,
};
use crate::boot::Boot;
use bootline_capture::units::{Dur, MonotonicTime};
use bootline_records::source::{Facts, ManagerState, StartupTimes, SystemdState};
use bootline_records::{ByteRange, ProblemKind, Problems};

/// The whole boot from its log and other sources.
pub(crate) fn rebuild(
    boot: &Boot,
    sources: &[BootSource],
    application: Option<&AppMarker>,
    problems: &mut Problems,
) -> WholeBoot {
    let mut uses: Vec<SourceUse> = sources.iter().map(SourceUse::of).collect();
    // What is refused is decided first: nothing of it may reach the boot.
    let journals = journal_match::match_journals(boot, sources, &mut uses);
    let states = sources.iter().zip(&uses).map(|(s, used)| systemd_state(s).filter(|_| used.refused.is_none()));
    let mut systemd = SystemdSources { states: states.collect(), journals };
    let clock = systemd.align(boot, &mut uses, problems);
    let manager = systemd.manager();
    let joined = unit_join::join(boot, &systemd, clock, problems);
    let timers = loader_timer::align(boot, sources, &mut uses);
    let chart = bootchart_place::place(boot, sources, &mut uses);
    let trace = trace_place::place(boot, sources, &mut uses);
    loader_timer::compare_firmware(&timers, manager, problems);
    let at = |t: MonotonicTime| clock.map(|c: Alignment| c.on_axis(t.since_origin()));
    let manager_at = |of: fn(&ManagerState) -> Option<MonotonicTime>| manager.and_then(of).and_then(at);
    let manager_start = manager_at(|m| m.user_space);
    let mut whole = WholeBoot {
        init_executed: initramfs::init_executed(boot, manager, manager_start),
        manager_start,
        generators: manager.and_then(|m| m.generators).and_then(|(from, to)| Some((at(from)?, at(to)?))),
        daemon_messages: daemon_message_search::daemon_messages(boot, &systemd.journals, clock),
        units_loaded: manager_at(|m| m.units_load.map(|(_, end)| end)),
        manager_finish: manager_at(|m| m.finish),
        dependencies: joined.dependencies,
        units: joined.units,
        sources: uses,
        processes: processes(chart.as_ref(), trace.as_ref()),
        traced_initcalls: trace.as_ref().map(|t| t.initcalls(problems)).unwrap_or_default(),
        trace_marks: trace.as_ref().map(PlacedTrace::marks).unwrap_or_default(),
        ..WholeBoot::default()
    };
    let app = application.map(|marker| application_search::find(boot, marker, &whole, &systemd.journals, clock));
    if let (Some(marker), Some(None)) = (application, &app) {
        problems.add(ProblemKind::ApplicationNotReached, ByteRange::default(), || {
            let missing = marker.unit().filter(|unit| whole.unit(unit).is_none());
            let why = missing.map_or(String::new(), |unit| format!(": none of them names the unit `{unit}`"));
            format!("the application `{marker}` was not reached in what the sources show{why}")
        });
    }
    whole.application = app.flatten();
    let startup = sources.iter().find_map(startup_times);
    if let (Some(manager), Some(startup)) = (manager, startup) {
        compare_startup(manager, startup, problems);
    }
    let found = stage_start::stage_starts(&stage_start::StageInput {
        boot,
        whole: &whole,
        manager,
        startup,
        kernel_zero: clock.map(|c| c.offset),
        timers: &timers,
    });
    let tiled = tile::tile(boot, &whole, found, problems);
    (whole.stages, whole.since, whole.until) = (tiled.stages, tiled.since, tiled.until);
    let end = whole.end();
    whole.resource_use = chart.and_then(|c| resource_use::resource_use(c.chart, c.alignment, end));
    for (source, content) in whole.sources.iter().zip(sources) {
        if source.refused.is_none() {
            name_defects(content, problems);
        }
        if let Some(why) = &source.refused {
            problems.add(ProblemKind::SourceNotUsed, ByteRange::default(), || format!("`{}` {why}", source.name));
        }
    }
    whole
}

/// Names what is wrong with a source that is used.
fn name_defects(source: &BootSource, problems: &mut Problems) {
    let SourceContent::Facts(facts) = &source.content else { return };
    for defect in facts.problems.iter() {
        problems.add(ProblemKind::SourceIncomplete, ByteRange::default(), || {
            let times = if defect.count > 1 { format!(" ({} times)", defect.count) } else { String::new() };
            format!("`{}`: {}{times}", source.name, defect.detail)
        });
    }
}

/// Processes by their start. What both sources show is one: a trace has the better times, a bootchart what was used.
fn processes(chart: Option<&PlacedChart<'_>>, trace: Option<&PlacedTrace<'_>>) -> Vec<Process> {
    let mut of_chart: Vec<Process> = chart.map(|c| c.processes().collect()).unwrap_or_default();
    let mut found: Vec<Process> = trace.map(|t| t.processes().collect()).unwrap_or_default();
    let mut by_pid: HashMap<u32, Vec<usize>> = HashMap::new();
    found.iter().enumerate().for_each(|(i, p)| by_pid.entry(p.pid).or_default().push(i));
    let mut merged = vec![false; found.len()];
    of_chart.retain(|process| {
        // A process executes several programs; a bootchart has the name of the last one.
        let programs = by_pid.get(&process.pid).map(Vec::as_slice).unwrap_or_default();
        let is_same = |i: &&usize| {
            !merged[**i] && !process.name.is_empty() && found[**i].path_name().starts_with(process.name.as_str())
        };
        let Some(at) = programs.iter().rev().find(is_same).copied() else { return true };
        merged[at] = true;
        let program = &mut found[at];
        (program.args, program.io_wait) = (process.args.clone(), process.io_wait);
        program.cpu = program.cpu.or(process.cpu.filter(|_| programs.len() == 1));
        false
    });
    found.append(&mut of_chart);
    process::sort(&mut found);
    found
}

fn systemd_state(source: &BootSource) -> Option<&SystemdState> {
    match &source.content {
        SourceContent::Facts(f) => match &f.facts {
            Facts::Systemd(state) => Some(&**state),
            _ => None,
        },
        SourceContent::Journal(_) => None,
    }
}

fn startup_times(source: &BootSource) -> Option<&StartupTimes> {
    match &source.content {
        SourceContent::Facts(f) => match &f.facts {
            Facts::Startup(times) => Some(times),
            _ => None,
        },
        SourceContent::Journal(_) => None,
    }
}

/// systemd-analyze prints milliseconds; sums that differ by more are of two boots.
const ROUNDING: Dur = Dur::from_millis(2);

/// Names it where the manager's properties and the sums of `systemd-analyze time` are not of one boot.
fn compare_startup(manager: &ManagerState, startup: &StartupTimes, problems: &mut Problems) {
    let of_manager = manager.finish.zip(manager.user_space).map(|(finish, start)| finish - start);
    if let Some((by_manager, by_analyze)) = of_manager.zip(startup.user_space) {
        if (by_manager - by_analyze).abs() > ROUNDING {
            problems.add(ProblemKind::SourcesContradict, ByteRange::default(), || {
                format!(
                    "user space took {by_manager} s by `systemctl show` and {by_analyze} s by `systemd-analyze time`: two boots?"
                )
            });
        }
    }
}
