// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stages as links: what is shown where nothing divides them.
use super::link::{ChainPart, LinkKind};
use super::link_list::LinkList;
use bootline_boot::{Boot, Stage, StageName};
use bootline_capture::units::Dur;

/// Fills the time up to a moment with the stages that lie there.
pub(super) fn fill(list: &mut LinkList, boot: &Boot, to: Dur) {
    while list.at < list.cut(to) {
        let here = boot.whole.stages.iter().find(|s| s.start <= list.at && list.at < s.end);
        match here {
            Some(stage) => add(list, boot, stage, stage.end.min(to)),
            // Before the first stage or after the last one there is only what a critical path shows, and that is the kernel's.
            None => {
                let next = boot.whole.stages.iter().map(|s| s.start).filter(|start| *start > list.at).min();
                list.add(LinkKind::Stage(StageName::Kernel), ChainPart::Kernel, next.unwrap_or(to).min(to));
            }
        }
    }
}

/// A stage, or what is left of it up to a moment.
fn add(list: &mut LinkList, boot: &Boot, stage: &Stage, to: Dur) {
    // Of an application that is a unit or a process the last links are its own; before that it is user space.
    let name = match stage.name {
        StageName::Application => StageName::UserSpace,
        name => name,
    };
    let is_begin = list.at == stage.start;
    let Some(link) = list.add(LinkKind::Stage(name), ChainPart::of_stage(name), to) else { return };
    link.start_by = is_begin.then(|| stage.evidence.clone());
    // Stages follow one another: nothing of the next one can begin before.
    link.max_saving = Some(link.length());
    if link.part == ChainPart::UserSpace {
        link.units = units_within(boot, link.start, link.end);
    }
}

/// Positions of the units that were up within a time range, by their start.
fn units_within(boot: &Boot, from: Dur, to: Dur) -> Vec<usize> {
    let units = &boot.whole.units;
    let is_within = |i: &usize| units[*i].up.is_some_and(|up| up > from && up <= to);
    let mut found: Vec<usize> = (0..units.len()).filter(is_within).collect();
    found.sort_by_key(|i| (units[*i].begins(), *i));
    found
}
