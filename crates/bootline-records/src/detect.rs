// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which format an input has: each of its first lines votes for the one format that it looks like most.
//!
//! Firmware and boot-loader text looks like none and doesn't vote. Where nobody votes, the answer is left to the console
//! decoder, which takes any text. A line stamp seen once or twice is a coincidence, not a format.
use memchr::{memchr_iter, memmem};

use super::stamp::{self, DAY_NS, LineStamp, StampClock};
use super::{
    Format, control, dmesg, journal_fields, journal_json, journal_short, kmsg, lava, logcat, markup, prefix, syslog,
};

/// Lines that vote.
pub(super) const SAMPLE_LINES: usize = 64;
/// Bytes of them at most.
pub(super) const SAMPLE_BYTES: usize = 256 * 1024;
/// Lines without any stamp that show that no terminal program stamped the others.
const FEWEST_BARE: usize = 8;
/// Votes that a line stamp needs, unless half of the lines cast them.
const FEWEST_STAMPS: usize = 3;

/// The sample that `bytes`, from the start of the input, hold; `None` while more of it is to come.
pub(super) fn complete_sample(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    match memchr_iter(b'\n', bytes).nth(SAMPLE_LINES - 1) {
        Some(end) => Some(&bytes[..=end]),
        None if bytes.len() == SAMPLE_BYTES => Some(bytes),
        None => None,
    }
}

/// The format of an input with this beginning, if its lines show it.
pub(super) fn detect(sample: &[u8]) -> Option<Format> {
    // A byte-order mark, which editors put there.
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    if is_dmesg_json(sample) {
        return Some(Format::DmesgJson);
    }
    let mut votes = Votes::default();
    for line in sample.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(text) = markup::without_markup(line) {
            text.split(|b| *b == b'\n').for_each(|line| votes.line(line));
        } else if control::is_plain(line) {
            votes.line(line);
        } else {
            let mut text = String::new();
            control::clean(line, &mut text);
            votes.line(text.as_bytes());
        }
    }
    votes.winner()
}

/// An object whose first key is `dmesg`, or an array of objects that have `msg`.
fn is_dmesg_json(sample: &[u8]) -> bool {
    let text = sample.trim_ascii_start();
    let Some(inside) = text.strip_prefix(b"{") else {
        // A LAVA job's entries have a level, too.
        return text.starts_with(b"[")
            && text[1..].trim_ascii_start().starts_with(b"{")
            && memmem::find(text, b"\"msg\"").is_some()
            && memmem::find(text, b"\"lvl\"").is_none();
    };
    let value = inside.trim_ascii_start().strip_prefix(b"\"dmesg\"").map(<[u8]>::trim_ascii_start);
    // A string has the log as it is printed.
    value.is_some_and(|value| !value.starts_with(b":") || !value[1..].trim_ascii_start().starts_with(b"\""))
}

#[derive(Default)]
struct Votes {
    counts: [usize; Format::ALL.len()],
    /// Lines with one narrow stamp: grabserial's, or a kernel's that lost its padding.
    narrow: usize,
    /// Those of them without any padding, and those at zero.
    unpadded: usize,
    zeros: usize,
    /// Those of them that would be a kernel's first, and are later than zero.
    late_starts: usize,
    /// Lines that are not blank.
    lines: usize,
    /// The last stamp that counts from midnight or from some start.
    last_stamp: Option<i64>,
    /// Stamps of tio and of ts that lie a little before those of the line above: they are deltas.
    tio_backward: usize,
    ts_backward: usize,
}

