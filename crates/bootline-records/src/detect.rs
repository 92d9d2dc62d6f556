// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which format an input has: each line of a sample votes for the one format that it looks like most.
//!
//! The first sample is the input's beginning. Firmware, boot-loader text and what people write above a log look like none and don't
//! vote: then the next lines are the sample, up to [`SAMPLE_BYTES`]. Where nobody votes, the answer is left to the console
//! decoder, which takes any text. So it is where a kernel that prints no stamps has spoken, whatever user space logs after it. A line
//! stamp seen once or twice is a coincidence, not a format. Logs in mails and documents are quoted or indented, which some formats
//! allow only once it is taken off.
use memchr::{memchr_iter, memmem};

use super::learned_prefix::find_banner;
use super::stamp::{self, DAY_NS, LineStamp, StampClock};
use super::{
    Format, announces_boot, control, dmesg, journal_fields, journal_json, journal_short, kmsg, lava, logcat, markup,
    prefix, syslog,
};

/// Lines of a sample.
pub(super) const SAMPLE_LINES: usize = 64;
/// Bytes of an input in which its format is sought.
pub(super) const SAMPLE_BYTES: usize = 256 * 1024;
/// Lines without any stamp that show that no terminal program stamped the others.
const FEWEST_BARE: usize = 8;
/// Votes that a line stamp needs, unless half of the lines cast them.
const FEWEST_STAMPS: usize = 3;

/// What an input is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Detected {
    pub format: Option<Format>,
    /// What is to be taken off the lines that begin with it, if that is what shows the format.
    pub quotation: Vec<u8>,
}

/// What an input with this beginning is; `None` while its lines don't show it and more of them are to come.
pub(super) fn detect_input(bytes: &[u8], is_all: bool) -> Option<Detected> {
    let is_all = is_all || bytes.len() >= SAMPLE_BYTES;
    let bytes = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let mut start = 0;
    let mut kernel = KernelWithoutStamps::default();
    loop {
        let end = memchr_iter(b'\n', &bytes[start..]).nth(SAMPLE_LINES - 1).map(|end| start + end + 1);
        let sample = end.map(|end| &bytes[start..end]).or_else(|| is_all.then_some(&bytes[start..]))?;
        let found = detect_sample(sample, start > 0);
        if found.format.is_some() || end.is_none() {
            return Some(found);
        }
        if kernel.is_in(sample) {
            return Some(Detected { format: Some(Format::Console), quotation: Vec::new() });
        }
        start = end.unwrap_or(bytes.len());
    }
}

/// A kernel that prints no stamps on a console, in samples without a vote: what user space logs after it, with stamps, is no
/// format's. A banner alone may be what a report shows of /proc/version.
#[derive(Default)]
struct KernelWithoutStamps {
    has_loader: bool,
    has_banner: bool,
}

impl KernelWithoutStamps {
    /// Whether a banner follows a boot loader's words, or is followed by others of the kernel's, in the samples up to this one.
    fn is_in(&mut self, sample: &[u8]) -> bool {
        /// What kernels print soon after their banner.
        const RECORDS: [&[u8]; 4] = [b"ommand line: ", b"Calibrating delay", b" hash table entries: ", b" zonelists"];
        /// Bytes of a line in which they are sought.
        const NEAR: usize = 160;
        sample.split(|b| *b == b'\n').any(|line| {
            let near = &line[..line.len().min(NEAR)];
            let quoted = near.iter().take_while(|b| is_quoting(b)).count();
            self.has_loader |= announces_boot(&near[quoted..]);
            if find_banner(line).is_some() {
                self.has_banner = true;
                return self.has_loader;
            }
            self.has_banner && RECORDS.iter().any(|words| memmem::find(near, words).is_some())
        })
    }
}

/// Formats whose decoders want their lines from the first byte on.
const UNQUOTED: [Format; 5] = [Format::Dmesg, Format::Kmsg, Format::JournalShort, Format::Syslog, Format::Logcat];

/// What one sample shows. `is_later`: not the first, so that more of its lines must agree.
fn detect_sample(sample: &[u8], is_later: bool) -> Detected {
    let plain = if is_later { detect_most(sample) } else { detect(sample) };
    if matches!(plain, None | Some(Format::Console)) {
        let quotation = quotation(sample);
        if !quotation.is_empty() {
            let lines = sample.split(|b| *b == b'\n').map(|line| without_quotation(line, quotation).unwrap_or(line));
            let stripped = lines.collect::<Vec<_>>().join(&b'\n');
            if let Some(format) = detect_most(&stripped).filter(|format| UNQUOTED.contains(format)) {
                return Detected { format: Some(format), quotation: quotation.to_vec() };
            }
        }
    }
    Detected { format: plain, quotation: Vec::new() }
}

