// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shell of every page: one HTML file that works without a network and can be mailed.
//!
//! What a log says is hostile. It reaches a page as text of elements, escaped, and as JSON in which no `<` is left; a
//! script writes it as text only. Should something slip through, the page's own policy lets nothing run but the one
//! script and load nothing from anywhere.
#[cfg(test)]
pub(super) mod tests;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::html::html_text;

const SHELL: &str = include_str!("assets/shell.html");
const STYLE: &str = include_str!("assets/base.css");
const HEADER: &str = include_str!("assets/header.html");
const STATIC_HEADER: &str = include_str!("assets/static-header.html");
const FOOTER: &str = include_str!("assets/footer.html");

/// The script of the button that chooses light or dark.
pub(super) const THEME: &str = include_str!("assets/theme.js");

/// What a page without data needs of a script: the button of the theme.
const PLAIN: &str = "new Theme([], () => {});\n";

/// A page that needs no script of its own: its title as text, style rules in addition to every page's, and its body as HTML in which
/// all foreign text is escaped by [`html_text`].
pub fn static_page(title: &str, style: &str, body: &str) -> String {
    let title = html_text(title);
    let header = fill(STATIC_HEADER, &[("TITLE", title.clone())]);
    let body = format!("{header}<main>\n{body}</main>\n{}", footer());
    page(Page { title, style: style.to_owned(), body, data: Value::Null, script: vec![THEME, PLAIN] })
}

/// The content that a page puts into the shell.
pub(super) struct Page {
    /// As HTML.
    pub title: String,
    /// Style rules in addition to every page's.
    pub style: String,
    /// As HTML; [`fill`] makes it of a file.
    pub body: String,
    /// What its script reads.
    pub data: Value,
    /// Parts of its script, in order of dependency.
    pub script: Vec<&'static str>,
}

/// The program that made the page.
pub(super) const TOOL: &str = concat!("bootline ", env!("CARGO_PKG_VERSION"));

/// A page's top: its title, as HTML, and the buttons that every page has. `help` is the topic of its help.
pub(super) fn header(title: &str, help: &str) -> String {
    fill(HEADER, &[("TITLE", title.to_owned()), ("HELP", help.to_owned())])
}

/// A page's foot.
pub(super) fn footer() -> String {
    fill(FOOTER, &[("TOOL", TOOL.to_owned())])
}

/// The whole file.
pub(super) fn page(page: Page) -> String {
    let style = format!("{STYLE}{}", page.style);
    // Wrapped in one function, so that it does not interfere with anything else in the page.
    let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", page.script.concat());
    let parts = [
        ("TITLE", page.title),
        ("STYLE_HASH", hash(&style)),
        ("SCRIPT_HASH", hash(&script)),
        ("STYLE", style),
        ("BODY", page.body),
        ("DATA", data(&page.data)),
        ("SCRIPT", script),
    ];
    fill(SHELL, &parts)
}

/// Replaces `@NAME@` in the shell by the parts. Inserted text is not scanned again.
pub(super) fn fill(shell: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(shell.len() + parts.iter().map(|p| p.1.len()).sum::<usize>());
    for (n, piece) in shell.split('@').enumerate() {
        match parts.iter().find(|(name, _)| n % 2 == 1 && *name == piece) {
            Some((_, text)) => out += text,
            None => out += piece,
        }
    }
    out
}

/// The hash in the page's Content-Security-Policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// JSON as text that is safe in an HTML page: nothing in it ends or begins an element.
fn data(value: &Value) -> String {
    // `<` occurs only in strings, as do the two line separators that JSON allows and scripts once did not.
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
