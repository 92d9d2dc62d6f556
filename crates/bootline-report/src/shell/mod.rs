// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every page is: one HTML file that works without a network and can be mailed.
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

const SHELL: &str = include_str!("assets/shell.html");
const STYLE: &str = include_str!("assets/base.css");
const HEADER: &str = include_str!("assets/header.html");
const FOOTER: &str = include_str!("assets/footer.html");

/// The button that chooses light or dark.
pub(super) const THEME: &str = include_str!("assets/theme.js");

/// What a page puts into the shell.
pub(super) struct Page {
    /// As HTML.
    pub title: String,
    /// What its style has beside every page's.
    pub style: String,
    /// As HTML; [`fill`] makes it of a file.
    pub body: String,
    /// What its script reads.
    pub data: Value,
    /// Its script's parts, in the order in which they need one another.
    pub script: Vec<&'static str>,
}

/// The program that made the page.
pub(super) const TOOL: &str = concat!("bootline ", env!("CARGO_PKG_VERSION"));

/// A page's top: its title, as HTML, and the buttons that every page has. `help` is what its help is about.
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
    // One function around all: nothing of it is in the way of anything else in the page.
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

/// Puts the parts where the shell names them: `@NAME@`. What is put in isn't looked at again.
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

/// What the policy in the page's head allows by.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// As text that can stand in an HTML page: nothing in it ends an element or begins one.
fn data(value: &Value) -> String {
    // `<` stands in strings only, and so do the two line ends that JSON has and scripts once had not.
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
