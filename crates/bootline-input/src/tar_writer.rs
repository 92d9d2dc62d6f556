// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tar archive of regular files: as much of ustar (POSIX.1-1988) as a collection needs.
use std::io::{self, Write};

use bootline_report::Emitter;

use crate::collection::{Collection, MANIFEST};

const BLOCK: usize = 512;

/// The folder that the files unpack into.
const FOLDER: &str = "bootline-collect";

/// A collection as a tar archive.
pub struct TarEmitter<'c>(pub &'c Collection);

impl Emitter for TarEmitter<'_> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        member(MANIFEST, self.0.manifest().as_bytes(), out)?;
        for item in &self.0.items {
            member(&item.name, &item.bytes, out)?;
        }
        out.write_all(&[0; 2 * BLOCK])
    }
}

fn member(name: &str, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut header = [0u8; BLOCK];
    let mut put = |at: usize, field: &[u8]| header[at..at + field.len()].copy_from_slice(field);
    put(0, format!("{FOLDER}/{name}").as_bytes());
    put(100, b"0000600\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", bytes.len()).as_bytes());
    put(136, b"00000000000\0");
    // The checksum counts itself as blanks.
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.write_all(&header)?;
    out.write_all(bytes)?;
    out.write_all(&[0; BLOCK][..(BLOCK - bytes.len() % BLOCK) % BLOCK])
}
