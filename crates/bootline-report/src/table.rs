// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows and columns.
use super::running_text::Text;
use super::style::Style;

/// A table. Each row has one cell per column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// From left to right.
    pub columns: Vec<Column>,
    /// From top to bottom.
    pub rows: Vec<Row>,
}

/// A column. Its title names the unit, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// `length [s]`
    pub title: String,
    /// Alignment of the cells.
    pub align: Align,
    /// If the width is too small for all, columns with the largest number are dropped first; 0 stays.
    pub drop: u8,
    /// What its cells say, where the title does not suffice; shown below the table if the column is.
    pub note: Option<String>,
}

impl Column {
    /// `queue: the time until ...`
    pub(super) fn note_in_words(&self) -> Option<Text> {
        let note = self.note.as_ref()?;
        let name = self.title.strip_suffix(" [s]").unwrap_or(&self.title);
        Some(Text::new().styled(format!("{name}: {note}"), Style::Faint))
    }
}

/// Alignment of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words. The last such column takes the remaining width, and is cut there.
    Left,
    /// Numbers.
    Right,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// One cell per column; log text unescaped.
    pub cells: Vec<String>,
    /// Style of the row.
    pub style: Style,
}

impl Table {
    /// Columns from (title, alignment, drop).
    pub fn new<'t>(columns: impl IntoIterator<Item = (&'t str, Align, u8)>) -> Table {
        let columns =
            columns.into_iter().map(|(title, align, drop)| Column { title: title.to_owned(), align, drop, note: None });
        Table { columns: columns.collect(), rows: Vec::new() }
    }

    /// Explains the column of this title.
    pub fn note(&mut self, title: &str, note: &str) {
        let column = self.columns.iter_mut().find(|column| column.title == title);
        debug_assert!(column.is_some(), "{title}");
        if let Some(column) = column {
            column.note = Some(note.to_owned());
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>, style: Style) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(Row { cells, style });
    }
}
