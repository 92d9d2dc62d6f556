// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several boots in one input: where one ends and the next begins.
use std::collections::VecDeque;

use super::banner_alone::{self, is_banner_alone};
use super::boot_records::BootRecords;
use super::clock::REORDERING;
use super::initial_jiffies::InitialJiffies;
use super::kernel::is_banner;
use super::printed_again::PrintedAgain;
use super::replay::{BannerVerdict, EarlierBoot};
use bootline_capture::units::{Dur, KernelTime};
use bootline_capture::{Header, Note};
use bootline_records::{
    Beginnings, ByteRange, Decoder, ProblemKind, Record, RecordOrigin, Sink, UnitEvent, announces_boot, precedes_banner,
};

/// Maximum number of records kept for one boot; later ones are only counted.
pub const MAX_RECORDS: usize = 1_000_000;
/// Maximum length of their texts, in bytes: a line may have 64 KiB.
pub const MAX_TEXT_BYTES: usize = 128 << 20;
/// Maximum number of records kept before the kernel's first: of more, the earliest are left out. What is no log at all has only
/// such.
pub const MAX_BEFORE_KERNEL: usize = 200_000;
/// Maximum length of their texts, in bytes.
const MAX_TEXT_BEFORE_KERNEL: usize = MAX_TEXT_BYTES / 4;
/// Maximum number of a capture's notes, and of the bytes in them.
const MAX_NOTES: usize = 1_000;
const MAX_NOTE_BYTES: usize = 1 << 20;

impl BootRecords {
    /// The boots of an input held in memory; its format is detected from its beginning.
    pub fn all(input: &[u8]) -> Vec<BootRecords> {
        let mut splitter = Splitter::default();
        let mut decoder = Decoder::new(None);
        decoder.push(input, &mut splitter);
        decoder.finish(&mut splitter);
        splitter.finish().into()
    }
}

/// Splits a decoder's records into boots, and returns each as soon as the next is known to have begun. A caller that
/// takes them after each piece of the input holds one boot, the beginning of another, and whatever that piece
/// completes.
///
/// A boot begins at a kernel banner whose stamp goes back (a second kernel), or where the stamps begin again: at zero, or after
/// a boot loader or a reboot. It takes with it the firmware and boot
/// loader text before it: what follows the old kernel's `reboot:` record, or else its last kernel record.
#[derive(Default)]
pub struct Splitter {
    now: BootRecords,
    seen_kernel: bool,
    /// Whether the boot in hand has its banner.
    seen_banner: bool,
    last_stamp: Option<KernelTime>,
    jiffies: InitialJiffies,
    again: PrintedAgain,
    /// Whether the last line that is not the kernel's asks for its log (`# dmesg | grep usb`).
    asked: bool,
    /// Whether that line asks for all of it (`# dmesg`).
    asked_for_all: bool,
    /// Position of the first record after the last kernel record (or after `reboot:`) of the boot in hand.
    tail: usize,
    /// Whether a boot loader, or the kernel's reboot, has written since the last kernel record.
    may_boot: bool,
    /// The previous boot, while the current one may be a repetition of its log.
    earlier: Option<EarlierBoot>,
    /// Complete and not yet taken.
    complete: VecDeque<BootRecords>,
}

impl Splitter {
    /// The next complete boot, in order.
    pub fn take(&mut self) -> Option<BootRecords> {
        self.complete.pop_front()
    }

    /// The input has ended: the boots that were not taken, in order, and the last one if there is anything in it.
    pub fn finish(mut self) -> VecDeque<BootRecords> {
        self.hand_over_earlier();
        if !self.now.records.is_empty() || !self.now.problems.is_empty() {
            self.complete.push_back(self.now);
        }
        self.complete
    }

    fn starts_next(&self, r: &Record<'_>) -> bool {
        if !self.seen_kernel || r.source != RecordOrigin::Kernel {
            return false;
        }
        let is_banner = is_banner(r.text);
        // A clock that begins again at zero is another kernel's, whatever it says first; it may be another CPU's.
        let restarts = r.stamp == Some(KernelTime::ORIGIN)
            && self.last_stamp.is_some_and(|s| s.since_origin() > RESTART)
            && !is_of_another_processor(r.text);
        let goes_back = r.stamp.zip(self.last_stamp).is_some_and(|(now, before)| now + REORDERING < before);
        if restarts || self.may_boot && goes_back {
            return true;
        }
        // ARM prints "Booting Linux on physical CPU" before its banner, with the banner's stamp, which is not zero where the clock
        // runs from power-on; others log "Initializing cgroup subsys" again after it.
        let may_begin = if is_banner {
            self.seen_banner && !self.repeats_last(r)
        } else {
            precedes_banner(r.text) && self.may_boot
        };
        match (r.stamp, self.last_stamp) {
            (Some(now), Some(before)) if now == before => may_begin,
            (Some(now), Some(before)) => now < before && begins_log(r.text),
            // The records without stamps were a quoted banner or another kernel's log.
            (Some(_), None) => begins_log(r.text),
            // Without stamps a second banner is a second boot.
            _ => is_banner || may_begin,
        }
    }

