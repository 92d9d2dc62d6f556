// SPDX-License-Identifier: MIT OR Apache-2.0
//! `systemd-analyze critical-chain`.
//!
//! ```text
//! graphical.target @5.123s
//! └─multi-user.target @5.122s
//!   └─ssh.service @4.900s +222ms
//! ```
//! Source: list_dependencies_print() in systemd's src/analyze/analyze-critical-chain.c: after `@` the time since systemd's start at
//! which a unit became active, or started where `+` follows with what it took. The chain follows After= to whatever became
//! active last: it shows neither contention nor jobs that waited for something else.
use std::collections::HashSet;

use super::systemd_state::{MOST_UNITS, SystemdState, UnitState, is_unit_name};
use super::time_span;
use crate::{ByteRange, ProblemKind, Problems};

pub(super) fn begins(line: &str) -> bool {
    line.starts_with("The time when unit became active or started is printed after")
        || line.starts_with("The time after the unit is active or started is printed after")
}

pub(super) fn read(text: &str, problems: &mut Problems) -> SystemdState {
    let (mut state, mut known) = (SystemdState::default(), HashSet::new());
    for unit in text.lines().filter_map(entry) {
        if state.units.len() >= MOST_UNITS {
            problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many units".to_owned());
            break;
        }
        if known.insert(unit.name.clone()) {
            state.units.push(unit);
        }
    }
    state
}

fn entry(line: &str) -> Option<UnitState> {
    let mut words = without_branches(line).split(' ').filter(|word| !word.is_empty()).peekable();
    let name = words.next().filter(|name| is_unit_name(name))?;
    let mut unit = UnitState { name: name.to_owned(), ..UnitState::default() };
    let mut span = |sign: char| {
        let first = words.next_if(|word| word.starts_with(sign))?;
        let mut text = first.trim_start_matches(sign).to_owned();
        while let Some(word) = words.next_if(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
            text.push(' ');
            text.push_str(word);
        }
        time_span::parse(&text)
    };
    unit.since_user_space = span('@');
    unit.took = span('+');
    Some(unit)
}

/// The line without the tree's branches, each two columns wide (glyph_full() in systemd's src/basic/glyph-util.c).
fn without_branches(line: &str) -> &str {
    const BRANCHES: [&str; 9] =
        ["\u{251c}\u{2500}", "\u{2514}\u{2500}", "\u{2502} ", "\u{2502}\u{a0}", "|-", "`-", "| ", "  ", "\u{a0}\u{a0}"];
    let mut rest = line;
    while let Some(after) = BRANCHES.iter().find_map(|branch| rest.strip_prefix(branch)) {
        rest = after;
    }
    rest
}
