// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/console-model.md: the table of behaviour, as the model reads it.
use std::fmt::Write as _;
use std::path::Path;

use crate::document::Document;
use crate::error::{Error, read};

const MARKS: [&str; 2] = ["<!-- tables -->\n", "<!-- end of tables -->"];

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

/// The document with the current tables.
pub fn document(root: &Path) -> Result<Document, Error> {
    let table = read(&root.join("crates/bootline-console/src/behaviour.tsv"))?;
    Document::between(root, "docs/console-model.md", MARKS, |_| Ok(tables(&table)))
}
