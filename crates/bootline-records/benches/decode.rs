// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many MB/s the decoder takes, by form: `cargo bench -p bootline-records --bench decode [-- FORM..]`.
//!
//! Two kinds of logs, made in memory. `FORM` is 64 MB of lines as long and as mixed as those of a boot with initcall_debug: such
//! figures can be compared with each other. `case:CASE` is 8 MB of a golden case of tests/formats, over and over; cases are found
//! on disk, and each format has to have one. Each log is decoded several times in pieces of 256 KiB; the best run counts,
//! since the host's noise only ever slows one down. The time is the processor's, where Linux tells it (schedstat), so that
//! other programs disturb less.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a bench is a program"
)]
use std::fs;
use std::path::Path;

use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};
use bootline_records::{ByteRange, Decoder, Format, ProblemKind, Record, Sink};
use bootline_testkit::Stopwatch;

const SIZE: usize = 64 << 20;
const CASE_SIZE: usize = 8 << 20;
const PIECE: usize = 256 << 10;
const RUNS: usize = 5;

#[derive(Default)]
struct Count {
    records: u64,
    text_bytes: u64,
    problems: u64,
}

impl Sink for Count {
    fn record(&mut self, record: Record<'_>) {
        self.records += 1;
        self.text_bytes += record.text.len() as u64;
    }
    fn problem(&mut self, _kind: ProblemKind, _bytes: ByteRange, _detail: &str) {
        self.problems += 1;
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    let crlf = |us, text: &str| format!("[{:5}.{:06}] {text}\r\n", us / 1_000_000, us % 1_000_000);
    let clock = |us: u64| format!("{:02}:{:02}.{:06}", us / 60_000_000 % 60, us / 1_000_000 % 60, us % 1_000_000);
    let inputs: [(&str, &dyn Fn() -> Vec<u8>); 14] = [
        ("console", &|| log(&|us, text| format!("[{:5}.{:06}] {text}\n", us / 1_000_000, us % 1_000_000))),
        ("console-crlf-capture", &|| captured(&log(&crlf))),
        ("console-callers", &|| {
            log(&|us, text| format!("[{:5}.{:06}][    T1] {text}\n", us / 1_000_000, us % 1_000_000))
        }),
        ("console-colours", &|| log(&|us, text| format!("\x1b[32m{}\x1b[0m\n", crlf(us, text).trim_end()))),
        ("minicom", &|| {
            log(&|us, text| {
                let (s, ms) = (us / 1_000_000 % 60, us / 1_000 % 1_000);
                format!("[2026-03-01 10:{:02}:{s:02}.{ms:03}] {}", us / 60_000_000 % 60, crlf(us, text))
            })
        }),
        ("kmsg", &|| log(&|us, text| format!("6,{},{us},-;{text}\n", us / 137))),
        ("dmesg-x-delta", &|| {
            log(&|us, text| {
                format!("kern  :info  : [{:5}.{:06} <    0.000137>] {text}\n", us / 1_000_000, us % 1_000_000)
            })
        }),
        ("lava", &|| {
            log(&|us, text| {
                let text = crlf(us, text);
                format!(
                    "- {{\"dt\": \"2026-03-01T10:{}\", \"lvl\": \"target\", \"msg\": \"{}\"}}\n",
                    clock(us),
                    text.trim_end()
                )
            })
        }),
        ("lava-block", &|| {
            log(&|us, text| {
                let text = crlf(us, text);
                format!("- dt: '2026-03-01T10:{}'\n  lvl: target\n  msg: '{}'\n", clock(us), text.trim_end())
            })
        }),
        ("ci-log", &|| log(&|us, text| format!("2026-03-01T10:{}Z 00O {}", clock(us), crlf(us, text)))),
        ("journal-json", &|| {
            log(&|us, text| {
                format!(
                    "{{\"_TRANSPORT\":\"kernel\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"{us}\",\"PRIORITY\":\"6\",\"MESSAGE\":\"{text}\"}}\n"
                )
            })
        }),
        ("journal-export", &|| {
            log(&|us, text| {
                format!(
                    "_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={us}\nPRIORITY=6\nMESSAGE={text}\n__CURSOR=s\n\n"
                )
            })
        }),
        ("logcat", &|| log(&|us, text| format!("03-01 10:{}     0     0 I {text}\n", &clock(us)[..9]))),
        ("dmesg-json", &|| {
            let body = log(&|us, text| {
                let (s, us) = (us / 1_000_000, us % 1_000_000);
                format!("{{\n \"pri\": 6,\n \"time\": {s:5}.{us:06},\n \"msg\": \"{text}\"\n}},")
            });
            [b"{\"dmesg\": [".as_slice(), &body].concat()
        }),
    ];
    println!("{:<30} {:<16} {:>8} {:>10} {:>9}", "input", "format", "MB/s", "records", "ns/record");
    for (name, make) in inputs.iter().filter(|(name, _)| is_wanted(name)) {
        measure(name, &make());
    }
    let mut missing: Vec<Format> = Format::ALL.to_vec();
    for (name, input) in cases().iter().filter(|(name, _)| is_wanted(name)) {
        let format = measure(name, &input.repeat(CASE_SIZE / input.len() + 1));
        missing.retain(|m| Some(*m) != format);
    }
    assert!(!wanted.is_empty() || missing.is_empty(), "no golden case has the format {missing:?}");
    if is_wanted("memchr") {
        let input = log(&|us, text| format!("[{:5}.{:06}] {text}\n", us / 1_000_000, us % 1_000_000));
        let start = Stopwatch::start();
        let lines = memchr::memchr_iter(b'\n', &input).count();
        let elapsed = start.elapsed_s();
        let rate = input.len() as f64 / elapsed / 1e6;
        println!("{:<30} {:<16} {rate:>8.0} {lines:>10} {:>9.1}", "memchr", "lines only", elapsed * 1e9 / lines as f64);
    }
}

/// Prints a line of the table; gives the format that was measured.
fn measure(name: &str, input: &[u8]) -> Option<Format> {
    let mut best = f64::MAX;
    let mut count = Count::default();
    let mut format = None;
    for _ in 0..RUNS {
        count = Count::default();
        let start = Stopwatch::start();
        let mut decoder = Decoder::new(None);
        input.chunks(PIECE).for_each(|piece| decoder.push(piece, &mut count));
        format = decoder.finish(&mut count).format;
        best = best.min(start.elapsed_s());
    }
    if count.text_bytes * 50 < input.len() as u64 {
        println!("{name:<30} not measured: nothing is read after what cuts it off");
        return None;
    }
    println!(
        "{name:<30} {:<16} {:>8.0} {:>10} {:>9.1}",
        format.map_or("-", Format::name),
        input.len() as f64 / best / 1e6,
        count.records,
        best * 1e9 / count.records as f64
    );
    format
}

/// The golden cases that hold anything, by name.
fn cases() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let mut found = Vec::new();
    for case in fs::read_dir(folder).expect("the golden cases").map(|entry| entry.expect("an entry").path()) {
        let files = fs::read_dir(&case).into_iter().flatten().map(|entry| entry.expect("an entry").path());
        let input =
            files.filter(|file| file.file_stem().is_some_and(|stem| stem == "input")).find_map(|i| fs::read(i).ok());
        if let Some(input) = input.filter(|input| !input.is_empty()) {
            let name = case.file_name().expect("a folder's name").to_string_lossy().into_owned();
            found.push((format!("case:{name}"), input));
        }
    }
    found.sort();
    found
}

