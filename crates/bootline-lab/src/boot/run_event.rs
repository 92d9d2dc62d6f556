// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads of a run report.
use bootline_capture::units::{Dur, HostTime};

use crate::line::{LineRead, ReaderEnd};

/// What was read from the unpaced port at once.
pub(super) struct TruthRead {
    pub at: HostTime,
    /// The processor time that QEMU had used by then.
    pub processor: Option<Dur>,
    pub bytes: Vec<u8>,
}

pub(super) enum RunEvent {
    Line(Vec<LineRead>),
    ReaderIsRealTime,
    LineEnded(ReaderEnd),
    Truth(TruthRead),
    PictureSeen(HostTime),
    SocketAnswered(HostTime),
    TruthEnded,
}
