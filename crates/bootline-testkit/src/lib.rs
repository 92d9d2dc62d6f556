// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests of several crates share, so that none depends on the user's cache, on the environment that it is
//! started in, or on another test.
mod environment;
mod kernel_cache;

pub use environment::isolated;
pub use kernel_cache::seed_kernel;
