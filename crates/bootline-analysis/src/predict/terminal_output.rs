// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a change to a synchronous console saves in user space, where kernel records and what programs print share the line.
//!
//! A program's text goes into the terminal's buffer; a kernel record is printed by whoever wrote it. Who waits for a text, and what waits
//! for that task, no log shows: systemd's process 1 prints its status lines one by one and waits until each is sent, while what it has
//! started goes on. So user space is modelled as one sequence of texts, each with the time before it that no wait explains; what follows
//! a text goes on when no more than [`QUEUED_BYTES`] have still to be sent.
use super::levels::CountedLevel;
use super::prediction::Assumption;
use super::scenario::Scenario;
use bootline_boot::{Boot, BootEnd, Clock, TERMINAL_BUFFER, initcall_debug, status_output};
use bootline_capture::units::{Dur, Interval, LineRate};
use bootline_records::RecordOrigin;

/// How many bytes may still have to be sent when the next text is written: where everything waits for each text; best estimate; where
/// nothing waits unless the terminal's buffer is full. The best estimate, one for programs and kernel records, was fitted to boots of the
/// experiment unit-times from 115200 to 9600 baud and from 9600 to 115200, as a middle between the two.
const QUEUED_BYTES: [u64; 3] = [0, 64, TERMINAL_BUFFER];

/// Position of the likeliest of the line's rates.
const BEST: usize = 1;

/// How a synchronous console prints in user space.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputSetup {
    /// The line's slowest, likeliest and fastest rate; `None`: those at which each text was sent.
    pub rates: Option<[LineRate; 3]>,
    pub loglevel: u8,
    pub without_initcall_debug: bool,
    /// Whether systemd prints no status lines, as with `quiet`.
    pub without_status: bool,
}

impl OutputSetup {
    /// At the rates of the captured boot, with systemd's status lines.
    pub fn of(scenario: &Scenario) -> OutputSetup {
        OutputSetup {
            rates: None,
            loglevel: scenario.loglevel,
            without_initcall_debug: scenario.without_initcall_debug,
            without_status: false,
        }
    }

    /// Whether it doesn't print a text; `grave`: whether what reads like an error is one.
    fn drops(&self, text: &Text, grave: bool) -> bool {
        match text.by {
            Writer::Kernel { level, of_initcall_debug } => {
                let level = if grave { level.gravest() } else { level.level };
                level >= self.loglevel || self.without_initcall_debug && of_initcall_debug
            }
            Writer::SystemdStatus => self.without_status,
            Writer::Program => false,
        }
    }
}

/// A kernel record or a program's line that the captured console printed.
#[derive(Clone, Copy, Debug)]
struct Text {
    start: Dur,
    end: Dur,
    bytes: u64,
    /// The slowest, likeliest and fastest at which it was sent.
    rates: [LineRate; 3],
    by: Writer,
}

#[derive(Clone, Copy, Debug)]
enum Writer {
    Kernel {
        level: CountedLevel,
        of_initcall_debug: bool,
    },
    /// What `quiet` keeps off the console.
    SystemdStatus,
    Program,
}

/// What is taken for true at one end of an interval, or in the middle.
#[derive(Clone, Copy, Debug)]
struct Case {
    queued_bytes: u64,
    /// Which of the line's rates is the true one.
    rate: usize,
    /// Whether what reads like an error is one.
    grave: bool,
}

/// What a synchronous console printed between the kernel's part of a boot and a moment of the axis.
pub(super) struct TerminalOutput {
    /// How it printed.
    now: OutputSetup,
    texts: Vec<Text>,
    from: Dur,
    until: Dur,
    clock: Clock,
}

