// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames to bytes. Layout: `docs/capture-format.md`.
use super::chunk_time::ChunkTime;
use super::header::{Header, Note};

/// A capture's first line; the number is the version of the format.
pub const MAGIC: &[u8] = b"BOOTLINE-CAPTURE 1\n";

/// The largest body of a frame; a length above it is damage, not a frame.
pub const MAX_BODY: usize = 1 << 20;

/// The bytes of the magic line that may be wrong.
const MAX_DAMAGED_MAGIC: usize = 3;

pub(super) const SYNC: [u8; 2] = [0xB0, 0x7C];
pub(super) const HEAD_LEN: usize = 8;
pub(super) const CRC_LEN: usize = 4;
pub(super) const CHUNK_TIME_LEN: usize = 16;

pub(super) const KIND_HEADER: u8 = 1;
pub(super) const KIND_CHUNK: u8 = 2;
pub(super) const KIND_NOTE: u8 = 3;

/// Whether a file that begins so is a capture (of any version). A few damaged bytes don't make it a text, whose times
/// would silently be those of the kernel.
pub fn starts_capture(bytes: &[u8]) -> bool {
    let name = &MAGIC[..MAGIC.len() - 2];
    let alike = name.iter().zip(bytes).filter(|(a, b)| a == b).count();
    bytes.len() >= name.len() && alike + MAX_DAMAGED_MAGIC >= name.len()
}

/// The magic line and the header frame: what a capture file begins with.
pub fn encode_header(header: &Header) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    push_frame(&mut out, KIND_HEADER, &[&to_json(header)]);
    out
}

/// Appends a chunk to `out`, as several frames where it is larger than a frame may be.
///
/// Spans and uncertainties beyond 4.29 s saturate.
pub fn encode_chunk(out: &mut Vec<u8>, time: ChunkTime, bytes: &[u8]) {
    let most = MAX_BODY - CHUNK_TIME_LEN;
    for (n, part) in bytes.chunks(most).enumerate() {
        let from = n * most;
        let first = time.at(from, bytes.len());
        let span = time.at(from + part.len() - 1, bytes.len()) - first;
        let mut head = [0; CHUNK_TIME_LEN];
        head[..8].copy_from_slice(&first.as_nanos().to_le_bytes());
        head[8..12].copy_from_slice(&saturate(span.as_nanos()).to_le_bytes());
        head[12..].copy_from_slice(&saturate(time.uncertainty.as_nanos()).to_le_bytes());
        push_frame(out, KIND_CHUNK, &[&head, part]);
    }
}

/// Appends a note to `out`.
pub fn encode_note(out: &mut Vec<u8>, note: &Note) {
    push_frame(out, KIND_NOTE, &[&to_json(note)]);
}

fn saturate(ns: i64) -> u32 {
    u32::try_from(ns.max(0)).unwrap_or(u32::MAX)
}

fn to_json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain structs of numbers and strings always serialise")
}

fn push_frame(out: &mut Vec<u8>, kind: u8, body: &[&[u8]]) {
    let len: usize = body.iter().map(|part| part.len()).sum();
    debug_assert!(len <= MAX_BODY);
    out.extend_from_slice(&SYNC);
    let covered = out.len();
    out.extend_from_slice(&[kind, 0]);
    out.extend_from_slice(&(len as u32).to_le_bytes());
    for part in body {
        out.extend_from_slice(part);
    }
    let crc = crc32fast::hash(&out[covered..]);
    out.extend_from_slice(&crc.to_le_bytes());
}
