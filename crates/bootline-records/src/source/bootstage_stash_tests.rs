// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stashes as boards of both word sizes and byte orders write them, whole, cut and hostile.
use super::*;
use crate::source::{Facts, SourceKind, read as read_source};
use proptest::prelude::*;

const LAYOUTS: [Layout; 12] = {
    use {Fields::*, Order::*, Word::*};
    const fn layout(order: Order, header: usize, word: Word, fields: Fields) -> Layout {
        Layout { order, header, word, fields }
    }
    [
        layout(Little, 20, Bits64, Plain),
        layout(Little, 20, Bits32, Plain),
        layout(Little, 16, Bits64, Plain),
        layout(Little, 16, Bits32, Plain),
        layout(Big, 20, Bits64, Plain),
        layout(Big, 20, Bits32, Plain),
        layout(Big, 16, Bits64, Plain),
        layout(Big, 16, Bits32, Plain),
        layout(Little, 20, Bits64, Counted),
        layout(Little, 20, Bits32, Counted),
        layout(Big, 20, Bits64, Counted),
        layout(Big, 20, Bits32, Counted),
    ]
};

/// A record as U-Boot has it: its time, when it was started, its flags, its id and its name.
#[derive(Clone, Debug)]
struct Kept(u64, u32, u32, u32, String);

fn kept() -> Vec<Kept> {
    let record = |us, start, flags, id, name: &str| Kept(us, start, flags, id, name.to_owned());
    vec![
        record(0, 0, 0, 178, "reset"),
        record(183_689, 0, 0, 181, "spl"),
        record(19_104, 900_000, 0, 206, "dm_r"),
        record(1_010_511, 0, 0, 185, "board_init_f"),
        // A mark of the user, and an error.
        record(1_200_000, 0, 2, 215, "user_1"),
        record(1_300_000, 0, 1, 83, "eth: no link"),
        // Accumulators that are not named hold no mark, and neither does an id of zero.
        record(7, 0, 0, 0, "id=0"),
        record(2_500_000, 0, 0, 193, "start_kernel"),
    ]
}

fn u32_of(order: Order, n: u32) -> [u8; 4] {
    match order {
        Order::Little => n.to_le_bytes(),
        Order::Big => n.to_be_bytes(),
    }
}

/// C's long, or a pointer.
fn long(layout: Layout, n: u64) -> Vec<u8> {
    match (layout.word, layout.order) {
        (Word::Bits32, order) => u32_of(order, n as u32).to_vec(),
        (Word::Bits64, Order::Little) => n.to_le_bytes().to_vec(),
        (Word::Bits64, Order::Big) => n.to_be_bytes().to_vec(),
    }
}

/// What such a board writes.
fn stash(layout: Layout, records: &[Kept]) -> Vec<u8> {
    let word = |n: u32| u32_of(layout.order, n).to_vec();
    let half = |n: u32| match layout.order {
        Order::Little => (n as u16).to_le_bytes().to_vec(),
        Order::Big => (n as u16).to_be_bytes().to_vec(),
    };
    let padding = if layout.word == Word::Bits64 { vec![0; 4] } else { vec![] };
    let mut body = Vec::new();
    for (i, Kept(us, start, flags, id, _)) in records.iter().enumerate() {
        let name = long(layout, 0x4_8080_1000 + 32 * i as u64);
        let (us, start) = (long(layout, *us), word(*start));
        body.extend(match layout.fields {
            Fields::Plain => [us, start, padding.clone(), name, word(*flags), word(*id)].concat(),
            Fields::Counted => [us, start, word(i as u32), name, half(*flags), half(*id), padding.clone()].concat(),
        });
    }
    records.iter().for_each(|Kept(.., name)| body.extend([name.as_bytes(), b"\0"].concat()));
    let size = (layout.header + body.len()) as u32;
    let mut stash = [layout.fields as u32, records.len() as u32, size, MAGIC].map(word).concat();
    if layout.header == 20 {
        stash.extend(word(217));
    }
    stash.extend(body);
    stash
}

