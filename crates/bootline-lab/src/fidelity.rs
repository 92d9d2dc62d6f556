// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a run can be believed: the bytes of the line against the kernel's own log, and the lab's own conduct.
use std::collections::HashMap;

use bootline_capture::units::{Dur, HostTime, KernelTime, LineRate};
use serde::{Deserialize, Serialize};

use crate::kmsg::KmsgRecord;
use crate::line::{LatenessSummary, MAX_DEFICIT};
use crate::received::{ReceivedLine, ReceivedLines, message};

/// Characters that the flush must hold before its rate says anything.
const MIN_FLUSH: u64 = 2_000;
/// QEMU's refill costs the line up to this share (measured: 97 to 99.8 % of the true rate).
const LEAST_RATE: f64 = 0.95;
/// A line can't be faster than it is, but for the characters in its slots and the deficit that a late reader makes up.
const MOST_RATE: f64 = 1.02;

/// What is known of a run when it has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunEvidence<'a> {
    pub received: &'a ReceivedLines,
    /// The kernel's own log; empty where there was no truth port.
    pub log: &'a [KmsgRecord],
    /// The console prints what lies below this.
    pub console_loglevel: Option<u8>,
    pub command_line: &'a str,
    /// The name of the console on the line.
    pub console: &'a str,
    pub rate: LineRate,
    /// Whether QEMU translated the guest's instructions.
    pub translated: bool,
    /// Whether the guest was slowed so much that it need not keep the line busy (traced registers).
    pub slowed: bool,
    /// When init spoke.
    pub init_at: Option<HostTime>,
    /// Characters that may be under way at once.
    pub slots: u64,
    pub lateness: LatenessSummary,
}

/// A run's fidelity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// Whether the kernel's own log was there to compare with. Without it nothing is known of lost characters.
    pub compared: bool,
    /// Lines that the kernel's log says belong on the console.
    pub expected_lines: u64,
    /// Of these, the lines found on the wire.
    pub found_lines: u64,
    /// Messages that the kernel itself dropped because its ring buffer was overrun, as it said on the wire.
    pub dropped_by_kernel: u64,
    /// Records at the start of the log that the ring buffer no longer held: they could not be compared.
    pub forgotten_records: u64,
    /// Characters of the flush: from the first one on the line to the line that says that the console is enabled.
    pub flush_bytes: u64,
    /// How long it took.
    pub flush_ns: Dur,
    /// Its rate as a share of the true line's; `None` where the flush was too short to tell.
    pub flush_rate_ratio: Option<f64>,
    /// Why the run can't be believed; empty if it can.
    pub flaws: Vec<FidelityFlaw>,
}

/// A reason not to believe a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "flaw", rename_all = "kebab-case")]
pub enum FidelityFlaw {
    /// Lines of the kernel's log are not on the wire as they should be: characters were lost.
    Lost {
        /// How many lines.
        lines: u64,
        /// The first of them.
        first: String,
    },
    /// Lines came more often than the kernel logged them.
    Duplicated {
        /// How many lines too many.
        lines: u64,
        /// The first of them.
        first: String,
    },
    /// The console left and registered again, and the kernel printed its log a second time: so it is with
    /// `driver_async_probe=*`, where the port is probed once more behind its registration. Nothing is wrong with the
    /// line, and no repetition helps.
    PrintedAgain {
        /// How many lines came twice.
        lines: u64,
    },
    /// Lines came in another order than the kernel logged them.
    OutOfOrder {
        /// How many lines came after one that follows them.
        lines: u64,
        /// The first of them.
        first: String,
    },
    /// The flush ran at this share of the true rate, outside of what the lab grants itself.
    WrongRate {
        /// Achieved rate / true rate.
        ratio: f64,
    },
    /// The reader woke too late for the deficit to be made up.
    LateReader {
        /// How late.
        max_ns: Dur,
    },
    /// The guest died of a breakpoint that its kernel had set and removed again while it patched its own code: QEMU's
    /// translator, run with several processors, at times still executes the old instruction.
    EmulatorBreakpoint,
    /// The guest's clock stood at 0 all along: its calibration failed.
    StampsAtZero,
    /// More was on the line than the lab keeps for comparison.
    TooMuchOutput,
}

/// What to do with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// It counts.
    Keep,
    /// It doesn't; another attempt may succeed, since what spoilt it was chance (a host that was busy).
    Retry,
    /// It doesn't, and attempts are used up.
    GiveUp,
}

