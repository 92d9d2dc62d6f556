// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paragraphs of `Field: value` lines, the format of Packages indexes and of `.sources` files (deb822(5)).
use std::io::{self, BufRead, Read};

/// One paragraph: the fields that were asked for, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paragraph {
    fields: Vec<(String, String)>,
}

impl Paragraph {
    /// The value of a field, whose name is matched without regard to case. Lines of one value are joined by `\n`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// A line longer than this is cut: no field that is read here comes near it.
const MAX_LINE: u64 = 1 << 20;

/// The paragraphs of a stream that have at least one of the fields in `keep`; other fields are not stored.
///
/// Whatever the bytes, reading goes on to the next line: a line that is no field and continues none is passed over.
/// Errors are those of the stream.
pub struct Paragraphs<R> {
    reader: R,
    keep: &'static [&'static str],
    line: Vec<u8>,
}

impl<R: BufRead> Paragraphs<R> {
    /// Reads from `reader`, keeping the fields named in `keep`.
    pub fn new(reader: R, keep: &'static [&'static str]) -> Paragraphs<R> {
        Paragraphs { reader, keep, line: Vec::new() }
    }

    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(MAX_LINE);
        let n = limited.read_until(b'\n', &mut self.line)?;
        if n as u64 == MAX_LINE && self.line.last() != Some(&b'\n') {
            skip_line(&mut self.reader)?;
        }
        while self.line.last().is_some_and(|b| *b == b'\n' || *b == b'\r') {
            self.line.pop();
        }
        Ok(n > 0)
    }

    fn read_paragraph(&mut self) -> io::Result<Option<Paragraph>> {
        let mut paragraph = Paragraph::default();
        let mut kept_last = false;
        while self.read_line()? {
            match self.line.first() {
                Some(b'#') => {}
                Some(b' ' | b'\t') if self.line.iter().any(|b| !b.is_ascii_whitespace()) => {
                    if let (true, Some((_, value))) = (kept_last, paragraph.fields.last_mut()) {
                        if value.len() as u64 + self.line.len() as u64 <= MAX_LINE {
                            value.push('\n');
                            value.push_str(String::from_utf8_lossy(&self.line).trim());
                        }
                    }
                }
                None | Some(b' ' | b'\t') => {
                    if !paragraph.fields.is_empty() {
                        return Ok(Some(paragraph));
                    }
                }
                Some(_) => {
                    let colon = self.line.iter().position(|b| *b == b':').unwrap_or(0);
                    let name = &self.line[..colon];
                    kept_last = self.keep.iter().any(|k| k.as_bytes().eq_ignore_ascii_case(name));
                    if kept_last {
                        let name = String::from_utf8_lossy(name).into_owned();
                        let value = String::from_utf8_lossy(&self.line[colon + 1..]).trim().to_owned();
                        paragraph.fields.push((name, value));
                    }
                }
            }
        }
        Ok((!paragraph.fields.is_empty()).then_some(paragraph))
    }
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|b| *b == b'\n') {
            Some(end) => {
                reader.consume(end + 1);
                return Ok(());
            }
            None => {
                let n = buffer.len();
                reader.consume(n);
            }
        }
    }
}

impl<R: BufRead> Iterator for Paragraphs<R> {
    type Item = io::Result<Paragraph>;
    fn next(&mut self) -> Option<io::Result<Paragraph>> {
        self.read_paragraph().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &[u8]) -> Vec<Vec<(String, String)>> {
        Paragraphs::new(text, &["Package", "Depends"]).map(|p| p.unwrap().fields).collect()
    }

    fn check(text: &str, expected: &[&[(&str, &str)]]) {
        let got = parse(text.as_bytes());
        let expected: Vec<Vec<(String, String)>> =
            expected.iter().map(|p| p.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect()).collect();
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn paragraphs() {
        check("", &[]);
        check("Package: a\nSize: 1\n\nPackage: b\n", &[&[("Package", "a")], &[("Package", "b")]]);
        check("\n\n\nPackage: a\n\n\n\n", &[&[("Package", "a")]]);
        check("package:a\r\nDEPENDS: b (= 1),\r\n c\r\n", &[&[("package", "a"), ("DEPENDS", "b (= 1),\nc")]]);
        check("Package: a\nDescription: x\n more of x\n .\nDepends: c", &[&[("Package", "a"), ("Depends", "c")]]);
        check("# Package: no\nPackage: a\n# Depends: no\nno field at all\n: x\n", &[&[("Package", "a")]]);
    }

    #[test]
    fn an_endless_line_is_cut() {
        let mut text = b"Package: ".to_vec();
        text.resize(3 << 20, b'x');
        text.extend_from_slice(b"\nDepends: b\n");
        let got = parse(&text);
        assert_eq!(got[0][1], ("Depends".to_owned(), "b".to_owned()));
        assert!(got[0][0].1.len() < 2 << 20);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            parse(&bytes);
        }

        #[test]
        fn fields_come_back(names in prop::collection::vec("[a-z0-9+.-]{1,20}", 1..20)) {
            let text: String = names.iter().map(|n| format!("Other: x\n y\nPackage: {n}\nMore: z\n\n")).collect();
            let got: Vec<String> = parse(text.as_bytes()).into_iter().map(|p| p[0].1.clone()).collect();
            prop_assert_eq!(got, names);
        }
    }
}
