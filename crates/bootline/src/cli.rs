// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line as typed. Each verb interprets its own arguments.
use bootline_input::{Exit, Failure};
use bootline_terminal::{ColorChoice, Terminal};
use clap::{CommandFactory, Parser, Subcommand};

use crate::verbs::{
    blame, boot, capture, check, collect, compare, completions, critical_chain, experiment, explain, export, external,
    kernels, loaders, man, plot, predict, systems, time,
};

/// Explains why a Linux boot is slow, predicts what each remedy would save, and tests it on real kernels.
#[derive(Debug, Parser)]
#[command(name = "bootline", version, propagate_version = true, max_term_width = 100, after_help = EXIT_STATUS)]
pub struct Cli {
    /// When to colour the output
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub color: ColorChoice,
    #[command(subcommand)]
    pub verb: Verb,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  a gate failed: a limit is exceeded, a claim or a prediction is refuted
  2  usage error
  3  an input is unusable or incomplete, or a gate is inconclusive
  4  the lab or a port failed";

/// One file each in `verbs`. To add one: a file with its `Args` and `run`, a variant here, a line in `run`.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Explains where a boot's time went and what to do about it
    Explain(explain::Args),
    /// Shows how long each phase of a boot took
    Time(time::Args),
    /// Lists initcalls and probes by the time they took, net of the console
    Blame(blame::Args),
    /// Shows the critical path to init, or from power-on to the application, and the slack of what is not on it
    CriticalChain(critical_chain::Args),
    /// Writes a boot in the formats of other tools: Perfetto, Chrome, CSV, Markdown, JUnit, LAVA
    Export(Box<export::Args>),
    /// Predicts the boot with another console, log level, kernel or line speed
    Predict(predict::Args),
    /// Draws boots as an interactive page in one file, or as a static picture
    Plot(plot::Args),
    /// Compares two sets of boots: medians, intervals, and where the difference comes from
    Compare(Box<compare::Args>),
    /// Checks boots against a budget or a baseline: a gate for CI
    Check(Box<check::Args>),
    /// Records a boot from a serial device, a socket, a command or standard input, with arrival times
    Capture(Box<capture::Args>),
    /// Collects all that this machine knows of its boot in one archive, to explain it here or elsewhere
    Collect(collect::Args),
    /// Stores boots of many logs as Parquet files (program bootline-ingest)
    #[command(disable_help_flag = true)]
    Ingest(external::Args),
    /// Answers questions over a store of boots: regressions, outliers, trends (program bootline-fleet)
    #[command(disable_help_flag = true)]
    Fleet(external::Args),
    /// Asks a store of boots in SQL (program bootline-sql)
    #[command(disable_help_flag = true)]
    Sql(external::Args),
    /// Boots a kernel in QEMU on a serial line paced to its true speed, and stores a capture and the truth about the run
    Boot(Box<boot::Args>),
    /// Boots the arms of an experiment interleaved, and reports whether its claims and predictions hold
    Experiment(Box<experiment::Args>),
    /// Lists, fetches and builds kernels for the lab
    Kernels(kernels::Args),
    /// Lists and builds boot loaders for the lab
    Loaders(loaders::Args),
    /// Lists, fetches and builds whole systems for the lab
    Systems(systems::Args),
    /// Writes shell completions to standard output
    Completions(completions::Args),
    /// Writes the man pages to a folder
    Man(man::Args),
}

impl Verb {
    /// Runs the verb.
    pub fn run(self, terminal: &Terminal) -> Result<Exit, Failure> {
        match self {
            Verb::Capture(args) => capture::run(*args, terminal),
            Verb::Explain(args) => explain::run(args, terminal),
            Verb::Time(args) => time::run(args, terminal),
            Verb::Export(args) => export::run(*args, terminal),
            Verb::Predict(args) => predict::run(args, terminal),
            Verb::Plot(args) => plot::run(args, terminal),
            Verb::Blame(args) => blame::run(args, terminal),
            Verb::CriticalChain(args) => critical_chain::run(args, terminal),
            Verb::Boot(args) => boot::run(*args, terminal),
            Verb::Ingest(args) => external::run(&external::INGEST, args),
            Verb::Fleet(args) => external::run(&external::FLEET, args),
            Verb::Sql(args) => external::run(&external::SQL, args),
            Verb::Experiment(args) => experiment::run(*args, terminal),
            Verb::Collect(args) => collect::run(args, terminal),
            Verb::Compare(args) => compare::run(*args, terminal),
            Verb::Check(args) => check::run(*args, terminal),
            Verb::Completions(args) => completions::run(args, Cli::command()),
            Verb::Kernels(args) => kernels::run(args, terminal),
            Verb::Loaders(args) => loaders::run(args, terminal),
            Verb::Systems(args) => systems::run(args, terminal),
            Verb::Man(args) => man::run(args, Cli::command(), terminal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_is_laid_out_within_its_width() {
        for verb in Cli::command().get_subcommands() {
            let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let too_long = after.lines().find(|line| line.chars().count() > 100);
            assert_eq!(too_long, None, "{}", verb.get_name());
        }
    }
}
