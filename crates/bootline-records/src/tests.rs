// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for any input.
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};

/// Everything that a decoder says, in order.
#[derive(Debug, Default, PartialEq)]
struct Transcript {
    entries: Vec<Entry>,
    summary: Option<DecodeSummary>,
}

#[derive(Debug, PartialEq)]
enum Entry {
    Record(Record<'static>, String),
    Problem(ProblemKind, ByteRange, String),
}

impl Sink for Transcript {
    fn record(&mut self, record: Record<'_>) {
        self.entries.push(Entry::Record(Record { text: "", ..record }, record.text.to_owned()));
    }
    fn problem(&mut self, kind: ProblemKind, bytes: ByteRange, detail: &str) {
        self.entries.push(Entry::Problem(kind, bytes, detail.to_owned()));
    }
}

impl Transcript {
    fn of<'a>(format: Option<Format>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Transcript {
        let mut transcript = Transcript::default();
        let mut decoder = Decoder::new(format);
        pieces.into_iter().for_each(|piece| decoder.push(piece, &mut transcript));
        transcript.summary = Some(decoder.finish(&mut transcript));
        transcript
    }

    fn records(&self) -> impl Iterator<Item = (&Record<'static>, &str)> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Record(record, text) => Some((record, text.as_str())),
            Entry::Problem(..) => None,
        })
    }

    fn problems(&self) -> impl Iterator<Item = (ProblemKind, ByteRange)> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Problem(kind, bytes, _) => Some((*kind, *bytes)),
            Entry::Record(..) => None,
        })
    }
}

/// Cuts an input at places that depend on `sizes` alone.
fn pieces<'a>(bytes: &'a [u8], sizes: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let (mut at, mut sizes) = (0, sizes.iter().cycle());
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let piece = &rest[..rest.len().min(*sizes.next()?)];
        at += piece.len();
        Some(piece)
    })
}

/// Fragments of which hostile logs are made: more likely to meet a corner than random bytes are.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let fixed: &[&[u8]] = &[
        b"[    0.000000] Linux version 6.6",
        b"[    1.234567][    T1] text",
        b"<6>[    2.000000] raw",
        b"<30>",
        b"[   ",
        b"[99999999999999999999.000000] ",
        b"[123456.000001] ",
        b"[1.000000] ",
        b"[1.000000 0.000001] ",
        b"[2026-03-01 10:00:00.100] ",
        b"[10:00:00.100] ",
        b"Mar  1 10:00:00 ",
        b"host kernel: [    1.000000] text",
        b"host unit[1]: text",
        b"6,1,100000,-;kmsg\\x0aline",
        b"6,9,100000,-,caller=T1;",
        b" KEY=value",
        b"[    1.000000] host kernel: text",
        b"[    1.000000] host unit[1]: text",
        b"{\"__CURSOR\":\"\",\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"x\"}",
        b"{\"dmesg\": [",
        b"{\"pri\": 6, \"time\": 1.000000, \"msg\": \"x\"}",
        b"kern  :info  : ",
        b"- {\"dt\": \"2026-03-01T10:00:00.1\", \"lvl\": \"target\", \"msg\": \"[    1.000000] x\\n",
        b"\"}",
        b"2026-04-24T16:37:21.964000Z 00O ",
        b"MESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n",
        b"_TRANSPORT=kernel\n",
        b"    MESSAGE=x\n",
        b"Linux version 6.6 (a) #1",
        b"[    1.000000] [0: swapper: 0] ",
        b"[Sun Mar  1 10:00:00 2026] ",
        b"[  +0.100000] ",
        b"               indented",
        b"\x1b[0m",
        b"\x1b]",
        b"\x1b",
        b"\r",
        b"\r\n",
        b"\n",
        b"\n",
        b"\0",
        b"\xff",
        b"\xe2\x9c",
        b"plain text",
        b"INIT: ",
        b"",
    ];
    prop_oneof![
        8 => prop::sample::select(fixed).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 0..40),
        1 => (any::<u8>(), 1..3000_usize).prop_map(|(b, n)| vec![b; n]),
    ]
}

fn input() -> impl Strategy<Value = Vec<u8>> {
    vec(fragment(), 0..120).prop_map(|fragments| fragments.concat())
}

fn format() -> impl Strategy<Value = Option<Format>> {
    prop_oneof![Just(None), prop::sample::select(&Format::ALL).prop_map(Some)]
}

/// The same bytes as a capture, in chunks of these sizes, one millisecond apart.
fn captured(bytes: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut file = encode_header(&Header::new("test", "test"));
    for (n, piece) in pieces(bytes, sizes).enumerate() {
        let time = ChunkTime {
            first: HostTime::from_nanos(n as i64 * 1_000_000),
            span: Dur::from_micros(900),
            uncertainty: Dur::from_nanos(n as i64),
        };
        encode_chunk(&mut file, time, piece);
    }
    file
}

