// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boots of an input, one after the other, with one in memory at a time.
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::path::Path;

use bootline_boot::{Boot, BootOptions, BootRecords, BootSource, Splitter, join_levels};
use bootline_capture::container::Unpacker;
use bootline_records::{ByteRange, DecodeSummary, Decoder, Format, ProblemKind, RecordOrigin, Sink};
use bootline_report::BootLabel;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::kernel_log::KernelLog;
use crate::log_file::LogFile;
use crate::unusable::{self, BootNeeds, UnusableInput};
use crate::whole_boot::WholeBoot;

/// Size of the pieces in which files are read, in bytes: small enough for a processor's own cache.
const PIECE: usize = 64 * 1024;

/// Iterates over the records of each boot in an input. Ends after an error.
///
/// An input may be compressed, or an archive. Files in an archive that hold no kernel records are skipped.
pub struct Boots {
    /// As the user named it.
    file: String,
    /// The same, with the archive's member that is being read.
    input: String,
    format: Option<Format>,
    unpacker: Option<Unpacker>,
    /// Files of the archive begun so far; none where the input is no archive.
    members: Option<usize>,
    source: Source,
    /// Boots given, in all and of the file that is being read.
    count: usize,
    count_here: usize,
    /// What was read of the files before.
    summary: DecodeSummary,
}

enum Source {
    Open {
        from: Box<dyn Read>,
        piece: Vec<u8>,
        decoder: Box<Decoder>,
        splitter: Box<Splitter>,
    },
    /// Read to the end, or failed.
    Ended(VecDeque<BootRecords>),
}

impl Boots {
    /// The boots of `input`; the format is recognised from the first bytes unless given.
    ///
    /// # Errors
    /// It can't be opened, or is of a form that is not read.
    pub fn open(input: &LogFile, format: Option<Format>) -> Result<Boots, Failure> {
        let name = input.name();
        let unpacker = Unpacker::new(input.open()?).map_err(|e| unusable::unpack_failed(&name, &e))?;
        let members = unpacker.is_archive().then_some(0);
        let (unpacker, source) = (Some(unpacker), Source::Ended(VecDeque::new()));
        let summary = DecodeSummary::default();
        let (file, input) = (name.clone(), name);
        let mut boots = Boots { file, input, format, unpacker, members, source, count: 0, count_here: 0, summary };
        boots.next_file()?;
        Ok(boots)
    }

    /// Number of boots returned so far.
    pub fn seen(&self) -> usize {
        self.count
    }

    /// As the user named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The format of what was read to its end last.
    pub fn format(&self) -> Option<Format> {
        self.summary.format
    }

    /// Files in the archive, as far as it was read; none where the input is no archive.
    pub fn members(&self) -> Option<usize> {
        self.members
    }

    /// Summary of what has been read so far.
    pub fn finish(mut self) -> DecodeSummary {
        self.end();
        self.summary
    }

    /// Begins the next file of an archive, or the input itself; false if there is none.
    fn next_file(&mut self) -> Result<bool, Failure> {
        let Some(unpacker) = &mut self.unpacker else { return Ok(false) };
        let member = match unpacker.next_member() {
            Ok(Some(member)) => member,
            Ok(None) => return Ok(false),
            Err(e) => {
                self.unpacker = None;
                return Err(unusable::unpack_failed(&self.file, &e));
            }
        };
        if let Some(name) = member.name {
            self.input = format!("{}:{name}", self.file);
            self.members = self.members.map(|n| n + 1);
        }
        self.count_here = 0;
        self.source = Source::Open {
            from: member.reader,
            piece: vec![0; PIECE],
            decoder: Box::new(Decoder::new(self.format)),
            splitter: Box::default(),
        };
        Ok(true)
    }

    fn end(&mut self) {
        if let Source::Open { decoder, mut splitter, .. } =
            std::mem::replace(&mut self.source, Source::Ended(VecDeque::new()))
        {
            let read = decoder.finish(&mut *splitter);
            self.summary = DecodeSummary {
                format: read.format.or(self.summary.format),
                bytes: self.summary.bytes + read.bytes,
                lines: self.summary.lines + read.lines,
                records: self.summary.records + read.records,
            };
            self.source = Source::Ended(splitter.finish());
        }
    }

    /// A boot with its label; `None` for what an archive holds besides logs.
    fn labelled(&mut self, records: BootRecords, another_follows: bool) -> Option<(BootRecords, BootLabel)> {
        if self.members.is_some() && !records.records.iter().any(|r| r.source == RecordOrigin::Kernel) {
            return None;
        }
        let index = self.count_here;
        self.count += 1;
        self.count_here += 1;
        let label = BootLabel { input: self.input.clone(), index, one_of_several: another_follows || index > 0 };
        Some((records, label))
    }
}

impl Iterator for Boots {
    type Item = Result<(BootRecords, BootLabel), Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (from, piece, decoder, splitter) = match &mut self.source {
                Source::Open { from, piece, decoder, splitter } => (from, piece, decoder, splitter),
                Source::Ended(rest) => {
                    let found = rest.pop_front();
                    let another_follows = !rest.is_empty();
                    match found {
                        Some(records) => match self.labelled(records, another_follows) {
                            Some(boot) => return Some(Ok(boot)),
                            None => continue,
                        },
                        None => match self.next_file() {
                            Ok(true) => continue,
                            Ok(false) => return None,
                            Err(failure) => return Some(Err(failure)),
                        },
                    }
                }
            };
            if let Some(records) = splitter.take() {
                match self.labelled(records, true) {
                    Some(boot) => return Some(Ok(boot)),
                    None => continue,
                }
            }
            match from.read(piece) {
                Ok(0) => self.end(),
                Ok(n) => decoder.push(&piece[..n], &mut **splitter),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                // Not the system's error: what the file holds is damaged. What came before it counts.
                Err(e) if e.raw_os_error().is_none() => {
                    splitter.problem(ProblemKind::ArchiveDamaged, ByteRange::default(), &e.to_string());
                    self.end();
                }
                Err(e) => {
                    self.source = Source::Ended(VecDeque::new());
                    self.unpacker = None;
                    return Some(Err(unusable::read_failed(&self.input, &e)));
                }
            }
        }
    }
}

