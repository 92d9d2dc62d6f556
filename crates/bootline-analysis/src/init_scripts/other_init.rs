// SPDX-License-Identifier: MIT OR Apache-2.0
//! Inits of which the log shows no sequence of scripts.
use bootline_boot::Boot;

/// Why what this boot's init starts can't be reordered, in words; none of systemd, and of an init that runs scripts one after the other.
pub(crate) fn why_no_sequence(boot: &Boot) -> Option<&'static str> {
    const INITS: [(&str, &str); 3] = [
        ("procd: - ", "procd reports only its stages, and no source shows when its scripts ran"),
        ("- runit: enter stage", "runit reports only its stages, and no source shows when its services started"),
        (
            "init: starting service '",
            "Android's init starts services in parallel, and no source shows what waits for which",
        ),
    ];
    let says = |words: &str| {
        boot.records
            .containing(words)
            .filter_map(|i| boot.records.get(i))
            .any(|r| r.text.trim_start().starts_with(words))
    };
    INITS.iter().find(|(words, _)| says(words)).map(|(_, why)| *why)
}
