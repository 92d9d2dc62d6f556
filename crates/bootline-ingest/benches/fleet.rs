// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline ingest` on a fleet made from the corpus: boots per second, peak memory, bytes on disk; then again on the same, which
//! stores nothing. Figures are for this machine and never asserted.
//!
//! `cargo bench -p bootline-ingest --bench fleet -- [BOOTS] [BOOTS_PER_FILE] [small]`; `small` takes a log of a dozen lines.
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use bootline_capture::{Event, Reader};

/// A boot that costs little to read, so that what is left is the store's.
const SMALL: &str = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8
[    0.010000] printk: console [ttyS0] enabled
[    0.260000] calling  acpi_init+0x0/0x4f0 @ 1
[    0.360000] initcall acpi_init+0x0/0x4f0 returned 0 after 50000 usecs
[    0.440000] Freeing unused kernel image (initmem) memory: 4132K
[    0.520000] Run /init as init process
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let boots = numbers.first().copied().unwrap_or(2_000);
    let per_file = numbers.get(1).copied().unwrap_or(1).max(1);
    let logs = if arguments.iter().any(|a| a == "small") { vec![SMALL.into()] } else { corpus() };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, store) = (folder.path().join("logs"), folder.path().join("store"));
    let bytes = write_logs(&logs, &input, boots, per_file);
    println!("{boots} boots, {per_file} per file, {} MB", bytes / 1_000_000);
    for pass in ["first", "again"] {
        let (seconds, peak_kib) = ingest(&input, &store);
        println!(
            "{pass}: {seconds:.1} s, {:.0} boots/s, {:.0} MB/s, peak {} MiB",
            boots as f64 / seconds,
            bytes as f64 / 1e6 / seconds,
            peak_kib / 1024
        );
    }
    for table in ["boots", "spans", "findings", "rollups", "files"] {
        let (files, bytes) = size(&store.join(table));
        println!("{table}: {files} files, {bytes} bytes, {:.0} a boot", bytes as f64 / boots as f64);
    }
}

/// The console's bytes of each corpus case.
fn corpus() -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut captures: Vec<PathBuf> =
        fs::read_dir(&corpus).expect("the corpus").map(|e| e.expect("an entry").path().join("boot.cap")).collect();
    captures.retain(|c| c.exists());
    captures.sort();
    captures.iter().map(|c| console_bytes(c)).filter(|l| !l.is_empty()).collect()
}

fn console_bytes(capture: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut keep = |event: Event<'_>| {
        if let Event::Chunk(_, chunk) = event {
            bytes.extend_from_slice(chunk);
        }
    };
    let mut reader = Reader::new();
    reader.push(&fs::read(capture).expect("a readable capture"), &mut keep);
    reader.finish(&mut keep);
    bytes
}

/// Writes files whose contents all differ, in folders of a thousand.
fn write_logs(logs: &[Vec<u8>], to: &Path, boots: usize, per_file: usize) -> u64 {
    let mut bytes = 0;
    for (number, first) in (0..boots).step_by(per_file).enumerate() {
        let folder = to.join(format!("{:04}", number / 1_000));
        fs::create_dir_all(&folder).expect("a folder in the temporary folder");
        let mut out = BufWriter::new(File::create(folder.join(format!("{number}.log"))).expect("a file in it"));
        for boot in first..(first + per_file).min(boots) {
            let head = format!("U-Boot of device {boot}\r\n");
            out.write_all(head.as_bytes()).expect("room for the log");
            out.write_all(&logs[boot % logs.len()]).expect("room for the log");
            bytes += (head.len() + logs[boot % logs.len()].len()) as u64;
        }
        out.flush().expect("room for the log");
    }
    bytes
}

#[expect(clippy::zombie_processes, reason = "wait4 below waits for the child, and tells what it used")]
fn ingest(input: &Path, store: &Path) -> (f64, i64) {
    let began = Instant::now();
    let child = Command::new(env!("CARGO_BIN_EXE_bootline-ingest"))
        .arg(input)
        .arg("-o")
        .arg(store)
        .arg("--quiet")
        .stdin(Stdio::null())
        .spawn()
        .expect("the program was built");
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: wait4 writes to the two variables, which outlive it; the child is ours and is waited for only here.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
    assert!(waited > 0 && status == 0, "bootline-ingest failed");
    (began.elapsed().as_secs_f64(), usage.ru_maxrss)
}

fn size(folder: &Path) -> (usize, u64) {
    let mut sum = (0, 0);
    for entry in fs::read_dir(folder).expect("a table").map(|e| e.expect("an entry")) {
        let metadata = entry.metadata().expect("its metadata");
        let (files, bytes) = if metadata.is_dir() { size(&entry.path()) } else { (1, metadata.len()) };
        sum = (sum.0 + files, sum.1 + bytes);
    }
    sum
}
