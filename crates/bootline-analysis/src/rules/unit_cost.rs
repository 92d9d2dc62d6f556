// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a unit costs the application: what is shared by the rules on user space.
use std::collections::HashSet;

use super::case::{Case, TimeRange, apart};
use super::finding::{CitedRecord, cite};
use super::usr007_unit_timeout::timed_out;
use super::{Finding, RuleId};
use crate::init_scripts;
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use crate::user_space::requiring;
use crate::whole_change::{AnySetting, FASTINIT_PRICE, FindingCosts, WholeChange, WholeSetting, predict_whole};
use bootline_boot::{Boot, Unit};
use bootline_capture::units::{Dur, Interval};
use bootline_records::RecordId;

/// A unit and what it costs.
pub(super) struct UnitCost<'b> {
    pub unit: &'b Unit,
    pub cost: Interval,
    pub range: TimeRange,
}

/// What the units of one rule cost.
pub(super) struct UnitCosts<'b> {
    /// The costliest first.
    pub units: Vec<UnitCost<'b>>,
    /// Cost of all of them. Those that started in parallel cost their time once.
    pub total: Interval,
    /// Rules whose findings contain this cost.
    pub part_of: Vec<RuleId>,
}

/// The units that a rule is about, with what each costs. A unit outside of the chain costs nothing that the sources
/// show, and is left out; without dependencies nothing shows what costs, and the lower bound is zero. What one that ran into its time-out
/// costs is in that finding, too; of the others, what no rule has claimed counts.
pub(super) fn unit_costs<'b>(case: &Case<'b>, is_one: impl Fn(&Unit) -> bool) -> UnitCosts<'b> {
    let boot = case.boot;
    let units = &boot.whole.units;
    let is_timed_out = timed_out(boot).any(&is_one);
    let unclaimed = |range: TimeRange| -> Dur {
        if is_timed_out {
            return range.to - range.from;
        }
        case.unclaimed(range.from, range.to).iter().map(|piece| piece.to - piece.from).sum()
    };
    let mut found: Vec<UnitCost<'b>> = match case.unit_chain() {
        Some(chain) => {
            let of_link = |i: usize| {
                let link = &chain.links[i];
                let unit = &units[link.unit];
                let range = TimeRange { from: link.activating, to: link.up };
                let left = unclaimed(range);
                let saving = chain.without(boot, i).min(left);
                let is = is_one(unit) && saving > Dur::ZERO;
                // Others may use the processor that it leaves, or need what it did.
                let cost = Interval::new(Dur::ZERO, saving, link.activation().min(left).max(saving));
                is.then_some(UnitCost { unit, cost, range })
            };
            (0..chain.links.len()).filter_map(of_link).collect()
        }
        None => {
            // What was up only after the boot had ended delayed nothing of it.
            let end = boot.whole.end();
            let in_time = |up: Dur| end.is_none_or(|end| up <= end);
            let of_unit = |unit: &'b Unit| {
                let (from, to) =
                    unit.activating.zip(unit.up).filter(|(from, to)| to > from && in_time(*to) && is_one(unit))?;
                let cost = Interval::new(Dur::ZERO, Dur::ZERO, to - from);
                Some(UnitCost { unit, cost, range: TimeRange { from, to } })
            };
            units.iter().filter_map(of_unit).collect()
        }
    };
    found.sort_by_key(|c| std::cmp::Reverse((c.cost.best(), c.cost.high())));
    let part_of = if is_timed_out { vec![RuleId::Usr007] } else { Vec::new() };
    UnitCosts { total: sum(&found), units: found, part_of }
}

