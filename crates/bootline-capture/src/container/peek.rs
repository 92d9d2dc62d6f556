// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream whose first bytes are known before they are read.
use std::io::{self, Read};

/// Bytes looked at: a tar header.
pub(super) const PEEKED: usize = 512;

/// A stream, and what it begins with.
pub(super) struct Peeked {
    start: Vec<u8>,
    /// Of them, read already.
    at: usize,
    rest: Box<dyn Read>,
}

impl Peeked {
    /// Reads the first bytes, fewer only if there are no more.
    pub fn new(mut rest: Box<dyn Read>) -> io::Result<Peeked> {
        let mut start = Vec::with_capacity(PEEKED);
        rest.by_ref().take(PEEKED as u64).read_to_end(&mut start)?;
        Ok(Peeked { start, at: 0, rest })
    }

    /// The first bytes.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// Whether nothing follows.
    pub fn is_at_end(&mut self) -> io::Result<bool> {
        if self.at < self.start.len() {
            return Ok(false);
        }
        self.start.clear();
        self.at = 0;
        self.rest.by_ref().take(1).read_to_end(&mut self.start)?;
        Ok(self.start.is_empty())
    }
}

impl Read for Peeked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let known = &self.start[self.at..];
        if known.is_empty() {
            return self.rest.read(into);
        }
        let n = known.len().min(into.len());
        into[..n].copy_from_slice(&known[..n]);
        self.at += n;
        Ok(n)
    }
}

/// A stream that reads as much as is asked for: XzReader takes a short read for the end.
pub(super) struct Filled(pub Peeked);

impl Read for Filled {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        while n < into.len() {
            match self.0.read(&mut into[n..]) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // What was read counts; the error comes again.
                Err(_) if n > 0 => break,
                Err(e) => return Err(e),
            }
        }
        Ok(n)
    }
}
