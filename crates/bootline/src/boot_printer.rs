// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots on standard output, one by one: as text, or as items of a JSON list.
use std::io::{self, Write};

use bootline_input::Failure;
use bootline_report::{BootsJson, Document, Emitter, JsonItem, TextEmitter, TextOptions};
use serde::Serialize;

use crate::output_stream::OutputStream;

/// How boots are shown.
#[derive(Clone, Copy, Debug)]
pub enum Output {
    /// For people.
    Text(TextOptions),
    /// For programs.
    Json,
}

/// What is shown of one boot, without what stands between boots. Several may be made at the same time.
pub struct BootPage {
    output: Output,
    bytes: Option<Vec<u8>>,
}

impl BootPage {
    /// With nothing in it.
    pub fn new(output: Output) -> BootPage {
        BootPage { output, bytes: None }
    }

    /// Shows a boot.
    pub fn show<J: Serialize>(&mut self, document: impl FnOnce() -> Document, json: impl FnOnce() -> J) {
        match self.output {
            Output::Json => self.show_json(json),
            Output::Text(options) => self.emit(&TextEmitter { document: &document(), options }),
        }
    }

    /// Shows a boot to programs, and to people nothing: a failure follows.
    pub fn show_json<J: Serialize>(&mut self, json: impl FnOnce() -> J) {
        if matches!(self.output, Output::Json) {
            self.emit(&JsonItem(json()));
        }
    }

    /// What is shown; none where nothing is.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        self.bytes
    }

    fn emit(&mut self, boot: &dyn Emitter) {
        // Memory takes all that is written to it.
        _ = boot.emit(self.bytes.get_or_insert_default());
    }
}

/// A page that is made, as an item of a list.
struct Made<'b>(&'b [u8]);

impl Emitter for Made<'_> {
    fn emit(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.0)
    }
}

/// Writes boots to standard output, until nobody reads it any more.
pub struct BootPrinter {
    out: OutputStream,
    result: io::Result<()>,
    frame: Frame,
}

/// What stands around and between boots.
enum Frame {
    /// Blank lines between them.
    Text { boots: usize },
    /// A list.
    Json(BootsJson),
}

impl BootPrinter {
    /// Begins the output. `schema` is that of the list.
    pub fn open(output: Output, schema: &'static str) -> BootPrinter {
        let mut out = OutputStream::stdout();
        let (frame, result) = match output {
            Output::Text(_) => (Frame::Text { boots: 0 }, Ok(())),
            Output::Json => {
                let list = BootsJson::new(schema);
                let result = list.open(&mut out);
                (Frame::Json(list), result)
            }
        };
        BootPrinter { out, result, frame }
    }

    /// Whether there is somebody to write to.
    pub fn goes_on(&self) -> bool {
        self.result.is_ok()
    }

    /// Shows a boot; it is seen at once.
    pub fn print(&mut self, boot: &[u8]) {
        let out = &mut self.out;
        let written = match &mut self.frame {
            Frame::Json(list) => list.item(&Made(boot), out),
            Frame::Text { boots } => {
                let apart = if *boots > 0 { out.write_all(b"\n\n") } else { Ok(()) };
                *boots += 1;
                apart.and_then(|()| out.write_all(boot))
            }
        };
        self.result = written.and_then(|()| out.flush());
    }

    /// Ends the output.
    ///
    /// # Errors
    /// It couldn't be written. A reader that went away is no error.
    pub fn close(self) -> Result<(), Failure> {
        let BootPrinter { mut out, result, frame } = self;
        let result = result.and_then(|()| match &frame {
            Frame::Json(list) => list.close(&mut out),
            Frame::Text { .. } => Ok(()),
        });
        out.finish(result).map(drop)
    }
}
