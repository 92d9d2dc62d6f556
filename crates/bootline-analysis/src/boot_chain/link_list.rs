// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links that are laid one after the other. Sources disagree by their clocks' errors: a link is cut to the place that is left.
use super::link::{BootLink, ChainPart, LinkKind};
use bootline_capture::units::Dur;

/// The links so far.
pub(super) struct LinkList {
    pub links: Vec<BootLink>,
    /// Where the next link begins.
    pub at: Dur,
    /// The chain's end.
    end: Dur,
}

impl LinkList {
    /// No links yet.
    pub fn new(start: Dur, end: Dur) -> LinkList {
        LinkList { links: Vec::new(), at: start, end }
    }

    /// Adds a link up to a moment; none if there is no place left for it.
    pub fn add(&mut self, kind: LinkKind, part: ChainPart, to: Dur) -> Option<&mut BootLink> {
        if self.cut(to) == self.at {
            return None;
        }
        Some(self.add_always(kind, part, to))
    }

    /// Adds a link up to a moment, even if it takes no time, as a target does.
    pub fn add_always(&mut self, kind: LinkKind, part: ChainPart, to: Dur) -> &mut BootLink {
        let (start, end) = (self.at, self.cut(to));
        self.at = end;
        self.links.push(BootLink::plain(kind, part, start, end));
        let last = self.links.len() - 1;
        &mut self.links[last]
    }

    /// A moment, moved to the place that is left.
    pub fn cut(&self, to: Dur) -> Dur {
        to.min(self.end).max(self.at)
    }
}
