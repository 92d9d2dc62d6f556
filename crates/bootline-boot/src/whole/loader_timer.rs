// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timer of a boot loader or firmware, placed on the boot's axis.
//!
//! What both saw: a mark that U-Boot records just before or after a line that it prints. Without arrival times, or without such a
//! line, the last mark is put at the kernel's start, and the report says so: decompression then counts towards the kernel, or not at all.
use super::alignment::{AlignedBy, Alignment};
use super::boot_source::{BootSource, SourceContent, SourceRefusal, SourceUse};
use crate::boot::Boot;
use crate::timeline::Clock;
use bootline_capture::units::{Dur, LoaderTime};
use bootline_records::source::{Facts, LoaderMarks, SourceKind, bootstage_in};

/// A timer with its place on the axis.
pub(super) struct LoaderTimer {
    /// Its marks, in order.
    pub marks: LoaderMarks,
    /// Where its zero lies.
    pub alignment: Alignment,
    /// Whether they are U-Boot's, and not coreboot's.
    pub is_bootstage: bool,
}

impl LoaderTimer {
    /// A mark's time on the axis.
    pub fn at(&self, name: &str) -> Option<Dur> {
        self.marks.at(name).map(|at| self.on_axis(at))
    }

    /// A time of this timer on the axis.
    pub fn on_axis(&self, at: LoaderTime) -> Dur {
        self.alignment.on_axis(at.since_origin())
    }
}

/// U-Boot's marks, and the lines printed about the same time (common/board_r.c, boot/bootm.c, common/autoboot.c): a line comes at
/// most a few milliseconds from its mark.
const SHOWN: [(&str, &[&str]); 4] = [
    ("start_kernel", &["Starting kernel"]),
    ("kernel_loaded", &["   Loading Kernel Image", "Loading Kernel Image"]),
    ("main_loop", &["Hit any key to stop autoboot", "Autoboot in "]),
    ("board_init_f", &["U-Boot 2"]),
];

/// The timers of all sources and of a report on the console itself, one of each kind.
pub(super) fn align(boot: &Boot, sources: &[BootSource], uses: &mut [SourceUse]) -> Vec<LoaderTimer> {
    let mut found: Vec<LoaderTimer> = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        let SourceContent::Facts(facts) = &source.content else { continue };
        let Facts::LoaderMarks(marks) = &facts.facts else { continue };
        let is_bootstage = facts.kind == Some(SourceKind::Bootstage);
        if found.iter().any(|t| t.is_bootstage == is_bootstage) {
            uses[i].refused = Some(SourceRefusal::Second);
        } else if !marks.marks.is_empty() {
            let timer = placed(boot, marks.clone(), is_bootstage);
            uses[i].alignment = Some(timer.alignment);
            found.push(timer);
        }
    }
    if !found.iter().any(|t| t.is_bootstage) {
        let before = boot.milestones.first_kernel.unwrap_or(boot.records.len());
        let lines = boot.records.iter().take(before).map(|r| r.text);
        found.extend(bootstage_in(lines).map(|marks| placed(boot, marks, true)));
    }
    found
}

fn placed(boot: &Boot, marks: LoaderMarks, is_bootstage: bool) -> LoaderTimer {
    let seen = if is_bootstage { distances(boot, &marks) } else { Vec::new() };
    let last = marks.marks.last().map_or(LoaderTime::ORIGIN, |m| m.at);
    let kernel = boot.phases.iter().find(|p| p.name > crate::PhaseName::BeforeKernel).map_or(Dur::ZERO, |p| p.start);
    let alignment = Alignment::of_late(seen, AlignedBy::LoaderLines)
        .unwrap_or_else(|| Alignment::unchecked(kernel - last.since_origin(), AlignedBy::NextStage));
    LoaderTimer { marks, alignment, is_bootstage }
}

/// Where the lines put the timer's zero.
fn distances(boot: &Boot, marks: &LoaderMarks) -> Vec<Dur> {
    if boot.timeline.clock != Clock::Arrival {
        return Vec::new();
    }
    let before = boot.milestones.first_kernel.unwrap_or(boot.records.len());
    let line = |words: &[&str]| {
        let found = boot.records.iter().take(before).position(|r| words.iter().any(|w| r.text.starts_with(w)))?;
        boot.timeline.stored(found)
    };
    SHOWN.iter().filter_map(|(mark, words)| Some(line(words)? - marks.at(mark)?.since_origin())).collect()
}
