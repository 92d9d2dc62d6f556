// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many MB/s of a log come out of each form in which it may be packed: `cargo bench -p bootline-capture --bench unpack`.
//!
//! The log is the consoles' bytes of the corpus, 16 MB, in which each stamp's digits are others: boots after each other, none like
//! the one before. Programs (`gzip`, `xz`, ...) pack it with their defaults; one that is not installed is named. The best of five
//! runs counts, in the processor's time where Linux tells it (schedstat).
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a bench is a program"
)]
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use bootline_capture::container::{Compression, Unpacker};
use bootline_capture::{Event, Reader};
use bootline_testkit::Stopwatch;

const SIZE: usize = 16 << 20;
const RUNS: usize = 5;

fn main() {
    let log = log();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("boot.log");
    fs::write(&file, &log).expect("room for the log");
    println!("{} MB, the best of {RUNS} runs", log.len() / 1_000_000);
    println!("{:<20} {:>10} {:>8}", "form", "size", "MB/s");
    let mut forms: Vec<(&str, Option<Vec<u8>>)> = vec![("plain", Some(log.clone()))];
    forms.extend(Compression::ALL.map(|c| (c.name(), packed(c, &file))));
    forms.push(("tar", run(Command::new("tar").arg("-cC").arg(folder.path()).arg("boot.log"))));
    forms.push(("tar.gz", run(Command::new("tar").arg("-czC").arg(folder.path()).arg("boot.log"))));
    forms.push(("utf-16", Some(utf_16(&log))));
    forms.push(("json", Some(json(&log))));
    forms.push(("quoted-printable", Some(quoted_printable(&log))));
    let base64 = run(Command::new("base64").arg(&file));
    forms.push(("base64", base64.map(|text| [b"Content-Transfer-Encoding: base64\n\n", &text[..]].concat())));
    forms.push(("numbered", run(Command::new("cat").arg("-n").arg(&file))));
    forms.push(("wrapped", run(Command::new("fold").args(["-s", "-w", "72"]).arg(&file))));
    for (name, packed) in forms {
        let Some(packed) = packed else {
            println!("{name:<20} not measured: its program is not installed");
            continue;
        };
        let size = packed.len() as f64 / log.len() as f64;
        let (mut best, mut unpacked) = (f64::MAX, 0);
        for _ in 0..RUNS {
            let input = packed.clone();
            let start = Stopwatch::start();
            unpacked = unpack(input);
            best = best.min(start.elapsed_s());
        }
        assert!(unpacked * 100 > log.len() as u64 * 99, "{name}: {unpacked} bytes of {}", log.len());
        println!("{name:<20} {:>8.1} % {:>8.0}", size * 100.0, unpacked as f64 / best / 1e6);
    }
}

fn unpack(input: Vec<u8>) -> u64 {
    let mut unpacker = Unpacker::new(Box::new(Cursor::new(input))).expect("a form that is read");
    let mut bytes = 0;
    while let Some(mut member) = unpacker.next_member().expect("an undamaged file") {
        bytes += io::copy(&mut member.reader, &mut io::sink()).expect("an undamaged file");
    }
    bytes
}

fn packed(compression: Compression, file: &Path) -> Option<Vec<u8>> {
    run(Command::new(compression.name()).arg("-c").arg(file))
}

/// What a program writes; none if it is not installed.
fn run(command: &mut Command) -> Option<Vec<u8>> {
    let out = command.stderr(Stdio::inherit()).output().ok()?;
    assert!(out.status.success(), "{command:?}: {}", out.status);
    Some(out.stdout)
}

fn utf_16(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(log);
    ['\u{feff}'].into_iter().chain(text.chars()).collect::<String>().encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// As `aws ec2 get-console-output` prints it.
fn json(log: &[u8]) -> Vec<u8> {
    let text = serde_json::to_string(&String::from_utf8_lossy(log)).expect("a string");
    format!("{{\"InstanceId\": \"i-0\", \"Output\": {text}}}\n").into_bytes()
}

fn quoted_printable(log: &[u8]) -> Vec<u8> {
    let mut mail = b"Subject: a boot\nContent-Transfer-Encoding: quoted-printable\n\n".to_vec();
    for line in String::from_utf8_lossy(log).split('\n') {
        for piece in line.as_bytes().chunks(70) {
            for b in piece {
                match b {
                    b'=' | 0x7f.. => mail.extend_from_slice(format!("={b:02X}").as_bytes()),
                    b => mail.push(*b),
                }
            }
            mail.extend_from_slice(b"=\n");
        }
        mail.push(b'\n');
    }
    mail
}

/// The consoles' bytes of the corpus, over and over.
fn log() -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut captures: Vec<_> =
        fs::read_dir(corpus).expect("the corpus").map(|e| e.expect("an entry").path().join("boot.cap")).collect();
    captures.retain(|c| c.exists());
    captures.sort();
    let mut boots = Vec::new();
    for capture in captures {
        let mut keep = |event: Event<'_>| {
            if let Event::Chunk(_, chunk) = event {
                boots.extend_from_slice(chunk);
            }
        };
        let mut reader = Reader::new();
        reader.push(&fs::read(capture).expect("a readable capture"), &mut keep);
        reader.finish(&mut keep);
    }
    let mut random = 1_u64;
    let mut out = Vec::with_capacity(SIZE + boots.len());
    while out.len() < SIZE {
        for line in boots.split_inclusive(|b| *b == b'\n') {
            let stamp = line.iter().position(|b| *b == b']').filter(|_| line.starts_with(b"[")).unwrap_or(0);
            for (n, b) in line.iter().enumerate() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let digit = b'0' + (random >> 33) as u8 % 10;
                out.push(if n < stamp && b.is_ascii_digit() { digit } else { *b });
            }
        }
    }
    out
}
