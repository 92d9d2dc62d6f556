// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a console shows: kernel records between anything else that is written to the same line.
//!
//! ```text
//! [    0.000000][    T0] Linux version 6.18.0 ...
//! <6>[    1.234567] usb 1-1: new high-speed USB device
//! INIT: [    3.721904] 2860000.serial: ttyS2 at MMIO 0x2860000
//! ```
//! A prefix in the middle of a line splits it: user space was interrupted, or a line feed was lost. A carriage return
//! that ends no line splits it too: a progress bar. So does a control sequence that moves the cursor to the first column: a
//! boot loader's menu redraws its countdown each second that way. Every byte belongs to one record; stretches without a
//! visible character go to the record that follows.
//!
//! `dmesg` prints the further lines of a multi-line record without a prefix, indented by its length. Such a line becomes
//! a kernel record with the stamp of the one before, but only in a text that is nothing but dmesg: on a console user
//! space may indent as it likes.
use memchr::{memchr, memchr2};

use super::boot_announcement::begins_kernel_log;
use super::learned_prefix::{LearnedPrefix, find_banner, is_banner};
use super::log_line::{LineEnding, LogLine, trim_crs};
use super::output::{RecordEmitter, RecordHead};
use super::plain_kernel::PlainKernel;
use super::prefix::{self, Prefix, Stamp};
use super::{ProblemKind, RecordOrigin, Sink, announces_boot, control};

/// Decodes console output line by line.
#[derive(Debug, Default)]
pub(super) struct ConsoleDecoder {
    /// Something else than the kernel has written.
    mixed: bool,
    /// The last record's head and the width of its prefix, while nothing else has written.
    last: Option<(RecordHead, Prefix)>,
    /// Which lines are the kernel's where it prints no stamps.
    plain_kernel: PlainKernel,
    /// What stands before each line.
    line_prefix: Option<LearnedPrefix>,
    /// What stands between each stamp and its text.
    text_prefix: Option<LearnedPrefix>,
    /// Records in which the banner was looked for.
    sought: u16,
    /// Decimals of the kernel's stamps, if they are fewer than six.
    short_decimals: Option<usize>,
    /// How the last line began that is not blank.
    previous: Vec<u8>,
}

/// Records in which the banner is looked for.
const MOST_SOUGHT: u16 = 4096;
/// Bytes of a line that are kept to be compared with the next.
const KEPT: usize = 96;

