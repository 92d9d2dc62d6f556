// SPDX-License-Identifier: MIT OR Apache-2.0
//! systemd's own start as links, from its first instruction to its first transaction.
use super::link::{ChainPart, LinkKind};
use super::link_list::LinkList;
use bootline_boot::{AT_ONCE, Boot, ExecutedBy, InitExecuted, StageEvidence};
use bootline_capture::units::Dur;

/// Adds the time in which systemd was read and linked, if its start follows the kernel's record of its execution; false if not.
pub(super) fn add_load(list: &mut LinkList, boot: &Boot, start: Dur) -> bool {
    let is_it = |init: &InitExecuted| init.by == ExecutedBy::Kernel && init.at <= list.at + AT_ONCE;
    let Some(executed) = boot.whole.init_executed.filter(is_it) else { return false };
    if let Some(link) = list.add(LinkKind::ManagerLoad, ChainPart::ManagerStart, start) {
        link.max_saving = Some(link.length());
        link.first = Some(executed.record);
    }
    true
}

/// Adds systemd's own start. Where its stamps contradict one another, that is one link, or none.
pub(super) fn add(list: &mut LinkList, boot: &Boot) {
    let whole = &boot.whole;
    let Some(start) = whole.manager_start else { return };
    let before = list.links.len();
    let loaded = whole.units_loaded;
    let is_in_order = |(from, to): &(Dur, Dur)| start <= *from && from <= to && loaded.is_none_or(|end| *to <= end);
    match (whole.generators.filter(is_in_order), loaded.filter(|end| *end >= start)) {
        (Some((from, to)), loaded) => {
            add_one(list, LinkKind::ManagerSetUp, from, "UserspaceTimestampMonotonic");
            add_one(list, LinkKind::Generators, to, "GeneratorsStartTimestampMonotonic");
            if let Some(end) = loaded {
                add_one(list, LinkKind::UnitsLoad, end, "GeneratorsFinishTimestampMonotonic");
            }
        }
        (None, Some(end)) => add_one(list, LinkKind::ManagerStart, end, "UserspaceTimestampMonotonic"),
        (None, None) => {}
    }
    // Without an initramfs it begins with init's start.
    if let Some(first) = list.links.get_mut(before).filter(|first| first.start != start) {
        let stage = whole.stages.iter().find(|stage| stage.start == first.start);
        first.start_by = stage.map(|stage| stage.evidence.clone()).or(first.start_by.take());
    }
}

fn add_one(list: &mut LinkList, kind: LinkKind, to: Dur, start_by: &'static str) {
    if let Some(link) = list.add(kind, ChainPart::ManagerStart, to) {
        // Process 1 does one thing after the other, and starts no unit before.
        link.max_saving = Some(link.length());
        link.start_by = Some(StageEvidence::Property(start_by));
    }
}
