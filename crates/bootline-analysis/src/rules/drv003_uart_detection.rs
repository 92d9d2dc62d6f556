// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv003,
    doc: "The 8250 driver probes every legacy port that it is configured for, present or not. Where it must find a \
          port's interrupt itself, it provokes one and waits: 200 ms or more, 250 ms under a hypervisor that traps \
          each access.",
    place: TimelinePlace::Evidence,
    check,
};

/// Detection shorter than this is not reported.
const LEAST: Dur = Dur::from_millis(50);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some((start, record)) = case.find("Serial: 8250/16550 driver").next() else { return Vec::new() };
    // The last of the consecutive port records ends it; what follows is other work.
    let is_port = |i: usize| case.kernel(i).is_some_and(|r| r.text.contains(": ttyS") && r.text.contains(" is a "));
    let mut end = start;
    while let Some((next, _)) = case.next(end).filter(|(next, _)| is_port(*next)) {
        end = next;
    }
    let time_range = match case.span("serial8250_init").and_then(|s| Some(TimeRange { from: s.start, to: s.end? })) {
        Some(s) => s,
        None => match (case.at(start), case.at(end)) {
            (Some(from), Some(to)) => TimeRange { from, to },
            _ => return Vec::new(),
        },
    };
    let net = case.net(time_range.from, time_range.to);
    if net.best() < LEAST {
        return Vec::new();
    }
    let ports = ports(record.text);
    vec![Finding {
        rule: RULE.id,
        title: format!("the 8250 driver took {} to find its ports", seconds(net.best())),
        cost: Interval::new(Dur::ZERO, net.best(), net.high()),
        part_of: Vec::new(),
        time_ranges: vec![time_range],
        why: format!("{}, net of the console; the driver is configured for {ports} ports", clock(case)),
        evidence: cite_at(case.boot, if end == start { vec![start] } else { vec![start, end] }),
        remedies: vec![
            Remedy::new(
                "probe only the 8250 ports that exist",
                vec![SystemChange::open_parameter("8250.nr_uarts", "ports")],
                "ports beyond that number are not found",
                Risk::Medium,
            ),
            Remedy::new(
                "do not detect the ports' interrupts",
                vec![SystemChange::config("CONFIG_SERIAL_8250_DETECT_IRQ", "n")],
                "ports with unusual interrupts need setserial",
                Risk::Medium,
            ),
        ],
    }]
}

/// `Serial: 8250/16550 driver, 32 ports, IRQ sharing enabled`
fn ports(text: &str) -> &str {
    text.split(", ")
        .find_map(|p| p.strip_suffix(" ports"))
        .filter(|n| n.bytes().all(|b| b.is_ascii_digit()))
        .unwrap_or("an unknown number of")
}
