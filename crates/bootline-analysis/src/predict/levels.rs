// SPDX-License-Identifier: MIT OR Apache-2.0
//! The level of a record, where the log or the text shows it.
use crate::boot::initcall_debug;
use crate::records::Record;

/// Level of a record; `None` where it could only be guessed.
pub(super) fn level(r: &Record<'_>) -> Option<u8> {
    r.level.map(|l| l.0).or_else(|| initcall_debug::is_debug_level(r.text).then_some(7))
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
