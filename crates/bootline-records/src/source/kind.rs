// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kinds of source, and how each is recognised by its content.
use super::{
    acpi_fpdt, analyze_blame, analyze_chain, analyze_dump, analyze_plot, analyze_time, bootchart, bootchart_picture,
    bootstage, bootstage_tree, cbmem, systemctl_show, trace,
};

/// What wrote a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// `systemctl show` with or without `--all '*'`: properties of units, of the manager, or of both.
    SystemctlShow,
    /// `systemd-analyze time`.
    AnalyzeTime,
    /// `systemd-analyze blame`.
    AnalyzeBlame,
    /// `systemd-analyze critical-chain`.
    AnalyzeCriticalChain,
    /// `systemd-analyze dump`.
    AnalyzeDump,
    /// `systemd-analyze plot --json=short` or `pretty`.
    AnalyzePlot,
    /// U-Boot's `bootstage report`.
    Bootstage,
    /// U-Boot's `bootstage stash`: its records as they are in memory.
    BootstageStash,
    /// U-Boot's bootstage in the device tree, as `bootline collect` writes it.
    BootstageTree,
    /// coreboot's `cbmem -t` or `cbmem -T`.
    Cbmem,
    /// An archive of bootchart2 or of busybox's bootchartd, or the header of one.
    Bootchart,
    /// The picture that systemd-bootchart draws.
    BootchartPicture,
    /// A trace of ftrace: `trace`, `trace_pipe` or `trace-cmd report`.
    Trace,
    /// ACPI's Firmware Performance Data Table, as files of the kernel.
    AcpiFpdt,
}

/// Lines looked at; the first lines of a dump of properties may all be of one unit.
const SAMPLE: usize = 400;

impl SourceKind {
    /// Whether U-Boot's bootstage counted its times: one timer, in whatever form it was kept.
    pub fn is_bootstage(self) -> bool {
        matches!(self, SourceKind::Bootstage | SourceKind::BootstageStash | SourceKind::BootstageTree)
    }

    /// By what its lines say; what is no text is recognised by its bytes before.
    pub(super) fn detect(text: &str) -> Option<SourceKind> {
        if analyze_plot::is_one(text) {
            return Some(SourceKind::AnalyzePlot);
        }
        let lines = || text.lines().take(SAMPLE);
        let has = |is_one: fn(&str) -> bool| lines().any(is_one);
        if bootchart_picture::is_one(text) {
            Some(SourceKind::BootchartPicture)
        } else if has(bootchart::begins) {
            Some(SourceKind::Bootchart)
        } else if trace::is_one(lines()) {
            Some(SourceKind::Trace)
        } else if has(bootstage::begins) {
            Some(SourceKind::Bootstage)
        } else if bootstage_tree::is_one(lines()) {
            Some(SourceKind::BootstageTree)
        } else if has(analyze_chain::begins) {
            Some(SourceKind::AnalyzeCriticalChain)
        } else if has(analyze_dump::begins) {
            Some(SourceKind::AnalyzeDump)
        } else if has(analyze_time::begins) {
            Some(SourceKind::AnalyzeTime)
        } else if systemctl_show::is_one(lines()) {
            Some(SourceKind::SystemctlShow)
        } else if acpi_fpdt::is_one(lines()) {
            Some(SourceKind::AcpiFpdt)
        } else if cbmem::is_one(lines()) {
            Some(SourceKind::Cbmem)
        } else if analyze_blame::is_one(lines()) {
            Some(SourceKind::AnalyzeBlame)
        } else {
            None
        }
    }

    /// The command that writes it, or what it is.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::SystemctlShow => "systemctl show",
            SourceKind::AnalyzeTime => "systemd-analyze time",
            SourceKind::AnalyzeBlame => "systemd-analyze blame",
            SourceKind::AnalyzeCriticalChain => "systemd-analyze critical-chain",
            SourceKind::AnalyzeDump => "systemd-analyze dump",
            SourceKind::AnalyzePlot => "systemd-analyze plot --json",
            SourceKind::Bootstage => "U-Boot's bootstage report",
            SourceKind::BootstageStash => "U-Boot's bootstage stash",
            SourceKind::BootstageTree => "U-Boot's bootstage in the device tree",
            SourceKind::Cbmem => "cbmem -t",
            SourceKind::Bootchart => "a bootchart",
            SourceKind::BootchartPicture => "systemd-bootchart's picture",
            SourceKind::Trace => "a trace of ftrace",
            SourceKind::AcpiFpdt => "ACPI's table of the firmware's times (FPDT)",
        }
    }
}