impl TerminalOutput {
    /// After the boot's end, which is init's start or a marker; `baseline` is the captured console's.
    pub fn of(boot: &Boot, end: &BootEnd, until: Dur, baseline: &Scenario) -> TerminalOutput {
        let now = OutputSetup::of(baseline);
        let from = end.at.best();
        let speed_change = boot.line.as_ref().and_then(|line| line.speed_change);
        let is_status = status_output(&boot.records);
        let mut texts = Vec::new();
        for (index, r) in boot.records.iter().enumerate().skip(end.index + 1) {
            let Some(span) = boot.timeline.place(index).transmitted else { continue };
            if span.start < from || span.start >= until {
                continue;
            }
            let by = match r.source {
                RecordOrigin::Kernel => {
                    let counted = CountedLevel::of(&r);
                    // It was printed, so its level was below the console's.
                    let level = CountedLevel { level: counted.level.min(now.loglevel.saturating_sub(1)), ..counted };
                    Writer::Kernel { level, of_initcall_debug: initcall_debug::is_written_by_it(r.text) }
                }
                RecordOrigin::Other if is_status[index] => Writer::SystemdStatus,
                RecordOrigin::Other => Writer::Program,
            };
            let rates = speed_change.map_or(baseline.rates, |change| [change.rate_at(index); 3]);
            texts.push(Text { start: span.start, end: span.end, bytes: u64::from(r.line_bytes), rates, by });
        }
        TerminalOutput { now, texts, from, until, clock: boot.timeline.clock }
    }

    /// What another setup saves: best estimate, and the least and the most of all cases.
    pub fn saved(&self, then: &OutputSetup) -> Interval {
        let saved = |case| self.end_with(&self.now, case) - self.end_with(then, case);
        let [_, likeliest, _] = QUEUED_BYTES;
        let best = saved(Case { queued_bytes: likeliest, rate: BEST, grave: false });
        let (mut low, mut high) = (best, best);
        for queued_bytes in QUEUED_BYTES {
            for rate in 0..3 {
                for grave in [false, true] {
                    let saved = saved(Case { queued_bytes, rate, grave });
                    (low, high) = (low.min(saved), high.max(saved));
                }
            }
        }
        Interval::new(low, best, high)
    }

    /// How the waits for it are estimated.
    pub fn assumption(&self) -> Assumption {
        let bytes: u64 = self.texts.iter().map(|text| text.bytes).sum();
        let [_, queued, _] = QUEUED_BYTES;
        let writers = match self.clock {
            Clock::Arrival => "user space and the kernel",
            // A program's output has no times.
            Clock::Kernel | Clock::None => "the kernel",
        };
        Assumption {
            name: "user-space-output",
            text: format!(
                "after the kernel's part {writers} put {bytes} bytes on the serial line, and what follows a text waits until at most \
                 {queued} bytes are still queued; the interval reaches from waiting for all of them to waiting only when the \
                 terminal's buffer of {TERMINAL_BUFFER} bytes is full"
            ),
        }
    }

    /// When the moment that was at `until` in the captured boot comes with a setup.
    fn end_with(&self, setup: &OutputSetup, case: Case) -> Dur {
        let waits_for = |sent: Dur, rate: LineRate| sent - rate.time_for(case.queued_bytes).as_dur();
        // When what follows the last text went on, in the captured boot and with the setup.
        let (mut captured, mut goes_on) = (self.from, self.from);
        let mut line_free = self.from;
        for text in &self.texts {
            let was = text.rates[case.rate];
            // A line that was written in pieces arrives over a longer time, most of which is its writer's work.
            let sent = text.end.min(text.start + was.time_for(text.bytes).as_dur());
            let waited = waits_for(sent, was);
            if waited > self.until {
                break;
            }
            goes_on += (text.start - captured).max_zero();
            captured = captured.max(text.start).max(waited);
            if !setup.drops(text, case.grave) {
                let rate = setup.rates.map_or(was, |rates| rates[case.rate]);
                line_free = line_free.max(goes_on) + rate.time_for(text.bytes).as_dur();
                goes_on = goes_on.max(waits_for(line_free, rate));
            }
        }
        goes_on + (self.until - captured).max_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: i64) -> Dur {
        Dur::from_millis(ms)
    }

