// SPDX-License-Identifier: MIT OR Apache-2.0
//! Durations as systemd prints them: `1min 30.012s`, `532ms`, `12us`.
//!
//! Source: format_timespan() in systemd's src/basic/time-util.c; what systemd-analyze prints has a resolution of a millisecond.
use bootline_capture::units::Dur;

/// Units from systemd's table, with their nanoseconds.
const UNITS: [(&str, f64); 11] = [
    ("month", 2_629_800e9),
    ("min", 60e9),
    ("ms", 1e6),
    ("us", 1e3),
    ("\u{3bc}s", 1e3),
    ("\u{b5}s", 1e3),
    ("s", 1e9),
    ("h", 3_600e9),
    ("d", 86_400e9),
    ("w", 604_800e9),
    ("y", 31_557_600e9),
];

/// A whole text as a duration.
pub(super) fn parse(text: &str) -> Option<Dur> {
    let (length, rest) = leading(text)?;
    rest.trim().is_empty().then_some(length)
}

/// The duration with which a text begins, and the rest of the text.
pub fn leading(text: &str) -> Option<(Dur, &str)> {
    let mut rest = text.trim_start();
    let mut sum: Option<Dur> = None;
    while let Some((length, after)) = part(rest) {
        sum = Some(sum.unwrap_or_default() + length);
        rest = after.trim_start();
    }
    sum.map(|sum| (sum, rest))
}

/// `30.012s`
fn part(text: &str) -> Option<(Dur, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..end].parse().ok()?;
    let unit_end = text[end..].find(|c: char| !c.is_alphabetic()).map_or(text.len(), |n| end + n);
    let unit = &text[end..unit_end];
    let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let rest = &text[unit_end..];
    // `5s.mount` is a unit.
    let stands_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    stands_apart.then(|| (Dur::from_nanos((number * nanos).round() as i64), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time() {
        let check = |text, want: Option<i64>| assert_eq!(parse(text), want.map(Dur::from_micros), "{text}");
        check("532ms", Some(532_000));
        check("1min 30.012s", Some(90_012_000));
        check("1h 2min 3s", Some(3_723_000_000));
        check("12us", Some(12));
        check("12\u{3bc}s", Some(12));
        check("0", None);
        check("3 apples", None);
        check("", None);
        assert_eq!(leading("1.5s foo.service"), Some((Dur::from_millis(1_500), "foo.service")));
        assert_eq!(leading("1min 5s 9p.mount"), Some((Dur::from_secs(65), "9p.mount")));
        assert_eq!(leading("1min 5s.mount"), Some((Dur::from_secs(60), "5s.mount")));
    }
}
