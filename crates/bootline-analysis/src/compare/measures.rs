// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is kept of one run for comparisons: some numbers by name, its parts, and its setup.
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::part::{Part, parts};
use super::quantity::Quantity;
use bootline_boot::{AppMarker, Boot, Clock, EndedBy, StageName, TimeOrigin, WholeEnd, WholeOrigin, reaches};
use bootline_capture::units::Dur;

/// A run, reduced to its measures.
#[derive(Clone, Debug, PartialEq)]
pub struct RunMeasures {
    /// As the caller names it.
    pub source: String,
    /// What has to be the same for runs to compare.
    pub setup: RunSetup,
    /// One number per quantity, in nanoseconds or bytes.
    pub values: BTreeMap<Quantity, i64>,
    /// Initcalls and async calls that were called but, by the log, did not return: nobody knows how long they took.
    pub unfinished: BTreeSet<Quantity>,
    /// The parts of the time to the boot's end.
    pub parts: Vec<Part>,
}

/// What has to be the same for runs to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSetup {
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The parameters of its command line, except those that differ from boot to boot (`tsc_early_khz=`, which the lab
    /// measures).
    pub command_line: Vec<String>,
    /// Processors.
    pub cpus: Option<u32>,
    /// The serial console.
    pub console: Option<String>,
    /// Declared baud of the console.
    pub baud: Option<u32>,
    /// The clock of the times.
    pub clock: Clock,
    /// What marked the boot's end.
    pub ended_by: EndedBy,
    /// What the time to it counts from.
    pub since: TimeOrigin,
    /// Whether the log names initcalls.
    pub initcalls: bool,
    /// What the stages of the whole boot count from, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_since: Option<WholeOrigin>,
    /// What the last stage ends with, in words; none where that is the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_until: Option<String>,
}

/// What is measured only if somebody asks for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Texts: the time to the first record that contains each of them.
    pub markers: Vec<String>,
    /// The stages of the whole boot, and the time to the application.
    pub whole_boot: bool,
    /// What shows that the application is up.
    pub app: Option<AppMarker>,
}

impl RunMeasures {
    /// The measures of a boot. None if its log does not reach the boot's end. The caller decides whether the boot can be trusted.
    pub fn of(boot: &Boot, source: &str, asked: &Asked) -> Option<RunMeasures> {
        let end = boot.end.as_ref()?;
        let elapsed = end.elapsed.best();
        let beginning = end.at.best() - elapsed;
        let parts = parts(boot, end);
        let mut values = BTreeMap::new();
        let to_end = if end.by == EndedBy::Marker { Quantity::TimeToMarker } else { Quantity::TimeToInit };
        values.insert(to_end, elapsed.as_nanos());
        // Up to the boot's end: what the log contains after it depends on when the capture was stopped.
        for phase in boot.phases.iter().filter(|p| p.start < end.at.best()) {
            let length = phase.end.min(end.at.best()) - phase.start;
            values.insert(Quantity::Phase(phase.name), length.as_nanos());
        }
        let mut unfinished = BTreeSet::new();
        for span in boot.spans() {
            let of = Quantity::Span(span.kind, span.name.clone());
            if span.end.is_none() {
                unfinished.insert(of);
                continue;
            }
            let net: &mut i64 = values.entry(of).or_default();
            *net = net.saturating_add(span.net().as_nanos());
        }
        values.retain(|of, _| !unfinished.contains(of));
        if let Some(line) = &boot.line {
            let bytes: u64 = parts.iter().map(|p| p.bytes).sum();
            values.insert(Quantity::ConsoleBytes, i64::try_from(bytes).unwrap_or(i64::MAX));
            values.insert(Quantity::ConsoleCost, line.cost.best().as_nanos());
        }
        for marker in &asked.markers {
            let found = boot.records.iter().position(|r| reaches(&r, marker));
            if let Some(at) = found.and_then(|i| boot.timeline.stored(i)) {
                values.insert(Quantity::Marker(marker.clone()), (at - beginning).as_nanos());
            }
        }
        if asked.whole_boot {
            values.extend(of_whole_boot(boot));
        }
        let line = boot.line.as_ref().map(|l| &l.console);
        let setup = RunSetup {
            kernel: boot.kernel.release.clone(),
            command_line: boot.kernel.command_line.words().filter(|w| !is_measured(w)).map(str::to_owned).collect(),
            cpus: boot.kernel.cpus,
            console: line.map(|c| c.name.clone()),
            baud: line.and_then(|c| c.declared_baud).map(|b| b.get()),
            clock: boot.timeline.clock,
            ended_by: end.by,
            since: end.since,
            initcalls: !boot.spans().is_empty(),
            stages_since: boot.whole.since.filter(|_| asked.whole_boot),
            stages_until: boot.whole.until.filter(|_| asked.whole_boot).map(|until| end_in_words(until, asked)),
        };
        Some(RunMeasures { source: source.to_owned(), setup, values, unfinished, parts })
    }