impl ConsoleDecoder {
    #[inline]
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        if let Some(prefix) = &self.line_prefix {
            return self.bare_line(&without_prefix(line, prefix), out);
        }
        self.bare_line(line, out);
    }

    /// A line without what stands before each.
    #[inline]
    fn bare_line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let from = line.decoration;
        if body[from..].starts_with(b"(XEN) ") {
            // The hypervisor's own stamps are not the kernel's.
            return self.other(line, 0, from, body.len(), out);
        }
        if let Some(found) = self.prefix(&body[from..]) {
            // Most lines: one record, nothing odd in it.
            let text = &body[from + found.len..];
            if (line.is_ordinary || memchr(b'\r', text).is_none()) && next_prefix(body, from + found.len).is_none() {
                return self.kernel(line, 0, from, body.len(), found, out);
            }
        }
        if self.line_prefix.is_none() && !line.is_captured() {
            self.learn_line_prefix(&body[from..], line.stamped.is_some());
            if let Some(prefix) = &self.line_prefix {
                return self.mixed_line(&without_prefix(line, prefix), out);
            }
        }
        self.mixed_line(line, out);
    }

    /// The prefix at the start of a text; one of fewer decimals only in a log whose first records have such.
    #[inline]
    fn prefix(&mut self, text: &[u8]) -> Option<Prefix> {
        let found = prefix::parse(text);
        if found.is_some_and(|found| found.stamp != Stamp::None) {
            return found;
        }
        let Some((short, decimals)) = prefix::parse_short(text) else { return found };
        if begins_kernel_log(&text[short.len..]) {
            self.short_decimals = Some(decimals);
        }
        if self.short_decimals == Some(decimals) { Some(short) } else { found }
    }

    /// Learns what stands before a banner, if the line above begins alike.
    fn learn_line_prefix(&mut self, text: &[u8], is_stamped: bool) {
        if let Some(banner) = find_banner(text) {
            // What stands between the last stamp and the banner is the text's.
            let parsed = |at: &usize| prefix::parse(&text[*at..]).filter(|p| at + p.len <= banner);
            let stamp = (0..banner).rev().find(|at| parsed(at).is_some_and(|p| p.stamp != Stamp::None));
            let level = || (0..banner).find(|at| parsed(at).is_some_and(|p| at + p.len == banner));
            let with_level = |at| prefix::glued_at(text, at).unwrap_or(at);
            let end = stamp.map(with_level).or_else(level).unwrap_or(banner);
            let form = LearnedPrefix::of_line(&text[..end]).filter(|form| {
                let is_common =
                    form.is_quotation() || self.previous.is_empty() || form.len_in(&self.previous).is_some();
                // A logger's word for the level may follow its stamp.
                is_common && (is_stamped || !form.is_sentence())
            });
            // A kernel's stamps show its records after blanks, too.
            let is_indented = end < banner && text[..end].trim_ascii().is_empty();
            self.line_prefix = form.filter(|_| !is_indented);
        }
        if !text.trim_ascii().is_empty() {
            self.previous.clear();
            self.previous.extend_from_slice(&text[..text.len().min(KEPT)]);
        }
    }

    /// Length of what a vendor's kernel puts before its text; learns it from the banner.
    fn text_prefix_len(&mut self, text: &[u8]) -> usize {
        if self.sought < MOST_SOUGHT {
            self.sought += 1;
            if let Some(banner) = find_banner(text) {
                self.text_prefix = LearnedPrefix::of_text(&text[..banner]);
                self.sought = MOST_SOUGHT;
            }
        }
        self.text_prefix.as_ref().and_then(|prefix| prefix.len_in(text)).unwrap_or(0)
    }

    /// A line that doesn't begin with a prefix, or holds several records.
    fn mixed_line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        // Where the stretch under way begins, and where its visible part does.
        let (mut from, mut at) = (0, line.decoration);
        loop {
            let here = self.prefix(&body[at..]);
            let search_from = here.map_or(at, |p| at + p.len);
            let to = next_cut(body, search_from).unwrap_or(body.len());
            let is_last = to == body.len();
            match here {
                Some(found) => self.kernel(line, from, at, to, found, out),
                None if !is_last && is_blank(line, at, to, out) => {
                    at = to;
                    continue;
                }
                None => self.other(line, from, at, to, out),
            }
            if is_last {
                return;
            }
            if body[to - 1] != b'\r' && !control::moves_to_first_column(&body[to..]) {
                out.problem(
                    ProblemKind::GluedOutput,
                    line.range(from, to),
                    "a kernel record begins in the middle of a line",
                );
            }
            (from, at) = (to, to);
        }
    }

    #[inline]
    fn kernel<S: Sink>(
        &mut self,
        line: &LogLine<'_>,
        from: usize,
        at: usize,
        to: usize,
        mut found: Prefix,
        out: &mut RecordEmitter<'_, S>,
    ) {
        if found.stamp == Stamp::Overflow {
            out.problem(ProblemKind::StampOverflow, line.range(from, to), "a stamp too large to be a time");
        }
        if found.stamp != Stamp::None {
            self.plain_kernel.stamped();
            found.len += self.text_prefix_len(&line.body[at + found.len..to]);
        }
        let head = RecordHead {
            source: RecordOrigin::Kernel,
            level: found.level,
            stamp: found.stamp.time(),
            caller: found.caller,
        };
        let mut line_bytes = line.line_bytes(from, to);
        if !line.is_captured() {
            // `<N>` in a file comes from dmesg -r; a console shows it only when configured to.
            line_bytes = line_bytes.saturating_sub(found.level_len as u32);
            if !line.is_ordinary && line.is_bare() && memchr(0x1b, &line.body[from..to]).is_some() {
                line_bytes = uncoloured_bytes(found, &line.body[at + found.len..to]);
            }
        }
        if !self.mixed {
            self.last = Some((head, found));
        }
        out.stretch(head, line, from, at + found.len, to, line_bytes);
    }

    fn other<S: Sink>(
        &mut self,
        line: &LogLine<'_>,
        from: usize,
        at: usize,
        to: usize,
        out: &mut RecordEmitter<'_, S>,
    ) {
        let text = &line.body[at..to];
        if let Some(head) = self.continued(line, from, text) {
            let level_len = self.last.map_or(0, |(_, p)| p.level_len as u32);
            let line_bytes = line.line_bytes(from, to).saturating_sub(level_len);
            let indent = self.last.map_or(0, |(_, p)| p.len);
            return out.stretch(head, line, from, at + indent, to, line_bytes);
        }
        if prefix::torn(text) {
            out.problem(ProblemKind::BadPrefix, line.range(from, to), "the beginning of a prefix without its rest");
        }
        if !text.trim_ascii().is_empty() {
            self.mixed = true;
            self.last = None;
        }
        // Noise that a boot loader's change of speed leaves, or its own last words.
        let noise = text.iter().take_while(|b| **b < b' ' && **b != b'\t' || **b >= 0x7f).count();
        let glued = find_banner(text).filter(|banner| announces_boot(&text[..*banner])).unwrap_or(noise);
        if glued > 0 && is_banner(&text[glued..]) && self.plain_kernel.owns(&text[glued..]) {
            let head = RecordHead { source: RecordOrigin::Kernel, ..RecordHead::OTHER };
            let banner = at + glued;
            if glued > noise {
                out.stretch(RecordHead::OTHER, line, from, at, banner, line.line_bytes(from, banner));
            }
            let from = if glued > noise { banner } else { from };
            return out.stretch(head, line, from, banner, to, line.line_bytes(from, to));
        }
        if self.plain_kernel.owns(text) {
            let head = RecordHead { source: RecordOrigin::Kernel, ..RecordHead::OTHER };
            return out.stretch(head, line, from, at, to, line.line_bytes(from, to));
        }
        out.stretch(RecordHead::OTHER, line, from, at, to, line.line_bytes(from, to));
    }

    /// The head of the record that this line of dmesg's output goes on with.
    fn continued(&self, line: &LogLine<'_>, from: usize, text: &[u8]) -> Option<RecordHead> {
        let (head, found) = self.last.as_ref()?;
        let whole = from == 0 && line.feed != LineEnding::Cut && line.is_bare();
        let indent = text.iter().take_while(|b| **b == b' ').count();
        let is_pure = !self.mixed && whole && found.stamp != Stamp::None;
        (is_pure && indent >= found.len && text.len() > indent).then_some(*head)
    }
}