fn sizes(most: usize) -> impl Strategy<Value = Vec<usize>> {
    vec(1..most, 1..8)
}

/// Inputs with stretches longer than the longest line.
fn long_input() -> impl Strategy<Value = Vec<u8>> {
    let stretch = (prop::sample::select(b"x \r[\0".as_slice()), 1..50_000_usize).prop_map(|(b, n)| vec![b; n]);
    vec(prop_oneof![3 => fragment(), 1 => stretch], 0..30).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_make_no_difference(bytes in input(), format in format(), sizes in sizes(50)) {
        let whole = Transcript::of(format, [bytes.as_slice()]);
        prop_assert_eq!(Transcript::of(format, pieces(&bytes, &sizes)), whole);
    }

    #[test]
    fn pieces_of_a_capture_make_no_difference(bytes in input(), chunks in sizes(50), sizes in sizes(50)) {
        let file = captured(&bytes, &chunks);
        let whole = Transcript::of(None, [file.as_slice()]);
        prop_assert_eq!(Transcript::of(None, pieces(&file, &sizes)), whole);
    }

    #[test]
    fn pieces_of_long_lines_make_no_difference(
        bytes in long_input(),
        format in format(),
        chunks in sizes(3000),
        sizes in sizes(5000),
    ) {
        let whole = Transcript::of(format, [bytes.as_slice()]);
        prop_assert_eq!(&Transcript::of(format, pieces(&bytes, &sizes)), &whole);
        let from_capture = Transcript::of(None, [captured(&bytes, &chunks).as_slice()]);
        let (mut end, mut last) = (0, HostTime::from_nanos(0));
        for (record, _) in from_capture.records() {
            prop_assert_eq!(record.bytes.start, end);
            prop_assert_eq!(u64::from(record.line_bytes), record.bytes.len());
            let arrival = record.arrival.expect("a capture has arrival times");
            prop_assert!(last <= arrival.first && arrival.first <= arrival.last);
            (end, last) = (record.bytes.end, arrival.last);
        }
        prop_assert_eq!(end, bytes.len() as u64);
    }

    #[test]
    fn ranges_ascend_and_are_told_of(bytes in input(), format in format()) {
        let found = Transcript::of(format, [bytes.as_slice()]);
        let mut end = 0;
        for (n, (record, _)) in found.records().enumerate() {
            prop_assert_eq!(record.id, RecordId(n as u32));
            prop_assert!(record.bytes.start >= end, "{:?} overlaps", record);
            prop_assert!(!record.bytes.is_empty());
            prop_assert!(is_left_out(&bytes, end, record.bytes.start, &found), "{}..{} is lost", end, record.bytes.start);
            end = record.bytes.end;
        }
        prop_assert!(end <= bytes.len() as u64);
        prop_assert!(is_left_out(&bytes, end, bytes.len() as u64, &found), "{}.. is lost", end);
        for (_, range) in found.problems() {
            prop_assert!(range.end <= bytes.len() as u64);
        }
    }

    /// A capture's records tile the console's output, and together take as many characters as were received.
    #[test]
    fn a_capture_loses_no_character(bytes in input(), chunks in sizes(50)) {
        let found = Transcript::of(None, [captured(&bytes, &chunks).as_slice()]);
        let mut end = 0;
        let mut last = HostTime::from_nanos(0);
        for (record, _) in found.records() {
            prop_assert_eq!(record.bytes.start, end);
            prop_assert_eq!(u64::from(record.line_bytes), record.bytes.len());
            end = record.bytes.end;
            let arrival = record.arrival.expect("a capture has arrival times");
            prop_assert!(last <= arrival.first && arrival.first <= arrival.last);
            last = arrival.last;
        }
        prop_assert_eq!(end, bytes.len() as u64);
    }

    #[test]
    fn a_problem_is_told_once_a_line(bytes in input(), format in format()) {
        let found = Transcript::of(format, [bytes.as_slice()]);
        let mut reported = std::collections::HashSet::new();
        for (kind, range) in found.problems() {
            let start = &bytes[..range.start as usize];
            let line = memchr::memchr_iter(b'\n', start).count();
            // Where an entry may take several lines, its problems are reported once an entry.
            let format = found.summary.and_then(|s| s.format);
            let is_lines =
                !matches!(format, Some(Format::DmesgJson | Format::JournalExport | Format::JournalVerbose | Format::JournalJson | Format::Lava));
            if is_lines && kind != ProblemKind::UnknownFormat {
                prop_assert!(reported.insert((kind, line)), "{:?} twice in line {}", kind, line);
            }
        }
    }

    #[test]
    fn text_holds_no_control(bytes in input(), format in format()) {
        for (record, text) in Transcript::of(format, [bytes.as_slice()]).records() {
            let control = text.chars().find(|c| c.is_control() && !matches!(c, '\t' | '\n'));
            prop_assert_eq!(control, None, "in {:?} {:?}", record, text);
        }
    }

    #[test]
    fn random_bytes_are_survived(bytes in vec(any::<u8>(), 0..4000), format in format()) {
        Transcript::of(format, [bytes.as_slice()]);
    }
}

