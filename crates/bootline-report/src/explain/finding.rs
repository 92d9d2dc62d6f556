// SPDX-License-Identifier: MIT OR Apache-2.0
//! What costs time: title, cost, why, the records that show it, and the numbers of its remedies.
use super::answer::end_name;
use super::cost_place::CostPlace;
use super::remedies::NumberedRemedies;
use crate::document::{Document, Entry, Text};
use crate::style::Style;
use crate::time_value::{ClockName, TimeValue, share};
use bootline_analysis::rules::{Finding, RULES, RuleId};
use bootline_boot::Boot;
use bootline_capture::units::Dur;

pub(super) fn findings(document: &mut Document, boot: &Boot, findings: &[Finding]) {
    if findings.is_empty() {
        let text = match boot.end {
            Some(_) => "No rule found a cause of lost time. The phases below show where the time went.",
            None => "No rule found a cause of lost time in what the log shows of this boot.",
        };
        return document.paragraph(text);
    }
    let clock = ClockName::of_axis(boot.timeline.clock);
    let total = boot.end.as_ref().map(|e| Total { elapsed: e.elapsed.best(), end: e.at.best(), name: end_name(e) });
    let reported: Vec<RuleId> = findings.iter().map(|f| f.rule).collect();
    // What is contained in another cause comes after all causes.
    let (mut shown, contained): (Vec<_>, Vec<_>) = findings.iter().partition(|f| part_of(f, &reported).is_empty());
    shown.extend(contained);
    let remedies = NumberedRemedies::new(&shown);
    for (i, finding) in shown.iter().enumerate() {
        let title = Text::new()
            .styled(finding.rule.title(), Style::Cost)
            .styled(": ", Style::Strong)
            .styled(&finding.title, Style::Strong);
        document.heading(title);
        document.entries(entries(finding, &reported, remedies.of(i), clock, total));
    }
    remedies.show(document);
}

/// The time that percentages refer to.
#[derive(Clone, Copy)]
struct Total {
    /// The time to init, from wherever it is counted.
    elapsed: Dur,
    /// Init's start on the boot's axis.
    end: Dur,
    /// What it ends with.
    name: &'static str,
}

/// Rules among those reported whose findings contain this one's cost.
pub(crate) fn part_of(finding: &Finding, reported: &[RuleId]) -> Vec<&'static str> {
    finding.part_of.iter().filter(|rule| reported.contains(rule)).map(|rule| rule.code()).collect()
}

fn entries(
    finding: &Finding,
    reported: &[RuleId],
    remedies: String,
    clock: Option<ClockName>,
    total: Option<Total>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    if finding.cost.high() > Dur::ZERO {
        let mut cost = Text::new().styled_time(TimeValue::estimate(finding.cost).by(clock), Style::Cost);
        match total.map(|t| (t, CostPlace::of(finding, t.end))) {
            Some((t, CostPlace::BeforeInit)) => {
                if let Some(share) = share(finding.cost.best(), t.elapsed) {
                    cost = cost.words(format!(", {share} of the time to {}", t.name));
                }
            }
            Some((t, CostPlace::AfterInit)) => cost = cost.words(format!(", after {}", t.name)),
            Some((_, CostPlace::BeforeKernel)) | None => {}
        }
        entries.push(Entry::new("cost", cost));
        let whole = part_of(finding, reported);
        if !whole.is_empty() {
            entries.push(Entry::new("", format!("part of the cost of {}; do not add it", whole.join(" and "))));
        }
    } else {
        entries.push(Entry::new("cost", "none by itself"));
    }
    entries.push(Entry::new("why", finding.why.as_str()));
    entries.extend(finding.evidence.iter().map(|e| Entry::quote(e.id, &e.text)));
    if !remedies.is_empty() {
        entries.push(Entry::new("do", remedies));
    }
    entries
}

/// All rules, with what they look for.
pub fn rules() -> Document {
    let mut document = Document::default();
    for rule in RULES {
        document.heading(rule.id.title());
        document.entries(vec![Entry::new("", rule.doc)]);
    }
    document
}
