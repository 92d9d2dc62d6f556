// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two logs of one boot: the console's, and the kernel's own.
use bootline_analysis::rules::findings;
use bootline_boot::{Boot, BootOptions, BootRecords, join_levels};
use bootline_records::RecordId;

/// Joins the first boot in the first part of `data` with that in the rest, and each with the first boot of the whole.
///
/// # Panics
/// A record is lost, or ids don't ascend.
pub fn joins(data: &[u8]) {
    let middle = data.len() / 2 + data[data.len() / 2..].iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
    let (console, own) = data.split_at(middle);
    for (console, own) in [(console, own), (console, data), (own, data), (data, console)] {
        let (Some(mut boot), Some(own)) = (first(console), first(own)) else { continue };
        let before = boot.records.len();
        if join_levels(&mut boot, &own.records).is_err() {
            continue;
        }
        let ids: Vec<RecordId> = boot.records.iter().map(|r| r.id).collect();
        assert!(ids.len() >= before, "{} of {before} records", ids.len());
        assert!(ids.windows(2).all(|two| two[0] < two[1]));
        findings(&Boot::analyse(boot, &BootOptions::default()));
    }
}

fn first(log: &[u8]) -> Option<BootRecords> {
    BootRecords::all(log).into_iter().next()
}
