// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stamps that terminal programs put before a line: when it reached the host.
//!
//! ```text
//! [7.463323 0.000120] text                grabserial -t: since the first character, since the line before
//! [16:37:21.964123 0.000120] text         grabserial -T
//! [7.463323] text  [16:37:21.964123] text the same with --nodelta
//! [2026-04-24 16:37:21.964] text          minicom, extended; without the decimals: simple
//! [16:37:21.964] text                     tio 24hour, 24hour-start, 24hour-delta
//! [2026-04-24T16:37:21.964] text          tio iso8601
//! [1777048641.964] text                   tio epoch
//! Apr 24 16:37:21 text   00:00:01 text    ts, ts -s, ts -i; with %.s, %.S or %.T also decimals
//! [Fri Apr 24 16:37:21.964 2026] text     Tera Term 4; without decimals and blank: conserver
//! [0 00:00:07.463] text                   Tera Term, elapsed: days and the time
//! 16:37:21.964 -> text                    Arduino; [16:37:21:964] text: CuteCom; 2026/04/24 16:37:21 text: ser2net
//! 2026-04-24T16:37:21.9641230Z text                  GitHub's job log (also JOB<tab>STEP<tab> before it: gh run view)
//! 2026-04-24T16:37:21.964123Z 00O text               GitLab's job log: stream, output or error, + for a line's rest
//! 2026-04-24T16:37:21.964123000Z stdout F text       Kubernetes (CRI)
//! 2026-04-24 16:37:21.964123 | node | text           Zuul
//! ```
//! Sources: GitLab runner's helpers/trace timestamper, the CRI logging format; grabserial's `grab()`, minicom's `vt_out()`, tio's
//! `timestamp_current_time()`, ts(1), Tera Term's `logtimestamp` setting.
use super::Format;
use bootline_capture::units::Dur;

/// A stamp taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineStamp {
    pub clock: StampClock,
    /// On that clock.
    pub nanos: i64,
    /// What the last printed digit stands for.
    pub resolution: Dur,
    /// Bytes up to the text.
    pub len: usize,
    /// Whose it looks like.
    pub format: Format,
}

/// What a stamp counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StampClock {
    /// Since some start; restarts where grabserial met its base pattern.
    Elapsed,
    /// From midnight.
    Day,
    /// From 1970, in whatever time zone.
    Calendar,
}

/// The stamp at the start of a line, blanks before it included.
pub(super) fn parse(bytes: &[u8]) -> Option<LineStamp> {
    let pad = bytes.iter().take(8).take_while(|b| **b == b' ').count();
    let rest = &bytes[pad..];
    let job = job_and_step_len(rest);
    let mut scan = Scanner { bytes: rest, at: job };
    let mut stamp = match rest.get(job)? {
        b'[' => bracketed(&mut scan),
        b'0'..=b'9' | b'A'..=b'Z' => bare(&mut scan),
        _ => None,
    }?;
    if job > 0 {
        if stamp.format != Format::Ts || stamp.clock != StampClock::Calendar {
            return None;
        }
        stamp.format = Format::CiLog;
    }
    stamp.len = pad + scan.at;
    Some(stamp)
}

/// Length of what `gh run view --log` puts before a stamp: the job's and the step's name, each with a tab.
fn job_and_step_len(bytes: &[u8]) -> usize {
    const LONGEST: usize = 256;
    let near = &bytes[..bytes.len().min(LONGEST)];
    let mut tabs = memchr::memchr_iter(b'\t', near);
    let Some(second) = tabs.next().and_then(|_| tabs.next()) else { return 0 };
    let rest = &bytes[second + 1..];
    let mark = if rest.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let is_date =
        rest[mark..].len() > 20 && rest[mark..mark + 4].iter().all(u8::is_ascii_digit) && rest[mark + 4] == b'-';
    if is_date { second + 1 + mark } else { 0 }
}

