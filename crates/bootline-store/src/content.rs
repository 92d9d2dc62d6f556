// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identity of inputs and boots.
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Identifies an input by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId([u8; 32]);

/// Size of the pieces in which inputs are read, in bytes.
const PIECE: usize = 256 * 1024;

impl ContentId {
    /// Of the bytes that a reader gives, with their number.
    ///
    /// # Errors
    /// Reading failed.
    pub fn of(mut from: impl Read) -> io::Result<(ContentId, u64)> {
        let (mut hash, mut piece, mut bytes) = (Sha256::new(), vec![0; PIECE], 0);
        loop {
            match from.read(&mut piece) {
                Ok(0) => return Ok((ContentId(hash.finalize().into()), bytes)),
                Ok(n) => {
                    hash.update(&piece[..n]);
                    bytes += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Of bytes in memory, with their number.
    pub fn of_bytes(bytes: &[u8]) -> (ContentId, u64) {
        (ContentId(Sha256::digest(bytes).into()), bytes.len() as u64)
    }

    /// Of an input that can't be read, and why.
    pub fn of_unreadable(path: &str, problem: &str) -> ContentId {
        let mut hash = Sha256::new();
        hash.update(path);
        hash.update([0]);
        hash.update(problem);
        ContentId(hash.finalize().into())
    }

    /// From [`ContentId::hex`].
    pub fn from_hex(hex: &str) -> Option<ContentId> {
        let mut bytes = [0; 32];
        let digits = hex.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(ContentId(bytes))
    }

    /// All of the hash, in hexadecimal.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// Its first 64 bits: `file_id`.
    pub fn file_id(&self) -> i64 {
        first(&self.0)
    }

    /// Its first 128 bits, to be looked up.
    pub(crate) fn key(&self) -> u128 {
        let (first, _) = self.0.split_at(16);
        first.iter().fold(0, |key, byte| key << 8 | u128::from(*byte))
    }

    /// Identity of the boot at this place of the input.
    pub fn boot_id(&self, index: u32) -> i64 {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(index.to_be_bytes());
        first(&hash.finalize().into())
    }
}

/// Name of what is made of these inputs, in whatever order.
pub(crate) fn name_of(mut inputs: Vec<ContentId>) -> String {
    inputs.sort_unstable();
    let mut hash = Sha256::new();
    inputs.iter().for_each(|input| hash.update(input.0));
    hex(&hash.finalize()[..16])
}

/// A file name for a text.
pub(crate) fn name_of_text(text: &str) -> String {
    hex(&Sha256::digest(text)[..16])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn first(hash: &[u8; 32]) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash[..8]);
    i64::from_be_bytes(bytes)
}
