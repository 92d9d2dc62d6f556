// SPDX-License-Identifier: MIT OR Apache-2.0
//! crates/bootline-kbuild/initcalls.tsv: the initcalls of some kernel series, from their sources.
use std::path::Path;

use bootline_kbuild::Table;
use bootline_lab::kernel_tree::{KernelTreeError, config, table};

use crate::document::Document;
use crate::error::Error;

const USAGE: Error = Error::Usage("usage: cargo xtask initcalls TREE[,ARCHITECTURE=CONFIG]...");

/// The table of all these: each a kernel tree, and configurations of Debian's kernels of its series.
pub fn document(sources: &[&str]) -> Result<Document, Error> {
    let mut whole = Table::default();
    for source in sources {
        let mut parts = source.split(',');
        let tree = parts.next().ok_or(USAGE)?;
        let mut found = table(Path::new(tree)).map_err(failed)?;
        for part in parts {
            let (architecture, path) = part.split_once('=').ok_or(USAGE)?;
            found.add_config(architecture, &config(Path::new(path)).map_err(failed)?);
        }
        whole.merge(found);
    }
    Ok(Document { path: "crates/bootline-kbuild/initcalls.tsv".to_owned(), text: whole.to_string() })
}

fn failed(error: KernelTreeError) -> Error {
    match error {
        KernelTreeError::Read { path, source } => Error::File { path, source },
        KernelTreeError::NotAKernel(ref path) => Error::content(path, &error),
    }
}
