// SPDX-License-Identifier: MIT OR Apache-2.0
//! The prefix that printk puts before each line: `<6>[    1.234567][    T1] `.
//!
//! Source: `print_syslog`, `print_time`, `print_caller` and `info_print_prefix` in kernel/printk/printk.c, which print
//! `<%u>`, `[%5lu.%06lu]`, `[%6s]` and one space.
use super::{Caller, Level, vendor};
use bootline_capture::units::KernelTime;

/// A prefix taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    pub level: Option<Level>,
    pub stamp: Stamp,
    pub caller: Option<Caller>,
    /// Bytes of `<N>`.
    pub level_len: usize,
    /// Bytes up to the text.
    pub len: usize,
}

/// What a prefix says of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    At(KernelTime),
    /// More seconds than a clock of nanoseconds holds.
    Overflow,
    /// The kernel prints none (printk.time=0).
    None,
}

impl Stamp {
    pub fn time(self) -> Option<KernelTime> {
        match self {
            Stamp::At(time) => Some(time),
            Stamp::Overflow | Stamp::None => None,
        }
    }
}

/// Digits of the seconds that are read at most; what is longer is no stamp.
const MAX_SECONDS_DIGITS: usize = 20;
/// Blanks before the seconds that are read at most.
const MAX_PAD: usize = 16;
/// Decimals of a stamp: microseconds.
const DECIMALS: usize = 6;
/// Columns of the seconds: `%5lu`.
const SECONDS_WIDTH: usize = 5;

/// The prefix at the start of `bytes`, if there is one; the stamp may have lost its padding.
#[inline]
pub(super) fn parse(bytes: &[u8]) -> Option<Prefix> {
    match bytes.first()? {
        b'[' => {
            let (stamp, at) = parse_stamp(bytes)?;
            Some(after_stamp(bytes, None, 0, stamp, at))
        }
        b'<' => {
            let (level, level_len) = parse_level(bytes)?;
            Some(match parse_stamp(&bytes[level_len..]) {
                Some((stamp, at)) => after_stamp(bytes, Some(level), level_len, stamp, level_len + at),
                None => Prefix { level: Some(level), stamp: Stamp::None, caller: None, level_len, len: level_len },
            })
        }
        _ => None,
    }
}

/// A prefix whose stamp has fewer decimals, as some vendors' kernels and log viewers print it, and how many they are. So does firmware:
/// the caller must tell them apart.
pub(super) fn parse_short(bytes: &[u8]) -> Option<(Prefix, usize)> {
    let (level, level_len) = parse_level(bytes).map_or((None, 0), |(level, len)| (Some(level), len));
    let inside = bytes[level_len..].strip_prefix(b"[")?;
    let len = inside.iter().take(MAX_PAD + MAX_SECONDS_DIGITS + DECIMALS).position(|b| *b == b']')?;
    let (seconds, decimals) = std::str::from_utf8(&inside[..len]).ok()?.trim_start_matches(' ').split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(seconds) || !is_number(decimals) || decimals.len() >= DECIMALS {
        return None;
    }
    let micros: i64 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
    let nanos = seconds.parse().ok().and_then(|s: i64| s.checked_mul(1_000_000_000)?.checked_add(micros * 1_000));
    let stamp = nanos.map_or(Stamp::Overflow, |nanos| Stamp::At(KernelTime::from_nanos(nanos)));
    Some((after_stamp(bytes, level, level_len, stamp, level_len + 1 + len + 1), decimals.len()))
}

/// Whether a prefix with its full padding begins at `at`, as it must in the middle of a line; where it begins,
/// `<N>` included.
#[inline]
pub(super) fn glued_at(bytes: &[u8], at: usize) -> Option<usize> {
    let next = *bytes.get(at + 1)?;
    if next != b' ' && !next.is_ascii_digit() {
        return None;
    }
    let (_, len) = parse_stamp(&bytes[at..])?;
    if len < SECONDS_WIDTH + DECIMALS + 3 {
        return None;
    }
    let before = &bytes[..at];
    if is_trusted_firmware(before) {
        return None;
    }
    for len in 3..=5 {
        let Some(from) = before.len().checked_sub(len) else { break };
        if parse_level(&before[from..]).is_some_and(|(_, l)| l == len) {
            return Some(from);
        }
    }
    Some(at)
}

/// Whether the stamp that follows is that of MediaTek's trusted firmware, `[ATF][    36.199793]` or `[ATF](0)[    36.199793]`, which
/// counts from power-on and goes on under the kernel.
fn is_trusted_firmware(before: &[u8]) -> bool {
    let cpu = before.len().saturating_sub(b"(0)".len());
    before.ends_with(b"[ATF]") || before.ends_with(b")") && before[..cpu].ends_with(b"[ATF]")
}

