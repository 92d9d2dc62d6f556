// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule examines: a boot, and which of its time earlier rules have already explained.
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::predict::{Change, Precision, PredictedTimes, Predictor, Setting};
pub use crate::time_range::TimeRange;
pub(super) use crate::time_range::apart;
use crate::user_space::UnitChain;
use bootline_boot::{Boot, Clock, EndedBy, Span};
use bootline_capture::units::{Dur, Interval};
use bootline_kbuild::InitcallSource;
use bootline_records::{Record, RecordOrigin};

/// The 200 spans with the longest self time, in log order: more than any rule shows, and bounded for hostile logs.
pub(super) fn longest<'a>(spans: impl Iterator<Item = &'a Span>) -> Vec<&'a Span> {
    const ENOUGH: usize = 200;
    let mut spans: Vec<&Span> = spans.collect();
    spans.sort_by_key(|s| std::cmp::Reverse(s.self_time()));
    spans.truncate(ENOUGH);
    spans.sort_by_key(|s| s.first);
    spans
}

/// Predictions made so far. Several rules ask for the same one, each costs a run through the whole log, and none is
/// computed unless a rule asks.
struct Predicted<'a> {
    precision: Precision,
    /// None if the log does not support predictions.
    predictor: OnceCell<Option<Predictor<'a>>>,
    predictions: RefCell<Vec<(Change, Option<PredictedTimes>)>>,
}

impl Predicted<'_> {
    fn new(precision: Precision) -> Self {
        Predicted { precision, predictor: OnceCell::new(), predictions: RefCell::default() }
    }
}

fn total(boot: &Boot) -> Dur {
    let last = || (0..boot.records.len()).filter_map(|i| boot.timeline.stored(i)).max().unwrap_or_default();
    boot.end.as_ref().map_or_else(last, |e| e.elapsed.best()).max_zero()
}

/// A boot under diagnosis. No time is blamed twice: the waits for the console belong to the console rules, and what one
/// rule claims is not available to the next.
#[derive(Clone)]
pub(super) struct Case<'a> {
    pub boot: &'a Boot,
    pub initcalls: &'a InitcallSource,
    total: Dur,
    /// Claimed time ranges: disjoint, ascending.
    claimed: Vec<TimeRange>,
    predicted: Rc<Predicted<'a>>,
    /// Computed when a rule asks for it.
    unit_chain: Rc<OnceCell<Option<UnitChain>>>,
}

