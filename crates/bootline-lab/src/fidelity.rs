// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a run can be trusted: the transmitted bytes compared with the kernel's own log, and the lab's own timing.
use std::collections::HashMap;

use bootline_capture::units::{Dur, HostTime, KernelTime, LineRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::StorageUse;
use crate::kmsg::KmsgRecord;
use crate::line::{LatenessSummary, MAX_DEFICIT};
use crate::received::{ReceivedLine, ReceivedLines, message};

/// Bytes that the flush must have for its rate to be meaningful.
const MIN_FLUSH: u64 = 2_000;
/// Lowest rate accepted, as a share of the true rate: QEMU's refill costs some (measured: 97 to 99.8 %).
const LEAST_RATE: f64 = 0.95;
/// A kthread that waits for longer before a line was kept from printing.
const KTHREADS_PAUSE: Dur = Dur::from_millis(2);
/// Highest rate accepted: a line exceeds its speed only by the bytes in its slots and the deficit that a late reader
/// makes up.
const MOST_RATE: f64 = 1.02;

/// Lowest and highest rate of a storage accepted, as a share of its speed. A guest that takes long between two requests does not use
/// it up; where QEMU throttles it, a tenth of a second's worth passes at once, 2 % of the check.
const LEAST_STORAGE_RATE: f64 = 0.95;
const MOST_STORAGE_RATE: f64 = 1.05;
/// How late all answers of a storage together may be, as a share of the boot: the guest may have waited for most of that.
const MOST_STORAGE_LATENESS: f64 = 0.02;

/// What is known of a finished run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunEvidence<'a> {
    pub received: &'a ReceivedLines,
    /// The kernel's own log; empty if there was no truth port.
    pub log: &'a [KmsgRecord],
    /// The console prints records below this level.
    pub console_loglevel: Option<u8>,
    pub command_line: &'a str,
    /// The name of the console on the line.
    pub console: &'a str,
    pub rate: LineRate,
    /// Whether QEMU translated the guest's instructions.
    pub translated: bool,
    /// Whether the guest was slowed so much (traced registers) that it may leave the line idle.
    pub slowed: bool,
    /// Whether the kernel prints the flush from a kthread, which the boot can hold up: on arm64 6.18 the line idles for some 0.15 s
    /// soon after the other CPU has started.
    pub threaded: bool,
    /// When init first reported.
    pub init_at: Option<HostTime>,
    /// Whether a boot loader had the line before the kernel.
    pub loaded: bool,
    /// Bytes that may be in transit at once.
    pub slots: u64,
    pub lateness: LatenessSummary,
}

/// A run's fidelity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fidelity {
    /// Whether there was a kernel log to compare with. Without one, lost bytes go unnoticed.
    pub compared: bool,
    /// Lines that the console should print, by the kernel's log.
    pub expected_lines: u64,
    /// Number of these lines that were received.
    pub found_lines: u64,
    /// Messages that the kernel dropped because its ring buffer was overrun, as it reported on the console.
    pub dropped_by_kernel: u64,
    /// Records at the start of the log that were no longer in the ring buffer, and could not be compared.
    pub forgotten_records: u64,
    /// Bytes of the flush: from the kernel's first byte to the record that announces the console as enabled.
    pub flush_bytes: u64,
    /// Duration of the flush.
    #[schemars(with = "i64")]
    pub flush_ns: Dur,
    /// Rate of the flush as a share of the line's true speed, without the times for which the boot kept a kthread from
    /// printing; `None` if the flush was too short.
    pub flush_rate_ratio: Option<f64>,
    /// Why the run can't be trusted; empty if it can.
    pub flaws: Vec<FidelityFlaw>,
}

