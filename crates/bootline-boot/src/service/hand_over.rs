// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where systemd's initramfs ends.

/// Where systemd's initramfs ends, as the records come.
#[derive(Default)]
pub(super) struct HandOver {
    in_initramfs: bool,
    done: bool,
}

impl HandOver {
    /// Whether the units so far are those of the initramfs. Only one hand-over counts: a shutdown switches root, too.
    pub fn at(&mut self, text: &str) -> bool {
        const LAST: [&str; 3] = [
            "systemd[1]: Switching root",
            "systemd[1]: Starting initrd-switch-root.service",
            "         Starting initrd-switch-root.service",
        ];
        const INSIDE: [&str; 2] = ["systemd[1]: Running in initrd", "systemd[1]: Running in initial RAM disk"];
        // By the first byte: this runs over every record of every boot.
        if self.done || !text.starts_with(['s', 'W', ' ']) {
            return false;
        }
        let starts = |words: &[&str]| words.iter().any(|words| text.starts_with(words));
        // The console's greeting and systemd's banner come once in each.
        let greets = text.starts_with("Welcome to ") || text.starts_with("systemd[1]: systemd ");
        let begins = starts(&INSIDE) || greets && text.contains("(Initramfs)");
        let ends = starts(&LAST) || greets && self.in_initramfs && !begins;
        self.in_initramfs |= begins || ends;
        self.done = ends && greets;
        ends
    }
}
