// SPDX-License-Identifier: MIT OR Apache-2.0
//! `systemd-analyze dump`: all that the manager holds, for people.
//!
//! ```text
//! -> Unit ssh.service:
//!     Description: OpenBSD Secure Shell server
//!     Inactive Exit Timestamp: Sun 2026-03-01 10:00:11 UTC
//!     After: network.target (origin-file)
//! ```
//! Source: unit_dump() in systemd's src/core/unit.c. Its stamps are of the wall clock in whole seconds: only dependencies and
//! descriptions are used.
use super::systemd_state::{MOST_DEPENDENCIES, MOST_NAMES, MOST_UNITS, SystemdState, UnitState, is_unit_name};
use crate::{ByteRange, ProblemKind, Problems};

pub(super) fn begins(line: &str) -> bool {
    unit(line).is_some()
}

/// `-> Unit ssh.service:`
fn unit(line: &str) -> Option<&str> {
    line.strip_prefix("-> Unit ")?.strip_suffix(':').filter(|name| is_unit_name(name))
}

pub(super) fn read(text: &str, problems: &mut Problems) -> SystemdState {
    let mut state = SystemdState { has_dependencies: true, ..SystemdState::default() };
    let mut left = MOST_DEPENDENCIES;
    for line in text.lines() {
        if let Some(name) = unit(line) {
            if state.units.len() >= MOST_UNITS || left == 0 {
                problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many units".to_owned());
                break;
            }
            state.units.push(UnitState { name: name.to_owned(), ..UnitState::default() });
            continue;
        }
        // The sections of a unit's service, socket and so on are indented as deep, and have other names.
        let Some((key, value)) = line.strip_prefix('\t').and_then(|rest| rest.split_once(": ")) else { continue };
        let Some(unit) = state.units.last_mut() else { continue };
        let list = match key {
            "After" => &mut unit.after,
            "Requires" | "Requisite" | "BindsTo" => &mut unit.requires,
            "Wants" => &mut unit.wants,
            "TriggeredBy" => &mut unit.triggered_by,
            "Description" => {
                unit.description = Some(value.chars().take(200).collect());
                continue;
            }
            _ => continue,
        };
        let name = value.split_ascii_whitespace().next().filter(|name| is_unit_name(name));
        if let Some(name) = name.filter(|_| list.len() < MOST_NAMES && left > 0) {
            list.push(name.to_owned());
            left -= 1;
        }
    }
    state
}
