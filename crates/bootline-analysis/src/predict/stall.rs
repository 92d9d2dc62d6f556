// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports of stalls within a log: "rcu: INFO: rcu_preempt detected stalls", "watchdog: BUG: soft lockup", with their
//! registers and call traces (kernel/rcu/tree_stall.h, kernel/watchdog.c).
//!
//! A console that makes every writer wait keeps RCU's grace-period kthread from running; RCU then reports a stall, over
//! that same console. At 2400 baud the corpus boot x86-6.12-2400 spends 12 s on such a report.

/// Maximum length of a report, in records.
const MOST: usize = 400;

/// Recognises the records of a report, given the log in order.
#[derive(Debug, Default)]
pub(super) struct StallReport {
    /// Number of records that may still follow.
    left: usize,
    /// Whether one of its traces has just ended.
    traced: bool,
}

impl StallReport {
    /// Whether the next record belongs to a report.
    pub fn holds(&mut self, text: &str) -> bool {
        if begins_stall_report(text) {
            *self = StallReport { left: MOST, traced: false };
            return true;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if std::mem::take(&mut self.traced) && !goes_on(text) {
            self.left = 0;
            return false;
        }
        self.traced = text.trim_start().starts_with("</TASK>");
        true
    }
}

/// Whether a record is the first of a report.
pub fn begins_stall_report(text: &str) -> bool {
    text.starts_with("rcu: INFO: rcu_") && text.contains("detected stall")
        || text.starts_with("watchdog: BUG: soft lockup")
}

fn goes_on(text: &str) -> bool {
    ["rcu: ", "CPU: ", "Sending NMI", "NMI backtrace", "task:", "Hardware name", "Call Trace", "Tainted"]
        .iter()
        .any(|p| text.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_ends_behind_its_last_trace() {
        let log = [
            ("Freeing unused kernel image", false),
            ("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", true),
            ("rcu: \t(detected by 0, t=6108 jiffies)", true),
            ("task:rcu_preempt     state:R", true),
            ("Call Trace:", true),
            (" <TASK>", true),
            (" kthread+0xd2/0x100", true),
            (" </TASK>", true),
            ("rcu: Stack dump where RCU GP kthread last ran:", true),
            ("RIP: 0010:free_reserved_area+0xcc/0x150", true),
            (" </TASK>", true),
            ("Freeing unused decrypted memory: 2036K", false),
            ("CPU: 0", false),
        ];
        let mut report = StallReport::default();
        for (text, want) in log {
            assert_eq!(report.holds(text), want, "{text}");
        }
    }
}
