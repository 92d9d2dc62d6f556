// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text in UTF-16, as PowerShell's redirection and some terminal programs write it, to UTF-8.
use std::io::{self, Read};

/// In which order the two bytes of a unit stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Bytes without a mark that must look like ASCII text in UTF-16.
const FEWEST: usize = 32;

/// By a byte-order mark, or because every other byte of ASCII text is zero.
pub(super) fn detect(start: &[u8]) -> Option<ByteOrder> {
    match start {
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, _, _, ..] => return Some(ByteOrder::Little),
        [0xfe, 0xff, _, _, ..] => return Some(ByteOrder::Big),
        _ => {}
    }
    let start = &start[..start.len() & !1];
    let is_text = |b: u8| matches!(b, b' '..=b'~' | b'\t' | b'\r' | b'\n' | 0x1b);
    let all = |low: usize| {
        start.len() >= FEWEST && start.chunks_exact(2).all(|unit| is_text(unit[low]) && unit[1 - low] == 0)
    };
    if all(0) {
        Some(ByteOrder::Little)
    } else if all(1) {
        Some(ByteOrder::Big)
    } else {
        None
    }
}

/// Reads UTF-16 as UTF-8; a unit that is no character becomes U+FFFD.
pub(super) struct Utf16 {
    from: Box<dyn Read>,
    order: ByteOrder,
    /// A byte without its other half.
    half: Option<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    ready: Vec<u8>,
    at: usize,
    begun: bool,
}

impl Utf16 {
    pub fn new(from: Box<dyn Read>, order: ByteOrder) -> Utf16 {
        Utf16 { from, order, half: None, high: None, ready: Vec::new(), at: 0, begun: false }
    }

    fn unit(&mut self, unit: u16) {
        if !std::mem::replace(&mut self.begun, true) && unit == 0xfeff {
            return;
        }
        let pending = self.high.take();
        if (0xd800..0xdc00).contains(&unit) {
            if pending.is_some() {
                self.give(char::REPLACEMENT_CHARACTER);
            }
            self.high = Some(unit);
            return;
        }
        let units: &[u16] = match pending {
            Some(high) => &[high, unit],
            None => &[unit],
        };
        for c in char::decode_utf16(units.iter().copied()) {
            self.give(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn give(&mut self, c: char) {
        self.ready.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl Read for Utf16 {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            let mut piece = [0; 8192];
            let n = self.from.read(&mut piece)?;
            if n == 0 {
                return Ok(0);
            }
            self.ready.clear();
            self.at = 0;
            for b in &piece[..n] {
                let Some(first) = self.half.take() else {
                    self.half = Some(*b);
                    continue;
                };
                let unit = match self.order {
                    ByteOrder::Little => u16::from_le_bytes([first, *b]),
                    ByteOrder::Big => u16::from_be_bytes([first, *b]),
                };
                self.unit(unit);
            }
        }
        let n = (self.ready.len() - self.at).min(into.len());
        into[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
