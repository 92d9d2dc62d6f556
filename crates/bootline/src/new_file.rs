// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that is made for a person to open: what was there before is kept, unless it is told otherwise.
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write, stdout};
use std::path::PathBuf;

use crate::exit::Exit;
use crate::failure::{Failure, unless_reader_left};
use crate::terminal::Terminal;
use crate::unusable;

/// Where to write; `-` is standard output.
#[derive(Clone, Debug)]
pub struct NewFile {
    path: PathBuf,
    force: bool,
}

impl NewFile {
    /// With this name. To be made before the logs are read: that may take a while.
    ///
    /// # Errors
    /// It exists already, and may not be replaced.
    pub fn named(path: PathBuf, force: bool) -> Result<NewFile, Failure> {
        let file = NewFile { path, force };
        if file.is_stdout() || force || !file.path.exists() { Ok(file) } else { Err(file.exists()) }
    }

    /// `STEM.html` in the current directory, or the first free of `STEM-2.html`, `STEM-3.html` ..
    pub fn free(stem: &str, extension: &str, force: bool) -> NewFile {
        let first = std::iter::once(format!("{stem}.{extension}"));
        let names = first.chain((2..).map(|n| format!("{stem}-{n}.{extension}")));
        let path = names.map(PathBuf::from).find(|name| force || !name.exists()).expect("the numbers don't end");
        NewFile { path, force }
    }

    fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Writes all of it, and says so with `what` is in it.
    ///
    /// # Errors
    /// It can't be written, or came into being meanwhile.
    pub fn write(&self, text: &str, what: &str, terminal: &Terminal) -> Result<(), Failure> {
        if self.is_stdout() {
            return unless_reader_left(stdout().write_all(text.as_bytes())).map(|_| ());
        }
        let mut options = OpenOptions::new();
        // What came into being meanwhile isn't overwritten either.
        let options = options.write(true).create(true).truncate(true).create_new(!self.force);
        let shown = unusable::shown(&self.path.to_string_lossy());
        match options.open(&self.path).and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => {
                terminal.say(&format!("written to {}: {what}, {} bytes", self.path.display(), text.len()));
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(self.exists()),
            Err(e) => Err(Failure::new(Exit::LAB, format!("can't write {shown}: {e}"))),
        }
    }

    fn exists(&self) -> Failure {
        Failure::new(Exit::INPUT, format!("{} exists already", unusable::shown(&self.path.to_string_lossy())))
            .hint("give another name with `-o`, or `--force` to replace it")
    }
}
