// SPDX-License-Identifier: MIT OR Apache-2.0
//! From one input to rows: whatever it is, it gives a row of `files`, and each boot in it a row of `boots`.
use std::fs::File;
use std::io::{self, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bootline_input::unusable::UnusableInput;
use bootline_input::{AnalysedBoot, BootReader, LogFile, OpenInput};
use bootline_records::{Format, ProblemKind};

use crate::batch::BootRows;
use crate::boot_rows::{BootOrigin, boot_rows};
use crate::content::ContentId;
use crate::date::micros;
use crate::metadata::{LavaResults, Metadata, PathPattern, Sidecar};
use crate::tables::{BuildRow, FileRow, FileStatus, MeasureRow};

/// How inputs are read, and what is known of all of them.
#[derive(Debug)]
pub struct InputReader {
    /// How logs are read.
    pub boots: BootReader,
    /// What holds for all inputs, whatever else says.
    pub given: Metadata,
    /// How their paths are built.
    pub pattern: Option<PathPattern>,
}

/// An input that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundInput {
    /// As it was found.
    pub path: String,
    /// Its content.
    pub input: ContentId,
    /// Its length in bytes, and when it was last modified, in microseconds since 1970.
    pub size: Option<u64>,
    /// When it was last modified, in microseconds since 1970.
    pub modified: Option<i64>,
    /// Why it can't be read.
    pub unreadable: Option<String>,
    /// Its bytes and those of its sidecar, where they are in memory and not at its path.
    pub held: Option<HeldInput>,
    /// Where it is: `path` is this as a text.
    place: PathBuf,
}

/// An input that is in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldInput {
    /// Its bytes.
    pub content: Arc<[u8]>,
    /// Those of its sidecar, if it has one.
    pub sidecar: Option<Arc<[u8]>>,
}

impl FoundInput {
    /// The problem of an input that is written to.
    const CHANGING: &'static str = "it changes while it is read";
    /// The problem of an input on which bootline itself fails.
    pub const BUG: &'static str = "bootline failed on it: please report it as a bug";

    /// Looks at an input in memory. Nothing is read at its path, which may be an object store's.
    pub fn held(path: String, modified: Option<i64>, held: HeldInput) -> FoundInput {
        let (input, size) = ContentId::of_bytes(&held.content);
        let place = PathBuf::from(&path);
        FoundInput { path, input, size: Some(size), modified, unreadable: None, held: Some(held), place }
    }

    /// Looks at a file and hashes it. What can't be read is an input, too.
    pub fn new(path: &Path) -> FoundInput {
        let modified = path.metadata().and_then(|m| m.modified()).ok().map(micros);
        match open_regular(path).and_then(ContentId::of) {
            Ok((input, size)) => FoundInput {
                path: path.to_string_lossy().into_owned(),
                input,
                size: Some(size),
                modified,
                unreadable: None,
                held: None,
                place: path.to_owned(),
            },
            Err(e) => FoundInput::unreadable(path, modified, e.to_string()),
        }
    }

    /// A file that somebody writes to all the time: what is read is not what was hashed.
    pub fn changing(path: &Path) -> FoundInput {
        let modified = path.metadata().and_then(|m| m.modified()).ok().map(micros);
        FoundInput::unreadable(path, modified, FoundInput::CHANGING.to_owned())
    }

    fn unreadable(path: &Path, modified: Option<i64>, problem: String) -> FoundInput {
        let shown = path.to_string_lossy().into_owned();
        let input = ContentId::of_unreadable(&shown, &problem);
        let unreadable = Some(problem);
        FoundInput { path: shown, input, size: None, modified, unreadable, held: None, place: path.to_owned() }
    }

    /// Whether the file is still what was hashed, as far as its length and the time of its last change show.
    pub fn is_unchanged(&self) -> bool {
        if self.held.is_some() || self.unreadable.is_some() {
            return true;
        }
        let now = self.place.metadata().ok().map(|m| (m.len(), m.modified().ok().map(micros)));
        now == self.size.map(|size| (size, self.modified))
    }

    fn file(&self) -> LogFile {
        match &self.held {
            None => LogFile::File(self.place.clone()),
            Some(held) => LogFile::held(self.path.clone(), held.content.clone()),
        }
    }

    /// The row of `files` for it.
    pub fn row(&self, status: FileStatus, problem: Option<String>, boots: u32) -> FileRow {
        FileRow {
            file_id: self.input.file_id(),
            sha256: self.unreadable.is_none().then(|| self.input.hex()),
            path: self.path.clone(),
            size: self.size.and_then(|size| i64::try_from(size).ok()),
            modified: self.modified,
            format: None,
            status,
            problem,
            boots: i32::try_from(boots).unwrap_or(i32::MAX),
            ingested_at: micros(SystemTime::now()),
        }
    }
}

