// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with the input, named instead of hidden.

use super::ByteRange;

/// One kind of trouble, where it was first met, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// Where it was met first. For damage of a capture file: bytes of that file; else of the console's output.
    pub bytes: ByteRange,
    /// How often it was met.
    pub count: u64,
    /// What was seen, in words.
    pub detail: String,
}

/// The kinds of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// The capture file can't be read in places.
    CaptureDamaged,
    /// The capture file ends inside a frame: its writer was stopped.
    CaptureCutOff,
    /// The compressed file or the archive is damaged or cut off: what followed is lost.
    ArchiveDamaged,
    /// The port went away while capturing: what was sent then is lost.
    PortLost,
    /// No format was recognised; the text was taken as lines without times.
    UnknownFormat,
    /// A line is longer than a record can be; its tail was dropped.
    LineTooLong,
    /// Bytes that are no text.
    BinaryNoise,
    /// NUL bytes in the text.
    NulBytes,
    /// Text that is not UTF-8.
    InvalidUtf8,
    /// Terminal control sequences, removed.
    ControlSequences,
    /// A kernel record begins in the middle of another line, whose rest it cut off.
    GluedOutput,
    /// A line that begins like a record's prefix and isn't one.
    BadPrefix,
    /// A stamp too large to be a time.
    StampOverflow,
    /// A line of a structured format (JSON, kmsg) that doesn't parse.
    BadLine,
    /// The last line has no end.
    UnendedLine,
    /// The log's beginning is missing: the ring buffer wrapped, or the capture began late.
    BeginningLost,
    /// A stretch of records is missing (sequence numbers, or text torn on the line).
    RecordsLost,
    /// The kernel's stamps go back.
    ClockJumpedBack,
    /// The kernel's clock stood still or ran slow against the arrival times.
    ClockStoodStill,
    /// The kernel's clock seems to have run before the kernel did: its times count from power-on, or from the host's start.
    ClockRanBefore,
    /// The host's stamps go back: its clock was set while the log was taken.
    ArrivalJumpedBack,
    /// The stamps are too coarse to show where the time went (`dmesg -T`: whole seconds).
    CoarseStamps,
    /// The log has the times at which a journal or a logger read the kernel's records, not those at which they were stored.
    ReceiptTimes,
    /// The kernel panicked after init had started.
    PanicAfterBoot,
    /// The boot's end has a time before its start's: the clock of the stamps was set back between them.
    EndBeforeStart,
    /// More records than are kept for one boot; the rest were only counted.
    TooManyRecords,
    /// No kernel record at all.
    NoKernelRecords,
    /// The log registers another serial console than the one that the user states.
    OtherConsole,
    /// A file given besides the log was not used.
    SourceNotUsed,
    /// A file given besides the log lacks a part, or has lines that are not understood; the rest was used.
    SourceIncomplete,
    /// Two sources say different things of one event; neither was used for it.
    SourcesContradict,
    /// The application that was named is not in what the sources show.
    ApplicationNotReached,
}

impl ProblemKind {
    /// Whether it concerns what was given besides the log, and not the log's own content.
    pub fn is_of_sources(self) -> bool {
        use ProblemKind::*;
        matches!(self, SourceNotUsed | SourceIncomplete | SourcesContradict | ApplicationNotReached)
    }

    /// Whether something is missing because of it that a list or a total would show.
    pub fn leaves_out(self) -> bool {
        use ProblemKind::*;
        matches!(
            self,
            CaptureCutOff | ArchiveDamaged | TooManyRecords | SourceNotUsed | SourceIncomplete | SourcesContradict
        )
    }

    /// Whether figures drawn from the input can't be trusted because of it (exit status 3).
    pub fn spoils_the_answer(self) -> bool {
        use ProblemKind::*;
        matches!(
            self,
            CaptureDamaged
                | PortLost
                | UnknownFormat
                | BeginningLost
                | RecordsLost
                | ReceiptTimes
                | EndBeforeStart
                | TooManyRecords
                | NoKernelRecords
        )
    }
}

/// Problems, one entry a kind: the first place and the count, so that hostile input can't fill the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    kinds: Vec<Problem>,
}

impl Problems {
    /// Adds one; a kind already met is counted, and the first place kept.
    pub fn add(&mut self, kind: ProblemKind, bytes: ByteRange, detail: impl FnOnce() -> String) {
        match self.kinds.iter_mut().find(|p| p.kind == kind) {
            Some(p) => p.count += 1,
            None => self.kinds.push(Problem { kind, bytes, count: 1, detail: detail() }),
        }
    }

    /// In the order in which they were met.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.kinds.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Takes all of another's in.
    pub fn merge(&mut self, other: Problems) {
        for p in other.kinds {
            match self.kinds.iter_mut().find(|mine| mine.kind == p.kind) {
                Some(mine) => mine.count += p.count,
                None => self.kinds.push(p),
            }
        }
    }
}
