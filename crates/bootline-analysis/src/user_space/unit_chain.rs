// SPDX-License-Identifier: MIT OR Apache-2.0
//! The units that decided when the application was up, and how much later the others could have been.
//!
//! From the application back: each time to the unit that was up last of those that it waited for. The time between that and the next
//! unit's start belongs to no unit. `systemd-analyze critical-chain` does not show it; here it is a part of its own.
use super::ordering::{SAME_INSTANT, first_moment, released_by, waited_for};
use super::reach::reached;
use super::unit_time::unit_time;
use bootline_boot::{Boot, DependenciesKnown};
use bootline_capture::units::Dur;

/// The units from systemd's start to the application, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitChain {
    /// Start: systemd had loaded its units, or started, or the first unit of the chain began.
    pub start: Dur,
    /// End: the last unit was up.
    pub end: Dur,
    /// Links without gap or overlap, in order.
    pub links: Vec<ChainLink>,
    /// Units that are not in the chain and must be up before its last one, by their slack.
    pub slack: Vec<UnitSlack>,
    /// Positions of units that were started and that the chain's last one does not need, by their activation, the longest first.
    pub off_path: Vec<usize>,
}

/// A unit of the chain, with the time before it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainLink {
    /// Position of the unit.
    pub unit: usize,
    /// When the link before ended.
    pub from: Dur,
    /// When the unit began to start.
    pub activating: Dur,
    /// When it was up.
    pub up: Dur,
    /// Number of other units that began to start between `from` and `activating`.
    pub started_meanwhile: usize,
    /// Of its activation, the processor time of its own processes at most.
    pub processor: Option<Dur>,
}

impl ChainLink {
    /// From the end of the link before to its own start: no unit's own time.
    pub fn queue(&self) -> Dur {
        self.activating - self.from
    }

    /// From its start until it was up.
    pub fn activation(&self) -> Dur {
        self.up - self.activating
    }
}

/// By how much a unit could be up later without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitSlack {
    /// Position of the unit.
    pub unit: usize,
    /// Slack; other units as they were.
    pub slack: Dur,
}

impl UnitChain {
    /// The chain to the application's unit, or else to the last target; none without ordering.
    pub fn of(boot: &Boot) -> Option<UnitChain> {
        if boot.whole.dependencies == DependenciesKnown::Nothing {
            return None;
        }
        let target = last_unit(boot)?;
        let mut links = links(boot, target);
        links.reverse();
        let (start, end) = (links.first()?.from, links.last()?.up);
        let (slack, off_path) = apart(boot, target, &links);
        Some(UnitChain { start, end, links, slack, off_path })
    }

    /// From start to end.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }

    /// The part of it that is no unit's own time.
    pub fn queue(&self) -> Dur {
        self.links.iter().map(ChainLink::queue).sum()
    }

    /// How much sooner the next unit of the chain could start without the one at a position, all others as they were; of the last
    /// one, how much sooner it would be up.
    pub fn without(&self, boot: &Boot, position: usize) -> Dur {
        let link = &self.links[position];
        let Some(next) = self.links.get(position + 1) else { return link.activation() };
        let others = boot.whole.units[next.unit].after.iter().filter(|i| **i != link.unit);
        let second = others.filter_map(|i| boot.whole.units[*i].up).filter(|up| *up <= link.up).max();
        let released = second.unwrap_or(link.from).max(link.from);
        (link.up - released.max(link.activating)).max_zero()
    }
}

/// The unit that ends the boot: the application's, or else the last target.
pub(crate) fn last_unit(boot: &Boot) -> Option<usize> {
    match &boot.whole.application {
        Some(app) => app.unit,
        None => last_target(boot),
    }
}

/// The target of the boot: the last one that was up before systemd's first transaction was complete.
fn last_target(boot: &Boot) -> Option<usize> {
    let units = &boot.whole.units;
    let until = boot.whole.manager_finish;
    let of_startup = |i: &usize| {
        let u = &units[*i];
        u.name.ends_with(".target") && u.up.is_some_and(|up| until.is_none_or(|end| up <= end + SAME_INSTANT))
    };
    (0..units.len()).filter(of_startup).max_by_key(|i| (units[*i].up, std::cmp::Reverse(*i)))
}

