// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::*;
use crate::units::{Dur, HostTime};

#[derive(Debug, PartialEq, Clone)]
enum Got {
    Header(Header),
    Chunk(ChunkTime, Vec<u8>),
    Note(Note),
    Damage(Damage),
}

/// Reads `file` in pieces of `piece` bytes.
fn read(file: &[u8], piece: usize) -> Vec<Got> {
    let mut got = Vec::new();
    let mut sink = |e: Event<'_>| {
        got.push(match e {
            Event::Header(h) => Got::Header(h),
            Event::Chunk(t, b) => Got::Chunk(t, b.to_vec()),
            Event::Note(n) => Got::Note(n),
            Event::Damage(d) => Got::Damage(d),
        });
    };
    let mut reader = Reader::new();
    for part in file.chunks(piece.max(1)) {
        reader.push(part, &mut sink);
    }
    reader.finish(&mut sink);
    got
}

fn chunk_at(ns: i64) -> ChunkTime {
    ChunkTime { first: HostTime::from_nanos(ns), span: Dur::from_micros(5), uncertainty: Dur::from_micros(100) }
}

fn sample() -> (Vec<u8>, Vec<Got>) {
    let header = Header::new("bootline test", "nowhere");
    let note = Note::new(HostTime::from_nanos(9), NoteKind::PortLost, "unplugged");
    let mut file = encode_header(&header);
    encode_chunk(&mut file, chunk_at(1), b"[    0.000000] Linux");
    encode_note(&mut file, &note);
    encode_chunk(&mut file, chunk_at(2_000_000), &[0xB0, 0x7C, 2, 0, 1]);
    let want = vec![
        Got::Header(header),
        Got::Chunk(chunk_at(1), b"[    0.000000] Linux".to_vec()),
        Got::Note(note),
        Got::Chunk(chunk_at(2_000_000), vec![0xB0, 0x7C, 2, 0, 1]),
    ];
    (file, want)
}

#[test]
fn what_is_written_is_read_in_pieces_of_any_size() {
    let (file, want) = sample();
    for piece in [1, 2, 3, 7, 64, file.len()] {
        assert_eq!(read(&file, piece), want, "pieces of {piece}");
    }
}

#[test]
fn an_unknown_version_and_an_unknown_frame_are_named() {
    let (mut file, want) = sample();
    file[MAGIC.len() - 2] = b'7';
    let got = read(&file, 5);
    assert_eq!(got[1..], want[..]);
    assert!(matches!(&got[0], Got::Damage(d) if d.kind == DamageKind::UnknownVersion));
}

#[test]
fn a_damaged_first_line_is_named_and_hides_nothing() {
    let (sound, want) = sample();
    for at in 0..MAGIC.len() - 2 {
        let mut file = sound.clone();
        file[at] ^= 0x10;
        assert!(starts_capture(&file));
        let got = read(&file, 5);
        assert_eq!(got[1..], want[..], "byte {at}");
        assert!(matches!(&got[0], Got::Damage(d) if d.kind == DamageKind::Corrupt), "byte {at}");
    }
    assert!(!starts_capture(b"BOOTLINE is a word that a log may begin with"));
    assert!(!starts_capture(&MAGIC[..10]));
}

#[test]
fn large_chunks_are_split_and_keep_their_times() {
    let mut file = encode_header(&Header::new("t", "s"));
    let bytes = vec![7; MAX_BODY * 2 + 5];
    let time = ChunkTime { first: HostTime::from_nanos(10), span: Dur::from_secs(4), uncertainty: Dur::ZERO };
    encode_chunk(&mut file, time, &bytes);
    let chunks: Vec<_> = read(&file, 100_000)
        .into_iter()
        .filter_map(|g| if let Got::Chunk(t, b) = g { Some((t, b)) } else { None })
        .collect();
    assert_eq!(chunks.len(), 3);
    assert_eq!(chunks.iter().map(|c| c.1.len()).sum::<usize>(), bytes.len());
    let (last, b) = &chunks[2];
    assert_eq!(last.at(b.len() - 1, b.len()), HostTime::from_nanos(10) + Dur::from_secs(4));
}

proptest! {
    /// A file cut anywhere yields a prefix of its events, and says that it was cut unless the cut fell between frames.
    #[test]
    fn a_cut_loses_at_most_the_frame_it_cuts(cut in 0usize..400, piece in 1usize..40) {
        let (file, want) = sample();
        let cut = cut.min(file.len());
        let got = read(&file[..cut], piece);
        let whole: Vec<_> = got.iter().filter(|g| !matches!(g, Got::Damage(_))).cloned().collect();
        prop_assert_eq!(&whole[..], &want[..whole.len()]);
        prop_assert!(got.len() - whole.len() <= 1);
    }

    /// One damaged byte costs at most the frame it is in; the damage is named, and all else is read.
    #[test]
    fn a_flipped_bit_costs_one_frame(at in 0usize..400, bit in 0u8..8, piece in 1usize..40) {
        let (mut file, want) = sample();
        let at = MAGIC.len() + at % (file.len() - MAGIC.len());
        file[at] ^= 1 << bit;
        let got = read(&file, piece);
        let whole: Vec<_> = got.iter().filter(|g| !matches!(g, Got::Damage(_))).cloned().collect();
        prop_assert!(whole.len() >= want.len() - 1, "{:?}", got);
        prop_assert!(whole.iter().all(|g| want.contains(g)));
        prop_assert!(whole.len() < got.len(), "damage is named");
    }

    #[test]
    fn any_bytes_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), piece in 1usize..80) {
        let mut file = MAGIC.to_vec();
        file.extend(bytes);
        read(&file, piece);
    }
}

/// A note of a mark is read back whole; one that a later version wrote still has its name and time.
#[test]
fn notes_of_marks() {
    let mark =
        MarkNote { name: "app-ready".into(), input: "dsr".into(), edge: MarkEdge::Released, uncertainty_ns: 1_200_000 };
    let note = Note { mark: Some(mark), ..Note::new(HostTime::from_nanos(7), NoteKind::Mark, "DSR released") };
    let mut file = encode_header(&Header::new("bootline test", "nowhere"));
    encode_note(&mut file, &note);
    assert_eq!(read(&file, file.len())[1], Got::Note(note.clone()));
    let json = serde_json::to_string(&note).unwrap();
    assert_eq!(
        json,
        "{\"at_ns\":7,\"kind\":\"mark\",\"detail\":\"DSR released\",\"mark\":{\"name\":\"app-ready\",\"input\":\"dsr\",\
         \"edge\":\"released\",\"uncertainty_ns\":1200000}}"
    );
    let later: Note =
        serde_json::from_str(&json.replace("released\"", "toggled\"").replace(",\"uncertainty_ns\":1200000", ""))
            .unwrap();
    assert_eq!(
        later.mark.map(|m| (m.name, m.edge, m.uncertainty_ns)),
        Some(("app-ready".into(), MarkEdge::Unknown, 0))
    );
    let plain = serde_json::to_string(&Note::new(HostTime::from_nanos(7), NoteKind::End, "")).unwrap();
    assert!(!plain.contains("mark"), "{plain}");
}