/// A reason not to trust a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "flaw", rename_all = "kebab-case")]
pub enum FidelityFlaw {
    /// Lines of the kernel's log were not received intact: bytes were lost.
    Lost {
        /// Number of lines.
        lines: u64,
        /// The first of them.
        first: String,
    },
    /// Lines were received more often than the kernel logged them.
    Duplicated {
        /// How many lines too many.
        lines: u64,
        /// The first of them.
        first: String,
    },
    /// The console registered again, and the kernel printed its log a second time. This happens with
    /// `driver_async_probe=*`, where the port is probed again after its registration. The line is fine, and repeating
    /// the run does not help.
    PrintedAgain {
        /// How many lines came twice.
        lines: u64,
    },
    /// Lines were received in another order than the kernel logged them.
    OutOfOrder {
        /// Number of lines received after one that follows them in the log.
        lines: u64,
        /// The first of them.
        first: String,
    },
    /// The flush ran at this share of the true rate, outside the accepted range.
    WrongRate {
        /// Achieved rate / true rate.
        ratio: f64,
    },
    /// The reader woke up so late that the deficit could not be made up.
    LateReader {
        /// How late.
        #[schemars(with = "i64")]
        max_ns: Dur,
    },
    /// The guest died of a breakpoint that its kernel had set and removed again while it patched its own code: QEMU's
    /// translator, run with several processors, at times still executes the old instruction.
    EmulatorBreakpoint,
    /// The guest's clock stood at 0 throughout: its calibration failed.
    StampsAtZero,
    /// The storage ran at this share of its speed after the boot, outside the accepted range.
    WrongStorageRate {
        /// Achieved rate / true rate.
        ratio: f64,
    },
    /// The guest did not report how fast it read from the storage after the boot.
    UncheckedStorage,
    /// The storage answered late.
    LateStorage {
        /// By how much in total, until the guest had booted.
        #[schemars(with = "i64")]
        late_ns: Dur,
    },
    /// The memory that a driver was to add, or a part of it, was not there once the boot had ended.
    MemoryNotAdded {
        /// What the kernel managed, in KiB; null if it did not say.
        total_kib: Option<u64>,
    },
    /// More was received than the lab keeps for comparison.
    TooMuchOutput,
}

/// What to do with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// The run counts.
    Keep,
    /// The run does not count; another attempt may succeed, because the cause was chance (a busy host).
    Retry,
    /// The run does not count, and no attempts are left.
    GiveUp,
}

impl Fidelity {
    /// Checks the rate of a storage, as a share of its speed; none if the guest did not measure it.
    pub(crate) fn check_storage(&mut self, ratio: Option<f64>) {
        match ratio {
            Some(ratio) if (LEAST_STORAGE_RATE..=MOST_STORAGE_RATE).contains(&ratio) => {}
            Some(ratio) => self.flaws.push(FidelityFlaw::WrongStorageRate { ratio }),
            None => self.flaws.push(FidelityFlaw::UncheckedStorage),
        }
    }

    /// Checks how late a storage answered in a boot that began at `started`.
    pub(crate) fn check_answers(&mut self, storage: &StorageUse, started: HostTime) {
        let took = (storage.until_ns - started).as_secs_f64();
        if storage.late_ns.as_secs_f64() > MOST_STORAGE_LATENESS * took {
            self.flaws.push(FidelityFlaw::LateStorage { late_ns: storage.late_ns });
        }
    }

    /// Checks that a guest that began with `memory_mib` has `added_mib` more. A kernel never manages all that it begins with, so it has to
    /// have more than that, and nearly all that was added.
    pub(crate) fn check_added_memory(&mut self, memory_mib: u32, added_mib: u32, total_kib: Option<u64>) {
        let (own, added) = (u64::from(memory_mib) << 10, u64::from(added_mib) << 10);
        let least = (own + 1).max(own / 4 * 3 + added / 10 * 9);
        if total_kib.is_none_or(|total| total < least) {
            self.flaws.push(FidelityFlaw::MemoryNotAdded { total_kib });
        }
    }

