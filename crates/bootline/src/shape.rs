// SPDX-License-Identifier: MIT OR Apache-2.0
//! In which shape a document goes out.
use bootline_report::{Document, TextOptions, markdown, text};
use clap::{Args, ValueEnum};

use crate::terminal::Terminal;

/// The shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// For a terminal.
    Text,
    /// For a comment or a page of a forge.
    Markdown,
    /// For programs.
    Json,
}

/// What is typed to choose one.
#[derive(Debug, Args)]
pub struct ShapeArgs {
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Shape,
    /// Write JSON, as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Columns of the text [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

impl ShapeArgs {
    /// The answer in the shape that was asked for.
    pub fn render(&self, terminal: &Terminal, document: &Document, json: impl FnOnce() -> String) -> String {
        let shape = if self.json { Shape::Json } else { self.format };
        let options = TextOptions { width: self.width.unwrap_or(terminal.width), color: terminal.stdout_color };
        shape.render(&options, document, json)
    }
}

impl Shape {
    /// The answer in this shape.
    pub fn render(self, options: &TextOptions, document: &Document, json: impl FnOnce() -> String) -> String {
        match self {
            Shape::Json => json(),
            Shape::Markdown => markdown(document),
            Shape::Text => text(document, options),
        }
    }
}