    /// Whether a record is one of the boot in hand that somebody printed again.
    fn is_printed_again(&mut self, r: &Record<'_>) -> bool {
        // First what hardly any record does.
        let goes_back = r.stamp.zip(self.last_stamp).is_some_and(|(now, before)| now + RESTART < before);
        if !goes_back || r.source != RecordOrigin::Kernel || self.may_boot || begins_log(r.text) {
            return false;
        }
        // Stamps of zero, or of whole jiffies, are the same in each boot.
        let is_fine = r.stamp.is_some_and(|s| s.as_nanos() % 1_000_000 != 0);
        (is_fine || self.asked) && self.again.is_known(r, &self.now)
    }

    /// Whether a record is the one before it again: two consoles print to one line.
    fn repeats_last(&self, r: &Record<'_>) -> bool {
        let last = self.now.records.iter().rev().find(|last| last.source == RecordOrigin::Kernel);
        last.is_some_and(|last| (last.stamp, last.text) == (r.stamp, r.text))
    }

    /// Halves what was written before the kernel, if it is too much: what stands next to the kernel counts most.
    fn leave_out_earliest(&mut self) {
        let records = &mut self.now.records;
        let is_much = records.len() >= MAX_BEFORE_KERNEL || records.text_bytes() >= MAX_TEXT_BEFORE_KERNEL;
        // An earlier boot refers to positions. Noise may look like a record of the kernel, but hardly like one with a stamp.
        if self.seen_kernel || self.earlier.is_some() || !is_much {
            return;
        }
        let first = records.get(0).map(|r| r.bytes).unwrap_or_default();
        let half = records.len() / 2;
        *records = records.split_off(half);
        self.tail = self.tail.saturating_sub(half);
        self.again = PrintedAgain::default();
        self.now.problems.add(ProblemKind::TooManyRecords, first, || {
            "too many records before the kernel's first; the earliest were left out".to_owned()
        });
    }

    fn keep(&mut self, r: &Record<'_>) {
        let records = &mut self.now.records;
        let what = if records.len() >= MAX_RECORDS {
            format!("more than {MAX_RECORDS} records in one boot; the rest were only counted")
        } else if records.text_bytes() + r.text.len() > MAX_TEXT_BYTES {
            format!("more than {} MiB of text in one boot; the rest was only counted", MAX_TEXT_BYTES >> 20)
        } else {
            return records.push(r);
        };
        self.now.problems.add(ProblemKind::TooManyRecords, r.bytes, || what);
    }

    /// Ends the wait for the boot before: the one in hand repeats it, or is another.
    fn hand_over_earlier(&mut self) {
        if let Some(mut earlier) = self.earlier.take() {
            if earlier.is_repeated_by(&self.now) {
                let tail = self.now.records.len() - self.tail.min(self.now.records.len());
                self.now = earlier.join(std::mem::take(&mut self.now));
                self.again = PrintedAgain::default();
                self.tail = self.now.records.len() - tail;
            } else {
                self.complete.push_back(earlier.into_boot());
            }
        }
    }

    /// Decides whether what a banner began is a repetition of the previous boot's log.
    fn ask_earlier(&mut self, r: &Record<'_>) {
        match self.earlier.as_mut().map(|e| e.ask(r, &self.now)) {
            Some(BannerVerdict::Another) => {
                if let Some(earlier) = self.earlier.take() {
                    self.complete.push_back(earlier.into_boot());
                }
            }
            Some(BannerVerdict::Same) => {
                let Some(earlier) = self.earlier.take() else { return };
                self.now = earlier.join(std::mem::take(&mut self.now));
                self.again = PrintedAgain::default();
                self.tail = self.now.records.len();
            }
            Some(BannerVerdict::Open) | None => {}
        }
    }

    /// The boot in hand has ended; the next one's first kernel record has a stamp, or none.
    fn hand_over(&mut self, next_has_stamps: bool) {
        self.hand_over_earlier();
        let mut next = self.now.records.split_off(self.tail.min(self.now.records.len()));
        // Boots of one input are about as long.
        next.reserve_as(&self.now.records);
        let header = self.now.header.clone();
        let mut finished =
            std::mem::replace(&mut self.now, BootRecords { records: next, header, ..Default::default() });
        if next_has_stamps && is_banner_alone(&finished) {
            finished.records = banner_alone::before(&finished.records, &self.now.records);
            self.now = finished;
        } else {
            match EarlierBoot::hold(finished, self.asked_for_all) {
                Ok(earlier) => self.earlier = Some(earlier),
                Err(finished) => self.complete.push_back(*finished),
            }
        }
        self.again = PrintedAgain::default();
        self.seen_kernel = false;
        self.seen_banner = false;
        self.may_boot = false;
        self.last_stamp = None;
        self.tail = 0;
    }
}

