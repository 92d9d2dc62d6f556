// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instants as other programs write them.
use chrono::{DateTime, NaiveDateTime};

/// `2026-11-24T04:10:42.5Z`, with any offset; without one it is UTC, as LAVA and KernelCI write it. In microseconds since 1970.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let with_offset = DateTime::parse_from_rfc3339(text).map(|t| t.timestamp_micros());
    let plain = || {
        ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"]
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
            .map(|t| t.and_utc().timestamp_micros())
    };
    with_offset.ok().or_else(plain)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn instants_are_utc_unless_they_say_otherwise() {
        let check = |text: &str, want: Option<i64>| assert_eq!(parse(text), want, "{text}");
        check("1970-01-01T00:00:01Z", Some(1_000_000));
        check("1970-01-01T01:00:01+01:00", Some(1_000_000));
        check("1970-01-01T00:00:01.000002", Some(1_000_002));
        check("1970-01-01 00:00:01", Some(1_000_000));
        check("yesterday", None);
    }
}
