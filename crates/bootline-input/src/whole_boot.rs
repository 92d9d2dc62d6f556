// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes a boot whole: other sources of it, and what shows that the application was reached.
use std::io::Read;
use std::path::Path;

use bootline_boot::{AlignedBy, AppMarker, Boot, BootSource, SourceRefusal, SourceUse};
use bootline_capture::container::Unpacker;
use bootline_report::{BootLabel, escaped};

use crate::chart_archive::{ChartArchive, Held, Unpacked};
use crate::collection::Collection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::log_file::LogFile;
use crate::source_file::{LARGEST, content};
use crate::unusable::{self, UnusableInput, named, shown};

/// Other sources of a boot, and the application.
#[derive(Debug, Default)]
pub struct WholeBoot {
    /// In the order given.
    pub sources: Vec<BootSource>,
    /// What shows that the application was reached.
    pub app: Option<AppMarker>,
}

/// The sources in a file: one, unless it is an archive.
fn read(file: &LogFile) -> Result<Vec<BootSource>, Failure> {
    // What `bootline collect` packs besides is for people.
    if let Some(collection) = Collection::open(file) {
        return collection.into_sources();
    }
    let name = file.name();
    let failed = |e| unusable::unpack_failed(&name, &e);
    let mut unpacker = Unpacker::new(file.open()?).map_err(failed)?;
    let (mut found, mut chart) = (Vec::new(), ChartArchive::default());
    while let Some(member) = unpacker.next_member().map_err(failed)? {
        let path = member.name.clone();
        let name = member.name.map_or_else(|| name.clone(), |member| format!("{name}:{member}"));
        let mut bytes = Vec::new();
        let read = member.reader.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|e| unusable::read_failed(&name, &e))?;
        // The members of a bootchart are one source.
        if bytes.len() as u64 + chart.held_bytes() > LARGEST {
            return Err(Failure::new(Exit::INPUT, format!("{} is larger than 256 MiB", shown(&name))));
        }
        let rest = chart.offer(Unpacked { path, name, bytes });
        found.extend(rest.map(|file| BootSource::new(file.name, content(&file.bytes))));
    }
    match chart.finish(&name) {
        Held::Chart(source, _) => found.push(*source),
        Held::Others(files) => {
            found.extend(files.into_iter().map(|file| BootSource::new(file.name, content(&file.bytes))));
        }
    }
    Ok(found)
}

impl WholeBoot {
    /// Reads the sources in these files, in the order given.
    ///
    /// # Errors
    /// One can't be read.
    pub fn read<'p>(files: impl IntoIterator<Item = &'p Path>, app: Option<AppMarker>) -> Result<WholeBoot, Failure> {
        let mut sources = Vec::new();
        for path in files {
            sources.extend(read(&LogFile::new(path))?);
        }
        Ok(WholeBoot { sources, app })
    }

    /// Whether nothing was given.
    fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.app.is_none()
    }

    /// Adds the sources to a boot, and those that came with its log, and says what can't be answered, if anything.
    pub fn join(&self, boot: Boot, own: &[BootSource], label: &BootLabel) -> (Boot, Option<UnusableInput>) {
        if self.is_empty() && own.is_empty() {
            return (boot, None);
        }
        let sources: Vec<BootSource> = own.iter().chain(&self.sources).cloned().collect();
        let app = self.app.as_ref();
        let refused = |what: String| Some(UnusableInput::Reported(Failure::new(Exit::INPUT, what)));
        let plain = label.one_of_several.then(|| boot.clone());
        let mut joined = boot.with_sources(&sources, app);
        // Of several boots a source is one's: that which shares events with it. The initcalls of two boots of one kernel are alike.
        let is_checked = |s: &SourceUse| {
            let by_events = |by| matches!(by, AlignedBy::UnitMessages | AlignedBy::KernelRecords);
            s.matched_records > 0 || s.alignment.is_some_and(|a| by_events(a.by))
        };
        if let Some(plain) = &plain {
            let is_unsure = |s: &SourceUse| {
                s.alignment.is_some_and(|a| matches!(a.by, AlignedBy::Initcalls | AlignedBy::KernelStart))
                    && !is_checked(s)
            };
            let uses = &joined.whole.sources;
            let kept: Vec<BootSource> = sources
                .iter()
                .zip(uses)
                .filter(|(_, used)| !is_unsure(used))
                .map(|(source, _)| source.clone())
                .collect();
            if kept.len() < sources.len() {
                joined = plain.clone().with_sources(&kept, app);
            }
        }
        if let Some(plain) = plain.filter(|_| !sources.is_empty() && !joined.whole.sources.iter().any(is_checked)) {
            let what = format!("nothing shows that the sources are of {}: they were not used", named(label));
            return (plain.with_sources(&[], app), refused(what));
        }
        let is_unused = |s: &&SourceUse| s.refused.as_ref().is_some_and(|why| *why != SourceRefusal::Second);
        // Of several boots a source is of one: the others do without it.
        let unused = joined.whole.sources.iter().skip(own.len()).find(is_unused).filter(|_| !label.one_of_several);
        let unused =
            unused.and_then(|s| Some(format!("{} {}", shown(&s.name), escaped(&s.refused.as_ref()?.to_string()))));
        let missing = app.filter(|_| joined.whole.application.is_none());
        let missing = missing.map(|app| format!("the application `{app}` was not reached in {}", named(label)));
        let failure = unused.into_iter().chain(missing).reduce(|unused, missing| format!("{unused}; {missing}"));
        let failure = failure.and_then(refused);
        (joined, failure)
    }
}