    /// What to do with the run that was attempt number `attempt` (from 1) of at most `attempts`.
    pub fn decide(&self, attempt: u32, attempts: u32) -> RetryDecision {
        let is_hopeless = |flaw: &FidelityFlaw| {
            use FidelityFlaw::{MemoryNotAdded, PrintedAgain, TooMuchOutput};
            matches!(flaw, TooMuchOutput | PrintedAgain { .. } | MemoryNotAdded { total_kib: Some(_) })
        };
        let hopeless = self.flaws.iter().any(is_hopeless);
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
    let drops = Drops::of(lines);
    fidelity.dropped_by_kernel = drops.0.iter().map(|(_, records)| records).sum();
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
        compare(evidence, &drops, &mut fidelity);
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

/// Checks the rate of the flush: the kernel stores its messages until the console registers, and then prints them
/// without a pause, at the line's speed.
fn check_rate(evidence: &RunEvidence<'_>, fidelity: &mut Fidelity) {
    let lines = evidence.received.lines();
    // A boot loader prints before the kernel does, and pauses.
    let of_kernel = lines.iter().find(|l| message(&l.text).stamp.is_some());
    let Some(first) = of_kernel.or(lines.first().filter(|_| !evidence.loaded)) else { return };
    let Some(end) = lines.iter().position(|l| says_enabled(&l.text, evidence.console)) else { return };
    let last = &lines[end];
    fidelity.flush_bytes = (last.offset + last.len).saturating_sub(first.offset);
    fidelity.flush_ns = last.last - first.first;
    if fidelity.flush_bytes < MIN_FLUSH || fidelity.flush_ns <= Dur::ZERO {
        return;
    }
    // From the end of the first byte to the end of the last.
    let idle =
        if evidence.threaded { kept_from_printing(&lines[..=end], first.first, evidence.rate) } else { Dur::ZERO };
    let busy = (fidelity.flush_ns - idle).as_secs_f64();
    let share = |characters: u64| evidence.rate.time_for(characters).as_dur().as_secs_f64() / busy;
    let ratio = share(fidelity.flush_bytes - 1);
    fidelity.flush_rate_ratio = Some(ratio);
    // If the flush begins after init, it is a module's replay: how busy that keeps the line is the module's doing, not
    // a flaw of the lab. A module that is built in replays before.
    let replayed = evidence.init_at.is_some_and(|init| first.first >= init) || replays_built_in(evidence.command_line);
    let too_slow = ratio < LEAST_RATE && !evidence.slowed && !replayed;
    if too_slow || share(fidelity.flush_bytes.saturating_sub(1 + evidence.slots)) > MOST_RATE {
        fidelity.flaws.push(FidelityFlaw::WrongRate { ratio });
    }
}

/// How long the line idled between lines from `start` on. The boot may keep a kthread from printing: for 1.2 s of a flush of 10 s at
/// 9600 baud (6.19 with PREEMPT_RT and `initcall_debug`), for 1 s of one of 3.4 s at 38400 (7.2, the same).
fn kept_from_printing(lines: &[ReceivedLine], start: HostTime, rate: LineRate) -> Dur {
    let character = rate.time_for(1).as_dur();
    let pauses = lines.iter().zip(lines.iter().skip(1)).filter(|(before, _)| before.first >= start);
    let pauses = pauses.map(|(before, after)| after.first - before.last - character);
    pauses.filter(|pause| *pause > KTHREADS_PAUSE).fold(Dur::ZERO, |all, pause| all + pause)
}

/// Whether the command line has a replay of a console module that is built in: `nbcon_8250.replay=1`.
fn replays_built_in(command_line: &str) -> bool {
    let says = |word: &str| {
        let of_module = word.strip_prefix("nbcon_8250.").or(word.strip_prefix("console_relay."));
        of_module.and_then(|p| p.strip_prefix("replay=")).is_some_and(|value| matches!(value, "1" | "y" | "Y" | "on"))
    };
    command_line.split_whitespace().any(says)
}

/// `console [ttyS0] enabled`, with `legacy ` or `nbcon ` before it from 6.12 on.
fn says_enabled(line: &[u8], console: &str) -> bool {
    let text = message(line).text;
    let wanted = format!("console [{console}] enabled");
    text.windows(wanted.len()).any(|w| w == wanted.as_bytes())
}

/// Whether the kernel's log shows the console disabled and then enabled again.
fn registered_again(evidence: &RunEvidence<'_>) -> bool {
    let disabled = format!("console [{}] disabled", evidence.console);
    let says = |r: &&KmsgRecord| r.text.windows(disabled.len()).any(|w| w == disabled.as_bytes());
    let Some(left) = evidence.log.iter().find(says).map(|r| r.seq) else { return false };
    evidence.log.iter().any(|r| r.seq > left && says_enabled(&r.text, evidence.console))
}

/// One line of a record, as a key: the same message with the same stamp may occur more than once.
type Key<'a> = (Option<KernelTime>, &'a [u8]);

/// Where on the line the kernel reports that it dropped records, and how many. They were not lost on the line.
struct Drops(Vec<(usize, u64)>);

impl Drops {
    fn of(lines: &[ReceivedLine]) -> Drops {
        let reported = lines.iter().enumerate();
        Drops(reported.filter_map(|(place, l)| Some((place, dropped(message(&l.text).text)?))).collect())
    }

