// SPDX-License-Identifier: MIT OR Apache-2.0
//! An end to what a small file may expand to.
use std::io::{self, Read};

/// Bytes that are unpacked of one file at most. No log of a boot is nearly as large; a bomb is larger.
pub const MOST_UNPACKED: u64 = 4 << 30;

/// A stream that fails when it grows too long.
pub(super) struct Limited {
    from: Box<dyn Read>,
    left: u64,
}

impl Limited {
    pub fn new(from: Box<dyn Read>, most: u64) -> Limited {
        Limited { from, left: most }
    }
}

impl Read for Limited {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(into)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => {
                self.left = left;
                Ok(n)
            }
            None => Err(io::Error::new(io::ErrorKind::InvalidData, "it expands to more than 4 GiB")),
        }
    }
}
