// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of consoles, by their positions in the setup.

/// Up to 64 of them; a kernel has a handful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ConsoleSet(u64);

impl ConsoleSet {
    /// More than any setup has.
    pub const MOST: usize = 64;

    /// With one in it.
    pub fn of(console: usize) -> ConsoleSet {
        [console].into_iter().collect()
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it holds a console.
    pub fn has(self, console: usize) -> bool {
        console < ConsoleSet::MOST && self.0 >> console & 1 == 1
    }

    /// In ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let console = (left != 0).then_some(left.trailing_zeros() as usize);
            left &= left.saturating_sub(1);
            console
        })
    }
}

impl FromIterator<usize> for ConsoleSet {
    fn from_iter<I: IntoIterator<Item = usize>>(consoles: I) -> ConsoleSet {
        let bits = consoles.into_iter().filter(|c| *c < ConsoleSet::MOST);
        ConsoleSet(bits.fold(0, |set, c| set | 1 << c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members() {
        let set: ConsoleSet = [5, 0, 63, 64].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 5, 63]);
        assert!(set.has(5) && !set.has(4) && !set.has(64) && !set.is_empty());
        assert!(ConsoleSet::default().is_empty());
    }
}
