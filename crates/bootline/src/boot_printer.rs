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

/// Writes boots to standard output, until nobody reads it any more.
pub struct BootPrinter {
    out: OutputStream,
    result: io::Result<()>,
    frame: Frame,
}

/// What stands around and between boots.
enum Frame {
    /// Blank lines between them.
    Text { options: TextOptions, boots: usize },
    /// A list.
    Json(BootsJson),
}

impl BootPrinter {
    /// Begins the output. `schema` is that of the list.
    pub fn open(output: Output, schema: &'static str) -> BootPrinter {
        let mut out = OutputStream::stdout();
        let (frame, result) = match output {
            Output::Text(options) => (Frame::Text { options, boots: 0 }, Ok(())),
            Output::Json => {
                let list = BootsJson::new(schema);
                let result = list.open(&mut out);
                (Frame::Json(list), result)
            }
        };
        BootPrinter { out, result, frame }
    }

    /// Whether boots are shown as JSON.
    pub fn is_json(&self) -> bool {
        matches!(self.frame, Frame::Json(_))
    }

    /// Whether there is somebody to write to.
    pub fn goes_on(&self) -> bool {
        self.result.is_ok()
    }

    /// Shows a boot; it is seen before the next one is read.
    pub fn show<J: Serialize>(&mut self, document: impl FnOnce() -> Document, json: impl FnOnce() -> J) {
        let out = &mut self.out;
        let written = match &mut self.frame {
            Frame::Json(list) => list.item(&JsonItem(json()), out),
            Frame::Text { options, boots } => {
                let apart = if *boots > 0 { out.write_all(b"\n\n") } else { Ok(()) };
                *boots += 1;
                apart.and_then(|()| TextEmitter { document: &document(), options: *options }.emit(out))
            }
        };
        self.result = written.and_then(|()| out.flush());
    }

    /// Shows a boot to programs, and to people nothing: a failure follows.
    pub fn show_json<J: Serialize>(&mut self, json: impl FnOnce() -> J) {
        if let Frame::Json(list) = &mut self.frame {
            self.result = list.item(&JsonItem(json()), &mut self.out).and_then(|()| self.out.flush());
        }
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
