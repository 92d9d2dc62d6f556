// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a console says when a kernel is about to start.

/// Whether a line is a boot loader's first or last, or a kernel's last before it restarts the machine.
pub fn announces_boot(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 5] =
        [b"U-Boot ", b"Starting kernel", b"Uncompressing Linux", b"Decompressing Linux", b"Restarting system"];
    WORDS.iter().any(|words| text.starts_with(words))
}