/// A line without what stands before each; of a string of JSON, without its end, too.
fn without_prefix<'a>(line: &LogLine<'a>, prefix: &LearnedPrefix) -> LogLine<'a> {
    let mut line = *line;
    if let Some(len) = prefix.len_in(&line.body[line.decoration..]) {
        line.decoration += len;
        if prefix.begins_string() {
            let ends = [&b"\","[..], b"\""];
            let text = &line.body[line.decoration..];
            let cut = ends.iter().find(|end| text.ends_with(end)).map_or(0, |end| end.len());
            line.body = &line.body[..line.body.len() - cut];
        }
    }
    line
}

/// Bytes that a console would have shown for what `dmesg --color` printed: the kernel colours nothing.
fn uncoloured_bytes(found: Prefix, text: &[u8]) -> u32 {
    let mut plain = String::new();
    control::clean(trim_crs(text), &mut plain);
    let bytes = prefix::printed_len(found.stamp.time(), found.caller) + plain.len() + "\r\n".len();
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The next place after `from` where a stretch begins: after carriage returns, at a move to the first column, or at a prefix.
fn next_cut(body: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(n) = memchr2(b'\r', b'[', &body[at..]) {
        let found = at + n;
        if body[found] == b'\r' {
            let crs = body[found..].iter().take_while(|b| **b == b'\r').count();
            // Those that end the body were trimmed.
            return Some(found + crs);
        }
        if let Some(escape) =
            found.checked_sub(1).filter(|at| *at > from && control::moves_to_first_column(&body[*at..]))
        {
            return Some(escape);
        }
        if let Some(start) = prefix::glued_at(body, found) {
            if start >= from {
                return Some(start);
            }
        }
        at = found + 1;
    }
    None
}

/// The next prefix in a line after `from`.
#[inline]
fn next_prefix(body: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(n) = memchr(b'[', &body[at..]) {
        if let Some(start) = prefix::glued_at(body, at + n) {
            return Some(start);
        }
        at += n + 1;
    }
    None
}

/// What a range of bytes holds if nothing in it is visible: blanks, control characters, colour changes.
fn is_blank<S: Sink>(line: &LogLine<'_>, from: usize, to: usize, out: &mut RecordEmitter<'_, S>) -> bool {
    let bytes = &line.body[from..to];
    if bytes.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r')) {
        return true;
    }
    if line.start + from as u64 == 0 && bytes == b"\xef\xbb\xbf" {
        // A byte-order mark, which editors put there.
        return true;
    }
    if !bytes.iter().any(|b| matches!(b, 0 | 0x1b)) {
        return false;
    }
    let mut text = String::new();
    let found = control::clean(trim_crs(bytes), &mut text);
    let is_blank = text.trim().is_empty();
    if is_blank {
        for (kind, detail) in found.problems(bytes.len()) {
            out.problem(kind, line.range(from, to), detail);
        }
    }
    is_blank
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, tests};

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::Console, input, expected, problems);
    }

    #[test]
    fn one_record_a_line() {
        check("[    1.000000] a\n<4>[    2.000000][    C0] b\r\n", &["K - 1.000000 - a", "K 4 2.000000 C0 b"], &[]);
        check("U-Boot\n\n", &["O - - - U-Boot", "O - - - "], &[]);
    }

    #[test]
    fn a_prefix_splits_a_line() {
        let glued = &[ProblemKind::GluedOutput];
        check("INIT: [    1.000000] a\n", &["O - - - INIT: ", "K - 1.000000 - a"], glued);
        check("[    1.000000] a[    2.000000] b\n", &["K - 1.000000 - a", "K - 2.000000 - b"], glued);
        check("[    1.000000] [    2.000000] b\n", &["K - 1.000000 - ", "K - 2.000000 - b"], glued);
        check("x<6>[    1.000000] a\n", &["O - - - x", "K 6 1.000000 - a"], glued);
        // Without its padding it may be anything.
        check("x [1.000000] a\n", &["O - - - x [1.000000] a"], &[]);
        check("[    1.000000] BAR [mem 0x1] [ 12.5]\n", &["K - 1.000000 - BAR [mem 0x1] [ 12.5]"], &[]);
    }

    #[test]
    fn invisible_text_before_a_prefix_belongs_to_it() {
        check("  [    1.000000] a\n", &["K - 1.000000 - a"], &[]);
        check("\r[    1.000000] a\n", &["K - 1.000000 - a"], &[]);
        check("\x1b[32m[    1.000000] a\n", &["K - 1.000000 - a"], &[ProblemKind::ControlSequences]);
        check("\u{feff}[    1.000000] a\n", &["K - 1.000000 - a"], &[]);
    }

    #[test]
    fn a_hypervisor_s_stamps_are_not_the_kernel_s() {
        let log = "(XEN) [    9.000001] Bootloader: GRUB\n[    0.000000] a\n";
        check(log, &["O - - - (XEN) [    9.000001] Bootloader: GRUB", "K - 0.000000 - a"], &[]);
    }

    #[test]
    fn trusted_firmware_s_stamps_are_not_the_kernel_s() {
        for firmware in ["[ATF][    36.199793]save kernel info", "[ATF](0)[    36.199793]save kernel info"] {
            check(
                &format!("{firmware}\n[    0.000000] a\n"),
                &[&format!("O - - - {firmware}"), "K - 0.000000 - a"],
                &[],
            );
        }
    }

    #[test]
    fn a_carriage_return_splits_a_line() {
        check("10%\r20%\r\n", &["O - - - 10%", "O - - - 20%"], &[]);
        check("[    1.000000] a\rb\n", &["K - 1.000000 - a", "O - - - b"], &[]);
    }

    /// As the menus of GRUB 1.99 to 2.12 write their countdown to a serial line (menu_text_print_timeout in their menu_text.c).
    #[test]
    fn a_countdown_of_a_menu_is_a_record_each_second() {
        let count =
            |n| format!("\x1b[22;1H   The highlighted entry will be executed automatically in {n}s.   \x1b[5;78H");
        let text = |n| format!("O - - -    The highlighted entry will be executed automatically in {n}s.   ");
        let menu =
            format!("\x1b[5;3H*Linux  \x1b[m{}{}\x1b[?25h\x1b[H\x1b[J\x1b[1;1H  Booting `Linux'\n", count(1), count(0));
        let expected = ["O - - - *Linux  ".to_owned(), text(1), text(0), "O - - -   Booting `Linux'".to_owned()];
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&menu, &expected, &[ProblemKind::ControlSequences]);
        // A BIOS that moves the cursor within a row.
        check(
            "Welcome to\x1b[04;10H\x1b[04;11H GRUB!\r\n",
            &["O - - - Welcome to GRUB!"],
            &[ProblemKind::ControlSequences],
        );
        check("\x1b[H\x1b[J\x1b[1;1H\n", &["O - - - "], &[ProblemKind::ControlSequences]);
    }

    #[test]
    fn dmesg_goes_on_indented() {
        let more = "               more\n";
        check(&format!("[    1.000000] a\n{more}"), &["K - 1.000000 - a", "K - 1.000000 - more"], &[]);
        let mixed = format!("login\n[    1.000000] a\n{more}");
        check(&mixed, &["O - - - login", "K - 1.000000 - a", "O - - -                more"], &[]);
    }

    #[test]
    fn a_kernel_without_stamps_has_a_banner() {
        let log = "Uncompressing Linux...\nLinux version 2.6.30 (a@b) #1\nCPU: ARM\nFreeing init memory: 1K\nlogin:\n";
        let expected = [
            "O - - - Uncompressing Linux...",
            "K - - - Linux version 2.6.30 (a@b) #1",
            "K - - - CPU: ARM",
            "K - - - Freeing init memory: 1K",
            "O - - - login:",
        ];
        check(log, &expected, &[]);
        let stamped = "[    0.000000] Linux\nLinux version 2.6.30 (a@b) #1\n";
        check(stamped, &["K - 0.000000 - Linux", "O - - - Linux version 2.6.30 (a@b) #1"], &[]);
    }

    #[test]
    fn what_stands_before_a_stamp_does_not_swallow_it() {
        let log = "    [    0.000000] board kernel: Linux version 6.6.1 (a@b) #1\n    [    1.000000] board kernel: a\n";
        check(log, &["K - 0.000000 - Linux version 6.6.1 (a@b) #1", "K - 1.000000 - a"], &[]);
        let log = "> <5>[    0.000000] Linux version 6.6.1 (a@b) #1\n> <6>[    1.000000] a\n";
        check(log, &["K 5 0.000000 - Linux version 6.6.1 (a@b) #1", "K 6 1.000000 - a"], &[]);
    }

    #[test]
    fn stamps_of_fewer_decimals() {
        let log = "[    0.000] Linux version 6.6.1 (a@b) #1\n<6>[    1.234] a\n";
        check(log, &["K - 0.000000 - Linux version 6.6.1 (a@b) #1", "K 6 1.234000 - a"], &[]);
        let other = "[    0.000] Linux version 6.6.1 (a@b) #1\n[   25.12] (II) Xorg's\n";
        check(
            other,
            &["K - 0.000000 - Linux version 6.6.1 (a@b) #1", "O - - - [   25.12] (II) Xorg's"],
            &[ProblemKind::BadPrefix],
        );
        // Firmware's are not the kernel's.
        check("[    0.500] DRAM: 64 MiB\n", &["O - - - [    0.500] DRAM: 64 MiB"], &[ProblemKind::BadPrefix]);
    }

    #[test]
    fn strings_of_json_one_a_line() {
        let log = "  \"[    0.000000] Linux version 6.6.1 (a@b) #1\",\n  \"[    1.000000] a \\\"b\\\"\"\n";
        let expected = ["K - 0.000000 - Linux version 6.6.1 (a@b) #1", "K - 1.000000 - a \\\"b\\\""];
        check(log, &expected, &[]);
    }

    #[test]
    fn a_torn_prefix_is_named() {
        check("[    1.0\n", &["O - - - [    1.0"], &[ProblemKind::BadPrefix]);
    }
}
