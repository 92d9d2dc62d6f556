// SPDX-License-Identifier: MIT OR Apache-2.0
//! The line's curves, sampled for a picture with a given number of columns: bytes stored, bytes transmitted, lag.
use super::picture::DrawnRecord;
use bootline_capture::units::Dur;

/// The line in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// Bytes stored for the console by the column's end.
    pub stored: u64,
    /// Bytes transmitted by then.
    pub transmitted: u64,
    /// The greatest lag of the records stored in the column: from stored to transmitted.
    pub lag: Option<Dur>,
}

/// One sample per column; the columns divide the range evenly.
pub(super) fn curve(records: &[DrawnRecord], from: Dur, to: Dur, columns: usize) -> Vec<Sample> {
    let mut samples = vec![Sample::default(); columns];
    let length = i128::from((to - from).as_nanos().max(1));
    let column = |t: Dur| {
        let at = i128::from((t - from).as_nanos()) * columns as i128 / length;
        at.clamp(0, columns as i128 - 1) as usize
    };
    for r in records.iter().filter(|r| r.kernel) {
        let (Some(stored), Some((_, end))) = (r.stored, r.transmitted) else { continue };
        let end = end.max(stored);
        let begins = column(stored);
        samples[begins].stored += u64::from(r.bytes);
        samples[column(end)].transmitted += u64::from(r.bytes);
        samples[begins].lag = samples[begins].lag.max(Some(end - stored));
    }
    let (mut stored, mut transmitted) = (0, 0);
    for s in &mut samples {
        stored += s.stored;
        transmitted += s.transmitted;
        (s.stored, s.transmitted) = (stored, transmitted);
    }
    samples
}