/// Whether a line begins as a prefix would, but isn't one: it was torn.
pub(super) fn torn(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"[ ") else { return false };
    let pad = rest.iter().take_while(|b| **b == b' ').count();
    if pad > MAX_PAD {
        return false;
    }
    let rest = &rest[pad..];
    let digits = rest.iter().take(MAX_SECONDS_DIGITS).take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && matches!(rest.get(digits), None | Some(b'.' | b'['))
}

/// Characters that the kernel prints before a line of text.
pub(super) fn printed_len(stamp: Option<KernelTime>, caller: Option<Caller>) -> usize {
    let Some(stamp) = stamp else { return 0 };
    let seconds = (stamp.as_nanos().max(0) / 1_000_000_000) as u64;
    let caller = match caller {
        Some(Caller::Task(n) | Caller::Cpu(n)) => 2 + (1 + decimal_len(u64::from(n))).max(6),
        None => 0,
    };
    "[.] ".len() + decimal_len(seconds).max(SECONDS_WIDTH) + DECIMALS + caller
}

/// `[    1.234567]`: the stamp and its length.
#[inline]
pub(super) fn parse_stamp(bytes: &[u8]) -> Option<(Stamp, usize)> {
    if let Some(window) = bytes.first_chunk::<14>() {
        if window[0] == b'[' && window[6] == b'.' && window[13] == b']' {
            if let Some(found) = padded_stamp(window) {
                return Some((Stamp::At(found), 14));
            }
        }
    }
    any_stamp(bytes)
}

/// The width nearly all stamps have, without a loop that depends on the data.
#[inline]
fn padded_stamp(window: &[u8; 14]) -> Option<KernelTime> {
    let mut seconds = 0;
    let mut blank = true;
    for b in &window[1..6] {
        if *b == b' ' && blank {
            continue;
        }
        blank = false;
        seconds = seconds * 10 + digit(*b)?;
    }
    if blank {
        return None;
    }
    let mut micros = 0;
    for b in &window[7..13] {
        micros = micros * 10 + digit(*b)?;
    }
    Some(KernelTime::from_nanos((seconds * 1_000_000 + micros) * 1_000))
}

fn any_stamp(bytes: &[u8]) -> Option<(Stamp, usize)> {
    let mut at = 1;
    if bytes.first() != Some(&b'[') {
        return None;
    }
    while bytes.get(at) == Some(&b' ') {
        at += 1;
        if at > MAX_PAD {
            return None;
        }
    }
    let seconds_at = at;
    let mut seconds: Option<i64> = Some(0);
    while let Some(d) = bytes.get(at).copied().and_then(digit) {
        seconds = seconds.and_then(|s| s.checked_mul(10)?.checked_add(d));
        at += 1;
        if at - seconds_at > MAX_SECONDS_DIGITS {
            return None;
        }
    }
    if at == seconds_at || bytes.get(at) != Some(&b'.') {
        return None;
    }
    let decimals = bytes.get(at + 1..at + 1 + DECIMALS)?;
    let mut micros = 0;
    for b in decimals {
        micros = micros * 10 + digit(*b)?;
    }
    at += 1 + DECIMALS;
    at += vendor_suffix_len(&bytes[at..]);
    if bytes.get(at) != Some(&b']') {
        return None;
    }
    let nanos = seconds.and_then(|s| s.checked_mul(1_000_000_000)?.checked_add(micros * 1_000));
    Some((nanos.map_or(Stamp::Overflow, |ns| Stamp::At(KernelTime::from_nanos(ns))), at + 1))
}

/// What vendors' kernels put after a stamp's decimals: `,0` (Motorola) and `@0` (Amlogic), the processor; `s` (Huawei);
/// ` / 01-01 00:00:00.000` (LG), the real-time clock.
fn vendor_suffix_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'@' | b',', digits @ ..] => {
            let len = digits.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
            // ` T1 ..`, the task and the context (Amlogic from 5.4 on).
            let is_context = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b' ' | b'.' | b'-');
            let context = match digits.get(len) {
                Some(b' ') => digits[len..].iter().take(20).take_while(is_context).count(),
                _ => 0,
            };
            if len > 0 { 1 + len + context } else { 0 }
        }
        [b's', b']', ..] => 1,
        [b' ', b'/', b' ', ..] => {
            let is_clock = |b: &&u8| b.is_ascii_digit() || matches!(**b, b'-' | b':' | b'.' | b' ');
            3 + bytes[3..].iter().take(24).take_while(is_clock).count()
        }
        _ => 0,
    }
}

