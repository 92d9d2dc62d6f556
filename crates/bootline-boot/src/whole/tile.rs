// SPDX-License-Identifier: MIT OR Apache-2.0
//! From where stages begin to stages without gap or overlap.
use super::alignment::AT_ONCE;
use super::stage::{Stage, WholeEnd, WholeOrigin};
use super::stage_start::StageStart;
use super::unit::{Unit, UnitTimesBy};
use super::whole_boot::WholeBoot;
use crate::boot::Boot;
use crate::end::EndedBy;
use crate::service;
use bootline_capture::units::Dur;
use bootline_records::{ByteRange, ProblemKind, Problems, RecordOrigin};

/// The stages of a boot.
#[derive(Default)]
pub(super) struct Tiled {
    pub stages: Vec<Stage>,
    pub since: Option<WholeOrigin>,
    /// What the last one ends with; none where that is the log.
    pub until: Option<WholeEnd>,
}

/// Puts the starts into order, and cuts the time at them.
pub(super) fn tile(boot: &Boot, whole: &WholeBoot, mut starts: Vec<StageStart>, problems: &mut Problems) -> Tiled {
    starts.sort_by_key(|s| s.name);
    let reached = end(boot, whole);
    let Some(end) = reached.map(|(_, at)| at).or_else(|| end_of_log(boot, whole)).filter(|_| !starts.is_empty()) else {
        return Tiled::default();
    };
    // From the last one backwards, as for phases: a start at or after a later stage's is none.
    let mut kept: Vec<StageStart> = Vec::new();
    for start in starts.into_iter().rev() {
        let next = kept.last().map_or(end, |next| next.at);
        if start.at < next {
            kept.push(start);
        } else if start.at > next + AT_ONCE {
            let follows = kept.last().map_or("the boot's end", |next| next.name.title());
            problems.add(ProblemKind::SourcesContradict, ByteRange::default(), || {
                format!(
                    "{} begins at {} s by {}, after {follows} at {next} s: its start is not used",
                    start.name.title(),
                    start.at,
                    start.evidence.title(),
                )
            });
        }
    }
    kept.reverse();
    let since = kept.first().map(|first| first.evidence.origin());
    let ends = kept.iter().skip(1).map(|s| s.at).chain([end]).collect::<Vec<_>>();
    let stages = kept.into_iter().zip(ends);
    let stage = |(s, end): (StageStart, Dur)| Stage { name: s.name, start: s.at, end, evidence: s.evidence };
    Tiled { stages: stages.map(stage).collect(), since, until: reached.map(|(by, _)| by) }
}

/// Where the last stage ends: at the application, at the marker, when systemd's first transaction is complete, or with what shows that
/// it is.
fn end(boot: &Boot, whole: &WholeBoot) -> Option<(WholeEnd, Dur)> {
    let application = whole.application.as_ref().map(|a| (WholeEnd::Application, a.at));
    let marker = boot.end.as_ref().filter(|e| e.by == EndedBy::Marker).map(|e| (WholeEnd::Marker, e.at.best()));
    let finish = whole.manager_finish.map(|at| (WholeEnd::SystemdFinish, at));
    application.or(marker).or(finish).or_else(|| startup_end(boot, whole))
}

/// The last that the sources show: of a console, its last unit, because systemd reports only its first jobs.
fn end_of_log(boot: &Boot, whole: &WholeBoot) -> Option<Dur> {
    // A message on the console may have been written earlier; the log ends when it came through.
    let seen = |u: &Unit| match u.by {
        UnitTimesBy::Console => boot.stored(u.last.or(u.first)?),
        _ => u.up.or(u.activating),
    };
    let last_unit = |is: fn(&&Unit) -> bool| whole.units.iter().filter(is).filter_map(seen).max();
    let last = || (0..boot.records.len()).filter_map(|i| boot.timeline.stored(i)).max();
    last_unit(|u| u.by == UnitTimesBy::Console).or_else(|| last().max(last_unit(|_| true)))
}

/// When the system had started, by its login prompt and the targets that a system starts to.
fn startup_end(boot: &Boot, whole: &WholeBoot) -> Option<(WholeEnd, Dur)> {
    // systemd's by name and by description.
    const TARGETS: [(&str, &str); 4] = [
        ("multi-user.target", "multi-user.target"),
        ("graphical.target", "graphical.target"),
        ("Multi-User System", "multi-user.target"),
        ("Graphical Interface", "graphical.target"),
    ];
    let up = |name: &str| whole.units.iter().filter(|u| u.name == name).filter_map(|u| u.up).max();
    if let Some(at) = up(service::PROCD_COMPLETE) {
        return Some((WholeEnd::Target(service::PROCD_COMPLETE), at));
    }
    let target = |(name, target): &(&str, &'static str)| Some((WholeEnd::Target(target), up(name)?));
    // systemd's target and its prompt come at once and in any order, and one of them may be torn or cut off: they are one end.
    let prompts = if is_systemds(boot, whole) { WholeEnd::Target("multi-user.target") } else { WholeEnd::LoginPrompt };
    let prompt = login_prompt(boot).map(|at| (prompts, at));
    TARGETS.iter().filter_map(target).chain(prompt).max_by_key(|(_, at)| *at)
}

/// Whether systemd starts user space: by its own times, or by the words that it has for targets alone.
fn is_systemds(boot: &Boot, whole: &WholeBoot) -> bool {
    whole.manager_start.is_some() || boot.records.containing("Reached target ").next().is_some()
}

/// `board login: `, the first one. A line of a log that mentions one has more after it than a user's name.
fn login_prompt(boot: &Boot) -> Option<Dur> {
    let from = boot.milestones.kernel_end()?;
    (from + 1..boot.records.len()).find_map(|i| {
        let r = boot.records.get(i).filter(|r| r.source == RecordOrigin::Other)?;
        let (host, user) = r.text.split_once(" login:")?;
        let is_prompt = !host.is_empty() && !host.contains(' ') && !user.trim().contains(' ');
        boot.timeline.stored(i).filter(|_| is_prompt)
    })
}
