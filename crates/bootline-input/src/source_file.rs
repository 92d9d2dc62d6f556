// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that describes a boot besides its log: what is in it.
use std::io::Read;

use bootline_boot::{BootRecords, BootSource, SourceContent};
use bootline_capture::container::Unpacker;
use bootline_records::source::ChartMember;
use bootline_records::{ByteRange, Decoder, ProblemKind, Record, Sink, source};

use crate::chart_archive::{ChartArchive, Held, Unpacked};
use crate::log_file::LogFile;

/// The largest source that is read, in bytes: `systemctl show --all '*'` of a large system has some.
pub const LARGEST: u64 = 256 << 20;

/// Length of what shows a bootstage stash, in bytes.
const STASH_START: u64 = 16;

/// The bootchart that an archive is, and the kernel log in it; none where the file is another.
pub fn open_chart(file: &LogFile) -> Option<(BootSource, Option<Vec<u8>>)> {
    // What can be read only once is taken for a log.
    if !file.is_lasting() {
        return None;
    }
    // What can't be opened or read is reported by whoever reads it as a log.
    let mut unpacker = Unpacker::new(file.open().ok()?).ok().filter(Unpacker::is_archive)?;
    let mut chart = ChartArchive::default();
    let mut is_first = true;
    while let Some(member) = unpacker.next_member().ok()? {
        let path = member.name?;
        // All recorders pack the header first: other archives need not be read twice.
        if std::mem::take(&mut is_first) && ChartMember::of(&path) != Some(ChartMember::Header) {
            return None;
        }
        let mut bytes = Vec::new();
        member.reader.take(LARGEST + 1 - chart.held_bytes()).read_to_end(&mut bytes).ok()?;
        chart.offer(Unpacked { name: path.clone(), path: Some(path), bytes });
        if chart.held_bytes() > LARGEST {
            return None;
        }
    }
    match chart.finish(&file.name()) {
        Held::Chart(source, log) => Some((*source, log)),
        Held::Others(_) => None,
    }
}

/// The bootstage stash that a file is; none where it is another.
pub fn open_stash(file: &LogFile) -> Option<BootSource> {
    // As for a bootchart.
    if !file.is_lasting() {
        return None;
    }
    let mut member = Unpacker::new(file.open().ok()?).ok().filter(|file| !file.is_archive())?.next_member().ok()??;
    let mut bytes = Vec::new();
    member.reader.by_ref().take(STASH_START).read_to_end(&mut bytes).ok()?;
    if !source::is_bootstage_stash(&bytes) {
        return None;
    }
    member.reader.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(BootSource::new(file.name(), content(&bytes)))
}

/// What is in a source: facts of a tool, else the boots of a log, else nothing that is known.
pub fn content(bytes: &[u8]) -> SourceContent {
    let facts = source::read(bytes);
    if facts.kind.is_some() || !is_log(bytes) {
        return SourceContent::Facts(facts);
    }
    SourceContent::Journal(BootRecords::all(bytes))
}

/// Whether the bytes have the form of a log.
fn is_log(bytes: &[u8]) -> bool {
    /// Keeps nothing: a source may have millions of records.
    struct Nothing;
    impl Sink for Nothing {
        fn record(&mut self, _record: Record<'_>) {}
        fn problem(&mut self, _kind: ProblemKind, _bytes: ByteRange, _detail: &str) {}
    }
    let mut decoder = Decoder::new(None);
    decoder.push(bytes, &mut Nothing);
    decoder.finish(&mut Nothing).format.is_some()
}
