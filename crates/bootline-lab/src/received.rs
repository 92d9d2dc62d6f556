// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was received, split into log lines, from which a run's fidelity is judged.
use bootline_capture::units::{HostTime, KernelTime};

/// Beyond this many bytes, lines are no longer kept (a guest that never stops printing); the capture still has them.
const MAX_KEPT: usize = 32 << 20;
/// A line without an end is cut here.
const MAX_LINE: usize = 64 << 10;

/// A log line as received, without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedLine {
    pub text: Vec<u8>,
    /// Arrival of its first byte.
    pub first: HostTime,
    /// Arrival of its last one, the line end.
    pub last: HostTime,
    /// Bytes received before it.
    pub offset: u64,
    /// Length in bytes, including the line end.
    pub len: u64,
}

/// Gathers lines.
#[derive(Debug, Default)]
pub(crate) struct ReceivedLines {
    lines: Vec<ReceivedLine>,
    current: Option<ReceivedLine>,
    kept: usize,
    bytes: u64,
    overflowed: bool,
}

impl ReceivedLines {
    /// Bytes that arrived at `at`; `on_line` sees each line as it ends.
    pub fn push(&mut self, at: HostTime, bytes: &[u8], on_line: &mut impl FnMut(&ReceivedLine)) {
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            let offset = self.bytes;
            self.bytes += part.len() as u64;
            let line = self.current.get_or_insert_with(|| ReceivedLine {
                text: Vec::new(),
                first: at,
                last: at,
                offset,
                len: 0,
            });
            line.last = at;
            line.len += part.len() as u64;
            let room = MAX_LINE.saturating_sub(line.text.len());
            line.text.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.end_line(on_line);
            }
        }
    }

    fn end_line(&mut self, on_line: &mut impl FnMut(&ReceivedLine)) {
        let Some(mut line) = self.current.take() else { return };
        for end in [b'\n', b'\r'] {
            if line.text.last() == Some(&end) {
                line.text.pop();
            }
        }
        on_line(&line);
        self.kept += line.text.len();
        if self.kept > MAX_KEPT {
            self.overflowed = true;
        } else {
            self.lines.push(line);
        }
    }

    pub fn lines(&self) -> &[ReceivedLine] {
        &self.lines
    }

    /// The line that has not ended yet.
    pub fn current(&self) -> Option<&ReceivedLine> {
        self.current.as_ref()
    }

    /// Whether lines were not kept.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }
}

/// A parsed log line: the kernel's stamp, if it has one, and the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Message<'a> {
    pub stamp: Option<KernelTime>,
    pub text: &'a [u8],
}

/// Strips `<N>`, `[s.us]` and `[T1]` from a console line.
pub(crate) fn message(line: &[u8]) -> Message<'_> {
    let after_level = match line {
        [b'<', rest @ ..] => {
            let end = rest.iter().take(4).position(|b| *b == b'>').filter(|n| *n > 0);
            end.filter(|n| rest[..*n].iter().all(u8::is_ascii_digit)).map_or(line, |n| &rest[n + 1..])
        }
        _ => line,
    };
    let Some((stamp, rest)) = stamp(after_level) else { return Message { stamp: None, text: line } };
    let text = caller(rest).unwrap_or(rest);
    Message { stamp: Some(stamp), text: text.strip_prefix(b" ").unwrap_or(text) }
}

fn stamp(line: &[u8]) -> Option<(KernelTime, &[u8])> {
    let (inside, rest) = bracketed(line, 24)?;
    let (s, us) = inside.trim_start().split_once('.')?;
    if us.len() != 6 {
        return None;
    }
    let us = s.parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(us.parse().ok()?)?;
    Some((KernelTime::from_nanos(us.checked_mul(1_000)?), rest))
}

fn caller(line: &[u8]) -> Option<&[u8]> {
    let (inside, rest) = bracketed(line, 16)?;
    let id = inside.trim_start().strip_prefix(['T', 'C'])?;
    (!id.is_empty() && id.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
}

fn bracketed(line: &[u8], most: usize) -> Option<(&str, &[u8])> {
    let inside = line.strip_prefix(b"[")?;
    let end = inside.iter().take(most).position(|b| *b == b']')?;
    Some((std::str::from_utf8(&inside[..end]).ok()?, &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_times_and_places() {
        let mut wire = ReceivedLines::default();
        let mut ended = 0;
        for (at, bytes) in [(1, &b"on"[..]), (2, b"e\r\ntw"), (3, b"o\r\n"), (4, b"rest")] {
            wire.push(HostTime::from_nanos(at), bytes, &mut |_| ended += 1);
        }
        let line = |text: &[u8], first, last, offset, len| ReceivedLine {
            text: text.to_vec(),
            first: HostTime::from_nanos(first),
            last: HostTime::from_nanos(last),
            offset,
            len,
        };
        assert_eq!(wire.lines(), [line(b"one", 1, 2, 0, 5), line(b"two", 2, 3, 5, 5)]);
        assert_eq!(wire.current(), Some(&line(b"rest", 4, 4, 10, 4)));
        assert_eq!(ended, 2);
    }

    #[test]
    fn prefixes_come_off() {
        let check = |line: &[u8], us: Option<i64>, text: &[u8]| {
            let stamp = us.map(|us| KernelTime::from_nanos(us * 1000));
            assert_eq!(message(line), Message { stamp, text }, "{}", String::from_utf8_lossy(line));
        };
        check(b"[    1.000002] hello", Some(1_000_002), b"hello");
        check(b"[12345.000002]", Some(12_345_000_002), b"");
        check(b"<6>[    0.000000][    T0] [x] y", Some(0), b"[x] y");
        check(b"[    0.000000][  C12]  indented", Some(0), b" indented");
        check(b"[    0.000000][other] y", Some(0), b"[other] y");
        check(b"<6>no stamp", None, b"<6>no stamp");
        check(b"[  ok  ] Started", None, b"[  ok  ] Started");
        check(b"[99999999999999999.000000] x", None, b"[99999999999999999.000000] x");
        check(b"", None, b"");
    }
}
