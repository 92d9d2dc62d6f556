// SPDX-License-Identifier: MIT OR Apache-2.0
//! From where stages begin to stages without gap or overlap.
use super::stage::{Stage, WholeOrigin};
use super::stage_start::StageStart;
use super::unit::{Unit, UnitTimesBy};
use super::whole_boot::WholeBoot;
use crate::boot::Boot;
use crate::end::EndedBy;
use bootline_capture::units::Dur;
use bootline_records::{ByteRange, ProblemKind, Problems, RecordOrigin};

/// The stages of a boot.
#[derive(Default)]
pub(super) struct Tiled {
    pub stages: Vec<Stage>,
    pub since: Option<WholeOrigin>,
    /// Whether the last one ends with something that the boot did.
    pub is_complete: bool,
}

/// Puts the starts into order, and cuts the time at them.
pub(super) fn tile(boot: &Boot, whole: &WholeBoot, mut starts: Vec<StageStart>, problems: &mut Problems) -> Tiled {
    starts.sort_by_key(|s| s.name);
    let reached = end(boot, whole);
    let Some(end) = reached.or_else(|| end_of_log(boot, whole)).filter(|_| !starts.is_empty()) else {
        return Tiled::default();
    };
    // From the last one backwards, as for phases: a start at or after a later stage's is none.
    let mut kept: Vec<StageStart> = Vec::new();
    for start in starts.into_iter().rev() {
        let next = kept.last().map_or(end, |next| next.at);
        if start.at < next {
            kept.push(start);
        } else if start.at > next + CONTRADICTION {
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
    Tiled { stages: stages.map(stage).collect(), since, is_complete: reached.is_some() }
}

/// Clocks that were aligned may disagree by less.
const CONTRADICTION: Dur = Dur::from_millis(50);

/// Where the last stage ends: at the application, at the marker, when systemd's first transaction is complete, or with what shows that
/// it is.
fn end(boot: &Boot, whole: &WholeBoot) -> Option<Dur> {
    let application = whole.application.as_ref().map(|a| a.at);
    let marker = boot.end.as_ref().filter(|e| e.by == EndedBy::Marker).map(|e| e.at.best());
    application.or(marker).or(whole.manager_finish).or_else(|| startup_end(boot, whole))
}

/// The last that the sources show: of a console, its last unit, because systemd reports only its first jobs.
fn end_of_log(boot: &Boot, whole: &WholeBoot) -> Option<Dur> {
    let last_unit = |is: fn(&&Unit) -> bool| whole.units.iter().filter(is).filter_map(|u| u.up.or(u.activating)).max();
    let last = || (0..boot.records.len()).filter_map(|i| boot.timeline.stored(i)).max();
    last_unit(|u| u.by == UnitTimesBy::Console).or_else(|| last().max(last_unit(|_| true)))
}

/// When the system had started, by its login prompt and the targets that a system starts to.
fn startup_end(boot: &Boot, whole: &WholeBoot) -> Option<Dur> {
    // systemd's, and procd's.
    const TARGETS: [&str; 5] =
        ["multi-user.target", "graphical.target", "Multi-User System", "Graphical Interface", "init complete"];
    let reached = whole.units.iter().filter(|u| TARGETS.contains(&u.name.as_str())).filter_map(|u| u.up).max();
    reached.max(login_prompt(boot))
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
