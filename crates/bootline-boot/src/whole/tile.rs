// SPDX-License-Identifier: MIT OR Apache-2.0
//! From where stages begin to stages without gap or overlap.
use super::stage::{Stage, WholeOrigin};
use super::stage_start::StageStart;
use super::whole_boot::WholeBoot;
use crate::boot::Boot;
use crate::end::EndedBy;
use bootline_capture::units::Dur;
use bootline_records::{ByteRange, ProblemKind, Problems};

/// Puts the starts into order, and cuts the time at them.
pub(super) fn tile(
    boot: &Boot,
    whole: &WholeBoot,
    mut starts: Vec<StageStart>,
    problems: &mut Problems,
) -> (Vec<Stage>, Option<WholeOrigin>) {
    starts.sort_by_key(|s| s.name);
    let Some(end) = end(boot, whole).filter(|_| !starts.is_empty()) else { return (Vec::new(), None) };
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
    (stages.map(stage).collect(), since)
}

/// Clocks that were aligned may disagree by less.
const CONTRADICTION: Dur = Dur::from_millis(50);

/// Where the last stage ends: at the application, at the marker, when systemd's first transaction is complete, or with the log.
fn end(boot: &Boot, whole: &WholeBoot) -> Option<Dur> {
    let application = whole.application.as_ref().map(|a| a.at);
    let marker = boot.end.as_ref().filter(|e| e.by == EndedBy::Marker).map(|e| e.at.best());
    let last = || (0..boot.records.len()).filter_map(|i| boot.timeline.stored(i)).max();
    let last_unit = || whole.units.iter().filter_map(|u| u.up.or(u.activating)).max();
    application.or(marker).or(whole.manager_finish).or_else(|| last().max(last_unit()))
}
