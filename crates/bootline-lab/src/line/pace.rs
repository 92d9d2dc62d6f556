// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedule of a line of true speed, byte by byte: arithmetic alone, no clock and no file.
use bootline_capture::units::{Baud, Dur, Frame, HostTime};

/// How long a wake-up and QEMU's refill may take together; the slots cover this time.
const BRIDGED: Dur = Dur::from_micros(700);
/// The most slots: a pipe of 1 MiB, which any user may have.
const MAX_SLOTS: i64 = 256;
/// A sender that left the free line empty for longer than this was idle.
const MAX_SLACK: Dur = Dur::from_millis(2);
/// Lateness beyond this is not made up: the guest would see a line that is far too fast for too long.
pub(crate) const MAX_DEFICIT: Dur = Dur::from_millis(50);

/// A transmitter's schedule. Bytes occupy the line one after the other, each for exactly its frame; `free_at` is the
/// end of the last one. A reader that is late takes all bytes that are due by then: the deficit is carried over, so
/// that a late reader costs no time in the long run.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    baud: u64,
    bits: u64,
    /// Start of the first byte counted in `sent`; dividing for each byte would accumulate rounding errors.
    base: HostTime,
    sent: u64,
    last_take: HostTime,
}

impl Pacer {
    /// A line that is free from the clock's origin on.
    pub fn new(baud: Baud, frame: Frame) -> Pacer {
        Pacer {
            baud: u64::from(baud.get()),
            bits: u64::from(frame.bits()),
            base: HostTime::ORIGIN,
            sent: 0,
            last_take: HostTime::ORIGIN,
        }
    }

    /// How many bytes the transport should hold: one if a wake-up is short compared with a byte, more on fast lines (a
    /// transmitter's FIFO). A power of two.
    pub fn slots(&self) -> usize {
        let wanted = (BRIDGED.as_nanos() / self.time_for(1).as_nanos().max(1)).clamp(1, MAX_SLOTS);
        (wanted as usize).next_power_of_two().min(MAX_SLOTS as usize)
    }

    /// How many bytes to take per wake-up: half of the slots, so that the sender can refill meanwhile.
    pub fn batch(&self) -> u64 {
        (self.slots() as u64 / 2).max(1)
    }

    /// A byte is ready for the line at `now`. Returns the start of a new busy period if the line was idle, that is, if
    /// the sender left it empty although it could have sent.
    pub fn waiting(&mut self, now: HostTime) -> Option<HostTime> {
        let free = self.free_at();
        let slack = self.time_for(self.slots() as u64).min(MAX_SLACK);
        let began = self.sent == 0 && self.base == HostTime::ORIGIN;
        if now > free && (began || now - self.last_take > slack) {
            self.restart(now);
            return Some(now);
        }
        if now - free > MAX_DEFICIT {
            self.restart(now - MAX_DEFICIT);
        }
        None
    }

    /// When the `n`th byte from now on is transmitted.
    pub fn due(&self, n: u64) -> HostTime {
        self.base + self.time_for(self.sent + n)
    }

    /// When the line is free.
    pub fn free_at(&self) -> HostTime {
        self.due(0)
    }

    /// `n` bytes, which were due, were taken at `now`.
    pub fn take(&mut self, now: HostTime, n: u64) {
        self.sent += n;
        self.last_take = now;
    }

    fn restart(&mut self, at: HostTime) {
        self.base = at;
        self.sent = 0;
    }

