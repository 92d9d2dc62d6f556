// SPDX-License-Identifier: MIT OR Apache-2.0
//! `dmesg --json`.
//!
//! ```text
//! {
//!    "dmesg": [
//!       {
//!          "pri": 6,
//!          "time":     1.234567,
//!          "msg": "usb 1-1: new high-speed USB device"
//!       },{
//! ```
//! With -x `"fac": "kern", "pri": "info"`; with PRINTK_CALLER `"caller": "T1"`. The layout doesn't matter: objects
//! inside an array are cut out of the bytes as they come, one at a time, and only then parsed.
//! Source: `print_record()` in util-linux sys-utils/dmesg.c.
use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::kmsg::console_len;
use super::log_line::MAX_LINE;
use super::output::{RecordEmitter, RecordHead};
use super::prefix;
use super::{ByteRange, Level, ProblemKind, RecordOrigin, Sink};
use bootline_capture::units::KernelTime;

/// Decodes the bytes of such a file.
#[derive(Debug, Default)]
pub(super) struct DmesgJson {
    /// Offset in the input.
    at: u64,
    lines: u64,
    /// Braces and brackets that are open, outermost first; of deeper ones only the number.
    open: Vec<u8>,
    deeper: usize,
    in_string: bool,
    escaped: bool,
    /// The object under way, with the place of its brace and how many were open before it.
    object: Option<(u64, usize)>,
    bytes: Vec<u8>,
    too_long: bool,
}

/// Deeper nesting than that of any such file is damage, and only counted.
const MAX_DEPTH: usize = 16;

impl DmesgJson {
    /// Lines met so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    pub fn push<S: Sink>(&mut self, bytes: &[u8], out: &mut RecordEmitter<'_, S>) {
        for b in bytes {
            self.byte(*b, out);
            self.at += 1;
        }
    }

    /// The input has ended.
    pub fn finish<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        if let Some((start, _)) = self.object.take() {
            out.begin_line();
            let bytes = ByteRange { start, end: self.at };
            out.problem(ProblemKind::UnendedLine, bytes, "the input ends inside a JSON object");
        }
    }

    fn byte<S: Sink>(&mut self, b: u8, out: &mut RecordEmitter<'_, S>) {
        if self.object.is_some() {
            self.keep(b);
        }
        if b == b'\n' {
            self.lines += 1;
            // No string holds a line feed: one was torn, and what follows starts over.
            self.in_string = false;
        }
        if self.in_string {
            match b {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        self.escaped = false;
        match b {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.opened(b),
            b'}' | b']' => self.closed(out),
            _ => {}
        }
    }

    fn opened(&mut self, b: u8) {
        if b == b'{' && self.object.is_none() && self.open.last() == Some(&b'[') {
            self.object = Some((self.at, self.open.len()));
            self.bytes.clear();
            self.too_long = false;
            self.keep(b);
        }
        if self.open.len() < MAX_DEPTH {
            self.open.push(b);
        } else {
            self.deeper += 1;
        }
    }

    fn closed<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        self.open.pop();
        if let Some((start, depth)) = self.object {
            if self.open.len() <= depth {
                self.object = None;
                self.give(ByteRange { start, end: self.at + 1 }, out);
            }
        }
    }

    fn keep(&mut self, b: u8) {
        if self.bytes.len() < MAX_LINE {
            self.bytes.push(b);
        } else {
            self.too_long = true;
        }
    }

    fn give<S: Sink>(&self, range: ByteRange, out: &mut RecordEmitter<'_, S>) {
        out.begin_line();
        if self.too_long {
            return out.problem(ProblemKind::LineTooLong, range, "a JSON object longer than a record can be");
        }
        let lossy = String::from_utf8_lossy(&self.bytes);
        if matches!(lossy, Cow::Owned(_)) {
            out.problem(ProblemKind::InvalidUtf8, range, "bytes that are not UTF-8, replaced");
        }
        let Ok(entry) = serde_json::from_str::<Entry<'_>>(&lossy) else {
            return out.problem(ProblemKind::BadLine, range, "a JSON object that is not a dmesg record");
        };
        let stamp = entry.time.map(|seconds| micros(seconds).ok_or(()));
        if stamp == Some(Err(())) {
            out.problem(ProblemKind::StampOverflow, range, "a stamp that is no time");
        }
        let head = RecordHead {
            source: RecordOrigin::Kernel,
            level: entry.level.and_then(|p| level(&p)),
            stamp: stamp.and_then(Result::ok).map(|us| KernelTime::from_nanos(us * 1_000)),
            caller: entry.caller.and_then(|id| prefix::caller_id(id.as_bytes())).map(|(id, _)| id),
        };
        let text = entry.text.as_bytes();
        out.record(head, range, None, console_len(&head, text), text);
    }
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(rename = "pri", default)]
    level: Option<Value>,
    #[serde(default)]
    time: Option<f64>,
    #[serde(borrow, default)]
    caller: Option<Cow<'a, str>>,
    #[serde(rename = "msg", borrow)]
    text: Cow<'a, str>,
}

/// Seconds with six decimals: exact in an f64 for 285 years.
fn micros(seconds: f64) -> Option<i64> {
    let micros = (seconds * 1e6).round();
    (0.0..9.2e15).contains(&micros).then_some(micros as i64)
}

fn level(priority: &Value) -> Option<Level> {
    match priority {
        Value::Number(n) => n.as_u64().map(|n| Level((n & 7) as u8)),
        Value::String(name) => super::dmesg::level_named(name.as_bytes()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, tests};

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::DmesgJson, input, expected, problems);
    }

    #[test]
    fn records() {
        check(r#"{"dmesg":[{"pri":6,"time":    1.000000,"caller":"T1","msg":"a"}]}"#, &["K 6 1.000000 T1 a"], &[]);
        check(r#"[{"fac":"kern","pri":"err","time":1.5,"msg":"a } \" ]"}]"#, &["K 3 1.500000 - a } \" ]"], &[]);
        check(r#"{"dmesg":[{"msg":"a"},{"msg":"b"}]}"#, &["K - - - a", "K - - - b"], &[]);
    }

    #[test]
    fn damage() {
        let bad = &[ProblemKind::BadLine];
        check(r#"[{"pri":6},{"msg":"b"}]"#, &["K - - - b"], bad);
        check("[{\"msg\":\"torn\n},{\"msg\":\"b\"}]", &["K - - - b"], bad);
        check(r#"[{"time":1e300,"msg":"a"}]"#, &["K - - - a"], &[ProblemKind::StampOverflow]);
        check(r#"[{"msg":"#, &[], &[ProblemKind::UnendedLine]);
    }
}
