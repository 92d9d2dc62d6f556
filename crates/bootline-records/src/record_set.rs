// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records kept: their text in one arena.
use super::{Arrival, ByteRange, Caller, Level, Record, RecordId, RecordOrigin};
use bootline_capture::units::KernelTime;

/// The records of one boot, in the order in which they were received.
///
/// Every analysis passes over them, most looking at one or two fields: so a record is kept small, and what only few inputs have
/// (arrival times) is kept apart.
#[derive(Clone, Debug, Default)]
pub struct RecordSet {
    arena: String,
    kept: Vec<KeptRecord>,
    /// When each record arrived; empty if none has an arrival time.
    arrivals: Vec<Option<Arrival>>,
}

/// A record without its text and its arrival.
#[derive(Clone, Copy, Debug)]
struct KeptRecord {
    bytes: ByteRange,
    stamp: Option<KernelTime>,
    id: RecordId,
    line_bytes: u32,
    /// Its text is `arena[text_end of the one before..text_end]`.
    text_end: usize,
    caller: Option<Caller>,
    level: Option<Level>,
    source: RecordOrigin,
}

impl RecordSet {
    /// With nothing in it.
    pub fn new() -> RecordSet {
        RecordSet::default()
    }

    /// Makes room for as many records as another set has, and for their texts.
    pub fn reserve_as(&mut self, other: &RecordSet) {
        self.arena.reserve(other.arena.len());
        self.kept.reserve(other.kept.len());
        self.arrivals.reserve(other.arrivals.len());
    }

    /// Keeps a copy of a record. Ids must ascend.
    #[inline]
    pub fn push(&mut self, record: &Record<'_>) {
        debug_assert!(self.kept.last().is_none_or(|last| last.id < record.id));
        if record.arrival.is_some() || !self.arrivals.is_empty() {
            self.arrivals.resize(self.kept.len(), None);
            self.arrivals.push(record.arrival);
        }
        self.arena.push_str(record.text);
        let &Record { id, bytes, source, level, stamp, caller, arrival: _, line_bytes, text: _ } = record;
        let text_end = self.arena.len();
        self.kept.push(KeptRecord { bytes, stamp, id, line_bytes, text_end, caller, level, source });
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The texts of all records, one right after the other.
    pub fn texts(&self) -> &str {
        &self.arena
    }

    /// Whether the log has arrival times.
    pub fn has_arrivals(&self) -> bool {
        !self.arrivals.is_empty()
    }

    /// Length of all texts, in bytes.
    pub fn text_bytes(&self) -> usize {
        self.arena.len()
    }

    /// By position in this set (not by id).
    #[inline]
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        Some(self.whole(index, self.kept.get(index)?))
    }

    /// A record as others see it. Nothing here can panic: so the compiler leaves out the fields that a pass does not look at.
    #[inline]
    fn whole(&self, index: usize, kept: &KeptRecord) -> Record<'_> {
        let start = index.checked_sub(1).and_then(|before| self.kept.get(before)).map_or(0, |before| before.text_end);
        let &KeptRecord { bytes, stamp, id, line_bytes, text_end, caller, level, source } = kept;
        let arrival = self.arrivals.get(index).copied().flatten();
        let text = self.arena.get(start..text_end).unwrap_or_default();
        Record { id, bytes, source, level, stamp, caller, arrival, line_bytes, text }
    }

    /// Position of a record by its id.
    pub fn index_of(&self, id: RecordId) -> Option<usize> {
        self.kept.binary_search_by_key(&id, |m| m.id).ok()
    }

    /// A record by its id.
    pub fn by_id(&self, id: RecordId) -> Option<Record<'_>> {
        self.get(self.index_of(id)?)
    }

    /// All, in order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator + Clone {
        self.kept.iter().enumerate().map(|(index, kept)| self.whole(index, kept))
    }

    /// Positions of the records whose text contains `needle`, ascending, each once: one pass over all texts, faster than
    /// asking each record. An empty needle is in none.
    pub fn containing<'s>(&'s self, needle: &'s str) -> impl Iterator<Item = usize> + 's {
        let finder = memchr::memmem::Finder::new(needle);
        let mut from = 0;
        std::iter::from_fn(move || {
            while !needle.is_empty() {
                let at = from + finder.find(&self.arena.as_bytes()[from..])?;
                let index = self.kept.partition_point(|kept| kept.text_end <= at);
                let end = self.kept[index].text_end;
                if at + needle.len() <= end {
                    from = end;
                    return Some(index);
                }
                // It straddles two records' texts, which no record says.
                // Its first character may be longer than a byte: the search is by bytes.
                from = at + 1;
            }
            None
        })
    }

    /// Moves the records from `index` on into a set of their own.
    pub fn split_off(&mut self, index: usize) -> RecordSet {
        let cut = if index == 0 { 0 } else { self.kept[index - 1].text_end };
        let arena = self.arena.split_off(cut);
        let mut kept = self.kept.split_off(index);
        kept.iter_mut().for_each(|kept| kept.text_end -= cut);
        let mut arrivals = self.arrivals.split_off(index.min(self.arrivals.len()));
        // The other part may have all of them.
        for part in [&mut self.arrivals, &mut arrivals] {
            if part.iter().all(Option::is_none) {
                part.clear();
            }
        }
        RecordSet { arena, kept, arrivals }
    }
}

