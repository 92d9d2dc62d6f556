// SPDX-License-Identifier: MIT OR Apache-2.0
//! A list of boots as one JSON text, given piece by piece, so that memory holds one boot.
use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;

use super::escape::is_dangerous;

/// The frame around the boots: `{"schema": .., "tool": .., "boots": [..]}`.
#[derive(Debug)]
pub struct BootsJson {
    schema: &'static str,
    count: usize,
}

impl BootsJson {
    /// `schema` is its name and version: `bootline-explain/1`.
    pub fn new(schema: &'static str) -> BootsJson {
        BootsJson { schema, count: 0 }
    }

    /// What comes first.
    pub fn open(&self) -> String {
        let tool = concat!("bootline ", env!("CARGO_PKG_VERSION"));
        format!("{{\n  \"schema\": \"{}\",\n  \"tool\": \"{tool}\",\n  \"boots\": [", self.schema)
    }

    /// One boot.
    pub fn item(&mut self, boot: &impl Serialize) -> String {
        let comma = if self.count == 0 { "" } else { "," };
        self.count += 1;
        let text = serde_json::to_string_pretty(boot).expect("plain structs of numbers and strings always serialise");
        format!("{comma}\n    {}", harmless(&text).replace('\n', "\n    "))
    }

    /// What comes last.
    pub fn close(&self) -> &'static str {
        if self.count == 0 { "]\n}\n" } else { "\n  ]\n}\n" }
    }
}

/// One value as a JSON text, with a line end.
pub fn json_text(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("plain structs of numbers and strings always serialise");
    format!("{}\n", harmless(&text))
}

/// JSON escapes C0 controls alone; a terminal obeys others as well. Outside of strings JSON holds none of them but the
/// line ends of its layout, so that the escapes can be put in afterwards.
pub(super) fn harmless(json: &str) -> Cow<'_, str> {
    let dangerous = |c: char| c != '\n' && is_dangerous(c);
    if !json.chars().any(dangerous) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 32);
    for c in json.chars() {
        if dangerous(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The word by which serde knows a unit variant: `clock-stood-still`.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a unit variant serialises to a string, not {other:?}"),
    }
}
