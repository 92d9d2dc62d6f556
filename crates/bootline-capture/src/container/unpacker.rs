// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a file to the plain logs in it.
use std::io::{self, Read};

use super::compression::Compression;
use super::json_text::{self, JsonText};
use super::limit::{Limited, MOST_UNPACKED};
use super::line_numbers::{self, LineNumbers};
use super::mail_parts::{self, MailParts};
use super::peek::Peeked;
use super::quoted_printable::{self, QuotedPrintable};
use super::rewritten::{Rewrite, Rewritten};
use super::tar::{self, Tar};
use super::utf16::{self, Utf16};
use super::wrapped_lines::{self, WrappedLines};
use crate::starts_capture;

/// Compressions around each other at most.
const DEEPEST: usize = 4;

/// Gives the logs in a file, in order: one, unless it is an archive.
pub struct Unpacker {
    state: UnpackState,
}

enum UnpackState {
    Single(Option<Box<dyn Read>>),
    Archive(Tar),
}

/// A log.
pub struct Member {
    /// Its name in the archive; none where the file is no archive.
    pub name: Option<String>,
    /// Its bytes.
    pub reader: Box<dyn Read>,
}

/// Why a file can't be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// It can't be read, or what it holds is damaged.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A form that is recognised and not read.
    #[error("a file of the form {0} is not read")]
    Unreadable(UnreadableKind),
}

/// Forms that are recognised and not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadableKind {
    /// A zip archive.
    Zip,
    /// A 7-Zip archive.
    SevenZip,
    /// An lz4 frame.
    Lz4,
    /// An lzop file.
    Lzop,
    /// An LZMA file of the old kind.
    Lzma,
    /// An ELF core or vmcore.
    Elf,
    /// A file of the systemd journal itself.
    Journal,
    /// A pcap or pcapng capture.
    PacketCapture,
}

impl UnreadableKind {
    /// By the first bytes of a file.
    pub fn detect(start: &[u8]) -> Option<UnreadableKind> {
        match start {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(UnreadableKind::Zip),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some(UnreadableKind::SevenZip),
            [0x04, 0x22, 0x4d, 0x18, ..] | [0x02, 0x21, 0x4c, 0x18, ..] => Some(UnreadableKind::Lz4),
            [0x89, b'L', b'Z', b'O', 0, ..] => Some(UnreadableKind::Lzop),
            [0x5d, 0, 0, _, _, ..] => Some(UnreadableKind::Lzma),
            [0x7f, b'E', b'L', b'F', ..] => Some(UnreadableKind::Elf),
            [b'L', b'P', b'K', b'S', b'H', b'H', b'R', b'H', ..] => Some(UnreadableKind::Journal),
            [0xd4, 0xc3, 0xb2, 0xa1, ..] | [0x0a, 0x0d, 0x0d, 0x0a, ..] => Some(UnreadableKind::PacketCapture),
            _ => None,
        }
    }

    /// What it is, with its article.
    pub fn name(self) -> &'static str {
        match self {
            UnreadableKind::Zip => "a zip archive",
            UnreadableKind::SevenZip => "a 7-Zip archive",
            UnreadableKind::Lz4 => "a file compressed with lz4",
            UnreadableKind::Lzop => "a file compressed with lzop",
            UnreadableKind::Lzma => "a file compressed with lzma",
            UnreadableKind::Elf => "an ELF file",
            UnreadableKind::Journal => "a file of the systemd journal",
            UnreadableKind::PacketCapture => "a network capture",
        }
    }
}

impl std::fmt::Display for UnreadableKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Unpacker {
    /// Looks at a file's first bytes.
    ///
    /// # Errors
    /// They can't be read, or are of a form that is not.
    pub fn new(from: Box<dyn Read>) -> Result<Unpacker, UnpackError> {
        let plain = plain(from)?;
        let state = if tar::is_tar(plain.start()) {
            UnpackState::Archive(Tar::new(Box::new(plain)))
        } else {
            UnpackState::Single(Some(text(plain)))
        };
        Ok(Unpacker { state })
    }

    /// Whether the file is an archive, which may hold other things than logs.
    pub fn is_archive(&self) -> bool {
        matches!(self.state, UnpackState::Archive(_))
    }

    /// The next log; of an archive, the rest of the one before is left out.
    ///
    /// # Errors
    /// The archive is damaged. A member of a form that is not read is left out.
    pub fn next_member(&mut self) -> Result<Option<Member>, UnpackError> {
        let tar = match &mut self.state {
            UnpackState::Single(reader) => return Ok(reader.take().map(|reader| Member { name: None, reader })),
            UnpackState::Archive(tar) => tar,
        };
        loop {
            let Some((name, member)) = tar.next()? else { return Ok(None) };
            match plain(Box::new(member)) {
                Ok(found) => return Ok(Some(Member { name: Some(name), reader: text(found) })),
                Err(UnpackError::Unreadable(_)) => {}
                // One damaged member doesn't take the others with it.
                Err(UnpackError::Read(e)) if e.kind() == io::ErrorKind::InvalidData => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// The next file of an archive as it was packed, neither decompressed nor rewritten: for who knows what wrote it. None where the
    /// file is no archive.
    ///
    /// # Errors
    /// The archive is damaged.
    pub fn next_file(&mut self) -> Result<Option<Member>, UnpackError> {
        let UnpackState::Archive(tar) = &mut self.state else { return Ok(None) };
        let file = tar.next()?;
        Ok(file.map(|(name, file)| Member { name: Some(name), reader: Box::new(file) }))
    }
}

/// Without its compressions.
fn plain(from: Box<dyn Read>) -> Result<Peeked, UnpackError> {
    let mut found = Peeked::new(from)?;
    for _ in 0..DEEPEST {
        if let Some(kind) = UnreadableKind::detect(found.start()) {
            return Err(UnpackError::Unreadable(kind));
        }
        let Some(compression) = Compression::detect(found.start()) else { break };
        let unpacked = Limited::new(compression.reader(found)?, MOST_UNPACKED);
        found = Peeked::new(Box::new(unpacked))?;
    }
    Ok(found)
}

/// Bytes looked at for the way in which a text is written: a mail's header is long.
const TEXT_PEEKED: usize = 32 * 1024;

fn text(found: Peeked) -> Box<dyn Read> {
    if starts_capture(found.start()) {
        return Box::new(found);
    }
    let text: Box<dyn Read> = match utf16::detect(found.start()) {
        Some(order) => Box::new(Utf16::new(Box::new(found), order)),
        None => Box::new(found),
    };
    let mut text = Peeked::of(text, TEXT_PEEKED);
    if mail_parts::detect(text.start()) {
        text = Peeked::of(Box::new(MailParts::new(Box::new(text))), TEXT_PEEKED);
    }
    if quoted_printable::detect(text.start()) {
        text = rewritten(text, QuotedPrintable::default());
    } else if json_text::detect(text.start()) {
        text = rewritten(text, JsonText::default());
    }
    if line_numbers::detect(text.start()) {
        text = rewritten(text, LineNumbers::default());
    }
    match wrapped_lines::detect(text.start()) {
        Some(wrapping) => Box::new(Rewritten::new(Box::new(text), WrappedLines::new(wrapping))),
        None => Box::new(text),
    }
}

/// A text whose writing is undone, and its beginning.
fn rewritten(text: Peeked, rewrite: impl Rewrite + 'static) -> Peeked {
    Peeked::of(Box::new(Rewritten::new(Box::new(text), rewrite)), TEXT_PEEKED)
}
