// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a system logger writes: `/var/log/kern.log`, `/var/log/messages`, `journalctl`, `journalctl -o short-iso`.
//!
//! ```text
//! Apr 24 16:37:21 board kernel: [    1.234567] usb 1-1: new device
//! Apr 24 16:37:21 board kern.info kernel: [    1.234567] usb 1-1: new device     busybox
//! 2026-04-24T16:37:21.964123+02:00 board systemd[1]: Reached target Basic System.
//! ```
//! The wall-clock time is that at which the logger read the record, long after it was stored: it is not used. Entries of
//! `kernel` are the kernel's, with its stamp where the logger left it in the text (journalctl drops it).
use super::journal_short::entry;
use super::kmsg::console_len;
use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::{Format, Level, ProblemKind, RecordOrigin, Sink, dmesg, prefix, stamp};

/// Decodes a logger's lines.
#[derive(Debug, Default)]
pub(super) struct Syslog;

impl Syslog {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let Some((entry, level)) = parse(body) else {
            return out.other_line(line, 0);
        };
        if !entry.is_kernel {
            return out.stretch(RecordHead { level, ..RecordHead::OTHER }, line, 0, entry.text_from, body.len(), 0);
        }
        let mut head = RecordHead { source: RecordOrigin::Kernel, level, stamp: None, caller: None };
        let mut text_from = entry.text_from;
        if let Some(found) = prefix::parse(&body[text_from..]) {
            if found.stamp == prefix::Stamp::Overflow {
                let range = line.range(0, body.len());
                out.problem(ProblemKind::StampOverflow, range, "a stamp too large to be a time");
            }
            head.stamp = found.stamp.time();
            head.caller = found.caller;
            text_from += found.len;
        }
        out.stretch(head, line, 0, text_from, body.len(), console_len(&head, &body[text_from..]));
    }
}

/// Whether a line is one that only a logger writes: the kernel's, or one of a process with its number.
pub(super) fn probe(body: &[u8]) -> bool {
    parse(body).is_some_and(|(entry, _)| entry.is_kernel || entry.has_pid)
}

fn parse(body: &[u8]) -> Option<(super::journal_short::Entry, Option<Level>)> {
    let time = stamp::parse(body).filter(|time| time.format == Format::Ts)?;
    let entry = entry(body, time.len)?;
    let between = body[entry.between.clone()].trim_ascii_end();
    let level = match memchr::memchr(b'.', between) {
        Some(dot) => dmesg::level_named(&between[dot + 1..]),
        None => None,
    };
    Some((entry, level))
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
        check("Mar  1 10:00:00 board systemd[1]: a\n", &["O - - - systemd[1]: a"], &[]);
        check("Mar  1 10:00:00 board\n", &["O - - - Mar  1 10:00:00 board"], &[]);
    }

    #[test]
    fn stamped_console_output_is_not_taken_for_a_logger_s() {
        for line in ["Mar  1 10:00:00 [    1.000000] usb 1-1: new", "Mar  1 10:00:00 systemd[1]: a: b"] {
            assert!(!super::probe(line.as_bytes()), "{line}");
        }
    }
}
