// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a system logger writes: `/var/log/kern.log`, `/var/log/messages`, `journalctl` in its short forms, `logread`.
//!
//! ```text
//! Apr 24 16:37:21 board kernel: [    1.234567] usb 1-1: new device
//! Apr 24 16:37:21 board kern.info kernel: [    1.234567] usb 1-1: new device     busybox
//! 2026-04-24T16:37:21.964123+02:00 board systemd[1]: Reached target Basic System.
//! Fri 2026-04-24 16:37:21 CEST board kernel: usb 1-1: new device                 journalctl -o short-full
//! Fri Apr 24 16:37:21 2026 kern.info kernel: [    1.234567] usb 1-1: new device  OpenWrt's logread
//! <6>Apr 24 16:37:21 board kernel: [    1.234567] usb 1-1: new device            with the priority of RFC 3164
//! <6>1 2026-04-24T16:37:21.964123Z board kernel - - - [    1.234567] usb 1-1: new device            RFC 5424
//! Apr 24 16:37:21 kernel: usb 1-1: new device                                    journalctl --no-hostname
//! Apr 24 16:37:21 board kernel[12]: usb 1-1: new device                          another machine's log, forwarded
//! Apr 24 16:37:21 [kernel] usb 1-1: new device                                   metalog
//! avril 24 16:37:21 board kernel: usb 1-1: new device                            journalctl in another language
//! ```
//! The wall-clock time is that at which the logger read the record, long after it was stored: where the kernel's stamp is in
//! the text, it is not used. journalctl drops the stamp; then the time of receipt is all there is, and says nothing of what
//! was logged before the logger started.
use super::arrival_clock::ArrivalClock;
use super::journal_short::{Entry, entry};
use super::kmsg::console_len;
use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::stamp::{Scanner, StampClock, calendar};
use super::{ByteRange, Format, Level, ProblemKind, RecordOrigin, Sink, dmesg, prefix, stamp};
use bootline_capture::units::Dur;

/// How long before it was read a record may have been stored, at the least.
const RECEIPT: Dur = Dur::from_secs(1);

/// Decodes a logger's lines.
#[derive(Debug, Default)]
pub(super) struct Syslog {
    clock: ArrivalClock,
    /// Of a log in which the kernel has stamped nothing so far: where the first of its records stands, and how many followed.
    unstamped: Option<(ByteRange, u64)>,
    has_stamps: bool,
}

/// Records of a kernel without its stamps that a logger of a kernel with stamps may write: its own, about its start.
const MOST_UNSTAMPED: u64 = 8;

const ONLY_RECEIPT: &str = "the log has the times at which the kernel's records were read, not its own stamps";

impl Syslog {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let Some(Parsed { time, entry, level }) = parse(body) else {
            return self.not_the_logger_s(line, out);
        };
        let mut read = *line;
        read.stamped = Some(self.clock.advance(StampClock::Calendar, time).arrival(RECEIPT));
        if !entry.is_kernel {
            let line = &read;
            return out.stretch(RecordHead { level, ..RecordHead::OTHER }, line, 0, entry.text_from, body.len(), 0);
        }
        let mut head = RecordHead { source: RecordOrigin::Kernel, level, stamp: None, caller: None };
        let mut text_from = entry.text_from;
        let is_unstamped_banner = body[text_from..].starts_with(b"Linux version ");
        if let Some(found) = prefix::parse(&body[text_from..]) {
            if found.stamp == prefix::Stamp::Overflow {
                let range = line.range(0, body.len());
                out.problem(ProblemKind::StampOverflow, range, "a stamp too large to be a time");
            }
            head.stamp = found.stamp.time();
            head.caller = found.caller;
            text_from += found.len;
            self.has_stamps |= head.stamp.is_some();
        } else if is_unstamped_banner {
            self.has_stamps = true;
        } else {
            let (_, count) = self.unstamped.get_or_insert((line.range(0, body.len()), 0));
            *count += 1;
        }
        let line = if head.stamp.is_some() { line } else { &read };
        out.stretch(head, line, 0, text_from, body.len(), console_len(&head, &body[text_from..]));
        if is_unstamped_banner {
            // After its record, which may begin another boot: it is that one's problem.
            out.problem(ProblemKind::ReceiptTimes, line.range(0, body.len()), ONLY_RECEIPT);
        }
    }

    /// A line of another form: people put the kernel's own log after the logger's.
    fn not_the_logger_s<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let level_len = prefix::parse_level(body).map_or(0, |(_, len)| len);
        let stamp = prefix::glued_at(body, level_len).and_then(|_| prefix::parse(body));
        let Some(found) = stamp.filter(|found| found.stamp.time().is_some()) else {
            return out.other_line(line, 0);
        };
        self.has_stamps = true;
        let head = RecordHead {
            source: RecordOrigin::Kernel,
            level: found.level,
            stamp: found.stamp.time(),
            caller: found.caller,
        };
        out.stretch(head, line, 0, found.len, body.len(), console_len(&head, &body[found.len..]));
    }

    /// The input has ended: an excerpt without a banner has only times of receipt, too.
    pub fn finish<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        if let Some((first, _)) = self.unstamped.filter(|(_, count)| !self.has_stamps && *count > MOST_UNSTAMPED) {
            out.problem(ProblemKind::ReceiptTimes, first, ONLY_RECEIPT);
        }
    }
}

