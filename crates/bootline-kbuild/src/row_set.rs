// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a table: in the order of their files, and found by the functions that they define.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One source file with its initcalls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    // First: the order of rows is that of their files, which `RowSet::defining` relies on.
    pub file: Arc<str>,
    /// Its module's name, as the kernel writes it.
    pub module: String,
    /// Any of these builds it, without `CONFIG_`; none if every kernel has it.
    pub symbols: Vec<String>,
    pub functions: Vec<String>,
}

/// Rows with the series that have them. A file that differs from series to series has several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSet {
    /// The series in order. A set of one would take ten times the memory.
    rows: BTreeMap<Row, Vec<String>>,
    /// Functions, each with a file that defines it. One set takes less memory than a map of small ones.
    files: BTreeSet<(String, Arc<str>)>,
}

impl RowSet {
    /// Notes that some series have a row.
    pub fn add(&mut self, row: Row, series: impl IntoIterator<Item = String>) {
        for function in &row.functions {
            self.files.insert((function.clone(), Arc::clone(&row.file)));
        }
        let all = self.rows.entry(row).or_default();
        all.extend(series);
        all.sort_unstable();
        all.dedup();
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Row, &[String])> {
        self.rows.iter().map(|(row, series)| (row, series.as_slice()))
    }

    /// The rows that define a function, in order.
    pub fn defining(&self, function: &str) -> impl Iterator<Item = (&Row, &[String])> {
        let files = self.files.range((function.to_owned(), Arc::from(""))..);
        let files = files.take_while(move |(defined, _)| defined == function);
        let rows = files.flat_map(|(_, file)| {
            let first =
                Row { file: Arc::clone(file), module: String::new(), symbols: Vec::new(), functions: Vec::new() };
            self.rows
                .range(first..)
                .take_while(move |(row, _)| row.file == *file)
                .map(|(row, series)| (row, series.as_slice()))
        });
        rows.filter(move |(row, _)| row.functions.iter().any(|f| f == function))
    }
}

impl IntoIterator for RowSet {
    type Item = (Row, Vec<String>);
    type IntoIter = std::collections::btree_map::IntoIter<Row, Vec<String>>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}
