// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example in docs/capture-format.md is what the code writes.
use bootline_capture::units::{Baud, Dur, HostTime};
use bootline_capture::{ChunkTime, Header, Note, NoteKind, encode_chunk, encode_header, encode_note};

const DOC: &str = include_str!("../../../docs/capture-format.md");

fn example() -> Vec<u8> {
    let header = Header {
        started_unix_ns: Some(1_700_000_000_000_000_000),
        declared_baud: Baud::new(9600),
        ..Header::new("bootline 0.1.0", "/dev/ttyUSB0")
    };
    let mut file = encode_header(&header);
    let time = ChunkTime {
        first: HostTime::from_nanos(1_000_000_000),
        span: Dur::from_micros(6_250),
        uncertainty: Dur::from_millis(1),
    };
    encode_chunk(&mut file, time, b"U-Boot\n");
    encode_note(&mut file, &Note::new(HostTime::from_nanos(2_000_000_000), NoteKind::End, "stopped by SIGINT"));
    file
}

/// As `hexdump -C` shows it.
fn hexdump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (n, row) in bytes.chunks(16).enumerate() {
        let hex = |part: &[u8]| part.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
        let (left, right) = row.split_at(row.len().min(8));
        let text: String =
            row.iter().map(|&b| if b.is_ascii_graphic() || b == b' ' { b as char } else { '.' }).collect();
        out.push_str(&format!("{:08x}  {:23}  {:23}  |{text}|\n", n * 16, hex(left), hex(right)));
    }
    out.push_str(&format!("{:08x}\n", bytes.len()));
    out
}

#[test]
fn the_documented_example_is_what_is_written() {
    let shown = DOC.split_once("```hexdump\n").and_then(|(_, rest)| rest.split_once("```")).map(|(dump, _)| dump);
    let written = hexdump(&example());
    assert_eq!(shown, Some(&written[..]), "the document should show:\n{written}");
}