/// Whether a line is one that only a logger writes: the kernel's, or one of a process with its number.
pub(super) fn probe(body: &[u8]) -> bool {
    parse(body).is_some_and(|found| found.entry.is_only_a_logger_s())
}

struct Parsed {
    /// When it was read, from 1970.
    time: i64,
    entry: Entry,
    level: Option<Level>,
}

fn parse(body: &[u8]) -> Option<Parsed> {
    let (priority, from) = match prefix::parse_level(body) {
        Some((level, len)) => (Some(level), len),
        None => (None, 0),
    };
    if priority.is_some() && body[from..].starts_with(b"1 ") {
        return parse_5424(body, from + 2, priority);
    }
    let (time, len) = time(&body[from..])?;
    if body[from + len..].starts_with(b"[kernel] ") {
        let text_from = from + len + b"[kernel] ".len();
        let entry = Entry { is_kernel: true, has_pid: false, has_host: false, between: from..from, text_from };
        return Some(Parsed { time, entry, level: priority });
    }
    let entry = entry(body, from + len)?;
    let between = body[entry.between.clone()].trim_ascii_end();
    // OpenWrt names no host.
    let host = &body[from + len..entry.between.start];
    let level = [between, host.trim_ascii_end()].into_iter().find_map(|word| {
        let dot = memchr::memchr(b'.', word)?;
        dmesg::level_named(&word[dot + 1..])
    });
    Some(Parsed { time, entry, level: level.or(priority) })
}

/// Length of `-`, or of `[id name="value"][id]`, where a bracket in a value has a backslash in front (RFC 5424, 6.3).
fn structured_data(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while bytes.get(at) == Some(&b'[') {
        let (mut quoted, mut escaped) = (false, false);
        at += 1 + bytes[at..].iter().position(|b| {
            let ends = !quoted && *b == b']';
            quoted ^= *b == b'"' && !escaped;
            escaped = *b == b'\\' && !escaped;
            ends
        })?;
    }
    Some(at.max(1))
}

/// After version 1 of RFC 5424: time, host, program, process, kind and structured data, then the text.
fn parse_5424(body: &[u8], from: usize, level: Option<Level>) -> Option<Parsed> {
    let (nanos, len) = time(&body[from..])?;
    let mut at = from + len;
    let mut words: [&[u8]; 4] = [b""; 4];
    for word in &mut words {
        let end = memchr::memchr(b' ', &body[at..body.len().min(at + 256)])?;
        *word = &body[at..at + end];
        at += end + 1;
    }
    at = (at + structured_data(&body[at..])? + 1).min(body.len());
    at += if body[at..].starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let [_, program, process, _] = words;
    let is_kernel = program == b"kernel";
    let text_from = if is_kernel { at } else { from + len };
    let entry = Entry { is_kernel, has_pid: process != b"-", has_host: true, between: at..at, text_from };
    Some(Parsed { time: nanos, entry, level })
}

