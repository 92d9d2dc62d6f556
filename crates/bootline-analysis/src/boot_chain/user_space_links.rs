// SPDX-License-Identifier: MIT OR Apache-2.0
//! User space in the root file system as links: systemd's own start, units, the application's own start.
use super::chain_end::ChainEnd;
use super::link::{ChainPart, LinkKind};
use super::link_list::LinkList;
use super::{kernel_links, manager_links};
use crate::critical_path::CriticalPath;
use crate::user_space::{SAME_INSTANT, UnitChain};
use bootline_boot::{AT_ONCE, Boot, StageEvidence, WholeEnd};
use bootline_capture::units::Dur;

/// Adds user space, up to the chain's end.
pub(super) fn add(
    list: &mut LinkList,
    boot: &Boot,
    path: Option<&CriticalPath>,
    units: Option<&UnitChain>,
    until: ChainEnd,
    end: Dur,
) {
    let part = ChainPart::UserSpace;
    if let Some(start) = boot.whole.manager_start {
        // systemd that starts at once is init.
        if start > list.at + AT_ONCE && !manager_links::add_load(list, boot, start.min(end)) {
            kernel_links::add(list, boot, path, part, start.min(end));
        }
        manager_links::add(list, boot);
    }
    match units.filter(|chain| leads_to(boot, chain, until, end)) {
        Some(chain) => {
            kernel_links::add(list, boot, path, part, chain.start.min(end));
            add_units(list, boot, chain, until);
            if until == ChainEnd::Reached(WholeEnd::Application) {
                add_after_unit(list, boot, end);
            }
            list.add(LinkKind::AfterUnits, part, end);
        }
        None => {
            let application = boot.whole.application.as_ref();
            let application = application.filter(|_| until == ChainEnd::Reached(WholeEnd::Application));
            let start = application.and_then(|app| app.start).filter(|start| *start < end);
            kernel_links::add(list, boot, path, part, start.unwrap_or(end));
            if start.is_some() {
                add_application(list, boot, end);
            }
        }
    }
}

/// Whether the chain of units ends with what the boot ends with: that to the last target does not explain a marker, nor an end that
/// came before it.
fn leads_to(boot: &Boot, chain: &UnitChain, until: ChainEnd, end: Dur) -> bool {
    let unit = chain.links.last().map(|link| link.unit);
    match until {
        ChainEnd::Reached(WholeEnd::Application) => {
            unit.is_some() && boot.whole.application.as_ref().and_then(|app| app.unit) == unit
        }
        ChainEnd::Reached(WholeEnd::SystemdFinish | WholeEnd::Target(_) | WholeEnd::LoginPrompt) => {
            unit.is_some() && chain.end <= end + SAME_INSTANT
        }
        ChainEnd::Reached(WholeEnd::Marker) | ChainEnd::Init => false,
    }
}

fn add_units(list: &mut LinkList, boot: &Boot, chain: &UnitChain, until: ChainEnd) {
    let is_application = until == ChainEnd::Reached(WholeEnd::Application);
    for (position, link) in chain.links.iter().enumerate() {
        list.add(LinkKind::Queue { link: position }, ChainPart::Queue, link.activating);
        let is_last = position + 1 == chain.links.len();
        let (kind, part) = if is_last && is_application {
            (LinkKind::Application { link: Some(position) }, ChainPart::Application)
        } else {
            (LinkKind::Unit { link: position }, ChainPart::Units)
        };
        let unit = &boot.whole.units[link.unit];
        let added = list.add_always(kind, part, link.up);
        added.processor = link.processor.map(|time| time.min(added.length()));
        added.max_saving = Some(chain.without(boot, position).min(added.length()));
        (added.first, added.last) = (unit.first, unit.last.or(unit.first));
    }
}

/// From when the application's unit was up until it was reached, with the execution of its program in between.
fn add_after_unit(list: &mut LinkList, boot: &Boot, end: Dur) {
    let Some(app) = &boot.whole.application else { return };
    let unit = app.unit.and_then(|at| boot.whole.units.get(at));
    let executed = unit.and_then(|unit| unit.executed).filter(|at| *at > list.at && *at <= end);
    let part = ChainPart::Application;
    if let Some(link) = executed.and_then(|at| list.add(LinkKind::ApplicationExecution, part, at)) {
        link.max_saving = Some(link.length());
    }
    let Some(link) = list.add(LinkKind::ApplicationProgram, part, end) else { return };
    link.processor = unit.and_then(|unit| unit.cpu).map(|time| time.min(link.length()));
    link.max_saving = Some(link.length());
    link.last = app.record;
}

/// From the start of the application's process, or of its unit, until it was reached.
fn add_application(list: &mut LinkList, boot: &Boot, end: Dur) {
    let Some(app) = &boot.whole.application else { return };
    let Some(link) = list.add(LinkKind::Application { link: None }, ChainPart::Application, end) else { return };
    let process = app.process.and_then(|at| boot.whole.processes.get(at));
    let cpu = process.and_then(|p| p.cpu).or_else(|| app.unit.and_then(|at| boot.whole.units.get(at)?.cpu));
    link.processor = cpu.map(|time| time.min(link.length()));
    link.max_saving = Some(link.length());
    link.start_by = match (process, app.unit) {
        (Some(process), _) => Some(StageEvidence::Process(process.pid)),
        (None, Some(_)) => Some(StageEvidence::Unit(app.name.clone())),
        (None, None) => None,
    };
    link.last = app.record;
}
