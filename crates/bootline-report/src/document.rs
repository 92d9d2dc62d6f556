// SPDX-License-Identifier: MIT OR Apache-2.0
//! The content of a report, independent of its format.
pub use super::running_text::{Piece, Text};
use super::style::Style;
use super::table::Table;

/// A report: blocks from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// In reading order.
    pub blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Names what follows.
    Heading(Text),
    /// Running text.
    Paragraph(Text),
    /// Labelled entries.
    Entries(Vec<Entry>),
    /// Rows and columns.
    Table(Table),
}

/// A label and its text. An empty label continues the entry before.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// A word or a record's number.
    pub label: String,
    /// The text that it labels.
    pub body: Text,
    /// Whether it is evidence: one line, cut at the width instead of wrapped, and set off from the text about it.
    pub quote: bool,
}

impl Entry {
    /// Words under a label.
    pub fn new(label: &str, body: impl Into<Text>) -> Entry {
        Entry { label: label.to_owned(), body: body.into(), quote: false }
    }

    /// A quotation from the log.
    pub fn quote(label: impl ToString, log: &str) -> Entry {
        Entry { label: label.to_string(), body: Text::new().styled(log, Style::Plain), quote: true }
    }
}

impl Document {
    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Heading(text.into()));
    }
    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }
    /// Adds entries, unless there are none.
    pub fn entries(&mut self, entries: Vec<Entry>) {
        if !entries.is_empty() {
            self.blocks.push(Block::Entries(entries));
        }
    }
    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }
}
