// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's critical path as links.
use super::link::{ChainPart, LinkKind};
use super::link_list::LinkList;
use super::stage_links;
use crate::critical_path::{CriticalPath, Segment, SegmentKind};
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// Adds the path's segments up to a moment. What they do not cover, and the time before the kernel, is the stages'.
pub(super) fn add(list: &mut LinkList, boot: &Boot, path: Option<&CriticalPath>, part: ChainPart, to: Dur) {
    let segments = path.map_or(&[][..], |path| &path.segments);
    for (position, segment) in segments.iter().enumerate() {
        if segment.start >= to {
            break;
        }
        let is_before = segment.kind == SegmentKind::BeforeKernel;
        if segment.end <= list.at || is_before && stages_show(boot, list.at) {
            continue;
        }
        stage_links::fill(list, boot, segment.start.min(to));
        let part = if is_before { ChainPart::BeforeKernel } else { part };
        let Some(link) = list.add(LinkKind::Segment { segment: position }, part, segment.end.min(to)) else { break };
        let is_whole = link.length() == segment.length();
        let console = if is_whole { segment.console } else { boot.console_wait(link.start, link.end) };
        link.console = Some(console);
        // What is cut of it can save no more than its own work.
        link.max_saving = Some(if is_whole { segment.max_saving } else { segment.max_saving.min(link.net()) });
        (link.first, link.last) = (segment.first, segment.last);
    }
    stage_links::fill(list, boot, to);
}

/// Whether a moment lies in a stage: the path does not divide the time before the kernel, the stages do.
fn stages_show(boot: &Boot, at: Dur) -> bool {
    boot.whole.stages.first().is_some_and(|first| first.start <= at)
}

/// Whether the path shows something of a time range, other than that it was user space.
pub(super) fn shows(path: Option<&CriticalPath>, from: Dur, to: Dur) -> bool {
    let is_within = |s: &&Segment| s.start < to && s.end > from;
    let is_more = |s: &Segment| !matches!(s.kind, SegmentKind::Phase { .. } | SegmentKind::BeforeKernel);
    path.is_some_and(|path| path.segments.iter().filter(is_within).any(is_more))
}