impl Fidelity {
    /// What to do with the run that was attempt number `attempt` (from 1) of at most `attempts`.
    pub fn decide(&self, attempt: u32, attempts: u32) -> RetryDecision {
        let hopeless =
            self.flaws.iter().any(|f| matches!(f, FidelityFlaw::TooMuchOutput | FidelityFlaw::PrintedAgain { .. }));
        match (self.flaws.is_empty(), hopeless || attempt >= attempts) {
            (true, _) => RetryDecision::Keep,
            (false, true) => RetryDecision::GiveUp,
            (false, false) => RetryDecision::Retry,
        }
    }
}

/// Checks a run.
pub(crate) fn check(evidence: &RunEvidence<'_>) -> Fidelity {
    let mut fidelity = Fidelity { compared: !evidence.log.is_empty(), ..Fidelity::default() };
    let lines = evidence.received.lines();
    fidelity.dropped_by_kernel = lines.iter().filter_map(|l| dropped(message(&l.text).text)).sum();
    fidelity.forgotten_records = evidence.log.first().map_or(0, |r| r.seq);
    check_rate(evidence, &mut fidelity);
    if evidence.lateness.max_ns > MAX_DEFICIT {
        fidelity.flaws.push(FidelityFlaw::LateReader { max_ns: evidence.lateness.max_ns });
    }
    if evidence.log.len() > 50 && evidence.log.iter().all(|r| r.stamp == KernelTime::ORIGIN) {
        fidelity.flaws.push(FidelityFlaw::StampsAtZero);
    }
    if evidence.translated && lines.iter().any(|l| is_breakpoint_oops(message(&l.text).text)) {
        fidelity.flaws.push(FidelityFlaw::EmulatorBreakpoint);
    }
    if evidence.received.overflowed() {
        fidelity.flaws.push(FidelityFlaw::TooMuchOutput);
    } else if fidelity.compared {
        compare(evidence, &mut fidelity);
    }
    fidelity
}

/// `Oops: int3: 0000 [#1] SMP NOPTI`, before 6.10 without the first word.
fn is_breakpoint_oops(text: &[u8]) -> bool {
    text.strip_prefix(b"Oops: ").unwrap_or(text).starts_with(b"int3: 0000 [#")
}

/// `** 12 printk messages dropped **`
fn dropped(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, _) = text.strip_prefix("** ")?.split_once(" printk messages dropped **")?;
    number.parse().ok()
}

/// The kernel holds its messages until the console is there and then prints them in one go, at the line's speed.
fn check_rate(evidence: &RunEvidence<'_>, fidelity: &mut Fidelity) {
    let Some(first) = evidence.received.lines().first() else { return };
    let Some(last) = evidence.received.lines().iter().find(|l| says_enabled(&l.text, evidence.console)) else { return };
    fidelity.flush_bytes = last.offset + last.len;
    fidelity.flush_ns = last.last - first.first;
    if fidelity.flush_bytes < MIN_FLUSH || fidelity.flush_ns <= Dur::ZERO {
        return;
    }
    // From the end of the first character to the end of the last.
    let took = fidelity.flush_ns.as_secs_f64();
    let share = |characters: u64| evidence.rate.time_for(characters).as_dur().as_secs_f64() / took;
    let ratio = share(fidelity.flush_bytes - 1);
    fidelity.flush_rate_ratio = Some(ratio);
    // Stored messages whose printing begins after init are a module's replay: how busy that keeps the line is its own
    // merit, and no flaw of the lab.
    let replayed = evidence.init_at.is_some_and(|init| first.first >= init);
    let too_slow = ratio < LEAST_RATE && !evidence.slowed && !replayed;
    if too_slow || share(fidelity.flush_bytes.saturating_sub(1 + evidence.slots)) > MOST_RATE {
        fidelity.flaws.push(FidelityFlaw::WrongRate { ratio });
    }
}

/// `console [ttyS0] enabled`, with `legacy ` or `nbcon ` before it from 6.12 on.
fn says_enabled(line: &[u8], console: &str) -> bool {
    let text = message(line).text;
    let wanted = format!("console [{console}] enabled");
    text.windows(wanted.len()).any(|w| w == wanted.as_bytes())
}