impl<'a> Case<'a> {
    pub fn new(boot: &'a Boot, initcalls: &'a InitcallSource, precision: Precision) -> Case<'a> {
        let predicted = Rc::new(Predicted::new(precision));
        Case { boot, initcalls, total: total(boot), claimed: Vec::new(), predicted, unit_chain: Rc::default() }
    }

    /// The units that decided when the application was up; none without ordering.
    pub fn unit_chain(&self) -> Option<&UnitChain> {
        self.unit_chain.get_or_init(|| UnitChain::of(self.boot)).as_ref()
    }

    /// Time that these settings are predicted to save; none if the log does not support a prediction.
    pub fn saves(&self, settings: &[Setting]) -> Option<Interval> {
        self.predicted(settings, |p| Some(p.saved))
    }

    /// How long after init's start the log is predicted to be complete with these settings; none if the log does not
    /// support a prediction.
    pub fn log_late(&self, settings: &[Setting]) -> Option<Dur> {
        self.predicted(settings, |p| Some((p.log_complete?.best() - p.time_to_init.best()).max_zero()))
    }

    fn predicted<T>(&self, settings: &[Setting], of: impl Fn(&PredictedTimes) -> Option<T>) -> Option<T> {
        let change = Change::of(settings.iter().copied()).ok()?;
        let known = self.predicted.predictions.borrow().iter().position(|(c, _)| *c == change);
        let index = known.unwrap_or_else(|| {
            let new = || Predictor::with(self.boot, self.predicted.precision).ok();
            let predictor = self.predicted.predictor.get_or_init(new);
            let prediction = predictor.as_ref().and_then(|p| p.times(&change).ok());
            let mut predictions = self.predicted.predictions.borrow_mut();
            predictions.push((change, prediction));
            predictions.len() - 1
        });
        self.predicted.predictions.borrow()[index].1.as_ref().and_then(of)
    }

    /// Marks a time range as explained.
    pub fn claim(&mut self, s: TimeRange) {
        if s.to <= s.from {
            return;
        }
        let first = self.claimed.partition_point(|c| c.to < s.from);
        let last = self.claimed.partition_point(|c| c.from <= s.to);
        let merged =
            self.claimed[first..last].iter().fold(s, |m, c| TimeRange { from: m.from.min(c.from), to: m.to.max(c.to) });
        self.claimed.splice(first..last, [merged]);
    }

    /// What remains of a time range without the waits for the console and without what other rules claim.
    pub fn net(&self, from: Dur, to: Dur) -> Interval {
        let length = (to - from).max_zero();
        let console = self.boot.console_wait_bounds(from, to);
        let first = self.claimed.partition_point(|c| c.to <= from);
        let taken: Dur = self.claimed[first..]
            .iter()
            .take_while(|c| c.from < to)
            .map(|c| {
                let (a, b) = (c.from.max(from), c.to.min(to));
                (b - a - self.boot.console_wait(a, b)).max_zero()
            })
            .sum();
        let left = |console: Dur| (length - console - taken).max_zero();
        Interval::new(left(console.high()), left(console.best()), left(console.low()))
    }

    /// What remains of the time between two records, as [`Case::net`] gives it, but no more than the kernel's own stamps
    /// show where both ran: arrival times of a job log tell when a server read a line.
    pub fn net_between(&self, from: usize, to: usize) -> Option<(TimeRange, Interval)> {
        let time_range = TimeRange { from: self.at(from)?, to: self.at(to)? };
        let net = self.net(time_range.from, time_range.to);
        // In the dark phase stamps stand at zero.
        let stamp = |i| self.kernel(i)?.stamp.filter(|s| s.since_origin() > Dur::ZERO);
        let net = match stamp(from).zip(stamp(to)) {
            Some((from, to)) if self.boot.timeline.clock == Clock::Arrival => {
                let by_stamps = (to - from).max_zero();
                Interval::new(net.low().min(by_stamps), net.best().min(by_stamps), net.high())
            }
            _ => net,
        };
        Some((time_range, net))
    }

    /// How long a thread transmitted on the serial line within a time range; zero where writers wait for it themselves.
    pub fn thread_busy(&self, from: Dur, to: Dur) -> Dur {
        let threaded = self.boot.line.as_ref().is_some_and(|line| !line.console.printing.writer_waits());
        if threaded { self.boot.timeline.line_busy(from, to) } else { Dur::ZERO }
    }

    /// What a span costs by itself, without the spans inside it, and the pieces of it that no rule has claimed.
    pub fn own(&self, span: &Span) -> (Interval, Vec<TimeRange>) {
        let Some(end) = span.end else { return (Interval::default(), Vec::new()) };
        let mut apart = self.clone();
        let position = self.boot.spans().iter().position(|s| std::ptr::eq(s, span));
        for child in self.boot.spans().iter().filter(|s| position.is_some() && s.parent == position) {
            apart.claim(TimeRange { from: child.start, to: child.end.unwrap_or(child.start) });
        }
        (apart.net(span.start, end), apart.unclaimed(span.start, end))
    }

    /// The pieces of a time range that no rule has claimed, in order.
    pub fn unclaimed(&self, from: Dur, to: Dur) -> Vec<TimeRange> {
        let mut pieces = Vec::new();
        let mut at = from;
        for c in self.claimed.iter().filter(|c| c.to > from && c.from < to) {
            if c.from > at {
                pieces.push(TimeRange { from: at, to: c.from });
            }
            at = at.max(c.to);
        }
        if at < to {
            pieces.push(TimeRange { from: at, to });
        }
        pieces
    }

    /// Whether the console was asked to be quiet: by the command line, or, if a quiet console did not print that,
    /// because init announces itself after almost no kernel message.
    pub fn quiet_console(&self) -> bool {
        const HARDLY: usize = 5;
        let kernel = &self.boot.kernel;
        if !kernel.command_line.is_empty() {
            return kernel.command_line.console_loglevel() <= 4;
        }
        let announced = self.boot.end.as_ref().is_some_and(|e| e.by == EndedBy::InitBanner);
        let before = (0..self.boot.end_index()).filter(|i| self.kernel(*i).is_some());
        announced && kernel.banner.is_none() && self.boot.timeline.clock == Clock::Arrival && before.count() <= HARDLY
    }

    /// Time to init, or to the log's latest record if init does not start.
    pub fn total(&self) -> Dur {
        self.total
    }

    /// End of the boot on the axis.
    pub fn end(&self) -> Dur {
        self.boot.end.as_ref().map_or(Dur::from_nanos(i64::MAX), |e| e.at.best())
    }

    /// When the record at a position was stored.
    pub fn at(&self, index: usize) -> Option<Dur> {
        self.boot.timeline.stored(index)
    }

    /// The kernel record at a position.
    pub fn kernel(&self, index: usize) -> Option<Record<'a>> {
        self.boot.records.get(index).filter(|r| r.source == RecordOrigin::Kernel)
    }

    /// The kernel records of the boot proper that contain a text.
    pub fn find<'n>(&'n self, needle: &'n str) -> impl Iterator<Item = (usize, Record<'a>)> + 'n {
        let end = self.boot.end_index();
        self.find_anywhere(needle).take_while(move |(i, _)| *i < end)
    }

    /// The kernel records that contain a text, those after init's start included: an initramfs mounts the root file system there.
    pub fn find_anywhere<'n>(&'n self, needle: &'n str) -> impl Iterator<Item = (usize, Record<'a>)> + 'n {
        self.boot.records.containing(needle).filter_map(|i| Some((i, self.kernel(i)?)))
    }

    /// What firmware and boot loader said: the records before the kernel's first, with their texts.
    pub fn before_kernel(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let first = self.boot.milestones.first_kernel.unwrap_or(0);
        self.boot.records.iter().take(first).map(|r| r.text).enumerate()
    }

    /// The first kernel record of the boot proper that begins with a text.
    pub fn first(&self, start: &str) -> Option<usize> {
        self.find(start).find(|(_, r)| r.text.starts_with(start)).map(|(i, _)| i)
    }

    /// The next kernel record with a time.
    pub fn next(&self, index: usize) -> Option<(usize, Dur)> {
        (index + 1..self.boot.records.len()).find_map(|i| self.placed(i))
    }

    /// The previous kernel record with a time.
    pub fn before(&self, index: usize) -> Option<(usize, Dur)> {
        (0..index).rev().find_map(|i| self.placed(i))
    }

    fn placed(&self, index: usize) -> Option<(usize, Dur)> {
        self.kernel(index)?;
        Some((index, self.at(index)?))
    }

    /// The innermost span that encloses a time range.
    pub fn span_around(&self, from: Dur, to: Dur) -> Option<&'a Span> {
        let encloses = |s: &&Span| s.start <= from && s.end.is_some_and(|end| end >= to);
        self.boot.spans().iter().filter(encloses).min_by_key(|s| s.gross())
    }

    /// A span by its function's or device's name.
    pub fn span(&self, name: &str) -> Option<&'a Span> {
        self.boot.spans().iter().find(|s| s.name == name && s.end.is_some())
    }

    /// The greater of `least` and a share of the boot.
    pub fn threshold(&self, least: Dur, share: f64) -> Dur {
        least.max(self.total().scale(share))
    }
}
