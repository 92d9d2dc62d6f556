// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{percent, seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace, console_remedies};
use crate::boot::WaitCause;
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con001,
    doc: "printk to a legacy console waits until the bytes are transmitted (vprintk_emit, console_unlock): each \
          message stops the boot for its length divided by the line's speed. At 9600 baud a line of 80 bytes \
          costs 85 ms. On a PREEMPT_RT kernel this lasts until the printer threads run. The module nbcon_8250 takes an \
          8250's legacy console over from 6.12 to 7.2; from 7.3 on the kernel's own is an nbcon one, whose thread spins on \
          the transmitter: there less output, a faster line or another processor help.",
    place: TimelinePlace::Waits(WaitCause::OwnRecord),
    check,
};

/// Least cost, and least share of the boot, below which the console isn't to blame.
const LEAST: (Dur, f64) = (Dur::from_millis(50), 0.02);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let own: Vec<_> = case.boot.waits.iter().filter(|w| w.cause == WaitCause::OwnRecord).collect();
    let mut cost = own.iter().fold(Interval::default(), |sum, w| sum + w.time);
    if line.cost.low() == Dur::ZERO {
        // The boot doesn't vouch for the line's speed.
        cost = Interval::new(Dur::ZERO, cost.best(), cost.high());
    }
    if cost.best() < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let mut worst = own.clone();
    worst.sort_by_key(|w| std::cmp::Reverse(w.time.best()));
    worst.truncate(3);
    worst.sort_by_key(|w| w.index);
    let mut remedies = vec![console_remedies::print_less(case)];
    remedies.extend(console_remedies::faster_line(case, line));
    remedies.extend(console_remedies::module_with_replay(case));
    remedies.extend(console_remedies::module_built_in(case));
    remedies.extend(console_remedies::printer_kthread(case, line));
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "printk waited {} for {} in all, {} of the boot",
            seconds(cost.best()),
            line.console.name,
            percent(cost.best(), case.total())
        ),
        cost,
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why: format!("{} records each waited for their own transmission; the line carries {}", own.len(), speed(line)),
        evidence: cite_at(case.boot, worst.iter().map(|w| w.index)),
        remedies,
    }]
}
