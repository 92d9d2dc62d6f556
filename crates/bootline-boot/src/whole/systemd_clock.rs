// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where systemd's clock lies on the boot's axis, and which sources that use it are of another boot.
//!
//! Each source is compared with the console for itself: a wrong one must not get a right one refused. The kernel's own stamps bound
//! the result: CLOCK_MONOTONIC starts with the kernel, so messages that put its zero elsewhere were paired with the wrong stamps.
use std::collections::HashMap;

use super::alignment::{AlignedBy, Alignment};
use super::boot_source::{SourceRefusal, SourceUse};
use super::journal_match::MatchedJournal;
use super::journal_times::JournalTimes;
use super::kernels_boot;
use super::unit_names::UnitNames;
use crate::boot::Boot;
use crate::service::Service;
use bootline_capture::units::{Dur, MonotonicTime};
use bootline_records::source::{ManagerState, SystemdState, UnitState};
use bootline_records::{ByteRange, ProblemKind, Problems, RecordOrigin, UnitEvent};

/// Events within this time are one: a message follows its stamp at once, but may be sent late.
pub(super) const LATE: Dur = Dur::from_secs(1);
/// A slow console may hold a line back for this long: a tty's buffer of 4 KiB at 9600 Bd.
const LATE_ON_CONSOLE: Dur = Dur::from_secs(5);
/// No line of the console comes before what it reports; by as much the clocks may be wrong.
const EARLY: Dur = Dur::from_millis(100);
/// Fewer shared events show nothing.
const FEW: usize = 5;

/// A unit's message on the console, as an event that a source may show too: position of the service, and whether it is its end.
type Event = (usize, bool);

/// The sources that use systemd's clock. Those that are refused are taken out.
pub(super) struct SystemdSources<'s> {
    /// What each source shows of systemd, by its position.
    pub states: Vec<Option<&'s SystemdState>>,
    /// The journals of this boot.
    pub journals: Vec<MatchedJournal<'s>>,
}

