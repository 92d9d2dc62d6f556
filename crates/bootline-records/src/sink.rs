// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where decoded records go.
use super::{ByteRange, ProblemKind, Record, UnitEvent};
use bootline_capture::{Header, Note};

/// Takes what a [`super::Decoder`] finds, in input order.
pub trait Sink {
    /// A record; its text lives as long as the call.
    fn record(&mut self, record: Record<'_>);
    /// Something wrong with the input; each kind at most once a line.
    fn problem(&mut self, kind: ProblemKind, bytes: ByteRange, detail: &str);
    /// A capture's header.
    fn header(&mut self, _header: &Header) {}
    /// A capture's note.
    fn note(&mut self, _note: &Note) {}
    /// What a journal's entry says of a unit of systemd.
    fn unit_event(&mut self, _event: UnitEvent) {}
}
