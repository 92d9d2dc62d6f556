// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where initcalls come from: a kernel's files, and the table made of them.
use std::hint::black_box;

use bootline_console::KernelVersion;
use bootline_kbuild::{KernelConfig, KernelTree, SourceKind, Table};

/// How a line begins that names the file which follows.
const FILE: &str = "=== ";

/// Reads `data` as the files of a kernel tree, one after the other, and as its configuration.
///
/// # Panics
/// The table that is written is not the one that is read.
pub fn kernel_tree(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut tree = KernelTree::default();
    for file in text.split(FILE) {
        let (path, content) = file.split_once('\n').unwrap_or((file, ""));
        // No path in a kernel tree has a blank or begins with a slash.
        let is_path = !path.contains(char::is_whitespace) && !path.starts_with('/');
        if let Some(kind) = SourceKind::of(path).filter(|_| is_path) {
            tree.add(path, kind, content);
        }
    }
    let mut table = tree.table();
    table.add_config("amd64", &KernelConfig::parse(&text));
    let written = table.to_string();
    assert_eq!(written.parse::<Table>().as_ref(), Ok(&table), "{written}");
    looks_up(&table, &text);
}

/// Reads `data` as a table.
///
/// # Panics
/// The table that is written is not the one that is read.
pub fn initcall_table(data: &[u8]) {
    let text = format!("series\t6.1 7.2\nconfigs\t6.1:amd64 7.2:arm64\n{}", String::from_utf8_lossy(data));
    let Ok(table) = text.parse::<Table>() else { return };
    looks_up(&table, &text);
    let mut twice = table.clone();
    twice.merge(table);
    looks_up(&twice, &text);
}

fn looks_up(table: &Table, text: &str) {
    for word in text.split_whitespace() {
        for version in [None, Some(KernelVersion::new(6, 12))] {
            for origin in table.origins(word, None, version) {
                assert!(!table.origins(word, Some(origin.module), version).is_empty(), "{origin:?}");
            }
            black_box(table.values(word, version));
        }
        black_box(table.kind(word));
    }
}