impl<'s> SystemdSources<'s> {
    /// The manager's properties.
    pub fn manager(&self) -> Option<&'s ManagerState> {
        self.states.iter().flatten().find_map(|s| s.manager.as_ref())
    }

    fn uses_clock(&self, source: usize) -> bool {
        self.states[source].is_some_and(has_clock) || self.journals.iter().any(|j| j.source == source)
    }

    fn refuse(&mut self, source: usize, why: SourceRefusal, uses: &mut [SourceUse]) {
        self.states[source] = None;
        self.journals.retain(|j| j.source != source);
        uses[source].refused = Some(why);
    }

    /// CLOCK_MONOTONIC on the axis; none where no source uses it. Sources of another boot are refused.
    pub fn align(&mut self, boot: &Boot, uses: &mut [SourceUse], problems: &mut Problems) -> Option<Alignment> {
        if self.states.iter().flatten().filter_map(|s| s.manager.as_ref()).any(|m| m.soft_reboot.is_some()) {
            self.refuse_properties(&SourceRefusal::SoftReboot, uses);
        }
        let kernel = kernel_clock(boot);
        let manager = self.manager();
        let mut pairs: HashMap<Event, Dur> = event_pairs(boot, &boot.unit_events, manager).into_iter().collect();
        // A journal shows a unit's first activation, properties the last one: what a journal that fits says comes first.
        for (source, records) in self.journals.iter().map(|j| (j.source, j.records)).collect::<Vec<_>>() {
            let of_source = event_pairs(boot, &records.unit_events, manager);
            match refusal(&of_source, kernel) {
                Some(why) => self.refuse(source, why, uses),
                None => keep(&mut pairs, of_source),
            }
        }
        let journals = self.journals.iter().flat_map(|j| &j.records.unit_events);
        let (names, times) = JournalTimes::of(boot.unit_events.iter().chain(journals), manager);
        let first: HashMap<&str, MonotonicTime> =
            names.into_iter().zip(times).filter_map(|(name, times)| Some((name, times.first()?))).collect();
        let of_journals = pairs.clone();
        for (source, state) in self.states.clone().into_iter().enumerate() {
            let of_source = state.map(|state| state_pairs(boot, state, &first)).unwrap_or_default();
            match refusal(&of_source, kernel) {
                Some(why) => self.refuse(source, why, uses),
                None => keep(&mut pairs, of_source),
            }
        }
        if pairs.len() < FEW && self.refuse_other_kernels(boot, kernel, uses) {
            pairs = of_journals;
        }
        let is_used = !boot.unit_events.is_empty() || (0..self.states.len()).any(|i| self.uses_clock(i));
        if !is_used {
            return None;
        }
        let by_units = Alignment::of_late(pairs.into_values().collect(), AlignedBy::UnitMessages);
        let alignment = by_units.filter(|a| fits(a, kernel) || {
            problems.add(ProblemKind::SourcesContradict, ByteRange::default(), || {
                format!(
                    "the console's messages about units put the zero of systemd's clock at {} s, the kernel's stamps at {} s: \
                     the kernel's is used",
                    a.offset,
                    kernel.unwrap_or(*a).offset
                )
            });
            false
        });
        let alignment = alignment.unwrap_or_else(|| self.by_kernel(kernel));
        for (i, source) in uses.iter_mut().enumerate().filter(|(i, _)| self.uses_clock(*i)) {
            let shared = self.journals.iter().find(|j| j.source == i).map_or(0, |j| j.shared);
            source.alignment = Some(match alignment.by {
                AlignedBy::KernelRecords if shared == 0 => {
                    Alignment { by: AlignedBy::KernelStart, shared: 0, ..alignment }
                }
                _ => alignment,
            });
        }
        Some(alignment)
    }

    /// Takes out systemd's properties if the manager's times are not of this kernel's boot; whether it did.
    fn refuse_other_kernels(&mut self, boot: &Boot, kernel: Option<Alignment>, uses: &mut [SourceUse]) -> bool {
        let zero = kernel.map_or(Dur::ZERO, |k| k.offset);
        let why = self.manager().and_then(|manager| kernels_boot::refusal(boot, manager, zero));
        why.map(|why| self.refuse_properties(&why, uses)).is_some()
    }

    fn refuse_properties(&mut self, why: &SourceRefusal, uses: &mut [SourceUse]) {
        for source in 0..self.states.len() {
            if self.states[source].is_some_and(has_clock) {
                self.refuse(source, why.clone(), uses);
            }
        }
    }

    fn by_kernel(&self, kernel: Option<Alignment>) -> Alignment {
        let shared: usize = self.journals.iter().map(|j| j.shared).sum();
        let by = if shared > 0 { AlignedBy::KernelRecords } else { AlignedBy::KernelStart };
        match kernel {
            Some(alignment) => Alignment { shared, by, ..alignment },
            None => Alignment::unchecked(Dur::ZERO, AlignedBy::KernelStart),
        }
    }
}

/// Adds the pairs of a source; of each event the first one counts.
fn keep(pairs: &mut HashMap<Event, Dur>, of_source: Vec<(Event, Dur)>) {
    of_source.into_iter().for_each(|(event, distance)| _ = pairs.entry(event).or_insert(distance));
}

fn has_clock(state: &SystemdState) -> bool {
    state.manager.is_some() || state.units.iter().any(|u| u.activating.is_some() || u.active.is_some())
}

/// Whether the units' messages put the clock where the kernel's stamps do; nothing contradicts a log without these.
fn fits(by_units: &Alignment, kernel: Option<Alignment>) -> bool {
    kernel.is_none_or(|kernel| (-LATE..=LATE_ON_CONSOLE).contains(&(by_units.offset - kernel.offset)))
}

