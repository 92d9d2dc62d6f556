// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logs to ingest, the program, and what a store holds.
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bootline_testkit::isolated;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

/// Rows as texts by column, with the partition as `date`; nulls are left out.
pub type Row = BTreeMap<String, String>;

/// A log of its own, with two initcalls, a second and `number` microseconds long.
pub fn log(number: usize) -> String {
    format!(
        "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.000000] Kernel command line: console=ttyS0,9600 initcall_debug loglevel=8
[    0.010000] printk: console [ttyS0] enabled
[    0.260000] calling  acpi_init+0x0/0x4f0 @ 1
[    0.360000] initcall acpi_init+0x0/0x4f0 returned 0 after 50000 usecs
[    0.370000] calling  pci_init+0x0/0x4f0 @ 1
[    0.390000] initcall pci_init+0x0/0x4f0 returned 0 after 20000 usecs
[    0.440000] Freeing unused kernel image (initmem) memory: 4132K
[    1.{number:06}] Run /init as init process
"
    )
}

/// A folder of so many logs.
pub fn logs(folder: &Path, count: usize) {
    fs::create_dir_all(folder).unwrap();
    (0..count).for_each(|n| fs::write(folder.join(format!("{n:05}.log")), log(n)).unwrap());
}

/// The program on an input, with more arguments.
pub fn ingest(input: &Path, store: &Path, more: &[&str]) -> Command {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline-ingest"));
    command.arg(input).arg("-o").arg(store).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What it says.
pub fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The Parquet files of a table.
pub fn parts(store: &Path, table: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![store.join(table)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            // As engines do.
            let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if path.is_dir() {
                folders.push(path);
            } else if !is_hidden {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All rows of a table.
pub fn rows(store: &Path, table: &str) -> Vec<Row> {
    let mut found = Vec::new();
    for path in parts(store, table) {
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let partition = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let mut values: Row = row
                .get_column_iter()
                .filter(|(_, field)| **field != Field::Null)
                .map(|(name, field)| {
                    let text = match field {
                        Field::Str(text) => text.clone(),
                        other => other.to_string(),
                    };
                    (name.clone(), text)
                })
                .collect();
            if let Some(date) = partition.strip_prefix("date=") {
                values.insert("date".to_owned(), date.to_owned());
            }
            found.push(values);
        }
    }
    found
}

/// Checks that the store has each of so many logs of [`log`] exactly once, in all tables, and nothing else.
pub fn check_whole(store: &Path, count: usize) {
    let distinct = |rows: &[Row], column: &str| rows.iter().map(|row| row[column].clone()).collect::<BTreeSet<_>>();
    let (boots, files) = (rows(store, "boots"), rows(store, "files"));
    assert_eq!((boots.len(), files.len()), (count, count));
    assert_eq!(distinct(&boots, "boot_id").len(), count);
    assert_eq!(distinct(&boots, "kernel_dur_us"), (0..count).map(|n| (1_000_000 + n).to_string()).collect());
    assert_eq!(distinct(&boots, "file_id"), distinct(&files, "file_id"));
    let spans = rows(store, "spans");
    let of =
        |name: &str| spans.iter().filter(|s| s["name"] == name && s["kind"] == "initcall").cloned().collect::<Vec<_>>();
    for name in ["acpi_init", "pci_init"] {
        let spans = of(name);
        assert_eq!(spans.len(), count);
        assert_eq!(distinct(&spans, "boot_id"), distinct(&boots, "boot_id"));
    }
    let sum = |name: &str, column: &str| {
        let of_name = |row: &&Row| row["name"] == name;
        rows(store, "rollups").iter().filter(of_name).map(|row| row[column].parse::<usize>().unwrap()).sum::<usize>()
    };
    assert_eq!(sum("time-to-init", "count"), count);
    assert_eq!(
        sum("time-to-init", "sum_us"),
        boots.iter().map(|b| b["dur_us"].parse::<usize>().unwrap()).sum::<usize>()
    );
    assert_eq!(sum("pci_init", "count"), count);
    for left in ["writing", "committed"] {
        assert_eq!(fs::read_dir(store.join("_bootline").join(left)).unwrap().count(), 0, "{left}");
    }
}
