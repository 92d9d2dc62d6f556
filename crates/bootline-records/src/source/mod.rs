// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sources that describe a boot and are no log: what systemd knows of its units, what a boot loader's timer counted,
//! what a recorder or a tracer saw of processes.
//!
//! [`read`] recognises a source by its content and cannot fail: what is not known is named by its kind, and bad lines are problems.
//! Each source has a clock of its own; nothing here relates two clocks.
mod acpi_fpdt;
mod analyze_blame;
mod analyze_chain;
mod analyze_dump;
mod analyze_plot;
mod analyze_time;
mod bootchart;
mod bootchart_picture;
mod bootstage;
mod bootstage_stash;
mod bootstage_tree;
mod cbmem;
mod kind;
mod loader_marks;
mod memory_dump;
mod systemctl_show;
mod systemd_state;
mod time_span;
mod trace;

pub use bootchart::{Bootchart, ChartHeader, ChartMember, ChartProcess, DiskSample, ProcessorSample};
pub(crate) use bootchart_picture::names_it as is_bootchart_picture;
pub use kind::SourceKind;
pub use loader_marks::{LoaderMark, LoaderMarks};
pub(crate) use systemctl_show::is_one as is_systemctl_show;
pub use systemd_state::{ManagerState, StartupTimes, SystemdState, UNIT_KINDS, UnitState, is_unit_name};
pub use time_span::leading as leading_time_span;
pub use trace::{KernelTrace, TraceMark, TraceTimes, TracedInitcall, TracedProgram};

use super::Problems;

/// What one file says about a boot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// What it is; none where its content is not recognised.
    pub kind: Option<SourceKind>,
    /// What it says.
    pub facts: Facts,
    /// What is wrong with it.
    pub problems: Problems,
}

/// What a source says, in the form that its kind has.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Facts {
    /// Nothing that is used.
    #[default]
    None,
    /// The file holds nothing, or only blanks.
    Blank,
    /// systemd's units and its own times.
    Systemd(Box<SystemdState>),
    /// The sums of `systemd-analyze time`.
    Startup(StartupTimes),
    /// The marks of a boot loader's or firmware's timer.
    LoaderMarks(LoaderMarks),
    /// What a bootchart's recorder saw.
    Bootchart(Box<Bootchart>),
    /// The events of a trace.
    Trace(Box<KernelTrace>),
}

/// Reads a source. Its size is the caller's to bound.
pub fn read(bytes: &[u8]) -> Source {
    let mut problems = Problems::default();
    if bootstage_stash::is_one(bytes) {
        let facts = Facts::LoaderMarks(bootstage_stash::read(bytes, &mut problems));
        return Source { kind: Some(SourceKind::BootstageStash), facts, problems };
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if let Some(stash) = memory_dump::bytes(text.lines(), bootstage_stash::is_one) {
        let facts = Facts::LoaderMarks(bootstage_stash::read(&stash, &mut problems));
        return Source { kind: Some(SourceKind::BootstageStash), facts, problems };
    }
    let kind = SourceKind::detect(text);
    let facts = match kind {
        Some(SourceKind::SystemctlShow) => systemd(systemctl_show::read(text, &mut problems)),
        Some(SourceKind::AnalyzePlot) => systemd(analyze_plot::read(text, &mut problems)),
        Some(SourceKind::AnalyzeBlame) => systemd(analyze_blame::read(text, &mut problems)),
        Some(SourceKind::AnalyzeCriticalChain) => systemd(analyze_chain::read(text, &mut problems)),
        Some(SourceKind::AnalyzeDump) => systemd(analyze_dump::read(text, &mut problems)),
        Some(SourceKind::AnalyzeTime) => Facts::Startup(analyze_time::read(text)),
        Some(SourceKind::Bootstage) => Facts::LoaderMarks(bootstage::read(text.lines(), &mut problems)),
        Some(SourceKind::BootstageTree) => Facts::LoaderMarks(bootstage_tree::read(text, &mut problems)),
        Some(SourceKind::AcpiFpdt) => Facts::LoaderMarks(acpi_fpdt::read(text, &mut problems)),
        Some(SourceKind::Cbmem) => Facts::LoaderMarks(cbmem::read(text, &mut problems)),
        Some(SourceKind::Bootchart) => chart(&[(ChartMember::Header, text.as_bytes().to_vec())], &mut problems),
        Some(SourceKind::Trace) => Facts::Trace(Box::new(trace::read(text, &mut problems))),
        None if text.trim().is_empty() => Facts::Blank,
        // Recognised by its bytes, above.
        Some(SourceKind::BootstageStash | SourceKind::BootchartPicture) | None => Facts::None,
    };
    Source { kind, facts, problems }
}

/// Reads the members of a bootchart's archive. Their size is the caller's to bound.
pub fn read_bootchart(members: &[(ChartMember, Vec<u8>)]) -> Source {
    let mut problems = Problems::default();
    let facts = chart(members, &mut problems);
    Source { kind: Some(SourceKind::Bootchart), facts, problems }
}

fn chart(members: &[(ChartMember, Vec<u8>)], problems: &mut Problems) -> Facts {
    Facts::Bootchart(Box::new(bootchart::read(members, problems)))
}

/// Reads a bootstage report that a console shows among other lines, the last of several; none if there is none.
pub fn bootstage_in<'l>(lines: impl IntoIterator<Item = &'l str>) -> Option<LoaderMarks> {
    let report = lines.into_iter().skip_while(|line| !begins_bootstage_report(line));
    Some(bootstage::read(report, &mut Problems::default())).filter(|marks| !marks.marks.is_empty())
}

/// Whether a console's line is the first of a bootstage report.
pub fn begins_bootstage_report(line: &str) -> bool {
    line.starts_with(bootstage::TITLE)
}

/// Whether these first bytes of a file are those of U-Boot's bootstage stash, which is no text.
pub fn is_bootstage_stash(start: &[u8]) -> bool {
    bootstage_stash::is_one(start)
}

fn systemd(state: SystemdState) -> Facts {
    Facts::Systemd(Box::new(state))
}

#[cfg(test)]
mod tests;
