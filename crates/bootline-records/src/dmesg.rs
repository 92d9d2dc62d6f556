// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `dmesg` prints when it is asked for more than the plain log.
//!
//! ```text
//! kern  :info  : [    1.234567] text             -x, with any of the following times
//! [    1.234567 <    0.000012>] text             -d
//! [<    0.000012>] text                          --time-format delta: since the record before
//! [Fri Apr 24 16:37:21 2026] text                -T
//! [Fri Apr 24 16:37:21 2026 <    0.000012>] text -T -d
//! 2026-04-24T16:37:21,964123+02:00 text          --time-format iso
//! [Apr24 16:37] text   [  +0.000012] text        -e: since the record before
//! [    1.234567] [Fri Apr 24 16:37:21 2026] text several --time-format: the kernel's own counts, else the finest
//! kern  :info  : text                            -x --notime
//! [Fri Apr 24 16:37:21 UTC 2026] text            log -T of crash
//! board: kern:    info: [2026-04-24T16:37:21.964123Z]: text     talosctl dmesg, also without the node's name
//! ```
//! Source: `print_record()` in util-linux sys-utils/dmesg.c; Talos's `dmesg` of internal/app/machined.
//!
//! Wall-clock times are dmesg's own sum of kernel time and boot time: the stamps count from the first record of each kernel's
//! log. Further lines of a record are indented by its prefix; each becomes a record with the stamp of the one before.
use memchr::{memmem, memrchr};

use super::boot_announcement::begins_kernel_log;
use super::log_line::LogLine;
use super::output::{RecordEmitter, RecordHead};
use super::prefix::{self, Stamp};
use super::stamp::{self, Scanner};
use super::wall_origin::WallOrigin;
use super::{Caller, Level, ProblemKind, RecordOrigin, Sink};
use bootline_capture::units::KernelTime;

/// Decodes dmesg's output.
#[derive(Debug, Default)]
pub(super) struct Dmesg {
    /// Where the stamps begin.
    origin: WallOrigin,
    /// The sum of the deltas.
    sum: i64,
    /// The times that the records have, one bit a kind: what looks like another belongs to the text.
    layout: u8,
    last: Option<(RecordHead, usize)>,
}

impl Dmesg {
    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let body = line.body;
        let (head, text_from) = match parse(body, self.layout) {
            Some(found) => {
                self.layout = if found.kinds == 0 { self.layout } else { found.kinds };
                let stamp = self.stamp(found.time, &body[found.len..], line, out);
                let head = RecordHead { source: RecordOrigin::Kernel, level: found.level, stamp, caller: found.caller };
                self.last = Some((head, found.len));
                (head, found.len)
            }
            None => match self.last {
                Some((head, indent)) if body.len() > indent && body[..indent].iter().all(|b| *b == b' ') => {
                    (head, indent)
                }
                _ => return out.other_line(line, line.line_bytes(0, body.len())),
            },
        };
        let line_bytes = prefix::printed_len(head.stamp, head.caller) + (body.len() - text_from) + 2;
        out.stretch(head, line, 0, text_from, body.len(), u32::try_from(line_bytes).unwrap_or(u32::MAX));
    }

    fn stamp<S: Sink>(
        &mut self,
        time: Time,
        text: &[u8],
        line: &LogLine<'_>,
        out: &mut RecordEmitter<'_, S>,
    ) -> Option<KernelTime> {
        let range = line.range(0, line.body.len());
        match time {
            Time::Kernel(stamp) => {
                if stamp == Stamp::Overflow {
                    out.problem(ProblemKind::StampOverflow, range, "a stamp too large to be a time");
                }
                stamp.time()
            }
            Time::Wall { nanos, is_coarse } => {
                if is_coarse {
                    out.problem(ProblemKind::CoarseStamps, range, "wall-clock stamps in whole seconds");
                }
                Some(self.origin.time(nanos, text))
            }
            Time::SincePrevious(delta) => {
                self.sum = self.sum.saturating_add(delta);
                Some(KernelTime::from_nanos(self.sum))
            }
            Time::Absent => None,
            Time::NewMinute => {
                out.problem(ProblemKind::CoarseStamps, range, "a stamp of -e that shows only the minute");
                if begins_kernel_log(text) {
                    self.sum = 0;
                }
                Some(KernelTime::from_nanos(self.sum))
            }
        }
    }
}

