// SPDX-License-Identifier: MIT OR Apache-2.0
//! The format in which a document is written.
use bootline_report::{Document, Emitter, MarkdownEmitter, TextEmitter, TextOptions};
use bootline_terminal::Terminal;
use clap::{Args, ValueEnum};

/// Output format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// For a terminal.
    Text,
    /// For a comment or a page on a forge.
    Markdown,
    /// For programs.
    Json,
}

/// The arguments that choose a format.
#[derive(Debug, Args)]
pub struct ShapeArgs {
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Shape,
    /// Write JSON; short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Columns of the text [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

impl ShapeArgs {
    /// The answer in the shape that was asked for; `json` is the same for programs.
    pub fn emitter<'a>(
        &self,
        terminal: &Terminal,
        document: &'a Document,
        json: impl Emitter + 'a,
    ) -> Box<dyn Emitter + 'a> {
        let shape = if self.json { Shape::Json } else { self.format };
        let options = TextOptions { width: self.width.unwrap_or(terminal.width), color: terminal.stdout_color };
        shape.emitter(options, document, json)
    }
}

impl Shape {
    /// Renders the document in this format.
    pub fn emitter<'a>(
        self,
        options: TextOptions,
        document: &'a Document,
        json: impl Emitter + 'a,
    ) -> Box<dyn Emitter + 'a> {
        match self {
            Shape::Json => Box::new(json),
            Shape::Markdown => Box::new(MarkdownEmitter(document)),
            Shape::Text => Box::new(TextEmitter { document, options }),
        }
    }
}
