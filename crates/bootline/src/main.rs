// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bootline command: arguments, output, exit status. bootline-input reads, bootline-analysis computes,
//! bootline-report shows, bootline-port captures and bootline-lab boots.
mod boot_printer;
mod boot_without_log;
mod build_steps;
mod cli;
mod earlier_boot;
mod in_order;
mod input_pages;
mod kernel_tree;
mod log_input;
mod logs;
mod machine;
mod output_file;
mod output_stream;
mod prediction_error;
mod quantity;
mod reading;
mod run_inputs;
mod run_sets;
mod shape;
mod shell_word;
mod verbs;
mod whole_boot;

use std::process::ExitCode;

use bootline_terminal::Terminal;
use clap::Parser;

use cli::Cli;

fn main() -> ExitCode {
    bootline_input::keep_freed_memory();
    let Cli { color, verb } = Cli::parse();
    let terminal = Terminal::detect(color);
    let exit = verb.run(&terminal).unwrap_or_else(|failure| {
        terminal.show(&failure);
        failure.exit
    });
    exit.into()
}
