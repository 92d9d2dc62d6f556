// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compressed files and archives.
use std::io::{Cursor, Read};

use bootline_capture::container::Unpacker;

/// Bytes that are unpacked of one input: a bomb ends there.
const MOST: u64 = 1 << 20;
/// Members of one archive that are looked at.
const MEMBERS: usize = 64;

/// Unpacks `data`, whatever it is, in pieces.
///
/// # Panics
/// When a member doesn't end, or reads more than was asked for.
pub fn unpacks(data: &[u8]) {
    let Ok(mut unpacker) = Unpacker::new(Box::new(Cursor::new(data.to_vec()))) else { return };
    let mut left = MOST;
    for _ in 0..MEMBERS {
        let Ok(Some(mut member)) = unpacker.next_member() else { return };
        let mut piece = [0; 997];
        while left > 0 {
            match member.reader.read(&mut piece) {
                Ok(0) | Err(_) => break,
                Ok(n) => {
                    assert!(n <= piece.len());
                    left = left.saturating_sub(n as u64);
                }
            }
        }
    }
}
