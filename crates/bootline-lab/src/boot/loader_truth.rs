// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run's truth says of its boot loader.
use bootline_images::loaders::{Loader, LoaderFirmware};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a boot loader is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "How a boot loader is set up.")]
pub struct LoaderSetup {
    /// Seconds for which it waits for a key; none for its own default.
    #[schemars(description = "Seconds for which it waits for a key; null for its own default.")]
    pub delay: Option<u32>,
    /// Whether it prints nothing and waits for no key.
    pub quiet: bool,
    /// Whether it reads the kernel compressed with gzip, and decompresses it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gzip: bool,
}

/// A boot loader of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoaderTruth {
    /// The loader.
    pub name: Loader,
    /// Version of the loader.
    pub version: String,
    /// The firmware that started it, if the loader was not the machine's first program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<LoaderFirmware>,
    /// How it was set up.
    #[serde(flatten)]
    pub setup: LoaderSetup,
}
