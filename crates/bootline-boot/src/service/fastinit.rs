// SPDX-License-Identifier: MIT OR Apache-2.0
//! The messages of fastinit (init/fastinit of this repository).
use super::message::{UnitMessage, UnitText};
use super::state::ServiceState;

/// How its messages begin.
pub(crate) const FASTINIT: &str = "fastinit: ";

/// `camera: started after 0.004312 s, process 87` is all that is known of a program that does not notify; of others,
/// `starting` is the start and `ready` the end.
pub(super) fn parse(text: &str) -> Option<UnitMessage<'_>> {
    let said = text.strip_prefix(FASTINIT)?;
    let (name, what) = said.split_once(": ")?;
    let unit = UnitText::whole(name);
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let starts = |words: &[&str]| words.iter().any(|w| what.starts_with(w));
    match () {
        () if !is_name => None,
        () if starts(&["starting after "]) => Some(UnitMessage::Begins(unit)),
        () if starts(&["started after ", "ready after "]) => Some(UnitMessage::Ends(unit, ServiceState::Up)),
        () if starts(&["not started: ", "cannot run ", "killed by signal ", "exited with status "])
            && what != "exited with status 0" =>
        {
            Some(UnitMessage::Ends(unit, ServiceState::Failed))
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let ended = |n, state| Some(UnitMessage::Ends(UnitText::whole(n), state));
        let (up, failed) = (|n| ended(n, ServiceState::Up), |n| ended(n, ServiceState::Failed));
        let check = |text, want: Option<UnitMessage<'_>>| assert_eq!(parse(text), want, "{text}");
        check(
            "fastinit: camera: starting after 0.001204 s, process 87",
            Some(UnitMessage::Begins(UnitText::whole("camera"))),
        );
        check("fastinit: camera: started after 0.001204 s, process 87", up("camera"));
        check("fastinit: camera: ready after 0.020411 s", up("camera"));
        check("fastinit: camera: cannot run `/bin/camera`: no such file or directory", failed("camera"));
        check("fastinit: camera: killed by signal 11", failed("camera"));
        check("fastinit: camera: not started: still missing: /dev/video0", failed("camera"));
        check("fastinit: camera: exited with status 0", None);
        check("fastinit: process 1 goes on after 0.003000 s", None);
        check("fastinit: /dev/x y: started after 1", None);
    }
}
