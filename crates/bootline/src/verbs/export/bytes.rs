// SPDX-License-Identifier: MIT OR Apache-2.0
//! The console's bytes without their times.
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;

use bootline_capture::{DamageKind, Event, Reader, starts_capture};
use bootline_input::unusable::{no_such_boot, read_failed, shown};
use bootline_input::{Boots, Exit, Failure, LogFile, OpenInput};
use bootline_records::Format;
use bootline_report::PlainText;
use bootline_terminal::Terminal;

use crate::output_stream::OutputStream;

const PIECE: usize = 64 * 1024;

/// Copies the bytes of the whole log, or of one boot (from 0) of it; of a collection, those of the log in it.
pub fn export(
    input: &OpenInput,
    from: Option<Format>,
    boot: Option<usize>,
    raw: bool,
    out: OutputStream,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let Some(input) = &input.log else {
        return Err(Failure::new(Exit::INPUT, format!("no log in {}", shown(&input.name))));
    };
    let wanted = match boot {
        None => 0..u64::MAX,
        Some(_) if matches!(input, LogFile::Stdin) => {
            return Err(Failure::new(Exit::USAGE, "standard input `-` would have to be read twice for `--boot`")
                .hint("give `bootline export` the file itself"));
        }
        Some(n) => range_of(input, from, n)?,
    };
    let mut copy =
        Copy { wanted, at: 0, raw, plain: PlainText::new(), text: String::new(), out, result: Ok(()), damaged: None };
    let mut source = input.open()?;
    let mut piece = vec![0; PIECE];
    let mut reader: Option<Reader> = None;
    let mut first = Vec::new();
    loop {
        let n = match source.read(&mut piece) {
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(read_failed(&input.name(), &e)),
        };
        if let Some(reader) = &mut reader {
            reader.push(&piece[..n], &mut |event| copy.event(event));
        } else if first.len() < ENOUGH_TO_TELL {
            // A pipe may give a byte at a time.
            first.extend_from_slice(&piece[..n]);
            if first.len() >= ENOUGH_TO_TELL || n == 0 {
                if starts_capture(&first) {
                    reader.insert(Reader::new()).push(&first, &mut |event| copy.event(event));
                } else {
                    copy.bytes(&first);
                }
            }
        } else {
            copy.bytes(&piece[..n]);
        }
        if n == 0 || copy.result.is_err() {
            break;
        }
    }
    if let Some(reader) = reader {
        reader.finish(&mut |event| copy.event(event));
    } else if first.is_empty() {
        return Err(Failure::new(Exit::INPUT, format!("{} is empty", shown(&input.name()))));
    }
    copy.finish(&shown(&input.name()), terminal)
}

/// A capture shows by its first bytes.
const ENOUGH_TO_TELL: usize = 64;

/// The bytes of one boot: from its first record to that of the next.
fn range_of(input: &LogFile, from: Option<Format>, boot: usize) -> Result<Range<u64>, Failure> {
    let mut starts = Vec::new();
    for found in Boots::open(input, from)? {
        let (records, _) = found?;
        starts.push(records.records.iter().next().map_or(0, |r| r.bytes.start));
        if starts.len() > boot + 1 {
            break;
        }
    }
    if boot >= starts.len() {
        return Err(no_such_boot(&input.name(), boot, starts.len()));
    }
    let start = if boot == 0 { 0 } else { starts[boot] };
    Ok(start..starts.get(boot + 1).copied().unwrap_or(u64::MAX))
}

struct Copy {
    wanted: Range<u64>,
    /// Bytes seen.
    at: u64,
    raw: bool,
    plain: PlainText,
    text: String,
    out: OutputStream,
    /// The first error; nothing is written after it.
    result: io::Result<()>,
    damaged: Option<Range<u64>>,
}

impl Copy {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Chunk(_, bytes) => self.bytes(bytes),
            Event::Damage(d) if d.kind != DamageKind::UnknownFrame => _ = self.damaged.get_or_insert(d.file_bytes),
            Event::Header(_) | Event::Note(_) | Event::Damage(_) => {}
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let start = self.at;
        self.at += bytes.len() as u64;
        let within = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len());
        let bytes = &bytes[within(self.wanted.start)..within(self.wanted.end).max(within(self.wanted.start))];
        if self.result.is_err() {
            return;
        }
        if self.raw {
            self.result = self.out.write_all(bytes);
            return;
        }
        self.plain.push(bytes, &mut self.text);
        self.result = self.out.write_all(self.text.as_bytes());
        self.text.clear();
    }

    fn finish(mut self, name: &str, terminal: &Terminal) -> Result<Exit, Failure> {
        self.plain.finish(&mut self.text);
        let result = self.result.and_then(|()| self.out.write_all(self.text.as_bytes()));
        self.out.finish(result)?;
        let Some(bytes) = self.damaged else { return Ok(Exit::FINE) };
        let failure = Failure::new(Exit::INPUT, format!("{name} is damaged; what stood there is missing in the text"))
            .at(format!("bytes {}..{} of the file", bytes.start, bytes.end));
        terminal.show(&failure);
        Ok(failure.exit)
    }
}
