// SPDX-License-Identifier: MIT OR Apache-2.0
//! The messages of fastinit (init/fastinit of this repository).
use super::ServiceState;
use super::message::{UnitMessage, UnitText};

/// `camera: started after 0.004312 s, process 87` is all that is known of a program that does not notify; of others,
/// `starting` is the start and `ready` the end.
pub(super) fn parse(text: &str) -> Option<UnitMessage<'_>> {
    let said = text.strip_prefix("fastinit: ")?;
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
