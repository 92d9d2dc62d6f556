// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came over the wire, as far as the laws need it.
use super::search::Violation;

/// A record goes out in so many pieces, each in an unsafe section of its own.
pub(super) const PARTS: u8 = 2;

/// The line as a reader of it sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct TransmittedBytes {
    /// Who writes which record, and the piece that comes next.
    line: Option<(u8, u8, u8)>,
    /// The last record that was begun, and by whom.
    last: Option<(u8, u8)>,
    /// Records of which a whole copy is there, one bit each.
    whole: u8,
    /// Records of which there is more than one copy or a part.
    pub(super) repeated: u8,
}

impl TransmittedBytes {
    pub(super) fn has(&self, record: u8) -> bool {
        self.whole & (1 << record) != 0
    }

    /// One piece.
    pub(super) fn write(&mut self, who: u8, record: u8, part: u8) -> Result<(), Violation> {
        if part == 0 {
            self.begin(who, record)?;
        } else if self.line != Some((who, record, part)) {
            return Err(Violation::Garbled);
        }
        self.line = Some((who, record, part + 1));
        self.end(record, part);
        Ok(())
    }

    /// One piece after an unsafe takeover: only what the panic writes counts, and it starts each record again.
    pub(super) fn write_in_doubt(&mut self, panics: bool, record: u8, part: u8) {
        if panics {
            self.end(record, part);
        }
    }

    fn begin(&mut self, who: u8, record: u8) -> Result<(), Violation> {
        match self.last {
            None if record == 0 => {}
            Some((last, _)) if record == last + 1 && self.has(last) => {}
            Some((last, by)) if record == last && by != who => self.repeated |= 1 << record,
            Some((last, _)) if record == last => return Err(Violation::RepeatedByItself),
            _ => return Err(Violation::OutOfOrder),
        }
        self.last = Some((record, who));
        Ok(())
    }

    fn end(&mut self, record: u8, part: u8) {
        if part + 1 == PARTS {
            self.whole |= 1 << record;
        }
    }
}
