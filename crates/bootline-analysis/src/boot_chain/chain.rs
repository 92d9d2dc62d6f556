// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chain through a whole boot.
use super::chain_end::ChainEnd;
use super::link::{BootLink, ChainPart};
use super::link_list::LinkList;
use super::{kernel_links, stage_links, user_space_links};
use crate::critical_path::CriticalPath;
use crate::user_space::UnitChain;
use bootline_boot::{Boot, EndedBy, StageName, TimeOrigin, WholeEnd, WholeOrigin};
use bootline_capture::units::Dur;

/// What decided when a boot reached its end, from the earliest known moment.
#[derive(Clone, Debug, PartialEq)]
pub struct BootChain {
    /// Start on the boot's axis.
    pub start: Dur,
    /// What the start is.
    pub since: WholeOrigin,
    /// End on the boot's axis.
    pub end: Dur,
    /// What the end is.
    pub until: ChainEnd,
    /// Links without gap or overlap, in order.
    pub links: Vec<BootLink>,
}

impl BootChain {
    /// The chain of a boot, of which these are the kernel's critical path and the chain of units; none if the boot did not reach an
    /// end, or has no times. O(n log n) in units and O(n) in segments.
    pub fn of(boot: &Boot, path: Option<&CriticalPath>, units: Option<&UnitChain>) -> Option<BootChain> {
        let (start, since) = beginning(boot, path)?;
        let (end, until) = ending(boot, path)?;
        let end = end.max(start);
        let mut list = LinkList::new(start, end);
        let stages = &boot.whole.stages;
        let start_of = |is: fn(StageName) -> bool| stages.iter().find(|s| is(s.name)).map(|s| s.start);
        let kernel = start_of(|name| name >= StageName::Dark);
        let initramfs = start_of(|name| name >= StageName::Initramfs);
        let user_space = start_of(|name| name >= StageName::UserSpace);
        if let Some(first) = stages.first() {
            kernel_links::add(&mut list, boot, path, ChainPart::Kernel, first.start.min(end));
        }
        if let Some(kernel) = kernel {
            stage_links::fill(&mut list, boot, kernel.min(end));
        }
        kernel_links::add(&mut list, boot, path, ChainPart::Kernel, initramfs.unwrap_or(end).min(end));
        let initramfs_end = user_space.unwrap_or(end).min(end);
        // A marker may be in the initramfs, or after it: then the path shows what happened there.
        let path_there = path.filter(|path| kernel_links::shows(path, list.at, initramfs_end));
        kernel_links::add(&mut list, boot, path_there, ChainPart::Initramfs, initramfs_end);
        let path_there = path.filter(|path| kernel_links::shows(path, list.at, end));
        user_space_links::add(&mut list, boot, path_there, units, until, end);
        Some(BootChain { start, since, end, until, links: list.links })
    }

    /// The kernel's critical path as a chain of its own.
    pub fn of_path(boot: &Boot, path: &CriticalPath) -> BootChain {
        BootChain {
            start: path.start,
            since: origin(path),
            end: path.end,
            until: boot.end.as_ref().map_or(ChainEnd::Init, |end| end_of_path(end.by)),
            links: path.segments.iter().enumerate().map(|(i, s)| kernel_links::link_of(i, s)).collect(),
        }
    }

    /// From start to end.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }

    /// Length of a part of it.
    pub fn part(&self, part: ChainPart) -> Dur {
        self.links.iter().filter(|link| link.part == part).map(BootLink::length).sum()
    }

    /// Waits for the console within a part of it, as far as they are known.
    pub fn console(&self, part: ChainPart) -> Dur {
        self.links.iter().filter(|link| link.part == part).filter_map(|link| link.console).sum()
    }

    /// Whether it shows more than the kernel's critical path.
    pub fn is_more_than_path(&self) -> bool {
        self.links.iter().any(|link| !link.is_segment())
    }

    /// Whether it goes through the chain of units.
    pub fn has_units(&self) -> bool {
        self.links.iter().any(BootLink::is_of_units)
    }
}

/// The earliest moment that the stages or the kernel's path show.
fn beginning(boot: &Boot, path: Option<&CriticalPath>) -> Option<(Dur, WholeOrigin)> {
    let of_stages = boot.whole.stages.first().map(|stage| stage.start).zip(boot.whole.since);
    let of_path = path.map(|path| (path.start, origin(path)));
    match (of_stages, of_path) {
        (Some(stages), Some(of_path)) => {
            // A path that ended before the first stage is of other times.
            let is_earlier = of_path.0 < stages.0 && path.is_some_and(|path| path.end >= stages.0);
            Some(if is_earlier { of_path } else { stages })
        }
        (stages, of_path) => stages.or(of_path),
    }
}

/// The end of the whole boot, or at least init's start.
fn ending(boot: &Boot, path: Option<&CriticalPath>) -> Option<(Dur, ChainEnd)> {
    if let Some((end, until)) = boot.whole.end().zip(boot.whole.until) {
        return Some((end, ChainEnd::Reached(until)));
    }
    let end = boot.end.as_ref().filter(|_| path.is_some())?;
    Some((end.at.best(), end_of_path(end.by)))
}

/// What a path counts from.
fn origin(path: &CriticalPath) -> WholeOrigin {
    match path.since {
        TimeOrigin::PowerOn => WholeOrigin::PowerOn,
        TimeOrigin::KernelStart => WholeOrigin::KernelStart,
        TimeOrigin::KernelFirstByte => WholeOrigin::FirstByte,
    }
}

/// What a path ends with.
fn end_of_path(by: EndedBy) -> ChainEnd {
    match by {
        EndedBy::Marker => ChainEnd::Reached(WholeEnd::Marker),
        EndedBy::InitRecord | EndedBy::FreeingUnused | EndedBy::InitBanner => ChainEnd::Init,
    }
}
