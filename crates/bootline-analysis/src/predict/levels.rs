// SPDX-License-Identifier: MIT OR Apache-2.0
//! The level of a record, if the log or the text shows it.
use bootline_boot::initcall_debug;
use bootline_records::Record;

/// Level of a record; `None` if it could only be guessed.
pub(super) fn level(r: &Record<'_>) -> Option<u8> {
    r.level.map(|l| l.0).or_else(|| initcall_debug::is_debug_level(r.text).then_some(7))
}

/// Whether a text contains words that are typical of KERN_ERR or worse. Harmless records may contain them, too, so they
/// only make a level doubtful.
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
