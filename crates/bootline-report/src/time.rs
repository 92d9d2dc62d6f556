// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline time`: a boot in one line, as a sum of its phases, then the phases.
use schemars::JsonSchema;
use serde::Serialize;

use super::boot_label::BootLabel;
use super::document::{Document, Text};
use super::explain::{no_end, title};
use super::phase;
use super::problem::left_out;
use super::style::Style;
use super::time_value::{ClockName, TimeValue};
use super::whole;
use crate::wire::{Clock, Phase, TimeToInit, WholeBoot};
use bootline_boot::{Boot, PhaseName};
use bootline_capture::units::Dur;

/// The sum and the phases, as a document.
pub fn time(boot: &Boot, source: &BootLabel) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    document.paragraph(sum(boot));
    if !boot.phases.is_empty() {
        document.table(phase::table(boot));
    }
    whole::application(&mut document, boot);
    whole::stages(&mut document, boot);
    whole::marks(&mut document, boot);
    whole::sources(&mut document, boot);
    left_out(&mut document, &boot.problems);
    document
}

/// `4.200 s (kernel until its console) + 14.000 s (initcalls) = 18.200 s`
fn sum(boot: &Boot) -> Text {
    let Some(end) = &boot.end else { return no_end(boot) };
    let parts = up_to(&boot.phases, end.at.best());
    let mut text = Text::new();
    for (n, (name, length)) in parts.iter().enumerate() {
        let plus = if n > 0 { " + " } else { "" };
        text = text.words(plus).figure(TimeValue::exact(*length)).words(format!(" ({})", name.title()));
    }
    let total = parts.iter().map(|p| p.1).sum();
    let clock = ClockName::of_axis(boot.timeline.clock);
    text.words(" = ").styled_time(TimeValue::exact(total).by(clock), Style::Strong)
}

/// The phases up to an instant, the one around it cut there.
fn up_to(phases: &[bootline_boot::Phase], end: Dur) -> Vec<(PhaseName, Dur)> {
    phases.iter().filter(|p| p.start < end).map(|p| (p.name, p.end.min(end) - p.start)).collect()
}

/// The times of a boot, as JSON: one entry of `boots[]` in `docs/schema/time-1.schema.json`.
pub fn time_json<'b>(boot: &'b Boot, source: &'b BootLabel) -> impl Serialize + 'b {
    TimedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        clock: boot.timeline.clock.into(),
        time_to_init: boot.end.as_ref().map(TimeToInit::from),
        phases: Phase::all(boot),
        whole: WholeBoot::from(boot),
    }
}

/// The times of a boot.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TimedBoot<'b> {
    /// The input as it was named; `-` is standard input.
    source: &'b str,
    /// Which boot of that input, from 0.
    index: usize,
    /// The release, as in `uname -r`; null where the log lacks the banner.
    kernel_version: Option<&'b str>,
    clock: Clock,
    /// Null if the log does not reach the boot's end.
    time_to_init: Option<TimeToInit>,
    /// In order.
    phases: Vec<Phase>,
    /// From the earliest known moment to the application.
    whole: WholeBoot<'b>,
}
