// SPDX-License-Identifier: MIT OR Apache-2.0
//! systemd's status lines on the console, as far as `quiet` would keep them off it.
use super::systemd::NO_STATUS;
use super::torn::torn_lines;
use bootline_records::{RecordOrigin, RecordSet};

/// Whether a record, by its position, is such a line, or a piece of one that the kernel's records interrupted. With `quiet`, systemd
/// prints a failure all the same, and what follows it, too. O(n) in records.
pub fn status_output(records: &RecordSet) -> Vec<bool> {
    let mut is_status: Vec<bool> =
        records.iter().map(|r| r.source == RecordOrigin::Other && is_status_line(r.text)).collect();
    for line in torn_lines(records).filter(|line| is_status_line(&line.whole)) {
        for piece in line.pieces {
            is_status[piece] = true;
        }
    }
    let failure = records.iter().position(|r| r.source == RecordOrigin::Other && is_failure(r.text));
    is_status[failure.unwrap_or(records.len())..].fill(false);
    is_status
}

/// Whether a line says that a job begins, or what a job led to.
fn is_status_line(text: &str) -> bool {
    let begun = || text.strip_prefix(NO_STATUS).and_then(|rest| rest.split(' ').next());
    let is_verb = |word: &str| word.ends_with("ing") && word.starts_with(|c: char| c.is_ascii_uppercase());
    text.starts_with("[  OK  ] ") || begun().is_some_and(is_verb)
}

fn is_failure(text: &str) -> bool {
    ["[FAILED] ", "[DEPEND] ", "[ TIME ] "].iter().any(|status| text.starts_with(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BootRecords;

    /// The lines that `quiet` would keep off the console.
    fn kept_off(lines: &[&'static str]) -> Vec<&'static str> {
        let log = format!("[    0.000000] Linux version 6.12\n{}\n", lines.join("\n"));
        let records = BootRecords::all(log.as_bytes()).remove(0).records;
        let is_status = status_output(&records);
        assert_eq!((is_status.len(), is_status[0]), (lines.len() + 1, false));
        lines.iter().zip(&is_status[1..]).filter(|(_, is_status)| **is_status).map(|(line, _)| *line).collect()
    }

    #[test]
    fn lines_about_jobs_are_kept_off() {
        let lines = [
            "         Starting ssh.service - OpenBSD Secure Shell server...",
            "[  OK  ] Started ssh.service - OpenBSD Secure Shell server.",
            "[  OK  ] Stopped target basic.target - Basic System.",
            "         Stopping Journal Service\u{2026}",
        ];
        assert_eq!(kept_off(&lines), lines);
        let others = [
            "Welcome to Debian GNU/Linux 13 (trixie)!",
            "         --verbose  more",
            "         Usage: foo",
            "[ OK ] hello",
            "[    1.000000] systemd[1]: Started ssh.service - OpenBSD Secure Shell server.",
        ];
        assert!(kept_off(&others).is_empty());
    }

    #[test]
    fn the_pieces_of_an_interrupted_line_are_kept_off() {
        let kernel = "[    4.983724] usb 1-1: new high-speed USB device";
        let torn =
            ["[  OK  ] Stopped target remo", kernel, "te-fs.target - Remote", kernel, " File Systems.", "hello."];
        assert_eq!(kept_off(&torn), [torn[0], torn[2], torn[4]]);
        // Without an end, who wrote the second piece is not known.
        assert_eq!(kept_off(&["[  OK  ] Stopped target remo", kernel, "hello"]), ["[  OK  ] Stopped target remo"]);
    }

    #[test]
    fn a_failure_and_what_follows_it_is_printed_with_quiet_too() {
        let started = "[  OK  ] Started a.service - A.";
        for failure in [
            "[FAILED] Failed to start foo.service - Foo.",
            "[DEPEND] Dependency failed for /data.",
            "[ TIME ] Timed out waiting for device /dev/sdb.",
        ] {
            assert_eq!(kept_off(&[started, failure, started]), [started], "{failure}");
        }
    }
}
