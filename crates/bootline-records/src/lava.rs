// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log of a LAVA job: a YAML list with one map a line or one key a line ([`super::block_map`]), or the same as JSON.
//!
//! ```text
//! - {"dt": "2026-04-24T16:37:21.964123", "lvl": "target", "msg": "[    1.234567] usb 1-1: new device"}
//! - {dt: '2026-04-24T16:37:21', lvl: feedback, msg: text, ns: other}
//! {"dt":"2026-04-24T16:37:21.964123","lvl":"debug","msg":"what the dispatcher says"}
//! ```
//! Source: lava_dispatcher's `YAMLLogger` (`dump()` in lava_dispatcher/logger.py) and `ShellLogger` in
//! lava_dispatcher/shell.py, which logs a line of the device's console at level `target` when it is complete. `dt` is the
//! dispatcher's clock then: an arrival time, as good as the dispatcher was quick. Python writes no decimals where the
//! microseconds are zero.
//!
//! `feedback` is what another connection to the device says, in the name space `ns`: the console is the connection that
//! first shows a kernel's banner, all else is other output. What the dispatcher says of itself was on no console: its errors
//! become records without a time, its progress none.
use super::arrival_clock::{ArrivalClock, RUNNER_LATENESS};
use super::block_map::{BlockLine, BlockMap};
use super::console::ConsoleDecoder;
use super::flow_map::{self, FlowMap, FlowValue};
use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::stamp::{Scanner, StampClock, calendar};
use super::{Arrival, ProblemKind, Sink};
use bootline_capture::units::Dur;

/// Decodes the lines of a job's log.
#[derive(Debug, Default)]
pub(super) struct Lava {
    clock: ArrivalClock,
    console: ConsoleDecoder,
    arrival: Option<Arrival>,
    /// The connection that the kernel's banner came over, by its name space.
    kernel_from: Option<Vec<u8>>,
    /// An entry that is spread over lines.
    block: BlockMap,
    /// Where the entry under way begins; none between entries.
    block_from: Option<u64>,
    block_to: u64,
}

impl Lava {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        if line.body.trim_ascii().is_empty() {
            return;
        }
        let range = line.range(0, line.body.len());
        let body = line.body.trim_ascii_end();
        let found = flow_map::parse_first(body);
        if found.as_ref().is_none_or(|(map, _)| map.entries.is_empty()) {
            match self.block.of_line(line.body) {
                BlockLine::Foreign => {}
                BlockLine::Belongs => {
                    self.block_from.get_or_insert(range.start);
                    self.block_to = range.end;
                    return self.block.add(line.body);
                }
                BlockLine::Begins => {
                    self.finish(out);
                    (self.block_from, self.block_to) = (Some(range.start), range.end);
                    return self.block.add(line.body);
                }
            }
        }
        self.finish(out);
        let Some((map, mut rest)) = found.filter(|(map, _)| map.get(b"msg").is_some()) else {
            // The brackets of a JSON array, the marks of a YAML document, comments.
            if !matches!(line.body.trim_ascii(), b"[" | b"]" | b"---" | b"...") && !line.body.starts_with(b"#") {
                out.problem(ProblemKind::BadLine, range, "a line that is no entry of a job log");
            }
            return out.other_line(line, 0);
        };
        if !map.is_whole {
            out.problem(ProblemKind::BadLine, range, "an entry of a job log that was cut off");
        }
        let mut next = rest.trim_ascii_start().strip_prefix(b",").and_then(flow_map::parse_first);
        if next.is_none() {
            self.entry(&map, line, out);
        } else {
            // A JSON array in one line.
            let place = |rest: &[u8]| line.start + (body.len() - rest.len()) as u64;
            self.entry(&map, &LogLine::of_several(line.start, place(rest)), out);
            while let Some((map, more)) = next {
                self.entry(&map, &LogLine::of_several(place(rest), place(more)), out);
                rest = more;
                next = rest.trim_ascii_start().strip_prefix(b",").and_then(flow_map::parse_first);
            }
        }
        if line.too_long {
            out.problem(ProblemKind::RecordsLost, range, "a job log in one line: only its first 64 KiB are read");
        }
    }

    /// Gives the entry that is spread over lines, if there is one under way.
    pub fn finish<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        let Some(from) = self.block_from.take().filter(|_| !self.block.is_empty()) else { return };
        let map = self.block.take();
        let lines = LogLine::of_several(from, self.block_to);
        if map.get(b"msg").is_none() {
            return out.problem(ProblemKind::BadLine, lines.range(0, 0), "an entry of a job log without a message");
        }
        if !map.is_whole {
            out.problem(
                ProblemKind::LineTooLong,
                lines.range(0, 0),
                "an entry longer than 64 KiB; its tail is dropped",
            );
        }
        self.entry(&map, &lines, out);
    }

    fn entry<S: Sink>(&mut self, map: &FlowMap, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let range = line.range(0, line.body.len());
        let text = match map.get(b"msg") {
            Some(FlowValue::Text(text) | FlowValue::Nested(text)) => text.as_slice(),
            None => &[],
        };
        let level = map.text(b"lvl").unwrap_or_default();
        if !matches!(level, b"target" | b"feedback") {
            if matches!(level, b"error" | b"exception" | b"critical") {
                out.record(RecordHead::OTHER, range, None, 0, text);
            }
            return;
        }
        self.stamp(map, line, out);
        let connection = if level == b"target" { b"" } else { map.text(b"ns").unwrap_or(b"feedback") };
        self.console_lines(line, text, connection, out);
    }

    /// Sets the arrival time; an entry without one keeps the last.
    fn stamp<S: Sink>(&mut self, map: &FlowMap, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let Some((nanos, resolution)) = map.text(b"dt").and_then(date_and_time) else { return };
        let now = self.clock.advance(StampClock::Calendar, nanos);
        if now.went_back {
            let range = line.range(0, line.body.len());
            out.problem(ProblemKind::ArrivalJumpedBack, range, "an entry's time lies before that of the entry before");
        }
        self.arrival = Some(now.arrival(resolution.max(RUNNER_LATENESS)));
    }

    fn console_lines<S: Sink>(
        &mut self,
        line: &LogLine<'_>,
        text: &[u8],
        connection: &[u8],
        out: &mut RecordEmitter<'_, S>,
    ) {
        if self.kernel_from.is_none() && memchr::memmem::find(text, b"] Linux version ").is_some() {
            self.kernel_from = Some(connection.to_vec());
        }
        let is_other = self.kernel_from.as_ref().is_some_and(|kernel| kernel != connection);
        let mut at = 0;
        for piece in text.split(|b| *b == b'\n') {
            let inner = line.rewritten(piece, at, at + piece.len() == text.len(), self.arrival);
            at += piece.len() + 1;
            if is_other {
                out.other_line(&inner, 0);
            } else {
                self.console.line(&inner, out);
            }
        }
    }
}