/// Opens a file. A pipe may have no writer, and would never end; a device is no log.
fn open_regular(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// What an input gave, one after the other.
#[derive(Debug)]
pub enum InputRows {
    /// A boot.
    Boot(Box<BootRows>),
    /// A build that a boot is of.
    Build(BuildRow),
    /// What became of the input: the last.
    File(FileRow),
}

impl InputReader {
    /// Reads an input. `take` gets each boot as soon as it is complete.
    ///
    /// # Errors
    /// Only those of `take`.
    pub fn read<E>(&self, found: &FoundInput, mut take: impl FnMut(InputRows) -> Result<(), E>) -> Result<(), E> {
        if let Some(problem) = &found.unreadable {
            return take(InputRows::File(found.row(FileStatus::Unreadable, Some(problem.clone()), 0)));
        }
        let (metadata, sidecar_problem) = self.metadata(found);
        let file = found.file();
        let opened = OpenInput::new(&file);
        let damage = opened.damage.as_ref().map(|failure| failure.what().to_owned());
        let Some(log) = &opened.log else {
            let why = damage.unwrap_or_else(|| "no kernel log in it".to_owned());
            return take(InputRows::File(found.row(FileStatus::NoBoot, Some(why), 0)));
        };
        let mut boots = match self.boots.boots(log) {
            Ok(boots) => boots.with_sources(&opened.sources),
            Err(failure) => {
                return take(InputRows::File(found.row(FileStatus::NoBoot, Some(failure.what().to_owned()), 0)));
            }
        };
        let mut count = 0;
        let mut damage = damage;
        let mut waiting: Option<Box<BootRows>> = None;
        while let Some(next) = boots.next() {
            let AnalysedBoot { boot, label, unusable } = match next {
                Ok(analysed) => analysed,
                Err(failure) => {
                    damage.get_or_insert_with(|| failure.what().to_owned());
                    break;
                }
            };
            let archive = boot.problems.iter().find(|p| p.kind == ProblemKind::ArchiveDamaged);
            if let Some(problem) = archive {
                damage.get_or_insert_with(|| problem.detail.clone());
            }
            if boot.milestones.first_kernel.is_none() {
                boots.refuse(label, unusable.unwrap_or(UnusableInput::NoTimes));
                continue;
            }
            let problem = unusable.map(UnusableInput::in_words);
            let origin = BootOrigin {
                input: found.input,
                index: count,
                modified: found.modified,
                start_time: metadata.start_time,
                board: metadata.board.clone(),
                build: metadata.build.clone(),
                device: metadata.device.clone(),
                lab: metadata.lab.clone(),
                job: metadata.job.clone(),
                problem,
            };
            count += 1;
            // The first boot waits: foreign figures are an only boot's.
            let rows = Box::new(boot_rows(&boot, origin));
            if let Some(earlier) = waiting.replace(rows) {
                take(InputRows::Boot(earlier))?;
            }
        }
        let format = boots.format();
        let failures = boots.finish();
        if let Some(mut rows) = waiting {
            if count == 1 {
                add_figures(&mut rows, &metadata, format, &file);
            }
            take(InputRows::Boot(rows))?;
        }
        if count > 0 {
            if let Some(build) = metadata.build_row() {
                take(InputRows::Build(build))?;
            }
        }
        let status = match (count, &damage) {
            (_, Some(_)) => FileStatus::Damaged,
            (0, None) => FileStatus::NoBoot,
            (_, None) => FileStatus::Stored,
        };
        let nothing = failures.first().filter(|_| count == 0).map(|(_, failure)| failure.what().to_owned());
        let problem = damage.or(nothing).or(sidecar_problem);
        take(InputRows::File(FileRow { format: format.map(Format::name), ..found.row(status, problem, count) }))
    }

    /// What is known besides the log, and what is wrong with its sidecar.
    fn metadata(&self, found: &FoundInput) -> (Metadata, Option<String>) {
        let path = Path::new(&found.path);
        let by_path = || self.pattern.as_ref().and_then(|p| p.read(path)).unwrap_or_default();
        let read = match &found.held {
            None => Sidecar::read(&found.place),
            Some(held) => held.sidecar.as_deref().map_or_else(|| Ok(Metadata::default()), Sidecar::parse),
        };
        let (sidecar, problem) = match read {
            Ok(sidecar) => (sidecar, None),
            Err(e) => (Metadata::default(), Some(format!("its sidecar can't be used: {e}"))),
        };
        let mut metadata = self.given.clone().or(sidecar).or(by_path());
        if metadata.build.is_none() {
            metadata.build = metadata.build_info.name().map(Into::into);
        }
        (metadata, problem)
    }
}

/// The figures that came with an only boot.
fn add_figures(rows: &mut BootRows, metadata: &Metadata, format: Option<Format>, file: &LogFile) {
    let mut measures = metadata.measures.clone();
    if format == Some(Format::Lava) {
        let results = file.open().ok().and_then(|log| LavaResults::read(BufReader::new(log)).ok());
        if let Some(results) = results {
            measures.extend(results.measures);
            if let (None, Some((us, source))) = (rows.boot.start_time, results.start_time) {
                rows.starts_at(us, source);
            }
        }
    }
    rows.measures = measures
        .into_iter()
        .map(|m| MeasureRow {
            boot_id: rows.boot.boot_id,
            board: rows.boot.board.clone(),
            build: rows.boot.build.clone(),
            source: m.source,
            clock: m.clock,
            name: m.name,
            value: m.value,
            unit: m.unit,
        })
        .collect();
}
