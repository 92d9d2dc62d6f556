// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads of a run report.
use bootline_capture::units::HostTime;

use crate::line::{LineRead, ReaderEnd};

pub(super) enum RunEvent {
    Line(Vec<LineRead>),
    ReaderIsRealTime,
    LineEnded(ReaderEnd),
    Truth(HostTime, Vec<u8>),
    PictureSeen(HostTime),
    SocketAnswered(HostTime),
    TruthEnded,
}
