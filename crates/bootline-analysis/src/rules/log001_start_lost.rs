// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_boot::Clock;
use bootline_capture::units::{Dur, Interval};
use bootline_records::{ProblemKind, RecordOrigin};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Log001,
    doc: "The log does not contain the whole boot: the ring buffer wrapped before it was read, records were dropped \
          because the console could not keep up, or the capture began late. What is missing cannot be explained.",
    place: TimelinePlace::Evidence,
    check,
};

/// Largest value of CONFIG_LOG_BUF_SHIFT (init/Kconfig).
const MOST_SHIFT: u32 = 25;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    // A quiet console does not show the beginning either.
    let unquiet = boot.timeline.clock != Clock::Arrival || !case.quiet_console();
    let beginning = boot.problems.iter().find(|p| p.kind == ProblemKind::BeginningLost).filter(|_| unquiet);
    let dropped: Vec<usize> = boot.records.containing("printk messages dropped").collect();
    if beginning.is_none() && dropped.is_empty() {
        return Vec::new();
    }
    let first = boot.records.iter().position(|r| r.source == RecordOrigin::Kernel);
    let mut why = Vec::new();
    if let Some(at) = beginning.and(first).and_then(|i| boot.records.get(i)?.stamp) {
        let words = match boot.timeline.clock {
            Clock::Arrival => {
                "the capture began late, or what was stored before the console registered was not printed to it"
            }
            _ => "the ring buffer wrapped before it was read",
        };
        why.push(format!(
            "the first record's stamp is {}, and the kernel's banner is missing: {words}",
            seconds(at.since_origin())
        ));
    }
    if !dropped.is_empty() {
        let sum: u64 = dropped.iter().filter_map(|i| number_dropped(boot.records.get(*i)?.text)).sum();
        why.push(format!(
            "the console reports {sum} messages dropped: they were overwritten before they were transmitted"
        ));
    }
    // Twice the size of the log, at least 1 MiB; the kernel requires a power of two.
    let held: u64 = boot.records.iter().map(|r| u64::from(r.line_bytes)).sum();
    let size = (held * 2).next_power_of_two().clamp(1 << 20, 1 << 30) >> 20;
    vec![Finding {
        rule: RULE.id,
        title: "the log does not contain the whole boot".to_owned(),
        cost: Interval::exact(Dur::ZERO),
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why: why.join("; "),
        evidence: cite_at(boot, beginning.and(first).into_iter().chain(dropped.into_iter().take(3))),
        remedies: enlarge(size),
    }]
}

/// Advice for a ring buffer of this many MiB, a power of two.
fn enlarge(mebibytes: u64) -> Vec<Remedy> {
    let memory = format!("{mebibytes} MiB of memory");
    let parameter = SystemChange::parameter("log_buf_len", format!("{mebibytes}M"));
    let mut remedies = vec![Remedy::new("enlarge the ring buffer", vec![parameter], memory, Risk::Low)];
    let shift = (mebibytes << 20).trailing_zeros();
    if shift <= MOST_SHIFT {
        let memory = format!("{mebibytes} MiB of memory, on every boot");
        remedies.push(Remedy::new(
            "enlarge the ring buffer for good, in the kernel's configuration",
            vec![SystemChange::config("CONFIG_LOG_BUF_SHIFT", shift.to_string())],
            memory,
            Risk::Low,
        ));
    }
    remedies
}

/// `** 37 printk messages dropped **`
fn number_dropped(text: &str) -> Option<u64> {
    let (before, _) = text.split_once(" printk messages dropped")?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_takes_no_more_than_32_mebibytes() {
        let settings = |m| enlarge(m).into_iter().filter_map(|r| r.setting()).collect::<Vec<_>>();
        assert_eq!(settings(1), ["log_buf_len=1M", "CONFIG_LOG_BUF_SHIFT=20"]);
        assert_eq!(settings(32), ["log_buf_len=32M", "CONFIG_LOG_BUF_SHIFT=25"]);
        assert_eq!(settings(64), ["log_buf_len=64M"]);
    }
}
