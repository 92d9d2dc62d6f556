// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bootline command: arguments, files, exit status, the wording of errors. bootline-analysis computes,
//! bootline-report shows, bootline-port captures and bootline-lab boots.
mod boot_printer;
mod boots;
mod build_steps;
mod chart_archive;
mod cli;
mod collection;
mod earlier_boot;
mod exit;
mod failure;
mod interruption;
mod kernel_log;
mod kernel_tree;
mod log_file;
mod logs;
mod machine;
mod open_input;
mod output_file;
mod output_stream;
mod prediction_error;
mod progress;
mod quantity;
mod reading;
mod run_inputs;
mod run_sets;
mod shape;
mod tar_writer;
mod terminal;
mod unusable;
mod verbs;
mod whole_boot;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;
use terminal::Terminal;

fn main() -> ExitCode {
    let Cli { color, verb } = Cli::parse();
    let terminal = Terminal::detect(color);
    let exit = verb.run(&terminal).unwrap_or_else(|failure| {
        failure.show(&terminal);
        failure.exit
    });
    exit.into()
}