#[cfg(test)]
mod tests {
    use bootline_capture::units::{Dur, HostTime};
    use proptest::prelude::*;

    use super::*;

    fn record(number: usize, text: &str) -> Record<'_> {
        Record {
            id: RecordId(number as u32 * 2),
            bytes: ByteRange::default(),
            source: RecordOrigin::Kernel,
            level: None,
            stamp: None,
            caller: None,
            arrival: None,
            line_bytes: 0,
            text,
        }
    }

    fn set(texts: &[&str]) -> RecordSet {
        let mut set = RecordSet::new();
        texts.iter().enumerate().for_each(|(i, text)| set.push(&record(i, text)));
        set
    }

    #[test]
    fn containing_names_each_record_once_and_no_two_together() {
        let set = set(&["ab", "cab", "", "abab", "a", "b", "aab", "\u{e9}b"]);
        let check = |needle, want: &[usize]| {
            assert_eq!(set.containing(needle).collect::<Vec<_>>(), want, "{needle:?}");
        };
        check("ab", &[0, 1, 3, 6]);
        check("aab", &[6]);
        check("b", &[0, 1, 3, 5, 6, 7]);
        check("\u{e9}", &[7]);
        check("", &[]);
        check("nothing", &[]);
    }

    proptest! {
        /// Whatever records have arrived, and wherever the set is divided.
        #[test]
        fn what_is_kept_is_what_was_pushed(
            all in prop::collection::vec((any::<Option<i64>>(), any::<Option<i64>>(), "[a\u{e9}]{0,3}"), 0..20),
            at in any::<prop::sample::Index>(),
        ) {
            let of = |(number, (arrived, stamp, text)): (usize, &'_ (Option<i64>, Option<i64>, String))| {
                let at = arrived.map(HostTime::from_nanos);
                let arrival = at.map(|at| Arrival { first: at, last: at, uncertainty: Dur::ZERO });
                (arrival, stamp.map(KernelTime::from_nanos), number, text.clone())
            };
            let wanted: Vec<_> = all.iter().enumerate().map(of).collect();
            let mut first = RecordSet::new();
            for (arrival, stamp, number, text) in &wanted {
                first.push(&Record { arrival: *arrival, stamp: *stamp, ..record(*number, text) });
            }
            let cut = at.index(wanted.len() + 1);
            let second = first.split_off(cut);
            for (set, wanted) in [(first, &wanted[..cut]), (second, &wanted[cut..])] {
                let given = |r: Record<'_>| (r.arrival, r.stamp, r.id.0 as usize / 2, r.text.to_owned());
                prop_assert_eq!(set.iter().map(given).collect::<Vec<_>>(), wanted);
                prop_assert_eq!((0..wanted.len()).filter_map(|i| set.get(i)).map(given).collect::<Vec<_>>(), wanted);
                prop_assert!(set.get(wanted.len()).is_none());
                prop_assert_eq!(set.has_arrivals(), wanted.iter().any(|w| w.0.is_some()));
                prop_assert_eq!(set.texts().len(), wanted.iter().map(|w| w.3.len()).sum::<usize>());
            }
        }
    }
}