/// Whether only this decoder understands the line.
pub(super) fn probe(body: &[u8]) -> bool {
    match parse(body, 0) {
        Some(found) => found.facility || !matches!(found.time, Time::Kernel(_)) || found.has_delta,
        None => false,
    }
}

struct Parsed {
    level: Option<Level>,
    facility: bool,
    time: Time,
    has_delta: bool,
    /// Kinds of the times, one bit each.
    kinds: u8,
    caller: Option<Caller>,
    len: usize,
}

enum Time {
    Kernel(Stamp),
    Wall {
        nanos: i64,
        is_coarse: bool,
    },
    SincePrevious(i64),
    NewMinute,
    /// None was printed.
    Absent,
}

impl Time {
    /// One bit; -e shows a minute or what has passed since.
    fn kind(&self) -> u8 {
        match self {
            Time::SincePrevious(_) | Time::NewMinute => 1 << 1,
            other => 1 << other.rank(),
        }
    }

    /// Of several, the one with the highest rank counts.
    fn rank(&self) -> u8 {
        match self {
            Time::Kernel(_) => 5,
            Time::Wall { is_coarse: false, .. } => 4,
            Time::SincePrevious(_) => 3,
            Time::Wall { is_coarse: true, .. } => 2,
            Time::NewMinute => 1,
            Time::Absent => 0,
        }
    }
}

/// A record whose forerunners had times of these kinds: a second time of another kind belongs to the text.
fn parse(body: &[u8], layout: u8) -> Option<Parsed> {
    talos(body).or_else(|| util_linux(body, layout))
}

/// `board: kern:    info: [2026-04-24T16:37:21.964123Z]: text`.
fn talos(body: &[u8]) -> Option<Parsed> {
    /// The name of a node, and what follows up to the text.
    const LONGEST: usize = 256 + 64;
    let near = &body[..body.len().min(LONGEST)];
    let end = memmem::find(near, b"Z]: ")?;
    let bracket = memrchr(b'[', &near[..end])?;
    let mut scan = Scanner { bytes: near, at: bracket + 1 };
    let days = scan.date()?;
    scan.take(b'T')?;
    let (nanos, _) = scan.time_of_day()?;
    let mut names = near[..bracket].strip_suffix(b": ")?.rsplit(|b| *b == b':').map(<[u8]>::trim_ascii);
    let level = match names.next()? {
        b"warning" => Level(4),
        name => level_named(name)?,
    };
    let is_facility = FACILITIES.contains(&names.next()?);
    let time = Time::Wall { nanos: stamp::calendar(days, nanos), is_coarse: false };
    let kinds = time.kind();
    (is_facility && scan.at == end).then_some(Parsed {
        level: Some(level),
        facility: true,
        time,
        has_delta: false,
        kinds,
        caller: None,
        len: end + b"Z]: ".len(),
    })
}

fn util_linux(body: &[u8], layout: u8) -> Option<Parsed> {
    let facility = facility_and_level(body);
    let (level, mut at) = match facility {
        Some((level, len)) => (Some(level), len),
        None => (None, 0),
    };
    let mut time = Time::Absent;
    let mut has_delta = false;
    let mut kinds = 0_u8;
    while let Some((found, with_delta, len)) = self::time(&body[at..]) {
        // No form is printed twice: the second belongs to the text.
        let is_foreign = kinds & layout != 0 && found.kind() & layout == 0;
        if kinds & found.kind() != 0 || is_foreign {
            break;
        }
        has_delta |= with_delta || kinds != 0;
        kinds |= found.kind();
        at += len;
        if found.rank() > time.rank() {
            time = found;
        }
    }
    if kinds == 0 && facility.is_none_or(|(_, len)| len < PADDED_LEN) {
        return None;
    }
    let mut caller = None;
    if let Some((id, len)) = prefix::parse_caller(&body[at..]) {
        if body.get(at + len) == Some(&b' ') {
            caller = Some(id);
            at += len + 1;
        }
    }
    Some(Parsed { level, facility: facility.is_some(), time, has_delta, kinds, caller, len: at })
}

