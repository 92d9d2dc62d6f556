// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline blame`
use bootline_input::unusable::{BootNeeds, UnusableInput};
use bootline_input::{Exit, Failure};
use bootline_report::{BlameOptions, blame, blame_json};
use bootline_terminal::Terminal;

use crate::kernel_tree::KernelTreeArgs;
use crate::logs;
use crate::whole_boot::WholeBootArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The kernel names its initcalls and probes if it is booted with `initcall_debug`. These messages
cost console time themselves; `net` excludes it.

Examples:
  bootline blame boot.cap
  dmesg | bootline blame -n 20 -
  bootline blame --gross boot.cap                      including the waits for the console")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
    /// Show only the longest N
    #[arg(short, long, value_name = "N")]
    number: Option<usize>,
    /// Sort by gross time, which includes the waits for the console
    #[arg(long)]
    gross: bool,
    #[command(flatten)]
    source: KernelTreeArgs,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let initcalls = args.source.source()?;
    let options = BlameOptions { count: args.number, gross: args.gross, initcalls: &initcalls };
    args.logs.resolve(terminal, "bootline-blame/1")?.with_whole_boot(args.whole)?.show(
        terminal,
        BootNeeds::Times,
        |boot, source, out| {
            out.show(|| blame(boot, &options, source), || blame_json(boot, &options, source));
            let is_empty =
                boot.spans().is_empty() && boot.whole.units.is_empty() && boot.whole.traced_initcalls.is_empty();
            is_empty.then(|| UnusableInput::no_spans(source))
        },
    )
}
