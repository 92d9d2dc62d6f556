// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot from its log and other sources.
use super::alignment::Alignment;
use super::application_search::{self, AppMarker};
use super::boot_source::{BootSource, SourceContent, SourceUse};
use super::systemd_clock::SystemdSources;
use super::whole_boot::WholeBoot;
use super::{journal_match, loader_timer, stage_start, tile, unit_join};
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
    loader_timer::compare_firmware(&timers, manager, problems);
    let at = |t: MonotonicTime| clock.map(|c: Alignment| c.on_axis(t.since_origin()));
    let manager_at = |of: fn(&ManagerState) -> Option<MonotonicTime>| manager.and_then(of).and_then(at);
    let mut whole = WholeBoot {
        manager_start: manager_at(|m| m.user_space),
        units_loaded: manager_at(|m| m.units_load.map(|(_, end)| end)),
        manager_finish: manager_at(|m| m.finish),
        has_dependencies: joined.has_dependencies,
        units: joined.units,
        sources: uses,
        ..WholeBoot::default()
    };
    let app = application.map(|marker| application_search::find(boot, marker, &whole.units, &systemd.journals, clock));
    if let (Some(marker), Some(None)) = (application, &app) {
        problems.add(ProblemKind::ApplicationNotReached, ByteRange::default(), || {
            format!("the application `{marker}` was not reached in what the sources show")
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
    for source in &whole.sources {
        if let Some(why) = &source.refused {
            problems.add(ProblemKind::SourceNotUsed, ByteRange::default(), || format!("`{}` {why}", source.name));
        }
    }
    whole
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