/// What job logs put after a stamp in UTC: its length, the blank after it included.
fn stream_len(rest: &[u8]) -> usize {
    let is_hex = |b: &u8| b.is_ascii_digit() || (b'a'..=b'f').contains(b);
    match rest {
        [a, b, b'O' | b'E', b' ' | b'+', ..] if is_hex(a) && is_hex(b) => 4,
        [b's', b't', b'd', b'o', b'u', b't', b' ', b'F' | b'P', b' ', ..]
        | [b's', b't', b'd', b'e', b'r', b'r', b' ', b'F' | b'P', b' ', ..] => 9,
        [b'|', b' ', node @ ..] => {
            let is_node = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'-' | b'_' | b'.');
            let name = node.iter().take(64).take_while(is_node).count();
            if name > 0 && node[name..].starts_with(b" | ") { 2 + name + 3 } else { 2 }
        }
        _ => 0,
    }
}

/// `[Fri Apr 24 16:37:21.964 2026] ` or `[0 00:00:07.463] `.
fn tera_term(scan: &mut Scanner<'_>) -> Option<LineStamp> {
    scan.take(b'[')?;
    let (clock, nanos, resolution) = if scan.weekday().is_some() {
        let (nanos, resolution) = scan.day_time_and_year()?;
        (StampClock::Calendar, nanos, resolution)
    } else {
        let days = scan.count_of_days()?;
        let (nanos, resolution) = scan.time_of_day()?;
        (StampClock::Elapsed, calendar(days, nanos), resolution)
    };
    scan.take(b']')?;
    // dmesg -T prints whole seconds and a blank.
    if scan.take(b' ').is_some() && resolution >= Dur::from_secs(1) {
        return None;
    }
    Some(LineStamp { clock, nanos, resolution, len: 0, format: Format::TeraTerm })
}

fn bracketed(scan: &mut Scanner<'_>) -> Option<LineStamp> {
    let start = scan.at;
    if let Some(stamp) = tera_term(scan) {
        return Some(stamp);
    }
    scan.at = start;
    scan.take(b'[')?;
    let mut stamp = match scan.date() {
        Some(days) => {
            let iso = scan.take(b'T').is_some();
            if !iso {
                scan.take(b' ')?;
            }
            let (nanos, resolution) = scan.time_of_day()?;
            scan.zone();
            let format = if iso { Format::Tio } else { Format::Minicom };
            LineStamp { clock: StampClock::Calendar, nanos: calendar(days, nanos), resolution, len: 0, format }
        }
        None => match scan.time_of_day() {
            Some((nanos, resolution)) => {
                // grabserial prints microseconds, tio milliseconds.
                let format = if resolution < Dur::from_millis(1) { Format::Grabserial } else { Format::Tio };
                LineStamp { clock: StampClock::Day, nanos, resolution, len: 0, format }
            }
            None => {
                // Old versions padded by one; a kernel's stamp below 1000 s has two blanks or more.
                scan.take(b' ');
                let (nanos, resolution) = scan.seconds()?;
                let clock = if nanos > EPOCH_LIKE { StampClock::Calendar } else { StampClock::Elapsed };
                let format = match (clock, resolution.as_nanos()) {
                    (StampClock::Calendar, _) => Format::Tio,
                    (_, 1_000) => Format::Grabserial,
                    _ => return None,
                };
                LineStamp { clock, nanos, resolution, len: 0, format }
            }
        },
    };
    if scan.take(b' ').is_some() {
        let (_, resolution) = scan.seconds()?;
        if resolution != Dur::from_micros(1) {
            return None;
        }
        stamp.format = Format::Grabserial;
    }
    scan.take(b']')?;
    scan.take(b' ');
    Some(stamp)
}

