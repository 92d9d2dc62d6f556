// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that is made for a person to open: what was there before is kept, unless it is told otherwise.
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Write, stdout};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bootline_report::escaped;

use crate::exit::Exit;
use crate::failure::{Failure, unless_reader_left};
use crate::terminal::Terminal;
use crate::unusable;

/// Where to write; `-` is standard output.
#[derive(Clone, Debug)]
pub struct OutputFile {
    path: PathBuf,
    force: bool,
}

impl OutputFile {
    /// With this name. To be made before the logs are read: that may take a while.
    ///
    /// # Errors
    /// It exists already, and may not be replaced.
    pub fn named(path: PathBuf, force: bool) -> Result<OutputFile, Failure> {
        let file = OutputFile { path, force };
        if file.is_stdout() || force || !file.path.exists() { Ok(file) } else { Err(file.exists()) }
    }

    /// Standard output.
    pub fn stdout() -> OutputFile {
        OutputFile { path: PathBuf::from("-"), force: false }
    }

    /// `STEM.html` in the current directory, or the first free of `STEM-2.html`, `STEM-3.html` ..
    pub fn free(stem: &str, extension: &str, force: bool) -> OutputFile {
        let first = std::iter::once(format!("{stem}.{extension}"));
        let names = first.chain((2..).map(|n| format!("{stem}-{n}.{extension}")));
        let path = names.map(PathBuf::from).find(|name| force || !name.exists()).expect("the numbers don't end");
        OutputFile { path, force }
    }

    /// As it is, where it is none of what is read: even who says `--force` doesn't want to lose that.
    ///
    /// # Errors
    /// It is one of them.
    pub fn apart_from<P: AsRef<Path>>(self, inputs: impl IntoIterator<Item = P>) -> Result<OutputFile, Failure> {
        let is_read = inputs.into_iter().any(|i| is_same_file(fs::metadata(&self.path).ok(), i.as_ref()));
        if is_read && !self.is_stdout() { Err(is_the_input(&self.path)) } else { Ok(self) }
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
                terminal.say(&format!(
                    "written to {}: {what}, {} bytes",
                    escaped(&self.path.to_string_lossy()),
                    text.len()
                ));
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

/// A folder to write to: many files can't go to standard output.
///
/// # Errors
/// It is `-`.
pub fn folder(path: &Path) -> Result<&Path, Failure> {
    if path.as_os_str() != "-" {
        return Ok(path);
    }
    Err(Failure::new(Exit::USAGE, "`-o -`: this verb writes a folder, which can't go to standard output")
        .hint("name a folder: `-o DIR`; for results on standard output: `--json`"))
}

/// Whether an output is the input's file, by whatever name. One that doesn't exist yet is none, nor is a device.
pub fn is_same_file(output: Option<Metadata>, input: &Path) -> bool {
    let same = |(a, b): (Metadata, Metadata)| a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino());
    output.zip(fs::metadata(input).ok()).is_some_and(same)
}

/// What is said of an output that is read as well.
pub fn is_the_input(output: &Path) -> Failure {
    Failure::new(Exit::USAGE, format!("`{}` is the input; it would be lost", output.display()))
        .hint("write to another file: `-o FILE`")
}
