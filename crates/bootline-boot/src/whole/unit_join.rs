// SPDX-License-Identifier: MIT OR Apache-2.0
//! One list of units from systemd's own stamps, the journal and the console.
//!
//! systemd's stamps are the best, and are those of a unit's last activation: where the journal or the console shows an earlier one,
//! that one is the boot's. Times that contradict each other otherwise are named, and none of them is used.
use std::collections::{HashMap, HashSet};

use super::alignment::Alignment;
use super::dependencies_known::DependenciesKnown;
use super::held_back::held_back;
use super::journal_times::JournalTimes;
use super::systemd_clock::{LATE, SystemdSources};
use super::unit::{Unit, UnitTimesBy};
use super::unit_names::{UnitNames, rest_of_shortened, whole_name};
use crate::boot::Boot;
use crate::service::{Service, ServiceState};
use bootline_capture::units::MonotonicTime;
use bootline_records::source::UnitState;
use bootline_records::{ByteRange, ProblemKind, Problems, UnitEventKind};

/// The units of a boot, and where systemd's clock lies on its axis.
#[derive(Default)]
pub(super) struct JoinedUnits {
    /// By their start.
    pub units: Vec<Unit>,
    /// How much of their dependencies the sources show.
    pub dependencies: DependenciesKnown,
}

/// All that is known of one unit.
#[derive(Clone, Copy, Default)]
struct Known<'s> {
    /// What has stamps, else what has a length.
    stamps: Option<&'s UnitState>,
    dependencies: Option<&'s UnitState>,
    took: Option<&'s UnitState>,
    journal: JournalTimes,
    console: Option<&'s Service>,
}

pub(super) fn join(
    boot: &Boot,
    sources: &SystemdSources<'_>,
    clock: Option<Alignment>,
    problems: &mut Problems,
) -> JoinedUnits {
    let systemd = &sources.states;
    let mut names: Vec<&str> = Vec::new();
    let mut known: Vec<Known<'_>> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for unit in systemd.iter().flatten().flat_map(|s| &s.units) {
        let at = *positions.entry(&unit.name).or_insert_with(|| {
            names.push(&unit.name);
            known.push(Known::default());
            names.len() - 1
        });
        let known = &mut known[at];
        if unit.activating.is_some() || unit.active.is_some() {
            known.stamps = known.stamps.or(Some(unit));
        }
        if !unit.after.is_empty() || !unit.requires.is_empty() || !unit.wants.is_empty() {
            known.dependencies = known.dependencies.or(Some(unit));
        }
        if unit.took.is_some() || unit.since_user_space.is_some() {
            known.took = known.took.or(Some(unit));
        }
    }
    let of_journals = sources.journals.iter().flat_map(|j| &j.records.unit_events);
    let events = boot.unit_events.iter().chain(of_journals);
    let (of_events, times) = JournalTimes::of(events, sources.manager());
    for (name, times) in of_events.into_iter().zip(times) {
        let at = *positions.entry(name).or_insert_with(|| {
            names.push(name);
            known.push(Known::default());
            names.len() - 1
        });
        known[at].journal = times;
    }
    let mut by_name = UnitNames::default();
    let descriptions: HashMap<&str, &str> = systemd
        .iter()
        .flatten()
        .flat_map(|s| &s.units)
        .filter_map(|u| Some((u.name.as_str(), u.description.as_deref()?)))
        .collect();
    for (i, name) in names.iter().enumerate() {
        by_name.add(i, name, descriptions.get(name).copied());
    }
    let mut alone: Vec<&Service> = Vec::new();
    // Those of the root file system first: of one name in both, the unit is the later one.
    let (of_initramfs, of_root): (Vec<&Service>, Vec<&Service>) = boot.services.iter().partition(|s| s.in_initramfs);
    for service in of_root {
        let completed = || by_name.named(&whole_name(&service.name)?);
        match by_name.find(&service.name).or_else(completed) {
            Some(at) => _ = known[at].console.get_or_insert(service),
            None => alone.push(service),
        }
    }
    for service in of_initramfs {
        match by_name.find(&service.name) {
            Some(at) if known[at].stamps.is_none() && known[at].journal.first().is_none() => {
                known[at].console.get_or_insert(service);
            }
            Some(_) => {}
            None if alone.iter().any(|other| other.name == service.name) => {}
            None => alone.push(service),
        }
    }
    let mut joined = JoinedUnits {
        dependencies: match systemd.iter().flatten().any(|s| s.has_dependencies) {
            true => DependenciesKnown::All,
            false => DependenciesKnown::Nothing,
        },
        ..JoinedUnits::default()
    };
    let start = sources.manager().and_then(|m| m.user_space);
    let mut kept: Vec<Option<usize>> = vec![None; names.len()];
    for (i, name) in names.iter().enumerate() {
        let mut unit = Unit::named((*name).to_owned());
        unit.description = descriptions.get(name).map(|d| (*d).to_owned());
        if place(&mut unit, &known[i], clock, start, problems) {
            kept[i] = Some(joined.units.len());
            joined.units.push(unit);
        }
    }
    let position = |name: &String| positions.get(name.as_str()).and_then(|i| kept[*i]);
    let list = |names: &[String]| names.iter().filter_map(position).collect::<Vec<_>>();
    for (i, at) in kept.iter().enumerate() {
        let (Some(at), Some(state)) = (*at, known[i].dependencies) else { continue };
        let unit = &mut joined.units[at];
        (unit.requires, unit.wants) = (list(&state.requires), list(&state.wants));
        (unit.after, unit.triggered_by) = (list(&state.after), list(&state.triggered_by));
    }
    let mut taken: HashSet<String> = joined.units.iter().map(|u| u.name.clone()).collect();
    taken.extend(alone.iter().map(|service| service.name.clone()));
    for service in alone {
        let name = whole_name(&service.name).filter(|name| taken.insert(name.clone()));
        joined.units.push(of_console(service, name.unwrap_or_else(|| service.name.clone())));
    }
    if joined.dependencies == DependenciesKnown::Nothing && !joined.units.is_empty() {
        joined.add_waits(&held_back(boot, &sources.journals));
    }
    sort(&mut joined.units);
    joined
}

