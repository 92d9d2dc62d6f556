// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of OpenWrt's init, which it names in the kernel's log as it enters them.
//!
//! Source: state.c of procd.
use super::message::{UnitMessage, UnitText};

/// The name of the last stage: the system has started.
pub(crate) const COMPLETE: &str = "init complete";

/// Parses a message with its prefix.
pub(super) fn parse(text: &str) -> Option<UnitMessage<'_>> {
    let stage = text.strip_prefix("procd: - ")?.strip_suffix(" -")?;
    match stage {
        "early" | "ubus" | "init" => Some(UnitMessage::NextStage(UnitText::whole(stage))),
        COMPLETE => Some(UnitMessage::LastStage(UnitText::whole(stage))),
        // `shutdown`, `halt`
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(parse("procd: - ubus -"), Some(UnitMessage::NextStage(UnitText::whole("ubus"))));
        assert_eq!(parse("procd: - init complete -"), Some(UnitMessage::LastStage(UnitText::whole("init complete"))));
        assert_eq!(parse("procd: - shutdown -"), None);
        assert_eq!(parse("procd: Console is alive"), None);
    }
}