    /// Of lines that are missing between two places, those that no report between them accounts for: it comes right before the next
    /// record, and says how many were dropped but not which.
    fn unexplained<'k, 'a>(&self, missing: &'k [Key<'a>], from: Option<usize>, to: Option<usize>) -> &'k [Key<'a>] {
        if missing.is_empty() {
            return missing;
        }
        let between = |at: usize| from.is_none_or(|from| at > from) && to.is_none_or(|to| at <= to);
        let dropped: u64 = self.0.iter().filter(|(at, _)| between(*at)).map(|(_, records)| records).sum();
        let explained = usize::try_from(dropped).unwrap_or(usize::MAX);
        missing.get(explained..).unwrap_or_default()
    }
}

/// Matches the nth occurrence of a key in the log with the nth one received.
fn compare(evidence: &RunEvidence<'_>, drops: &Drops, fidelity: &mut Fidelity) {
    let received: Vec<Key<'_>> = evidence.received.lines().iter().map(received_key).collect();
    let stamped = received.iter().any(|(stamp, _)| stamp.is_some());
    let mut places: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
    for (place, key) in received.iter().enumerate() {
        places.entry(*key).or_default().push(place);
    }
    // A program's line that has not ended stands before the kernel's next record.
    let users = evidence.received.lines().iter().enumerate().filter(|(_, l)| message(&l.text).stamp.is_none());
    for (place, line) in users {
        for key in after_user_text(&line.text) {
            places.entry(key).or_default().push(place);
        }
    }
    let mut expected_of: HashMap<Key<'_>, usize> = HashMap::new();
    let mut latest = None;
    // Those since the last line that was found, at this place.
    let (mut missing, mut found): (Vec<Key<'_>>, Option<usize>) = (Vec::new(), None);
    let mut lost = Tally::default();
    let mut disordered = Tally::default();
    for key in expected(evidence, stamped) {
        fidelity.expected_lines += 1;
        let nth = expected_of.entry(key).or_default();
        let place = places.get(&key).and_then(|p| p.get(*nth)).copied();
        *nth += 1;
        match place {
            None => missing.push(key),
            Some(place) => {
                fidelity.found_lines += 1;
                drops.unexplained(&missing, found, Some(place)).iter().for_each(|key| lost.add(*key));
                missing.clear();
                found = Some(place);
                if latest.is_some_and(|latest| place < latest) {
                    disordered.add(key);
                }
                latest = latest.max(Some(place));
            }
        }
    }
    drops.unexplained(&missing, found, None).iter().for_each(|key| lost.add(*key));
    let mut doubled = Tally::default();
    // With a boot console the kernel deliberately prints its first messages twice.
    if !evidence.command_line.contains("earlycon") && !evidence.command_line.contains("earlyprintk") {
        for (key, wanted) in &expected_of {
            for _ in *wanted..places.get(key).map_or(0, Vec::len) {
                doubled.add(*key);
            }
        }
    }
    if lost.lines > 0 {
        fidelity.flaws.push(FidelityFlaw::Lost { lines: lost.lines, first: lost.first });
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

/// The kernel's records that follow a program's text on the same line.
fn after_user_text(line: &[u8]) -> impl Iterator<Item = Key<'_>> {
    let starts = line.iter().enumerate().skip(1).filter(|(_, b)| **b == b'[').map(|(n, _)| n);
    starts.filter_map(|n| {
        let message = message(&line[n..]);
        message.stamp.map(|stamp| (Some(stamp), message.text))
    })
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
