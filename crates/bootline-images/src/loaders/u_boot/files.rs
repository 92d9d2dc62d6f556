// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot's files in the cache.

/// The loader itself.
pub const IMAGE: &str = "u-boot.bin";
/// The environment that it has without a saved one.
pub const ENVIRONMENT: &str = "environment.txt";

/// All of them, the loader itself first.
pub(in crate::loaders) const FILES: [&str; 2] = [IMAGE, ENVIRONMENT];
