// SPDX-License-Identifier: MIT OR Apache-2.0
//! `journalctl -o json`: one object a line; `-o json-pretty`: one spread over lines.
//!
//! ```text
//! {"_TRANSPORT":"kernel","_SOURCE_MONOTONIC_TIMESTAMP":"1234567","PRIORITY":"6","MESSAGE":"usb 1-1: new device",...}
//! ```
//! Source: systemd.journal-fields(7), and "JOURNAL JSON FORMAT" of systemd: times are decimal strings of microseconds;
//! a field that is no text is an array of bytes; one that is set twice is an array of values; a large one is null.
//!
//! What becomes of an entry: [`super::journal_entry`].
use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::journal_entry::{JournalEntry, ReceiptTimes, level, micros};
use super::log_line::LogLine;
use super::output::RecordEmitter;
use super::unit_event::UnitFields;
use super::{ByteRange, ProblemKind, Sink};

/// The longest object that is put together from several lines, in bytes.
const LONGEST: usize = 1 << 20;

/// Decodes journal objects.
#[derive(Debug, Default)]
pub(super) struct JournalJson {
    receipt: ReceiptTimes,
    /// The lines of an object that is spread over several.
    spread: Vec<u8>,
    spread_from: u64,
}

impl JournalJson {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body.trim_ascii();
        let body = object(body);
        if body.is_empty() {
            return;
        }
        let mut range = line.range(0, line.body.len());
        if body == b"{" {
            self.give_up(range, out);
            self.spread_from = range.start;
        }
        if body == b"{" || !self.spread.is_empty() {
            if self.spread.len() + body.len() > LONGEST {
                self.spread.clear();
                return out.problem(ProblemKind::LineTooLong, range, "an entry longer than 1 MiB; it is left out");
            }
            self.spread.extend_from_slice(body);
            if !matches!(body, b"}" | b"},") {
                return;
            }
            let spread = std::mem::take(&mut self.spread);
            range.start = self.spread_from;
            return self.entry(spread.strip_suffix(b",").unwrap_or(&spread), range, line, out);
        }
        self.entry(body, range, line, out);
    }

    /// The input has ended.
    pub fn finish<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        let range = ByteRange { start: self.spread_from, end: self.spread_from };
        self.give_up(range, out);
    }

    /// An object that was not closed is none.
    fn give_up<S: Sink>(&mut self, range: ByteRange, out: &mut RecordEmitter<'_, S>) {
        if !self.spread.is_empty() {
            self.spread.clear();
            out.problem(ProblemKind::BadLine, range, "a journal entry that was cut off");
        }
    }

    fn entry<S: Sink>(&mut self, body: &[u8], range: ByteRange, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let Ok(entry) = serde_json::from_slice::<Entry<'_>>(body) else {
            out.problem(ProblemKind::BadLine, range, "a line that is no journal entry");
            return out.other_line(line, 0);
        };
        let stamp = entry.source_monotonic.as_deref().or(entry.monotonic.as_deref());
        let mut unit = UnitFields::default();
        let fields = [
            ("_PID", &entry.pid),
            ("MESSAGE_ID", &entry.message_id),
            ("UNIT", &entry.unit),
            ("JOB_RESULT", &entry.job_result),
            ("__MONOTONIC_TIMESTAMP", &entry.monotonic),
            ("__REALTIME_TIMESTAMP", &entry.realtime),
            ("_SOURCE_REALTIME_TIMESTAMP", &entry.source_realtime),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                unit.take(name.as_bytes(), value.as_bytes());
            }
        }
        let found = JournalEntry {
            is_kernel: entry.transport.as_deref() == Some("kernel"),
            micros: stamp.map(micros),
            level: entry.priority.as_deref().and_then(level),
            identifier: entry.identifier.map(|unit| unit.into_owned().into_bytes()),
            message: text(entry.message.unwrap_or_default()),
            unit,
        };
        found.give(range, line.arrival(0, line.body.len()), &mut self.receipt, out);
    }
}

/// Without what `-o json-seq` (a record separator) and `-o json-sse` put before each entry.
fn object(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\x1e").unwrap_or(body);
    body.strip_prefix(b"data: ").unwrap_or(body)
}

/// Whether a line belongs to an entry that is spread over several.
pub(super) fn probe_spread(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    [b"\"__MONOTONIC_TIMESTAMP\"".as_slice(), b"\"_TRANSPORT\"", b"\"__CURSOR\""]
        .iter()
        .any(|key| body.strip_prefix(*key).is_some_and(|rest| rest.trim_ascii_start().starts_with(b":")))
}