/// Whether a kernel's log begins with a text.
fn begins_log(text: &str) -> bool {
    is_banner(text) || precedes_banner(text)
}

/// Whether a record is a boot loader's first or last word, or a kernel's last.
fn boots(r: &Record<'_>) -> bool {
    const RESTARTS: Beginnings = Beginnings::new(&[
        "reboot: Restarting system",
        "Rebooting in ",
        "Starting new kernel",
        "kexec_core: Starting new kernel",
    ]);
    announces_boot(r.text.as_bytes()) || RESTARTS.begin(r.text.as_bytes())
}

/// Whether a line at a prompt has the kernel's whole log printed, once: `# dmesg`, `$ sudo dmesg -x`.
fn asks_for_all(text: &str) -> bool {
    let command = text.rsplit(['#', '$', '>', '%']).next().unwrap_or(text).trim();
    let mut words = command.split_whitespace().skip_while(|word| *word == "sudo");
    let is_dmesg = words.next().is_some_and(|word| word.rsplit('/').next() == Some("dmesg"));
    // Other options print a part, in another form, or nothing; a pipe or a file may take all of it.
    let is_short = |word: &str| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty());
        letters.is_some_and(|letters| letters.chars().all(|c| "xrckSPL".contains(c)))
    };
    let is_long = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        ["--decode", "--raw", "--kernel", "--syslog", "--nopager", "--color"].contains(&name)
    };
    is_dmesg && words.all(|word| is_short(word) || is_long(word))
}

/// Whether a line separates two boots in a journal or a syslog.
fn separates_boots(r: &Record<'_>) -> bool {
    let is_mark = |text: &str| text.starts_with("-- Reboot --") || text.starts_with("-- Boot ");
    let is_logger_start = |text: &str| {
        text.contains("syslogd started: ") || text.contains("software=\"rsyslogd\"") && text.ends_with(" start")
    };
    r.source == RecordOrigin::Other && (is_mark(r.text) || is_logger_start(r.text))
}

/// No kernel stamps a record with zero this long after one that it stamped later: its clock began again.
const RESTART: Dur = Dur::from_millis(500);

/// What a processor logs that is brought up in the middle of the boot, before its own clock runs (kvm_register_clock in
/// arch/x86/kernel/kvmclock.c, cpu_init, secondary_start_kernel).
fn is_of_another_processor(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "kvm-clock: cpu ",
        "kvm-stealtime: cpu ",
        "KVM setup async PF for cpu ",
        "Initializing CPU#",
        "Calibrating delay ",
        "masked ExtINT on CPU#",
        "x86 PAT enabled: cpu ",
        "smpboot: CPU",
    ];
    let is_numbered = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '#');
    text.strip_prefix("CPU").is_some_and(is_numbered) || WORDS.iter().any(|words| text.starts_with(words))
}

impl Sink for Splitter {
    fn record(&mut self, mut r: Record<'_>) {
        self.jiffies.count_from_start(&mut r);
        if self.is_printed_again(&r) {
            self.now.printed_again += 1;
            return;
        }
        if self.starts_next(&r) {
            self.hand_over(r.stamp.is_some());
        }
        self.leave_out_earliest();
        if separates_boots(&r) {
            self.tail = self.now.records.len();
        }
        self.keep(&r);
        if r.source == RecordOrigin::Other && !r.text.trim().is_empty() {
            self.asked = r.text.contains("dmesg");
            self.asked_for_all = self.asked && asks_for_all(r.text);
        }
        if boots(&r) {
            self.may_boot = true;
        } else if r.source == RecordOrigin::Kernel {
            self.may_boot = false;
        }
        if r.source == RecordOrigin::Kernel {
            self.seen_banner |= is_banner(r.text);
            self.seen_kernel |= self.seen_banner || r.stamp.is_some_and(|s| s.since_origin() > Dur::ZERO);
            self.last_stamp = r.stamp.or(self.last_stamp);
            self.tail = self.now.records.len();
        }
        self.ask_earlier(&r);
    }

    fn problem(&mut self, kind: ProblemKind, bytes: ByteRange, detail: &str) {
        self.now.problems.add(kind, bytes, || detail.to_owned());
    }

    fn header(&mut self, h: &Header) {
        self.now.header = Some(h.clone());
    }

    fn note(&mut self, n: &Note) {
        let length = |n: &Note| n.detail.len() + n.mark.as_ref().map_or(0, |m| m.name.len() + m.input.len());
        let held: usize = self.now.notes.iter().map(length).sum();
        if self.now.notes.len() < MAX_NOTES && held + length(n) <= MAX_NOTE_BYTES {
            self.now.notes.push(n.clone());
        }
    }

    fn unit_event(&mut self, event: UnitEvent) {
        if self.now.unit_events.len() < MAX_RECORDS {
            self.now.unit_events.push(event);
        }
    }
}
