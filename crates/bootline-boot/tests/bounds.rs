// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hostile inputs: what is kept of them is bounded, whatever their length.
use bootline_boot::{BootRecords, MAX_BEFORE_KERNEL, MAX_TEXT_BYTES, Splitter};
use bootline_records::{Decoder, ProblemKind};

const KERNEL: &str = "[    0.000000] Linux version 6.12.1 (gcc) #1 SMP Mon\n[    0.100000] a record\n";

/// The only boot of an input that comes in pieces; most records and most bytes of text are asserted after each.
fn boot_of<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> BootRecords {
    let (mut splitter, mut decoder) = (Splitter::default(), Decoder::new(None));
    pieces.for_each(|piece| decoder.push(piece, &mut splitter));
    decoder.finish(&mut splitter);
    let mut boots: Vec<BootRecords> = splitter.finish().into();
    assert_eq!(boots.len(), 1);
    boots.remove(0)
}

#[track_caller]
fn too_many(boot: &BootRecords, detail: &str) {
    let found = boot.problems.iter().find(|p| p.kind == ProblemKind::TooManyRecords);
    assert_eq!(found.map(|p| p.detail.as_str()), Some(detail));
}

const EARLIEST: &str = "too many records before the kernel's first; the earliest were left out";

#[test]
fn lines_without_end_before_the_kernel() {
    // One of a thousand looks like a record of the kernel.
    let noise = [b"<6>\x81\n".as_slice(), &b"\x81\x92 noise\n".repeat(999)].concat();
    let boot = boot_of(std::iter::repeat_n(noise.as_slice(), 3 * MAX_BEFORE_KERNEL / 1_000).chain([KERNEL.as_bytes()]));
    let records = boot.records.len();
    assert!((MAX_BEFORE_KERNEL / 2..=MAX_BEFORE_KERNEL + 2).contains(&records), "{records}");
    too_many(&boot, EARLIEST);
    // What stands next to the kernel is there, and so is the kernel.
    let last: Vec<String> = boot.records.iter().rev().take(3).map(|r| r.text.to_owned()).collect();
    assert_eq!(last[..2], ["a record", "Linux version 6.12.1 (gcc) #1 SMP Mon"]);
    assert!(last[2].ends_with("noise"), "{last:?}");
}

#[test]
fn long_lines_without_end() {
    let line = [b"x".repeat(60_000).as_slice(), b"\n"].concat();
    let lines = || std::iter::repeat_n(line.as_slice(), 2 * MAX_TEXT_BYTES / line.len());
    let before = boot_of(lines().chain([KERNEL.as_bytes()]));
    assert!(before.records.text_bytes() <= MAX_TEXT_BYTES / 4 + line.len(), "{}", before.records.text_bytes());
    too_many(&before, EARLIEST);
    let after = boot_of([KERNEL.as_bytes()].into_iter().chain(lines()));
    assert!(after.records.text_bytes() <= MAX_TEXT_BYTES, "{}", after.records.text_bytes());
    too_many(&after, "more than 128 MiB of text in one boot; the rest was only counted");
}
