// SPDX-License-Identifier: MIT OR Apache-2.0
//! `journalctl -o json`: one object a line.
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
use super::{ProblemKind, Sink};

/// Decodes journal objects.
#[derive(Debug, Default)]
pub(super) struct JournalJson {
    receipt: ReceiptTimes,
}

impl JournalJson {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body.trim_ascii();
        let body = object(body);
        if body.is_empty() {
            return;
        }
        let range = line.range(0, line.body.len());
        let Ok(entry) = serde_json::from_slice::<Entry<'_>>(body) else {
            out.problem(ProblemKind::BadLine, range, "a line that is no journal entry");
            return out.other_line(line, 0);
        };
        let stamp = entry.source_monotonic.as_deref().or(entry.monotonic.as_deref());
        let found = JournalEntry {
            is_kernel: entry.transport.as_deref() == Some("kernel"),
            micros: stamp.map(micros),
            level: entry.priority.as_deref().and_then(level),
            identifier: entry.identifier.map(|unit| unit.into_owned().into_bytes()),
            message: text(entry.message.unwrap_or_default()),
        };
        found.give(range, line.arrival(0, line.body.len()), &mut self.receipt, out);
    }
}

/// Without what `-o json-seq` (a record separator) and `-o json-sse` put before each entry.
fn object(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\x1e").unwrap_or(body);
    body.strip_prefix(b"data: ").unwrap_or(body)
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