impl<'b> UnitCosts<'b> {
    /// A remedy that leaves out the services and the init scripts among these units; none if none is one.
    pub fn masking(&self, case: &Case<'_>, action: &str, price: &str) -> Option<Remedy> {
        let scripts: HashSet<&str> = match init_scripts::start_user_space(case.boot) {
            true => init_scripts::scripts(case.boot).map(|s| s.name.as_str()).collect(),
            false => HashSet::new(),
        };
        let change = |unit: &'b Unit| match unit.name.as_str() {
            name if name.ends_with(".service") => Some((unit, SystemChange::MaskUnit(name.to_owned()))),
            name if scripts.contains(name) => Some((unit, SystemChange::DisableScript(name.to_owned()))),
            _ => None,
        };
        let (masked, mask): (Vec<&Unit>, Vec<SystemChange>) = self.units.iter().filter_map(|c| change(c.unit)).unzip();
        let (price, risk) = price_of_masking(case.boot, &masked, price);
        (!mask.is_empty()).then(|| Remedy::new(action, mask, price, risk))
    }

    /// The finding of a rule on these units: what their times rest on, their names, and the records that name them.
    pub fn finding(self, case: &Case<'_>, rule: RuleId, title: String, remedies: Vec<Remedy>) -> Finding {
        Finding {
            rule,
            title,
            cost: self.total,
            time_ranges: self.units.iter().map(|c| c.range).collect(),
            why: format!("{}: {}", basis(&self.units), names(self.units.iter().map(|c| c.unit.name.as_str()))),
            evidence: evidence(case, &self.units),
            part_of: self.part_of,
            remedies,
        }
    }
}

/// The sum of costs, each as an interval, and no more than the time in which any of the units started.
fn sum(costs: &[UnitCost<'_>]) -> Interval {
    let ranges: Vec<TimeRange> = costs.iter().map(|c| c.range).collect();
    let most: Dur = apart(&ranges).iter().map(|range| range.to - range.from).sum();
    let add = |of: fn(&Interval) -> Dur| costs.iter().map(|c| of(&c.cost)).sum::<Dur>().min(most);
    Interval::new(add(|i| i.low()), add(|i| i.best()), add(|i| i.high()))
}

/// Price and risk of masking units: what requires one of them fails.
pub(super) fn price_of_masking(boot: &Boot, masked: &[&Unit], price: &str) -> (String, Risk) {
    let requiring = requiring(boot, &masked.iter().map(|unit| unit.name.as_str()).collect());
    if requiring.is_empty() {
        return (price.to_owned(), Risk::Medium);
    }
    let verb = if requiring.len() == 1 { "requires" } else { "require" };
    (format!("{price}; {} {verb} it and will not start", names(requiring.into_iter())), Risk::High)
}

/// What `predict` says that a change of units saves; none if it can't be predicted.
pub(super) fn predicted_saving(boot: &Boot, settings: Vec<WholeSetting>) -> Option<Interval> {
    let change = WholeChange::of(settings.into_iter().map(AnySetting::Whole)).ok()?;
    predict_whole(boot, &change, &FindingCosts::default()).ok().map(|predicted| predicted.saved)
}

/// The application started before systemd; with what `predict` says that it saves, which may be more than one finding's cost.
pub(super) fn fastinit(boot: &Boot) -> Remedy {
    let saves = predicted_saving(boot, vec![WholeSetting::Fastinit]);
    Remedy::in_words(
        "start the application by fastinit (init=/usr/sbin/fastinit), which then becomes systemd",
        Effort::Rebuild,
        FASTINIT_PRICE,
        Risk::Medium,
    )
    .saving(saves)
}

/// The records that name the units.
fn evidence(case: &Case<'_>, units: &[UnitCost<'_>]) -> Vec<CitedRecord> {
    cite(case.boot, units.iter().take(3).flat_map(|c| records(c.unit)))
}

/// The first and the last record that name a unit; a script's line may be both.
pub(super) fn records(unit: &Unit) -> impl Iterator<Item = RecordId> + use<> {
    let last = unit.last.filter(|last| unit.first != Some(*last));
    unit.first.into_iter().chain(last)
}

/// What the times of these units rest on.
fn basis(units: &[UnitCost<'_>]) -> &'static str {
    use bootline_boot::UnitTimesBy as By;
    match units.first().map(|c| c.unit.by) {
        Some(By::Systemd) => "by systemd's own stamps",
        Some(By::Journal) => "by systemd's messages in the journal",
        _ => "by init's messages on the console",
    }
}

/// `a.service, b.service and 3 more`
pub(super) fn names<'u>(units: impl Iterator<Item = &'u str>) -> String {
    const SHOWN: usize = 5;
    let all: Vec<&str> = units.collect();
    let shown = all.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN { format!("{shown} and {} more", all.len() - SHOWN) } else { shown }
}
