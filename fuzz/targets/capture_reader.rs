// SPDX-License-Identifier: MIT OR Apache-2.0
//! The capture reader: from any bytes, in any pieces, the same events.
#![no_main]
use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{ChunkTime, Event, Header, MAGIC, Reader, encode_chunk, encode_header};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let whole = events(data, data.len().max(1));
    assert_eq!(events(data, 7), whole, "the pieces make a difference");

    // A capture's frames behind damage, so that the fuzzer need not guess a checksum.
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(data);
    let time = ChunkTime { first: HostTime::from_nanos(1), span: Dur::ZERO, uncertainty: Dur::ZERO };
    encode_chunk(&mut file, time, data);
    bootline_fuzz::decodes(None, &file);

    // A good capture, in which one byte is wrong.
    let mut file = encode_header(&Header::new("fuzz", "fuzz"));
    encode_chunk(&mut file, time, data);
    if let [at, bit, ..] = data {
        let at = usize::from(*at) % file.len();
        file[at] ^= 1 << (bit % 8);
    }
    bootline_fuzz::decodes(None, &file);
});

fn events(data: &[u8], piece: usize) -> Vec<String> {
    let mut events = Vec::new();
    let mut keep = |event: Event<'_>| events.push(format!("{event:?}"));
    let mut reader = Reader::new();
    data.chunks(piece).for_each(|piece| reader.push(piece, &mut keep));
    reader.finish(&mut keep);
    events
}