/// The form of `ts`.
fn bare(scan: &mut Scanner<'_>) -> Option<LineStamp> {
    let start = scan.at;
    let has_date = scan.bytes.get(start + 4) == Some(&b'-');
    let (clock, nanos, resolution) = if let Some(days) = scan.date() {
        if scan.take(b'T').is_none() {
            scan.take(b' ').or_else(|| scan.take(b'_'))?;
        }
        let (nanos, resolution) = scan.time_of_day()?;
        scan.zone();
        (StampClock::Calendar, calendar(days, nanos), resolution)
    } else if let Some(days) = scan.month_and_day() {
        let (nanos, resolution) = scan.time_of_day()?;
        (StampClock::Calendar, calendar(days, nanos), resolution)
    } else {
        scan.at = start;
        match scan.time_of_day() {
            Some((nanos, resolution)) => (StampClock::Day, nanos, resolution),
            None => {
                let (nanos, resolution) = scan.seconds()?;
                // Fewer decimals may be any number that a line begins with.
                if resolution != Dur::from_micros(1) {
                    return None;
                }
                let clock = if nanos > EPOCH_LIKE { StampClock::Calendar } else { StampClock::Elapsed };
                (clock, nanos, resolution)
            }
        }
    };
    if scan.at < scan.bytes.len() {
        scan.take(b' ')?;
    }
    let stream = if has_date { stream_len(&scan.bytes[scan.at..]) } else { 0 };
    scan.at += stream;
    let format = if stream > 0 { Format::CiLog } else { Format::Ts };
    Some(LineStamp { clock, nanos, resolution, len: 0, format })
}

/// Seconds beyond this are counted from 1970: it is 2001.
const EPOCH_LIKE: i64 = 1_000_000_000_000_000_000;
/// A day in nanoseconds.
pub(super) const DAY_NS: i64 = 86_400_000_000_000;

/// Nanoseconds since 1970, from days and the time of day.
pub(super) fn calendar(days: i64, nanos: i64) -> i64 {
    days.saturating_mul(DAY_NS).saturating_add(nanos)
}