    fn rate(bytes_per_s: f64) -> LineRate {
        LineRate::from_bytes_per_s(bytes_per_s).unwrap()
    }

    const AS_CAPTURED: OutputSetup =
        OutputSetup { rates: None, loglevel: 7, without_initcall_debug: false, without_status: false };

    fn at(bytes_per_s: f64) -> OutputSetup {
        let rates = Some([rate(bytes_per_s); 3]);
        OutputSetup { rates, ..AS_CAPTURED }
    }

    const LEVEL: CountedLevel = CountedLevel { level: 6, known: true, uncertain: false };
    const INFO: Writer = Writer::Kernel { level: LEVEL, of_initcall_debug: false };

    /// A text of a line of 10 kB/s.
    fn text(start: i64, end: i64, bytes: u64, by: Writer) -> Text {
        Text { start: ms(start), end: ms(end), bytes, rates: [rate(10_000.0); 3], by }
    }

    fn output(texts: Vec<Text>, until: Dur) -> TerminalOutput {
        TerminalOutput { now: AS_CAPTURED, texts, from: Dur::ZERO, until, clock: Clock::Arrival }
    }

    /// Texts of 100 bytes that took 10 ms each, at these times in ms; user space begins at 0 and ends at 200.
    fn texts(texts: &[(i64, Writer)]) -> TerminalOutput {
        output(texts.iter().map(|&(start, by)| text(start, start + 10, 100, by)).collect(), ms(200))
    }

    /// When the moment at 200 ms comes with another setup, in ms.
    fn ends(output: &TerminalOutput, setup: OutputSetup, queued_bytes: u64) -> i64 {
        output.end_with(&setup, Case { queued_bytes, rate: BEST, grave: false }).as_nanos() / 1_000_000
    }

    #[test]
    fn a_slower_line_costs_what_is_waited_for() {
        let status = texts(&[(10, Writer::SystemdStatus), (50, Writer::Program), (90, INFO)]);
        // Each text takes 90 ms longer.
        assert_eq!(ends(&status, at(1_000.0), 0), 200 + 3 * 90);
        // Of each, 40 ms are waited for instead of 4; the last two also wait for 24 ms of the text before them.
        assert_eq!(ends(&status, at(1_000.0), 60), 356);
        assert_eq!(ends(&status, at(1_000.0), TERMINAL_BUFFER), 200);
        let saved = status.saved(&at(1_000.0));
        assert_eq!((saved.low(), saved.high()), (ms(-270), Dur::ZERO));
    }

    #[test]
    fn a_full_buffer_is_waited_for() {
        let much = output(vec![text(10, 11, 5_096, Writer::Program), text(20, 21, 10, Writer::Program)], ms(200));
        // For the first one, 1000 bytes have to be sent; the second finds room for as many as were sent since.
        assert_eq!(ends(&much, at(1_000.0), TERMINAL_BUFFER), 1_200);
    }

    #[test]
    fn a_faster_line_saves_what_was_waited_for() {
        let status = texts(&[(10, Writer::SystemdStatus), (20, Writer::SystemdStatus), (90, INFO)]);
        assert_eq!(ends(&status, at(100_000.0), 0), 200 - 3 * 9);
        let saved = status.saved(&at(100_000.0));
        // Nothing shows that a text was written before it was sent.
        assert_eq!((saved.low(), saved.high()), (Dur::ZERO, ms(27)));
    }