/// Whether a line is a journal entry.
pub(super) fn probe(body: &[u8]) -> bool {
    let body = object(body.trim_ascii_start());
    let has = |name: &[u8]| memchr::memmem::find(body, name).is_some();
    body.starts_with(b"{") && (has(b"\"__MONOTONIC_TIMESTAMP\"") || has(b"\"_TRANSPORT\"") || has(b"\"__CURSOR\""))
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(rename = "_TRANSPORT", borrow, default)]
    transport: Option<Cow<'a, str>>,
    #[serde(rename = "_SOURCE_MONOTONIC_TIMESTAMP", borrow, default)]
    source_monotonic: Option<Cow<'a, str>>,
    #[serde(rename = "__MONOTONIC_TIMESTAMP", borrow, default)]
    monotonic: Option<Cow<'a, str>>,
    #[serde(rename = "__REALTIME_TIMESTAMP", borrow, default)]
    realtime: Option<Cow<'a, str>>,
    #[serde(rename = "_SOURCE_REALTIME_TIMESTAMP", borrow, default)]
    source_realtime: Option<Cow<'a, str>>,
    #[serde(rename = "_PID", borrow, default)]
    pid: Option<Cow<'a, str>>,
    #[serde(rename = "MESSAGE_ID", borrow, default)]
    message_id: Option<Cow<'a, str>>,
    #[serde(rename = "UNIT", borrow, default)]
    unit: Option<Cow<'a, str>>,
    #[serde(rename = "JOB_RESULT", borrow, default)]
    job_result: Option<Cow<'a, str>>,
    #[serde(rename = "PRIORITY", borrow, default)]
    priority: Option<Cow<'a, str>>,
    #[serde(rename = "SYSLOG_IDENTIFIER", borrow, default)]
    identifier: Option<Cow<'a, str>>,
    #[serde(rename = "MESSAGE", default)]
    message: Option<Value>,
}

/// A message's bytes; of several values the first.
fn text(message: Value) -> Vec<u8> {
    match message {
        Value::String(text) => text.into_bytes(),
        Value::Array(values) => match values.first() {
            Some(Value::Number(_)) => values.iter().filter_map(|v| v.as_u64()).map(|b| b as u8).collect(),
            _ => values.into_iter().next().map(text).unwrap_or_default(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, tests};

    const UNENDED: &[ProblemKind] = &[ProblemKind::UnendedLine];

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::JournalJson, input, expected, problems);
    }

    #[test]
    fn entries() {
        let kernel = r#"{"_TRANSPORT":"kernel","_SOURCE_MONOTONIC_TIMESTAMP":"1000000","PRIORITY":"4","MESSAGE":"a"}"#;
        check(kernel, &["K 4 1.000000 - a"], UNENDED);
        let unit =
            r#"{"_TRANSPORT":"stdout","__MONOTONIC_TIMESTAMP":"2000000","SYSLOG_IDENTIFIER":"app","MESSAGE":"a"}"#;
        check(unit, &["O - 2.000000 - app: a"], UNENDED);
        check("\n  \n", &[], &[]);
        let pretty = "{\n\t\"_TRANSPORT\" : \"kernel\",\n\t\"MESSAGE\" : \"a\"\n}\n";
        check(pretty, &["K - - - a"], &[]);
        check(&pretty[..20], &[], &[ProblemKind::UnendedLine, ProblemKind::BadLine]);
    }

    #[test]
    fn messages_that_are_no_text() {
        check(r#"{"_TRANSPORT":"kernel","MESSAGE":[97,98]}"#, &["K - - - ab"], UNENDED);
        check(r#"{"_TRANSPORT":"kernel","MESSAGE":["a","b"]}"#, &["K - - - a"], UNENDED);
        check(r#"{"_TRANSPORT":"kernel","MESSAGE":null}"#, &["K - - - "], UNENDED);
    }

    #[test]
    fn damage() {
        check("{\"_TRANSPORT\n", &["O - - - {\"_TRANSPORT"], &[ProblemKind::BadLine]);
        let odd = "{\"_TRANSPORT\":\"kernel\",\"__MONOTONIC_TIMESTAMP\":\"x\",\"MESSAGE\":\"a\"}\n";
        check(odd, &["K - - - a"], &[ProblemKind::StampOverflow]);
    }
}