impl JoinedUnits {
    /// Adds which unit waited for which.
    fn add_waits(&mut self, pairs: &[(&str, &str)]) {
        self.complete_names(pairs);
        let names: HashMap<&str, usize> = self.units.iter().enumerate().map(|(i, u)| (u.name.as_str(), i)).collect();
        let found: Vec<(usize, usize)> =
            pairs.iter().filter_map(|(unit, other)| Some((*names.get(unit)?, *names.get(other)?))).collect();
        for (unit, other) in found {
            self.units[unit].after.push(other);
            self.dependencies = DependenciesKnown::Waits;
        }
    }

    /// Gives units that the console shortened the only full name that they can have.
    fn complete_names(&mut self, pairs: &[(&str, &str)]) {
        let known: HashSet<&str> = self.units.iter().map(|u| u.name.as_str()).collect();
        let mut full: Vec<&str> = pairs.iter().flat_map(|(unit, other)| [*unit, *other]).collect();
        full.retain(|name| !known.contains(name));
        full.sort_unstable();
        full.dedup();
        let mut completed: Vec<(usize, String)> = Vec::new();
        let shortened: Vec<(usize, &str, &str)> = self
            .units
            .iter()
            .enumerate()
            .filter_map(|(i, u)| rest_of_shortened(&u.name).map(|(start, end)| (i, start, end)))
            .collect();
        for (unit, start, end) in &shortened {
            // Sorted: those that begin so are neighbours.
            let from = full.partition_point(|name| name < start);
            let of_start = full[from..].iter().copied().take_while(|name| name.starts_with(start));
            let fitting: Vec<&str> = of_start.filter(|name| name.ends_with(end)).take(2).collect();
            let [name] = fitting.as_slice() else { continue };
            let is_one = |(_, start, end): &&(usize, &str, &str)| name.starts_with(start) && name.ends_with(end);
            if shortened.iter().filter(is_one).count() == 1 {
                completed.push((*unit, (*name).to_owned()));
            }
        }
        for (unit, name) in completed {
            self.units[unit].name = name;
        }
    }
}