/// Length of facility and level in their columns.
const PADDED_LEN: usize = "kern  :info  : ".len();

/// syslog(3)'s names of the facilities, without those that are numbered.
const FACILITIES: [&[u8]; 12] =
    [b"kern", b"user", b"mail", b"daemon", b"auth", b"syslog", b"lpr", b"news", b"uucp", b"cron", b"authpriv", b"ftp"];

/// `kern  :info  : `.
fn facility_and_level(body: &[u8]) -> Option<(Level, usize)> {
    let (facility, rest) = padded_word(body)?;
    if !FACILITIES.contains(&facility) && !facility.starts_with(b"local") && !facility.starts_with(b"res") {
        return None;
    }
    let (level, rest) = padded_word(rest)?;
    let level = level_named(level)?;
    let rest = rest.strip_prefix(b" ")?;
    Some((level, body.len() - rest.len()))
}

/// dmesg's names of the levels.
pub(super) fn level_named(name: &[u8]) -> Option<Level> {
    const LEVELS: [&[u8]; 8] = [b"emerg", b"alert", b"crit", b"err", b"warn", b"notice", b"info", b"debug"];
    LEVELS.iter().position(|l| *l == name).map(|n| Level(n as u8))
}

/// A word padded to six columns, and what follows its colon.
fn padded_word(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = bytes.iter().take(12).position(|b| *b == b':')?;
    Some((bytes[..colon].trim_ascii_end(), &bytes[colon + 1..]))
}

/// The time, whether a delta follows it, and the length of both with the space after.
fn time(bytes: &[u8]) -> Option<(Time, bool, usize)> {
    if let Some((stamp, len)) = prefix::parse_stamp(bytes) {
        let space = usize::from(bytes.get(len) == Some(&b' '));
        return Some((Time::Kernel(stamp), false, len + space));
    }
    let mut scan = Scanner { bytes, at: 0 };
    if scan.take(b'[').is_none() {
        let days = scan.date()?;
        scan.take(b'T')?;
        let (nanos, resolution) = scan.time_of_day()?;
        scan.zone();
        scan.take(b' ')?;
        let nanos = stamp::calendar(days, nanos);
        return Some((Time::Wall { nanos, is_coarse: resolution.as_nanos() >= 1_000_000_000 }, false, scan.at));
    }
    let mut has_delta = false;
    let time = if let Some(nanos) = delta(&mut scan) {
        Time::SincePrevious(nanos)
    } else if let Some(nanos) = relative(&mut scan) {
        Time::SincePrevious(nanos)
    } else if minute(&mut scan).is_some() {
        Time::NewMinute
    } else {
        let (time, must_have_delta) = match ctime(&mut scan) {
            Some(nanos) => (Time::Wall { nanos, is_coarse: true }, false),
            None => {
                skip_blanks(&mut scan);
                (Time::Kernel(Stamp::At(KernelTime::from_nanos(scan.seconds()?.0))), true)
            }
        };
        if scan.take(b' ').is_some() {
            delta(&mut scan)?;
            has_delta = true;
        } else if must_have_delta {
            return None;
        }
        time
    };
    scan.take(b']')?;
    scan.take(b' ');
    Some((time, has_delta, scan.at))
}

/// `<    0.000012>`.
fn delta(scan: &mut Scanner<'_>) -> Option<i64> {
    let start = scan.at;
    let parsed = (|| {
        scan.take(b'<')?;
        skip_blanks(scan);
        let (nanos, _) = scan.seconds()?;
        scan.take(b'>')?;
        Some(nanos)
    })();
    if parsed.is_none() {
        scan.at = start;
    }
    parsed
}