    #[test]
    fn what_is_not_printed_costs_nothing() {
        let mixed = texts(&[(10, INFO), (20, Writer::SystemdStatus), (100, Writer::Program)]);
        let quiet = OutputSetup { loglevel: 4, ..AS_CAPTURED };
        assert_eq!(ends(&mixed, quiet, 0), 190);
        assert_eq!(ends(&mixed, OutputSetup { without_status: true, ..quiet }, 0), 180);
        let traced = Writer::Kernel { level: LEVEL, of_initcall_debug: true };
        assert_eq!(ends(&texts(&[(10, traced)]), OutputSetup { without_initcall_debug: true, ..AS_CAPTURED }, 0), 190);
        let doubtful = texts(&[(
            10,
            Writer::Kernel { level: CountedLevel { known: false, uncertain: true, ..LEVEL }, of_initcall_debug: false },
        )]);
        assert_eq!(ends(&doubtful, quiet, 0), 190);
        let saved = doubtful.saved(&quiet);
        assert_eq!((saved.low(), saved.high()), (Dur::ZERO, ms(10)));
        // If it is an error, a slower line costs more than is saved.
        let slower = OutputSetup { rates: at(1_000.0).rates, ..quiet };
        assert_eq!(doubtful.saved(&slower).low(), ms(-90));
    }

    #[test]
    fn the_speed_that_a_text_had_counts() {
        let programs = |bytes_per_s: f64| {
            let rates = [rate(bytes_per_s); 3];
            let sent = |start| Text { rates, ..text(start, start + 100, 100, Writer::Program) };
            output(vec![sent(0), sent(100)], ms(200))
        };
        // At 1 kB/s all of it was waited for, at 10 kB/s most of it was work.
        assert_eq!(ends(&programs(1_000.0), at(10_000.0), 0), 20);
        assert_eq!(ends(&programs(10_000.0), at(10_000.0), 0), 200);
        assert_eq!(programs(1_000.0).saved(&AS_CAPTURED), Interval::exact(Dur::ZERO));
    }

    #[test]
    fn an_uncertain_speed_widens_the_interval() {
        let status = texts(&[(10, Writer::SystemdStatus)]);
        let [slow, best, fast] = [900.0, 1_000.0, 1_100.0].map(rate);
        let wide = status.saved(&OutputSetup { rates: Some([slow, best, fast]), ..AS_CAPTURED });
        assert_eq!(wide.best(), status.saved(&at(1_000.0)).best());
        assert_eq!(wide.low(), status.saved(&at(900.0)).low());
    }

    #[test]
    fn a_line_written_in_pieces_is_mostly_work() {
        let slow = output(vec![text(10, 110, 100, Writer::Program)], ms(200));
        assert_eq!(ends(&slow, at(1_000.0), 0), 200 + 90);
        // It was not yet sent, so the end did not wait for it.
        let late = output(vec![text(195, 205, 100, Writer::Program)], ms(200));
        assert_eq!(ends(&late, at(1_000.0), 0), 200);
    }

    proptest! {
        #[test]
        fn the_same_setup_changes_nothing_and_less_is_never_later(
            gaps in prop::collection::vec((0i64..300, 1u64..400, 0usize..3), 0..40),
            faster in 1.0f64..200.0,
            queued_bytes in 0u64..5_000,
        ) {
            let was = rate(960.0);
            let (mut all, mut free) = (Vec::new(), Dur::ZERO);
            for (gap, bytes, by) in gaps {
                let start = free + ms(gap);
                let end = start + was.time_for(bytes).as_dur();
                let by = [INFO, Writer::SystemdStatus, Writer::Program][by];
                all.push(Text { start, end, bytes, rates: [was; 3], by });
                free = end;
            }
            let all = output(all, free + ms(50));
            let case = Case { queued_bytes, rate: BEST, grave: false };
            let same = all.end_with(&AS_CAPTURED, case);
            prop_assert!((same - all.until).abs() <= ms(1), "{same:?} {:?}", all.until);
            let others = [
                at(was.bytes_per_s() * faster),
                OutputSetup { loglevel: 4, ..AS_CAPTURED },
                OutputSetup { without_status: true, ..AS_CAPTURED },
            ];
            for other in others {
                prop_assert!(all.end_with(&other, case) <= same + ms(1), "{other:?}");
            }
        }
    }
}