/// Whether the kernel's log says that the console was disabled and enabled again behind that.
fn registered_again(evidence: &RunEvidence<'_>) -> bool {
    let disabled = format!("console [{}] disabled", evidence.console);
    let says = |r: &&KmsgRecord| r.text.windows(disabled.len()).any(|w| w == disabled.as_bytes());
    let Some(left) = evidence.log.iter().find(says).map(|r| r.seq) else { return false };
    evidence.log.iter().any(|r| r.seq > left && says_enabled(&r.text, evidence.console))
}

/// One line of a record, as a key: the same message at the same stamp may come more than once.
type Key<'a> = (Option<KernelTime>, &'a [u8]);

/// The `n`th time that a key comes in the log is the `n`th time on the wire.
fn compare(evidence: &RunEvidence<'_>, fidelity: &mut Fidelity) {
    let received: Vec<Key<'_>> = evidence.received.lines().iter().map(received_key).collect();
    let stamped = received.iter().any(|(stamp, _)| stamp.is_some());
    let mut places: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
    for (place, key) in received.iter().enumerate() {
        places.entry(*key).or_default().push(place);
    }
    let mut expected_of: HashMap<Key<'_>, usize> = HashMap::new();
    let mut latest = None;
    let mut lost = Tally::default();
    let mut disordered = Tally::default();
    for key in expected(evidence, stamped) {
        fidelity.expected_lines += 1;
        let nth = expected_of.entry(key).or_default();
        let place = places.get(&key).and_then(|p| p.get(*nth)).copied();
        *nth += 1;
        match place {
            None => lost.add(key),
            Some(place) => {
                fidelity.found_lines += 1;
                if latest.is_some_and(|latest| place < latest) {
                    disordered.add(key);
                }
                latest = latest.max(Some(place));
            }
        }
    }
    let mut doubled = Tally::default();
    // With an early console the kernel prints its first messages twice, on purpose.
    if !evidence.command_line.contains("earlycon") && !evidence.command_line.contains("earlyprintk") {
        for (key, wanted) in &expected_of {
            for _ in *wanted..places.get(key).map_or(0, Vec::len) {
                doubled.add(*key);
            }
        }
    }
    // What the kernel dropped was not lost on the line; it says how many records, not which.
    if lost.lines > fidelity.dropped_by_kernel {
        fidelity.flaws.push(FidelityFlaw::Lost { lines: lost.lines - fidelity.dropped_by_kernel, first: lost.first });
    }
    if doubled.lines > 0 && registered_again(evidence) {
        fidelity.flaws.push(FidelityFlaw::PrintedAgain { lines: doubled.lines });
    } else if doubled.lines > 0 {
        fidelity.flaws.push(FidelityFlaw::Duplicated { lines: doubled.lines, first: doubled.first });
    }
    if disordered.lines > 0 {
        fidelity.flaws.push(FidelityFlaw::OutOfOrder { lines: disordered.lines, first: disordered.first });
    }
}

/// Whether a record of the kernel's log belongs on the console.
pub(crate) fn belongs(record: &KmsgRecord, console_loglevel: Option<u8>, command_line: &str) -> bool {
    let ignored = command_line.split_ascii_whitespace().any(|w| {
        matches!(
            w,
            "ignore_loglevel" | "printk.ignore_loglevel=1" | "printk.ignore_loglevel=Y" | "printk.ignore_loglevel"
        )
    });
    ignored || console_loglevel.is_none_or(|loglevel| record.level < loglevel)
}

fn expected<'a>(evidence: &RunEvidence<'a>, stamped: bool) -> impl Iterator<Item = Key<'a>> {
    let RunEvidence { console_loglevel, command_line, log, .. } = *evidence;
    log.iter()
        .filter(move |r| belongs(r, console_loglevel, command_line))
        .flat_map(move |r| r.text.split(|b| *b == b'\n').map(move |line| (stamped.then_some(r.stamp), line)))
}

fn received_key(line: &ReceivedLine) -> Key<'_> {
    let message = message(&line.text);
    (message.stamp, message.text)
}

#[derive(Default)]
struct Tally {
    lines: u64,
    first: String,
}

impl Tally {
    fn add(&mut self, (stamp, text): Key<'_>) {
        self.lines += 1;
        if self.first.is_empty() {
            let text: String = String::from_utf8_lossy(text).chars().take(200).collect();
            self.first = stamp.map_or_else(|| text.clone(), |stamp| format!("[{stamp}] {text}"));
        }
    }
}

#[cfg(test)]
mod tests;
