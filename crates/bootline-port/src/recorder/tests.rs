// SPDX-License-Identifier: MIT OR Apache-2.0
use bootline_capture::{Damage, Event, Reader};
use proptest::prelude::*;

use super::*;

const US: i64 = 1_000;

#[derive(Debug, Default)]
struct Read {
    chunks: Vec<(ChunkTime, Vec<u8>)>,
    notes: Vec<Note>,
    damage: Vec<Damage>,
    header: Option<Header>,
}

fn read(path: &Path) -> Read {
    let mut got = Read::default();
    let mut sink = |event: Event<'_>| match event {
        Event::Header(h) => got.header = Some(h),
        Event::Chunk(t, b) => got.chunks.push((t, b.to_vec())),
        Event::Note(n) => got.notes.push(n),
        Event::Damage(d) => got.damage.push(d),
    };
    let mut reader = Reader::new();
    reader.push(&std::fs::read(path).unwrap(), &mut sink);
    reader.finish(&mut sink);
    got
}

/// Records `arrivals` (nanoseconds, bytes) and reads them back.
fn recorded(arrivals: &[(i64, &[u8])], uncertainty: Dur) -> Read {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("boot.cap");
    let mut recorder = Recorder::create(&path, &Header::new("test", "nowhere")).unwrap();
    for (at, bytes) in arrivals {
        recorder.bytes(HostTime::from_nanos(*at), uncertainty, bytes).unwrap();
    }
    recorder.finish(HostTime::from_nanos(i64::MAX / 2), "done").unwrap();
    let got = read(&path);
    assert_eq!(got.header, Some(Header::new("test", "nowhere")));
    assert_eq!(got.damage, []);
    assert_eq!(got.notes.len(), 1);
    assert_eq!(got.notes[0].kind, NoteKind::End);
    got
}

fn check_chunks(arrivals: &[(i64, &[u8])], expected: &[&[u8]]) {
    let got = recorded(arrivals, Dur::ZERO);
    let chunks: Vec<&[u8]> = got.chunks.iter().map(|(_, bytes)| &bytes[..]).collect();
    assert_eq!(chunks, expected);
}

#[test]
fn evenly_spaced_bytes_of_a_line_are_one_chunk() {
    let arrivals: Vec<(i64, &[u8])> =
        b"one\ntwo\nrest".chunks(1).enumerate().map(|(i, b)| (i as i64 * 1042 * US, b)).collect();
    check_chunks(&arrivals, &[b"one\n", b"two\n", b"rest"]);
    let got = recorded(&arrivals, Dur::ZERO);
    assert_eq!(
        got.chunks[1].0,
        ChunkTime {
            first: HostTime::from_nanos(4 * 1042 * US),
            span: Dur::from_nanos(3 * 1042 * US),
            uncertainty: Dur::ZERO,
        }
    );
}

#[test]
fn uneven_spacing_ends_a_chunk() {
    check_chunks(&[(0, b"a"), (1000 * US, b"b"), (2000 * US, b"c"), (9000 * US, b"d")], &[b"abc", b"d"]);
    check_chunks(&[(0, b"a"), (1000 * US, b"b"), (2150 * US, b"c"), (3000 * US, b"d")], &[b"abcd"]);
    check_chunks(&[(0, b"abc"), (1000 * US, b"def")], &[b"abc", b"def"]);
    check_chunks(&[(0, b"abc"), (100 * US, b"def")], &[b"abcdef"]);
}

#[test]
fn long_and_slow_chunks_end() {
    let big = vec![b'x'; 10_000];
    check_chunks(&[(0, &big)], &[&big[..4096], &big[..4096], &big[..10_000 - 8192]]);
    check_chunks(&[(0, b"a"), (60_000 * US, b"b"), (120_000 * US, b"c")], &[b"ab", b"c"]);
}

#[test]
fn time_that_goes_back_stands_still() {
    let got = recorded(&[(5000 * US, b"ab\n"), (4000 * US, b"cd\n")], Dur::ZERO);
    assert_eq!(got.chunks[1].0.first, HostTime::from_nanos(5000 * US));
}

#[test]
fn what_was_complete_is_on_disk_before_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("boot.cap");
    let mut recorder = Recorder::create(&path, &Header::new("test", "nowhere")).unwrap();
    recorder.bytes(HostTime::ORIGIN, Dur::ZERO, b"whole\npart").unwrap();
    assert_eq!(read(&path).chunks.len(), 1);
    recorder.idle(HostTime::from_nanos(50_000 * US)).unwrap();
    assert_eq!(read(&path).chunks.len(), 1);
    recorder.idle(HostTime::from_nanos(101_000 * US)).unwrap();
    assert_eq!(read(&path).chunks[1].1, b"part");
    assert!(read(&path).notes.is_empty(), "no end was written");
}

#[test]
fn a_capture_is_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("boot.cap");
    std::fs::write(&path, "mine").unwrap();
    let err = Recorder::create(&path, &Header::new("test", "nowhere")).unwrap_err();
    assert!(matches!(err, RecorderError::Exists { .. }));
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let err = Recorder::onto(Path::new("/dev/full"), full, &Header::new("test", "nowhere")).unwrap_err();
    let text = err.to_string();
    assert!(text.starts_with("can't write capture `/dev/full`: "), "{text}");
}

proptest! {
    /// Whatever the spacing: no byte is lost or moved, chunks don't overlap, and each byte's stated arrival is at or
    /// after its true one, by no more than the stated uncertainty, which is at most three tolerances.
    #[test]
    fn every_arrival_is_within_its_stated_bounds(
        steps in proptest::collection::vec((0i64..3_000, 1usize..12, 0u8..30), 1..300),
        uncertainty in 0i64..1_000,
    ) {
        let mut at = 0;
        let mut arrivals: Vec<(i64, Vec<u8>)> = Vec::new();
        for (step, len, byte) in steps {
            at += step * US;
            arrivals.push((at, vec![byte; len]));
        }
        let borrowed: Vec<(i64, &[u8])> = arrivals.iter().map(|(at, b)| (*at, &b[..])).collect();
        let got = recorded(&borrowed, Dur::from_nanos(uncertainty * US));
        let truth: Vec<(i64, u8)> = arrivals.iter().flat_map(|(at, b)| b.iter().map(|b| (*at, *b))).collect();
        let mut n = 0;
        let mut before = HostTime::ORIGIN;
        for (time, bytes) in &got.chunks {
            prop_assert!(time.uncertainty.as_nanos() <= uncertainty * US + 3 * 1_000.max(uncertainty) * US);
            for (i, byte) in bytes.iter().enumerate() {
                let stated = time.at(i, bytes.len());
                prop_assert!(stated >= before);
                before = stated;
                prop_assert_eq!(*byte, truth[n].1);
                let late = stated.as_nanos() - truth[n].0;
                // One nanosecond for the integer division of `ChunkTime::at`.
                prop_assert!(late >= -1, "byte {n} is stated {late} ns early");
                prop_assert!(late + uncertainty * US <= time.uncertainty.as_nanos() + 1, "byte {n}: {late} late, {:?}", time);
                n += 1;
            }
        }
        prop_assert_eq!(n, truth.len());
    }
}
