// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels built from source, for what stock kernels lack: they are in the cache of kernels, each under a name.
//!
//! ```text
//! ROOT/build/apt/                    apt's own folders
//! ROOT/build/source/6.12.107-1/      a source, unpacked
//! ROOT/build/amd64-tiny.lock         held while this kernel is built
//! ROOT/build/amd64-tiny/             a build: make continues what was interrupted here
//! ROOT/amd64/built/tiny/3/           a kernel: vmlinuz, config, System.map, kernel.json, modules/; the third that was built under this name
//! ```
mod base;
mod builder;
mod collect;
mod config_check;
mod error;
mod estimate;
mod fragment;
mod make;
mod progress;
mod request;
mod shipped;
mod source;
mod source_name;
mod tools;

pub use base::ConfigBase;
pub use builder::build;
pub use error::KernelBuildError;
pub use fragment::FragmentName;
pub use progress::KernelBuildProgress;
pub use request::KernelBuild;
pub use shipped::{SHIPPED, ShippedFragment};
pub use source_name::SourceName;
