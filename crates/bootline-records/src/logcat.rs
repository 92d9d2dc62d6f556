// SPDX-License-Identifier: MIT OR Apache-2.0
//! `logcat -b kernel` of Android, in the form `threadtime`, which is the default.
//!
//! ```text
//! 11-10 10:00:01.471     0     0 I Run /init as first init process
//! 11-10 10:00:01.471  root     0     0 I mmc0    : new high speed SDHC card     -v uid
//! 11-10 10:00:05.120   400   412 I vold    : Vold 3.0 (the awakening) firing up  other buffers
//! ```
//! Source: `LogKlog::log()` and `LogKlog::sniffTime()` in Android's system/logging/logd, `android_log_formatLogLine()` in
//! liblog. The log daemon turns the kernel's stamps to the calendar's times by one difference, so that their distances are the
//! kernel's, to the millisecond; they count from the first record here. What a record says before its first colon becomes the
//! tag, padded to eight columns. The kernel's records are those of process 0.
use super::kmsg::console_len;
use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::stamp::{Scanner, calendar};
use super::wall_origin::WallOrigin;
use super::{RecordOrigin, Sink, prefix};

/// Decodes logcat's lines.
#[derive(Debug, Default)]
pub(super) struct Logcat {
    /// Where the stamps begin.
    origin: WallOrigin,
}

impl Logcat {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let Some(found) = parse(body).filter(|found| found.is_kernel) else {
            return out.other_line(line, 0);
        };
        let text = without_padding(&body[found.len..]);
        let stamp = self.origin.time(found.nanos, &text);
        let head = RecordHead { source: RecordOrigin::Kernel, stamp: Some(stamp), ..RecordHead::OTHER };
        out.record(head, line.range(0, body.len()), None, console_len(&head, &text), &text);
    }
}

/// Whether a line is a kernel's record in this form.
pub(super) fn probe(body: &[u8]) -> bool {
    // With the kernel's own stamp after it, that one counts, and the console's decoder finds it.
    let has_stamp = |text: &[u8]| prefix::parse_stamp(text).is_some() || memchr::memmem::find(text, b": [ ").is_some();
    parse(body).is_some_and(|found| found.is_kernel && !has_stamp(&body[found.len..]))
}

struct Parsed {
    /// From 1970, in a leap year that stands for the one that is not printed.
    nanos: i64,
    is_kernel: bool,
    len: usize,
}

fn parse(body: &[u8]) -> Option<Parsed> {
    let mut scan = Scanner { bytes: body, at: 0 };
    let days = scan.month_dash_day()?;
    scan.take(b' ')?;
    let (nanos, resolution) = scan.time_of_day()?;
    if resolution.as_nanos() > 1_000_000 {
        return None;
    }
    // A user's name may stand before the two numbers.
    let mut words: [&[u8]; 2] = [b"", b""];
    for _ in 0..4 {
        let word = next_word(&mut scan)?;
        if matches!(word, [b'V' | b'D' | b'I' | b'W' | b'E' | b'F']) {
            scan.take(b' ')?;
            let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
            if !words.iter().all(|word| is_number(word)) {
                return None;
            }
            return Some(Parsed { nanos: calendar(days, nanos), is_kernel: words == [b"0", b"0"], len: scan.at });
        }
        words = [words[1], word];
    }
    None
}

/// The next word, blanks before it aside.
fn next_word<'a>(scan: &mut Scanner<'a>) -> Option<&'a [u8]> {
    let rest = &scan.bytes[scan.at..];
    let blanks = rest.iter().take(16).take_while(|b| **b == b' ').count();
    let word = rest[blanks..].iter().take(32).take_while(|b| **b != b' ').count();
    scan.at += blanks + word;
    (blanks > 0 && word > 0).then(|| &rest[blanks..blanks + word])
}

/// The record's own text: the tag's padding goes, and so do the colons that stand for an empty tag or message.
fn without_padding(text: &[u8]) -> Vec<u8> {
    let Some(colon) = memchr::memmem::find(text, b": ").filter(|colon| *colon == 0 || text[..*colon].ends_with(b" "))
    else {
        let text = text.strip_suffix(b": ").or_else(|| text.strip_suffix(b":")).unwrap_or(text);
        return text.to_vec();
    };
    let tag = text[..colon].trim_ascii_end();
    if tag.is_empty() { text[colon + 2..].to_vec() } else { [tag, &text[colon..]].concat() }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, tests};

    fn check(input: &str, expected: &[&str]) {
        tests::check(Format::Logcat, input, expected, &[]);
    }

    #[test]
    fn entries() {
        check(
            "11-10 10:00:00.100     0     0 I Linux version 6.6.1 (a@b) #1: \n",
            &["K - 0.000000 - Linux version 6.6.1 (a@b) #1"],
        );
        check("11-10 10:00:00.100     0     0 I : Run /init\n", &["K - 0.000000 - Run /init"]);
        check("11-10 10:00:00.100     0     0 I         : Booting\n", &["K - 0.000000 - Booting"]);
        let log =
            "11-10 10:00:00.100  root     0     0 I a: b\n11-10 10:00:01.600  root     0     0 W mmc0    : new card\n";
        check(log, &["K - 0.000000 - a: b", "K - 1.500000 - mmc0: new card"]);
        check(
            "11-10 10:00:00.100   400   412 I vold    : a\n",
            &["O - - - 11-10 10:00:00.100   400   412 I vold    : a"],
        );
        check("--------- beginning of kernel\n", &["O - - - --------- beginning of kernel"]);
    }

    #[test]
    fn what_is_not_the_kernel_s_does_not_vote() {
        assert!(super::probe(b"11-10 10:00:00.100     0     0 I a: b"));
        for line in
            ["11-10 10:00:00.100   400   412 I vold    : a", "11-10 10:00:00 0 0 I a", "11-10 10:00:00.100 0 I a"]
        {
            assert!(!super::probe(line.as_bytes()), "{line}");
        }
    }
}
