// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for any input, checked by every target.
mod captured_boot;
mod collection;
mod export;
mod gate;
mod kernel_log;
mod kernel_tree;
mod place;
mod predict;
mod unpack;
mod whole;

pub use bootline_records::Format;
use bootline_records::{ByteRange, DecodeSummary, Decoder, ProblemKind, Record, Sink};
pub use captured_boot::captured_boot;
pub use collection::collection;
pub use export::exports;
pub use gate::gates;
pub use kernel_log::joins;
pub use kernel_tree::{initcall_table, kernel_tree};
pub use place::{places, places_bootchart, places_journal, places_stash};
pub use predict::predicts;
pub use unpack::unpacks;

/// Decodes `data` whole and in pieces whose sizes its own bytes give.
///
/// # Panics
/// When the two differ, a record's range is out of order or out of the input, or its text holds a control character.
pub fn decodes(format: Option<Format>, data: &[u8]) {
    let mut whole = Transcript::default();
    let mut decoder = Decoder::new(format);
    decoder.push(data, &mut whole);
    whole.finish(decoder, data.len());

    let mut parts = Transcript::default();
    let mut decoder = Decoder::new(format);
    let mut rest = data;
    while let Some(first) = rest.first() {
        let (piece, later) = rest.split_at(rest.len().min(1 + usize::from(*first) % 61));
        decoder.push(piece, &mut parts);
        rest = later;
    }
    parts.finish(decoder, data.len());
    assert_eq!(whole, parts, "the pieces make a difference");
}

#[derive(Debug, Default, PartialEq)]
struct Transcript {
    records: Vec<(Record<'static>, String)>,
    problems: Vec<(ProblemKind, ByteRange, String)>,
    summary: Option<DecodeSummary>,
}

impl Transcript {
    fn finish(&mut self, decoder: Decoder, len: usize) {
        let summary = decoder.finish(self);
        let mut end = 0;
        for (record, text) in &self.records {
            assert!(end <= record.bytes.start && record.bytes.start < record.bytes.end, "{record:?}");
            assert!(!text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n')), "{text:?}");
            end = record.bytes.end;
        }
        assert!(end <= summary.bytes && summary.bytes <= len as u64);
        assert_eq!(summary.records, self.records.len() as u64);
        self.summary = Some(summary);
    }
}

impl Sink for Transcript {
    fn record(&mut self, record: Record<'_>) {
        self.records.push((Record { text: "", ..record }, record.text.to_owned()));
    }
    fn problem(&mut self, kind: ProblemKind, bytes: ByteRange, detail: &str) {
        self.problems.push((kind, bytes, detail.to_owned()));
    }
}
