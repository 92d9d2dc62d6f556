// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where kernels are kept.
use std::path::PathBuf;

use bootline_images::kernels::{self, Store};
use bootline_input::{Exit, Failure};

/// Where kernels are kept, and how they are shown.
#[derive(Debug, clap::Args)]
pub struct StoreArgs {
    /// Where to keep kernels [default: $BOOTLINE_CACHE/kernels, or bootline/kernels in the user's cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// A mirror of the Debian archive, if this host's apt has none
    #[arg(long, value_name = "URL")]
    pub mirror: Option<String>,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// The cache of kernels at its place.
pub fn open(place: &StoreArgs) -> Result<Store, Failure> {
    let folder = kernels::cache_folder(place.cache.as_deref(), |name| std::env::var_os(name)).ok_or_else(|| {
        Failure::new(Exit::LAB, "no place for kernels: neither HOME nor XDG_CACHE_HOME is set")
            .hint("set another folder: BOOTLINE_CACHE=DIR")
    })?;
    let store = Store::open(&folder).map_err(|e| failed(&e))?;
    Ok(match &place.mirror {
        Some(mirror) => store.with_mirror(mirror),
        None => store,
    })
}

/// The error to show for a kernel that can't be had.
pub fn failed(error: &kernels::Error) -> Failure {
    let exit = match error {
        // A name that is mistyped, as a file would be.
        kernels::Error::NotBuilt { .. } => Exit::INPUT,
        _ => Exit::LAB,
    };
    failure(exit, &error.to_string(), error.hint())
}

/// The error to show for a message of several lines, of which the first says what failed and the others are evidence.
pub fn failure(exit: Exit, message: &str, hint: Option<String>) -> Failure {
    let mut lines = message.lines();
    let failure = Failure::new(exit, lines.next().unwrap_or_default());
    let failure = lines.fold(failure, |failure, line| failure.evidence(line.trim()));
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
