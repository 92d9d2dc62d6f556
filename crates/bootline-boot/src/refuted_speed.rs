// SPDX-License-Identifier: MIT OR Apache-2.0
//! A speed that a log refutes: what arrived, no slower line has transmitted; and where a writer waits for its record, the next one is
//! not stored before the line has transmitted it.
use bootline_capture::units::{Dur, LineRate};
use bootline_records::Record;

/// Fewer records prove nothing.
const FEWEST: usize = 20;

/// Fewer bytes may have been stored before the first arrival: a FIFO, and a packet of an adapter.
const FEWEST_BYTES: u64 = 500;

/// Whether a console's records arrived in less than half of the time that a line of this speed takes.
pub(super) fn arrived_too_soon<'r>(received: impl Iterator<Item = Record<'r>>, rate: LineRate) -> bool {
    let mut arrived = received.filter_map(|r| Some((r.arrival?, u64::from(r.line_bytes)))).peekable();
    let Some((first, _)) = arrived.peek().copied() else { return false };
    let (last, bytes) = arrived.fold((first, 0), |(_, sum), (at, bytes)| (at, sum + bytes));
    let took = (last.last - first.first).max_zero() + first.uncertainty + last.uncertainty;
    bytes >= FEWEST_BYTES && took * 2 < rate.time_for(bytes).as_dur()
}

/// Whether the stamps of most of the records that a console printed, in order, are too close together for a line of this
/// speed. A few may be: on another CPU, a writer hands its record over to the one that prints.
pub(super) fn is_refuted<'r>(printed: impl Iterator<Item = Record<'r>>, rate: LineRate) -> bool {
    let stamped: Vec<Record<'r>> = printed.filter(|r| r.stamp.is_some()).collect();
    let step = step_of(&stamped);
    let (mut all, mut too_soon) = (0, 0);
    for pair in stamped.windows(2) {
        let Some((to, from)) = pair[1].stamp.zip(pair[0].stamp) else { continue };
        all += 1;
        // Stamps that are alike may be almost a step apart.
        let took = (to - from).max_zero() + step;
        too_soon += usize::from(took * 2 < rate.time_for(u64::from(pair[0].line_bytes)).as_dur());
    }
    all >= FEWEST && too_soon * 2 > all
}

/// The step of the stamps' clock: a second (`dmesg -T`), a jiffy at HZ=100, 250 or 1000 (also logcat's milliseconds), or none that
/// counts.
fn step_of(records: &[Record<'_>]) -> Dur {
    let counts_in = |step: &Dur| records.iter().filter_map(|r| r.stamp).all(|s| s.as_nanos() % step.as_nanos() == 0);
    [1_000, 10, 4, 1].map(Dur::from_millis).into_iter().find(counts_in).unwrap_or(Dur::ZERO)
}
