// SPDX-License-Identifier: MIT OR Apache-2.0
//! The script that starts the application, or is the boot's end itself.
use super::script_name::program;
use bootline_boot::{Boot, EndedBy, Service, WholeEnd};
use bootline_records::{RecordId, RecordOrigin};

/// Whether a script starts what the boot ends with, by its name: the line `camera: first picture` is of what `camera` starts.
pub(crate) fn starts(boot: &Boot, script: &Service) -> bool {
    let Some(record) = end_record(boot).and_then(|id| boot.records.by_id(id)) else { return false };
    let who = record.text.split([':', '[', ' ']).next().unwrap_or_default();
    !who.is_empty() && who == program(&script.name)
}

/// Whether the boot would not end where it does without a script: it starts what that is, or says it itself.
pub(crate) fn leads_to_end(boot: &Boot, script: &Service) -> bool {
    starts(boot, script) || is_end_itself(boot, script)
}

/// Whether the record that the boot ends with is a script's own.
fn is_end_itself(boot: &Boot, script: &Service) -> bool {
    end_record(boot).is_some_and(|id| id == script.first || Some(id) == script.last)
}

/// The record that the boot ends with, where that is a line that somebody chose.
fn end_record(boot: &Boot) -> Option<RecordId> {
    match boot.whole.until? {
        WholeEnd::Application => boot.whole.application.as_ref()?.record,
        WholeEnd::Marker => boot.end.as_ref().filter(|end| end.by == EndedBy::Marker).map(|end| end.record),
        WholeEnd::SystemdFinish | WholeEnd::Target(_) | WholeEnd::LoginPrompt => None,
    }
}

/// Whether the boot ends with a record of the kernel: nothing shows whose work that reports.
pub(crate) fn ends_with_kernel(boot: &Boot) -> bool {
    let record = end_record(boot).and_then(|id| boot.records.by_id(id));
    record.is_some_and(|r| r.source == RecordOrigin::Kernel)
}
