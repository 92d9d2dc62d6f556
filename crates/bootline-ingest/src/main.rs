// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-ingest, the program behind `bootline ingest`: finds inputs, reads them in parallel, and commits their rows in batches.
//! bootline-input reads, bootline-store stores.
mod args;
mod batches;
mod find;
mod follow;
mod pass;
mod tally;

use std::path::Path;
use std::process::ExitCode;

use bootline_input::{Exit, Failure};
use bootline_terminal::Terminal;
use clap::{CommandFactory, Parser};

use args::Args;

fn main() -> ExitCode {
    bootline_input::keep_freed_memory();
    let args = Args::parse();
    let terminal = Terminal::detect(args.color);
    let exit = run(args, &terminal).unwrap_or_else(|failure| {
        terminal.show(&failure);
        failure.exit
    });
    exit.into()
}

fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Some(folder) = &args.man {
        return man(folder);
    }
    let plan = args.resolve()?;
    let store = bootline_store::Store::open(&plan.store).map_err(tally::store_failed)?;
    let tally = follow::run(&plan, &store)?;
    tally.say(&plan.store, terminal);
    tally.exit()
}

fn man(folder: &Path) -> Result<Exit, Failure> {
    let failed = |e| Failure::new(Exit::INPUT, format!("can't write the man page to `{}`: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Args::command(), folder).map_err(failed)?;
    Ok(Exit::FINE)
}
