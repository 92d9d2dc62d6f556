// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline time`
use bootline_input::unusable::BootNeeds;
use bootline_input::{Exit, Failure};
use bootline_report::{time, time_json};
use bootline_terminal::Terminal;

use crate::logs;
use crate::whole_boot::WholeBootArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bootline time boot.cap
  dmesg | bootline time -
  bootline time --json boots/*.cap | jq '.boots[] | [.source, .time_to_init.elapsed_ns.best]'")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    args.logs.resolve(terminal, "bootline-time/1")?.with_whole_boot(args.whole)?.show(
        terminal,
        BootNeeds::End,
        |boot, source, out| {
            out.show(|| time(boot, source), || time_json(boot, source));
            None
        },
    )
}
