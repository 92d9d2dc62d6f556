// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two values of a kind.
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// Serialised as a sequence: serde treats `[T; 2]` as a tuple, which in Python differs from a list.
#[derive(Clone, Copy, JsonSchema)]
#[schemars(inline, transparent)]
pub(crate) struct Pair<T>(pub [T; 2]);

impl<T: Serialize> Serialize for Pair<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}
