// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words and figures of a paragraph, independent of its format.
use super::style::Style;
use super::time_value::TimeValue;

/// Running text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// In order; blanks between them are part of them.
    pub pieces: Vec<Piece>,
}

/// A piece of running text.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Words.
    Words(String, Style),
    /// A number with its unit, its bounds and its clock.
    TimeValue(TimeValue, Style),
}

impl Text {
    /// Empty text.
    pub fn new() -> Text {
        Text::default()
    }

    /// Adds plain words.
    pub fn words(self, words: impl AsRef<str>) -> Text {
        self.styled(words, Style::Plain)
    }

    /// Adds another text.
    pub fn text(mut self, other: Text) -> Text {
        self.pieces.extend(other.pieces);
        self
    }

    /// Adds words.
    pub fn styled(mut self, words: impl AsRef<str>, style: Style) -> Text {
        self.pieces.push(Piece::Words(words.as_ref().to_owned(), style));
        self
    }

    /// Adds a figure.
    pub fn figure(self, figure: TimeValue) -> Text {
        self.styled_time(figure, Style::Plain)
    }

    /// Adds a figure.
    pub fn styled_time(mut self, figure: TimeValue, style: Style) -> Text {
        self.pieces.push(Piece::TimeValue(figure, style));
        self
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Text {
        Text::new().words(words)
    }
}

impl From<String> for Text {
    fn from(words: String) -> Text {
        Text::new().words(words)
    }
}
