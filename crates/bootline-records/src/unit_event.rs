// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the journal says of units: the manager's own messages, recognised by their message ids, not by their words.
//!
//! Source: systemd's src/systemd/sd-messages.h and src/core/unit.c. Only what process 1 sent counts: any process may set the
//! field UNIT=, none may set _PID=. The time is that at which the message was sent: CLOCK_MONOTONIC at its receipt, less what
//! passed between sending and receipt on the wall clock (`_SOURCE_REALTIME_TIMESTAMP`, `__REALTIME_TIMESTAMP`).
use super::source::is_unit_name;
use bootline_capture::units::MonotonicTime;

/// A message of the manager about a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitEvent {
    /// `ssh.service`
    pub unit: String,
    /// What happened.
    pub kind: UnitEventKind,
    /// When it was said.
    pub at: MonotonicTime,
}

/// What the manager says of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitEventKind {
    /// It is being started.
    Starting,
    /// Its start job is done.
    Started,
    /// Its start job failed.
    Failed,
    /// Its start job timed out.
    TimedOut,
}

/// The fields of a journal entry from which an event is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitFields {
    pub is_manager: bool,
    pub message_id: Option<String>,
    pub unit: Option<String>,
    pub job_result: Option<String>,
    /// Whether the message says that the unit was not run: systemd calls its job done.
    pub is_skipped: bool,
    /// `__MONOTONIC_TIMESTAMP`, `__REALTIME_TIMESTAMP` and `_SOURCE_REALTIME_TIMESTAMP`, in microseconds.
    pub received: Option<i64>,
    pub received_wall: Option<i64>,
    pub sent_wall: Option<i64>,
}

/// SD_MESSAGE_UNIT_STARTING
const STARTING: &str = "7d4958e842da4a758f6c1cdc7b36dcc5";
/// SD_MESSAGE_UNIT_STARTED
const STARTED: &str = "39f53479d3a045ac8e11786248231fbf";
/// SD_MESSAGE_UNIT_FAILED
const FAILED: &str = "be02cf6855d2428ba40df7e9d022f03d";
/// A longer delay is a wall clock that was set in between.
const LONGEST_DELAY_US: i64 = 60_000_000;

impl UnitFields {
    /// Takes a field of an entry, if it is one of those that count.
    pub fn take(&mut self, name: &[u8], value: &[u8]) {
        let text = || String::from_utf8_lossy(value).into_owned();
        let us = || String::from_utf8_lossy(value).trim().parse::<i64>().ok();
        match name {
            b"_PID" => self.is_manager = value == b"1",
            b"MESSAGE_ID" => self.message_id = Some(text()),
            b"MESSAGE" => self.is_skipped = is_skipped(&String::from_utf8_lossy(value)),
            b"UNIT" => self.unit = Some(text()),
            b"JOB_RESULT" => self.job_result = Some(text()),
            b"__MONOTONIC_TIMESTAMP" => self.received = us(),
            b"__REALTIME_TIMESTAMP" => self.received_wall = us(),
            b"_SOURCE_REALTIME_TIMESTAMP" => self.sent_wall = us(),
            _ => {}
        }
    }

    /// The event, if the entry is one.
    pub fn event(&self) -> Option<UnitEvent> {
        let unit = self.unit.as_deref().filter(|unit| self.is_manager && !self.is_skipped && is_unit_name(unit))?;
        let kind = match (self.message_id.as_deref()?, self.job_result.as_deref()) {
            (STARTING, _) => UnitEventKind::Starting,
            (STARTED, None | Some("done")) => UnitEventKind::Started,
            (FAILED, Some("timeout")) => UnitEventKind::TimedOut,
            (FAILED, _) => UnitEventKind::Failed,
            _ => return None,
        };
        let received = self.received?;
        let delay = self.received_wall.zip(self.sent_wall).map_or(0, |(received, sent)| received.saturating_sub(sent));
        let delay = if (0..=LONGEST_DELAY_US).contains(&delay) { delay } else { 0 };
        let sent = received.checked_sub(delay).filter(|us| *us >= 0)?;
        let at = MonotonicTime::from_nanos(sent.checked_mul(1_000)?);
        Some(UnitEvent { unit: unit.to_owned(), kind, at })
    }
}

/// As job_emit_done_message() of systemd words it, since 257, from 250 on, and before.
fn is_skipped(message: &str) -> bool {
    message.contains(" skipped, unmet condition check ")
        || message.contains(" skipped, no trigger condition checks were met")
        || message.contains(" was skipped because ")
        || message.starts_with("Condition check resulted in ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoded, decode};

    fn events(log: &str) -> Vec<(String, UnitEventKind, i64)> {
        let Decoded { unit_events, .. } = decode(log.as_bytes());
        unit_events.into_iter().map(|e| (e.unit, e.kind, e.at.as_nanos() / 1_000)).collect()
    }

    const ENTRY: &str = "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1000500\n__MONOTONIC_TIMESTAMP=5000500\n_BOOT_ID=1\n_PID=1\n\
        MESSAGE_ID=39f53479d3a045ac8e11786248231fbf\nJOB_RESULT=done\nUNIT=ssh.service\n_SOURCE_REALTIME_TIMESTAMP=1000000\n\
        MESSAGE=Started\n\n";

    #[test]
    fn what_the_manager_says_at_the_time_at_which_it_said_it() {
        assert_eq!(events(ENTRY), [("ssh.service".to_owned(), UnitEventKind::Started, 5_000_000)]);
        let late = ENTRY.replace("_SOURCE_REALTIME_TIMESTAMP=1000000", "_SOURCE_REALTIME_TIMESTAMP=999999999");
        assert_eq!(events(&late)[0].2, 5_000_500, "a clock that was set");
        let timed_out = ENTRY.replace(STARTED, FAILED).replace("=done", "=timeout");
        assert_eq!(events(&timed_out)[0].1, UnitEventKind::TimedOut);
        let json = r#"{"__CURSOR":"s","__MONOTONIC_TIMESTAMP":"7","_PID":"1","UNIT":"a.service","MESSAGE_ID":"7d4958e842da4a758f6c1cdc7b36dcc5","MESSAGE":"x"}"#;
        assert_eq!(events(json), [("a.service".to_owned(), UnitEventKind::Starting, 7)]);
    }

    #[test]
    fn a_unit_that_was_skipped_was_not_started() {
        for message in [
            "ssh.service - SSH skipped, unmet condition check ConditionSecurity=measured-uki",
            "ssh.service - SSH was skipped because of an unmet condition check (ConditionPathExists=/x).",
            "Condition check resulted in SSH being skipped.",
        ] {
            assert_eq!(events(&ENTRY.replace("MESSAGE=Started", &format!("MESSAGE={message}"))), [], "{message}");
        }
    }

    #[test]
    fn what_others_say_is_no_event() {
        assert_eq!(events(&ENTRY.replace("_PID=1\n", "_PID=7\n")), []);
        assert_eq!(events(&ENTRY.replace("ssh.service", "ssh\u{1b}[2J")), []);
        assert_eq!(events(&ENTRY.replace("5000500", "99999999999999999999")), []);
    }
}
