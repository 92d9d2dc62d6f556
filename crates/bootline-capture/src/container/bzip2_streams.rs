// SPDX-License-Identifier: MIT OR Apache-2.0
//! bzip2 streams one after the other, as pbzip2 and `cat a.bz2 b.bz2` make them.
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use bzip2_rs::DecoderReader;

use super::peek::Peeked;

/// The decoder reads ahead in pieces of 1 KiB: the next stream may begin in them.
const READ_AHEAD: usize = 4096;

/// Reads what the streams hold.
pub(super) struct Bzip2Streams {
    decoder: DecoderReader<SharedSource>,
    source: Rc<RefCell<RememberedSource>>,
}

/// The compressed bytes, and the last of them that were read.
struct RememberedSource {
    from: Peeked,
    /// Bytes that are read again, from `again_at` on.
    again: Vec<u8>,
    again_at: usize,
    last: Vec<u8>,
    /// Bytes of this stream that are not in `last` any more.
    forgotten: usize,
}

struct SharedSource(Rc<RefCell<RememberedSource>>);

impl Read for SharedSource {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(into)
    }
}

impl RememberedSource {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let again = &self.again[self.again_at..];
        let n = if again.is_empty() {
            self.from.read(into)?
        } else {
            let n = again.len().min(into.len());
            into[..n].copy_from_slice(&again[..n]);
            self.again_at += n;
            n
        };
        self.last.extend_from_slice(&into[..n]);
        if self.last.len() > 2 * READ_AHEAD {
            let surplus = self.last.len() - READ_AHEAD;
            self.last.drain(..surplus);
            self.forgotten += surplus;
        }
        Ok(n)
    }

    /// Goes back to where the next stream begins; false if there is none.
    fn next_stream(&mut self) -> io::Result<bool> {
        // The decoder may have stopped right at the end.
        let mut more = [0; 16];
        let mut n = 0;
        while n < more.len() {
            match self.read(&mut more[n..])? {
                0 => break,
                read => n += read,
            }
        }
        // The stream under way begins with the same bytes.
        let from = usize::from(self.forgotten == 0).min(self.last.len());
        let Some(begins) = (from..self.last.len()).find(|at| begins_stream(&self.last[*at..])) else {
            return Ok(false);
        };
        let unread = self.again.split_off(self.again_at);
        self.again = [&self.last[begins..], &unread].concat();
        self.again_at = 0;
        self.last.clear();
        self.forgotten = 0;
        Ok(true)
    }
}

/// Whether bytes begin with a stream's header and its first block's.
pub(super) fn begins_stream(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..])
}

impl Bzip2Streams {
    pub fn new(from: Peeked) -> Bzip2Streams {
        let source = RememberedSource { from, again: Vec::new(), again_at: 0, last: Vec::new(), forgotten: 0 };
        let source = Rc::new(RefCell::new(source));
        Bzip2Streams { decoder: DecoderReader::new(SharedSource(source.clone())), source }
    }
}

impl Read for Bzip2Streams {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.decoder.read(into)?;
            if n > 0 || into.is_empty() || !self.source.borrow_mut().next_stream()? {
                return Ok(n);
            }
            self.decoder = DecoderReader::new(SharedSource(self.source.clone()));
        }
    }
}
