// SPDX-License-Identifier: MIT OR Apache-2.0
//! `journalctl -o short-monotonic` and `-o short-delta`.
//!
//! ```text
//! -- Boot 1f6f0f0e6f9b4b7d8f6d3a0c4a4a4a4a --
//! [    1.234567] board kernel: usb 1-1: new high-speed USB device
//! [    2.345678] board systemd[1]: Reached target Basic System.
//! [    2.345678 <    1.111111 >] board systemd[1]: Reached target.    -o short-delta
//! ```
//! Entries of `kernel` are the kernel's. Those of other units become records of [`Source::Other`] with a stamp too: the
//! journal stamps them with CLOCK_MONOTONIC, which starts with the kernel's clock and differs from it by milliseconds. Older
//! versions print that time for the kernel's entries, too ([`super::journal_entry::ReceiptTimes`]).
//! They were not on the console, so their `wire_len` is 0. Further lines of an entry are indented by the journal; each
//! becomes a record with the stamp of the one before.
use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::journal_entry::ReceiptTimes;
use super::kmsg::console_len;
use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::prefix;
use super::{ProblemKind, RecordOrigin, Sink};
use bootline_capture::units::KernelTime;

/// Decodes journal lines.
#[derive(Debug, Default)]
pub(super) struct JournalShort {
    last: Option<RecordHead>,
    receipt: ReceiptTimes,
}

impl JournalShort {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let (head, text_from) = match parse(body) {
            Some((stamp, entry)) => {
                let source = if entry.is_kernel { RecordOrigin::Kernel } else { RecordOrigin::Other };
                let mut head = RecordHead { source, level: None, stamp, caller: None };
                if entry.is_kernel {
                    let range = line.range(0, body.len());
                    head.stamp = self.receipt.stored(stamp, &body[entry.text_from..], range, out);
                }
                if stamp.is_none() {
                    let range = line.range(0, body.len());
                    out.problem(ProblemKind::StampOverflow, range, "a stamp too large to be a time");
                }
                self.last = Some(head);
                (head, entry.text_from)
            }
            None => match self.last {
                Some(head) if body.starts_with(b"        ") => (head, body.iter().take_while(|b| **b == b' ').count()),
                _ => (RecordHead::OTHER, 0),
            },
        };
        let text = &body[text_from..];
        let line_bytes = if head.source == RecordOrigin::Kernel { console_len(&head, text) } else { 0 };
        out.stretch(head, line, 0, text_from, body.len(), line_bytes);
    }
}

/// Whether a line is one that only the journal prints: the kernel's, or one of a process with its number.
pub(super) fn probe(body: &[u8]) -> bool {
    parse(body).is_some_and(|(_, entry)| entry.is_only_a_logger_s())
}

fn parse(body: &[u8]) -> Option<(Option<KernelTime>, Entry)> {
    let (stamp, len) = prefix::parse_stamp(body).or_else(|| stamp_and_delta(body))?;
    body[len..].strip_prefix(b" ")?;
    Some((stamp.time(), entry(body, len + 1)?))
}

/// `[    1.234567 <    0.000012 >]`; blanks where there is no entry before, and a star where the clock is another boot's.
fn stamp_and_delta(body: &[u8]) -> Option<(prefix::Stamp, usize)> {
    let near = &body[..body.len().min(64)];
    let end = memchr(b']', near)?;
    let decimals = memchr(b'.', &near[..end])? + 7;
    let delta = near.get(decimals..end)?;
    let is_delta = |b: &u8| b.is_ascii_digit() || matches!(b, b' ' | b'<' | b'>' | b'.' | b'*');
    if !delta.starts_with(b" ") || !delta.iter().all(is_delta) {
        return None;
    }
    let mut alone = near[..decimals].to_vec();
    alone.push(b']');
    prefix::parse_stamp(&alone).map(|(stamp, _)| (stamp, end + 1))
}

/// What stands after the time of a journal or syslog line: `host unit[pid]: text`, or without the host (`--no-hostname`).
pub(super) struct Entry {
    pub is_kernel: bool,
    pub has_pid: bool,
    pub has_host: bool,
    /// Between host and unit: where busybox's syslogd puts facility and level.
    pub between: Range<usize>,
    /// Where the text begins: after the unit, but of other units than the kernel the unit is part of it. What
    /// `systemd[1]` says is not what `avahi` says.
    pub text_from: usize,
}

