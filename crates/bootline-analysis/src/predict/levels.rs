// SPDX-License-Identifier: MIT OR Apache-2.0
//! The level of a record, if the log or the text shows it.
use bootline_boot::initcall_debug;
use bootline_records::{Beginnings, Record};

/// Level of a record; `None` if it could only be guessed.
fn level(r: &Record<'_>) -> Option<u8> {
    let is_debug = || initcall_debug::is_debug_level(r.text) || is_printed_for_debugging(r.text);
    r.level.map(|l| l.0).or_else(|| is_debug().then_some(7))
}

/// The level that a record counts as: the one that the log or the text shows, or else KERN_INFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountedLevel {
    pub level: u8,
    /// Whether the log or the text shows it.
    pub known: bool,
    /// Whether it is a guess that the text makes doubtful: it may be KERN_ERR.
    pub uncertain: bool,
}

impl CountedLevel {
    pub fn of(r: &Record<'_>) -> CountedLevel {
        let known = level(r);
        CountedLevel {
            level: known.unwrap_or(6),
            known: known.is_some(),
            uncertain: known.is_none() && looks_grave(r.text),
        }
    }

    /// The level if what is doubtful is an error.
    pub fn gravest(self) -> u8 {
        if self.uncertain { self.level.min(3) } else { self.level }
    }
}

/// Whether a text is one of those that every kernel of its kind prints at KERN_DEBUG: the memory map's changes
/// (arch/x86/kernel/e820.c), the per-CPU areas (mm/percpu.c), the zones (mm/mm_init.c), the cache line (drivers/pci), PNP's DMA channels, and
/// init's arguments (init/main.c, run_init_process).
fn is_printed_for_debugging(text: &str) -> bool {
    const STARTS: [&str; 8] = [
        "e820: update [mem ",
        "e820: remove [mem ",
        "pcpu-alloc: ",
        "On node ",
        "PCI: pci_cache_line_size set to ",
        "  with arguments:",
        "  with environment:",
        "    HOME=",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
        || text.starts_with("pnp ") && text.contains(": [dma ")
        || text.starts_with("    TERM=")
}

/// Whether a text contains words that are typical of KERN_ERR or worse. Harmless records may contain them, too, so they
/// only make a level doubtful.
fn looks_grave(text: &str) -> bool {
    const WORDS: Beginnings =
        Beginnings::new(&["rror", "ail", "annot", "BUG", "nable to", "nvalid", "orrupt", "imed out", "panic"]);
    WORDS.are_in(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_to_be_for_debugging() {
        for text in
            ["pcpu-alloc: [0] 0 1 ", "  with environment:", "pnp 00:02: [dma 2]", "calling  acpi_init+0x0/0x4f0 @ 1"]
        {
            assert!(is_printed_for_debugging(text) || initcall_debug::is_debug_level(text), "{text}");
        }
        for text in
            ["pnp 00:02: Plug and Play ACPI device, IDs PNP0700 (active)", "BIOS-e820: [mem 0x0-0x9fbff] usable"]
        {
            assert!(!is_printed_for_debugging(text), "{text}");
        }
    }

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
