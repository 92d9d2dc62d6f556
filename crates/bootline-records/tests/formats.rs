// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden cases: `tests/formats/CASE/input.*` decodes to `expected.txt`. Cases are found on disk. `form.toml` says whose form it
//! is, for docs/formats.md.
#![allow(clippy::disallowed_methods, reason = "the cases are files")]
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use bootline_records::{Caller, Decoded, Decoder, Record, decode};
use bootline_testkit::check_goldens;

#[test]
fn each_case_decodes_as_expected() {
    check_goldens(
        &root(),
        |name| name.starts_with("input.") || name == "form.toml",
        |goldens| {
            for case in cases() {
                goldens.check(&case, "expected.txt", &render(&decode(&fs::read(input_of(&case)).unwrap())));
            }
        },
    );
}

#[test]
fn pieces_make_no_difference() {
    for case in cases() {
        let input = fs::read(input_of(&case)).unwrap();
        let whole = render(&decode(&input));
        for size in [1, 2, 7, 63, 1024] {
            let mut decoder = Decoder::new(None);
            let mut decoded = Decoded::default();
            input.chunks(size).for_each(|piece| decoder.push(piece, &mut decoded));
            decoded.format = decoder.finish(&mut decoded).format;
            assert_eq!(render(&decoded), whole, "{} in pieces of {size}", case.display());
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

fn cases() -> Vec<PathBuf> {
    bootline_testkit::cases(&root(), 20)
}

fn input_of(case: &Path) -> PathBuf {
    let mut inputs = fs::read_dir(case).unwrap().map(|entry| entry.unwrap().path());
    inputs.find(|path| path.file_stem().is_some_and(|name| name == "input")).expect("an input file")
}

/// One line a record: number, bytes, K or O, level, stamp, caller, arrival, characters on the wire, text.
fn render(decoded: &Decoded) -> String {
    let mut text = format!("format: {}\n", decoded.format.map_or("unknown", |f| f.name()));
    for problem in decoded.problems.iter() {
        let (kind, bytes) = (problem.kind, problem.bytes);
        writeln!(text, "problem: {kind:?} x{} at {}..{}: {}", problem.count, bytes.start, bytes.end, problem.detail)
            .unwrap();
    }
    for record in decoded.records.iter() {
        line(&mut text, record);
    }
    text
}

fn line(out: &mut String, record: Record<'_>) {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let caller = record.caller.map(|c| match c {
        Caller::Task(n) => format!("T{n}"),
        Caller::Cpu(n) => format!("C{n}"),
    });
    let arrival = record.arrival.map(|a| format!("{}+{}~{}", a.first, a.last - a.first, a.uncertainty));
    writeln!(
        out,
        "{} {}..{} {:?} {} {} {} {} {} {:?}",
        record.id,
        record.bytes.start,
        record.bytes.end,
        record.source,
        or_dash(record.level.map(|l| l.0.to_string())),
        or_dash(record.stamp.map(|s| s.to_string())),
        or_dash(caller),
        or_dash(arrival),
        record.line_bytes,
        record.text,
    )
    .unwrap();
}
