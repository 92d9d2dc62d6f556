// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a capture file while the bytes arrive.
mod coalesce;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{ChunkTime, Header, MarkNote, Note, NoteKind, encode_chunk, encode_header, encode_note};

use coalesce::Pending;

/// A capture file that is being written, append-only. Every frame goes to the kernel in one write as soon as it is
/// complete, so that the end of this process (by a crash, a signal) loses at most the chunk that was still growing.
///
/// Bytes that arrive one by one are joined into chunks of about a line; see [`Recorder::bytes`].
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: File,
    pending: Pending,
    frame: Vec<u8>,
}

/// Why a capture can't be written.
#[derive(Debug, thiserror::Error)]
pub enum RecorderError {
    /// A capture is never overwritten.
    #[error("capture `{}` already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be made.
    #[error("can't create capture `{}`: {source}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file can't be written any further (a full disk); what was written before stays readable.
    #[error("can't write capture `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Recorder {
    /// Makes the file, which must not exist, and writes its header.
    pub fn create(path: &Path, header: &Header) -> Result<Recorder, RecorderError> {
        let opened = OpenOptions::new().append(true).create_new(true).open(path);
        let file = opened.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => RecorderError::Exists { path: path.to_owned() },
            _ => RecorderError::Create { path: path.to_owned(), source },
        })?;
        Recorder::onto(path, file, header)
    }

    /// Writes the capture to standard output.
    ///
    /// # Errors
    /// It is closed, or can't be written.
    pub fn to_stdout(header: &Header) -> Result<Recorder, RecorderError> {
        let path = Path::new("standard output");
        let owned = std::io::stdout().as_fd().try_clone_to_owned();
        let file = owned.map_err(|source| RecorderError::Create { path: path.to_owned(), source })?.into();
        Recorder::onto(path, file, header)
    }

    fn onto(path: &Path, file: File, header: &Header) -> Result<Recorder, RecorderError> {
        let mut recorder =
            Recorder { path: path.to_owned(), file, pending: Pending::default(), frame: encode_header(header) };
        recorder.write_frame()?;
        Ok(recorder)
    }

    /// Bytes of one read: all were there at `at`, and each had arrived at most `uncertainty` earlier.
    ///
    /// They join the growing chunk, which is written when it ends with `\n`, holds 4 KiB, spans more than 100 ms, or
    /// when even spacing would misstate an arrival by more than the uncertainty (or 200 us, if that is more). What
    /// joining costs in precision is added to the chunk's uncertainty, so that a byte's true arrival always lies in
    /// `at(i) - uncertainty ..= at(i)`. Times must not go back; one that does is taken as the latest before it.
    pub fn bytes(&mut self, at: HostTime, uncertainty: Dur, bytes: &[u8]) -> Result<(), RecorderError> {
        self.spread(ChunkTime::instant(at, uncertainty), bytes)
    }

    /// As [`bytes`](Recorder::bytes), for bytes that are known to have arrived one after the other.
    pub fn spread(&mut self, time: ChunkTime, bytes: &[u8]) -> Result<(), RecorderError> {
        let mut from = 0;
        while from < bytes.len() {
            let most = self.pending.room().min(bytes.len() - from);
            let line_end = first_line(&bytes[from..from + most]);
            let len = line_end.unwrap_or(most);
            let part = ChunkTime {
                first: time.at(from, bytes.len()),
                span: time.at(from + len - 1, bytes.len()) - time.at(from, bytes.len()),
                uncertainty: time.uncertainty,
            };
            if !self.pending.takes(part, len) {
                self.flush()?;
            }
            self.pending.push(part, &bytes[from..from + len]);
            from += len;
            if line_end.is_some() || self.pending.room() == 0 {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Nothing has arrived until `now`: writes the growing chunk if it began more than 100 ms ago.
    pub fn idle(&mut self, now: HostTime) -> Result<(), RecorderError> {
        if self.pending.is_stale(now) { self.flush() } else { Ok(()) }
    }

    /// Something happened; it stands after the bytes recorded so far.
    pub fn note(&mut self, at: HostTime, kind: NoteKind, detail: &str) -> Result<(), RecorderError> {
        self.write_note(&Note::new(at, kind, detail))
    }

    /// The board showed a moment that the user named; it stands after the bytes recorded so far.
    pub fn mark(&mut self, at: HostTime, mark: MarkNote, detail: &str) -> Result<(), RecorderError> {
        self.write_note(&Note { mark: Some(mark), ..Note::new(at, NoteKind::Mark, detail) })
    }

    fn write_note(&mut self, note: &Note) -> Result<(), RecorderError> {
        self.flush()?;
        self.frame.clear();
        encode_note(&mut self.frame, note);
        self.write_frame()
    }

    /// Writes the growing chunk now.
    pub fn flush(&mut self) -> Result<(), RecorderError> {
        let Some((time, bytes)) = self.pending.take() else { return Ok(()) };
        self.frame.clear();
        encode_chunk(&mut self.frame, time, &bytes);
        self.write_frame()
    }

    /// Ends the capture in order: a capture without this note was cut off.
    pub fn finish(mut self, at: HostTime, detail: &str) -> Result<(), RecorderError> {
        self.note(at, NoteKind::End, detail)
    }

    fn write_frame(&mut self) -> Result<(), RecorderError> {
        let written = self.file.write_all(&self.frame);
        written.map_err(|source| RecorderError::Write { path: self.path.clone(), source })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // A failure cannot be reported from drop; callers that need it call finish().
        let _ = self.flush();
    }
}

/// Length of the first line in `bytes`, its `\n` included.
fn first_line(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|b| *b == b'\n').map(|i| i + 1)
}

#[cfg(test)]
mod tests;
