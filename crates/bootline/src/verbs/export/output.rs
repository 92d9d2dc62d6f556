// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where an export goes.
use std::fs::File;
use std::io::{self, BufWriter, Write, stdout};
use std::path::PathBuf;

use crate::exit::Exit;
use crate::failure::{Failure, Written, unless_reader_left};

/// Standard output or a file, which is made with the first bytes: an input that can't be used leaves none behind, and
/// spoils none that was there.
pub struct Output {
    path: Option<PathBuf>,
    to: Option<Box<dyn Write>>,
    result: io::Result<()>,
}

impl Output {
    /// To a file, or without one to standard output.
    pub fn new(path: Option<PathBuf>) -> Output {
        Output { path, to: None, result: Ok(()) }
    }

    /// Whether there is somebody to write to.
    pub fn goes_on(&self) -> bool {
        self.result.is_ok()
    }

    /// Writes, unless that has failed before.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.result.is_ok() && !bytes.is_empty() {
            self.result = self.try_write(bytes);
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let to = match (&mut self.to, &self.path) {
            (Some(to), _) => to,
            (to, Some(path)) => to.insert(Box::new(BufWriter::new(File::create(path)?))),
            (to, None) => to.insert(Box::new(BufWriter::new(stdout().lock()))),
        };
        to.write_all(bytes)
    }

    /// All is given; whether it arrived.
    pub fn finish(&mut self) -> Result<Written, Failure> {
        let result = std::mem::replace(&mut self.result, Ok(()));
        let result = result.and_then(|()| self.to.as_mut().map_or(Ok(()), |to| to.flush()));
        match &self.path {
            None => unless_reader_left(result),
            Some(path) => result
                .map(|()| Written::All)
                .map_err(|e| Failure::new(Exit::LAB, format!("can't write `{}`: {e}", path.display()))),
        }
    }
}
