// SPDX-License-Identifier: MIT OR Apache-2.0
//! A speed that a log refutes: where a writer waits for its record, the next one is not stored before the line has transmitted it.
use bootline_capture::units::LineRate;
use bootline_records::Record;

/// Fewer records prove nothing.
const FEWEST: usize = 20;

/// Whether the stamps of most of the records that a console printed, in order, are too close together for a line of this
/// speed. A few may be: on another CPU, a writer hands its record over to the one that prints.
pub(super) fn is_refuted<'r>(printed: impl Iterator<Item = Record<'r>>, rate: LineRate) -> bool {
    let (mut all, mut too_soon) = (0, 0);
    let mut before: Option<Record<'r>> = None;
    for r in printed.filter(|r| r.stamp.is_some()) {
        if let Some((b, took)) = before.and_then(|b| Some((b, r.stamp? - b.stamp?))) {
            all += 1;
            too_soon += usize::from(took.max_zero() * 2 < rate.time_for(u64::from(b.line_bytes)).as_dur());
        }
        before = Some(r);
    }
    all >= FEWEST && too_soon * 2 > all
}
