// SPDX-License-Identifier: MIT OR Apache-2.0
//! YAML maps in block style, one key a line, and JSON objects that were spread over lines.
//!
//! ```text
//! - dt: '2026-04-24T16:37:21.964123'        {
//!   lvl: target                               "dt": "2026-04-24T16:37:21.964123",
//!   msg: '[    1.234567] a text that goes     "lvl": "target",
//!     on in the next line'                    "msg": "text"
//!                                           },
//! ```
//! Source: YAML 1.2, chapters 6.5 (line folding) and 8 (block styles). Written for job logs: of a text's form only what they
//! have is read.
use super::flow_map::{FlowMap, FlowValue, scalar};

/// The longest entry that is collected, in bytes.
const LONGEST: usize = 64 * 1024;
/// More keys than any entry has.
const MOST_KEYS: usize = 64;

/// An entry under way.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockMap {
    /// Keys and values as they stand in the lines.
    lines: Vec<(Vec<u8>, Vec<u8>)>,
    bytes: usize,
    /// The last value is a block scalar (`|`, `>`), and whether its lines are kept apart.
    block: Option<bool>,
    /// Columns before its keys.
    indent: usize,
}

/// What a line does to the entry under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockLine {
    /// It begins another; that one has to be taken first.
    Begins,
    /// It belongs to it.
    Belongs,
    /// It belongs to no map in this style.
    Foreign,
}

impl BlockMap {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// What a line is, seen after those that were added.
    pub fn of_line(&self, line: &[u8]) -> BlockLine {
        let text = line.trim_ascii_start();
        let indent = line.len() - text.len();
        let begins_list_entry = text.strip_prefix(b"-").is_some_and(|rest| {
            rest.trim_ascii().is_empty() || rest.starts_with(b" ") && key_and_value(rest.trim_ascii_start()).is_some()
        });
        let is_outside = self.is_empty() || indent < self.indent;
        if is_outside && (begins_list_entry || matches!(text.trim_ascii_end(), b"{" | b"[{")) {
            return BlockLine::Begins;
        }
        if self.is_empty() && key_and_value(text).is_none() && !matches!(text.trim_ascii_end(), b"}" | b"},") {
            return BlockLine::Foreign;
        }
        BlockLine::Belongs
    }

    /// Takes a line.
    pub fn add(&mut self, line: &[u8]) {
        self.bytes += line.len();
        if self.bytes > LONGEST {
            return;
        }
        let mut text = line.trim_ascii_start();
        if let Some(rest) = text.strip_prefix(b"- ").filter(|_| self.is_empty()) {
            text = rest.trim_ascii_start();
        }
        let indent = line.len() - text.len();
        if matches!(text.trim_ascii(), b"-" | b"{" | b"[{" | b"}" | b"}," | b"}]" | b"]")
            && (self.is_empty() || indent < self.indent)
        {
            return;
        }
        let is_key = self.is_empty() || indent <= self.indent;
        match key_and_value(text).filter(|_| is_key && self.lines.len() < MOST_KEYS) {
            Some((key, value)) => {
                self.indent = indent;
                self.block = match value {
                    b"|" | b"|-" | b"|+" => Some(true),
                    b">" | b">-" | b">+" => Some(false),
                    _ => None,
                };
                let value = if self.block.is_some() { b"" } else { value };
                self.lines.push((key.to_vec(), value.to_vec()));
            }
            None => {
                let is_kept = self.block == Some(true);
                let Some((_, value)) = self.lines.last_mut() else { return };
                // An empty line stands for a line's end.
                let separator: &[u8] = match (value.is_empty(), text.is_empty() || is_kept) {
                    (true, _) => b"",
                    (false, true) => b"\n",
                    (false, false) if value.ends_with(b"\n") => b"",
                    // A backslash before the line's end joins both.
                    (false, false) if value.ends_with(b"\\") && value.starts_with(b"\"") => {
                        value.pop();
                        b""
                    }
                    (false, false) => b" ",
                };
                value.extend_from_slice(separator);
                let text = if value.starts_with(b"\"") && separator.is_empty() {
                    text.strip_prefix(b"\\").unwrap_or(text)
                } else {
                    text
                };
                value.extend_from_slice(text.trim_ascii_end());
            }
        }
    }

