// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a mail in base64 (RFC 2045, 6.8): the text of some mail programs, and attachments, which may be compressed. The rest of
//! the mail stays as it is.
use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::compression::Compression;
use super::limit::{Limited, MOST_UNPACKED};
use super::peek::Peeked;

/// Bytes of a line that are read at once.
const LONGEST_LINE: u64 = 64 * 1024;

/// Whether a header in the beginning of a text announces such a part.
pub(super) fn detect(start: &[u8]) -> bool {
    start.split(|b| *b == b'\n').any(|line| encoding(line).is_some_and(|name| name.eq_ignore_ascii_case(b"base64")))
}

/// What a header line says of how its part is written.
fn encoding(line: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"Content-Transfer-Encoding:";
    let (name, value) = line.split_at_checked(NAME.len())?;
    name.eq_ignore_ascii_case(NAME).then(|| value.trim_ascii())
}

/// A mail, its parts in base64 decoded.
pub(super) struct MailParts {
    lines: Rc<RefCell<Lines>>,
    /// The part under way.
    part: Option<Box<dyn Read>>,
    /// Whether the header under way announces base64.
    is_announced: bool,
    ready: Vec<u8>,
    at: usize,
    /// What was wrong with a part: reported after the rest of the mail.
    damage: Option<io::Error>,
}

impl MailParts {
    pub fn new(from: Box<dyn Read>) -> MailParts {
        let lines = Rc::new(RefCell::new(Lines { from: BufReader::new(from), line: Vec::new(), is_unread: false }));
        MailParts { lines, part: None, is_announced: false, ready: Vec::new(), at: 0, damage: None }
    }

    /// Begins the part that follows a header.
    fn begin(&mut self) -> io::Result<()> {
        let lines = Rc::clone(&self.lines);
        let part = Part { lines, text: Vec::new(), decoded: Vec::new(), at: 0, has_begun: false, has_ended: false };
        let part = Peeked::new(Box::new(part))?;
        self.part = Some(match Compression::detect(part.start()) {
            Some(compression) => Box::new(Limited::new(compression.reader(part)?, MOST_UNPACKED)),
            None => Box::new(part),
        });
        Ok(())
    }

    /// A damaged attachment doesn't take the rest of the mail with it.
    fn pass_over(&mut self, error: io::Error) -> io::Result<()> {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        if !matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) {
            return Err(error);
        }
        self.damage.get_or_insert(error);
        self.lines.borrow_mut().skip_base64()
    }
}

impl Read for MailParts {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            self.at = 0;
            self.ready.clear();
            if let Some(part) = &mut self.part {
                match part.read(into) {
                    Ok(0) => {}
                    Err(e) => self.pass_over(e)?,
                    read => return read,
                }
                self.part = None;
                self.ready.push(b'\n');
            } else {
                let mut lines = self.lines.borrow_mut();
                if !lines.advance()? {
                    return self.damage.take().map_or(Ok(0), Err);
                }
                self.ready.clone_from(&lines.line);
                drop(lines);
                let line = self.ready.trim_ascii_end();
                if let Some(name) = encoding(line) {
                    self.is_announced = name.eq_ignore_ascii_case(b"base64");
                } else if line.is_empty() && std::mem::take(&mut self.is_announced) {
                    if let Err(e) = self.begin() {
                        self.pass_over(e)?;
                    }
                }
            }
        }
        let n = (self.ready.len() - self.at).min(into.len());
        into[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

struct Lines {
    from: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    /// Whether the line was given back.
    is_unread: bool,
}

impl Lines {
    /// Reads the next line, its end included; whether there is one.
    fn advance(&mut self) -> io::Result<bool> {
        if !std::mem::take(&mut self.is_unread) {
            self.line.clear();
            self.from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line)?;
        }
        Ok(!self.line.is_empty())
    }

    /// Passes over what is left of a part.
    fn skip_base64(&mut self) -> io::Result<()> {
        while self.advance()? {
            if !is_base64(self.line.trim_ascii()) {
                self.is_unread = true;
                break;
            }
        }
        Ok(())
    }
}

fn is_base64(line: &[u8]) -> bool {
    !line.is_empty() && line.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
}

/// The bytes of one part.
struct Part {
    lines: Rc<RefCell<Lines>>,
    /// Characters that do not make a whole group yet: a line may end within one.
    text: Vec<u8>,
    decoded: Vec<u8>,
    at: usize,
    has_begun: bool,
    has_ended: bool,
}

impl Read for Part {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.decoded.len() && !self.has_ended {
            let mut lines = self.lines.borrow_mut();
            self.decoded.clear();
            self.at = 0;
            let is_line = lines.advance()?;
            let line = lines.line.trim_ascii();
            if line.is_empty() && is_line && !self.has_begun {
                continue;
            }
            self.has_begun = true;
            self.text.extend_from_slice(line);
            let whole = self.text.len() / 4 * 4;
            match STANDARD.decode(&self.text[..whole]) {
                Ok(decoded) if is_base64(line) => {
                    self.decoded = decoded;
                    self.text.drain(..whole);
                }
                _ => {
                    lines.is_unread = is_line;
                    self.has_ended = true;
                }
            }
        }
        let n = (self.decoded.len() - self.at).min(into.len());
        into[..n].copy_from_slice(&self.decoded[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mail: &str, expected: &str) {
        assert!(detect(mail.as_bytes()), "{mail}");
        let mut found = Vec::new();
        MailParts::new(Box::new(io::Cursor::new(mail.as_bytes().to_vec()))).read_to_end(&mut found).unwrap();
        assert_eq!(String::from_utf8_lossy(&found), expected, "{mail}");
    }

    const HEADER: &str = "Subject: a\ncontent-transfer-encoding: BASE64\n\n";

    #[test]
    fn a_mail_in_base64() {
        check(&format!("{HEADER}WyAgICAw\nLjAwMDAwMF0gYQo=\n"), &format!("{HEADER}[    0.000000] a\n\n"));
        check(&format!("{HEADER}YQ==\n\nrest\n"), &format!("{HEADER}a\n\nrest\n"));
    }

    #[test]
    fn a_part_ends_at_its_boundary() {
        let mail = format!("text\n--b\n{HEADER}YQo=\n--b\nContent-Transfer-Encoding: 7bit\n\nYQo=\n--b--\n");
        let expected = format!("text\n--b\n{HEADER}a\n\n--b\nContent-Transfer-Encoding: 7bit\n\nYQo=\n--b--\n");
        check(&mail, &expected);
        check(&mail.replace('\n', "\r\n"), &expected.replace('\n', "\r\n").replace("a\r\n\r\n--b", "a\n\n--b"));
    }

    #[test]
    fn a_damaged_attachment_is_left_out_and_reported_at_the_end() {
        // The magic of gzip, and nothing that it compressed; then what is left of it.
        let mail = format!("{HEADER}H4sIAAAA\n{}--b\nrest\n", "AAAA\n".repeat(3));
        let mut found = Vec::new();
        let mut parts = MailParts::new(Box::new(io::Cursor::new(mail.into_bytes())));
        assert!(parts.read_to_end(&mut found).is_err());
        assert_eq!(String::from_utf8_lossy(&found), format!("{HEADER}\n--b\nrest\n"));
        assert_eq!(parts.read(&mut [0; 8]).unwrap(), 0);
    }

    #[test]
    fn lines_may_end_within_a_group_and_begin_late() {
        check(&format!("{HEADER}\n\nWyAgI\nCAwLjAw\nMDAwMF0gYQo=\n"), &format!("{HEADER}[    0.000000] a\n\n"));
    }
}