/// Gives a unit its times; false where it was not started in this boot.
fn place(
    unit: &mut Unit,
    known: &Known<'_>,
    clock: Option<Alignment>,
    manager_start: Option<MonotonicTime>,
    problems: &mut Problems,
) -> bool {
    let state = known.stamps.or(known.dependencies);
    if let Some(state) = state {
        (unit.cpu, unit.bytes_read) = (state.cpu, state.bytes_read);
        unit.service_type.clone_from(&state.service_type);
        unit.writes_to_console = state.writes_to_console;
        unit.timed_out = state.result.as_deref() == Some("timeout");
    }
    let console = known.console;
    if let Some(service) = console {
        (unit.first, unit.last) = (Some(service.first), service.last);
        unit.timed_out |= service.timed_out;
    }
    unit.timed_out |= matches!(known.journal.ended, Some((_, UnitEventKind::TimedOut)));
    let on_axis = |t: MonotonicTime| clock.map(|c| c.on_axis(t.since_origin()));
    let (of_systemd, of_journal) = (known.stamps.and_then(|u| u.activating.or(u.active)), known.journal.starting);
    let first_seen =
        [of_journal.and_then(on_axis), console.and_then(|s| s.start.or(s.end))].into_iter().flatten().min();
    let earlier = of_systemd.and_then(on_axis).zip(first_seen).is_some_and(|(stamp, seen)| seen + LATE < stamp);
    unit.started_again = earlier || known.stamps.is_some_and(|u| u.restarts > 0);
    let journal_is_later =
        of_systemd.zip(of_journal).is_some_and(|(stamp, said)| said > stamp + LATE && !unit.started_again);
    if journal_is_later {
        problems.add(ProblemKind::SourcesContradict, ByteRange::default(), || {
            format!(
                "`{}` started at {} s by systemd's stamps and at {} s by the journal: neither time is used",
                unit.name,
                of_systemd.unwrap_or_default(),
                of_journal.unwrap_or_default()
            )
        });
        return true;
    }
    if let Some((state, clock)) = known.stamps.zip(clock).filter(|_| !unit.started_again) {
        let at = |t: Option<MonotonicTime>| t.map(|t| clock.on_axis(t.since_origin()));
        (unit.activating, unit.up) = (at(state.activating), at(state.up().or(state.active)));
        unit.executed = at(state.main_handoff).filter(|at| unit.activating.is_some_and(|from| *at >= from));
        (unit.by, unit.error) = (UnitTimesBy::Systemd, clock.residual);
    } else if let Some(clock) = clock.filter(|_| of_journal.is_some() || known.journal.ended.is_some()) {
        let at = |t: Option<MonotonicTime>| t.map(|t| clock.on_axis(t.since_origin()));
        (unit.activating, unit.up) = (at(of_journal), at(known.journal.ended.map(|(at, _)| at)));
        (unit.by, unit.error) = (UnitTimesBy::Journal, clock.residual);
    } else if let Some(service) = console {
        unit.place_by_console(service);
    }
    if let Some(length) = known.took.filter(|_| unit.activating.is_none() || unit.up.is_none()) {
        unit.took = length.took;
        let since = length.since_user_space.zip(manager_start.and_then(on_axis)).map(|(since, start)| start + since);
        if let Some(since) = since.filter(|_| unit.begins().is_none()) {
            // After `@` stands the start of a unit that took time, and of another when it was up.
            match length.took {
                Some(took) => (unit.activating, unit.up) = (Some(since), Some(since + took)),
                None => unit.up = Some(since),
            }
            unit.by = UnitTimesBy::Systemd;
        }
    }
    let ended = known.journal.ended.map(|(_, kind)| kind);
    let failed = unit.timed_out
        || matches!(ended, Some(UnitEventKind::Failed))
        || console.is_some_and(|s| s.state == ServiceState::Failed)
        || state.and_then(|s| s.result.as_deref()).is_some_and(|r| !matches!(r, "success" | ""));
    unit.state = match unit.up {
        _ if failed => ServiceState::Failed,
        Some(_) => ServiceState::Up,
        None if unit.took.is_some() => ServiceState::Up,
        None => ServiceState::Starting,
    };
    unit.begins().is_some() || unit.took.is_some() || unit.started_again
}

/// A unit that only the console names.
fn of_console(service: &Service, name: String) -> Unit {
    let mut unit = Unit {
        state: service.state,
        timed_out: service.timed_out,
        first: Some(service.first),
        last: service.last,
        ..Unit::named(name)
    };
    unit.place_by_console(service);
    unit
}

/// By start; those without a time last. Positions in dependencies follow.
fn sort(units: &mut Vec<Unit>) {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|i| (units[*i].begins().is_none(), units[*i].begins(), *i));
    let mut new_position = vec![0; units.len()];
    for (new, old) in order.iter().enumerate() {
        new_position[*old] = new;
    }
    let mut slots: Vec<Option<Unit>> = std::mem::take(units).into_iter().map(Some).collect();
    units.extend(order.iter().filter_map(|old| slots[*old].take()));
    for unit in units {
        for list in [&mut unit.requires, &mut unit.wants, &mut unit.after, &mut unit.triggered_by] {
            list.iter_mut().for_each(|at| *at = new_position[*at]);
        }
    }
}
