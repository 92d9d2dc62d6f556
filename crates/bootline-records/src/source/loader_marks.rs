// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a boot loader or firmware recorded of its own progress.
use bootline_capture::units::LoaderTime;

/// The marks of one timer, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoaderMarks {
    /// The marks.
    pub marks: Vec<LoaderMark>,
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderMark {
    /// Time of the mark, on that timer.
    pub at: LoaderTime,
    /// `board_init_f`, `start_kernel`; for cbmem `starting to load payload`. From a file: hostile until a renderer escapes it.
    pub name: String,
}

/// Maximum number of marks: more than any loader writes, because a file may be hostile.
const MOST: usize = 10_000;

impl LoaderMarks {
    /// Adds a mark; false once there are too many.
    pub(super) fn add(&mut self, at: LoaderTime, name: &str) -> bool {
        let fits = self.marks.len() < MOST;
        if fits {
            self.marks.push(LoaderMark { at, name: name.chars().take(200).collect() });
        }
        fits
    }

    /// In order of time: marks of equal time keep their order.
    pub(super) fn sorted(mut self) -> LoaderMarks {
        self.marks.sort_by_key(|m| m.at);
        self
    }

    /// The time of the first mark of this name.
    pub fn at(&self, name: &str) -> Option<LoaderTime> {
        self.marks.iter().find(|m| m.name == name).map(|m| m.at)
    }
}