/// From the target back.
fn links(boot: &Boot, target: usize) -> Vec<ChainLink> {
    let units = &boot.whole.units;
    let mut found: Vec<ChainLink> = Vec::new();
    let mut at = target;
    // Each step goes back in time or to a unit not yet met: stamps of one instant must not lead in a circle.
    let mut met = vec![false; units.len()];
    while let (Some(up), false) = (units[at].up, met[at]) {
        met[at] = true;
        let activating = units[at].activating.unwrap_or(up).min(up);
        let before = released_by(boot, &units[at]).filter(|(i, _)| !met[*i]);
        let released = before.map(|(_, up)| up).or(first_moment(boot)).unwrap_or(activating).min(activating);
        let meanwhile = |u: &&bootline_boot::Unit| u.activating.is_some_and(|t| t > released && t < activating);
        found.push(ChainLink {
            unit: at,
            from: released,
            activating,
            up,
            started_meanwhile: units.iter().filter(meanwhile).count(),
            processor: unit_time(boot, at).processor,
        });
        let Some((next, _)) = before else { break };
        at = next;
    }
    // A unit that was up at the instant in which the next began may carry a stamp a little later.
    for i in 1..found.len() {
        let next = found[i - 1].from;
        found[i].up = next;
        found[i].activating = found[i].activating.min(next);
        found[i].from = found[i].from.min(found[i].activating);
    }
    for i in 1..found.len() {
        found[i - 1].from = found[i].up;
    }
    found
}

/// The slack of what must be up before the target, and what need not.
fn apart(boot: &Boot, target: usize, links: &[ChainLink]) -> (Vec<UnitSlack>, Vec<usize>) {
    let units = &boot.whole.units;
    let mut slack: Vec<Option<Dur>> = vec![None; units.len()];
    slack[target] = Some(Dur::ZERO);
    // By their starts, the latest first: when a unit's turn comes, that of all that waited for it has come.
    let mut order: Vec<usize> = (0..units.len()).filter(|i| units[*i].activating.or(units[*i].up).is_some()).collect();
    order.sort_by_key(|i| std::cmp::Reverse((units[*i].activating.or(units[*i].up), units[*i].up)));
    for at in order {
        let (Some(own), Some((_, released))) = (slack[at], released_by(boot, &units[at])) else { continue };
        for (before, up) in waited_for(boot, &units[at]) {
            let through = own + (released - up);
            slack[before] = Some(slack[before].map_or(through, |known| known.min(through)));
        }
    }
    // Without what it requires nothing shows what it needs besides.
    let needed = match boot.whole.dependencies {
        DependenciesKnown::All => needed(boot, target),
        _ => vec![true; units.len()],
    };
    let in_chain = |i: &usize| links.iter().any(|l| l.unit == *i);
    let mut found: Vec<UnitSlack> = (0..units.len())
        .filter(|i| !in_chain(i))
        .filter_map(|i| Some(UnitSlack { unit: i, slack: slack[i]? }))
        .collect();
    found.sort_by_key(|s| (s.slack, s.unit));
    let ended_later = |i: usize| units[i].activating.is_none_or(|t| units[target].up.is_some_and(|end| t >= end));
    let is_off = |i: &usize| slack[*i].is_none() && !needed[*i] && !in_chain(i) && !ended_later(*i);
    let mut off: Vec<usize> = (0..units.len()).filter(is_off).collect();
    off.sort_by_key(|i| (std::cmp::Reverse(units[*i].activation()), *i));
    (found, off)
}

/// What the target needs, by Requires= and Wants=, ordered or not.
fn needed(boot: &Boot, target: usize) -> Vec<bool> {
    let units = &boot.whole.units;
    reached(units.len(), target, |at, open| {
        open.extend(units[at].requires.iter().chain(&units[at].wants).chain(&units[at].triggered_by));
    })
}
