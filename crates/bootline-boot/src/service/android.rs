// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Android's init writes to the kernel's log.
//!
//! Source: system/core/init (service.cpp, action.cpp, builtins.cpp) of Android 7 to 14.
use super::message::{UnitMessage, UnitText};
use super::state::ServiceState;
use bootline_capture::units::Dur;

/// Parses a message with its prefix.
pub(super) fn parse(text: &str) -> Option<UnitMessage<'_>> {
    let said = text.strip_prefix("init: ")?;
    let starts = said.strip_prefix("starting service '").or_else(|| said.strip_prefix("Starting service '"));
    if let Some((name, _)) = starts.and_then(|rest| rest.split_once('\'')) {
        // It runs from now on: init does not wait for it.
        return unit(name).map(|unit| UnitMessage::Ends(unit, ServiceState::Up));
    }
    let (what, took) = said.split_once(" took ")?;
    let (amount, result) = took.split_once(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or((took, ""));
    let unit_of_time = took[amount.len()..].trim_start();
    let seconds = amount.parse::<f64>().ok().filter(|n| n.is_finite() && *n < 1e5)?;
    let took = match () {
        () if unit_of_time.starts_with("ms") => Dur::from_secs_f64(seconds / 1e3),
        () if unit_of_time.starts_with("seconds") => Dur::from_secs_f64(seconds),
        () => return None,
    };
    let quoted = |word: &str| what.strip_prefix(word)?.split_once('\'').map(|(name, _)| name);
    if let Some(name) = quoted("Service '") {
        let state = if what.contains("exited with status 0") { ServiceState::Up } else { ServiceState::Failed };
        return unit(name).map(|unit| UnitMessage::Took(unit, state, took));
    }
    let failed = result.contains("failed") || what.contains("status=-");
    let state = if failed { ServiceState::Failed } else { ServiceState::Up };
    let waits = what.starts_with("Wait for ") || what.starts_with("wait for ");
    let name = quoted("Command '").or(waits.then_some(what))?;
    unit(name).map(|unit| UnitMessage::Took(unit, state, took))
}

/// Longer ones are no names.
const LONGEST: usize = 200;

fn unit(name: &str) -> Option<UnitText<'_>> {
    (!name.is_empty() && name.len() <= LONGEST).then_some(UnitText::whole(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let unit = UnitText::whole;
        let check = |text, want| assert_eq!(parse(text), want, "{text}");
        let took = |name, state, ms| Some(UnitMessage::Took(unit(name), state, Dur::from_millis(ms)));
        let up = ServiceState::Up;
        check("init: starting service 'vold'...", Some(UnitMessage::Ends(unit("vold"), up)));
        check("init: Starting service 'zygote'...", Some(UnitMessage::Ends(unit("zygote"), up)));
        check(
            "init: Command 'mount_all --early' action=fs (/vendor/etc/init/hw/init.rc:50) took 130ms and succeeded",
            took("mount_all --early", up, 130),
        );
        check(
            "init: Command 'load_persist_props' action=x (/init.rc:9) took 7ms and failed: no such file",
            took("load_persist_props", ServiceState::Failed, 7),
        );
        check(
            "init: Command 'load_system_props' action=load status=0 (/init.rc:9) took 10.5ms",
            Some(UnitMessage::Took(unit("load_system_props"), up, Dur::from_micros(10_500))),
        );
        check(
            "init: Service 'vold_prepare' (pid 712) exited with status 0 oneshot service took 0.044000 seconds in background",
            took("vold_prepare", up, 44),
        );
        check(
            "init: Service 'x' (pid 7) received signal 9 oneshot service took 1.5 seconds in background",
            took("x", ServiceState::Failed, 1_500),
        );
        check(
            "init: Wait for property 'apexd.status=ready' took 89ms",
            took("Wait for property 'apexd.status=ready'", up, 89),
        );
        check("init: Service 'x' (pid 7) exited with status 0 took a while", None);
        check("init: Command 'x' took 99999999999ms", None);
        check("init: init second stage started!", None);
        check("init: ", None);
    }
}