impl Entry {
    /// Whether no console shows such a line: without a host it may be what a process itself wrote.
    pub fn is_only_a_logger_s(&self) -> bool {
        self.is_kernel || self.has_pid && self.has_host
    }
}

/// Longest host and unit that are looked for.
const LONGEST_NAME: usize = 256;

pub(super) fn entry(body: &[u8], from: usize) -> Option<Entry> {
    let rest = &body[from..];
    let host = memchr(b' ', &rest[..rest.len().min(LONGEST_NAME)])?;
    if host == 0 {
        return None;
    }
    let has_host = !rest[..host].ends_with(b":");
    let after_host = if has_host { from + host + 1 } else { from };
    let near = &body[after_host..body.len().min(after_host + LONGEST_NAME)];
    let colon = memmem::find(near, b": ").or_else(|| near.strip_suffix(b":").map(|n| n.len()))?;
    let name_from = memrchr(b' ', &near[..colon]).map_or(0, |space| space + 1);
    let name = &near[name_from..colon];
    let has_pid = name.ends_with(b"]")
        && memchr(b'[', name).is_some_and(|bracket| {
            let pid = &name[bracket + 1..name.len() - 1];
            bracket > 0 && !pid.is_empty() && pid.iter().all(u8::is_ascii_digit)
        });
    // A forwarder names itself by its process, and sets its text off by another blank.
    let is_forwarded = has_pid && name.starts_with(b"kernel[");
    let is_kernel = name == b"kernel" || is_forwarded;
    let blanks = 1 + usize::from(is_forwarded && near[colon + 1..].starts_with(b"  "));
    let text_from = if is_kernel { (after_host + colon + 1 + blanks).min(body.len()) } else { after_host };
    if !has_host && !is_kernel && !has_pid {
        return None;
    }
    Some(Entry { is_kernel, has_pid, has_host, between: after_host..after_host + name_from, text_from })
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, tests};

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::JournalShort, input, expected, problems);
    }

    #[test]
    fn entries() {
        check("[    1.000000] board kernel: a: b\n", &["K - 1.000000 - a: b"], &[]);
        check("[    1.000000] board kernel: \n", &["K - 1.000000 - "], &[]);
        check("[    1.000000] board avahi[12]: a\n", &["O - 1.000000 - avahi[12]: a"], &[]);
        check("[    1.000000                ] board kernel: a\n", &["K - 1.000000 - a"], &[]);
        check("[    1.500000 <    0.500000 >] board kernel: a\n", &["K - 1.500000 - a"], &[]);
        check("[    1.000000] kernel: a\n", &["K - 1.000000 - a"], &[]);
        check("[    1.000000] avahi[12]: a\n", &["O - 1.000000 - avahi[12]: a"], &[]);
        check("-- Boot 12 --\n", &["O - - - -- Boot 12 --"], &[]);
    }

    #[test]
    fn times_of_receipt_are_not_the_kernel_s() {
        let log = "[   16.000000] board kernel: Linux version 6.6.1\n[   16.010000] board kernel: Run /init\n\
                   [   20.000000] board kernel: late\n[    0.000000] board kernel: Linux version 6.6.1\n";
        let expected = [
            "K - - - Linux version 6.6.1",
            "K - - - Run /init",
            "K - 20.000000 - late",
            "K - 0.000000 - Linux version 6.6.1",
        ];
        check(log, &expected, &[ProblemKind::ReceiptTimes]);
    }

    #[test]
    fn what_the_kernel_logs_before_its_banner_was_received_with_it() {
        let log = "[    1.500000] board kernel: Booting Linux on physical CPU 0x0\n\
                   [    1.500009] board kernel: Linux version 6.6.1\n";
        let expected = ["K - - - Booting Linux on physical CPU 0x0", "K - - - Linux version 6.6.1"];
        check(log, &expected, &[ProblemKind::ReceiptTimes]);
    }

    #[test]
    fn several_lines() {
        let entry = "[    1.000000] board kernel: a\n                             b\n";
        check(entry, &["K - 1.000000 - a", "K - 1.000000 - b"], &[]);
    }

    #[test]
    fn the_console_s_lines_are_not_taken_for_the_journal_s() {
        for line in ["[    1.000000] usb 1-1: new", "[    1.000000] systemd[1]: a: b", "[    1.000000] audit: type=1"] {
            assert!(!super::probe(line.as_bytes()), "{line}");
        }
    }
}
