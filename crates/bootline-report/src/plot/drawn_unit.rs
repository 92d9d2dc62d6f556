// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units and stages as they are drawn.
use bootline_analysis::user_space::unit_times;
use bootline_boot::{Boot, Mark, ServiceState};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// A unit's bar.
#[derive(Clone, Debug)]
pub(super) struct DrawnUnit {
    pub name: String,
    pub start: Option<Dur>,
    pub end: Option<Dur>,
    pub state: ServiceState,
    pub first: Option<RecordId>,
    pub last: Option<RecordId>,
    /// Processor time of its activation, at most.
    pub processor: Option<Dur>,
    /// The unit that was up last of those that it waited for, and how long after that it began.
    pub after: Option<(String, Option<Dur>)>,
}

/// A stage's bar.
#[derive(Clone, Debug)]
pub(super) struct DrawnStage {
    pub title: &'static str,
    pub start: Dur,
    pub end: Dur,
    pub evidence: String,
}

/// The units with a time and the capture's marks, by their start.
pub(super) fn units(boot: &Boot) -> Vec<DrawnUnit> {
    let units = &boot.whole.units;
    let drawn = unit_times(boot).into_iter().filter_map(|time| {
        let unit = &units[time.unit];
        unit.begins()?;
        Some(DrawnUnit {
            name: unit.name.clone(),
            start: unit.activating,
            end: unit.up,
            state: unit.state,
            first: unit.first,
            last: unit.last,
            processor: time.processor,
            after: time.released_by.map(|i| (units[i].name.clone(), time.queue)),
        })
    });
    let mark = |m: &Mark| DrawnUnit {
        name: format!("mark {}", m.name),
        start: None,
        end: Some(m.at),
        state: ServiceState::Up,
        first: None,
        last: None,
        processor: None,
        after: None,
    };
    let mut all: Vec<DrawnUnit> = drawn.chain(boot.marks.iter().map(mark)).collect();
    if !boot.marks.is_empty() {
        all.sort_by_key(|unit| unit.start.or(unit.end));
    }
    all
}

/// The stages, where they show more than the phases do.
pub(super) fn stages(boot: &Boot) -> Vec<DrawnStage> {
    if !crate::whole::is_worth_showing(boot) {
        return Vec::new();
    }
    let stage = |s: &bootline_boot::Stage| DrawnStage {
        title: s.name.title(),
        start: s.start,
        end: s.end,
        evidence: s.evidence.title(),
    };
    boot.whole.stages.iter().map(stage).collect()
}
