// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{percent, seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace, console_remedies};
use bootline_boot::WaitCause;
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con001,
    doc: "printk to a legacy console returns only when the bytes are transmitted (vprintk_emit, console_unlock): each \
          message stops the boot for its length divided by the line's speed. At 9600 baud a log line of 80 bytes \
          costs 83 ms. A PREEMPT_RT kernel prints this way until its printer kthreads run. From 6.12 to 7.2 the \
          module nbcon_8250 can replace an 8250's legacy console, and from 5.10 on console_relay lets a kthread print to it, \
          also for other drivers; from 7.3 on the kernel's own 8250 console is an \
          nbcon console, whose kthread spins on the transmitter: there less output, a faster line or another CPU \
          helps.",
    place: TimelinePlace::Waits(WaitCause::OwnRecord),
    check,
};

/// Least cost, and least share of the boot, below which the console is not reported.
const LEAST: (Dur, f64) = (Dur::from_millis(50), 0.02);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let own: Vec<_> = case.boot.waits.iter().filter(|w| w.cause == WaitCause::OwnRecord).collect();
    let mut cost = own.iter().fold(Interval::default(), |sum, w| sum + w.time);
    if line.cost.low() == Dur::ZERO {
        // Nothing in the log confirms the speed of the line.
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
            "printk waited {} in total for {}, {} of the boot",
            seconds(cost.best()),
            line.console.name,
            percent(cost.best(), case.total())
        ),
        cost,
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why: format!(
            "{} records each waited for their own transmission; the line transmits {}",
            own.len(),
            speed(line)
        ),
        evidence: cite_at(case.boot, worst.iter().map(|w| w.index)),
        remedies,
    }]
}