    /// The entry's map; the next one begins.
    pub fn take(&mut self) -> FlowMap {
        let done = std::mem::take(self);
        let is_whole = done.bytes <= LONGEST;
        let entries = done.lines.into_iter().map(|(key, value)| {
            let value = match value.first() {
                Some(b'{' | b'[') if done.block.is_none() && value.ends_with(b"}") => FlowValue::Nested(value),
                Some(b'"' | b'\'') => FlowValue::Text(scalar(&value)),
                _ => FlowValue::Text(value),
            };
            (key, value)
        });
        FlowMap { entries: entries.collect(), is_whole }
    }
}

/// `key: value`, also with the key in quotes, and with JSON's comma after the value.
fn key_and_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, rest) = match text.strip_prefix(b"\"") {
        Some(inside) => {
            let end = memchr::memchr(b'"', &inside[..inside.len().min(64)])?;
            (&inside[..end], inside[end + 1..].trim_ascii_start())
        }
        None => {
            let end =
                text.iter().take(64).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
            (&text[..end], &text[end..])
        }
    };
    let value = rest.strip_prefix(b":")?;
    if key.is_empty() || !(value.is_empty() || value.starts_with(b" ")) {
        return None;
    }
    let value = value.trim_ascii();
    let is_json = text.starts_with(b"\"");
    let value = if is_json { value.strip_suffix(b",").unwrap_or(value) } else { value };
    Some((key, value))
}

#[cfg(test)]
mod tests {
    use super::super::flow_map::tests::assert_has;
    use super::*;

    fn check(lines: &str, expected: &[(&str, &str)]) {
        let mut map = BlockMap::default();
        for line in lines.lines() {
            map.add(line.as_bytes());
        }
        assert_has(&map.take(), expected, lines);
    }

    #[test]
    fn styles() {
        check("- a: b, {c}\n  d: 'it''s'\n  e: \"f\\tg\"", &[("a", "b, {c}"), ("d", "it's"), ("e", "f\tg")]);
        check("-\n  a: b\n  c: d", &[("a", "b"), ("c", "d")]);
        check("{\n  \"a\": \"b\",\n  \"c\": 1\n},", &[("a", "b"), ("c", "1")]);
        check("- a: |-\n    one\n    two\n  b: c", &[("a", "one\ntwo"), ("b", "c")]);
    }

    #[test]
    fn long_values_go_on() {
        check("- a: one\n    two\n  b: c", &[("a", "one two"), ("b", "c")]);
        check("- a: 'one: two\n    three: four'\n  b: c", &[("a", "one: two three: four"), ("b", "c")]);
        check("- a: \"one \\\n    \\ two\"\n  b: c", &[("a", "one  two"), ("b", "c")]);
    }

    #[test]
    fn an_entry_begins() {
        let mut map = BlockMap::default();
        assert_eq!(map.of_line(b"plain text"), BlockLine::Foreign);
        assert_eq!(map.of_line(b"- a: b"), BlockLine::Begins);
        map.add(b"- a: b");
        assert_eq!(map.of_line(b"  c: d"), BlockLine::Belongs);
        assert_eq!(map.of_line(b"  goes on"), BlockLine::Belongs);
        assert_eq!(map.of_line(b"- a: b"), BlockLine::Begins);
    }

    #[test]
    fn a_brace_in_a_text_begins_none() {
        let mut map = BlockMap::default();
        map.add(b"- a: |-");
        assert_eq!(map.of_line(b"    {"), BlockLine::Belongs);
        map.add(b"    {");
        map.add(b"    one");
        assert_eq!(map.of_line(b"{"), BlockLine::Begins);
        assert_eq!(map.take().text(b"a"), Some(&b"{\none"[..]));
    }
}
