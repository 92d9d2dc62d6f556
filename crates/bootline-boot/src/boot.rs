// SPDX-License-Identifier: MIT OR Apache-2.0
//! One boot, rebuilt from its records by the other modules.
use std::sync::OnceLock;

use super::backlog::{self, BacklogPoint};
use super::console::RegisteredConsole;
use super::console_start::{self, ConsoleStart};
use super::console_switch::ConsoleSwitch;
use super::end::{self, BootEnd, NoEnd};
use super::gap::{self, Gap};
use super::initcall::{self, AsyncWait, Span};
use super::kernel::Kernel;
use super::listed_console::ListedConsole;
use super::mark::Mark;
use super::milestone::Milestones;
use super::phase::{Phase, PhaseName};
use super::root_wait::{self, RootWait};
use super::serial_line::SerialLine;
use super::service::Service;
use super::speed;
use super::timeline::Timeline;
use super::wait::ConsoleWaits;
use super::whole::WholeBoot;
use bootline_capture::Header;
use bootline_capture::units::{Dur, Interval};
use bootline_console::ThreadsReady;
use bootline_records::{Problems, RecordId, RecordSet, UnitEvent};

/// One boot.
#[derive(Clone, Debug)]
pub struct Boot {
    /// Its records, in the order in which they were received.
    pub records: RecordSet,
    /// What is wrong with the log.
    pub problems: Problems,
    /// The capture's header, if the input is a capture.
    pub header: Option<Header>,
    /// Which kernel booted.
    pub kernel: Kernel,
    /// Its landmarks.
    pub milestones: Milestones,
    /// All consoles that registered.
    pub consoles: Vec<RegisteredConsole>,
    /// The consoles that the log's last `/proc/consoles` lists; empty if a log has none.
    pub listed_consoles: Vec<ListedConsole>,
    /// The serial line and what it cost.
    pub line: Option<SerialLine>,
    /// The console switch on that line; none if the log does not show one.
    pub console_switch: Option<ConsoleSwitch>,
    /// When printing to that line started, and how; none if the log does not show it.
    pub console_start: Option<ConsoleStart>,
    /// When each record was stored and printed.
    pub timeline: Timeline,
    /// The waits for the console up to the boot's end.
    pub waits: ConsoleWaits,
    /// Phases, in order.
    pub phases: Vec<Phase>,
    /// Units that systemd reported, in the order in which they are first named.
    pub services: Vec<Service>,
    /// Waits for async calls, by their ends; empty unless the kernel was asked to log them.
    pub async_waits: Vec<AsyncWait>,
    /// The boot's end, init or the marker; none if the log does not reach it.
    pub end: Option<BootEnd>,
    /// When power was switched on, if the capture notes it.
    pub power_on: Option<Dur>,
    /// Moments that the board showed on inputs next to its console, by time.
    pub marks: Vec<Mark>,
    /// What the journal says of units, if the log is one.
    pub unit_events: Vec<UnitEvent>,
    /// The whole boot, from the earliest known moment to the application.
    pub whole: WholeBoot,
    /// Position of the record that ends the boot, even if its time can't be told; the number of records if none does.
    pub(super) until: usize,
    /// Found when they are first asked for: not every question needs them.
    pub(super) spans: OnceLock<Vec<Span>>,
    /// The same.
    pub(super) gaps: OnceLock<Vec<Gap>>,
}

/// Length of the shortest gap.
pub const LEAST_GAP: Dur = Dur::from_millis(100);

impl Boot {
    /// Spans of `initcall_debug`, by start.
    pub fn spans(&self) -> &[Span] {
        self.spans.get_or_init(|| initcall::spans(&self.records, &self.timeline, &self.waits))
    }

    /// Gaps of at least [`LEAST_GAP`], longest first.
    pub fn gaps(&self) -> &[Gap] {
        self.gaps.get_or_init(|| {
            gap::gaps(&self.records, &self.timeline, &self.waits, &self.milestones, self.until, LEAST_GAP)
        })
    }

    /// The phases that the boot ends, not the log: how long user space logs depends on when the capture was stopped.
    pub fn complete_phases(&self) -> impl Iterator<Item = &Phase> {
        let cut = self.phases.len().saturating_sub(usize::from(self.end.is_none()));
        self.phases[..cut].iter().filter(|p| p.name != PhaseName::UserSpace)
    }

    /// Bytes stored and bytes transmitted, over time.
    pub fn backlog(&self) -> Vec<BacklogPoint> {
        backlog::backlog(&self.records, &self.timeline)
    }

    /// Largest backlog of the serial line, in bytes.
    pub fn backlog_peak(&self) -> u64 {
        backlog::peak(&self.records, &self.timeline)
    }

    /// Whether the kernel's stamps only count jiffies of 1, 4 or 10 ms: differences between them are whole ticks.
    pub fn counts_jiffies(&self) -> bool {
        speed::counts_jiffies(&self.records)
    }

    /// When the record with this id was stored, on the axis.
    pub fn stored(&self, id: RecordId) -> Option<Dur> {
        self.timeline.stored(self.records.index_of(id)?)
    }

    /// The best estimate of the waits for the console between two instants of the axis.
    pub fn console_wait(&self, from: Dur, to: Dur) -> Dur {
        self.waits.within(from, to)
    }

    /// The waits for the console between two instants of the axis, with their bounds.
    pub fn console_wait_bounds(&self, from: Dur, to: Dur) -> Interval {
        self.waits.bounds_within(from, to)
    }

    /// The wait for the root file system's device, as the log announces it.
    pub fn root_wait(&self) -> Option<RootWait> {
        root_wait::find(&self.records, &self.timeline, self.end_index())
    }

    /// Position of the record nearest to `printk_set_kthreads_ready`, for a kernel in which it is this kind of
    /// initcall.
    pub fn threads_ready(&self, call: ThreadsReady) -> Option<usize> {
        console_start::threads_ready(&self.records, &self.kernel, call).map(|o| o.index)
    }

    /// Whether printer kthreads that are ready at this kind of initcall exist when the console registers, as far as its
    /// driver determines it.
    pub fn registers_after(&self, call: ThreadsReady) -> bool {
        let console = self.line.as_ref().map(|l| &l.console);
        console_start::registers_at(&self.kernel, console).is_none_or(|at| at.follows(call))
    }

    /// Position of the record that shows init's start, also where another record is to end the boot.
    pub fn init_index(&self) -> Option<usize> {
        end::find_init(&self.records, &self.milestones).map(|(i, _)| i)
    }

    /// Why the boot has no end; none if it has one.
    pub fn no_end(&self) -> Option<NoEnd> {
        if self.end.is_some() {
            return None;
        }
        if self.until < self.records.len() && self.timeline.stored(self.until).is_none() {
            return Some(NoEnd::Untimed { end: self.until });
        }
        Some(match (self.milestones.panic, self.init_index()) {
            (Some(panic), init) => NoEnd::Panicked { panic, init: init.filter(|init| *init < panic) },
            (None, Some(init)) => NoEnd::NoMarker { init },
            (None, None) => NoEnd::Cut,
        })
    }

    /// Position after the last record of the boot itself: init's record, the marker's, or the log's end.
    pub fn end_index(&self) -> usize {
        self.end.as_ref().map_or(self.records.len(), |e| e.index + 1)
    }
}