fn log(line: &dyn Fn(u64, &str) -> String) -> Vec<u8> {
    const TEXTS: [&str; 8] = [
        "calling  of_platform_sync_state_init+0x0/0x30 @ 1",
        "initcall of_platform_sync_state_init+0x0/0x30 returned 0 after 426 usecs",
        "probe of fa00000.mmc returned 0 after 146929 usecs",
        "BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable",
        "printk: legacy console [ttyS2] enabled",
        "mmc1: new UHS-I speed SDR104 SDHC card at address 5048",
        "pci 0000:00:01.0: BAR 0 [mem 0xfebf0000-0xfebf0fff]: assigned",
        "random: crng init done",
    ];
    let mut out = Vec::with_capacity(SIZE + 256);
    let mut n = 0;
    while out.len() < SIZE {
        out.extend_from_slice(line(n * 137, TEXTS[n as usize % TEXTS.len()]).as_bytes());
        n += 1;
    }
    out
}

/// In chunks as a line of 115200 baud gives them every 16 ms.
fn captured(bytes: &[u8]) -> Vec<u8> {
    let mut file = encode_header(&Header::new("bench", "bench"));
    for (n, chunk) in bytes.chunks(184).enumerate() {
        let time = ChunkTime {
            first: HostTime::from_nanos(n as i64 * 16_000_000),
            span: Dur::from_millis(16),
            uncertainty: Dur::from_micros(50),
        };
        encode_chunk(&mut file, time, chunk);
    }
    file
}
