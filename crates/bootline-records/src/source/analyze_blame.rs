// SPDX-License-Identifier: MIT OR Apache-2.0
//! `systemd-analyze blame`: how long each unit took to start, the longest first.
//!
//! ```text
//! 1min 30.012s dev-sda3.device
//!       2.345s systemd-udev-settle.service
//! ```
//! Source: systemd-analyze(1). It shows lengths, not when they were: a unit that only waited is as long as one that worked.
use super::systemd_state::{MOST_UNITS, SystemdState, UnitState, is_unit_name};
use super::time_span;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::Dur;

/// Lines that make such a list; a shorter one must consist of them.
const ENOUGH: usize = 3;

pub(super) fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    let (mut entries, mut others) = (0, 0);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        if entry(line).is_some() { entries += 1 } else { others += 1 }
    }
    entries > others && (entries >= ENOUGH || others == 0)
}

pub(super) fn read(text: &str, problems: &mut Problems) -> SystemdState {
    let mut state = SystemdState::default();
    for (took, name) in text.lines().filter_map(entry) {
        if state.units.len() >= MOST_UNITS {
            problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many units".to_owned());
            break;
        }
        state.units.push(UnitState { name: name.to_owned(), took: Some(took), ..UnitState::default() });
    }
    state
}

fn entry(line: &str) -> Option<(Dur, &str)> {
    let (took, name) = line.trim().rsplit_once(' ')?;
    is_unit_name(name).then_some((time_span::parse(took)?, name))
}
