// SPDX-License-Identifier: MIT OR Apache-2.0
//! `systemctl show`: properties, a line each; an empty line between units. Without a unit, the manager's own.
//!
//! ```text
//! Version=257.9-1~deb13u1
//! UserspaceTimestampMonotonic=4405123
//!
//! Id=ssh.service
//! After=basic.target network.target
//! InactiveExitTimestampMonotonic=11023456
//! CPUUsageNSec=38123000
//! ```
//! Source: systemctl(1), org.freedesktop.systemd1(5). Stamps are microseconds of CLOCK_MONOTONIC, 0 where the event never was.
//! FirmwareTimestampMonotonic and LoaderTimestampMonotonic count backwards from the kernel's start (boot_timestamps() in
//! systemd's src/shared/boot-timestamps.c).
use super::systemd_state::{
    MOST_DEPENDENCIES, MOST_NAMES, MOST_UNITS, ManagerState, SystemdState, UnitState, is_unit_name,
};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, MonotonicTime};

/// Lines with a property's name that make such a file, next to one that only systemd writes.
const ENOUGH: usize = 3;

pub(crate) fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    let (mut properties, mut other, mut known) = (0, 0, false);
    for line in lines.filter(|line| !line.is_empty()) {
        match property(line) {
            Some((name, value)) => {
                properties += 1;
                known |= name.ends_with("TimestampMonotonic") || name == "Id" && is_unit_name(value);
            }
            None => other += 1,
        }
    }
    known && properties >= ENOUGH && properties > other
}

pub(super) fn read(text: &str, problems: &mut Problems) -> SystemdState {
    let mut state = SystemdState::default();
    let (mut manager, mut unit) = (ManagerBlock::default(), UnitState::default());
    let mut left = MOST_DEPENDENCIES;
    // A last empty line ends the last unit.
    for line in text.lines().chain([""]) {
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            end_block(std::mem::take(&mut unit), &mut state, &mut left, problems);
            continue;
        }
        // A line without a name continues a value that has line feeds, such as a command's arguments: none that is used.
        let Some((name, value)) = property(line) else { continue };
        if is_list(name) && !value.is_empty() {
            state.has_dependencies = true;
        }
        if name == "Id" && !unit.name.is_empty() {
            // `systemctl show -p Id -p ...` of old versions leaves no empty line.
            end_block(std::mem::take(&mut unit), &mut state, &mut left, problems);
        }
        if !(of_unit(&mut unit, name, value) && of_manager(&mut manager, name, value)) {
            problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                let line: String = line.chars().take(80).collect();
                format!("a property whose value is not understood: `{line}`")
            });
        }
    }
    state.manager = manager.any.then_some(manager.state);
    state
}

/// Takes in a unit, if there are not too many of them or of dependencies, of which so many are left.
fn end_block(unit: UnitState, state: &mut SystemdState, left: &mut usize, problems: &mut Problems) {
    if !is_unit_name(&unit.name) {
        return;
    }
    let dependencies = [&unit.requires, &unit.wants, &unit.after, &unit.triggered_by].map(Vec::len).iter().sum();
    let rest = left.checked_sub(dependencies).filter(|_| state.units.len() < MOST_UNITS);
    let Some(rest) = rest else {
        return problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many units".to_owned());
    };
    *left = rest;
    state.units.push(unit);
}

fn is_list(name: &str) -> bool {
    matches!(name, "After" | "Requires" | "Wants" | "BindsTo" | "Requisite")
}

/// `InactiveExitTimestampMonotonic=11023456`
fn property(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_name = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric());
    is_name.then_some((name, value))
}

/// The manager's properties as far as they were met.
#[derive(Default)]
struct ManagerBlock {
    any: bool,
    state: ManagerState,
}

