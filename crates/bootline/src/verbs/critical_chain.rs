// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline critical-chain`
use bootline_analysis::critical_path::CriticalPath;
use bootline_input::unusable::BootNeeds;
use bootline_input::{Exit, Failure};
use bootline_report::{CriticalChainOptions, critical_chain, critical_chain_json};
use bootline_terminal::Terminal;

use crate::logs;
use crate::whole_boot::WholeBootArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The last segment before the boot's end comes first; each of the following had to end before the one
above it could begin. `net` excludes waits for the console; `without it` is the change of the boot's
end without the segment. Initcalls are named if the kernel is booted with `initcall_debug`,
async calls if it also has `async.dyndbg=+p`.

With `--with` and `--app` the chain goes from power-on to the application: firmware, boot loader,
kernel, initramfs, systemd's own start, units, and the time in which a unit could start and did not
yet (queue).

Examples:
  bootline critical-chain boot.cap
  dmesg | bootline critical-chain -
  bootline critical-chain --marker 'login: ' boot.cap
  bootline critical-chain boot.cap --with boot.tar --app camera.service
  bootline critical-chain -n 40 boot.cap               with the 40 longest segments
  bootline critical-chain --json boot.cap | jq '.boots[].critical_path.segments[].max_saving_ns'")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
    /// Show the N longest segments one by one, and merge the others
    #[arg(short, long, value_name = "N", default_value_t = CriticalChainOptions::default().count)]
    number: usize,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let options = CriticalChainOptions { count: args.number };
    args.logs.resolve(terminal, "bootline-critical-chain/1")?.with_whole_boot(args.whole)?.show(
        terminal,
        BootNeeds::End,
        |boot, source, out| {
            let critical_path = CriticalPath::of(boot);
            out.show(
                || critical_chain(boot, critical_path.as_ref(), &options, source),
                || critical_chain_json(boot, critical_path.as_ref(), source),
            );
            None
        },
    )
}