/// What a line says after a quotation, if it begins with it; its blanks may be missing where nothing follows.
pub(super) fn without_quotation<'a>(line: &'a [u8], quotation: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(quotation)
        .or_else(|| line.strip_prefix(quotation.trim_ascii_end()).filter(|rest| rest.is_empty()))
}

fn is_quoting(b: &u8) -> bool {
    matches!(b, b' ' | b'\t' | b'>' | b'|')
}

/// What most lines of a sample begin with, if it is what mails and documents put there: blanks, `>` and `|`.
fn quotation(sample: &[u8]) -> &[u8] {
    const LONGEST: usize = 32;
    let run = |line: &[u8]| line.iter().take(LONGEST).take_while(|b| is_quoting(b)).count();
    let lines = || sample.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let said = lines().filter(|line| run(line) < line.trim_ascii_end().len());
    let mut runs: Vec<&[u8]> = said.map(|line| &line[..run(line)]).filter(|run| !run.is_empty()).collect();
    runs.sort_unstable();
    // What most lines are quoted with: one that is indented, or by less, is no matter.
    let most = runs.chunk_by(|a, b| a == b).rev().max_by_key(|alike| alike.len());
    let Some(quotation) = most.map(|alike| alike[0]) else { return b"" };
    let quoted = lines().filter(|line| without_quotation(line, quotation).is_some()).count();
    if quoted * 2 > lines().count() { quotation } else { b"" }
}

/// The format of a sample, if most of its lines show it.
fn detect_most(sample: &[u8]) -> Option<Format> {
    if is_dmesg_json(sample) {
        return Some(Format::DmesgJson);
    }
    let votes = votes(sample);
    let lines = votes.lines;
    let (format, count) = votes.winner()?;
    (format == Format::Console || count * 2 > lines).then_some(format)
}

/// The format of an input with this beginning, if its lines show it.
fn detect(sample: &[u8]) -> Option<Format> {
    // A byte-order mark, which editors put there.
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    if is_dmesg_json(sample) {
        return Some(Format::DmesgJson);
    }
    votes(sample).winner().map(|(format, _)| format)
}

fn votes(sample: &[u8]) -> Votes {
    let mut votes = Votes::default();
    for line in sample.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Markup in a structured line is its text's.
        if let Some(text) = markup::without_markup(line, false).filter(|_| structured(line).is_none()) {
            text.split(|b| *b == b'\n').filter(|line| structured(line).is_none()).for_each(|line| votes.line(line));
        } else if control::is_plain(line) {
            votes.line(line);
        } else {
            let mut text = String::new();
            control::clean(line, &mut text);
            votes.line(text.as_bytes());
        }
    }
    votes
}

