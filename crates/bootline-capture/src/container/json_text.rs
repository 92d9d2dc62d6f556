// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log inside a string of JSON: what the interfaces of clouds return (`aws ec2 get-console-output`, `gcloud compute instances
//! get-serial-port-output --format json`), steps of CI jobs, and the json-file of containers, with a line's string an object.
use super::rewritten::Rewrite;

/// Lines in strings that show that a log is in them.
const FEWEST_LINES: usize = 3;

/// Keys of JSON in which each record has an object of its own: that is a log's own form.
const OF_RECORDS: [&[u8]; 5] = [b"\"lvl\"", b"\"_TRANSPORT\"", b"\"__CURSOR\"", b"\"msg\"", b"\"MESSAGE\""];

/// Whether a text begins as JSON with a log in a string.
pub(super) fn detect(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    // Ansible's answers hold a `msg` next to the log; records have one each.
    let has_many = |word: &[u8]| text.windows(word.len()).filter(|w| *w == word).nth(1).is_some();
    let is_json = match text.first() {
        Some(b'{') => true,
        // A record's stamp begins so, too.
        Some(b'[') => matches!(text[1..].trim_ascii_start().first(), Some(b'{' | b'[' | b'"')),
        _ => holds_object(text),
    };
    is_json
        && text.windows(3).filter(|w| w == b"\\n[" || w == b"\\n\"").take(FEWEST_LINES).count() == FEWEST_LINES
        && !OF_RECORDS.iter().any(|key| has_many(key))
}

/// Whether an object of keys begins within a text, as in Ansible's `board | SUCCESS => {`. Code has braces, too, but no keys after them.
fn holds_object(text: &[u8]) -> bool {
    let mut lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    let mut is_open = false;
    lines.any(|line| {
        let was_open = std::mem::replace(&mut is_open, line == b"{" || line.ends_with(b"=> {"));
        was_open && line.starts_with(b"\"") && line.windows(2).any(|w| w == b"\":")
    })
}

/// Undoes the escapes of strings, wherever they stand: the rest of the JSON has none.
#[derive(Debug, Default)]
pub(super) struct JsonText {
    /// A backslash and what followed it.
    held: Vec<u8>,
}

impl Rewrite for JsonText {
    fn finish(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.held);
    }

    fn byte(&mut self, b: u8, out: &mut Vec<u8>) {
        match self.held.len() {
            0 if b != b'\\' => out.push(b),
            0 => self.held.push(b),
            1 => {
                let meant = match b {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'f' => 12,
                    b'"' | b'\\' | b'/' => b,
                    b'u' => return self.held.push(b),
                    _ => {
                        out.append(&mut self.held);
                        return self.byte(b, out);
                    }
                };
                self.held.clear();
                out.push(meant);
            }
            _ if b.is_ascii_hexdigit() => {
                self.held.push(b);
                if self.held.len() == b"\\u0000".len() {
                    // Halves of a pair become two marks of what is no character.
                    let code =
                        std::str::from_utf8(&self.held[2..]).ok().and_then(|hex| u32::from_str_radix(hex, 16).ok());
                    let c = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    self.held.clear();
                }
            }
            _ => {
                out.append(&mut self.held);
                self.byte(b, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rewritten::tests::check_rewrite;
    use super::*;

    #[test]
    fn escapes() {
        check_rewrite::<JsonText>(
            r#"{"Output": "a\r\nb\t\"c\" \\ \u001b[0m\/"}"#,
            "{\"Output\": \"a\r\nb\t\"c\" \\ \u{1b}[0m/\"}",
        );
        check_rewrite::<JsonText>(r"\ud83d\x \u12z \", "\u{fffd}\\x \\u12z \\");
    }

    #[test]
    fn a_log_in_a_string() {
        assert!(detect(br#"{"Output": "a\n[    0.0] b\n[    0.1] c\n[    0.2] d"}"#));
        let line = r#"{"log":"[    0.0] a\n","stream":"stdout","time":"x"}"#;
        assert!(detect([line; 3].join("\n").as_bytes()));
        assert!(!detect(line.as_bytes()));
        assert!(!detect(br#"{"msg":"a\n[ \n["} {"msg":"a\n[ \n["}"#));
        assert!(detect(b"board | FAILED => {\n  \"msg\": \"rc\",\n  \"stdout\": \"a\\n[ \\n[ \\n[\"\n}\n"));
        assert!(!detect(br"[    0.0] a\n[ b\n[ c\n["));
        let code = "void f(void)\n{\n\tprintk(\"a\\n\");\n\tprintk(\"b\\n\");\n\tprintk(\"c\\n\");\n}\n";
        assert!(!detect(code.as_bytes()));
    }
}
