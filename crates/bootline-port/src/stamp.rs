// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the bytes of a read arrived, and how sure that is. Pure arithmetic; the reader supplies the observations.
//!
//! Three things are observed, each on CLOCK_MONOTONIC: an instant at which the port had nothing to read (`empty_at`), an
//! instant just after a read returned (`now`), and how many bytes it gave. So every byte of the read reached the host
//! between `empty_at` and `now`.
//!
//! On a line whose speed is known, the last of n bytes arrived at `now` or before, and byte i at least (n-1-i) byte
//! times before the last, for a line can't carry them faster. So byte i is stamped `now - (n-1-i) * byte time`: no
//! byte arrived later than its stamp. How much earlier it may have arrived is the time since `empty_at` less what the
//! line needed for all bytes since then, plus what the driver holds back (`hold`: a FIFO's trigger level, a USB
//! adapter's latency timer). Stamps never go back before the end of the previous chunk; where that moves one, the
//! uncertainty grows by as much.
//!
//! Without a known speed all bytes get `now`, and the uncertainty is the time since `empty_at`.
use bootline_capture::ChunkTime;
use bootline_capture::units::{Dur, HostTime, LineRate};

/// Turns the reader's observations into arrival times.
#[derive(Clone, Debug)]
pub struct Stamper {
    rate: Option<LineRate>,
    hold_time: Dur,
    last_end: HostTime,
    empty_at: HostTime,
    since_empty: u64,
}

impl Stamper {
    /// For a line of this speed, whose driver may hold a byte back for `hold`. Nothing arrived before `opened`.
    pub fn new(rate: Option<LineRate>, hold_time: Dur, opened: HostTime) -> Stamper {
        Stamper { rate, hold_time, last_end: opened, empty_at: opened, since_empty: 0 }
    }

    /// The port had nothing to read at `at`.
    pub fn saw_empty(&mut self, at: HostTime) {
        if at > self.empty_at {
            self.empty_at = at;
            self.since_empty = 0;
        }
    }

    /// What lies there now may have been there for `age` before the port was opened.
    pub fn saw_empty_long_ago(&mut self, age: Dur) {
        self.empty_at = self.empty_at - age;
    }

    /// A read gave `len` bytes and had returned at `now`. `len` is at least 1.
    pub fn saw_read(&mut self, now: HostTime, len: usize) -> ChunkTime {
        let wire = |bytes: u64| self.rate.map_or(Dur::ZERO, |rate| rate.time_for(bytes).as_dur());
        let now = now.max(self.last_end);
        let ideal = now - wire(len as u64 - 1);
        let first = ideal.max(self.last_end);
        self.since_empty += len as u64;
        let slack = (now - self.empty_at - wire(self.since_empty - 1)).max_zero();
        self.last_end = now;
        ChunkTime { first, span: now - first, uncertainty: slack + (first - ideal) + self.hold_time }
    }
}

#[cfg(test)]
mod tests {
    use bootline_capture::units::{Baud, Frame};
    use proptest::prelude::*;

    use super::*;

    fn us(us: i64) -> HostTime {
        HostTime::ORIGIN + Dur::from_micros(us)
    }

    fn at_9600() -> Option<LineRate> {
        Some(LineRate::of(Baud::new(9600).unwrap(), Frame::default()))
    }

    #[test]
    fn without_a_speed_all_bytes_are_stamped_now() {
        let mut s = Stamper::new(None, Dur::ZERO, us(0));
        s.saw_empty(us(900));
        let t = s.saw_read(us(1000), 50);
        assert_eq!((t.first, t.span, t.uncertainty), (us(1000), Dur::ZERO, Dur::from_micros(100)));
    }

    #[test]
    fn a_late_read_is_spread_back_over_its_wire_time() {
        let mut s = Stamper::new(at_9600(), Dur::ZERO, us(0));
        // 97 bytes take 100 ms from the first's arrival to the last's; the reader slept for 120 ms.
        s.saw_empty(us(500_000));
        let t = s.saw_read(us(620_000), 97);
        assert_eq!((t.first, t.span), (us(520_000), Dur::from_millis(100)));
        assert_eq!(t.uncertainty, Dur::from_millis(20));
    }

    #[test]
    fn a_burst_that_the_driver_held_reaches_back_to_the_chunk_before_and_no_further() {
        let mut s = Stamper::new(at_9600(), Dur::from_millis(16), us(0));
        assert_eq!(s.saw_read(us(100_000), 1).first, us(100_000));
        s.saw_empty(us(109_900));
        // 16 bytes need 15.6 ms between first and last, but only 10 passed since the chunk before.
        let t = s.saw_read(us(110_000), 16);
        assert_eq!((t.first, t.span), (us(100_000), Dur::from_millis(10)));
        assert_eq!(t.uncertainty, Dur::from_micros(5_625) + Dur::from_millis(16));
    }

    proptest! {
        /// A simulated line: bytes arrive no faster than its speed, the reader reads late and in pieces of any size. Every
        /// true arrival lies within its chunk's bound, and no stamp goes back.
        #[test]
        fn the_bound_holds(gaps in prop::collection::vec(0i64..30_000, 1..80),
                           lates in prop::collection::vec(0i64..50_000, 80), known in any::<bool>(), look in any::<bool>()) {
            let rate = at_9600();
            let char_us = 1_042; // above 10 bits / 9600 baud, so that no byte comes early
            let mut at = 0;
            let arrivals: Vec<i64> = gaps.iter().map(|gap| { at += char_us + gap; at }).collect();
            let mut s = Stamper::new(rate.filter(|_| known), Dur::ZERO, us(0));
            let (mut next, mut now, mut last) = (0, 0, us(0));
            for late in lates {
                if next == arrivals.len() {
                    break;
                }
                if look && arrivals[next] > now {
                    s.saw_empty(us(now));
                }
                now = (now + late).max(arrivals[next]);
                let n = arrivals[next..].iter().take_while(|&&a| a <= now).count();
                let t = s.saw_read(us(now), n);
                for i in 0..n {
                    let (stamp, truth) = (t.at(i, n), us(arrivals[next + i]));
                    let rounding = Dur::from_nanos(2);
                    prop_assert!(truth <= stamp + rounding, "byte {i} of {n} arrived after its stamp");
                    prop_assert!(truth >= stamp - t.uncertainty - rounding, "byte {i} of {n} arrived before its bound");
                    prop_assert!(stamp >= last, "stamps step back");
                    last = stamp;
                }
                next += n;
            }
        }
    }
}