/// Takes a property of a unit; false where its value is not understood.
fn of_unit(unit: &mut UnitState, name: &str, value: &str) -> bool {
    let mut stamp = |of: fn(&mut UnitState) -> &mut Option<MonotonicTime>| match monotonic(value) {
        Ok(at) => {
            *of(unit) = at;
            true
        }
        Err(()) => false,
    };
    match name {
        "InactiveExitTimestampMonotonic" => return stamp(|u| &mut u.activating),
        "ActiveEnterTimestampMonotonic" => return stamp(|u| &mut u.active),
        "ActiveExitTimestampMonotonic" => return stamp(|u| &mut u.deactivating),
        "InactiveEnterTimestampMonotonic" => return stamp(|u| &mut u.inactive),
        "ExecMainStartTimestampMonotonic" => return stamp(|u| &mut u.main_start),
        "ExecMainHandoffTimestampMonotonic" => return stamp(|u| &mut u.main_handoff),
        "ExecMainExitTimestampMonotonic" => return stamp(|u| &mut u.main_exit),
        "Id" => unit.name = value.to_owned(),
        "Description" => unit.description = Some(value.chars().take(200).collect()),
        "Requires" | "Requisite" | "BindsTo" => {
            let left = MOST_NAMES.saturating_sub(unit.requires.len());
            unit.requires.extend(names(value).take(left));
        }
        "Wants" => unit.wants = names(value).collect(),
        "After" => unit.after = names(value).collect(),
        "TriggeredBy" => unit.triggered_by = names(value).collect(),
        "Type" => unit.service_type = Some(value.chars().take(40).collect()),
        "Result" => unit.result = Some(value.chars().take(40).collect()),
        "StandardOutput" | "StandardError" => unit.writes_to_console |= value.contains("console") || value == "tty",
        "NRestarts" => return value.parse().map(|n| unit.restarts = n).is_ok(),
        // "[not set]" without accounting.
        "IOReadBytes" => unit.bytes_read = value.parse().ok().filter(|bytes| *bytes != u64::MAX),
        "CPUUsageNSec" => match value.parse::<u64>() {
            // "[not set]" without accounting, and what no process used, are no times.
            Ok(ns) if ns != u64::MAX => unit.cpu = i64::try_from(ns).ok().map(Dur::from_nanos),
            _ => unit.cpu = None,
        },
        _ => {}
    }
    true
}

/// Takes a property of the manager; false where its value is not understood.
fn of_manager(block: &mut ManagerBlock, name: &str, value: &str) -> bool {
    let state = &mut block.state;
    let Ok(at) = (if name.ends_with("TimestampMonotonic") { monotonic(value) } else { Ok(None) }) else { return false };
    let pair = |of: &mut Option<(MonotonicTime, MonotonicTime)>, is_start: bool| {
        let Some(at) = at else { return };
        let (start, end) = of.unwrap_or((at, at));
        *of = Some(if is_start { (at, end.max(at)) } else { (start.min(at), at) });
    };
    match name {
        "Version" => state.version = Some(value.chars().take(80).collect()),
        "FirmwareTimestampMonotonic" => state.firmware_before_kernel = at.map(MonotonicTime::since_origin),
        "LoaderTimestampMonotonic" => state.loader_before_kernel = at.map(MonotonicTime::since_origin),
        "InitRDTimestampMonotonic" => state.initrd = at,
        "UserspaceTimestampMonotonic" => state.user_space = at,
        "FinishTimestampMonotonic" => state.finish = at,
        "GeneratorsStartTimestampMonotonic" => pair(&mut state.generators, true),
        "GeneratorsFinishTimestampMonotonic" => pair(&mut state.generators, false),
        "UnitsLoadStartTimestampMonotonic" => pair(&mut state.units_load, true),
        "UnitsLoadFinishTimestampMonotonic" => pair(&mut state.units_load, false),
        "SoftRebootStartTimestampMonotonic" => state.soft_reboot = at,
        _ => return true,
    }
    block.any = true;
    true
}

/// Microseconds; none for zero and for "never".
fn monotonic(value: &str) -> Result<Option<MonotonicTime>, ()> {
    match value.parse::<u64>() {
        Ok(0 | u64::MAX) => Ok(None),
        Ok(us) => {
            let ns = i64::try_from(us).ok().and_then(|us| us.checked_mul(1_000)).ok_or(())?;
            Ok(Some(MonotonicTime::from_nanos(ns)))
        }
        Err(_) if value.is_empty() || value == "n/a" => Ok(None),
        Err(_) => Err(()),
    }
}

fn names(value: &str) -> impl Iterator<Item = String> {
    value.split_ascii_whitespace().filter(|word| is_unit_name(word)).take(MOST_NAMES).map(str::to_owned)
}
