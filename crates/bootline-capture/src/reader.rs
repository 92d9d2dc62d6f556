// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to frames, incrementally, with resynchronisation after damage.
use std::ops::Range;

use memchr::memmem;

use super::chunk_time::ChunkTime;
use super::codec::{
    CHUNK_TIME_LEN, CRC_LEN, HEAD_LEN, KIND_CHUNK, KIND_HEADER, KIND_NOTE, MAGIC, MAX_BODY, SYNC, starts_capture,
};
use super::header::{Header, Note};
use crate::units::{Dur, HostTime};

/// One thing read from a capture file, in file order.
#[derive(Debug, PartialEq)]
pub enum Event<'a> {
    /// The capture's header.
    Header(Header),
    /// Bytes of the console.
    Chunk(ChunkTime, &'a [u8]),
    /// Something that happened while it was taken.
    Note(Note),
    /// A part of the file that can't be read.
    Damage(Damage),
}

/// A part of a capture file that can't be read, by its byte range in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong with it.
    pub kind: DamageKind,
    /// Where, in bytes of the capture file.
    pub file_bytes: Range<u64>,
}

/// What is wrong with a part of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// The file's version is not one this program knows; reading goes on as if it were.
    UnknownVersion,
    /// Bytes that form no valid frame (a bad checksum, a bad length, foreign bytes).
    Corrupt,
    /// The file ends inside a frame: the writer was stopped.
    CutOff,
    /// A valid frame of a kind from a later version; skipped.
    UnknownFrame,
}

/// Reads a capture from pieces of any size. It holds at most one frame.
#[derive(Debug, Default)]
pub struct Reader {
    pending: Vec<u8>,
    /// File offset of `pending[0]`.
    offset: u64,
    past_magic: bool,
    /// Start of damage that has not been reported yet.
    damaged_from: Option<u64>,
}

impl Reader {
    /// At the start of a file.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Takes the next bytes of the file; every complete frame in them goes to `sink`.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        self.pending.extend_from_slice(bytes);
        let mut at = 0;
        if !self.past_magic {
            if self.pending.len() < MAGIC.len() {
                return;
            }
            self.past_magic = true;
            if starts_capture(&self.pending) {
                if !self.pending.starts_with(MAGIC) {
                    let is_named = self.pending.starts_with(&MAGIC[..MAGIC.len() - 2]);
                    let kind = if is_named { DamageKind::UnknownVersion } else { DamageKind::Corrupt };
                    sink(damage(kind, 0..MAGIC.len() as u64));
                }
                at = MAGIC.len();
            }
        }
        loop {
            match next_frame(&self.pending[at..]) {
                Step::Frame { kind, body, len } => {
                    let here = self.offset + at as u64;
                    if let Some(from) = self.damaged_from.take() {
                        sink(damage(DamageKind::Corrupt, from..here));
                    }
                    let body = &self.pending[at..][body];
                    match decode_body(kind, body) {
                        Ok(event) => sink(event),
                        Err(kind) => sink(damage(kind, here..here + len as u64)),
                    }
                    at += len;
                }
                Step::Skip(n) => {
                    self.damaged_from.get_or_insert(self.offset + at as u64);
                    at += n;
                }
                Step::NeedMore => break,
            }
        }
        self.pending.drain(..at);
        self.offset += at as u64;
    }

    /// The file has ended: names what was left over.
    pub fn finish(mut self, sink: &mut impl FnMut(Event<'_>)) {
        // A frame cut off inside may hide whole frames after a damaged length: look for them.
        while !self.pending.is_empty() {
            let end = self.offset + self.pending.len() as u64;
            let Some(next) = memmem::find(&self.pending[1..], &SYNC) else {
                let from = self.damaged_from.take().unwrap_or(self.offset);
                sink(damage(DamageKind::CutOff, from..end));
                return;
            };
            self.damaged_from.get_or_insert(self.offset);
            self.pending.drain(..=next);
            self.offset += next as u64 + 1;
            self.push(&[], sink);
        }
        if let Some(from) = self.damaged_from {
            sink(damage(DamageKind::Corrupt, from..self.offset));
        }
    }
}

fn damage(kind: DamageKind, file_bytes: Range<u64>) -> Event<'static> {
    Event::Damage(Damage { kind, file_bytes })
}

enum Step {
    Frame {
        kind: u8,
        body: Range<usize>,
        len: usize,
    },
    /// So many bytes are no frame.
    Skip(usize),
    NeedMore,
}

fn next_frame(bytes: &[u8]) -> Step {
    if bytes.len() < HEAD_LEN {
        return if bytes.is_empty() || SYNC.starts_with(&bytes[..bytes.len().min(2)]) || bytes.starts_with(&SYNC) {
            Step::NeedMore
        } else {
            Step::Skip(1)
        };
    }
    if !bytes.starts_with(&SYNC) {
        return Step::Skip(to_next_sync(bytes));
    }
    let body_len = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as usize;
    if body_len > MAX_BODY {
        return Step::Skip(to_next_sync(bytes));
    }
    let len = HEAD_LEN + body_len + CRC_LEN;
    if bytes.len() < len {
        return Step::NeedMore;
    }
    let body = HEAD_LEN..HEAD_LEN + body_len;
    let stored = u32::from_le_bytes(bytes[body.end..len].try_into().expect("CRC_LEN bytes"));
    if crc32fast::hash(&bytes[SYNC.len()..body.end]) != stored {
        return Step::Skip(to_next_sync(bytes));
    }
    Step::Frame { kind: bytes[2], body, len }
}

/// How far to the next place, after this one, where a frame may begin.
fn to_next_sync(bytes: &[u8]) -> usize {
    match memmem::find(&bytes[1..], &SYNC) {
        Some(i) => i + 1,
        None if bytes.len() > 1 && bytes[bytes.len() - 1] == SYNC[0] => bytes.len() - 1,
        None => bytes.len(),
    }
}

fn decode_body(kind: u8, body: &[u8]) -> Result<Event<'_>, DamageKind> {
    match kind {
        KIND_HEADER => serde_json::from_slice(body).map(Event::Header).map_err(|_| DamageKind::Corrupt),
        KIND_NOTE => serde_json::from_slice(body).map(Event::Note).map_err(|_| DamageKind::Corrupt),
        KIND_CHUNK => {
            let (time, bytes) = body.split_first_chunk::<CHUNK_TIME_LEN>().ok_or(DamageKind::Corrupt)?;
            let first = i64::from_le_bytes(time[..8].try_into().expect("8 bytes"));
            let word = |at: usize| i64::from(u32::from_le_bytes(time[at..at + 4].try_into().expect("4 bytes")));
            let time = ChunkTime {
                first: HostTime::from_nanos(first),
                span: Dur::from_nanos(word(8)),
                uncertainty: Dur::from_nanos(word(12)),
            };
            Ok(Event::Chunk(time, bytes))
        }
        _ => Err(DamageKind::UnknownFrame),
    }
}