/// The marks in microseconds, and what is wrong.
fn marks(bytes: &[u8]) -> (Vec<(String, i64)>, Vec<String>) {
    let source = read_source(bytes);
    assert_eq!(source.kind, Some(SourceKind::BootstageStash));
    let Facts::LoaderMarks(marks) = source.facts else { panic!("{:?}", source.facts) };
    let marks = marks.marks.into_iter().map(|m| (m.name, m.at.since_origin().as_nanos() / 1_000));
    (marks.collect(), source.problems.iter().map(|p| p.detail.clone()).collect())
}

/// What `bootstage report` shows of these records.
fn expected(records: &[Kept]) -> Vec<(String, i64)> {
    let shown = records.iter().enumerate().filter(|(i, r)| r.1 == 0 && (*i == 0 || r.3 != 0));
    let mut shown: Vec<(String, i64)> = shown.map(|(_, r)| (r.4.clone(), r.0 as i64)).collect();
    shown.sort_by_key(|(_, us)| *us);
    shown
}

#[test]
fn every_board_is_read_by_itself() {
    let names = ["reset", "spl", "board_init_f", "user_1", "eth: no link", "start_kernel"];
    for layout in LAYOUTS {
        let bytes = stash(layout, &kept());
        let (found, problems) = marks(&bytes);
        assert_eq!(found.iter().map(|m| m.0.as_str()).collect::<Vec<_>>(), names, "{layout:?}");
        assert_eq!((found, problems), (expected(&kept()), vec![]), "{layout:?}");
        // A region is larger than what is in it, and was not always empty.
        let region = [bytes, b"\xff\0old\0".repeat(99)].concat();
        assert_eq!(marks(&region), (expected(&kept()), vec![]), "{layout:?}");
    }
}

#[test]
fn a_stash_that_is_cut_gives_what_is_whole_and_says_so() {
    for layout in LAYOUTS {
        let whole = stash(layout, &kept());
        // Within the names: the last ones are known by their ids.
        let (found, problems) = marks(&whole[..whole.len() - 3]);
        assert_eq!(found[..5], expected(&kept())[..5], "{layout:?}");
        assert_eq!(found[5], ("id=193".to_owned(), 2_500_000), "{layout:?}");
        let said =
            format!("is cut after {} of {} bytes: 8 of 8 records are left, 1 of them", whole.len() - 3, whole.len());
        assert!(problems[0].contains(&said), "{problems:?}");
        // Within the records.
        let (found, problems) = marks(&whole[..layout.header + 2 * layout.word.record() + 5]);
        assert_eq!(found, [("id=178".to_owned(), 0), ("id=181".to_owned(), 183_689)], "{layout:?}");
        assert!(problems[0].contains("2 of 8 records are left, 2 of them without a name"), "{problems:?}");
    }
}

#[test]
fn what_can_not_be_read_is_named() {
    for layout in LAYOUTS {
        let whole = stash(layout, &kept());
        let refused = |at: usize, n: u32, words: &str| {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&u32_of(layout.order, n));
            let (found, problems) = marks(&bytes);
            assert!(found.is_empty() && problems.len() == 1 && problems[0].contains(words), "{found:?} {problems:?}");
        };
        refused(0, 2, "version 2 of U-Boot's bootstage stash is not known");
        refused(8, 0, "it had no room for its records");
        // Counts and sizes that nothing bears out.
        refused(4, 7, "is damaged: in no layout of a board do 7 records");
        refused(4, 9, "is damaged");
        refused(4, u32::MAX, "is damaged");
        refused(8, whole.len() as u32 - 1, "is damaged");
        refused(8, 30, "is damaged");
        let (found, problems) = marks(&whole[..16]);
        let says_so = problems[0].contains("of which the file has 16") || problems[0].contains("is cut after 16 of");
        assert!(found.is_empty() && says_so, "{problems:?}");
        // The magic number alone is in another file, too.
        assert_eq!(read_source(&whole[..15]).kind, None);
    }
    let layout = LAYOUTS[0];
    let far = [Kept(0, 0, 0, 178, "reset".to_owned()), Kept(TOO_LONG, 0, 0, 179, "far".to_owned())];
    assert!(marks(&stash(layout, &far)).1[0].contains("is damaged"));
    assert_eq!(marks(&stash(layout, &[])), (vec![], vec!["the bootstage stash holds no record".to_owned()]));
}

