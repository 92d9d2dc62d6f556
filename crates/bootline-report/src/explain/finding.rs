// SPDX-License-Identifier: MIT OR Apache-2.0
//! What costs time: title, cost, why, the records that show it, what to do.
use super::super::document::{Document, Entry, Text};
use super::super::style::Style;
use super::super::time_value::share;
use super::super::time_value::{ClockName, TimeValue};
use bootline_analysis::boot::Boot;
use bootline_analysis::rules::{Finding, RULES, RuleId};
use bootline_capture::units::Dur;

/// What an advice saves is said from here on.
const SAID: Dur = Dur::from_millis(20);

pub(super) fn findings(document: &mut Document, boot: &Boot, findings: &[Finding]) {
    if findings.is_empty() {
        let text = match boot.end {
            Some(_) => "No rule found a cause of lost time. The phases below show where the time went.",
            None => "No rule found a cause of lost time in what there is of this boot.",
        };
        return document.paragraph(text);
    }
    let clock = ClockName::of_axis(boot.timeline.clock);
    let total = boot.end.as_ref().map(|e| e.elapsed.best());
    let told: Vec<RuleId> = findings.iter().map(|f| f.rule).collect();
    // What is contained in another cause comes after all causes.
    let (own, contained): (Vec<_>, Vec<_>) = findings.iter().partition(|f| part_of(f, &told).is_empty());
    let mut before: Option<&Finding> = None;
    for finding in own.into_iter().chain(contained) {
        let said_before = before.replace(finding).is_some_and(|b| b.advice == finding.advice);
        let title = Text::new()
            .styled(finding.rule.title(), Style::Cost)
            .styled(": ", Style::Strong)
            .styled(&finding.title, Style::Strong);
        document.heading(title);
        document.entries(entries(finding, &told, said_before, clock, total));
    }
}

/// Those of the findings told that hold this one's cost.
fn part_of(finding: &Finding, told: &[RuleId]) -> Vec<&'static str> {
    finding.part_of.iter().filter(|rule| told.contains(rule)).map(|rule| rule.code()).collect()
}

fn entries(
    finding: &Finding,
    told: &[RuleId],
    said_before: bool,
    clock: Option<ClockName>,
    total: Option<Dur>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    if finding.cost.high() > Dur::ZERO {
        let mut cost = Text::new().styled_time(TimeValue::estimate(finding.cost).by(clock), Style::Cost);
        if let Some(share) = total.and_then(|t| share(finding.cost.best(), t)) {
            cost = cost.words(format!(", {share} of the time to init"));
        }
        entries.push(Entry::new("cost", cost));
        let whole = part_of(finding, told);
        if !whole.is_empty() {
            entries.push(Entry::new("", format!("not to be added: it is part of {}", whole.join(" and "))));
        }
    } else {
        entries.push(Entry::new("cost", "none by itself"));
    }
    entries.push(Entry::new("why", finding.why.as_str()));
    entries.extend(finding.evidence.iter().map(|e| Entry::quote(e.id, &e.text)));
    if said_before && !finding.advice.is_empty() {
        entries.push(Entry::new("do", "as above"));
        return entries;
    }
    for advice in &finding.advice {
        let mut text = Text::from(advice.action.as_str());
        if let Some(setting) = &advice.setting {
            text = text.words(": ").styled(setting, Style::Setting);
        }
        text = match advice.saves {
            Some(saves) if saves.best() >= SAID => text.words("; saves the boot ").figure(TimeValue::estimate(saves)),
            Some(saves) if saves.best() <= -SAID => text.words("; costs the boot ").figure(TimeValue::estimate(-saves)),
            Some(_) => text.words("; saves this boot next to nothing"),
            None => text,
        };
        entries.push(Entry::new("do", text));
        if !advice.price.is_empty() {
            entries.push(Entry::new("", Text::new().styled(format!("price: {}", advice.price), Style::Faint)));
        }
    }
    entries
}

/// All rules with what they look for.
pub fn rules() -> Document {
    let mut document = Document::default();
    for rule in RULES {
        document.heading(rule.id.title());
        document.entries(vec![Entry::new("", rule.doc)]);
    }
    document
}
