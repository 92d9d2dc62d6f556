// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Clk002,
    doc: "If neither a timer's frequency nor a preset gives the value, the kernel measures its delay loop against \
          the tick (calibrate_delay_converge). That takes 20 to 30 ticks, 0.2 to 0.3 s at 100 Hz, in which the boot \
          does nothing else, on some machines once per CPU. The result is the same on every boot: lpj= presets it.",
    place: TimelinePlace::Evidence,
    check,
};

/// 30 ticks of 10 ms.
const LONGEST: Dur = Dur::from_millis(300);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let measured =
        |text: &str| !text.contains("(skipped)") && (text.contains("delay loop") || text.contains("timer specific"));
    let Some((index, record)) = case.find("Calibrating delay").find(|(_, r)| measured(r.text)) else {
        return Vec::new();
    };
    // The record is stored when its first part is printed: the measurement comes after that.
    let (Some(from), Some((next, to))) = (case.at(index), case.next(index)) else { return Vec::new() };
    let net = case.net(from, to);
    let dark = to == Dur::ZERO;
    if !dark && net.best() < Dur::from_millis(10) || dark && case.boot.timeline.resolution > Dur::ZERO {
        return Vec::new();
    }
    let (cost, known) = if dark {
        (Interval::new(Dur::ZERO, Dur::ZERO, LONGEST), "the kernel's clock did not run yet".to_owned())
    } else {
        let words = format!("{} {} passed until record {}", clock(case), seconds(to - from), id(case, next));
        (Interval::new(Dur::ZERO, net.best().min(LONGEST), net.high().min(LONGEST)), words)
    };
    let lpj = lpj(record.text);
    let change = match lpj {
        Some(n) => SystemChange::parameter("lpj", n.to_string()),
        None => SystemChange::open_parameter("lpj", "from the log"),
    };
    vec![Finding {
        rule: RULE.id,
        title: if dark {
            "the kernel measured its delay loop before its clock ran".to_owned()
        } else {
            format!("the kernel spent {} measuring its delay loop", seconds(cost.best()))
        },
        cost,
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("record {} shows that the value was measured, not preset; {known}", record.id),
        evidence: cite_at(case.boot, [index, next]),
        remedies: vec![Remedy::new(
            "preset the delay loop with the value that this boot measured",
            vec![change],
            "wrong once the CPU or its frequency changes: delays become too short",
            Risk::High,
        )],
    }]
}

fn id(case: &Case<'_>, index: usize) -> String {
    case.boot.records.get(index).map_or(String::new(), |r| r.id.to_string())
}

/// `996.14 BogoMIPS (lpj=3997696)`
fn lpj(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("lpj=")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
