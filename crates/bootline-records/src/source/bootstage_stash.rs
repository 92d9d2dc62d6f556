// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot's bootstage stash: what `bootstage stash ADDRESS SIZE` and CONFIG_BOOTSTAGE_STASH leave in memory, as a file.
//!
//! ```text
//! header      version, count, size, magic; next_id in all but old versions                      u32
//! version 0   time_us (ulong), start_us (u32), name (pointer), flags, id (int)                  count times
//! version 1   time_us (ulong), start_us, run_cnt (u32), name (pointer), flags, id (u16)         count times
//! names       one text a record, each ended by a NUL
//! ```
//! Source: bootstage_stash() in U-Boot's common/bootstage.c. Version 1 is that of U-Boot's concept tree, as of 2026.02; mainline wrote
//! version 0 in all versions that were read. The structures are the board's own: in its byte order, with its pointers, and padded
//! as its compiler does. Nothing in them states which, and the version is 0 with and without next_id: the layout is the one in which
//! `count` records and `count` names fill `size` bytes. Of what was accumulated, start_us is not zero. The size stays zero where the
//! records did not fit.
use super::LoaderMarks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::LoaderTime;

/// The header's fourth word.
const MAGIC: u32 = 0xb007_57a3;
const MAGIC_AT: usize = 12;
/// Length of the header with and without next_id, in bytes.
const HEADERS: [usize; 2] = [20, 16];
/// BOOTSTAGEF_ERROR and BOOTSTAGEF_ALLOC, and room for two more. In a wrong layout an id stands there, which is larger for most.
const MOST_FLAGS: u32 = 15;
/// Ids begin at 1, and those that U-Boot allocates follow its own two hundred: one a record.
const MOST_ID: u32 = 4096;

/// No boot takes twelve days, in microseconds: in a wrong layout the upper half of a time is something else.
const TOO_LONG: u64 = 1 << 40;

/// How the board's compiler laid the structures out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    order: Order,
    /// Length of the header, in bytes.
    header: usize,
    word: Word,
    fields: Fields,
}

/// What a record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fields {
    /// Version 0: flags and id end the record, of 32 bits each.
    Plain,
    /// Version 1: a count of runs in front of the name, flags and id of 16 bits each after it.
    Counted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// Size of a pointer, and of C's long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Bits32,
    Bits64,
}

impl Order {
    /// Four bytes as a number; none past the end.
    fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes: [u8; 4] = bytes.get(at..)?.get(..4)?.try_into().ok()?;
        Some(match self {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        })
    }

    fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes: [u8; 2] = bytes.get(at..)?.get(..2)?.try_into().ok()?;
        Some(match self {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        })
    }

    fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let (first, second) = (u64::from(self.u32(bytes, at)?), u64::from(self.u32(bytes, at + 4)?));
        Some(match self {
            Order::Little => second << 32 | first,
            Order::Big => first << 32 | second,
        })
    }
}

impl Word {
    /// Length of a record in bytes, of both versions: of 64 bits, version 0 has four bytes of padding in front of the pointer, and
    /// version 1 at its end.
    fn record(self) -> usize {
        match self {
            Word::Bits32 => 20,
            Word::Bits64 => 32,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Word::Bits32 => 4,
            Word::Bits64 => 8,
        }
    }
}

/// The header's words that are used.
#[derive(Clone, Copy, Debug)]
struct Header {
    order: Order,
    version: u32,
    count: u32,
    /// Length of header, records and names, in bytes.
    size: u32,
}

impl Header {
    fn of(bytes: &[u8]) -> Option<Header> {
        let order = [Order::Little, Order::Big].into_iter().find(|o| o.u32(bytes, MAGIC_AT) == Some(MAGIC))?;
        let word = |at| order.u32(bytes, at);
        Some(Header { order, version: word(0)?, count: word(4)?, size: word(8)? })
    }

    /// What a record of this version has; none where the version is not known.
    fn fields(&self) -> Option<Fields> {
        match self.version {
            0 => Some(Fields::Plain),
            1 => Some(Fields::Counted),
            _ => None,
        }
    }

    /// The layout in which the stash is consistent; none where there is not exactly one. `stash` holds no more than the size says.
    fn layout(&self, fields: Fields, stash: &[u8]) -> Option<Layout> {
        let order = self.order;
        // next_id is older than version 1.
        let headers = HEADERS.into_iter().filter(|header| fields == Fields::Plain || *header == HEADERS[0]);
        let layouts =
            headers.flat_map(|header| [Word::Bits32, Word::Bits64].map(|word| Layout { order, header, word, fields }));
        let fitting: Vec<Layout> = layouts.filter(|layout| layout.fits(self, stash)).collect();
        let only = |found: &[Layout]| <[Layout; 1]>::try_from(found).ok().map(|[layout]| layout);
        // Of a stash that is cut, little may be left that tells layouts apart.
        only(&fitting).or_else(|| {
            let likely = fitting.iter().filter(|layout| layout.has_known_ids(self, stash));
            only(&likely.copied().collect::<Vec<Layout>>())
        })
    }
}

/// A record without its name.
struct Record {
    time_us: u64,
    /// When what is accumulated began last; zero for a mark.
    start_us: u32,
    id: u32,
}

impl Layout {
    /// Where the names begin, in bytes; by the header alone, which may be wrong.
    fn names_at(self, header: &Header) -> u64 {
        self.header as u64 + u64::from(header.count) * self.word.record() as u64
    }

