// SPDX-License-Identifier: MIT OR Apache-2.0
//! One YAML flow map on one line, which JSON objects are too: `{"dt": "...", lvl: target, 'msg': 'it''s'}`.
//!
//! Written for job logs, where a line may be cut off anywhere: what was read up to there is kept. Source: YAML 1.2, chapters
//! 5.7 (escapes) and 7 (flow styles).

/// A value of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FlowValue {
    /// A string, without quotes and escapes; never longer than in the line.
    Text(Vec<u8>),
    /// A map or a list, as it stands in the line.
    Nested(Vec<u8>),
}

/// Keys and values in order, and whether the map is whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FlowMap {
    pub entries: Vec<(Vec<u8>, FlowValue)>,
    pub is_whole: bool,
}

impl FlowMap {
    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&FlowValue> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }

    /// The text under a key.
    pub fn text(&self, key: &[u8]) -> Option<&[u8]> {
        match self.get(key)? {
            FlowValue::Text(text) => Some(text),
            FlowValue::Nested(_) => None,
        }
    }
}

/// More keys than any entry has.
const MOST_KEYS: usize = 64;

/// The map that a line holds, list marks and commas around it aside; `None` where it begins like no map.
pub(super) fn parse(line: &[u8]) -> Option<FlowMap> {
    parse_first(line).map(|(map, _)| map)
}

/// The first of the maps that a line holds, and what follows it.
pub(super) fn parse_first(line: &[u8]) -> Option<(FlowMap, &[u8])> {
    let mut bytes = line.trim_ascii();
    bytes = bytes.strip_prefix(b"[").unwrap_or(bytes).trim_ascii_start();
    bytes = bytes.strip_prefix(b"- ").unwrap_or(bytes).trim_ascii_start();
    let mut scan = FlowScanner { bytes: bytes.strip_prefix(b"{")?, at: 0 };
    let mut map = FlowMap::default();
    loop {
        scan.blanks();
        match scan.peek() {
            None => return Some((map, b"")),
            Some(b'}') => {
                map.is_whole = true;
                return Some((map, &scan.bytes[scan.at + 1..]));
            }
            Some(b',') => scan.at += 1,
            Some(_) => {
                let (key, key_ended) = scan.scalar(true);
                scan.blanks();
                let has_colon = scan.peek() == Some(b':');
                if !key_ended || !has_colon || map.entries.len() == MOST_KEYS {
                    return Some((map, b""));
                }
                scan.at += 1;
                scan.blanks();
                let (value, ended) = match scan.peek() {
                    Some(b'{' | b'[') => scan.nested(),
                    _ => {
                        let (text, ended) = scan.scalar(false);
                        (FlowValue::Text(text), ended)
                    }
                };
                map.entries.push((key, value));
                if !ended {
                    return Some((map, b""));
                }
            }
        }
    }
}

/// A string in quotes, without them and its escapes.
pub(super) fn scalar(bytes: &[u8]) -> Vec<u8> {
    FlowScanner { bytes, at: 0 }.scalar(false).0
}