impl Votes {
    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        self.lines += 1;
        if journal_fields::probe_export(line) {
            return self.add(Format::JournalExport);
        }
        if journal_fields::probe_verbose(line) {
            return self.add(Format::JournalVerbose);
        }
        if journal_json::probe(line) || journal_json::probe_spread(line) {
            return self.add(Format::JournalJson);
        }
        if lava::probe(line) {
            return self.add(Format::Lava);
        }
        if kmsg::probe(line) {
            return self.add(Format::Kmsg);
        }
        if logcat::probe(line) {
            return self.add(Format::Logcat);
        }
        if syslog::probe(line) {
            return self.add(Format::Syslog);
        }
        if let Some(found) = stamp::parse(line) {
            self.order(&found);
            let is_nested = prefix::parse(&line[found.len..]).is_some();
            let numbers =
                line[..found.len].split(|b| matches!(b, b'[' | b' ' | b']')).filter(|word| !word.is_empty()).count();
            let has_one_number = found.clock == StampClock::Elapsed && numbers == 1;
            if found.format == Format::Grabserial && has_one_number && !is_nested {
                return self.narrow_stamp(line, &line[found.len..]);
            }
            // dmesg's ISO form; Python's loggers put a blank between date and time.
            if found.format == Format::Ts && line.get(10) == Some(&b'T') && line.get(19) == Some(&b',') {
                return self.add(Format::Dmesg);
            }
            return self.add(found.format);
        }
        if journal_short::probe(line) {
            return self.add(Format::JournalShort);
        }
        if dmesg::probe(line) {
            return self.add(Format::Dmesg);
        }
        let has_prefix = memchr_iter(b'[', line).any(|at| prefix::glued_at(line, at).is_some());
        if has_prefix || prefix::parse(line).is_some() {
            self.add(Format::Console);
        }
    }

    /// Whether a stamp lies before the one above.
    fn order(&mut self, found: &LineStamp) {
        const HALF_A_DAY: i64 = DAY_NS / 2;
        if !matches!(found.clock, StampClock::Day | StampClock::Elapsed) {
            return;
        }
        let goes_back = self.last_stamp.is_some_and(|last| found.nanos < last && last - found.nanos < HALF_A_DAY);
        match found.format {
            Format::Tio => self.tio_backward += usize::from(goes_back),
            Format::Ts => self.ts_backward += usize::from(goes_back),
            _ => {}
        }
        self.last_stamp = Some(found.nanos);
    }

    /// `[7.463323] text`: grabserial's, which pads nothing, or a kernel's whose padding was lost on the way. No kernel
    /// stamps its boot loader, or its own first line later than zero; no grabserial has several lines at zero.
    fn narrow_stamp(&mut self, line: &[u8], text: &[u8]) {
        /// Columns of a kernel's seconds: a stamp as wide needs no padding. Old ones begin near 2^32 jiffies.
        const SECONDS_WIDTH: usize = 5;
        let inside = line.trim_ascii_start().strip_prefix(b"[").unwrap_or_default();
        if inside.iter().take_while(|b| b.is_ascii_digit()).count() >= SECONDS_WIDTH {
            return self.add(Format::Console);
        }
        const BEFORE_A_KERNEL: [&[u8]; 4] = [b"U-Boot", b"Starting kernel", b"Uncompressing Linux", b"Hit any key"];
        let is_zero = memmem::find(&line[..line.len() - text.len()], b"0.000000]").is_some();
        let is_late_start = !is_zero && text.starts_with(b"Linux version");
        if is_late_start {
            self.late_starts += 1;
        } else if BEFORE_A_KERNEL.iter().any(|words| text.starts_with(words)) {
            self.add(Format::Grabserial);
        } else {
            self.narrow += 1;
            self.unpadded += usize::from(!line.starts_with(b"[ "));
            self.zeros += usize::from(is_zero);
        }
    }

    fn add(&mut self, format: Format) {
        self.counts[format as usize] += 1;
    }

    fn winner(mut self) -> Option<Format> {
        let grabserial = Format::Grabserial as usize;
        // grabserial stamps each line; where some have none, the stamps are a kernel's whose clock runs from power-on.
        let voted: usize = self.counts.iter().sum::<usize>() + self.narrow + self.late_starts;
        let are_all_stamped = self.lines - voted < FEWEST_BARE;
        let looks_so = self.late_starts > 0 || self.unpadded > 0 && self.zeros < 3;
        let are_grabserial_s = self.counts[grabserial] > 0 || are_all_stamped && looks_so;
        let narrow_is = if are_grabserial_s { grabserial } else { Format::Console as usize };
        self.counts[narrow_is] += self.narrow + self.late_starts;
        let (format, count) =
            Format::ALL.into_iter().map(|f| (f, self.counts[f as usize])).rev().max_by_key(|(_, count)| *count)?;
        let is_stamp = matches!(
            format,
            Format::Grabserial | Format::Minicom | Format::Tio | Format::Ts | Format::TeraTerm | Format::CiLog
        );
        if count == 0 || (is_stamp && count < FEWEST_STAMPS && count * 2 < self.lines) {
            return None;
        }
        Some(match format {
            Format::Tio if self.tio_backward > 0 => Format::TioDelta,
            // One may come of a clock that was set.
            Format::Ts if self.ts_backward > 1 => Format::TsDelta,
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: Option<Format>) {
        assert_eq!(detect(lines.join("\n").as_bytes()), expected, "{lines:#?}");
        assert_eq!(detect(lines.join("\r\n").as_bytes()), expected, "{lines:#?}");
    }

    #[test]
    fn firmware_does_not_vote() {
        let firmware = [
            "U-Boot SPL 2024.01",
            "NOTICE:  BL31: v2.10.0",
            "[0000.234] I> MB1 (version: 2.6.0.0)",
            "[DEBUG]  PCI: 00:00.0 enabled",
            "  4.43 Boot mode: SD (01) order f4",
            "(XEN) [    0.000001] Xen version 4.17",
            "12:00:00 RTC",
            "Starting kernel ...",
        ];
        check(&firmware[..5], None);
        check(&[&firmware[..], &["[    0.000000] Linux version 6.6.1"; 2]].concat(), Some(Format::Console));
    }

    #[test]
    fn a_few_stamps_in_user_output_make_no_format() {
        let kernel = ["[    1.000000] a record"; 5];
        let app = ["[2026-03-01 10:00:00.100] app: starting", "10:00:00 app: started"];
        check(&[&kernel[..], &app].concat(), Some(Format::Console));
        check(&[&["no stamp"; 9], &app[..]].concat(), None);
    }

    #[test]
    fn one_narrow_stamp_is_the_kernel_s_unless_its_text_says_otherwise() {
        check(&["[ 3.034870] printk: legacy console [ttyS0] enabled", "[ 4.306170] next"], Some(Format::Console));
        check(&["[42949372.960000] Linux version 2.6.13", "[42949372.970000] a"], Some(Format::Console));
        check(&["[ 0.000000] Linux version 2.6.31", "[ 10.340000] JFFS2 doesn't use 00B."], Some(Format::Console));
        check(&["[7.463323] Starting kernel ...", "[0.009875] ", "[1.000000] a"], Some(Format::Grabserial));
        check(&["[7.463323] a", "[7.563323] b", "[7.663323] c"], Some(Format::Grabserial));
        check(&["[0.000000] Linux version 2.6.31", "[0.000000] a", "[0.000000] b", "[1.5] c"], Some(Format::Console));
        check(&["[0.000001] ", "[1.099339] Linux version 2.6.31"], Some(Format::Grabserial));
        let late = ["[3.200000] Linux version 2.6.31", "[3.200000] a", "[3.300000] b"];
        check(&late, Some(Format::Grabserial));
        check(&[&["DRAM:  64 MiB"; 8][..], &late].concat(), Some(Format::Console));
        check(&["[0.000001] [    0.000000] Linux", "[0.100000] ", "[0.200000] a"], Some(Format::Grabserial));
        check(&["[4294667.296000] Linux version 2.6.15", "[4294667.296000] a", "[4294672.1]"], Some(Format::Console));
    }

    #[test]
    fn colours_are_looked_through() {
        check(&["\x1b[32mkern  :info  : [    0.000000] \x1b[0mLinux"; 2], Some(Format::Dmesg));
    }

    #[test]
    fn json() {
        check(&["{", "  \"dmesg\": ["], Some(Format::DmesgJson));
        check(&["\u{feff}{\"dmesg\":[]}"], Some(Format::DmesgJson));
        check(&["[{\"pri\":6,\"msg\":\"a\"}]"], Some(Format::DmesgJson));
        check(&["{\"_TRANSPORT\":\"kernel\"}"], Some(Format::JournalJson));
        check(&["{\"some\":\"other\"}"], None);
    }

    #[test]
    fn times_of_day_that_step_back_are_deltas() {
        check(&["[10:00:00.500] a", "[10:00:01.000] b", "[10:00:01.100] c"], Some(Format::Tio));
        check(&["[00:00:00.000] a", "[00:00:00.500] b", "[00:00:00.100] c"], Some(Format::TioDelta));
        check(&["00:00:00 a", "00:00:02 b", "00:00:00 c", "00:00:01 d", "00:00:00 e"], Some(Format::TsDelta));
        check(&["0.000100 a", "0.500000 b", "0.000200 c", "0.2", "0.000100 d"], Some(Format::TsDelta));
        check(&["00:00:00 a", "00:00:02 b", "00:00:03 c"], Some(Format::Ts));
        check(&["[23:59:59.500] a", "[00:00:00.000] b", "[00:00:00.100] c"], Some(Format::Tio));
    }
}