/// A count and a size of some gigabytes cost what the file is long.
#[test]
fn counts_that_the_file_does_not_have_cost_nothing() {
    for layout in LAYOUTS {
        let mut bytes = stash(layout, &kept());
        let count = u32::MAX / 64;
        bytes[4..8].copy_from_slice(&u32_of(layout.order, count));
        bytes[8..12].copy_from_slice(&u32_of(layout.order, u32::MAX));
        bytes.truncate(layout.header + 8 * layout.word.record());
        let (found, problems) = marks(&bytes);
        assert_eq!(found.len(), 6, "{layout:?}");
        assert!(problems[0].contains(&format!("8 of {count} records are left")), "{problems:?}");
    }
}

/// What `md` prints of these bytes in words of so many.
fn md(order: Order, bytes: &[u8], word: usize) -> String {
    let mut dump = String::from("=> md 80010000\n");
    for (i, line) in bytes.chunks(16).enumerate() {
        let words = line.chunks(word).map(|word| {
            let digits = |bytes: &mut dyn Iterator<Item = &u8>| bytes.map(|b| format!("{b:02x}")).collect::<String>();
            match order {
                Order::Little => digits(&mut word.iter().rev()),
                Order::Big => digits(&mut word.iter()),
            }
        });
        let text = line.iter().map(|b| if matches!(b, b' '..=b'~') { char::from(*b) } else { '.' });
        let words: Vec<String> = words.collect();
        dump += &format!("{:08x}: {}  {}\n", 0x8001_0000 + 16 * i, words.join(" "), text.collect::<String>());
    }
    dump + "=> bootm\n"
}

#[test]
fn a_stash_that_u_boot_printed_is_read() {
    for layout in LAYOUTS {
        let region = [stash(layout, &kept()), vec![0; 64]].concat();
        for word in [1, 2, 4, 8] {
            // U-Boot prints whole words.
            let dump = md(layout.order, &region[..region.len() / 8 * 8], word);
            assert_eq!(marks(dump.as_bytes()), (expected(&kept()), vec![]), "{layout:?} {word}\n{dump}");
        }
    }
}

fn records() -> impl Strategy<Value = Vec<Kept>> {
    let name = "[a-z_]{1,24}(: [a-z]{1,9})?";
    let record = (0u64..1 << 32, prop_oneof![Just(0u32), 1u32..], 0u32..4, 16u32..400, name);
    proptest::collection::vec(record, 1..40).prop_map(|records| {
        records.into_iter().map(|(us, start, flags, id, name)| Kept(us, start, flags, id, name)).collect()
    })
}

proptest! {
    #[test]
    fn whatever_was_recorded_comes_back(records in records(), which in 0..LAYOUTS.len(), rest in proptest::collection::vec(any::<u8>(), 0..40)) {
        let bytes = [stash(LAYOUTS[which], &records), rest].concat();
        prop_assert_eq!(marks(&bytes), (expected(&records), vec![]));
    }

    #[test]
    fn a_cut_stash_gives_no_mark_that_the_whole_has_not(records in records(), which in 0..LAYOUTS.len(), cut in any::<prop::sample::Index>()) {
        let whole = stash(LAYOUTS[which], &records);
        let part = &whole[..16 + cut.index(whole.len() - 16)];
        let (found, problems) = marks(part);
        prop_assert!(!problems.is_empty(), "the cut is not reported");
        let all = expected(&records);
        prop_assert!(found.len() <= all.len());
        for (name, us) in found {
            prop_assert!(all.iter().any(|(of, at)| *at == us && (*of == name || name.starts_with("id="))), "{} {}", name, us);
        }
    }

    #[test]
    fn damage_is_no_panic(records in records(), which in 0..LAYOUTS.len(), at in any::<prop::sample::Index>(), with in any::<[u8; 4]>()) {
        let mut bytes = stash(LAYOUTS[which], &records);
        let at = at.index(bytes.len() - 3);
        bytes[at..at + 4].copy_from_slice(&with);
        read_source(&bytes);
    }
}
