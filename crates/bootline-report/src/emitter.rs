// SPDX-License-Identifier: MIT OR Apache-2.0
//! What renderers have in common: each writes one document in one format to any writer.
use std::io::{self, Write};

use super::boot_label::BootLabel;
use bootline_analysis::rules::Finding;
use bootline_boot::Boot;

/// A document in one format.
pub trait Emitter {
    /// Writes the whole document.
    ///
    /// # Errors
    /// Those of the writer.
    fn emit(&self, out: &mut dyn Write) -> io::Result<()>;

    /// The document as a string.
    fn to_text(&self) -> String {
        let mut bytes = Vec::new();
        self.emit(&mut bytes).expect("memory takes every write");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Text that had to be laid out before it could be written: a picture, a page, a table in columns.
impl Emitter for String {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.as_bytes())
    }
}

/// Several boots in one document, written boot by boot: memory holds one boot.
pub trait BootEmitter {
    /// Adds a boot.
    ///
    /// # Errors
    /// Those of the writer.
    fn boot(&mut self, boot: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Ends the document. A document without boots stays empty.
    ///
    /// # Errors
    /// Those of the writer.
    fn close(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// A boot, and what is reported about it.
#[derive(Clone, Copy, Debug)]
pub struct ReportedBoot<'b> {
    /// The boot.
    pub boot: &'b Boot,
    /// Its findings, in the order in which they are shown.
    pub findings: &'b [Finding],
    /// Where it is from.
    pub label: &'b BootLabel,
}

impl ReportedBoot<'_> {
    /// The boot's number in its input, from 1.
    pub(crate) fn number(&self) -> usize {
        self.label.index + 1
    }
}