/// Why a source is not used, from the events that it and the console share.
fn refusal(pairs: &[(Event, Dur)], kernel: Option<Alignment>) -> Option<SourceRefusal> {
    let distances: Vec<Dur> = pairs.iter().map(|(_, distance)| *distance).collect();
    let of = distances.len();
    let alignment = Alignment::of_late(distances.clone(), AlignedBy::UnitMessages).filter(|_| of >= FEW)?;
    let too_early = distances.iter().filter(|d| **d < alignment.offset - EARLY).count();
    let scatters = too_early * 10 > of || alignment.residual > LATE * 2;
    let about = match kernel.filter(|_| !fits(&alignment, kernel)) {
        Some(kernel) => kernel.offset,
        None if scatters => alignment.offset,
        None => return None,
    };
    let matched = distances.iter().filter(|d| (**d - about).abs() <= LATE).count();
    Some(SourceRefusal::OtherBoot { matched, of })
}

/// Where the console's messages put the zero of systemd's clock, by the properties of units.
fn state_pairs(boot: &Boot, state: &SystemdState, first: &HashMap<&str, MonotonicTime>) -> Vec<(Event, Dur)> {
    let mut names = UnitNames::default();
    for (i, unit) in state.units.iter().enumerate() {
        names.add(i, &unit.name, unit.description.as_deref());
    }
    let is_first = |u: &UnitState| {
        let said = first.get(u.name.as_str()).zip(u.activating);
        said.is_none_or(|(said, stamp)| *said + LATE >= stamp)
    };
    let stamps = |only_first: bool| {
        let counts = move |u: &&UnitState| u.restarts == 0 && (!only_first || is_first(u));
        move |i: usize| state.units.get(i).filter(counts).map(|u| (u.activating, u.up())).unwrap_or_default()
    };
    let (all, of_first) = (pairs(&boot.services, &names, stamps(false)), pairs(&boot.services, &names, stamps(true)));
    // Single units are started again; where most of them were, it is the boot that is another.
    if of_first.len() * 2 < all.len() { all } else { of_first }
}

/// The same by what a journal says of units.
fn event_pairs(boot: &Boot, events: &[UnitEvent], manager: Option<&ManagerState>) -> Vec<(Event, Dur)> {
    let (units, times) = JournalTimes::of(events.iter(), manager);
    let mut names = UnitNames::default();
    for (i, name) in units.iter().enumerate() {
        names.add(i, name, None);
    }
    pairs(&boot.services, &names, |i| {
        times.get(i).map(|t: &JournalTimes| (t.starting, t.ended.map(|(at, _)| at))).unwrap_or_default()
    })
}

fn pairs(
    services: &[Service],
    names: &UnitNames<'_>,
    stamps: impl Fn(usize) -> (Option<MonotonicTime>, Option<MonotonicTime>),
) -> Vec<(Event, Dur)> {
    let mut met = std::collections::HashSet::new();
    let mut found = Vec::new();
    for (position, service) in services.iter().enumerate().filter(|(_, s)| !s.in_initramfs) {
        let Some(unit) = names.find(&service.name).filter(|unit| met.insert(*unit)) else { continue };
        let (activating, up) = stamps(unit);
        let mut add = |is_end, of_console: Option<Dur>, of_systemd: Option<MonotonicTime>| {
            let distance = of_console.zip(of_systemd).map(|(c, s)| c - s.since_origin());
            found.extend(distance.map(|distance| ((position, is_end), distance)));
        };
        add(false, service.start, activating);
        add(true, service.end, up);
    }
    found
}

/// Both clocks start with the kernel; on an axis of arrival times the kernel's clock has lost time since, as its last records show.
pub(super) fn kernel_clock(boot: &Boot) -> Option<Alignment> {
    const LAST: usize = 32;
    let from = boot.milestones.kernel_end().unwrap_or(0);
    let lag = |i: usize| {
        let r = boot.records.get(i).filter(|r| r.source == RecordOrigin::Kernel)?;
        Some(boot.timeline.stored(i)? - r.stamp?.since_origin())
    };
    let lags: Vec<Dur> = (from..boot.records.len()).rev().filter_map(lag).take(LAST).collect();
    Alignment::of_late(lags, AlignedBy::KernelStart)
}
