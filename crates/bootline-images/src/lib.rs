// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-images: what the lab boots, and nothing of how it is booted or measured.
pub mod arch;
pub mod cpio;
pub mod file_system;
pub mod hardware;
mod hex;
mod host_tools;
pub mod image_format;
pub mod kernels;
pub mod loaders;
mod lock_file;
pub mod named;
pub mod programs;
mod remove;
pub mod roots;
mod step;
pub mod systems;