/// The structured format that a line is in, if any. Their decoders take no markup off.
fn structured(line: &[u8]) -> Option<Format> {
    if journal_fields::probe_export(line) {
        Some(Format::JournalExport)
    } else if journal_fields::probe_verbose(line) {
        Some(Format::JournalVerbose)
    } else if journal_json::probe(line) || journal_json::probe_spread(line) {
        Some(Format::JournalJson)
    } else {
        None
    }
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
        if let Some(format) = structured(line) {
            return self.add(format);
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

    /// The format that most lines voted for, and how many did.
    fn winner(mut self) -> Option<(Format, usize)> {
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
        let format = match format {
            Format::Tio if self.tio_backward > 0 => Format::TioDelta,
            // One may come of a clock that was set.
            Format::Ts if self.ts_backward > 1 => Format::TsDelta,
            other => other,
        };
        Some((format, count))
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
    fn what_people_write_above_a_log_does_not_vote() {
        let check = |above: usize, lines: &[&str], expected: Option<Format>| {
            let prose = "I have a problem with my machine.\n".repeat(above);
            let log = format!("{prose}{}\n", lines.join("\n").repeat(40));
            let found = detect_input(log.as_bytes(), true).unwrap();
            assert_eq!(found.format, expected, "{lines:?} after {above} lines");
            (above..above + 9).for_each(|lines| {
                let end = memchr_iter(b'\n', log.as_bytes()).nth(lines).map_or(log.len(), |end| end + 1);
                let early = detect_input(&log.as_bytes()[..end], false);
                assert!(early.is_none_or(|early| early == found), "{end} bytes");
            });
        };
        for above in [0, 60, 200] {
            check(above, &["[Sun Mar  1 10:00:00 2026] a\n"], Some(Format::Dmesg));
            check(above, &["6,1,100000,-;a\n"], Some(Format::Kmsg));
            check(above, &["[    1.000000] a\n"], Some(Format::Console));
            check(above, &["a\n"], None);
        }
        check(64, &["[7.463323] a\n"], Some(Format::Grabserial));
        check(200, &["00:00:02 a\n", "00:00:00 a\n", "00:00:01 a\n"], Some(Format::TsDelta));
        check(200, &["[00:00:02.500] a\n", "[00:00:00.100] a\n"], Some(Format::TioDelta));
        check(200, &["10:00:00 a\n", "a\n", "b\n"], None);
        assert_eq!(detect_input(b"a\n", false), None);
        assert_eq!(detect_input(&b"a\n".repeat(SAMPLE_BYTES / 2), false), Some(Detected::default()));
    }

    #[test]
    fn a_kernel_without_stamps_is_a_console_s_whatever_user_space_logs() {
        const BANNER: &str = "Linux version 2.6.30 (me@here) (gcc version 4.2.4) #1 Thu Jan 1 00:00:00 UTC 2009";
        const LOADER: &str = "U-Boot 1.3.4 (Jan  1 2009 - 00:00:00)";
        const COMMAND_LINE: &str = "Kernel command line: console=ttyS0,115200";
        let check = |above: &[&str], then: &str, expected: Option<Format>| {
            for quotation in ["", "> "] {
                let lines = above.iter().copied().chain([""; 150].map(|_| "a device of the board")).chain([then; 200]);
                let log: String = lines.map(|line| format!("{quotation}{line}\n")).collect();
                assert_eq!(detect_input(log.as_bytes(), true).unwrap().format, expected, "{above:?}, {then}");
            }
        };
        let syslog = "Jan  1 00:00:06 board dhcpcd[112]: eth0: carrier lost";
        for then in [syslog, "2026-03-01 10:00:00.123 app: started", "10:00:00 app: started"] {
            check(&[LOADER, "", BANNER], then, Some(Format::Console));
            check(&[BANNER, "CPU: ARM926EJ-S", COMMAND_LINE], then, Some(Format::Console));
            check(&[&[BANNER], &["CPU"; SAMPLE_LINES][..], &[COMMAND_LINE]].concat(), then, Some(Format::Console));
        }
        // What a report shows of /proc/version.
        check(&["My kernel is:", BANNER], "[Sun Mar  1 10:00:00 2026] a", Some(Format::Dmesg));
    }

    #[test]
    fn quotations_are_taken_off() {
        let check = |lines: &[&str], expected: Option<Format>, quotation: &str| {
            let found = detect_input(lines.join("\n").as_bytes(), true).unwrap();
            assert_eq!((found.format, found.quotation.as_slice()), (expected, quotation.as_bytes()), "{lines:?}");
        };
        check(&["> [Sun Mar  1 10:00:00 2026] a", ">", "> [Sun Mar  1 10:00:00 2026] b"], Some(Format::Dmesg), "> ");
        check(&["    6,1,100000,-;a", "    6,2,100000,-;b", "      c"], Some(Format::Kmsg), "    ");
        check(&["\t[    1.000000] board kernel: a"; 3], Some(Format::JournalShort), "\t");
        check(&["> [    1.000000] a"; 3], Some(Format::Console), "");
        let quoted = ["> [Sun Mar  1 10:00:00 2026] a"; 9];
        check(&[&quoted[..], &[" --"], &[">   b"; 3]].concat(), Some(Format::Dmesg), "> ");
        check(&[&[" --"], &["    6,1,100000,-;a"; 9][..]].concat(), Some(Format::Kmsg), "    ");
        check(&["[Sun Mar  1 10:00:00 2026] a", "    b"], Some(Format::Dmesg), "");
        assert_eq!(without_quotation(b">", b"> "), Some(&b""[..]));
        assert_eq!(without_quotation(b">a", b"> "), None);
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
        check(&["[32m[Sun Mar  1 10:00:00 2026] [0mLinux"; 2], Some(Format::Dmesg));
        check(&["<pre>{\"_TRANSPORT\":\"kernel\"}"; 2], None);
        check(&["{\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"a <br/> &lt;\"}"; 2], Some(Format::JournalJson));
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