/// The time at the start of a line, from 1970, and its length.
fn time(bytes: &[u8]) -> Option<(i64, usize)> {
    if let Some(time) = stamp::parse(bytes).filter(|time| time.format == Format::Ts) {
        return Some((time.nanos, time.len));
    }
    let mut scan = Scanner { bytes, at: 0 };
    if let Some(nanos) = scan.local_day_and_time() {
        return Some((nanos, scan.at));
    }
    scan.weekday()?;
    let nanos = match scan.date() {
        Some(days) => {
            scan.take(b' ')?;
            let (nanos, _) = scan.time_of_day()?;
            scan.take(b' ')?;
            // The zone's name.
            let zone = bytes[scan.at..].iter().take(8).position(|b| *b == b' ')?;
            scan.at += zone;
            calendar(days, nanos)
        }
        None => scan.day_time_and_year()?.0,
    };
    scan.take(b' ')?;
    Some((nanos, scan.at))
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, tests};

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::Syslog, input, expected, problems);
    }

    #[test]
    fn entries() {
        check("Mar  1 10:00:00 board kernel: [    1.000000] a\n", &["K - 1.000000 - a"], &[]);
        check("Mar  1 10:00:00 board kern.warn kernel: [    1.000000] a\n", &["K 4 1.000000 - a"], &[]);
        check("2026-03-01T10:00:00.5+01:00 board kernel: a\n", &["K - - - a"], &[]);
        check("Sun 2026-03-01 10:00:00 CET board kernel: a\n", &["K - - - a"], &[]);
        check("Sun Mar  1 10:00:00 2026 kern.notice kernel: [    0.000000] a\n", &["K 5 0.000000 - a"], &[]);
        check("<4>Mar  1 10:00:00 board kernel: [    1.000000] a\n", &["K 4 1.000000 - a"], &[]);
        check("<4>1 2026-03-01T10:00:00.5Z board kernel - - - [    1.000000] a\n", &["K 4 1.000000 - a"], &[]);
        let data = "<4>1 2026-03-01T10:00:00.5Z board kernel - - [a b=\"x\\\"]y\"][c d=\"z\"] [    1.000000] a\n";
        check(data, &["K 4 1.000000 - a"], &[]);
        check("Mar  1 10:00:00 board systemd[1]: a\n", &["O - - - systemd[1]: a"], &[]);
        check("Mar  1 10:00:00 board kernel[12]:  a\n", &["K - - - a"], &[]);
        check("Mar  1 10:00:00 board kernel[12]: [    1.000000] a\n", &["K - 1.000000 - a"], &[]);
        check("Mar  1 10:00:00 board kerneloops[12]: a\n", &["O - - - kerneloops[12]: a"], &[]);
        check("Mar  1 10:00:00 kernel: a\n", &["K - - - a"], &[]);
        check("Mar  1 10:00:00 [kernel] a: b\n", &["K - - - a: b"], &[]);
        check("Mär 01 10:00:00 board kernel: a\n", &["K - - - a"], &[]);
        check("déc. 01 10:00:00 board kernel: a\n", &["K - - - a"], &[]);
        check("3月 01 10:00:00 board kernel: a\n", &["K - - - a"], &[]);
        check("Mar  1 10:00:00 board\n", &["O - - - Mar  1 10:00:00 board"], &[]);
    }

    #[test]
    fn without_the_kernel_s_stamps_there_are_only_times_of_receipt() {
        let banner = "Mar  1 10:00:00 board kernel: Linux version 6.6.1\n";
        check(banner, &["K - - - Linux version 6.6.1"], &[ProblemKind::ReceiptTimes]);
        let excerpt = "Mar  1 10:00:00 board kernel: a\n";
        check(&excerpt.repeat(9), &["K - - - a"; 9], &[ProblemKind::ReceiptTimes]);
        let stamped = format!("{}Mar  1 10:00:00 board kernel: [    1.000000] b\n", excerpt.repeat(9));
        check(&stamped, &[&["K - - - a"; 9][..], &["K - 1.000000 - b"]].concat(), &[]);
    }

    #[test]
    fn the_kernel_s_own_log_may_follow() {
        let log = "Mar  1 10:00:00 board cron[12]: a\n<6>[    1.000000][    T1] b\n[    1.5] c\n[1.500000] d\n";
        check(log, &["O - - - cron[12]: a", "K 6 1.000000 T1 b", "O - - - [    1.5] c", "O - - - [1.500000] d"], &[]);
    }

    #[test]
    fn stamped_console_output_is_not_taken_for_a_logger_s() {
        for line in ["Mar  1 10:00:00 [    1.000000] usb 1-1: new", "Mar  1 10:00:00 systemd[1]: a: b"] {
            assert!(!super::probe(line.as_bytes()), "{line}");
        }
    }
}