/// `  +0.000012`.
fn relative(scan: &mut Scanner<'_>) -> Option<i64> {
    let start = scan.at;
    skip_blanks(scan);
    let parsed = scan.take(b'+').and_then(|()| scan.seconds());
    if parsed.is_none() {
        scan.at = start;
    }
    parsed.map(|(nanos, _)| nanos)
}

/// `Apr24 16:37`.
fn minute(scan: &mut Scanner<'_>) -> Option<()> {
    let start = scan.at;
    let rest = scan.bytes.get(start..start + 11)?;
    scan.month()?;
    let shape = [rest[3], rest[4], rest[6], rest[7], rest[9], rest[10]];
    let is_minute = rest[5] == b' ' && rest[8] == b':' && shape.iter().all(|b| b.is_ascii_digit() || *b == b' ');
    scan.at = if is_minute { start + 11 } else { start };
    is_minute.then_some(())
}

/// `Fri Apr 24 16:37:21 2026`, also `Fr Apr 24 16:37:21 2026`, `ven. avril 24 16:37:21 2026`, `五 4月 24 16:37:21 2026`: dmesg
/// prints it with strftime(), in the user's language.
fn ctime(scan: &mut Scanner<'_>) -> Option<i64> {
    let start = scan.at;
    let parsed = scan.weekday().and_then(|()| scan.day_time_and_year()).map(|(nanos, _)| nanos).or_else(|| {
        scan.at = start;
        local_ctime(scan)
    });
    if parsed.is_none() {
        scan.at = start;
    }
    parsed
}

/// In another language; the day alone stands for the date.
fn local_ctime(scan: &mut Scanner<'_>) -> Option<i64> {
    scan.word()?;
    scan.word()?;
    let day = scan.day_of_month()?;
    let (nanos, _) = scan.time_of_day()?;
    scan.take(b' ')?;
    scan.year()?;
    Some(stamp::calendar(day, nanos))
}

