// SPDX-License-Identifier: MIT OR Apache-2.0
//! The argument that names the kernel's source, for what its own table of initcalls says.
use std::path::PathBuf;

use bootline_input::{Exit, Failure};
use bootline_kbuild::{InitcallSource, Table};
use bootline_lab::kernel_tree::{self, KernelTreeError};
use clap::Args;

/// Where initcalls come from.
#[derive(Debug, Args)]
pub struct KernelTreeArgs {
    /// The source of the kernel that booted: the file and the CONFIG symbol of each initcall are looked up there
    #[arg(long, value_name = "DIR")]
    kernel_tree: Option<PathBuf>,
}

impl KernelTreeArgs {
    /// The initcalls of that source, else those of Debian's kernels.
    pub fn source(&self) -> Result<InitcallSource, Failure> {
        let Some(root) = &self.kernel_tree else { return Ok(InitcallSource::Stock) };
        Ok(InitcallSource::Own(kernel_tree::table(root).map_err(failed)?.with_values_of(Table::stock())))
    }
}

fn failed(error: KernelTreeError) -> Failure {
    Failure::new(Exit::INPUT, error.to_string())
        .hint("--kernel-tree names the folder that has the kernel's Makefile, Kconfig and drivers/")
}
