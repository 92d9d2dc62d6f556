// SPDX-License-Identifier: MIT OR Apache-2.0
//! One record.
use std::fmt;

use bootline_capture::units::{Dur, HostTime, KernelTime};

/// A record's number: its position in the decoded input, from 0, whatever its source. Evidence is cited by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A range of bytes of the console's output (of a capture: its chunks laid end to end; of a text: the file).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// The first byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
}

impl ByteRange {
    /// In bytes.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
    /// Whether it holds no byte.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Who wrote a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordOrigin {
    /// The kernel: it has a printk prefix, or comes from a kernel-only format.
    Kernel,
    /// Anything else on the wire: firmware, boot loader, user space, noise.
    Other,
}

/// A printk level: 0 (emergency) to 7 (debug). A console prints what lies below its log level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u8);

/// Who called printk (CONFIG_PRINTK_CALLER).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// `[T123]`: a task.
    Task(u32),
    /// `[C1]`: a processor, outside task context.
    Cpu(u32),
}

/// When a record's characters reached the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The first character.
    pub first: HostTime,
    /// The last one, the line's end included. Where only a line's stamp is known (grabserial, minicom), as `first`.
    pub last: HostTime,
    /// How much earlier than stated it may have been.
    pub uncertainty: Dur,
}

/// One printk message, or one line of anything else on the wire. Borrows its text from where it is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record<'a> {
    /// Its number.
    pub id: RecordId,
    /// Where it stands in the input.
    pub bytes: ByteRange,
    /// Who wrote it.
    pub source: RecordOrigin,
    /// printk level, where the format has it.
    pub level: Option<Level>,
    /// The kernel's stamp: when printk stored it.
    pub stamp: Option<KernelTime>,
    /// The caller of printk, where the format has it.
    pub caller: Option<Caller>,
    /// When it reached the host, where that is known.
    pub arrival: Option<Arrival>,
    /// Characters it takes on a console: as received, or, from a format that isn't a console's, as the kernel would
    /// print it (prefix and CR LF included).
    pub line_bytes: u32,
    /// The message without prefix, control sequences and line end. Lines of one multi-line record are joined by `\n`.
    pub text: &'a str,
}
