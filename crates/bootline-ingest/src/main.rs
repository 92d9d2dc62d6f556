// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-ingest, the program behind `bootline ingest`: finds inputs, reads them in parallel, and commits their rows in batches.
//! bootline-input reads, bootline-store stores.
mod args;
mod batches;
mod find;
mod follow;
mod pass;
mod tally;

use std::process::ExitCode;

use bootline_input::{Exit, Failure};
use bootline_terminal::Terminal;
use clap::Parser;

use args::Args;

fn main() -> ExitCode {
    let args = Args::parse();
    let terminal = Terminal::detect(args.color);
    let exit = run(args, &terminal).unwrap_or_else(|failure| {
        terminal.show(&failure);
        failure.exit
    });
    exit.into()
}

fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let plan = args.resolve()?;
    let store = bootline_store::Store::open(&plan.store).map_err(tally::store_failed)?;
    let tally = follow::run(&plan, &store)?;
    tally.say(&plan.store, terminal);
    tally.exit()
}
