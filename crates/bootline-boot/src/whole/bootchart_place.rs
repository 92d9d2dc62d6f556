// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bootchart on the boot's axis.
//!
//! Its clock is /proc/uptime's, which starts with the kernel: nothing that both saw checks that. What can be compared is compared: the
//! kernel's release, the kernel log that came with it, and that the recorder, a program, began after the kernel had ended.
use super::alignment::{AlignedBy, Alignment};
use super::boot_source::{BootSource, SourceContent, SourceRefusal, SourceUse};
use super::journal_match;
use super::process::{Process, ProcessBy};
use super::systemd_clock::kernel_clock;
use crate::boot::Boot;
use crate::phase::PhaseName;
use bootline_capture::units::{Dur, UptimeTime};
use bootline_records::source::{Bootchart, Facts};

/// A bootchart with its place on the axis.
pub(super) struct PlacedChart<'s> {
    pub chart: &'s Bootchart,
    pub alignment: Alignment,
}

/// A recorder that begins so much before init is of another boot, or counts from its own start.
const TOLERANCE: Dur = Dur::from_secs(1);

/// The first bootchart that fits.
pub(super) fn place<'s>(boot: &Boot, sources: &'s [BootSource], uses: &mut [SourceUse]) -> Option<PlacedChart<'s>> {
    let mut placed: Option<PlacedChart<'s>> = None;
    for (source, used) in sources.iter().zip(uses).filter(|(_, used)| used.refused.is_none()) {
        let SourceContent::Facts(facts) = &source.content else { continue };
        let Facts::Bootchart(chart) = &facts.facts else { continue };
        if placed.is_some() {
            used.refused = Some(SourceRefusal::Second);
            continue;
        }
        let clock = kernel_clock(boot).map_or(Dur::ZERO, |k| k.offset);
        let alignment = Alignment::unchecked(clock, AlignedBy::KernelStart);
        let (matched, of) = overlap(boot, source);
        used.refused = refusal(boot, chart, (matched, of), alignment);
        if used.refused.is_none() {
            used.alignment = Some(alignment);
            used.matched_records = matched;
            used.note = Some(note(chart, (matched, of)));
            placed = Some(PlacedChart { chart, alignment });
        }
    }
    placed
}

fn refusal(boot: &Boot, chart: &Bootchart, (matched, of): (usize, usize), clock: Alignment) -> Option<SourceRefusal> {
    if let (Some(theirs), Some(ours)) = (chart.header.release(), boot.kernel.release.as_deref()) {
        if theirs != ours {
            return Some(SourceRefusal::OtherKernel { theirs: theirs.to_owned(), ours: ours.to_owned() });
        }
    }
    if matched * 2 < of {
        return Some(SourceRefusal::OtherBoot { matched, of });
    }
    let first = chart.sampled.map(|(first, _)| clock.on_axis(first.since_origin()));
    let init = boot.phases.iter().find(|p| p.name == PhaseName::UserSpace).map(|p| p.start);
    let is_too_early = first.zip(init).is_some_and(|(first, init)| first < init - TOLERANCE);
    (chart.is_relative || is_too_early).then_some(SourceRefusal::NotSinceBoot)
}

/// How many of the log's kernel records are in the kernel log that came with the bootchart, and how many should be.
fn overlap(boot: &Boot, source: &BootSource) -> (usize, usize) {
    source.log.as_ref().map_or((0, 0), |log| journal_match::shared_records(boot, &log.records))
}

/// `Boot chart for board (...): times are whole hundredths of a second, ...`
fn note(chart: &Bootchart, (matched, of): (usize, usize)) -> String {
    let mut words = vec!["its times are whole hundredths of a second".to_owned()];
    if let Some((first, last)) = chart.sampled {
        words.push(format!("sampled from {first} s to {last} s of the uptime"));
    }
    if matched > 0 {
        words.push(format!("{matched} of {of} kernel records are in its dmesg, too"));
    }
    let title = chart.header.title.as_ref().map(|title| format!("{title}: "));
    title.unwrap_or_default() + &words.join(", ")
}

impl PlacedChart<'_> {
    /// Its processes.
    pub fn processes(&self) -> impl Iterator<Item = Process> + '_ {
        let at = |t: UptimeTime| self.alignment.on_axis(t.since_origin());
        self.chart.processes.iter().map(move |p| Process {
            pid: p.pid,
            parent: Some(p.parent).filter(|parent| *parent > 0),
            name: p.name.clone(),
            args: p.args.clone(),
            start: p.start.map(at),
            start_error: p.start_error,
            end: p.gone.map(at),
            cpu: Some(p.cpu),
            io_wait: Some(p.io_wait),
            by: ProcessBy::Bootchart,
        })
    }
}
