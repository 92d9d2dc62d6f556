// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture that systemd-bootchart draws: it holds lines and boxes, and nothing of what they were drawn from.
//!
//! Source: svg_header() and svg_title() in systemd-bootchart's src/svg.c.

/// Bytes in which a picture says what it is.
const NEAR: usize = 8 * 1024;

/// Whether a line of the file is one that only such a picture has; also without the marks of XML.
pub(crate) fn names_it(line: &str) -> bool {
    let is_title = |text: &str| text.starts_with("Bootchart for ") && text.contains(" - ");
    let text = line.rsplit_once("\">").map_or(line, |(_, text)| text);
    line.contains("This file is a bootchart SVG file") || is_title(text.trim_start())
}

/// Whether a text is such a picture.
pub(super) fn is_one(text: &str) -> bool {
    let is_xml = text.trim_start().starts_with("<?xml") || text.trim_start().starts_with("<svg");
    let mut end = text.len().min(NEAR);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    is_xml && text[..end].lines().any(names_it)
}
