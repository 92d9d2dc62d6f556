// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a source's clock lies on the boot's axis.
use bootline_capture::units::Dur;

/// Where a source's clock lies on the boot's axis: axis = clock + offset.
///
/// Both clocks tick alike by then, so one offset is enough; the residuals show where that does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Position of the clock's zero on the axis.
    pub offset: Dur,
    /// What the offset rests on.
    pub by: AlignedBy,
    /// Number of events that both saw.
    pub shared: usize,
    /// Median distance of these events from where the offset puts them.
    pub residual: Dur,
    /// The 95th percentile of these distances.
    pub residual_p95: Dur,
}

/// Moments by clocks that were aligned may lie this far apart and still be one: systemd that starts this soon after init is init.
pub const AT_ONCE: Dur = Dur::from_millis(50);

/// What an alignment rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignedBy {
    /// The units' messages on the console.
    UnitMessages,
    /// The kernel's records, which are in both.
    KernelRecords,
    /// A boot loader's lines on the console.
    LoaderLines,
    /// Initcalls that are in the log and in the source.
    Initcalls,
    /// Both clocks start with the kernel; nothing that both saw checks it.
    KernelStart,
    /// Its last mark is put at the start of what follows: nothing that both saw shows more.
    NextStage,
}

impl AlignedBy {
    /// `units' messages on the console`
    pub fn title(self) -> &'static str {
        match self {
            AlignedBy::UnitMessages => "units' messages on the console",
            AlignedBy::KernelRecords => "kernel records in both",
            AlignedBy::LoaderLines => "the boot loader's lines on the console",
            AlignedBy::Initcalls => "initcalls in both",
            AlignedBy::KernelStart => "the kernel's start, unchecked",
            AlignedBy::NextStage => "the start of the next stage, an assumption",
        }
    }
}

impl Alignment {
    /// Without any event that both saw.
    pub(super) fn unchecked(offset: Dur, by: AlignedBy) -> Alignment {
        Alignment { offset, by, shared: 0, residual: Dur::ZERO, residual_p95: Dur::ZERO }
    }

    /// From the distances axis - clock of the events that both saw; none without any.
    ///
    /// A console's line comes after what it reports and never before it: the offset is the lower quartile, which lateness moves
    /// less than the median, and one wrong pair less than the minimum.
    pub(super) fn of_late(mut distances: Vec<Dur>, by: AlignedBy) -> Option<Alignment> {
        distances.sort_unstable();
        let offset = *distances.get(distances.len() / 4)?;
        Some(Alignment::at(offset, &distances, by))
    }

    /// From such distances of events of which neither side is late by more than the other; none without any.
    pub(super) fn of_equal(mut distances: Vec<Dur>, by: AlignedBy) -> Option<Alignment> {
        distances.sort_unstable();
        let offset = *distances.get(distances.len() / 2)?;
        Some(Alignment::at(offset, &distances, by))
    }

    /// With the residuals of distances, which are not empty.
    fn at(offset: Dur, distances: &[Dur], by: AlignedBy) -> Alignment {
        let mut residuals: Vec<Dur> = distances.iter().map(|d| (*d - offset).abs()).collect();
        residuals.sort_unstable();
        let last = residuals.len() - 1;
        Alignment {
            offset,
            by,
            shared: distances.len(),
            residual: residuals[residuals.len() / 2],
            residual_p95: residuals[(residuals.len() * 95 / 100).min(last)],
        }
    }

    /// A time of the source's clock on the axis.
    pub fn on_axis(&self, since_zero: Dur) -> Dur {
        since_zero + self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_events_and_a_wrong_pair_move_the_offset_little() {
        let ms = |n| Dur::from_millis(n);
        let mut distances = vec![ms(100); 8];
        distances.extend([ms(101), ms(103), ms(126), ms(900), ms(-5_000)]);
        let a = Alignment::of_late(distances, AlignedBy::UnitMessages).unwrap();
        assert_eq!((a.offset, a.shared, a.residual), (ms(100), 13, Dur::ZERO));
        assert_eq!(a.residual_p95, ms(5_100));
        assert_eq!(a.on_axis(ms(5)), ms(105));
        assert_eq!(Alignment::of_late(Vec::new(), AlignedBy::UnitMessages), None);
    }
}
