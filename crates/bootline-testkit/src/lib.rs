// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests and benches of several crates share: golden files, a stopwatch, and what it takes that no test depends on the
//! user's cache, on the environment that it is started in, or on another test.
mod environment;
mod golden;
#[cfg(feature = "kernels")]
mod kernel_cache;
mod stopwatch;

pub use environment::isolated;
pub use golden::{Goldens, cases, check_goldens, difference};
#[cfg(feature = "kernels")]
pub use kernel_cache::seed_kernel;
pub use stopwatch::Stopwatch;