/// A place in a line.
pub(super) struct Scanner<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl Scanner<'_> {
    pub fn take(&mut self, b: u8) -> Option<()> {
        (self.bytes.get(self.at) == Some(&b)).then(|| self.at += 1)
    }

    /// A number of exactly so many digits.
    fn digits(&mut self, n: usize) -> Option<i64> {
        let digits = self.bytes.get(self.at..self.at + n)?;
        let value = digits.iter().try_fold(0, |v, b| b.is_ascii_digit().then(|| v * 10 + i64::from(b - b'0')))?;
        self.at += n;
        Some(value)
    }

    /// `2026-04-24`, as days since 1970.
    pub fn date(&mut self) -> Option<i64> {
        let start = self.at;
        let date = self.parse_date();
        if date.is_none() {
            self.at = start;
        }
        date
    }

    /// `2026`.
    pub fn year(&mut self) -> Option<i64> {
        self.digits(4)
    }

    fn parse_date(&mut self) -> Option<i64> {
        let year = self.digits(4)?;
        let separator = if self.take(b'/').is_some() { b'/' } else { b'-' };
        if separator == b'-' {
            self.take(b'-')?;
        }
        let month = self.digits(2)?;
        self.take(separator)?;
        let day = self.digits(2)?;
        days_since_1970(year, month, day)
    }

    /// `Apr 24 ` or `Apr  4 `, in a year that is not stated: a leap year, so that the 29th of February is one day.
    pub fn month_and_day(&mut self) -> Option<i64> {
        let month = self.month()?;
        self.take(b' ')?;
        self.take(b' ');
        let day = self.digits(2).or_else(|| self.digits(1))?;
        self.take(b' ')?;
        days_since_1970(1972, month, day)
    }

    /// `Apr 24 16:37:21 2026` or `Apr 24 16:37:21 UTC 2026`, what ctime() and date(1) write after the weekday: nanoseconds
    /// since 1970, in a leap year, and their step.
    pub fn day_time_and_year(&mut self) -> Option<(i64, Dur)> {
        let days = self.month_and_day()?;
        let (nanos, resolution) = self.time_of_day()?;
        self.take(b' ')?;
        self.zone_name();
        self.year()?;
        Some((calendar(days, nanos), resolution))
    }

    /// `UTC `, `-03 ` or `+0530 `, which `log -T` of crash puts before the year, or nothing.
    fn zone_name(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_offset = matches!(rest, [b'+' | b'-', b'0'..=b'9', ..]);
        let is_zone = |b: &u8| if is_offset { b.is_ascii_digit() } else { b.is_ascii_uppercase() };
        let sign = usize::from(is_offset);
        let len = sign + rest[sign..].iter().take(6).take_while(|b| is_zone(b)).count();
        if len > 0 && rest.get(len) == Some(&b' ') {
            self.at += len + 1;
        }
    }

    /// `Mär 01 10:00:00 `, `déc. 01 10:00:00 `, `3月 01 10:00:00 `: a month in any language, of which only the day is taken.
    pub fn local_day_and_time(&mut self) -> Option<i64> {
        let start = self.at;
        let found = self.parse_local_day_and_time();
        if found.is_none() {
            self.at = start;
        }
        found
    }

    fn parse_local_day_and_time(&mut self) -> Option<i64> {
        self.word()?;
        let day = self.day_of_month()?;
        let (nanos, _) = self.time_of_day()?;
        self.take(b' ')?;
        Some(calendar(day, nanos))
    }

    /// A word that names a weekday or a month, with the blanks after it: it holds a letter, in whatever script.
    pub fn word(&mut self) -> Option<()> {
        const LONGEST: usize = 24;
        let rest = self.bytes.get(self.at..)?;
        let len = rest.iter().take(LONGEST).position(|b| *b == b' ')?;
        let is_letter = |b: &u8| b.is_ascii_alphabetic() || *b >= 0x80;
        let is_word = rest[..len].iter().all(|b| is_letter(b) || b.is_ascii_digit() || *b == b'.');
        if !is_word || !rest[..len].iter().any(is_letter) {
            return None;
        }
        self.at += len;
        while self.take(b' ').is_some() {}
        Some(())
    }

    /// ` 4 ` or `24 `.
    pub fn day_of_month(&mut self) -> Option<i64> {
        self.take(b' ');
        let day = self.digits(2).or_else(|| self.digits(1)).filter(|day| (1..=31).contains(day))?;
        self.take(b' ')?;
        Some(day)
    }

    /// `04-24`, in a leap year.
    pub fn month_dash_day(&mut self) -> Option<i64> {
        let month = self.digits(2)?;
        self.take(b'-')?;
        let day = self.digits(2)?;
        days_since_1970(1972, month, day)
    }

    /// `0 `, up to four digits.
    pub fn count_of_days(&mut self) -> Option<i64> {
        let digits = self.bytes[self.at..].iter().take(5).take_while(|b| b.is_ascii_digit()).count();
        let days = if (1..=4).contains(&digits) { self.digits(digits)? } else { return None };
        self.take(b' ')?;
        Some(days)
    }

    /// `Fri `.
    pub fn weekday(&mut self) -> Option<()> {
        const DAYS: [&[u8; 4]; 7] = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];
        let day = self.bytes.get(self.at..self.at + 4)?;
        DAYS.iter().find(|d| d.as_slice() == day)?;
        self.at += 4;
        Some(())
    }

    /// `Apr`.
    pub fn month(&mut self) -> Option<i64> {
        const NAMES: [&[u8; 3]; 12] =
            [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
        let name = self.bytes.get(self.at..self.at + 3)?;
        let month = NAMES.iter().position(|n| n.as_slice() == name)?;
        self.at += 3;
        Some(month as i64 + 1)
    }

    /// `16:37:21`, with or without decimals, as nanoseconds since midnight with their resolution.
    pub fn time_of_day(&mut self) -> Option<(i64, Dur)> {
        let start = self.at;
        let time = self.parse_time_of_day();
        if time.is_none() {
            self.at = start;
        }
        time
    }

    fn parse_time_of_day(&mut self) -> Option<(i64, Dur)> {
        let hours = self.digits(2)?;
        self.take(b':')?;
        let minutes = self.digits(2)?;
        self.take(b':')?;
        let seconds = self.digits(2)?;
        if hours > 24 || minutes > 59 || seconds > 60 {
            return None;
        }
        let (nanos, resolution) = self.decimals()?;
        Some((((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + nanos, resolution))
    }

    /// `7.463323`; decimals are a must.
    pub fn seconds(&mut self) -> Option<(i64, Dur)> {
        let digits = self.bytes[self.at..].iter().take(11).take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 || digits > 10 || !matches!(self.bytes.get(self.at + digits), Some(b'.')) {
            return None;
        }
        let seconds = self.digits(digits)?;
        let (nanos, resolution) = self.decimals()?;
        Some((seconds.checked_mul(1_000_000_000)?.checked_add(nanos)?, resolution))
    }

    /// `.964`, `,964`, `:964` (CuteCom) or nothing.
    fn decimals(&mut self) -> Option<(i64, Dur)> {
        match self.bytes.get(self.at..).unwrap_or_default() {
            [b'.' | b',', ..] | [b':', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b']' | b' ', ..] => {}
            _ => return Some((0, Dur::from_secs(1))),
        }
        self.at += 1;
        let digits = self.bytes[self.at..].iter().take(10).take_while(|b| b.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        let unit = 10_i64.pow(9 - digits as u32);
        Some((self.digits(digits)? * unit, Dur::from_nanos(unit)))
    }

    /// `Z`, `+02:00`, `+0200` or nothing.
    pub fn zone(&mut self) {
        if self.take(b'Z').is_some() {
            return;
        }
        let start = self.at;
        let sign = self.take(b'+').or_else(|| self.take(b'-'));
        let zone = sign.and_then(|()| self.digits(2)).and_then(|_| {
            self.take(b':');
            self.digits(2)
        });
        if zone.is_none() {
            self.at = start;
        }
    }
}

/// Howard Hinnant's days_from_civil, for years from 1 to 9999.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: Option<(Format, StampClock, i64, &str)>) {
        let found = parse(input.as_bytes()).map(|s| (s.format, s.clock, s.nanos, &input[s.len..]));
        assert_eq!(found, expected, "{input:?}");
    }

    const MS: i64 = 1_000_000;
    const MINUTE: i64 = 60_000 * MS;
    const TIME: i64 = (16 * 60 + 37) * MINUTE + 21_964 * MS;
    const DATE: i64 = 20_567 * DAY_NS;

    #[test]
    fn grabserial() {
        use StampClock::{Day, Elapsed};
        check("[7.463323 0.000120] a", Some((Format::Grabserial, Elapsed, 7_463_323_000, "a")));
        check("[0.000002 0.000002] ", Some((Format::Grabserial, Elapsed, 2_000, "")));
        check("[7.463323] a", Some((Format::Grabserial, Elapsed, 7_463_323_000, "a")));
        check("[ 7.463323] a", Some((Format::Grabserial, Elapsed, 7_463_323_000, "a")));
        check("[16:37:21.964000 0.000120] a", Some((Format::Grabserial, Day, TIME, "a")));
        check("[16:37:21.964000] a", Some((Format::Grabserial, Day, TIME, "a")));
        check("[7.463323 0.12] a", None);
        check("[    7.463323] a", None);
        check("[0000.234] I> MB1", None);
    }

    #[test]
    fn minicom_and_tio() {
        use StampClock::{Calendar, Day};
        check("[2026-04-24 16:37:21.964] a", Some((Format::Minicom, Calendar, DATE + TIME, "a")));
        check(" [2026-04-24 16:37:21.964] a", Some((Format::Minicom, Calendar, DATE + TIME, "a")));
        check("[2026-04-24 16:37:21] ", Some((Format::Minicom, Calendar, DATE + TIME - 964 * MS, "")));
        check("[16:37:21.964] a", Some((Format::Tio, Day, TIME, "a")));
        check("[2026-04-24T16:37:21.964] a", Some((Format::Tio, Calendar, DATE + TIME, "a")));
        check("[2026-04-24T16:37:21.964Z] a", Some((Format::Tio, Calendar, DATE + TIME, "a")));
        check("[16:37:21:964] a", Some((Format::Tio, Day, TIME, "a")));
        check("[2026/04/24 16:37:21.964] a", Some((Format::Minicom, Calendar, DATE + TIME, "a")));
        check("[1777048641.964] a", Some((Format::Tio, Calendar, 1_777_048_641_964 * MS, "a")));
        check("[2026-13-24 16:37:21.964] a", None);
        check("[2026-04-24 16:37:21.964 a", None);
    }

    #[test]
    fn tera_term_and_conserver() {
        use StampClock::{Calendar, Elapsed};
        let leap_year = days_since_1970(1972, 4, 4).unwrap() * DAY_NS;
        let tera_term = Format::TeraTerm;
        check("[Sat Apr 04 16:37:21.964 2026] a", Some((tera_term, Calendar, leap_year + TIME, "a")));
        check("[Sat Apr  4 16:37:21 2026]a", Some((tera_term, Calendar, leap_year + TIME - 964 * MS, "a")));
        check("[1 00:00:07.463] a", Some((tera_term, Elapsed, DAY_NS + 7_463 * MS, "a")));
        check("[Sat Apr  4 16:37:21 2026] dmesg's", None);
        check("[1 apple] a", None);
    }

    #[test]
    fn ts() {
        use StampClock::{Calendar, Day, Elapsed};
        let leap_year = days_since_1970(1972, 4, 4).unwrap() * DAY_NS;
        check("Apr  4 16:37:21 a", Some((Format::Ts, Calendar, leap_year + TIME - 964 * MS, "a")));
        check("00:00:01 a", Some((Format::Ts, Day, 1_000 * MS, "a")));
        check("00:00:01.500000 a", Some((Format::Ts, Day, 1_500 * MS, "a")));
        check("1.500000 a", Some((Format::Ts, Elapsed, 1_500 * MS, "a")));
        check("1777048641.964000 a", Some((Format::Ts, Calendar, 1_777_048_641_964 * MS, "a")));
        check("2026-04-24T16:37:21.964+02:00 a", Some((Format::Ts, Calendar, DATE + TIME, "a")));
        check("2026/04/24 16:37:21.964 a", Some((Format::Ts, Calendar, DATE + TIME, "a")));
        check("2026-04-24_16:37:21.964 a", Some((Format::Ts, Calendar, DATE + TIME, "a")));
        check("1.5 apples", None);
        check("Apricot", None);
        check("U-Boot 2024.01", None);
    }

    #[test]
    fn job_logs() {
        use StampClock::Calendar;
        let at = DATE + TIME;
        check("2026-04-24T16:37:21.9640000Z a", Some((Format::Ts, Calendar, at, "a")));
        check("build\tRun it\t2026-04-24T16:37:21.9640000Z a\tb", Some((Format::CiLog, Calendar, at, "a\tb")));
        check("2026-04-24T16:37:21.964000Z 00O a", Some((Format::CiLog, Calendar, at, "a")));
        check("2026-04-24T16:37:21.964000Z 01E+a", Some((Format::CiLog, Calendar, at, "a")));
        check("2026-04-24T16:37:21.964000000Z stdout F a", Some((Format::CiLog, Calendar, at, "a")));
        check("2026-04-24 16:37:21.964000 | node-1 | a", Some((Format::CiLog, Calendar, at, "a")));
        check("a\tb\tc", None);
        check("a\tb\t2026", None);
        check("a\tb\t1.500000 c", None);
    }

    #[test]
    fn days() {
        assert_eq!(days_since_1970(1970, 1, 1), Some(0));
        assert_eq!(days_since_1970(2000, 3, 1), Some(11_017));
        assert_eq!(days_since_1970(2026, 4, 24), Some(20_567));
        assert_eq!(days_since_1970(2026, 0, 24), None);
    }
}