/// Whether bytes of which no record was made are ones that formats leave out: blank lines, kmsg's device lines, what
/// stands between JSON objects, or what a problem names.
fn is_left_out(bytes: &[u8], from: u64, to: u64, found: &Transcript) -> bool {
    let gap = &bytes[from as usize..to as usize];
    match found.summary.and_then(|s| s.format) {
        // Whatever is no object in an array.
        Some(Format::DmesgJson) => true,
        // What the dispatcher or the journal says of itself.
        Some(Format::Lava | Format::JournalExport | Format::JournalVerbose) => true,
        Some(Format::Kmsg) => {
            gap.split(|b| *b == b'\n').all(|line| line.starts_with(b" ") || line.trim_ascii().is_empty())
        }
        // An entry that was cut off in the middle.
        Some(Format::JournalJson) => true,
        _ => gap.is_empty(),
    }
}

#[test]
fn a_capture_s_record_arrives_from_its_first_to_its_last_byte() {
    let mut file = encode_header(&Header::new("test", "test"));
    let at = |ms| HostTime::from_nanos(ms * 1_000_000);
    let chunk = |first, span| ChunkTime {
        first: at(first),
        span: Dur::from_millis(span),
        uncertainty: Dur::from_micros(first),
    };
    encode_chunk(&mut file, chunk(10, 10), b"[    0.0000");
    encode_chunk(&mut file, chunk(100, 12), b"00] Linux\r\nIN");
    encode_chunk(&mut file, chunk(200, 22), b"IT: [    1.000000] two\n");
    let found = Transcript::of(None, [file.as_slice()]);
    let arrivals: Vec<_> = found
        .records()
        .map(|(record, text)| (text, record.arrival.expect("a capture")))
        .map(|(text, a)| (text, a.first, a.last, a.uncertainty))
        .collect();
    let us = Dur::from_micros;
    assert_eq!(
        arrivals,
        [
            ("Linux", at(10), at(110), us(100)),
            ("INIT: ", at(111), at(203), us(200)),
            ("two", at(204), at(222), us(200)),
        ]
    );
}

#[test]
fn a_long_line_is_kept_to_64_kib() {
    let mut input = b"[    0.000000] first\n[    1.000000] ".to_vec();
    input.resize(input.len() + 300_000, b'x');
    input.extend_from_slice(b"\n[    2.000000] after\n");
    for size in [1_000, 65_536, 1_000_000] {
        let found = Transcript::of(None, input.chunks(size));
        let lengths: Vec<_> = found.records().map(|(r, text)| (text.len(), r.line_bytes)).collect();
        assert_eq!(lengths, [(5, 22), (64 * 1024 - 15, 300_017), (5, 22)]);
        let kinds: Vec<_> = found.problems().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [ProblemKind::LineTooLong]);
    }
}

#[test]
fn a_log_without_line_feeds_is_cut_where_its_lines_ended() {
    for end in ["\r", ""] {
        let line = format!("[    1.000000] a line of a log whose line feeds were lost{end}");
        let input = line.repeat(5_000);
        let found = Transcript::of(None, [input.as_bytes()]);
        assert_eq!(found.records().count(), 5_000);
        assert!(found.problems().all(|(kind, _)| kind != ProblemKind::LineTooLong));
    }
}

/// Decodes lines of a known format; each record as `K 6 1.234567 T1 text` (O: not the kernel's).
pub(super) fn check(format: Format, input: &str, expected: &[&str], problems: &[ProblemKind]) {
    let found = Transcript::of(Some(format), [input.as_bytes()]);
    let lines: Vec<String> = found
        .records()
        .map(|(r, text)| {
            let source = if r.source == RecordOrigin::Kernel { "K" } else { "O" };
            let level = r.level.map_or("-".to_owned(), |l| l.0.to_string());
            let stamp = r.stamp.map_or("-".to_owned(), |s| s.to_string());
            let caller = match r.caller {
                Some(Caller::Task(n)) => format!("T{n}"),
                Some(Caller::Cpu(n)) => format!("C{n}"),
                None => "-".to_owned(),
            };
            format!("{source} {level} {stamp} {caller} {text}")
        })
        .collect();
    assert_eq!(lines, expected, "{input:?}");
    let kinds: Vec<_> = found.problems().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, problems, "{input:?}");
}