fn skip_blanks(scan: &mut Scanner<'_>) {
    while scan.take(b' ').is_some() {}
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, tests};

    fn check(input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(Format::Dmesg, input, expected, problems);
    }

    #[test]
    fn decoded() {
        check("kern  :err   : [    1.000000] a\n", &["K 3 1.000000 - a"], &[]);
        check("kern  :info  : [    1.000000] [    T7] a\n", &["K 6 1.000000 T7 a"], &[]);
        check("local0:debug : [<    0.500000>] a\n", &["K 7 0.500000 - a"], &[]);
        check("kern  :warn  : a\n", &["K 4 - - a"], &[]);
        check("kern:warn: a\n", &["O - - - kern:warn: a"], &[]);
        check("kern  :what  : [    1.000000] a\n", &["O - - - kern  :what  : [    1.000000] a"], &[]);
    }

    #[test]
    fn markup_is_taken_off() {
        let coarse = &[ProblemKind::CoarseStamps];
        check("[32m[Sun Mar  1 10:00:00 2026] [0ma\n", &["K - 0.000000 - a"], coarse);
        check("<pre>[Sun Mar  1 10:00:00 2026] a &lt;b&gt;\n", &["K - 0.000000 - a <b>"], coarse);
        let both = &[ProblemKind::ControlSequences, ProblemKind::CoarseStamps];
        check("\x1b[32m[Sun Mar  1 10:00:00 2026] \x1b[0ma &lt;\n", &["K - 0.000000 - a <"], both);
    }

    #[test]
    fn wall_clock() {
        let iso = "2026-03-01T10:00:00,500000+01:00 a\n2026-03-01T10:00:02,000000+01:00 b\n";
        check(iso, &["K - 0.000000 - a", "K - 1.500000 - b"], &[]);
        let coarse = &[ProblemKind::CoarseStamps];
        check("[Sun Mar  1 10:00:00 2026] a\n", &["K - 0.000000 - a"], coarse);
        check("[Sun Mar  1 10:00:00 2026 <    0.500000>] a\n", &["K - 0.000000 - a"], coarse);
        check("[Sun Mar  1 10:00:00] a\n", &["O - - - [Sun Mar  1 10:00:00] a"], &[]);
        for zone in ["UTC", "-03", "+0530"] {
            check(&format!("[Sun Mar  1 10:00:00 {zone} 2026] a\n"), &["K - 0.000000 - a"], coarse);
        }
        check("[Sun Mar  1 10:00:00 - 2026] a\n", &["O - - - [Sun Mar  1 10:00:00 - 2026] a"], &[]);
        for date in ["So Mär  1", "dim. mars  1", "日 3月  1", "Вс мар  1"] {
            check(&format!("[{date} 10:00:00 2026] a\n"), &["K - 0.000000 - a"], coarse);
        }
    }

    #[test]
    fn each_kernel_s_log_counts_from_its_own_first_record() {
        let banner = "Linux version 6.6.1 (a@b) #1";
        let two = format!(
            "[Sun Mar  1 10:00:00 2026] {banner}\n[Sun Mar  1 10:00:02 2026] a\n\
             [Mon Mar  2 11:00:00 2026] {banner}\n[Mon Mar  2 11:00:03 2026] a\n"
        );
        let first = format!("K - 0.000000 - {banner}");
        check(&two, &[&first, "K - 2.000000 - a", &first, "K - 3.000000 - a"], &[ProblemKind::CoarseStamps; 4]);
        let relative = format!("[Mar 1 10:00] {banner}\n[  +2.000000] a\n").repeat(2);
        check(&relative, &[&first, "K - 2.000000 - a", &first, "K - 2.000000 - a"], &[ProblemKind::CoarseStamps; 2]);
    }

    #[test]
    fn talos() {
        let log = "10.0.0.2: kern:    info: [2026-03-01T10:00:00.5Z]: a\n\
                   10.0.0.2: user: warning: [2026-03-01T10:00:02.123456789Z]: [talos] task x (1/2): b\n SUBSYSTEM=c\n";
        check(log, &["K 6 0.000000 - a", "K 4 1.623457 - [talos] task x (1/2): b", "O - - -  SUBSYSTEM=c"], &[]);
        check("kern:  notice: [2026-03-01T10:00:00.5Z]: a\n", &["K 5 0.000000 - a"], &[]);
        for line in ["kern: what: [2026-03-01T10:00:00.5Z]: a", "x: info: [2026-03-01T10:00:00.5Z]: a", "[1Z]: a"] {
            check(&format!("{line}\n"), &[&format!("O - - - {line}")], &[]);
        }
    }

    #[test]
    fn several_times() {
        check("[    1.000000] 2026-03-01T10:00:00,500000+01:00 a\n", &["K - 1.000000 - a"], &[]);
        check("[Sun Mar  1 10:00:00 2026] [    1.000000] a\n", &["K - 1.000000 - a"], &[]);
        check("[<    0.500000>] [Sun Mar  1 10:00:00 2026] a\n", &["K - 0.500000 - a"], &[]);
        check("[    1.000000] [    2.000000] a\n", &["K - 1.000000 - [    2.000000] a"], &[]);
        let text = "2026-03-01T10:00:00,500000+01:00 a";
        let expected = ["K - 1.000000 - a", &format!("K - 2.000000 - {text}")];
        check(&format!("[    1.000000] a\n[    2.000000] {text}\n"), &expected, &[]);
    }

    #[test]
    fn deltas() {
        check("[<    0.500000>] a\n[<    0.250000>] b\n", &["K - 0.500000 - a", "K - 0.750000 - b"], &[]);
        check("[    1.000000 <    0.500000>] a\n", &["K - 1.000000 - a"], &[]);
        check("[  +0.500000] a\n[ +10.000000] b\n", &["K - 0.500000 - a", "K - 10.500000 - b"], &[]);
    }
}
