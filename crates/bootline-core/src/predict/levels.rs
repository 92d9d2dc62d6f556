// SPDX-License-Identifier: MIT OR Apache-2.0
//! The level of a record, where the log tells or the text does.
use crate::records::Record;

/// Its level; none where only a guess would tell.
pub(super) fn level(r: &Record<'_>) -> Option<u8> {
    r.level.map(|l| l.0).or_else(|| is_debug(r.text).then_some(7))
}

/// Records of initcall_debug at KERN_DEBUG (init/main.c, trace_initcall_start_cb; drivers/base/dd.c).
fn is_debug(text: &str) -> bool {
    text.starts_with("calling  ")
        || text.starts_with("initcall ") && text.contains(" returned ")
        || text.starts_with("probe of ") && text.contains(" returned ")
        || text.starts_with("entering initcall level")
}

/// All records of initcall_debug; those of PCI quirks are at KERN_INFO (drivers/pci/quirks.c, fixup_debug_start).
pub(super) fn of_initcall_debug(text: &str) -> bool {
    let quirk = || {
        let rest = text.strip_prefix("pci ").and_then(|t| t.split_once(": ")).map(|(_, rest)| rest);
        rest.is_some_and(|t| t.starts_with("calling  ") || t.contains(" took ") && t.ends_with(" usecs"))
    };
    is_debug(text) || quirk()
}

/// Words of records at KERN_ERR or worse. Many a harmless record has one too: they make a level doubtful, no more.
pub(super) fn looks_grave(text: &str) -> bool {
    const WORDS: [&str; 9] = ["rror", "ail", "BUG", "nable to", "annot", "nvalid", "orrupt", "imed out", "panic"];
    WORDS.iter().any(|w| text.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for text in [
            "mmc0: error -110 whilst initialising",
            "ACPI BIOS Error (bug)",
            "Failed to find cpu0",
            "request timed out",
        ] {
            assert!(looks_grave(text), "{text}");
        }
        for text in ["Linux version 6.12", "TCP established hash table entries: 4096"] {
            assert!(!looks_grave(text), "{text}");
        }
    }
}
