// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long what a program wrote to the console may have waited for the serial line.
//!
//! A program's text goes into the terminal's buffer, and its writer goes on; the line transmits it after all that is there already,
//! and after what the kernel prints meanwhile. A line that arrived when the serial line had rested was written just then. One that
//! arrived right after others was written at any time since the first of them, as far as it was in the buffer with them.
use std::collections::VecDeque;

use super::end::is_init_banner;
use super::timeline::{Clock, Timeline, TransmitSpan, rest};
use bootline_capture::units::{Dur, LineRate};
use bootline_records::{RecordOrigin, RecordSet};

/// What the kernel's serial core holds of a terminal's text, bytes: one page (UART_XMIT_SIZE, since 6.10 a kfifo of a page). Of 4 KiB,
/// as nearly all kernels have.
const BUFFER: u64 = 4096;

/// Of each record the longest that it can have waited: zero for the kernel's own, for one that found the line at rest, and without
/// arrival times. O(n) in records.
pub(super) fn longest_waits(records: &RecordSet, timeline: &Timeline, rate: Option<LineRate>) -> Vec<Dur> {
    let mut waits = vec![Dur::ZERO; records.len()];
    if timeline.clock != Clock::Arrival {
        return waits;
    }
    let character = rate.map(|rate| rate.time_for(1).as_dur());
    // What programs wrote and arrived without a pause since, the oldest first: when it was transmitted, and how many bytes.
    let mut together: VecDeque<(TransmitSpan, u64)> = VecDeque::new();
    let mut bytes = 0;
    let mut before: Option<TransmitSpan> = None;
    for (i, r) in records.iter().enumerate() {
        let Some(span) = timeline.place(i).transmitted else { continue };
        let uncertainty = r.arrival.map_or(Dur::ZERO, |a| a.uncertainty);
        let rested = before.is_none_or(|before| span.start - before.end > rest(character, uncertainty));
        if rested || is_init_banner(&r) {
            together.clear();
            bytes = 0;
        }
        before = Some(span);
        if r.source != RecordOrigin::Other {
            continue;
        }
        while bytes > BUFFER {
            let Some((_, oldest)) = together.pop_front() else { break };
            bytes -= oldest;
        }
        waits[i] = together.front().map_or(Dur::ZERO, |(first, _)| (span.start - first.start).max_zero());
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
        // After kernel records alone, nothing shows that the program's text waited.
        assert_eq!(waits(&[(0, kernel), (2, "one"), (4, "two")], 10), [0, 0, 2]);
    }

    #[test]
    fn no_more_waits_than_the_buffer_holds() {
        let lines: Vec<(u32, &str)> = (0..20).map(|n| (n * 2, "text")).collect();
        let found = waits(&lines, 998);
        assert_eq!(found[..4], [0, 2, 4, 6]);
        assert!(found[5..].iter().all(|wait| *wait == found[5]), "{found:?}");
    }

    #[test]
    fn a_new_init_waits_for_nothing_before_it() {
        let init = "systemd[1]: systemd 257 running in system mode";
        assert_eq!(waits(&[(0, "one"), (2, "two"), (4, init), (6, "three")], 10), [0, 2, 0, 2]);
    }
}
