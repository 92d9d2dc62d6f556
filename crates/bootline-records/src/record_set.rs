// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records kept: their text in one arena.
use super::{Record, RecordId};

/// The records of one boot, in the order in which they were received.
#[derive(Clone, Debug, Default)]
pub struct RecordSet {
    arena: String,
    /// Records whose `text` is empty; their text is `arena[text_ends[i - 1]..text_ends[i]]`.
    metas: Vec<Record<'static>>,
    text_ends: Vec<usize>,
}

impl RecordSet {
    /// With nothing in it.
    pub fn new() -> RecordSet {
        RecordSet::default()
    }

    /// Makes room for as many records as another set has, and for their texts.
    pub fn reserve_as(&mut self, other: &RecordSet) {
        self.arena.reserve(other.arena.len());
        self.metas.reserve(other.metas.len());
        self.text_ends.reserve(other.text_ends.len());
    }

    /// Keeps a copy of a record. Ids must ascend.
    pub fn push(&mut self, record: Record<'_>) {
        debug_assert!(self.metas.last().is_none_or(|last| last.id < record.id));
        self.arena.push_str(record.text);
        self.text_ends.push(self.arena.len());
        self.metas.push(Record { text: "", ..record });
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.metas.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.metas.is_empty()
    }

    /// Length of all texts, in bytes.
    pub fn text_bytes(&self) -> usize {
        self.arena.len()
    }

    /// By position in this set (not by id).
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        let meta = self.metas.get(index)?;
        let start = if index == 0 { 0 } else { self.text_ends[index - 1] };
        Some(Record { text: &self.arena[start..self.text_ends[index]], ..*meta })
    }

    /// Position of a record by its id.
    pub fn index_of(&self, id: RecordId) -> Option<usize> {
        self.metas.binary_search_by_key(&id, |m| m.id).ok()
    }

    /// A record by its id.
    pub fn by_id(&self, id: RecordId) -> Option<Record<'_>> {
        self.get(self.index_of(id)?)
    }

    /// All, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator + Clone {
        let metas = self.metas.iter().zip(&self.text_ends).enumerate();
        metas.map(|(i, (meta, end))| {
            let start = if i == 0 { 0 } else { self.text_ends[i - 1] };
            Record { text: &self.arena[start..*end], ..*meta }
        })
    }

    /// Positions of the records whose text contains `needle`, ascending, each once: one pass over all texts, faster than
    /// asking each record. An empty needle is in none.
    pub fn containing<'s>(&'s self, needle: &'s str) -> impl Iterator<Item = usize> + 's {
        let finder = memchr::memmem::Finder::new(needle);
        let mut from = 0;
        std::iter::from_fn(move || {
            while !needle.is_empty() {
                let at = from + finder.find(&self.arena.as_bytes()[from..])?;
                let index = self.text_ends.partition_point(|end| *end <= at);
                let end = self.text_ends[index];
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
        let cut = if index == 0 { 0 } else { self.text_ends[index - 1] };
        let arena = self.arena.split_off(cut);
        let metas = self.metas.split_off(index);
        let text_ends = self.text_ends.split_off(index).into_iter().map(|e| e - cut).collect();
        RecordSet { arena, metas, text_ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteRange, RecordId, RecordOrigin};

    fn set(texts: &[&str]) -> RecordSet {
        let mut set = RecordSet::new();
        for (i, text) in texts.iter().enumerate() {
            let (id, bytes) = (RecordId(i as u32 * 2), ByteRange::default());
            let (level, stamp, caller, arrival) = (None, None, None, None);
            set.push(Record {
                id,
                bytes,
                source: RecordOrigin::Kernel,
                level,
                stamp,
                caller,
                arrival,
                line_bytes: 0,
                text,
            });
        }
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
}
