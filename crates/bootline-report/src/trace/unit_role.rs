// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each unit had to do with when the application, or the last target, was up.
use std::collections::{HashMap, HashSet};

use super::sink::SliceInfo;
use bootline_analysis::user_space::UnitChain;
use bootline_capture::units::Dur;

/// The roles of the units by their positions; none where the units' ordering is not known.
pub(super) struct UnitRoles {
    chain: Option<ChainRoles>,
}

struct ChainRoles {
    in_chain: HashSet<usize>,
    slack: HashMap<usize, Dur>,
    off_path: HashSet<usize>,
}

impl UnitRoles {
    pub fn of(chain: Option<&UnitChain>) -> UnitRoles {
        let roles = |chain: &UnitChain| ChainRoles {
            in_chain: chain.links.iter().map(|link| link.unit).collect(),
            slack: chain.slack.iter().map(|s| (s.unit, s.slack)).collect(),
            off_path: chain.off_path.iter().copied().collect(),
        };
        UnitRoles { chain: chain.map(roles) }
    }

    /// Adds the role of the unit at a position.
    pub fn annotate<'a>(&self, unit: usize, what: SliceInfo<'a>) -> SliceInfo<'a> {
        let Some(chain) = &self.chain else { return what };
        what.arg("in_chain", chain.in_chain.contains(&unit))
            .known("slack_ns", chain.slack.get(&unit).copied())
            .known("off_path", chain.off_path.contains(&unit).then_some(true))
    }
}