/// `<6>` or, with a facility, `<30>`: the level, and its length.
pub(super) fn parse_level(bytes: &[u8]) -> Option<(Level, usize)> {
    let inner = bytes.strip_prefix(b"<")?;
    let digits = inner.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) || inner.get(digits) != Some(&b'>') {
        return None;
    }
    let n = inner[..digits].iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    // Facilities end at 23 (local7).
    (n < 24 * 8).then_some((Level((n & 7) as u8), digits + 2))
}

/// `[    T1]`, with its length.
pub(super) fn parse_caller(bytes: &[u8]) -> Option<(Caller, usize)> {
    let inner = bytes.strip_prefix(b"[")?;
    let pad = inner.iter().take(MAX_PAD).take_while(|b| **b == b' ').count();
    let (id, digits) = caller_id(&inner[pad..])?;
    let len = 1 + pad + 1 + digits;
    (bytes.get(len) == Some(&b']')).then_some((id, len + 1))
}

/// `T1` or `C0`, with the number's length.
pub(super) fn caller_id(bytes: &[u8]) -> Option<(Caller, usize)> {
    let kind = *bytes.first()?;
    if kind != b'T' && kind != b'C' {
        return None;
    }
    let digits = bytes[1..].iter().take(11).take_while(|b| b.is_ascii_digit()).count();
    let n = std::str::from_utf8(&bytes[1..=digits]).ok()?.parse().ok()?;
    Some((if kind == b'T' { Caller::Task(n) } else { Caller::Cpu(n) }, digits))
}

#[inline]
fn after_stamp(bytes: &[u8], level: Option<Level>, level_len: usize, stamp: Stamp, mut at: usize) -> Prefix {
    let mut caller = None;
    match bytes.get(at..) {
        Some([b'[', ..]) => {
            if let Some((id, len)) = parse_caller(&bytes[at..]) {
                caller = Some(id);
                at += len;
            }
        }
        // dmesg of util-linux puts a space between the two.
        Some([b' ', b'[', b' ' | b'T' | b'C', ..]) => {
            if let Some((id, len)) = parse_caller(&bytes[at + 1..]) {
                if bytes.get(at + 1 + len) == Some(&b' ') {
                    caller = Some(id);
                    at += 1 + len;
                }
            }
        }
        _ => {}
    }
    if bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    let (level, at) = match bytes.get(at..) {
        // `log -m` of crash.
        Some([b'<', n @ b'0'..=b'7', b'>', text, ..])
            if level.is_none() && !matches!(text, b'.' | b' ' | b'-' | b'(') =>
        {
            (Some(Level(n - b'0')), at + 3)
        }
        _ => (level, at),
    };
    let at = at + vendor::prefix_len(&bytes[at..]);
    Prefix { level, stamp, caller, level_len, len: at }
}

#[inline]
fn digit(b: u8) -> Option<i64> {
    b.is_ascii_digit().then(|| i64::from(b - b'0'))
}

