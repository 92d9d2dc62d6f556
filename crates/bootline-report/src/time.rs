// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline time`: the sum of a boot in one line, then its phases.
use serde::Serialize;

use super::boot_label::BootLabel;
use super::document::{Document, Style, Text};
use super::explain::{TimeToInit, no_end, title};
use super::phase::{self, PhaseJson};
use super::time_value::{ClockName, TimeValue};
use bootline_analysis::boot::{Boot, Clock, Phase, PhaseName};
use bootline_capture::units::Dur;

/// The sum and the phases, for people.
pub fn time(boot: &Boot, source: &BootLabel) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    document.paragraph(sum(boot));
    if !boot.phases.is_empty() {
        document.table(phase::table(boot));
    }
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
fn up_to(phases: &[Phase], end: Dur) -> Vec<(PhaseName, Dur)> {
    phases.iter().filter(|p| p.start < end).map(|p| (p.name, p.end.min(end) - p.start)).collect()
}

/// The times of a boot, for programs: one entry of `boots[]` in `docs/schema/time-1.schema.json`.
pub fn time_json<'b>(boot: &'b Boot, source: &'b BootLabel) -> impl Serialize + 'b {
    TimedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        clock: boot.timeline.clock,
        time_to_init: boot.end.as_ref().map(TimeToInit::new),
        phases: phase::json(boot),
    }
}

#[derive(Serialize)]
struct TimedBoot<'b> {
    source: &'b str,
    index: usize,
    kernel_version: Option<&'b str>,
    clock: Clock,
    time_to_init: Option<TimeToInit>,
    phases: Vec<PhaseJson<'b>>,
}
