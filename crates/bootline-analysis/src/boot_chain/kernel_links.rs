// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's critical path as links.
use super::link::{BootLink, ChainPart, LinkKind};
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
        let kind = LinkKind::Segment { segment: position };
        let Some(link) = list.add(kind, part_of(segment, part), segment.end.min(to)) else { break };
        if link.length() == segment.length() {
            complete(link, segment);
        } else {
            link.console = Some(boot.console_wait(link.start, link.end));
            // What is cut of it can save no more than its own work.
            link.max_saving = Some(segment.max_saving.min(link.net()));
            (link.first, link.last) = (segment.first, segment.last);
        }
    }
    stage_links::fill(list, boot, to);
}

/// A segment as a link.
pub(super) fn link_of(position: usize, segment: &Segment) -> BootLink {
    let kind = LinkKind::Segment { segment: position };
    let mut link = BootLink::plain(kind, part_of(segment, ChainPart::Kernel), segment.start, segment.end);
    complete(&mut link, segment);
    link
}

/// Fills in what is known of a segment.
fn complete(link: &mut BootLink, segment: &Segment) {
    link.console = Some(segment.console);
    link.max_saving = Some(segment.max_saving);
    (link.first, link.last) = (segment.first, segment.last);
}

fn part_of(segment: &Segment, part: ChainPart) -> ChainPart {
    if segment.kind == SegmentKind::BeforeKernel { ChainPart::BeforeKernel } else { part }
}

/// Whether a moment lies in a stage: the path does not divide the time before the kernel, the stages do.
fn stages_show(boot: &Boot, at: Dur) -> bool {
    boot.whole.stages.first().is_some_and(|first| first.start <= at)
}

/// Whether the path shows something of a time range, other than that it was user space.
pub(super) fn shows(path: &CriticalPath, from: Dur, to: Dur) -> bool {
    let is_within = |s: &&Segment| s.start < to && s.end > from;
    let is_more = |s: &Segment| !matches!(s.kind, SegmentKind::Phase { .. } | SegmentKind::BeforeKernel);
    path.segments.iter().filter(is_within).any(is_more)
}
