// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes a boot whole: other sources of it, and what shows that the application was reached.
use std::io::Read;
use std::path::Path;

use bootline_boot::{AlignedBy, AppMarker, Boot, BootSource, SourceRefusal, SourceUse};
use bootline_capture::container::Unpacker;
use bootline_report::BootLabel;

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
            if path.is_dir() {
                return Err(unusable::folder_of_sources(path));
            }
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
            let failure = Failure::new(Exit::INPUT, what);
            return (plain.with_sources(&[], app), Some(UnusableInput::Reported(failure)));
        }
        let is_unused = |s: &&SourceUse| s.refused.as_ref().is_some_and(|why| *why != SourceRefusal::Second);
        // Of several boots a source is of one: the others do without it.
        let unused = joined.whole.sources.iter().skip(own.len()).find(is_unused).filter(|_| !label.one_of_several);
        let unused = unused.and_then(|s| Some(unusable::source_not_used(&s.name, s.refused.as_ref()?)));
        let missing = app.filter(|_| joined.whole.application.is_none());
        let missing = missing.map(|app| application_missing(app, &joined, label));
        let failure = unused.into_iter().chain(missing).reduce(Failure::and);
        let failure = failure.map(UnusableInput::Reported);
        (joined, failure)
    }
}

/// How to show units and what they wait for.
const SHOW_UNITS: &str =
    "add the units' properties: `systemctl show --all '*' >units.txt` there, `--with units.txt` here";

/// The error for an application that nothing shows: why, and how to name or record one that is shown.
fn application_missing(app: &AppMarker, boot: &Boot, label: &BootLabel) -> Failure {
    let failure = Failure::new(Exit::INPUT, format!("the application `{app}` was not reached in {}", named(label)));
    match app {
        AppMarker::Unit(unit) | AppMarker::RecordOfUnit { unit, .. } if boot.whole.unit(unit).is_none() => {
            let failure = failure.evidence(format!("no source names the unit `{unit}`"));
            let has_others = !boot.whole.sources.is_empty();
            failure.hint(if has_others { "`bootline blame` with the same sources lists the units" } else { SHOW_UNITS })
        }
        AppMarker::Unit(unit) => {
            failure.evidence(format!("no source shows when `{unit}` was up")).hint(format!("record for longer, or {SHOW_UNITS}"))
        }
        AppMarker::RecordOfUnit { record, .. } | AppMarker::Record(record) => failure.hint(format!(
            "record for longer, or check that a line of user space matches `{record}`: `bootline export -f text` shows them"
        )),
        AppMarker::Mark(_) => {
            let marks: Vec<String> = boot.marks.iter().map(|mark| format!("`--app mark:{}`", mark.name)).collect();
            match marks.last() {
                Some(last) => failure.hint(format!("the last mark in it is {last}")),
                None => failure
                    .evidence("the log holds no marks")
                    .hint("record them: `bootline capture --mark INPUT=NAME`"),
            }
        }
    }
}
