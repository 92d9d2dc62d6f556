// SPDX-License-Identifier: MIT OR Apache-2.0
//! Log text made harmless for a terminal.
//!
//! A log can hold anything: sequences that retitle the window, overwrite the line above, or swap what is read from left
//! to right. Each such character is shown by its code.
use std::borrow::Cow;
use std::fmt::Write;

/// The text with every control and invisible character shown as `\t`, `\x1b`, `\u{202e}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if !is_dangerous(c) => out.push(c),
            c if (c as u32) < 0x80 => _ = write!(out, "\\x{:02x}", c as u32),
            c => _ = write!(out, "\\u{{{:x}}}", c as u32),
        }
    }
    Cow::Owned(out)
}

/// C0, DEL and C1 controls; marks that reorder text; characters that take no room and hide.
pub(super) fn is_dangerous(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
        | '\u{ad}' | '\u{61c}' | '\u{180e}'
        // Zero-width characters, left-to-right and right-to-left marks; line and paragraph separators; bidi embeddings
        // and overrides.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        // Word joiner, invisible operators, bidi isolates, deprecated format characters.
        | '\u{2060}'..='\u{206f}'
        // Byte order mark, interlinear annotations.
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        // Variation selectors and tags: invisible, and unlimited in number.
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_show_their_code() {
        let check = |text, want| assert_eq!(escaped(text), want);
        check("ACPI: Core revision 20250404", "ACPI: Core revision 20250404");
        check("grün ✓ 起動", "grün ✓ 起動");
        check("a\x1b[2Jb\x07", "a\\x1b[2Jb\\x07");
        check("a\tb\nc\rd\0", "a\\tb\\nc\\rd\\x00");
        check("\u{9b}31m\u{7f}", "\\u{9b}31m\\x7f");
        check("user\u{202e}txt.exe\u{2066}", "user\\u{202e}txt.exe\\u{2066}");
        check("in\u{200b}visible\u{e0041}", "in\\u{200b}visible\\u{e0041}");
    }
}
