// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a change to a synchronous console saves in user space, where kernel records and what programs print share the line.
//!
//! A program's text goes into the terminal's buffer; a kernel record is printed by whoever wrote it. Who waits for a text, and what waits
//! for that task, no log shows: systemd's process 1 prints its status lines one by one and waits until each is sent, while what it has
//! started goes on. So user space is taken for one sequence of texts, each with the time before it that no wait explains; what follows a
//! text goes on when all of it but [`AHEAD`] bytes is sent.
use super::levels::CountedLevel;
use super::prediction::Assumption;
use super::scenario::Scenario;
use bootline_boot::{Boot, BootEnd, Clock, TERMINAL_BUFFER, initcall_debug, is_status_line};
use bootline_capture::units::{Dur, Interval, LineRate};
use bootline_records::RecordOrigin;

/// How many bytes may still have to be sent when the next text is written: where everything waits for each text; best estimate; where
/// nothing waits unless the terminal's buffer is full. The best estimate, one for programs and kernel records, was fitted to boots of the
/// experiment unit-times from 115200 to 9600 baud and from 9600 to 115200: it makes the longer of the two 10 % too long, the shorter 8 %.
const AHEAD: [u64; 3] = [0, 64, TERMINAL_BUFFER];

/// How a synchronous console prints in user space.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputSetup {
    rate: LineRate,
    loglevel: u8,
    without_initcall_debug: bool,
    /// Whether systemd prints no status lines, as with `quiet`.
    without_status: bool,
}

impl OutputSetup {
    pub fn of(scenario: &Scenario, without_status: bool) -> OutputSetup {
        OutputSetup {
            rate: scenario.rates[1],
            loglevel: scenario.loglevel,
            without_initcall_debug: scenario.without_initcall_debug,
            without_status,
        }
    }

    /// Whether it doesn't print a text; `grave`: whether what reads like an error is one.
    fn drops(&self, text: &Text, grave: bool) -> bool {
        match text.by {
            Writer::Kernel { level, of_initcall_debug } => {
                let level = if grave { level.gravest() } else { level.level };
                level >= self.loglevel || self.without_initcall_debug && of_initcall_debug
            }
            Writer::Manager => self.without_status,
            Writer::Program => false,
        }
    }
}

/// What the captured console printed.
#[derive(Clone, Copy, Debug)]
struct Text {
    start: Dur,
    end: Dur,
    bytes: u64,
    by: Writer,
}

#[derive(Clone, Copy, Debug)]
enum Writer {
    Kernel {
        level: CountedLevel,
        of_initcall_debug: bool,
    },
    /// systemd, of its units.
    Manager,
    Program,
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
    /// After the boot's end, init's start or a marker; `now` is the captured console's setup.
    pub fn of(boot: &Boot, end: &BootEnd, until: Dur, now: OutputSetup) -> TerminalOutput {
        let from = end.at.best();
        let mut texts = Vec::new();
        for index in end.index + 1..boot.records.len() {
            let Some(r) = boot.records.get(index) else { break };
            let Some(span) = boot.timeline.place(index).transmitted else { continue };
            if span.start < from || span.start >= until {
                continue;
            }
            let by = match r.source {
                RecordOrigin::Kernel => {
                    let counted = CountedLevel::of(&r);
                    // Whatever it is, it was printed.
                    let level = CountedLevel { level: counted.level.min(now.loglevel.saturating_sub(1)), ..counted };
                    Writer::Kernel { level, of_initcall_debug: initcall_debug::is_written_by_it(r.text) }
                }
                RecordOrigin::Other if is_status_line(r.text) => Writer::Manager,
                RecordOrigin::Other => Writer::Program,
            };
            texts.push(Text { start: span.start, end: span.end, bytes: u64::from(r.line_bytes), by });
        }
        TerminalOutput { now, texts, from, until, clock: boot.timeline.clock }
    }

    /// What another setup saves.
    pub fn saved(&self, then: &OutputSetup) -> Interval {
        // Where least is waited for, what may be an error is printed.
        let saved = |ahead, grave| self.end(&self.now, ahead, grave) - self.end(then, ahead, grave);
        let [all, ahead, buffer] = AHEAD;
        let (a, best, b) = (saved(all, false), saved(ahead, false), saved(buffer, true));
        Interval::new(a.min(best).min(b), best, a.max(best).max(b))
    }

    /// How the waits for it are estimated.
    pub fn assumption(&self) -> Assumption {
        let bytes: u64 = self.texts.iter().map(|text| text.bytes).sum();
        let [_, ahead, _] = AHEAD;
        let writers = match self.clock {
            Clock::Arrival => "user space and the kernel",
            // A program's output has no times.
            Clock::Kernel | Clock::None => "the kernel",
        };
        Assumption {
            name: "user-space-output",
            text: format!(
                "after init's start {writers} put {bytes} bytes on the line, and what follows a text waits until all but {ahead} bytes \
                 of it are sent; the interval reaches from waiting for all of it to waiting only when the terminal's buffer of \
                 {TERMINAL_BUFFER} bytes is full"
            ),
        }
    }

