// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline man`
use std::path::PathBuf;

use bootline_input::{Exit, Failure};
use bootline_terminal::Terminal;
use clap::Command;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bootline man ~/.local/share/man/man1")]
pub struct Args {
    /// The folder for bootline.1, bootline-explain.1 and so on; created if missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Writes a page for `command`, which is the whole command line, and one for each of its verbs.
pub fn run(args: Args, command: Command, terminal: &Terminal) -> Result<Exit, Failure> {
    let directory = args.directory;
    let failed = |e: std::io::Error| {
        Failure::new(Exit::INPUT, format!("can't write man pages to `{}`: {e}", directory.display()))
    };
    std::fs::create_dir_all(&directory).map_err(failed)?;
    // `bootline help` is clap's own and needs no page.
    let command = command.disable_help_subcommand(true);
    clap_mangen::generate_to(command, &directory).map_err(failed)?;
    terminal.say(&format!("man pages written to {}", bootline_report::escaped(&directory.to_string_lossy())));
    Ok(Exit::FINE)
}
