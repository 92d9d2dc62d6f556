// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to draw of a boot.
use super::critical_path::{DrawnPath, critical_path};
use super::drawn_unit::{self, DrawnStage, DrawnUnit};
use super::mark::{FindingMark, mark};
use super::source_bar::{SourceBar, source_bars};
use super::stack::{SpanRows, stacks};
use crate::boot_label::BootLabel;
use crate::critical_chain::{CriticalChainOptions, DecidingChain, critical_chain};
use crate::document::{Document, Text};
use crate::escape::escaped;
use crate::explain;
use crate::whole::when_reached;
use bootline_analysis::compare::{Asked, RunMeasures};
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::rules::Finding;
use bootline_boot::{Boot, Clock, PhaseName, Span, WaitCause};
use bootline_capture::units::{Dur, Interval};
use bootline_records::{RecordId, RecordOrigin};

/// What to draw of a boot. Texts from the log are unescaped: a renderer escapes them.
#[derive(Clone, Debug)]
pub struct Picture {
    /// `boot.cap`
    pub(super) source: String,
    /// `Linux 6.18.15-rt, PREEMPT_RT, 2 CPUs`
    pub(super) kernel: String,
    /// How long the boot took and what the console cost of it.
    pub(super) answer: Text,
    /// Everything that `explain` shows: the answer with its figures, the findings, the phases.
    pub(super) explanation: Document,
    /// The critical path to the boot's end, as `critical-chain` shows it.
    pub(super) critical_path_document: Option<Document>,
    /// The measures for comparing the boot; none if it has no end.
    pub(super) measures: Option<RunMeasures>,
    pub(super) clock: Clock,
    /// Start of the axis.
    pub(super) from: Dur,
    pub(super) to: Dur,
    /// The last time in the log.
    pub(super) last: Dur,
    /// The boot's end: its position and when it was.
    pub(super) end: Option<DrawnEnd>,
    pub(super) phases: Vec<DrawnPhase>,
    pub(super) waits: Vec<DrawnWait>,
    pub(super) critical_path: Option<DrawnPath>,
    pub(super) findings: Vec<FindingMark>,
    pub(super) spans: Vec<Span>,
    pub(super) stacks: SpanRows,
    pub(super) stages: Vec<DrawnStage>,
    pub(super) services: Vec<DrawnUnit>,
    /// What bootcharts and traces show.
    pub(super) source_bars: Vec<SourceBar>,
    pub(super) records: Vec<DrawnRecord>,
    pub(super) line: Option<DrawnLine>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnEnd {
    pub index: usize,
    pub at: Dur,
    /// The time to the end, counted from the kernel's first byte.
    pub elapsed: Interval,
}

#[derive(Clone, Debug)]
pub(super) struct DrawnPhase {
    pub name: PhaseName,
    pub title: &'static str,
    pub start: Dur,
    pub end: Dur,
    pub console: Dur,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnWait {
    pub index: usize,
    pub from: Dur,
    pub time: Interval,
    pub cause: WaitCause,
}

/// A record, with its times on the axis and its own clock's.
#[derive(Clone, Debug)]
pub(super) struct DrawnRecord {
    pub id: RecordId,
    pub kernel: bool,
    pub level: Option<u8>,
    pub stored: Option<Dur>,
    pub stamp: Option<i64>,
    pub transmitted: Option<(Dur, Dur)>,
    pub bytes: u32,
    /// Already escaped.
    pub text: String,
}

#[derive(Clone, Debug)]
pub(super) struct DrawnLine {
    pub name: String,
    /// Speed in bytes per second.
    pub rate: Option<f64>,
    /// When it began to transmit the log.
    pub opened: Option<Dur>,
    pub flush: Option<(Dur, Dur, u64)>,
    pub peak: u64,
    pub cost: Interval,
    /// Whether the times on the line are measured, or modelled from its speed.
    pub measured: bool,
}

impl Picture {
    /// What to draw of a boot; `findings` in the order in which they are to be shown.
    pub fn of(boot: &Boot, findings: &[Finding], source: &BootLabel) -> Picture {
        let records = records(boot);
        let end = boot.end.as_ref().map(|e| DrawnEnd { index: e.index, at: e.at.best(), elapsed: e.elapsed });
        let deciding = DecidingChain::of(boot);
        let (from, to) = extent(boot, &records, deciding.path());
        Picture {
            source: source.title(),
            kernel: explain::kernel_title(boot),
            answer: match when_reached(boot) {
                Some(reached) => reached.words(". ").text(explain::in_a_sentence(boot)),
                None => explain::in_a_sentence(boot),
            },
            explanation: explain::explain(boot, findings, source),
            critical_path_document: deciding
                .path()
                .map(|c| critical_chain(boot, Some(c), &CriticalChainOptions::default(), source)),
            measures: RunMeasures::of(boot, &source.title(), &Asked::default()),
            clock: boot.timeline.clock,
            from,
            to,
            last: boot.last_time(),
            end,
            phases: phases(boot),
            waits: waits(boot),
            critical_path: critical_path(boot, &deciding),
            findings: findings.iter().map(|f| mark(boot, f)).collect(),
            stacks: stacks(boot),
            spans: boot.spans().to_vec(),
            stages: drawn_unit::stages(boot),
            services: drawn_unit::units(boot),
            source_bars: source_bars(boot),
            records,
            line: line(boot),
        }
    }