    /// When the moment comes that was at `until` in the captured boot.
    fn end(&self, then: &OutputSetup, ahead: u64, grave: bool) -> Dur {
        let waits_for = |sent: Dur, rate: LineRate| sent - rate.time_for(ahead).as_dur();
        // When what follows the last text went on, in the captured boot and in this one.
        let (mut captured, mut goes_on) = (self.from, self.from);
        let mut line_free = self.from;
        for text in &self.texts {
            // A line that was written in pieces arrives over a longer time, most of which is its writer's work.
            let sent = text.end.min(text.start + self.now.rate.time_for(text.bytes).as_dur());
            let waited = waits_for(sent, self.now.rate);
            if waited > self.until {
                break;
            }
            goes_on += (text.start - captured).max_zero();
            captured = captured.max(text.start).max(waited);
            if !then.drops(text, grave) {
                line_free = line_free.max(goes_on) + then.rate.time_for(text.bytes).as_dur();
                goes_on = goes_on.max(waits_for(line_free, then.rate));
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

    fn at(bytes_per_s: f64) -> OutputSetup {
        OutputSetup {
            rate: LineRate::from_bytes_per_s(bytes_per_s).unwrap(),
            loglevel: 7,
            without_initcall_debug: false,
            without_status: false,
        }
    }

    const LEVEL: CountedLevel = CountedLevel { level: 6, known: true, uncertain: false };
    const INFO: Writer = Writer::Kernel { level: LEVEL, of_initcall_debug: false };

    fn output(now: OutputSetup, texts: Vec<Text>, until: Dur) -> TerminalOutput {
        TerminalOutput { now, texts, from: Dur::ZERO, until, clock: Clock::Arrival }
    }

    /// Texts of 100 bytes that took 10 ms each, at these times in ms; user space begins at 0 and ends at 200.
    fn texts(texts: &[(i64, Writer)]) -> TerminalOutput {
        let text = |&(start, by): &_| Text { start: ms(start), end: ms(start + 10), bytes: 100, by };
        output(at(10_000.0), texts.iter().map(text).collect(), ms(200))
    }

    /// When the moment at 200 ms comes with another setup, in ms.
    fn ends(output: &TerminalOutput, then: OutputSetup, ahead: u64) -> i64 {
        output.end(&then, ahead, false).as_nanos() / 1_000_000
    }

    #[test]
    fn a_slower_line_costs_what_is_waited_for() {
        let status = texts(&[(10, Writer::Manager), (50, Writer::Program), (90, INFO)]);
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
        let text = |start, bytes| Text { start: ms(start), end: ms(start + 1), bytes, by: Writer::Program };
        let much = output(at(10_000.0), vec![text(10, 5_096), text(20, 10)], ms(200));
        // For the first one, 1000 bytes have to be sent; the second finds room for as many as were sent since.
        assert_eq!(ends(&much, at(1_000.0), TERMINAL_BUFFER), 1_200);
    }

    #[test]
    fn a_faster_line_saves_what_was_waited_for() {
        let status = texts(&[(10, Writer::Manager), (20, Writer::Manager), (90, INFO)]);
        assert_eq!(ends(&status, at(100_000.0), 0), 200 - 3 * 9);
        let saved = status.saved(&at(100_000.0));
        // Nothing shows that a text was written before it was sent.
        assert_eq!((saved.low(), saved.high()), (Dur::ZERO, ms(27)));
    }

    #[test]
    fn what_is_not_printed_costs_nothing() {
        let mixed = texts(&[(10, INFO), (20, Writer::Manager), (100, Writer::Program)]);
        let quiet = OutputSetup { loglevel: 4, ..at(10_000.0) };
        assert_eq!(ends(&mixed, quiet, 0), 190);
        assert_eq!(ends(&mixed, OutputSetup { without_status: true, ..quiet }, 0), 180);
        let traced = Writer::Kernel { level: LEVEL, of_initcall_debug: true };
        assert_eq!(ends(&texts(&[(10, traced)]), OutputSetup { without_initcall_debug: true, ..at(10_000.0) }, 0), 190);
        let doubtful = texts(&[(
            10,
            Writer::Kernel { level: CountedLevel { known: false, uncertain: true, ..LEVEL }, of_initcall_debug: false },
        )]);
        assert_eq!(doubtful.end(&quiet, 0, true), ms(200));
        assert_eq!(doubtful.end(&quiet, 0, false), ms(190));
    }

    #[test]
    fn a_line_written_in_pieces_is_mostly_work() {
        let slow =
            output(at(10_000.0), vec![Text { start: ms(10), end: ms(110), bytes: 100, by: Writer::Program }], ms(200));
        assert_eq!(ends(&slow, at(1_000.0), 0), 200 + 90);
        // It was not yet sent, so the end did not wait for it.
        let late =
            output(at(10_000.0), vec![Text { start: ms(195), end: ms(205), bytes: 100, by: Writer::Program }], ms(200));
        assert_eq!(ends(&late, at(1_000.0), 0), 200);
    }

    proptest! {
        #[test]
        fn the_same_setup_changes_nothing_and_less_is_never_later(
            gaps in prop::collection::vec((0i64..300, 1u64..400, 0usize..3), 0..40),
            faster in 1.0f64..200.0,
            ahead in 0u64..5_000,
        ) {
            let now = at(960.0);
            let (mut all, mut free) = (Vec::new(), Dur::ZERO);
            for (gap, bytes, by) in gaps {
                let start = free + ms(gap);
                let end = start + now.rate.time_for(bytes).as_dur();
                all.push(Text { start, end, bytes, by: [INFO, Writer::Manager, Writer::Program][by] });
                free = end;
            }
            let all = output(now, all, free + ms(50));
            let same = all.end(&now, ahead, false);
            prop_assert!((same - all.until).abs() <= ms(1), "{same:?} {:?}", all.until);
            let rate = LineRate::from_bytes_per_s(now.rate.bytes_per_s() * faster).unwrap();
            let others = [
                OutputSetup { rate, ..now },
                OutputSetup { loglevel: 4, ..now },
                OutputSetup { without_status: true, ..now },
            ];
            for other in others {
                prop_assert!(all.end(&other, ahead, false) <= same + ms(1), "{other:?}");
            }
        }
    }
}
