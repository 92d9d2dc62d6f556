// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quoted-printable (RFC 2045, 6.7), in which mail programs send logs: long lines are cut with `=` at their ends, and `=` and
//! what is not ASCII become `=3D`.
use super::rewritten::Rewrite;

/// Lines cut with `=` that a text must have if no header says so. A command line may end so by chance.
const FEWEST_CUTS: usize = 3;

/// Whether a text begins in this encoding: its header says so, or its lines do.
pub(super) fn detect(start: &[u8]) -> bool {
    let (mut cuts, mut equals, mut has_header) = (0, 0, false);
    for line in start.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        has_header |= line.eq_ignore_ascii_case(b"Content-Transfer-Encoding: quoted-printable");
        // A cut line has 76 characters at most, and is cut because it is long.
        cuts += usize::from((60..=76).contains(&line.len()) && line.ends_with(b"="));
        equals += line.windows(3).filter(|w| w == b"=3D").count();
    }
    has_header || cuts >= FEWEST_CUTS && equals > 0
}

/// Joins the lines again.
#[derive(Debug, Default)]
pub(super) struct QuotedPrintable {
    /// What follows a `=`, with it.
    held: Vec<u8>,
}

impl Rewrite for QuotedPrintable {
    fn finish(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.held);
    }

    fn byte(&mut self, b: u8, out: &mut Vec<u8>) {
        match self.held.as_slice() {
            [] if b != b'=' => out.push(b),
            [] => self.held.push(b),
            [b'='] | [b'=', b'\r'] if b == b'\n' => self.held.clear(),
            [b'='] if b == b'\r' || b.is_ascii_hexdigit() => self.held.push(b),
            [b'=', high] if high.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
                self.held.push(b);
                match encoded(&self.held[1..]) {
                    Some(decoded) => out.push(decoded),
                    None => out.extend_from_slice(&self.held),
                }
                self.held.clear();
            }
            _ => {
                out.append(&mut self.held);
                self.byte(b, out);
            }
        }
    }
}

/// What two digits stand for, if an encoder would write it so: part of the mail may be plain, where `mem=32M` is no character.
fn encoded(digits: &[u8]) -> Option<u8> {
    let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let is_upper = !digits.iter().any(u8::is_ascii_lowercase);
    (is_upper && (value == b'=' || matches!(value, b' ' | b'\t' | b'.' | b'_' | 0x1b) || value >= 0x7f))
        .then_some(value)
}

#[cfg(test)]
mod tests {
    use super::super::rewritten::tests::check_rewrite;
    use super::*;

    #[test]
    fn lines_are_joined() {
        check_rewrite::<QuotedPrintable>(
            "Linux version 6.8.0-rc1-0001=\n2 (a@b)\n",
            "Linux version 6.8.0-rc1-00012 (a@b)\n",
        );
        // Some encode each dot, which alone on a line would end a mail, and each underscore.
        check_rewrite::<QuotedPrintable>("[    0=2E000000] xhci=5Fhcd 6=2E1\n", "[    0.000000] xhci_hcd 6.1\n");
        check_rewrite::<QuotedPrintable>("root=3D/dev=\r\n/sda1 gr=C3=BCn=20\n", "root=/dev/sda1 grün \n");
    }

    #[test]
    fn what_no_encoder_writes_stays() {
        check_rewrite::<QuotedPrintable>("mem=32M root=/dev/sda a==b x=", "mem=32M root=/dev/sda a==b x=");
        check_rewrite::<QuotedPrintable>("a=3d=\rb", "a=3d=\rb");
    }

    #[test]
    fn only_mail_is_quoted() {
        assert!(detect(b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n"));
        let cut = format!("root=3D{}=\n", "x".repeat(60));
        assert!(detect(cut.repeat(3).as_bytes()));
        assert!(!detect(cut.as_bytes()));
        assert!(!detect(b"Kernel command line: root=/dev/sda init=\n"));
    }
}
