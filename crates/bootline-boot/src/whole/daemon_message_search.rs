// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a log and a journal have what daemons say of work that others waited for.
use super::alignment::Alignment;
use super::daemon_message::DaemonMessage;
use super::journal_match::MatchedJournal;
use crate::boot::Boot;
use bootline_records::{RecordOrigin, RecordSet};

/// What these messages contain: server_flush_to_var() of systemd's journald, and bus/activation.c of D-Bus.
const PHRASES: [&str; 4] = [
    "Time spent on flushing to ",
    "Activating via systemd: service name='",
    "Activating service name='",
    "Failed to activate service '",
];

/// Maximum number of messages: more than a boot has, because a log may be hostile.
const MOST: usize = 2_000;

/// Such messages by time; what the log and a journal both have, once.
pub(super) fn daemon_messages(
    boot: &Boot,
    journals: &[MatchedJournal<'_>],
    monotonic: Option<Alignment>,
) -> Vec<DaemonMessage> {
    let in_log = positions(&boot.records).filter_map(|(i, text)| {
        let record = boot.records.get(i).map(|r| r.id);
        Some(DaemonMessage { text: text.to_owned(), at: boot.timeline.stored(i)?, record })
    });
    let mut found: Vec<DaemonMessage> = in_log.take(MOST).collect();
    for journal in journals {
        let records = &journal.records.records;
        let of_journal = positions(records).filter_map(|(i, text)| {
            let at = monotonic?.on_axis(records.get(i)?.stamp?.since_origin());
            Some(DaemonMessage { text: text.to_owned(), at, record: None })
        });
        let left = MOST.saturating_sub(found.len());
        let is_new = |m: &DaemonMessage| !found.iter().any(|known| said(&known.text) == said(&m.text));
        let new: Vec<DaemonMessage> = of_journal.filter(is_new).take(left).collect();
        found.extend(new);
    }
    found.sort_by_key(|m| m.at);
    found
}

fn positions(records: &RecordSet) -> impl Iterator<Item = (usize, &str)> {
    let mut positions: Vec<usize> = PHRASES.iter().flat_map(|phrase| records.containing(phrase)).collect();
    positions.sort_unstable();
    positions.dedup();
    let of_user_space =
        |i: usize| records.get(i).filter(|r| r.source == RecordOrigin::Other || names_a_process(r.text));
    positions.into_iter().filter_map(move |i| Some((i, of_user_space(i)?.text)))
}

/// What a process wrote to /dev/kmsg begins with its name: `systemd-journald[123]: `.
fn names_a_process(text: &str) -> bool {
    text.split_once("]: ").is_some_and(|(name, _)| name.contains('[') && !name.contains(' '))
}

/// A message from its phrase on: a journal puts another name before it than a console.
fn said(text: &str) -> &str {
    PHRASES.iter().find_map(|phrase| text.find(phrase)).map_or(text, |at| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BootOptions, BootRecords, BootSource, SourceContent};
    use bootline_capture::units::Dur;
    use bootline_records::RecordId;

    /// journald forwards to the console what it stores; the console calls the daemon by its process, too.
    #[test]
    fn what_log_and_journal_both_have_is_there_once() {
        let log = "\
[    0.000000] Linux version 6.12.41 (gcc (GCC) 14.2.0) #1 SMP PREEMPT_DYNAMIC Mon
[    1.000000] Run /sbin/init as init process
[    1.500000] acme 1: Time spent on flushing to its own cache is 3s
[    2.000000] dbus-daemon[31]: [system] Failed to activate service 'org.example.A': timed out (service_start_timeout=25000ms)
";
        let entry = |us: u32, said: &str| {
            format!(
                "__CURSOR=c{us}\n__MONOTONIC_TIMESTAMP={us}\n_TRANSPORT=syslog\nSYSLOG_IDENTIFIER=dbus-daemon\nMESSAGE={said}\n\n"
            )
        };
        let failed = |name: &str| {
            format!("[system] Failed to activate service '{name}': timed out (service_start_timeout=25000ms)")
        };
        let journal = entry(1_900_000, &failed("org.example.A")) + &entry(1_700_000, &failed("org.example.B"));
        let source = BootSource::new("journal", SourceContent::Journal(BootRecords::all(journal.as_bytes())));
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        let boot = boot.with_sources(&[source], None);
        let got: Vec<_> = boot.whole.daemon_messages.iter().map(|m| (m.at, m.record)).collect();
        let ms = Dur::from_millis;
        assert_eq!(got, [(ms(1_700), None), (ms(2_000), Some(RecordId(3)))]);
    }
}
