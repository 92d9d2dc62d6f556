// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stock Debian kernels by series: found, fetched, kept in a cache, verified on every use. Next to them are the kernels that were
//! [built](build) here, by name.
//!
//! They come from the host's own mirror through a private apt configuration: nothing is installed, the host's apt is
//! not changed, root is not needed. Cached kernels work without a network.
//!
//! ```no_run
//! # use bootline_images::arch::Arch;
//! # use bootline_images::kernels::{Store, cache_folder};
//! let root = cache_folder(None, |name| std::env::var_os(name)).expect("a home");
//! let kernel = Store::open(&root)?.fetch("6.18-rt".parse().expect("a series"), Arch::Amd64, &mut |_| {})?;
//! println!("{} {}", kernel.release, kernel.path.display());
//! # Ok::<(), bootline_images::kernels::Error>(())
//! ```
mod behaviour;
pub mod build;
mod built;
mod cache;
mod catalogue;
mod deb822;
mod deb_archive;
mod entry;
mod error;
mod host;
mod listing;
#[cfg(test)]
mod mirror_tests;
mod package;
mod private_apt;
mod progress;
mod series;
mod sources;
mod store;
mod tar;
#[cfg(test)]
mod tests;
mod version;

pub use behaviour::{ConsoleClass, nearest};
pub use built::{BuiltKernel, BuiltName, NamedKernel};
pub use catalogue::Catalogue;
pub use entry::Kernel;
pub use entry::sha256_of;
pub use error::Error;
pub(crate) use host::archive;
pub use listing::{Listing, Refresh, Row};
pub use package::Package;
pub(crate) use private_apt::PrivateApt;
pub use progress::FetchProgress;
pub use series::{Flavour, KernelName, KernelNameError, Series};
pub use store::{Store, Substitute, cache_folder};
