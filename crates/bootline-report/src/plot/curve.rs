// SPDX-License-Identifier: MIT OR Apache-2.0
//! The line's curves, sampled for a picture of so many columns: what was stored, what was delivered, how far that lags.
use super::picture::DrawnRecord;
use bootline_capture::units::Dur;

/// The line in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// Characters stored for the console by the column's end.
    pub stored: u64,
    /// Characters delivered by then.
    pub transmitted: u64,
    /// The greatest lag among the records stored in the column: from stored to delivered.
    pub lag: Option<Dur>,
}

/// One sample a column, of the stretch that the columns divide evenly.
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