    fn time_for(&self, characters: u64) -> Dur {
        let ns = u128::from(characters) * u128::from(self.bits) * 1_000_000_000 / u128::from(self.baud);
        Dur::from_nanos(i64::try_from(ns).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pacer(baud: u32) -> Pacer {
        Pacer::new(Baud::new(baud).unwrap(), Frame::default())
    }

    #[test]
    fn slots_grow_with_the_baud() {
        for (baud, slots) in
            [(300, 1), (9600, 1), (19_200, 1), (38_400, 2), (115_200, 8), (921_600, 64), (4_000_000, 256)]
        {
            assert_eq!(pacer(baud).slots(), slots, "{baud}");
        }
    }

    #[test]
    fn rounding_does_not_add_up() {
        let mut p = pacer(921_600);
        p.waiting(HostTime::from_nanos(1));
        p.take(HostTime::from_nanos(2), 92_160 * 3600);
        assert_eq!(p.free_at(), HostTime::from_nanos(1 + 3_600_000_000_000));
    }

    /// Sends `bytes` characters that are always there, through a reader that is late by `late[i]` (us) at its `i`th
    /// wake-up and a sender that needs `refill` us to put the next one. Returns (due, taken) of each, from time 1 s on.
    fn drain(baud: u32, bytes: usize, late: &[i64], refill: i64) -> Vec<(HostTime, HostTime)> {
        let mut p = pacer(baud);
        let mut now = HostTime::from_nanos(1_000_000_000);
        let mut got = Vec::new();
        let mut wakes = 0;
        while got.len() < bytes {
            p.waiting(now);
            let wake = p.due(p.batch());
            if now < wake {
                now = wake + Dur::from_micros(late[wakes % late.len()]);
                wakes += 1;
            }
            let mut held = p.slots();
            while p.due(1) <= now && held > 0 {
                got.push((p.due(1), now));
                p.take(now, 1);
                held -= 1;
            }
            now = now + Dur::from_micros(refill);
        }
        got
    }

    proptest! {
        /// However late the reader: characters are due one frame apart or more, never taken before they are due, and
        /// taken in any window no faster than the line, beyond the slots and the deficit that may be carried.
        #[test]
        fn the_rate_is_never_exceeded(
            baud in 300u32..4_000_000,
            late in proptest::collection::vec(0i64..80_000, 1..8),
            refill in 1i64..400,
        ) {
            let got = drain(baud, 400, &late, refill);
            let p = pacer(baud);
            let frame = p.time_for(1);
            for pair in got.windows(2) {
                prop_assert!(pair[1].0 - pair[0].0 >= frame - Dur::from_nanos(1));
            }
            prop_assert!(got.iter().all(|(due, taken)| taken >= due));
            let allowed_early = MAX_DEFICIT + p.time_for(p.slots() as u64) + Dur::from_micros(refill);
            for from in (0..got.len()).step_by(37) {
                for to in (from + 1..got.len()).step_by(41) {
                    let window = got[to].1 - got[from].1;
                    prop_assert!(window + allowed_early >= p.time_for((to - from) as u64));
                }
            }
        }

        /// A reader's lateness costs no time in the long run, as long as it is within what may be carried.
        #[test]
        fn the_deficit_is_carried(
            baud in 300u32..20_000,
            late in proptest::collection::vec(0i64..20_000, 1..8),
            refill in 1i64..200,
        ) {
            let got = drain(baud, 300, &late, refill);
            let ideal = pacer(baud).time_for(300);
            let due = got[299].0 - HostTime::from_nanos(1_000_000_000);
            prop_assert_eq!(due, ideal);
        }

        /// With the same reader and sender, a faster line is through no later.
        #[test]
        fn a_faster_line_is_never_slower(
            slow in 300u32..2_000_000,
            more in 1u32..2_000_000,
            late in 0i64..3_000,
            refill in 1i64..300,
        ) {
            let end = |baud| drain(baud, 600, &[late], refill)[599];
            let (slow_due, _) = end(slow);
            let (fast_due, _) = end(slow + more);
            // A batch is a whole number of characters: rounding it may cost the faster line one wake-up.
            let grain = Dur::from_micros(late + refill) + BRIDGED;
            prop_assert!(fast_due <= slow_due + grain, "{fast_due} > {slow_due}");
        }

        /// A sender that pauses gets no credit for the pause.
        #[test]
        fn an_idle_line_earns_nothing(baud in 300u32..4_000_000, pause_ms in 60i64..10_000) {
            let mut p = pacer(baud);
            let start = HostTime::from_nanos(1_000_000_000);
            p.waiting(start);
            let end = p.due(5);
            p.take(end, 5);
            let later = end + Dur::from_millis(pause_ms);
            prop_assert_eq!(p.waiting(later), Some(later));
            prop_assert_eq!(p.due(1), later + p.time_for(1));
        }
    }
}