struct FlowScanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl FlowScanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// A string in any style, and whether its end was there.
    fn scalar(&mut self, is_key: bool) -> (Vec<u8>, bool) {
        match self.peek() {
            Some(b'"') => self.double_quoted(),
            Some(b'\'') => self.single_quoted(),
            _ => self.plain(is_key),
        }
    }

    fn plain(&mut self, is_key: bool) -> (Vec<u8>, bool) {
        let from = self.at;
        while let Some(b) = self.peek() {
            if matches!(b, b',' | b'}') || is_key && b == b':' {
                let text = self.bytes[from..self.at].trim_ascii_end();
                return (if text == b"null" { Vec::new() } else { text.to_vec() }, true);
            }
            self.at += 1;
        }
        (self.bytes[from..].to_vec(), false)
    }

    fn single_quoted(&mut self) -> (Vec<u8>, bool) {
        let mut text = Vec::new();
        self.at += 1;
        while let Some(b) = self.peek() {
            self.at += 1;
            if b == b'\'' {
                if self.peek() != Some(b'\'') {
                    return (text, true);
                }
                self.at += 1;
            }
            text.push(b);
        }
        (text, false)
    }

    fn double_quoted(&mut self) -> (Vec<u8>, bool) {
        let mut text = Vec::new();
        self.at += 1;
        while let Some(b) = self.peek() {
            self.at += 1;
            match b {
                b'"' => return (text, true),
                b'\\' => self.escape(&mut text),
                _ => text.push(b),
            }
        }
        (text, false)
    }

    /// What follows a backslash.
    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(b) = self.peek() else { return };
        self.at += 1;
        let code = match b {
            b'x' => self.hex(2),
            b'u' => self.hex(4),
            b'U' => self.hex(8),
            b'0' => Some(0),
            b'a' => Some(7),
            b'b' => Some(8),
            b't' => Some(9),
            b'n' => Some(10),
            b'v' => Some(11),
            b'f' => Some(12),
            b'r' => Some(13),
            b'e' => Some(27),
            b'N' => Some(0x85),
            b'_' => Some(0xa0),
            // Their UTF-8 would be longer than the escape.
            b'L' | b'P' => Some(u32::from(b' ')),
            _ => Some(u32::from(b)),
        };
        let code = match code {
            // JSON writes what lies beyond 16 bits as two.
            Some(high @ 0xd800..=0xdbff) if self.bytes[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                let low = self.hex(4).filter(|low| (0xdc00..=0xdfff).contains(low));
                low.map(|low| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
            }
            code => code,
        };
        let c = code.and_then(char::from_u32).unwrap_or('?');
        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.bytes.get(self.at..self.at + digits)?;
        let value = u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()?;
        self.at += digits;
        Some(value)
    }

    /// A map or a list; its depth doesn't matter, its strings do.
    fn nested(&mut self) -> (FlowValue, bool) {
        let from = self.at;
        let mut depth = 0_usize;
        while let Some(b) = self.peek() {
            match b {
                b'"' | b'\'' => _ = self.scalar(false),
                _ => self.at += 1,
            }
            match b {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return (FlowValue::Nested(self.bytes[from..self.at].to_vec()), true);
            }
        }
        (FlowValue::Nested(self.bytes[from..].to_vec()), false)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Asserts that a map has exactly these keys and values, in this order.
    pub(in super::super) fn assert_has(map: &FlowMap, expected: &[(&str, &str)], input: &str) {
        let found: Vec<(String, String)> = map
            .entries
            .iter()
            .map(|(key, value)| {
                let (FlowValue::Text(value) | FlowValue::Nested(value)) = value;
                (String::from_utf8_lossy(key).into_owned(), String::from_utf8_lossy(value).into_owned())
            })
            .collect();
        let found: Vec<_> = found.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(found, expected, "{input}");
    }

    fn check(line: &str, expected: &[(&str, &str)], is_whole: bool) {
        let map = parse(line.as_bytes()).expect(line);
        assert_has(&map, expected, line);
        assert_eq!(map.is_whole, is_whole, "{line}");
    }

    #[test]
    fn styles() {
        check(r#"- {"a": "b", "c": "d"}"#, &[("a", "b"), ("c", "d")], true);
        check("- {a: b c, d: 'it''s, {so}', e: \"f\"}", &[("a", "b c"), ("d", "it's, {so}"), ("e", "f")], true);
        check(r#"[{"a":1,"b":null},"#, &[("a", "1"), ("b", "")], true);
        check(r#"{"a": {"b": ["}", '"']}, "c": "d"}"#, &[("a", r#"{"b": ["}", '"']}"#), ("c", "d")], true);
        assert_eq!(parse(b"plain text"), None);
    }

    #[test]
    fn escapes() {
        check(r#"{"a": "\"\\\/\t\x41\u00e9\ud83d\ude00\e[0m"}"#, &[("a", "\"\\/\tA\u{e9}\u{1f600}\x1b[0m")], true);
        check(r#"{"a": "\ud83d!\u12"}"#, &[("a", "?!?12")], true);
    }

    #[test]
    fn what_was_cut_off_is_kept() {
        check(r#"- {"a": "b", "c": "half"#, &[("a", "b"), ("c", "half")], false);
        check(r#"- {"a": "b", "c"#, &[("a", "b")], false);
        check(r#"- {"a": {"b": "#, &[("a", r#"{"b":"#)], false);
        check("- {", &[], false);
    }
}
