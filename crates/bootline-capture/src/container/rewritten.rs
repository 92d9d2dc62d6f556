// SPDX-License-Identifier: MIT OR Apache-2.0
//! A text whose writing is undone as it is read.
use std::io::{self, Read};

/// Undoes one way of writing a text, piece by piece.
pub(super) trait Rewrite {
    /// Takes the next byte and appends what it and those held back stand for.
    fn byte(&mut self, b: u8, out: &mut Vec<u8>);
    /// The text has ended: appends what was held back.
    fn finish(&mut self, out: &mut Vec<u8>);
}

/// A stream through a [`Rewrite`].
pub(super) struct Rewritten<R> {
    from: Box<dyn Read>,
    rewrite: R,
    ready: Vec<u8>,
    at: usize,
    has_ended: bool,
}

impl<R: Rewrite> Rewritten<R> {
    pub fn new(from: Box<dyn Read>, rewrite: R) -> Rewritten<R> {
        Rewritten { from, rewrite, ready: Vec::new(), at: 0, has_ended: false }
    }
}

impl<R: Rewrite> Read for Rewritten<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && !self.has_ended {
            let mut piece = [0; 8192];
            let n = self.from.read(&mut piece)?;
            self.ready.clear();
            self.at = 0;
            if n == 0 {
                self.has_ended = true;
                self.rewrite.finish(&mut self.ready);
            } else {
                piece[..n].iter().for_each(|b| self.rewrite.byte(*b, &mut self.ready));
            }
        }
        let n = (self.ready.len() - self.at).min(into.len());
        into[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Asserts what a text becomes.
    #[track_caller]
    pub(in super::super) fn check_rewrite<R: Rewrite + Default + 'static>(input: &str, expected: &str) {
        struct Pieces(Vec<u8>, usize);
        impl Read for Pieces {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let n = self.1.min(self.0.len());
                into[..n].copy_from_slice(&self.0[..n]);
                self.0.drain(..n);
                Ok(n)
            }
        }
        for size in [1, 3, input.len().max(1)] {
            let mut out = Vec::new();
            let pieces = Box::new(Pieces(input.as_bytes().to_vec(), size));
            Rewritten::new(pieces, R::default()).read_to_end(&mut out).unwrap();
            assert_eq!(String::from_utf8_lossy(&out), expected, "{input} in pieces of {size}");
        }
    }
}