    /// Where a time of the whole boot begins and ends; of a stage between others, both is a source's matter.
    pub(super) fn whole_boot_ends(&self, of: &Quantity) -> (Option<WholeOrigin>, Option<&str>) {
        let (since, until) = (self.setup.stages_since, self.setup.stages_until.as_deref());
        let mut stages = self.values.keys().filter_map(|q| match q {
            Quantity::Stage(name) => Some(*name),
            _ => None,
        });
        let ends: Option<(StageName, StageName)> =
            stages.next().map(|first| (first, stages.next_back().unwrap_or(first)));
        match of {
            Quantity::TimeToApplication => (since, until),
            Quantity::Stage(name) => (
                since.filter(|_| ends.is_some_and(|e| e.0 == *name)),
                until.filter(|_| ends.is_some_and(|e| e.1 == *name)),
            ),
            _ => (None, None),
        }
    }

    /// Whether the log would tell how long an initcall, probe or async call took: one without a number took no time.
    pub(super) fn would_tell(&self, of: &Quantity) -> bool {
        of.is_one_of_many() && self.setup.initcalls && !self.unfinished.contains(of)
    }

    /// From the boot's beginning to its end, in nanoseconds.
    pub fn time(&self) -> i64 {
        let to_end = [Quantity::TimeToInit, Quantity::TimeToMarker];
        to_end.iter().find_map(|q| self.values.get(q)).copied().unwrap_or_default()
    }

    /// Length of the whole boot, in nanoseconds, if its stages were measured and its end is known; else the time to the boot's end.
    pub fn whole_time(&self) -> i64 {
        let stages = self.values.iter().filter(|(of, _)| matches!(of, Quantity::Stage(_))).map(|(_, length)| length);
        if self.setup.stages_until.is_some() { stages.sum() } else { self.time() }
    }
}

/// What the stages end with: applications differ.
fn end_in_words(until: WholeEnd, asked: &Asked) -> String {
    match (until, &asked.app) {
        (WholeEnd::Application, Some(app)) => app.to_string(),
        (until, _) => until.title().to_owned(),
    }
}

/// The lengths of the stages, and the time to the application.
fn of_whole_boot(boot: &Boot) -> impl Iterator<Item = (Quantity, i64)> + use<'_> {
    let whole = &boot.whole;
    let stages = whole.complete_stages().iter().map(|s| (Quantity::Stage(s.name), s.length()));
    let to_application = whole.time_to_application().map(|time| (Quantity::TimeToApplication, time));
    stages.chain(to_application).map(|(of, time): (Quantity, Dur)| (of, time.as_nanos()))
}

/// Whether a kernel parameter states what was measured on the host just before the boot, as the lab's does.
fn is_measured(word: &str) -> bool {
    word.starts_with("tsc_early_khz=")
}
