// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compressed streams: which one it is, and its bytes without the compression.
use std::io::{self, Read};

use super::bzip2_streams::{Bzip2Streams, begins_stream};
use super::peek::{Filled, Peeked};
use super::zstd_frames::ZstdFrames;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952; also several members one after the other.
    Gzip,
    /// The xz format.
    Xz,
    /// RFC 8878.
    Zstd,
    /// bzip2.
    Bzip2,
}

/// The largest dictionary of an xz stream: that of `xz -9`. Memory is taken for all of it.
const LARGEST_XZ_DICTIONARY: u8 = 28;

impl Compression {
    /// All of them.
    pub const ALL: [Compression; 4] = [Compression::Gzip, Compression::Xz, Compression::Zstd, Compression::Bzip2];

    /// As the program is named that writes it.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Xz => "xz",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// By the first bytes of a file.
    pub fn detect(start: &[u8]) -> Option<Compression> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Compression::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => begins_stream(start).then_some(Compression::Bzip2),
        }
    }

    /// The bytes that were compressed.
    pub(super) fn reader(self, from: Peeked) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(from)),
            Compression::Xz => {
                if xz_dictionary(from.start()).is_some_and(|size| size > LARGEST_XZ_DICTIONARY) {
                    let what = "an xz stream with a dictionary of more than 64 MiB";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
                Box::new(lzma_rust2::XzReader::new(Filled(from), true))
            }
            Compression::Zstd => Box::new(ZstdFrames::new(from)),
            Compression::Bzip2 => Box::new(Bzip2Streams::new(from)),
        })
    }
}

/// The size property of the first block's LZMA2 filter, where the block's header begins with it: two to the power of half
/// of it, plus twelve.
fn xz_dictionary(start: &[u8]) -> Option<u8> {
    // Twelve bytes of the stream's header; then the block's size, its flags, the filter's number and the length of its
    // properties.
    match start.get(12..17)? {
        [_, flags, 0x21, 1, size] if flags & 0xc0 == 0 => Some(*size),
        _ => None,
    }
}
