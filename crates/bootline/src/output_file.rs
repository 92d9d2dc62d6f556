// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a document goes: standard output or a file. An existing file is kept unless the caller replaces it.
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bootline_input::{Exit, Failure};
use bootline_report::{Emitter, escaped};
use bootline_terminal::Terminal;

use crate::output_stream::Written;
use crate::output_stream::{OutputStream, exists};

/// Where to write; `-` is standard output.
#[derive(Clone, Debug)]
pub struct OutputFile {
    path: PathBuf,
    replace: bool,
    /// Whether only its owner may read it.
    private: bool,
}

impl OutputFile {
    /// A file with this name. To be made before the logs are read: that may take a while. Devices and named pipes can be written to
    /// at any time: nothing in them is lost.
    ///
    /// # Errors
    /// It already exists, and may not be replaced.
    pub fn named(path: PathBuf, replace: bool) -> Result<OutputFile, Failure> {
        let keeps_nothing = fs::metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
        let file = OutputFile { path, replace: replace || keeps_nothing, private: false };
        if file.is_stdout() || file.replace || !file.path.exists() { Ok(file) } else { Err(exists(&file.path)) }
    }

    /// A file that is replaced where it exists.
    pub fn replaced(path: &Path) -> OutputFile {
        OutputFile { path: path.to_owned(), replace: true, private: false }
    }

    /// Standard output.
    pub fn stdout() -> OutputFile {
        OutputFile { path: PathBuf::from("-"), replace: false, private: false }
    }

    /// `STEM.html` in the current directory, or the first free name of `STEM-2.html`, `STEM-3.html` ..
    pub fn free(stem: &str, extension: &str, replace: bool) -> OutputFile {
        let first = std::iter::once(format!("{stem}.{extension}"));
        let names = first.chain((2..).map(|n| format!("{stem}-{n}.{extension}")));
        let path = names.map(PathBuf::from).find(|name| replace || !name.exists()).expect("the numbers don't end");
        OutputFile { path, replace, private: false }
    }

    /// The same, to be read by its owner alone.
    pub fn private(self) -> OutputFile {
        OutputFile { private: true, ..self }
    }

    /// Returns `self` unless it is one of the inputs, which even `--force` must not overwrite.
    ///
    /// # Errors
    /// It is one of them.
    pub fn apart_from<P: AsRef<Path>>(self, inputs: impl IntoIterator<Item = P>) -> Result<OutputFile, Failure> {
        let is_read = inputs.into_iter().any(|i| is_same_file(fs::metadata(&self.path).ok(), i.as_ref()));
        if is_read && !self.is_stdout() { Err(is_the_input(&self.path)) } else { Ok(self) }
    }

    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// The stream to write to; a file is made with the first byte.
    pub fn open(&self) -> OutputStream {
        if self.is_stdout() {
            return OutputStream::stdout();
        }
        let file = OutputStream::file(self.path.clone(), self.replace);
        if self.private { file.private() } else { file }
    }

    /// Writes a document.
    ///
    /// # Errors
    /// It can't be written, or the file came into being meanwhile.
    pub fn write(&self, document: &dyn Emitter) -> Result<Written, Failure> {
        self.emit(document).map(|(written, _)| written)
    }

    fn emit(&self, document: &dyn Emitter) -> Result<(Written, u64), Failure> {
        let mut out = self.open();
        let result = document.emit(&mut out);
        out.finish(result)
    }

    /// Writes a document, and says so with `what` is in it.
    ///
    /// # Errors
    /// It can't be written, or the file came into being meanwhile.
    pub fn write_and_say(&self, document: &dyn Emitter, what: &str, terminal: &Terminal) -> Result<(), Failure> {
        let (_, bytes) = self.emit(document)?;
        if !self.is_stdout() {
            let name = self.path.to_string_lossy();
            terminal.say(&format!("written to {}: {what}, {bytes} bytes", escaped(&name)));
        }
        Ok(())
    }
}

/// Writes a document to standard output.
///
/// # Errors
/// It can't be written. A reader that went away is no error.
pub fn print(document: &dyn Emitter) -> Result<Written, Failure> {
    OutputFile::stdout().write(document)
}

/// A folder to write to: several files can't go to standard output.
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

/// Whether an output is the same file as the input, under any name. A file that does not exist yet is not, nor is a
/// device.
pub fn is_same_file(output: Option<Metadata>, input: &Path) -> bool {
    let same = |(a, b): (Metadata, Metadata)| a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino());
    output.zip(fs::metadata(input).ok()).is_some_and(same)
}

/// The error for an output that is also an input.
pub fn is_the_input(output: &Path) -> Failure {
    Failure::new(Exit::USAGE, format!("`{}` is the input; it would be lost", output.display()))
        .hint("write to another file: `-o FILE`")
}
