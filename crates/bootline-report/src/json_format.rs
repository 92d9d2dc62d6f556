// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout of JSON, with strings that are safe for terminals: JSON itself only escapes C0 controls.
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::escape::is_dangerous;

/// Writes a value in one line.
pub(super) fn write_compact(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Compact))?)
}

/// Writes a value over several lines, indented by two blanks a level; the first line begins at `level`.
pub(super) fn write_indented(value: &impl Serialize, level: usize, out: &mut dyn Write) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Indented { level, filled: false }))?)
}

/// Part of a string, dangerous characters escaped as UTF-16 units.
fn write_harmless<W: ?Sized + Write>(out: &mut W, part: &str) -> io::Result<()> {
    let mut rest = part;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_dangerous(*c)) {
        out.write_all(&rest.as_bytes()[..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}

struct Compact;

impl Formatter for Compact {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, part: &str) -> io::Result<()> {
        write_harmless(out, part)
    }
}

struct Indented {
    level: usize,
    /// Whether the list or object that ends now has an item.
    filled: bool,
}

impl Indented {
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.level += 1;
        self.filled = false;
        out.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.level -= 1;
        if self.filled {
            self.line(out)?;
        }
        out.write_all(bracket)
    }

    fn item<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.line(out)
    }

    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.level).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Indented {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, part: &str) -> io::Result<()> {
        write_harmless(out, part)
    }
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }
    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }
    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }
    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn indented(value: &Value) -> String {
        let mut out = Vec::new();
        write_indented(value, 0, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn laid_out_as_serde_json_does() {
        let value = json!({"a": [], "b": {}, "c": [1, [2, {"d": null}], "x"], "e": {"f": [[]], "g": -1.5}});
        assert_eq!(indented(&value), serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn an_item_of_a_list_is_indented_from_its_second_line_on() {
        let mut out = Vec::new();
        write_indented(&json!({"a": 1}), 2, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\n      \"a\": 1\n    }");
    }

    proptest! {
        #[test]
        fn any_string_is_harmless_and_read_back(text in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{202e}\"\\\\]){0,20}") {
            let value = json!({ text.clone(): text.clone() });
            let mut compact = Vec::new();
            write_compact(&value, &mut compact).unwrap();
            for written in [indented(&value), String::from_utf8(compact).unwrap()] {
                prop_assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), &value);
                prop_assert!(!written.chars().any(|c| c != '\n' && is_dangerous(c)));
            }
        }
    }
}
