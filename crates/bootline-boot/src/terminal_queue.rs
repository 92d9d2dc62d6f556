// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long what a program wrote to the console may have waited for the serial line.
//!
//! A program's text goes into the terminal's buffer, and its writer goes on; the line transmits it after all that is there already,
//! and after what the kernel prints meanwhile. A line that arrived when the serial line had rested was written just then. One that
//! arrived right after others was written at any time since the first of them began, as far as it was in the buffer with them, and since
//! init was started.
use std::collections::VecDeque;

use super::end::is_init_banner;
use super::milestone::program_run_as_init;
use super::timeline::{Clock, Timeline, TransmitSpan, rest};
use bootline_capture::units::{Dur, LineRate};
use bootline_records::{RecordOrigin, RecordSet};

/// What the kernel's serial core holds of a terminal's text, bytes: one page (UART_XMIT_SIZE, since 6.10 a kfifo of a page). That of
/// 4 KiB, as nearly all kernels have; one with pages of 16 or 64 KiB holds more, whose waits can be longer than these.
pub const TERMINAL_BUFFER: u64 = 4096;

/// Of each record the longest that it can have waited: zero for the kernel's own, for one that found the line at rest, and without
/// arrival times. O(n) in records.
pub(super) fn longest_waits(records: &RecordSet, timeline: &Timeline, rate: Option<LineRate>) -> Vec<Dur> {
    let mut waits = vec![Dur::ZERO; records.len()];
    if timeline.clock != Clock::Arrival {
        return waits;
    }
    let character = rate.map(|rate| rate.time_for(1).as_dur());
    // What arrived without a pause since, the oldest first: when it was transmitted, and how many bytes of the terminal's buffer it took.
    let mut together: VecDeque<(TransmitSpan, u64)> = VecDeque::new();
    let mut bytes = 0;
    let mut before: Option<TransmitSpan> = None;
    // No program ran before it, or none of this init's.
    let mut init_started: Option<Dur> = None;
    for (i, r) in records.iter().enumerate() {
        let place = timeline.place(i);
        let Some(span) = place.transmitted else { continue };
        let uncertainty = r.arrival.map_or(Dur::ZERO, |a| a.uncertainty);
        if before.is_none_or(|before| span.start - before.end > rest(character, uncertainty)) {
            together.clear();
            bytes = 0;
        }
        before = Some(span);
        if r.source == RecordOrigin::Kernel {
            if is_init_banner(&r) || program_run_as_init(r.text).is_some() {
                init_started = place.stored;
            }
            // The terminal's text waits while the kernel prints, in the buffer that the kernel does not use.
            if together.is_empty() {
                together.push_back((span, 0));
            }
            continue;
        }
        while bytes > TERMINAL_BUFFER {
            let Some((_, oldest)) = together.pop_front() else { break };
            bytes -= oldest;
        }
        let since = together.front().map(|(first, _)| init_started.map_or(first.start, |init| init.max(first.start)));
        waits[i] = since.map_or(Dur::ZERO, |since| (span.start - since).max_zero());
        together.push_back((span, u64::from(r.line_bytes)));
        bytes += u64::from(r.line_bytes);
    }
    waits
}

#[cfg(test)]
mod tests {
    use crate::{Boot, BootOptions, BootRecords};

    /// Lines at these milliseconds, each of `width` characters.
    fn waits(lines: &[(u32, &str)], width: usize) -> Vec<i64> {
        let mut log = String::from("[2026-05-06 10:11:05.000] [    0.000000] Linux version 6.12\n");
        for (ms, text) in lines {
            log += &format!("[2026-05-06 10:11:{:02}.{:03}] {text:width$}\n", 6 + ms / 1000, ms % 1000);
        }
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        let waits = super::longest_waits(&boot.records, &boot.timeline, None);
        waits[1..].iter().map(|wait| wait.as_nanos() / 1_000_000).collect()
    }

    #[test]
    fn what_comes_right_after_others_may_have_waited_since_the_first() {
        assert_eq!(waits(&[(0, "one"), (2, "two"), (4, "three"), (500, "four")], 10), [0, 2, 4, 0]);
    }

    #[test]
    fn the_kernel_does_not_wait_and_comes_in_between() {
        let kernel = "[    1.000000] usb 1-1: new device";
        assert_eq!(waits(&[(0, "one"), (2, kernel), (4, "two")], 10), [0, 0, 4]);
        // While the kernel prints, a program's text waits.
        assert_eq!(waits(&[(0, kernel), (2, "one"), (4, "two")], 10), [0, 2, 4]);
    }

    #[test]
    fn no_more_waits_than_the_buffer_holds() {
        let lines: Vec<(u32, &str)> = (0..20).map(|n| (n * 2, "text")).collect();
        let found = waits(&lines, 998);
        assert_eq!(found[..4], [0, 2, 4, 6]);
        assert!(found[5..].iter().all(|wait| *wait == found[5]), "{found:?}");
    }

    #[test]
    fn nothing_was_written_before_its_init_started() {
        let run = "[    1.000000] Run /sbin/init as init process";
        assert_eq!(waits(&[(0, "one"), (2, "two"), (4, run), (6, "three")], 10), [0, 2, 0, 2]);
        let banner = "[    1.000000] systemd[1]: systemd 257 running in system mode";
        assert_eq!(waits(&[(0, "one"), (2, "two"), (4, banner), (6, "three")], 10), [0, 2, 0, 2]);
        // What init itself writes to the terminal waits as well.
        assert_eq!(waits(&[(0, "one"), (2, "two"), (4, "INIT: version 3.04 booting")], 10), [0, 2, 4]);
    }
}