    /// Where a span is drawn to: one that never returned is open to the log's end.
    pub(super) fn drawn_end(&self, span: &Span) -> Dur {
        span.end.unwrap_or(self.last).max(span.start)
    }

    /// A record's position by its number.
    pub(super) fn position(&self, id: RecordId) -> Option<usize> {
        self.records.binary_search_by_key(&id, |r| r.id).ok()
    }
}

fn records(boot: &Boot) -> Vec<DrawnRecord> {
    let drawn = boot.records.iter().enumerate().map(|(i, r)| {
        let place = boot.timeline.place(i);
        DrawnRecord {
            id: r.id,
            kernel: r.source == RecordOrigin::Kernel,
            level: r.level.map(|l| l.0),
            stored: place.stored,
            stamp: r.stamp.filter(|_| r.source == RecordOrigin::Kernel).map(|s| s.as_nanos()),
            transmitted: place.transmitted.map(|p| (p.start, p.end)),
            bytes: r.line_bytes,
            text: escaped(r.text).into_owned(),
        }
    });
    drawn.collect()
}

/// From the first to the last time, including the zero of the axis, the kernel's start.
fn extent(boot: &Boot, records: &[DrawnRecord], critical_path: Option<&CriticalPath>) -> (Dur, Dur) {
    let times = records.iter().flat_map(|r| {
        let transmitted = r.transmitted.map(|p| [p.0, p.1]).into_iter().flatten();
        r.stored.into_iter().chain(transmitted)
    });
    let times = times.chain(boot.phases.iter().flat_map(|p| [p.start, p.end]));
    // Power-on may be earlier than anything in the log.
    let times = times.chain(critical_path.map(|c| c.start));
    // So may the first stage, and a unit later than the last record.
    let times = times.chain(boot.whole.stages.iter().flat_map(|s| [s.start, s.end]));
    times.fold((Dur::ZERO, Dur::ZERO), |(from, to), t| (from.min(t), to.max(t)))
}

fn phases(boot: &Boot) -> Vec<DrawnPhase> {
    let bar = |p: &bootline_boot::Phase| DrawnPhase {
        name: p.name,
        title: p.name.title(),
        start: p.start,
        end: p.end,
        console: p.console,
    };
    boot.phases.iter().map(bar).collect()
}

fn waits(boot: &Boot) -> Vec<DrawnWait> {
    let some = boot.waits.iter().filter(|w| w.time.best() > Dur::ZERO);
    some.map(|w| DrawnWait { index: w.index, from: w.from, time: w.time, cause: w.cause }).collect()
}

fn line(boot: &Boot) -> Option<DrawnLine> {
    let line = boot.line.as_ref()?;
    // The bytes stored before the console start, while they were being transmitted.
    let flush = line.flush.filter(|f| f.bytes > 0).and_then(|f| {
        let last = boot.records.index_of(f.record)?;
        // Not what a boot loader wrote before.
        let is_kernel = |i: &usize| boot.records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel);
        let mut transmitted = (0..=last).filter(is_kernel).filter_map(|i| boot.timeline.place(i).transmitted);
        Some((transmitted.next()?.start, boot.timeline.place(last).transmitted?.end, f.bytes))
    });
    Some(DrawnLine {
        name: line.console.name.clone(),
        rate: line.speed.map(|s| s.rate.bytes_per_s()),
        opened: boot.console_start.and_then(|o| boot.timeline.stored(o.index)),
        flush,
        peak: boot.backlog_peak(),
        cost: line.cost,
        measured: boot.timeline.clock == Clock::Arrival,
    })
}
