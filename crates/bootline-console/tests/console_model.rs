// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/console-model.md shows the table of behaviours as it is. `BLESS=1 cargo test -p bootline-console --test
//! console_model` writes it.
#![allow(clippy::disallowed_methods, reason = "the document and the table are files")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const BEGIN: &str = "<!-- tables -->\n";
const END: &str = "<!-- end of tables -->";

/// Each part of the table as Markdown.
fn tables(text: &str) -> String {
    let mut out = String::new();
    for part in text.split("\n[").skip(1) {
        let (name, rows) = part.split_once("]\n").expect("a part has a name");
        let rows: Vec<Vec<&str>> = rows.lines().filter(|l| !l.is_empty()).map(|l| l.split('\t').collect()).collect();
        _ = writeln!(out, "\n### By {name}\n");
        for (i, row) in rows.iter().enumerate() {
            _ = writeln!(out, "| {} |", row.join(" | "));
            if i == 0 {
                _ = writeln!(out, "|{}", " --- |".repeat(row.len()));
            }
        }
    }
    out.push('\n');
    out
}

#[test]
fn the_document_shows_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("src/behaviour.tsv")).unwrap();
    let path = root.join("../../docs/console-model.md");
    let old = fs::read_to_string(&path).unwrap();
    let (head, rest) = old.split_once(BEGIN).expect("the begin of the tables");
    let (_, tail) = rest.split_once(END).expect("the end of the tables");
    let new = format!("{head}{BEGIN}{}{END}{tail}", tables(&table));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &new).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), new, "BLESS=1 cargo test -p bootline-console --test console_model");
}
