// SPDX-License-Identifier: MIT OR Apache-2.0
use super::finding::cite;
use super::{Advice, Finding, Rule};
use crate::boot::{Boot, Kind, WaitCause};
use crate::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    code: "con001",
    name: "synchronous-console",
    doc: "printk to a legacy console waits until the characters are on the wire (vprintk_emit, console_unlock): each \
          message stops the boot for its length divided by the line's speed. At 9600 baud a line of 80 characters \
          costs 85 ms.",
    check,
};

/// Share of the boot below which the console isn't to blame.
const LEAST_SHARE: f64 = 0.02;

fn check(boot: &Boot) -> Vec<Finding> {
    let Some(line) = &boot.line else { return Vec::new() };
    let own: Vec<_> = boot.waits.iter().filter(|w| w.cause == WaitCause::OwnRecord).collect();
    let cost = own.iter().fold(Interval::default(), |sum, w| sum + w.time);
    let total = boot.end.as_ref().map_or(Dur::ZERO, |e| e.elapsed.best());
    if cost.best() < Dur::from_millis(50) || cost.best() < total.scale(LEAST_SHARE) {
        return Vec::new();
    }
    let mut worst = own.clone();
    worst.sort_by_key(|w| std::cmp::Reverse(w.time.best()));
    let evidence = cite(boot, worst.iter().take(3).filter_map(|w| boot.records.get(w.index)).map(|r| r.id));
    let rate = line.speed.map_or(0.0, |s| s.rate.bytes_per_s());
    let mut advice = vec![
        Advice::new(
            "print less on the console",
            "quiet (or loglevel=4)",
            "messages are only in dmesg, not on the line",
        ),
        Advice::new(
            "use a faster line",
            format!("console={},115200n8", line.console.name),
            "both ends must run at that speed",
        ),
    ];
    if line.console.kind == Kind::Legacy {
        advice.push(Advice::new(
            "print by a thread: a PREEMPT_RT kernel from 6.19 on, with two processors or more",
            "CONFIG_PREEMPT_RT=y",
            "a hang leaves the last messages unprinted; the log arrives later than the boot ends",
        ));
    }
    vec![Finding {
        rule: "con001 synchronous-console",
        title: format!("printk waited {} s for {} in all", cost.best(), line.console.name),
        cost,
        why: format!(
            "{} records waited each for its own characters; the line carries {rate:.0} characters a second",
            own.len()
        ),
        evidence,
        advice,
    }]
}
