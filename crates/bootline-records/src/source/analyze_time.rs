// SPDX-License-Identifier: MIT OR Apache-2.0
//! `systemd-analyze time`.
//!
//! ```text
//! Startup finished in 3.456s (firmware) + 1.2s (loader) + 2.1s (kernel) + 3s (initrd) + 5.2s (userspace) = 14.956s
//! graphical.target reached after 5.1s in userspace.
//! ```
//! Source: pretty_boot_time() in systemd's src/analyze/analyze-time-data.c.
use super::StartupTimes;
use super::time_span;

const TITLE: &str = "Startup finished in ";

pub(super) fn begins(line: &str) -> bool {
    line.contains(TITLE) && (line.contains("(userspace)") || line.contains("(kernel)"))
}

pub(super) fn read(text: &str) -> StartupTimes {
    let mut times = StartupTimes::default();
    let Some((_, sum)) = text.lines().find(|line| begins(line)).and_then(|line| line.split_once(TITLE)) else {
        return times;
    };
    let parts = sum.split_once(" = ").map_or(sum, |(parts, _)| parts);
    for part in parts.split('+') {
        let Some((length, what)) = time_span::leading(part) else { continue };
        let of = match what.trim().trim_end_matches('.') {
            "(firmware)" => &mut times.firmware,
            "(loader)" => &mut times.loader,
            "(kernel)" => &mut times.kernel,
            "(initrd)" => &mut times.initrd,
            "(userspace)" => &mut times.user_space,
            _ => continue,
        };
        *of = Some(length);
    }
    times
}
