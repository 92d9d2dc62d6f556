// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to do: each remedy once, by the effort that it takes, with the findings that it helps against.
use crate::document::{Document, Entry, Text};
use crate::style::Style;
use crate::time_value::{TimeValue, in_millis};
use bootline_analysis::remedy::{Effort, Remedy, RemedyGroup, SharedRemedy, by_effort};
use bootline_analysis::rules::Finding;
use bootline_capture::units::Dur;

/// A saving smaller than this is called next to nothing.
const WORTH_MENTIONING: Dur = Dur::from_millis(20);

/// The remedies of a boot's findings, each with a number by which the findings refer to it.
pub(super) struct NumberedRemedies<'f> {
    findings: &'f [&'f Finding],
    groups: Vec<RemedyGroup<'f, usize>>,
}

impl<'f> NumberedRemedies<'f> {
    pub fn new(findings: &'f [&'f Finding]) -> NumberedRemedies<'f> {
        let all = findings.iter().enumerate().flat_map(|(i, f)| f.remedies.iter().map(move |r| (i, r)));
        NumberedRemedies { findings, groups: by_effort(all) }
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &SharedRemedy<'f, usize>)> {
        (1..).zip(self.groups.iter().flat_map(|group| &group.remedies))
    }

    /// `R1, R4`: those of the finding at a position.
    pub fn of(&self, finding: usize) -> String {
        let numbers = self.numbered().filter(|(_, r)| r.causes.contains(&finding)).map(|(n, _)| label(n));
        numbers.collect::<Vec<_>>().join(", ")
    }

    pub fn show(&self, document: &mut Document) {
        let mut numbered = self.numbered();
        for group in &self.groups {
            document.heading(heading(group.effort));
            let mut entries = Vec::new();
            for (number, shared) in numbered.by_ref().take(group.remedies.len()) {
                entries.push(Entry::new(&label(number), what(shared.remedy)));
                entries.push(Entry::new("", Text::new().styled(self.terms(shared), Style::Faint)));
            }
            document.entries(entries);
        }
    }

    /// `price: the device comes later; medium risk; for drv002`
    fn terms(&self, shared: &SharedRemedy<'f, usize>) -> String {
        let mut codes: Vec<&str> = Vec::new();
        for finding in shared.causes.iter().filter_map(|i| self.findings.get(*i)) {
            if !codes.contains(&finding.rule.code()) {
                codes.push(finding.rule.code());
            }
        }
        let price = match shared.remedy.price.as_str() {
            "" => String::new(),
            price => format!("price: {price}; "),
        };
        format!("{price}{} risk; for {}", shared.remedy.risk.name(), codes.join(", "))
    }
}

fn label(number: usize) -> String {
    format!("R{number}")
}

fn heading(effort: Effort) -> &'static str {
    match effort {
        Effort::None => "Remedies that change nothing on the system",
        Effort::Configuration => "Remedies that need only configuration (parameters, modules, services)",
        Effort::Rebuild => "Remedies that need a rebuild (kernel, image)",
        Effort::Hardware => "Remedies that need other hardware",
    }
}

fn what(remedy: &Remedy) -> Text {
    let mut text = Text::from(remedy.action.as_str());
    if let Some(setting) = remedy.setting() {
        text = text.words(": ").styled(setting, Style::Setting);
    }
    match remedy.saves {
        Some(saves) if saves.best() >= WORTH_MENTIONING => text.words("; saves ").figure(TimeValue::estimate(saves)),
        Some(saves) if saves.best() <= -WORTH_MENTIONING => text.words("; costs ").figure(TimeValue::estimate(-saves)),
        Some(saves) if saves.high() >= WORTH_MENTIONING => {
            text.words(format!("; probably saves nothing, at most {}\u{a0}s", in_millis(saves.high())))
        }
        Some(_) => text.words("; saves almost nothing in this boot"),
        None => text,
    }
}
