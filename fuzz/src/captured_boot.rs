// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture: lines of an initramfs at arrival times, and marks.
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords};
use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{
    ChunkTime, Header, MarkEdge, MarkNote, Note, NoteKind, encode_chunk, encode_header, encode_note,
};

/// What comes before the lines under test.
const KERNEL: &[u8] =
    b"[    0.000000] Linux version 6.12.1 (gcc) #1 SMP Mon\n[    1.000000] Run /init as init process\n";

/// Lines of `data` that begin with `=` are marks; the others arrive in pieces, at times that their first byte gives.
///
/// # Panics
/// A step ends before it begins, marks are out of order, or the application is no mark that there is.
pub fn captured_boot(data: &[u8]) {
    let mut file = encode_header(&Header::new("fuzz", "board"));
    let mut now = 0;
    let mut send = |ms: i64, bytes: &[u8], file: &mut Vec<u8>| {
        now += ms;
        encode_chunk(file, ChunkTime::instant(HostTime::from_nanos(now * 1_000_000), Dur::from_millis(1)), bytes);
        now
    };
    send(1, KERNEL, &mut file);
    for line in data.split_inclusive(|b| *b == b'\n') {
        let later = line.first().map_or(0, |b| i64::from(*b) * 10);
        if let Some(name) = line.strip_prefix(b"=") {
            let at = HostTime::from_nanos(send(later, b"", &mut file) * 1_000_000);
            let mark = MarkNote {
                name: String::from_utf8_lossy(name).trim_end().to_owned(),
                input: "dsr".to_owned(),
                edge: MarkEdge::Asserted,
                uncertainty_ns: 1_000_000,
            };
            encode_note(&mut file, &Note { mark: Some(mark), ..Note::new(at, NoteKind::Mark, "") });
            continue;
        }
        // `done.` may come later than what began its line.
        let (first, rest) = line.split_at(line.len() / 2);
        send(later, first, &mut file);
        send(later, rest, &mut file);
    }
    let app = AppMarker::parse("mark:app").expect("a mark");
    for records in BootRecords::all(&file) {
        let boot = Boot::analyse(records, &BootOptions::default()).with_sources(&[], Some(&app));
        for service in &boot.services {
            assert!(service.start.zip(service.end).is_none_or(|(start, end)| start <= end), "{service:?}");
        }
        assert!(boot.marks.windows(2).all(|pair| pair[0].at <= pair[1].at), "{:?}", boot.marks);
        if let Some(application) = &boot.whole.application {
            let mark = application.mark.and_then(|i| boot.marks.get(i)).expect("its mark");
            assert_eq!((mark.name.as_str(), mark.at), ("app", application.at));
        }
    }
}
