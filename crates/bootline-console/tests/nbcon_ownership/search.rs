// SPDX-License-Identifier: MIT OR Apache-2.0
//! All runs of a model: each state once, depth first, so that a state met again on its own path is a run without end.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A law that a run broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Violation {
    /// Two contexts in unsafe sections, and no unsafe takeover.
    TwoOwners,
    /// A piece of a record followed a piece of another.
    Garbled,
    /// A record before one that should have come first.
    OutOfOrder,
    /// A record began again though nobody had taken over.
    RepeatedByItself,
    /// A record counted as printed and not whole on the line.
    Lost,
    /// Nothing can go on, and not all is printed.
    Stuck,
    /// A run that comes back to where it was.
    Endless,
}

/// What is searched.
pub(super) trait Model {
    type State: Copy + Eq + Hash;

    fn start(&self) -> Self::State;
    /// What one step of anybody can lead to.
    fn next(&self, state: &Self::State, found: &mut Vec<Self::State>) -> Result<(), Violation>;
    /// The laws of each state.
    fn check(&self, state: &Self::State) -> Result<(), Violation>;
    /// The laws of a state in which nobody can go on.
    fn check_end(&self, state: &Self::State) -> Result<(), Violation>;
}

/// Quick, and no more: nobody chooses these states to collide.
#[derive(Default)]
struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u8(&mut self, v: u8) {
        self.write_u64(u64::from(v));
    }
    fn write_isize(&mut self, v: isize) {
        self.write_u64(v as u64);
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(5) ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// All there is, the laws kept.
pub(super) struct SearchOutcome<S> {
    pub(super) states: usize,
    pub(super) ends: Vec<S>,
}

/// The first law broken, and the path to it.
pub(super) struct Counterexample<S> {
    pub(super) law: Violation,
    pub(super) path: Vec<S>,
}

pub(super) fn search<M: Model>(model: &M) -> Result<SearchOutcome<M::State>, Counterexample<M::State>> {
    /// Whether the state is on the path that is being followed.
    type OnPath = bool;
    let start = model.start();
    let mut seen: HashMap<M::State, OnPath, BuildHasherDefault<Fold>> = HashMap::default();
    seen.insert(start, true);
    let mut path: Vec<(M::State, Vec<M::State>)> = Vec::new();
    let mut ends = Vec::new();
    let mut open = Some(start);
    loop {
        if let Some(state) = open.take() {
            let mut next = Vec::new();
            let checked = model.check(&state).and_then(|()| model.next(&state, &mut next));
            let checked = checked.and_then(|()| if next.is_empty() { model.check_end(&state) } else { Ok(()) });
            if next.is_empty() {
                ends.push(state);
            }
            path.push((state, next));
            checked.map_err(|law| broken(law, &path))?;
        }
        let Some((state, rest)) = path.last_mut() else {
            return Ok(SearchOutcome { states: seen.len(), ends });
        };
        match rest.pop() {
            None => {
                seen.insert(*state, false);
                path.pop();
            }
            Some(next) => match seen.get(&next) {
                None => {
                    seen.insert(next, true);
                    open = Some(next);
                }
                Some(true) => return Err(broken(Violation::Endless, &path)),
                Some(false) => {}
            },
        }
    }
}

fn broken<S: Copy>(law: Violation, path: &[(S, Vec<S>)]) -> Counterexample<S> {
    Counterexample { law, path: path.iter().map(|(s, _)| *s).collect() }
}