/// How an entry begins in JSON: all of a job may stand in one line.
pub(super) const ENTRY_START: &[u8] = b"{\"dt\"";

/// Keys of an entry that is spread over lines: no other log has them.
const KEYS: [&[u8]; 6] = [b"lvl: ", b"msg: '", b"msg: \"", b"msg: [ ", b"\"lvl\": \"", b"\"msg\": \""];

/// Whether a line is an entry of a job's log.
pub(super) fn probe(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    if KEYS.iter().any(|key| start.starts_with(key)) {
        return true;
    }
    if !matches!(start.first(), Some(b'-' | b'{' | b'[')) {
        return false;
    }
    flow_map::parse(start).is_some_and(|map| map.text(b"lvl").is_some() && map.get(b"msg").is_some())
}

/// `2026-04-24T16:37:21.964123`, also with a blank in the middle and a zone at the end.
fn date_and_time(text: &[u8]) -> Option<(i64, Dur)> {
    let mut scan = Scanner { bytes: text, at: 0 };
    let days = scan.date()?;
    scan.take(b'T').or_else(|| scan.take(b' '))?;
    let (nanos, resolution) = scan.time_of_day()?;
    Some((calendar(days, nanos), resolution))
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, decode_as, tests};

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::Lava, input, expected, problems);
    }

    fn entry(time: &str, level: &str, text: &str) -> String {
        format!("- {{\"dt\": \"2026-03-01T10:00:{time}\", \"lvl\": \"{level}\", \"msg\": \"{text}\"}}\n")
    }

    #[test]
    fn the_device_s_lines_are_the_console_s() {
        let log = [
            entry("00.000001", "debug", "Wait for prompt ['Linux version [0-9]']"),
            entry("01.000000", "target", "U-Boot 2024.01"),
            entry("02.500000", "target", "Starting [    0.000000] Linux version 6.6.1"),
            entry("03", "target", r#"[    0.500000] \"quoted\" \x1b[0m"#),
            entry("04.000000", "results", "x").replace("\"x\"", "{\"case\": \"job\"}"),
            entry("05.000000", "error", "JobError: timed out"),
        ]
        .concat();
        let expected = [
            "O - - - U-Boot 2024.01",
            "O - - - Starting ",
            "K - 0.000000 - Linux version 6.6.1",
            "K - 0.500000 - \"quoted\" ",
            "O - - - JobError: timed out",
        ];
        check(&log, &expected, &[ProblemKind::GluedOutput, ProblemKind::ControlSequences]);
        let decoded = decode_as(log.as_bytes(), None);
        assert_eq!(decoded.format, Some(Format::Lava));
        let times: Vec<_> = decoded
            .records
            .iter()
            .map(|r| r.arrival.map(|a| (a.first.as_nanos() / 1_000_000, a.uncertainty.as_nanos() / 1_000_000)))
            .collect();
        assert_eq!(times, [Some((0, 10)), Some((1_500, 10)), Some((1_500, 10)), Some((2_000, 1_000)), None]);
        let bytes: Vec<_> = decoded.records.iter().map(|r| r.line_bytes as usize).collect();
        let banner = "[    0.000000] Linux version 6.6.1\r\n".len();
        assert_eq!(bytes, [16, 9, banner, "[    0.500000] \"quoted\" \x1b[0m\r\n".len(), 0]);
    }

    #[test]
    fn other_styles() {
        check(
            "- {dt: '2026-03-01T10:00:00', lvl: target, msg: '[    1.000000] it''s'}\n",
            &["K - 1.000000 - it's"],
            &[],
        );
        check(
            "{\"dt\":\"2026-03-01T10:00:00Z\",\"lvl\":\"target\",\"msg\":\"a\\nb\"}\n",
            &["O - - - a", "O - - - b"],
            &[],
        );
        check(
            "- {\"dt\": \"x\", \"lvl\": \"target\", \"msg\": \"[    1.0",
            &["O - - - [    1.0"],
            &[ProblemKind::UnendedLine, ProblemKind::BadLine, ProblemKind::BadPrefix],
        );
    }

    #[test]
    fn a_key_a_line() {
        let log = "- dt: '2026-03-01T10:00:00'\n  lvl: target\n  msg: '[    0.000000] it''s'\n\
                   - dt: '2026-03-01T10:00:01.5'\n  lvl: target\n  msg: '[    1.000000] a\n    goes on'\n";
        check(log, &["K - 0.000000 - it's", "K - 1.000000 - a goes on"], &[]);
        let decoded = decode_as(log.as_bytes(), None);
        assert_eq!(decoded.format, Some(Format::Lava));
        let times: Vec<_> = decoded.records.iter().map(|r| r.arrival.unwrap().first.as_nanos() / 1_000_000).collect();
        assert_eq!(times, [0, 1_500]);
        let decoded = decode_as(format!("{{\"a\": 1}}\n{log}").as_bytes(), Some(Format::Lava));
        let starts: Vec<u64> = decoded.records.iter().map(|r| r.bytes.start).collect();
        assert!(starts.is_sorted_by(|a, b| a < b), "each record has bytes of its own: {starts:?}");
        // A key without the mark of an entry in front.
        let decoded = decode_as(format!("lvl: target\n{log}").as_bytes(), Some(Format::Lava));
        let starts: Vec<u64> = decoded.records.iter().map(|r| r.bytes.start).collect();
        assert!(starts.is_sorted_by(|a, b| a < b), "{starts:?}");
        let array = r#"[{"dt": "x", "lvl": "target", "msg": "a"}, {"dt": "x", "lvl": "target", "msg": "b"}]"#;
        check(&format!("{array}\n"), &["O - - - a", "O - - - b"], &[]);
        let many = format!("[{}]\n", vec![r#"{"dt": "x", "lvl": "target", "msg": "a"}"#; 5_000].join(", "));
        assert_eq!(decode_as(many.as_bytes(), Some(Format::Lava)).records.len(), 5_000);
        let json =
            "[\n  {\n    \"dt\": \"2026-03-01T10:00:00\",\n    \"lvl\": \"target\",\n    \"msg\": \"a\"\n  }\n]\n";
        check(json, &["O - - - [", "O - - - a"], &[]);
    }

    #[test]
    fn another_connection_is_not_the_kernel_s() {
        let log = [
            entry("00", "target", "[    0.000000] Linux version 6.6.1"),
            entry("01", "feedback", "[    0.000000] Linux version 5.4.0").replace("}", ", \"ns\": \"host\"}"),
            entry("02", "target", "[    1.000000] a"),
        ]
        .concat();
        let expected =
            ["K - 0.000000 - Linux version 6.6.1", "O - - - [    0.000000] Linux version 5.4.0", "K - 1.000000 - a"];
        check(&log, &expected, &[]);
    }
}
