// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boots of an input, one after the other, with one in memory at a time: how every verb reads logs.
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::path::Path;

use bootline_analysis::boot::{Boot, BootOptions, BootRecords, Splitter, join_levels};
use bootline_analysis::records::{DecodeSummary, Decoder, Format};
use bootline_report::BootLabel;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::kernel_log::KernelLog;
use crate::log_file::LogFile;
use crate::unusable::{self, BootNeeds, UnusableInput};

/// Size of the pieces in which files are read, in bytes.
const PIECE: usize = 512 * 1024;

/// Iterates over the records of each boot in an input. Ends after an error.
pub struct Boots {
    input: String,
    source: Source,
    count: usize,
}

enum Source {
    Open {
        from: Box<dyn Read>,
        piece: Vec<u8>,
        decoder: Box<Decoder>,
        splitter: Box<Splitter>,
    },
    /// Read to the end, or failed.
    Ended {
        rest: VecDeque<BootRecords>,
        summary: DecodeSummary,
    },
}

impl Boots {
    /// The boots of `input`; the format is recognised from the first bytes unless given.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn open(input: &LogFile, format: Option<Format>) -> Result<Boots, Failure> {
        let source = Source::Open {
            from: input.open()?,
            piece: vec![0; PIECE],
            decoder: Box::new(Decoder::new(format)),
            splitter: Box::default(),
        };
        Ok(Boots { input: input.name(), source, count: 0 })
    }

    /// Number of boots returned so far.
    pub fn seen(&self) -> usize {
        self.count
    }

    /// Summary of what has been read so far.
    pub fn finish(mut self) -> DecodeSummary {
        self.end();
        match self.source {
            Source::Ended { summary, .. } => summary,
            Source::Open { .. } => unreachable!("end() has ended it"),
        }
    }

    fn end(&mut self) {
        let ended = Source::Ended { rest: VecDeque::new(), summary: DecodeSummary::default() };
        self.source = match std::mem::replace(&mut self.source, ended) {
            Source::Open { decoder, mut splitter, .. } => {
                let summary = decoder.finish(&mut *splitter);
                Source::Ended { rest: splitter.finish(), summary }
            }
            ended @ Source::Ended { .. } => ended,
        };
    }

    fn label(&mut self, another_follows: bool) -> BootLabel {
        let index = self.count;
        self.count += 1;
        BootLabel { input: self.input.clone(), index, one_of_several: another_follows || index > 0 }
    }
}

impl Iterator for Boots {
    type Item = Result<(BootRecords, BootLabel), Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (from, piece, decoder, splitter) = match &mut self.source {
                Source::Open { from, piece, decoder, splitter } => (from, piece, decoder, splitter),
                Source::Ended { rest, .. } => {
                    let records = rest.pop_front()?;
                    let another_follows = !rest.is_empty();
                    return Some(Ok((records, self.label(another_follows))));
                }
            };
            if let Some(records) = splitter.take() {
                return Some(Ok((records, self.label(true))));
            }
            match from.read(piece) {
                Ok(0) => self.end(),
                Ok(n) => decoder.push(&piece[..n], &mut **splitter),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    let ended = Source::Ended { rest: VecDeque::new(), summary: DecodeSummary::default() };
                    self.source = ended;
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
    /// What a boot must have to be usable.
    pub needs: BootNeeds,
}

/// A boot, and why it can't be trusted, if so.
pub struct AnalysedBoot {
    pub boot: Boot,
    pub label: BootLabel,
    pub unusable: Option<UnusableInput>,
}

impl BootReader {
    /// The boots of an input, analysed one at a time.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn boots(&self, input: &LogFile) -> Result<AnalysedBoots<'_>, Failure> {
        Ok(AnalysedBoots { reader: self, boots: Boots::open(input, self.format)?, unusable: Vec::new() })
    }
}

/// The boots of an input, analysed one at a time. Errors about them can be worded only once the whole input has been
/// read.
pub struct AnalysedBoots<'r> {
    reader: &'r BootReader,
    boots: Boots,
    unusable: Vec<(BootLabel, UnusableInput)>,
}

impl AnalysedBoots<'_> {
    /// Stores why a boot can't be used, to be reported at the end.
    pub fn refuse(&mut self, label: BootLabel, why: UnusableInput) {
        self.unusable.push((label, why));
    }

    /// Number of boots read so far.
    pub fn seen(&self) -> usize {
        self.boots.seen()
    }

    /// The errors, boot by boot. An input without a boot is an error itself.
    pub fn finish(self) -> Vec<(BootLabel, Failure)> {
        let (input, count) = (self.boots.input.clone(), self.boots.seen());
        let summary = self.boots.finish();
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
            let BootReader { options, kernel_log, needs, .. } = self.reader;
            if let Some(Err(failure)) = kernel_log.as_ref().map(|log| log.join(&mut records, &label)) {
                self.unusable.push((label, UnusableInput::Reported(failure)));
                continue;
            }
            let boot = Boot::analyse(records, options);
            let unusable = UnusableInput::of(&boot, &label, *needs, options);
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
