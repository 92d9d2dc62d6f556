// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a unit costs the application: what is shared by the rules on user space.
use super::case::{Case, TimeRange};
use super::finding::{CitedRecord, cite};
use crate::user_space::{ChainLink, UnitChain};
use bootline_boot::{Boot, Unit};
use bootline_capture::units::{Dur, Interval};

/// A unit and what it costs.
pub(super) struct UnitCost<'b> {
    pub unit: &'b Unit,
    pub cost: Interval,
    pub range: TimeRange,
}

/// The units that a rule is about, with what each costs, the costliest first. A unit outside of the chain costs nothing that the sources
/// show, and is left out; without dependencies nothing shows what costs, and the lower bound is zero.
pub(super) fn unit_costs<'b>(boot: &'b Boot, is_one: impl Fn(&Unit) -> bool) -> Vec<UnitCost<'b>> {
    let units = &boot.whole.units;
    let mut found: Vec<UnitCost<'b>> = match UnitChain::of(boot) {
        Some(chain) => {
            let of_link = |i: usize| {
                let link = &chain.links[i];
                let unit = &units[link.unit];
                let saving = without(boot, &chain, i);
                let (from, to) = (link.activating, link.up);
                let is = is_one(unit) && to > from && saving > Dur::ZERO;
                // Others may use the processor that it leaves, or need what it did.
                let cost = Interval::new(Dur::ZERO, saving, link.activation().max(saving));
                is.then_some(UnitCost { unit, cost, range: TimeRange { from, to } })
            };
            (0..chain.links.len()).filter_map(of_link).collect()
        }
        None => {
            let of_unit = |unit: &'b Unit| {
                let (from, to) = unit.activating.zip(unit.up).filter(|(from, to)| to > from && is_one(unit))?;
                let cost = Interval::new(Dur::ZERO, Dur::ZERO, to - from);
                Some(UnitCost { unit, cost, range: TimeRange { from, to } })
            };
            units.iter().filter_map(of_unit).collect()
        }
    };
    found.sort_by_key(|c| std::cmp::Reverse((c.cost.best(), c.cost.high())));
    found
}

/// How much sooner the next unit of a chain could start without the one at a position, all others as they were.
fn without(boot: &Boot, chain: &UnitChain, position: usize) -> Dur {
    let link: &ChainLink = &chain.links[position];
    let Some(next) = chain.links.get(position + 1) else { return link.activation() };
    let others = boot.whole.units[next.unit].after.iter().filter(|i| **i != link.unit);
    let second = others.filter_map(|i| boot.whole.units[*i].up).filter(|up| *up <= link.up).max();
    let released = second.unwrap_or(link.from).max(link.from);
    (link.up - released.max(link.activating)).max_zero()
}

/// The sum of costs, each as an interval.
pub(super) fn sum(costs: &[UnitCost<'_>]) -> Interval {
    let add = |of: fn(&Interval) -> Dur| costs.iter().map(|c| of(&c.cost)).sum();
    Interval::new(add(|i| i.low()), add(|i| i.best()), add(|i| i.high()))
}

/// The records that name the units.
pub(super) fn evidence(case: &Case<'_>, units: &[UnitCost<'_>]) -> Vec<CitedRecord> {
    cite(case.boot, units.iter().take(3).flat_map(|c| [c.unit.first, c.unit.last]).flatten())
}

/// What the times of these units rest on.
pub(super) fn basis(units: &[UnitCost<'_>]) -> &'static str {
    use bootline_boot::UnitTimesBy as By;
    match units.first().map(|c| c.unit.by) {
        Some(By::Systemd) => "by systemd's own stamps",
        Some(By::Journal) => "by systemd's messages in the journal",
        _ => "by systemd's messages on the console",
    }
}

/// `a.service, b.service and 3 more`
pub(super) fn names<'u>(units: impl Iterator<Item = &'u str>) -> String {
    const SHOWN: usize = 5;
    let all: Vec<&str> = units.collect();
    let shown = all.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN { format!("{shown} and {} more", all.len() - SHOWN) } else { shown }
}
