// SPDX-License-Identifier: MIT OR Apache-2.0
//! Documents as JSON: one value, or a list of boots written boot by boot.
use std::io::{self, Write};

use serde::Serialize;

use super::emitter::Emitter;
use super::json_format::{write_compact, write_indented};

/// A value as a JSON document.
#[derive(Clone, Copy, Debug)]
pub struct JsonEmitter<T>(pub T);

impl<T: Serialize> Emitter for JsonEmitter<T> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        write_indented(&self.0, 0, out)?;
        out.write_all(b"\n")
    }
}

/// A value as a JSON document in one line.
#[derive(Clone, Copy, Debug)]
pub struct JsonLine<T>(pub T);

impl<T: Serialize> Emitter for JsonLine<T> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        write_compact(&self.0, out)?;
        out.write_all(b"\n")
    }
}

/// A value as one of the boots of [`BootsJson`].
#[derive(Clone, Copy, Debug)]
pub struct JsonItem<T>(pub T);

impl<T: Serialize> Emitter for JsonItem<T> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        write_indented(&self.0, 2, out)
    }
}

/// The frame around boots: `{"schema": .., "tool": .., "boots": [..]}`. It is written piece by piece, so that memory
/// holds one boot.
#[derive(Debug)]
pub struct BootsJson {
    schema: &'static str,
    count: usize,
}

impl BootsJson {
    /// `schema` is its name and version: `bootline-explain/1`.
    pub fn new(schema: &'static str) -> BootsJson {
        BootsJson { schema, count: 0 }
    }

    /// Begins the document.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn open(&self, out: &mut dyn Write) -> io::Result<()> {
        let tool = concat!("bootline ", env!("CARGO_PKG_VERSION"));
        write!(out, "{{\n  \"schema\": \"{}\",\n  \"tool\": \"{tool}\",\n  \"boots\": [", self.schema)
    }

    /// Adds a boot, a [`JsonItem`].
    ///
    /// # Errors
    /// Those of the writer.
    pub fn item(&mut self, boot: &dyn Emitter, out: &mut dyn Write) -> io::Result<()> {
        self.begin_item(out)?;
        boot.emit(out)
    }

    /// Writes what comes before a boot.
    pub(super) fn begin_item(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let comma = if self.count == 0 { "" } else { "," };
        self.count += 1;
        write!(out, "{comma}\n    ")
    }

    /// Ends the document.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn close(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.count == 0 { b"]\n}\n" } else { b"\n  ]\n}\n" })
    }
}
