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
    /// What came instead of more of them: read after what was there.
    failed: Option<io::Error>,
    rest: Box<dyn Read>,
}

impl Peeked {
    /// Reads the first bytes, fewer only if there are no more, or none that can be read.
    pub fn new(mut rest: Box<dyn Read>) -> io::Result<Peeked> {
        let mut start = Vec::with_capacity(PEEKED);
        let failed = rest.by_ref().take(PEEKED as u64).read_to_end(&mut start).err();
        match failed {
            Some(e) if start.is_empty() => Err(e),
            failed => Ok(Peeked { start, at: 0, failed, rest }),
        }
    }

    /// Reads so many of the first bytes; an error comes when what was read before it has been given.
    pub fn of(mut rest: Box<dyn Read>, bytes: usize) -> Peeked {
        let mut start = Vec::with_capacity(bytes);
        let failed = rest.by_ref().take(bytes as u64).read_to_end(&mut start).err();
        Peeked { start, at: 0, failed, rest }
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
        if let Some(e) = self.failed.take() {
            return Err(e);
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
            return self.failed.take().map_or_else(|| self.rest.read(into), Err);
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
