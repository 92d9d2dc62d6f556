// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts in rows.
use std::sync::Arc;

/// A text that many rows share.
pub type Text = Arc<str>;
