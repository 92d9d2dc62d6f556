// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline completions`
use bootline_input::{Exit, Failure};
use clap::Command;
use clap_complete::Shell;

use crate::output_file::print;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bootline completions bash > ~/.local/share/bash-completion/completions/bootline")]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the completions of `command`, which is the whole command line.
pub fn run(args: Args, mut command: Command) -> Result<Exit, Failure> {
    // clap_complete panics if a write fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "bootline", &mut script);
    print(&String::from_utf8_lossy(&script).into_owned())?;
    Ok(Exit::FINE)
}