fn decimal_len(mut n: u64) -> usize {
    let mut len = 1;
    while n >= 10 {
        n /= 10;
        len += 1;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Level, microseconds, caller and text.
    type Expected<'a> = (Option<u8>, Option<i64>, Option<Caller>, &'a str);

    fn check(input: &str, expected: Option<Expected<'_>>) {
        let found = parse(input.as_bytes()).map(|p| {
            let stamp = p.stamp.time().map(|t| t.as_nanos() / 1_000);
            (p.level.map(|l| l.0), stamp, p.caller, &input[p.len..])
        });
        assert_eq!(found, expected, "{input:?}");
    }

    #[test]
    fn stamps() {
        check("[    0.000000] Linux", Some((None, Some(0), None, "Linux")));
        check("[   12.345678] a", Some((None, Some(12_345_678), None, "a")));
        check("[99999.999999] a", Some((None, Some(99_999_999_999), None, "a")));
        check("[123456.000001] wide", Some((None, Some(123_456_000_001), None, "wide")));
        check("[ 3.034870] lost its padding", Some((None, Some(3_034_870), None, "lost its padding")));
        check("[    1.000000]no space", Some((None, Some(1_000_000), None, "no space")));
        check("[    1.000000]   indented", Some((None, Some(1_000_000), None, "  indented")));
        check("[    1.000000]", Some((None, Some(1_000_000), None, "")));
    }

    #[test]
    fn vendors_stamps() {
        let at = |micros| Some((None, Some(micros), None, "a"));
        check("[    1.000000,0] a", at(1_000_000));
        check("[    1.000000@2] a", at(1_000_000));
        check("[    1.000000@2 T1 ..] a", at(1_000_000));
        check("[    1.000000s][pid:0,cpu0,swapper]a", at(1_000_000));
        check("[    1.000000 / 01-01 00:00:01.000] a", at(1_000_000));
        check("<6>[    1.000000] [0:        swapper:    0] a", Some((Some(6), Some(1_000_000), None, "a")));
        check("[    1.000000,] a", None);
        check("[    1.000000 / x] a", None);
    }

    #[test]
    fn no_stamps() {
        check("", None);
        check("[", None);
        check("[     .000000] x", None);
        check("[    1.00000] x", None);
        check("[    1.0000000] x", None);
        check("[  1 2.000000] x", None);
        check("[    1.000000", None);
        check("[mem 0x000000] x", None);
        check(" [    1.000000] x", None);
        check("[123456789012345678901.000000] x", None);
    }

    #[test]
    fn short_stamps() {
        let check = |input: &str, expected: Option<(i64, &str)>| {
            let found = parse_short(input.as_bytes());
            let found = found.map(|(p, _)| (p.stamp.time().map_or(-1, |t| t.as_nanos() / 1_000), &input[p.len..]));
            assert_eq!(found, expected, "{input}");
        };
        check("[    1.234] a", Some((1_234_000, "a")));
        check("<6>[   12.05] a", Some((12_050_000, "a")));
        check("[99999999999999999999.0] a", Some((-1, "a")));
        for none in ["[    1.234567] a", "[    1.] a", "[.5] a", "[ x.5] a", "[1.5 0.1] a", "1.5", "[1.5"] {
            check(none, None);
        }
    }

    #[test]
    fn overflow() {
        assert_eq!(parse(b"[99999999999999999999.000000] x").unwrap().stamp, Stamp::Overflow);
        assert_eq!(parse(b"[9223372037.000000] x").unwrap().stamp, Stamp::Overflow);
        check("[9223372036.000000] x", Some((None, Some(9_223_372_036_000_000), None, "x")));
    }

    #[test]
    fn levels() {
        check("<6>[    1.000000] a", Some((Some(6), Some(1_000_000), None, "a")));
        check("<30>[    1.000000] systemd", Some((Some(6), Some(1_000_000), None, "systemd")));
        check("<3>no time", Some((Some(3), None, None, "no time")));
        check("<192>[    1.000000] a", None);
        check("[    1.000000] <6>a", Some((Some(6), Some(1_000_000), None, "a")));
        check("<b>bold", None);
        check("<>", None);
    }

    #[test]
    fn callers() {
        check("[    0.000000][    T0] a", Some((None, Some(0), Some(Caller::Task(0)), "a")));
        check("[    0.100000][ C1] a", Some((None, Some(100_000), Some(Caller::Cpu(1)), "a")));
        check("[    0.100000][T12345] a", Some((None, Some(100_000), Some(Caller::Task(12_345)), "a")));
        check("[    0.100000] [    T1] a", Some((None, Some(100_000), Some(Caller::Task(1)), "a")));
        check("[    0.100000] [T1]a", Some((None, Some(100_000), None, "[T1]a")));
        check("[    0.100000][T99999999999] a", Some((None, Some(100_000), None, "[T99999999999] a")));
        check("[    0.100000][ttyS0]", Some((None, Some(100_000), None, "[ttyS0]")));
    }

    #[test]
    fn torn_prefixes() {
        for line in ["[    3.7", "[    3", "[    3.72[    4.000000] x", "[    3.72190 x"] {
            assert!(torn(line.as_bytes()), "{line}");
        }
        for line in ["", "[", "[ ", "[    ", "[  OK  ] Started", "[ 12 apples", "[0000.234] I> MB1"] {
            assert!(!torn(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn printed() {
        let len = |ns, caller| printed_len(Some(KernelTime::from_nanos(ns)), caller);
        assert_eq!(len(0, None), "[    0.000000] ".len());
        assert_eq!(len(123_456_000_000_000, None), "[123456.000000] ".len());
        assert_eq!(len(0, Some(Caller::Task(1))), "[    0.000000][    T1] ".len());
        assert_eq!(len(0, Some(Caller::Task(1_234_567))), "[    0.000000][T1234567] ".len());
        assert_eq!(printed_len(None, None), 0);
    }
}
