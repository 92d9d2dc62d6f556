// SPDX-License-Identifier: MIT OR Apache-2.0
//! The units started again, with a change: each begins as long after the last unit that it waited for as it did in this boot.
use crate::user_space::{first_moment, is_default_dependency, reached, waited_for};
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// What happens to one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Treatment {
    /// Nothing waits for it.
    pub released: bool,
    /// It waits only for what it declares.
    pub declared_only: bool,
    /// It takes this long to start.
    pub activation: Option<Dur>,
}

/// How much sooner each unit is up; below zero if later. `treatments` has one for each unit of the boot.
pub(super) fn replay(boot: &Boot, treatments: &[Treatment]) -> Vec<Dur> {
    let units = &boot.whole.units;
    let mut sooner = vec![Dur::ZERO; units.len()];
    for at in waited_for_first(boot) {
        let unit = &units[at];
        let Some(begins) = unit.begins() else { continue };
        // Some begin before systemd has loaded all units: slices, and what an initramfs has left.
        let from = first_moment(boot).unwrap_or(begins).min(begins);
        let before = waited_for(boot, unit).map(|(_, up)| up.min(begins)).max().unwrap_or(from);
        let from = from.min(before);
        // However early the units that it still waits for were up: it begins no earlier than if it waited for nothing.
        let now = still_waited_for(boot, at, treatments).map(|(i, up)| up.min(begins) - sooner[i]).fold(from, Dur::max);
        let shorter = match (treatments[at].activation, unit.activation()) {
            (Some(length), Some(activation)) => activation - length,
            _ => Dur::ZERO,
        };
        sooner[at] = before - now + shorter;
    }
    sooner
}

/// What a unit waits for with the change, with its end in this boot.
fn still_waited_for<'b>(
    boot: &'b Boot,
    unit: usize,
    treatments: &'b [Treatment],
) -> impl Iterator<Item = (usize, Dur)> + 'b {
    let units = &boot.whole.units;
    let declared_only = treatments[unit].declared_only;
    waited_for(boot, &units[unit])
        .filter(move |(i, _)| !(treatments[*i].released || declared_only && is_default_dependency(&units[*i].name)))
}

/// All that a unit waits for with the change, directly or through others, and the unit itself.
pub(super) fn needed(boot: &Boot, last: usize, treatments: &[Treatment]) -> impl Iterator<Item = usize> {
    let edges = |at, open: &mut Vec<usize>| open.extend(still_waited_for(boot, at, treatments).map(|(i, _)| i));
    let met = reached(boot.whole.units.len(), last, edges);
    met.into_iter().enumerate().filter_map(|(i, met)| met.then_some(i))
}

/// All units, each after those that it waited for. Of a circle, which stamps of one instant can make, one edge is left out.
fn waited_for_first(boot: &Boot) -> Vec<usize> {
    let units = &boot.whole.units;
    let mut order = Vec::with_capacity(units.len());
    let mut met = vec![false; units.len()];
    for start in 0..units.len() {
        // Units on the way down, each with those that are still to be visited: a log's chain may be longer than the stack is deep.
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut next = Some(start);
        loop {
            if let Some(at) = next.take().filter(|at| !std::mem::replace(&mut met[*at], true)) {
                open.push((at, waited_for(boot, &units[at]).map(|(i, _)| i).collect()));
            }
            let Some((at, left)) = open.last_mut() else { break };
            next = left.pop();
            if next.is_none() {
                order.push(*at);
                open.pop();
            }
        }
    }
    order
}
