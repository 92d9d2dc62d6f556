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
use bootline_records::source::{Facts, LoaderMarks, ManagerState, SourceKind, begins_bootstage_report, bootstage_in};
use bootline_records::{ByteRange, ProblemKind, Problems};

/// A timer with its place on the axis.
pub(super) struct LoaderTimer {
    /// Its marks, in order.
    pub marks: LoaderMarks,
    /// Where its zero lies.
    pub alignment: Alignment,
    /// Whose they are.
    pub kind: SourceKind,
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

/// systemd's count may be by the boot loader's clock, and to a moment before the kernel's own start: by less they may differ.
const SAME: Dur = Dur::from_secs(1);

/// Names it where ACPI's table and systemd's properties, which the boot loader's variables may be the source of, disagree.
pub(super) fn compare_firmware(timers: &[LoaderTimer], manager: Option<&ManagerState>, problems: &mut Problems) {
    let Some(table) = timers.iter().find(|t| t.kind == SourceKind::AcpiFpdt) else { return };
    let Some(kernel) = table.marks.at(KERNEL) else { return };
    let of_table = |from: LoaderTime| kernel.since_origin() - from.since_origin();
    let reset = Some(LoaderTime::ORIGIN);
    let pairs = [
        ("the reset", reset, manager.and_then(|m| m.firmware_before_kernel)),
        ("the boot loader's start", table.marks.at(LOADER), manager.and_then(|m| m.loader_before_kernel)),
    ];
    for (from, at, by_systemd) in pairs {
        let Some((by_table, by_systemd)) = at.map(of_table).zip(by_systemd) else { continue };
        if (by_table - by_systemd).abs() > SAME {
            problems.add(ProblemKind::SourcesContradict, ByteRange::default(), || {
                format!(
                    "from {from} to the kernel's start {by_table} s passed by ACPI's table (FPDT) and {by_systemd} s by systemd's \
                     properties, which are used"
                )
            });
        }
    }
}

/// The events of ACPI's table at which the boot loader and the kernel start.
const LOADER: &str = "bootloader_launch";
const KERNEL: &str = "exitbootservice_end";

/// U-Boot's marks, and the lines printed about the same time (common/board_f.c, common/main.c, arch/arm/lib/bootm.c): where a console
/// waits for nothing else, a line comes some milliseconds after its mark.
const SHOWN: [(&str, &[&str]); 3] = [
    (START_KERNEL, &["Starting kernel"]),
    ("main_loop", &["Hit any key to stop autoboot", "Autoboot in "]),
    ("board_init_f", &["U-Boot 2"]),
];

const START_KERNEL: &str = "start_kernel";

/// What U-Boot records last, before it starts the kernel; on MIPS and PowerPC it is the function that does so.
pub(super) const HANDOFF: [&str; 2] = [START_KERNEL, "boot_jump_linux"];

fn hands_over(marks: &LoaderMarks) -> bool {
    HANDOFF.iter().any(|name| marks.at(name).is_some())
}

/// The timers of all sources and of a report on the console itself, one of each; of U-Boot's, that which goes on to the kernel's start:
/// a stash of its first stage (SPL) ends earlier.
pub(super) fn align(boot: &Boot, sources: &[BootSource], uses: &mut [SourceUse]) -> Vec<LoaderTimer> {
    let mut found: Vec<(usize, LoaderTimer)> = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        let SourceContent::Facts(facts) = &source.content else { continue };
        let Facts::LoaderMarks(marks) = &facts.facts else { continue };
        let Some(kind) = facts.kind else { continue };
        let is_same = |of: SourceKind| of == kind || of.is_bootstage() && kind.is_bootstage();
        let same = found.iter().position(|(_, timer)| is_same(timer.kind));
        let is_longer = |timer: &LoaderTimer| hands_over(marks) && !hands_over(&timer.marks);
        if marks.marks.is_empty() {
            continue;
        }
        match same {
            Some(at) if is_longer(&found[at].1) => {
                let (shorter, _) = found.remove(at);
                (uses[shorter].alignment, uses[shorter].refused) = (None, Some(SourceRefusal::Second));
            }
            Some(_) => {
                uses[i].refused = Some(SourceRefusal::Second);
                continue;
            }
            None => {}
        }
        let timer = placed(boot, marks.clone(), kind);
        uses[i].alignment = Some(timer.alignment);
        found.push((i, timer));
    }
    for (i, timer) in &found {
        uses[*i].note = ends_early(timer);
    }
    let mut found: Vec<LoaderTimer> = found.into_iter().map(|(_, timer)| timer).collect();
    if !found.iter().any(|t| t.kind.is_bootstage()) {
        let before = boot.milestones.first_kernel.unwrap_or(boot.records.len());
        let lines = boot.records.iter().take(before).map(|r| r.text);
        found.extend(bootstage_in(lines).map(|marks| placed(boot, marks, SourceKind::Bootstage)));
    }
    found
}

/// What is to be known of marks that end before U-Boot started the kernel, where nothing but their end places them.
fn ends_early(timer: &LoaderTimer) -> Option<String> {
    let is_early = timer.kind.is_bootstage() && !hands_over(&timer.marks);
    let last = timer.marks.marks.last().filter(|_| is_early && timer.alignment.by == AlignedBy::NextStage)?;
    Some(format!(
        "it does not show when U-Boot started the kernel: what followed its last mark, {}, is not in it",
        last.name
    ))
}

fn placed(boot: &Boot, marks: LoaderMarks, kind: SourceKind) -> LoaderTimer {
    let seen = if kind.is_bootstage() { distances(boot, &marks) } else { Vec::new() };
    let last = marks.marks.last().map_or(LoaderTime::ORIGIN, |m| m.at);
    let kernel = boot.phases.iter().find(|p| p.name > crate::PhaseName::BeforeKernel).map_or(Dur::ZERO, |p| p.start);
    let alignment = Alignment::of_late(seen, AlignedBy::LoaderLines)
        .unwrap_or_else(|| Alignment::unchecked(kernel - last.since_origin(), AlignedBy::NextStage));
    LoaderTimer { marks, alignment, kind }
}

/// Where the lines put the timer's zero.
fn distances(boot: &Boot, marks: &LoaderMarks) -> Vec<Dur> {
    if boot.timeline.clock != Clock::Arrival {
        return Vec::new();
    }
    let before = boot.milestones.first_kernel.unwrap_or(boot.records.len());
    let texts = || boot.records.iter().take(before).map(|r| r.text);
    let shown = |(mark, words): &(&str, &[&str])| {
        let report = if *mark == START_KERNEL { handoff_report(texts()) } else { None };
        let line = report.or_else(|| texts().position(|text| words.iter().any(|w| text.starts_with(w))))?;
        Some(boot.timeline.stored(line)? - marks.at(mark)?.since_origin())
    };
    SHOWN.iter().filter_map(shown).collect()
}

/// The first line of the report that U-Boot prints right after its mark of the kernel's start. The line `Starting kernel` follows the
/// report on Arm, by as long as its transmission takes.
fn handoff_report<'l>(lines: impl Iterator<Item = &'l str>) -> Option<usize> {
    let mut report = None;
    for (i, line) in lines.enumerate() {
        if begins_bootstage_report(line) {
            report = Some(i);
        } else if report.is_some() && line.trim_end().strip_suffix(START_KERNEL).is_some_and(|row| row.ends_with("  "))
        {
            return report;
        }
    }
    None
}