/// How inputs are read, and what their boots must have.
#[derive(Debug)]
pub struct BootReader {
    /// What the logs do not contain, and where the boot ends.
    pub options: BootOptions,
    /// Format of the logs; none to recognise it.
    pub format: Option<Format>,
    /// The kernel's own log of the same boots, with the levels that a console does not show.
    pub kernel_log: Option<KernelLog>,
    /// Other sources of the same boots, and the application.
    pub whole: WholeBoot,
    /// What a boot must have to be usable.
    pub needs: BootNeeds,
}

/// A boot, and why it can't be trusted, if so.
pub struct AnalysedBoot {
    /// The boot, on one time axis, joined with its other sources.
    pub boot: Boot,
    /// The input that it is from, and its place in there.
    pub label: BootLabel,
    /// Why it is of no use for what it was read for; none if it is.
    pub unusable: Option<UnusableInput>,
}

impl BootReader {
    /// The boots of an input, analysed one at a time.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn boots(&self, input: &LogFile) -> Result<AnalysedBoots<'_>, Failure> {
        Ok(AnalysedBoots { reader: self, boots: Boots::open(input, self.format)?, own: &[], unusable: Vec::new() })
    }
}

/// The boots of an input, analysed one at a time. Errors about them can be worded only once the whole input has been
/// read.
pub struct AnalysedBoots<'r> {
    reader: &'r BootReader,
    boots: Boots,
    /// Sources that came with this input.
    own: &'r [BootSource],
    unusable: Vec<(BootLabel, UnusableInput)>,
}

impl<'r> AnalysedBoots<'r> {
    /// Adds the sources that came with the input.
    pub fn with_sources(self, own: &'r [BootSource]) -> AnalysedBoots<'r> {
        AnalysedBoots { own, ..self }
    }

    /// Stores why a boot can't be used, to be reported at the end.
    pub fn refuse(&mut self, label: BootLabel, why: UnusableInput) {
        self.unusable.push((label, why));
    }

    /// Number of boots read so far.
    pub fn seen(&self) -> usize {
        self.boots.seen()
    }

    /// The format of what was read to its end last.
    pub fn format(&self) -> Option<Format> {
        self.boots.format()
    }

    /// The errors, boot by boot. An input without a boot is an error itself.
    pub fn finish(self) -> Vec<(BootLabel, Failure)> {
        let (input, count, members) = (self.boots.file().to_owned(), self.boots.seen(), self.boots.members());
        let summary = self.boots.finish();
        if let Some(members) = members.filter(|_| count == 0) {
            return vec![(BootLabel::only(&input), unusable::archive_without_logs(&input, members))];
        }
        if count == 0 {
            return vec![(BootLabel::only(&input), unusable::empty(&input, &summary))];
        }
        self.unusable.into_iter().map(|(label, why)| (label, why.failure(&input, &summary))).collect()
    }
}

impl Iterator for AnalysedBoots<'_> {
    type Item = Result<AnalysedBoot, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (mut records, label) = match self.boots.next()? {
                Ok(found) => found,
                Err(failure) => return Some(Err(failure)),
            };
            let BootReader { options, kernel_log, whole, needs, .. } = self.reader;
            if let Some(Err(failure)) = kernel_log.as_ref().map(|log| log.join(&mut records, &label)) {
                self.unusable.push((label, UnusableInput::Reported(failure)));
                continue;
            }
            let (boot, unanswered) = whole.join(Boot::analyse(records, options), self.own, &label);
            let unusable = UnusableInput::of(&boot, &label, *needs, options, self.boots.format()).or(unanswered);
            return Some(Ok(AnalysedBoot { boot, label, unusable }));
        }
    }
}

/// The first boot in a file; none if it contains no kernel log.
///
/// # Errors
/// The file can't be read.
pub fn only_boot(path: &Path, options: &BootOptions) -> Result<Option<Boot>, Failure> {
    let with_kernel = |records| Some(Boot::analyse(records, options)).filter(|b| b.milestones.first_kernel.is_some());
    for found in Boots::open(&LogFile::new(path), None)? {
        if let Some(boot) = with_kernel(found?.0) {
            return Ok(Some(boot));
        }
    }
    Ok(None)
}

/// As [`only_boot`], with the levels from the kernel's own log of that boot in another file.
///
/// # Errors
/// A file can't be read, or the two are not of the same boot.
pub fn only_boot_with_levels(path: &Path, kernel_log: &Path, options: &BootOptions) -> Result<Option<Boot>, Failure> {
    let (Some(mut records), Some(own)) = (only_records(path)?, only_records(kernel_log)?) else { return Ok(None) };
    let failed = |e| Failure::new(Exit::INPUT, format!("`{}` can't be joined: {e}", kernel_log.display()));
    join_levels(&mut records, &own.records).map_err(failed)?;
    Ok(Some(Boot::analyse(records, options)).filter(|b| b.milestones.first_kernel.is_some()))
}

/// The records of the first boot in a file.
///
/// # Errors
/// The file can't be read.
pub fn only_records(path: &Path) -> Result<Option<BootRecords>, Failure> {
    Boots::open(&LogFile::new(path), None)?.next().transpose().map(|found| found.map(|(records, _)| records))
}
