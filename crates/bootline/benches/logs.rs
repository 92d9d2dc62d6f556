// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command on a large log made from the corpus, compared with `cat`, `wc -l`, `grep -c` and the kernel's bootgraph.pl on the same
//! file: throughput by wall clock and by processor time, and peak memory. Then the same boots in several files, which the command
//! reads on all processors. Arms are interleaved; figures are for this machine and never asserted.
//!
//! `cargo bench --bench logs -- [MEGABYTES] [ROUNDS]`
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use bootline_capture::{Event, Reader};

/// What one run took.
#[derive(Clone, Copy)]
struct Cost {
    wall_s: f64,
    processor_s: f64,
    peak_kib: i64,
}

fn main() {
    // `cargo bench` adds --bench.
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let megabytes = numbers.first().copied().unwrap_or(512);
    let rounds = numbers.get(1).copied().unwrap_or(5);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("large.log");
    let boots = write_log(&log, megabytes * 1_000_000);
    let size = log.metadata().expect("just written").len();
    println!("{} MB, {boots} boots from the corpus; median of {rounds} interleaved rounds", size / 1_000_000);

    let log = log.to_str().expect("temporary folders have plain names");
    let pieces = pieces(log, folder.path());
    let bootline = env!("CARGO_BIN_EXE_bootline");
    let of_pieces = |words: &[&'static str]| -> Vec<&str> {
        [bootline].into_iter().chain(words.iter().copied()).chain(pieces.iter().map(String::as_str)).collect()
    };
    let mut arms: Vec<(&str, Vec<&str>)> = vec![
        ("cat", vec!["cat", log]),
        ("wc -l", vec!["wc", "-l", log]),
        ("grep -c initcall", vec!["grep", "-c", "initcall", log]),
        ("bootline time", vec![bootline, "time", log]),
        ("bootline blame", vec![bootline, "blame", log]),
        ("bootline explain", vec![bootline, "explain", log]),
        ("bootline explain --json", vec![bootline, "explain", "--json", log]),
        ("time, 8 files", of_pieces(&["time"])),
        ("explain --json, 8 files", of_pieces(&["explain", "--json"])),
    ];
    let bootgraph = bootgraph();
    match &bootgraph {
        Some(script) => arms.insert(3, ("bootgraph.pl", vec!["perl", script, log])),
        None => println!("bootgraph.pl is not measured: `scripts/kernel-bootgraph` fetches it"),
    }
    let mut costs = vec![Vec::new(); arms.len()];
    for _ in 0..rounds {
        for (arm, costs) in arms.iter().zip(&mut costs) {
            // Not to /dev/null: grep would stop at its first match.
            costs.push(run(&arm.1, &folder.path().join("out")));
        }
    }
    println!("{:<24} {:>10} {:>14} {:>12}", "", "MB/s", "MB/s of CPU", "peak KiB");
    for ((name, _), costs) in arms.iter().zip(&costs) {
        let rate = |seconds: f64| size as f64 / 1e6 / seconds;
        println!(
            "{name:<24} {:>10.0} {:>14.0} {:>12}",
            rate(median(costs.iter().map(|c| c.wall_s))),
            rate(median(costs.iter().map(|c| c.processor_s))),
            costs.iter().map(|c| c.peak_kib).max().unwrap_or(0)
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The console's bytes of each corpus case, one boot after the other, until `least` bytes are there.
fn write_log(to: &Path, least: u64) -> u64 {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut captures: Vec<PathBuf> =
        std::fs::read_dir(&corpus).expect("the corpus").map(|e| e.expect("an entry").path().join("boot.cap")).collect();
    captures.retain(|c| c.exists());
    captures.sort();
    let logs: Vec<Vec<u8>> = captures.iter().map(|c| console_bytes(c)).filter(|l| !l.is_empty()).collect();
    assert!(!logs.is_empty(), "no capture in {}", corpus.display());
    let mut out = BufWriter::new(File::create(to).expect("a file in the temporary folder"));
    let (mut written, mut boots) = (0, 0);
    for log in logs.iter().cycle() {
        if written >= least {
            break;
        }
        out.write_all(log).expect("room for the log");
        written += log.len() as u64;
        boots += 1;
    }
    out.flush().expect("room for the log");
    boots
}

/// The log's boots in several files: each begins and ends with a whole line.
fn pieces(log: &str, folder: &Path) -> Vec<String> {
    const PIECES: usize = 8;
    let bytes = std::fs::read(log).expect("just written");
    let mut rest = bytes.as_slice();
    (0..PIECES)
        .map(|n| {
            let least = bytes.len() / PIECES;
            let end = rest.iter().skip(least).position(|b| *b == b'\n').map_or(rest.len(), |at| least + at + 1);
            let (piece, after) = rest.split_at(if n + 1 == PIECES { rest.len() } else { end });
            rest = after;
            let path = folder.join(format!("piece-{n}.log"));
            std::fs::write(&path, piece).expect("room for the log");
            path.to_str().expect("temporary folders have plain names").to_owned()
        })
        .collect()
}

/// The kernel's script, if it was fetched.
fn bootgraph() -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/kernel-bootgraph");
    let found = Command::new(script).arg("--cached").output().ok()?;
    let path = String::from_utf8(found.stdout).ok()?.trim().to_owned();
    (!path.is_empty()).then_some(path)
}

fn console_bytes(capture: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut keep = |event: Event<'_>| {
        if let Event::Chunk(_, chunk) = event {
            bytes.extend_from_slice(chunk);
        }
    };
    let mut reader = Reader::new();
    reader.push(&std::fs::read(capture).expect("a readable capture"), &mut keep);
    reader.finish(&mut keep);
    bytes
}

#[expect(clippy::zombie_processes, reason = "wait4 below waits for the child, and tells what it used")]
fn run(words: &[&str], to: &Path) -> Cost {
    let began = Instant::now();
    let out = File::create(to).expect("a file in the temporary folder");
    let child = Command::new(words[0]).args(&words[1..]).stdout(out).stderr(Stdio::null()).spawn();
    let child = child.unwrap_or_else(|e| panic!("{}: {e}", words[0]));
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: wait4 writes to the two variables, which outlive it; the child is ours and is waited for only here.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
    assert!(waited > 0, "{}: {}", words[0], std::io::Error::last_os_error());
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    Cost {
        wall_s: began.elapsed().as_secs_f64(),
        processor_s: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_kib: usage.ru_maxrss,
    }
}
