// SPDX-License-Identifier: MIT OR Apache-2.0
//! `/dev/kmsg`, as `cat` reads it.
//!
//! ```text
//! 6,160,424069,-,caller=T1;pci_root PNP0A03:00: host bridge window\x0asecond line
//!  SUBSYSTEM=acpi
//!  DEVICE=+acpi:PNP0A03:00
//! ```
//! Source: Documentation/ABI/testing/dev-kmsg, `info_print_ext_header` and `msg_add_ext_text` in kernel/printk/printk.c:
//! facility * 8 + level, sequence number, microseconds, `-` or `c` for a fragment; bytes outside printable ASCII and
//! backslashes as `\x..`. Lines that begin with a blank name the device; no record is made of them. The kernel overwrites
//! what nobody read in time: a sequence number that is not the next one shows it.
use memchr::memchr;

use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::prefix;
use super::{Caller, Level, ProblemKind, RecordOrigin, Sink};
use bootline_capture::units::KernelTime;

/// Decodes records of /dev/kmsg.
#[derive(Debug, Default)]
pub(super) struct Kmsg {
    next_sequence: Option<u64>,
    text: Vec<u8>,
}

impl Kmsg {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        if body.is_empty() || body[0] == b' ' {
            return;
        }
        let range = line.range(0, body.len());
        let Some(found) = parse(body) else {
            out.problem(ProblemKind::BadLine, range, "a line that is no record of /dev/kmsg");
            return out.other_line(line, 0);
        };
        match self.next_sequence {
            Some(next) if found.sequence > next => {
                let detail = format!("{} records before sequence number {}", found.sequence - next, found.sequence);
                out.problem(ProblemKind::RecordsLost, range, &detail);
            }
            None if found.sequence > 0 => {
                let detail = format!("the first record has sequence number {}", found.sequence);
                out.problem(ProblemKind::BeginningLost, range, &detail);
            }
            _ => {}
        }
        self.next_sequence = Some(found.sequence.saturating_add(1));
        if found.stamp.is_none() {
            out.problem(ProblemKind::StampOverflow, range, "a stamp too large to be a time");
        }
        let text = &body[found.len..];
        let text = match memchr(b'\\', text) {
            None => text,
            Some(_) => {
                unescape(text, &mut self.text);
                &self.text
            }
        };
        let head = RecordHead {
            source: RecordOrigin::Kernel,
            level: Some(found.level),
            stamp: found.stamp,
            caller: found.caller,
        };
        out.record(head, range, line.arrival(0, body.len()), console_len(&head, text), text);
    }
}

/// Whether a line is a record of this format.
pub(super) fn probe(body: &[u8]) -> bool {
    parse(body).is_some()
}

/// What the kernel would print on a console: each line of the text with the prefix.
pub(super) fn console_len(head: &RecordHead, text: &[u8]) -> u32 {
    let lines = 1 + memchr::memchr_iter(b'\n', text.strip_suffix(b"\n").unwrap_or(text)).count();
    let prefixes = lines * (prefix::printed_len(head.stamp, head.caller) + "\r\n".len());
    let feeds = lines - 1 + usize::from(text.ends_with(b"\n"));
    u32::try_from(prefixes + text.len() - feeds).unwrap_or(u32::MAX)
}

struct Parsed {
    level: Level,
    sequence: u64,
    /// `None` where it overflows.
    stamp: Option<KernelTime>,
    caller: Option<Caller>,
    len: usize,
}

fn parse(body: &[u8]) -> Option<Parsed> {
    let head = &body[..memchr(b';', &body[..body.len().min(256)])?];
    let mut fields = std::str::from_utf8(head).ok()?.split(',');
    let mut first = fields.next()?;
    if first.starts_with(|c: char| c.is_ascii_digit()) && first.contains('.') {
        // netconsole with its release prepended.
        first = fields.next()?;
    }
    let priority = number(first)?;
    let sequence = number(fields.next()?)?;
    let micros = number(fields.next()?)?;
    let flags = fields.next()?;
    if !matches!(flags, "-" | "c" | "+") {
        return None;
    }
    let caller = fields.find_map(|f| {
        let id = f.strip_prefix("caller=")?.as_bytes();
        prefix::caller_id(id).filter(|(_, digits)| digits + 1 == id.len()).map(|(caller, _)| caller)
    });
    let nanos = i64::try_from(micros).ok().and_then(|us| us.checked_mul(1_000));
    Some(Parsed {
        level: Level((priority & 7) as u8),
        sequence,
        stamp: nanos.map(KernelTime::from_nanos),
        caller,
        len: head.len() + 1,
    })
}

fn number(field: &str) -> Option<u64> {
    if field.is_empty() || !field.bytes().all(|b| b.is_ascii_digit()) { None } else { field.parse().ok() }
}

fn unescape(text: &[u8], into: &mut Vec<u8>) {
    into.clear();
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        into.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
        match rest {
            [b'\\', b'x', high, low, ..] if hex(*high).is_some() && hex(*low).is_some() => {
                into.push(hex(*high).unwrap_or(0) * 16 + hex(*low).unwrap_or(0));
                rest = &rest[4..];
            }
            _ => {
                into.push(b'\\');
                rest = &rest[1..];
            }
        }
    }
    into.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::super::output::RecordHead;
    use super::super::{Format, ProblemKind, tests};
    use bootline_capture::units::KernelTime;

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::Kmsg, input, expected, problems);
    }

    #[test]
    fn records() {
        check("6,0,1000000,-;a\n SUBSYSTEM=x\n", &["K 6 1.000000 - a"], &[]);
        check("30,0,1000000,c,caller=C1,more;a;b\n", &["K 6 1.000000 C1 a;b"], &[]);
        check("6.6.30,6,0,1000000,-;a\n", &["K 6 1.000000 - a"], &[]);
        check("6,0,1000000,-;a\\x0ab\\x5c\\x\n", &["K 6 1.000000 - a\nb\\\\x"], &[]);
    }

    #[test]
    fn sequence_numbers() {
        check("6,7,0,-;a\n", &["K 6 0.000000 - a"], &[ProblemKind::BeginningLost]);
        check("6,0,0,-;a\n6,2,0,-;b\n", &["K 6 0.000000 - a", "K 6 0.000000 - b"], &[ProblemKind::RecordsLost]);
    }

    #[test]
    fn damage() {
        check("6,0,0;a\n", &["O - - - 6,0,0;a"], &[ProblemKind::BadLine]);
        check("6,0,9999999999999999999,-;a\n", &["K 6 - - a"], &[ProblemKind::StampOverflow]);
    }

    #[test]
    fn length_on_a_console() {
        let head = RecordHead { stamp: Some(KernelTime::from_nanos(0)), ..RecordHead::OTHER };
        let len = |text: &str| super::console_len(&head, text.as_bytes()) as usize;
        assert_eq!(len("a"), "[    0.000000] a\r\n".len());
        assert_eq!(len("a\n"), "[    0.000000] a\r\n".len());
        assert_eq!(len("a\nb"), "[    0.000000] a\r\n[    0.000000] b\r\n".len());
    }
}