    /// Whether the records and as many names fill the stash, as far as the file has it.
    fn fits(self, header: &Header, stash: &[u8]) -> bool {
        let (names_at, size, count) = (self.names_at(header), u64::from(header.size), u64::from(header.count));
        if size < names_at || size - names_at < count {
            return false;
        }
        let names = usize::try_from(names_at).ok().and_then(|at| stash.get(at..)).unwrap_or_default();
        let ended = names.iter().filter(|b| **b == 0).count() as u64;
        let are_names = match stash.len() as u64 == size {
            true => ended == count && names.last().is_none_or(|b| *b == 0),
            // What is missing ends the last name.
            false => ended < count,
        };
        let is_record = |r: &[u8]| {
            let is_short = self.word == Word::Bits32 || self.order.u64(r, 0).is_some_and(|us| us < TOO_LONG);
            is_short && self.flags_and_id(r).is_some_and(|(flags, _)| flags <= MOST_FLAGS)
        };
        are_names && self.records(header, stash).all(is_record)
    }

    /// Whether each record that is whole has an id such as U-Boot gives them.
    fn has_known_ids(self, header: &Header, stash: &[u8]) -> bool {
        self.records(header, stash).all(|r| self.flags_and_id(r).is_some_and(|(_, id)| id != 0 && id <= MOST_ID))
    }

    /// The bytes of each record that is whole.
    fn records<'s>(self, header: &Header, stash: &'s [u8]) -> impl Iterator<Item = &'s [u8]> + use<'s> {
        let most = usize::try_from(header.count).unwrap_or(usize::MAX);
        stash.get(self.header..).unwrap_or_default().chunks_exact(self.word.record()).take(most)
    }

    fn record(self, bytes: &[u8]) -> Option<Record> {
        let (order, word) = (self.order, self.word.bytes());
        let time_us = match self.word {
            Word::Bits32 => u64::from(order.u32(bytes, 0)?),
            Word::Bits64 => order.u64(bytes, 0)?,
        };
        Some(Record { time_us, start_us: order.u32(bytes, word)?, id: self.flags_and_id(bytes)?.1 })
    }

    fn flags_and_id(self, record: &[u8]) -> Option<(u32, u32)> {
        match self.fields {
            Fields::Plain => {
                let at = self.word.record() - 8;
                Some((self.order.u32(record, at)?, self.order.u32(record, at + 4)?))
            }
            Fields::Counted => {
                // After time, start and count, and pointer.
                let at = 2 * self.word.bytes() + 8;
                Some((self.order.u16(record, at)?.into(), self.order.u16(record, at + 2)?.into()))
            }
        }
    }
}

pub(super) fn is_one(bytes: &[u8]) -> bool {
    Header::of(bytes).is_some()
}

pub(super) fn read(bytes: &[u8], problems: &mut Problems) -> LoaderMarks {
    let mut bad = |detail: String| problems.add(ProblemKind::SourceIncomplete, ByteRange::default(), || detail);
    let Some(header) = Header::of(bytes) else { return LoaderMarks::default() };
    let Header { version, count, size, .. } = header;
    let Some(fields) = header.fields() else {
        bad(format!("version {version} of U-Boot's bootstage stash is not known: give what `bootstage report` prints"));
        return LoaderMarks::default();
    };
    if count == 0 {
        bad("the bootstage stash holds no record".to_owned());
        return LoaderMarks::default();
    }
    if size == 0 {
        bad("U-Boot did not finish the bootstage stash: it had no room for its records. Make it larger \
             (CONFIG_BOOTSTAGE_STASH_SIZE)"
            .to_owned());
        return LoaderMarks::default();
    }
    // Whoever copies memory copies more than the stash.
    let stash = &bytes[..bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
    let Some(layout) = header.layout(fields, stash) else {
        bad(format!(
            "the bootstage stash is damaged: in no layout of a board do {count} records with their names fill {size} bytes, of which \
             the file has {}",
            stash.len()
        ));
        return LoaderMarks::default();
    };
    let names_at = usize::try_from(layout.names_at(&header)).unwrap_or(usize::MAX);
    let mut names = stash.get(names_at..).unwrap_or_default().split_inclusive(|b| *b == 0);
    let mut marks = LoaderMarks::default();
    let (mut read, mut unnamed, mut fits) = (0, 0, true);
    for (i, record) in layout.records(&header, stash).filter_map(|bytes| layout.record(bytes)).enumerate() {
        // A name that the file's end cuts is another name.
        let name = names.next().and_then(|name| name.strip_suffix(b"\0"));
        read += 1;
        unnamed += u32::from(name.is_none());
        // As bootstage_report(): of an id of zero only the reset is shown.
        if record.start_us != 0 || (i > 0 && record.id == 0) {
            continue;
        }
        let name = String::from_utf8_lossy(name.unwrap_or_default());
        let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("id={}", record.id));
        // Less than TOO_LONG.
        let ns = i64::try_from(record.time_us).unwrap_or_default().saturating_mul(1_000);
        fits &= marks.add(LoaderTime::from_nanos(ns), &name);
    }
    if stash.len() < size as usize {
        bad(format!(
            "the bootstage stash is cut after {} of {size} bytes: {read} of {count} records are left, {unnamed} of them without a name",
            stash.len()
        ));
    }
    if !fits {
        problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many marks".to_owned());
    }
    marks.sorted()
}

#[cfg(test)]
#[path = "bootstage_stash_tests.rs"]
mod tests;
