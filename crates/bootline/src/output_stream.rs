// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard output or a file, as a writer.
use std::fs::{OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write, stdout};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use bootline_input::unusable;
use bootline_input::{Exit, Failure};

use crate::shell_word::is_plain;

/// Permissions of a file that only its owner may read.
const OWNER_ALONE: u32 = 0o600;

/// Standard output or a file. A file is made with the first byte: an input that can't be used leaves none, and spoils
/// none that was there.
pub struct OutputStream {
    target: Target,
    to: Option<BufWriter<Box<dyn Write>>>,
    bytes: u64,
}

enum Target {
    Stdout,
    File { path: PathBuf, replace: bool, private: bool },
}

impl OutputStream {
    /// Standard output.
    pub fn stdout() -> OutputStream {
        OutputStream { target: Target::Stdout, to: None, bytes: 0 }
    }

    /// A file. Unless `replace` is set, writing fails where one of that name came into being meanwhile.
    pub fn file(path: PathBuf, replace: bool) -> OutputStream {
        OutputStream { target: Target::File { path, replace, private: false }, to: None, bytes: 0 }
    }

    /// The same; a file is its owner's alone, even one that is replaced.
    pub fn private(mut self) -> OutputStream {
        if let Target::File { private, .. } = &mut self.target {
            *private = true;
        }
        self
    }

    /// Ends the output. `result` is that of writing; gives what became of the output and its length in bytes.
    ///
    /// # Errors
    /// The bytes couldn't be written. A reader of standard output that went away is no error.
    pub fn finish(mut self, result: io::Result<()>) -> Result<(Written, u64), Failure> {
        let result = result.and_then(|()| self.flush());
        let written = match (&self.target, result) {
            (Target::Stdout, result) => unless_reader_left(result)?,
            (Target::File { .. }, Ok(())) => Written::All,
            (Target::File { path, .. }, Err(e)) if e.kind() == ErrorKind::AlreadyExists => return Err(exists(path)),
            (Target::File { path, .. }, Err(e)) => return Err(write_failed(path, &e)),
        };
        // A reader that left takes no rest either.
        if let Some(to) = self.to.take() {
            drop(to.into_parts());
        }
        Ok((written, self.bytes))
    }

    fn opened(&mut self) -> io::Result<&mut BufWriter<Box<dyn Write>>> {
        let to = match self.to.take() {
            Some(to) => to,
            None => BufWriter::new(match &self.target {
                Target::Stdout => Box::new(stdout()) as Box<dyn Write>,
                Target::File { path, replace, private } => {
                    let mut options = OpenOptions::new();
                    options.write(true).create(true).truncate(true).create_new(!replace);
                    if !private {
                        Box::new(options.open(path)?)
                    } else {
                        let file = options.mode(OWNER_ALONE).open(path)?;
                        if file.metadata()?.is_file() {
                            file.set_permissions(Permissions::from_mode(OWNER_ALONE))?;
                        }
                        Box::new(file)
                    }
                }
            }),
        };
        Ok(self.to.insert(to))
    }
}

impl Write for OutputStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let n = self.opened()?.write(bytes)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// The error for a file that can't be made or written.
pub fn write_failed(path: &Path, error: &io::Error) -> Failure {
    let name = unusable::shown(&path.to_string_lossy());
    let folder = path.parent().filter(|folder| error.kind() == ErrorKind::NotFound && !folder.exists());
    match folder.map(Path::to_string_lossy) {
        Some(folder) => {
            Failure::new(Exit::LAB, format!("can't write {name}: there is no folder {}", unusable::shown(&folder)))
                .hint(if is_plain(&folder) {
                    format!("make it first: `mkdir -p {folder}`")
                } else {
                    "make it first".to_owned()
                })
        }
        None => Failure::new(Exit::LAB, format!("can't write {name}: {error}")),
    }
}

/// The error for a file that already exists and would be overwritten.
pub fn exists(path: &Path) -> Failure {
    let name = unusable::shown(&path.to_string_lossy());
    if path.is_dir() {
        return Failure::new(Exit::INPUT, format!("{name} is a folder")).hint("name a file in it with `-o`");
    }
    Failure::new(Exit::INPUT, format!("{name} already exists"))
        .hint("give another name with `-o`, or `--force` to replace it")
}

/// The error of a failed write to stdout; none if its reader went away (`| head`).
pub fn unless_reader_left(result: io::Result<()>) -> Result<Written, Failure> {
    match result {
        Ok(()) => Ok(Written::All),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Written::ReaderLeft),
        Err(e) => Err(Failure::new(Exit::LAB, format!("can't write to standard output: {e}"))),
    }
}

/// Whether output was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// All of it was written.
    All,
    /// The reader went away: stop without an error.
    ReaderLeft,
}
