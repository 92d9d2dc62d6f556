// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline critical-chain`
use bootline_analysis::critical_path::CriticalPath;
use bootline_report::{CriticalChainOptions, critical_chain, critical_chain_json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::logs;
use crate::terminal::Terminal;
use crate::unusable::BootNeeds;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Read it from the top: the boot's end hung on the first link, that on the next, back to the
beginning. `net` is without waits for the console; `without it` is by how much the boot would end
sooner. Initcalls are named where the kernel is booted with `initcall_debug`, async calls with
`async.dyndbg=+p` as well.

Examples:
  bootline critical-chain boot.cap
  dmesg | bootline critical-chain -
  bootline critical-chain --marker 'login: ' boot.cap
  bootline critical-chain -n 40 boot.cap               the 40 longest links by themselves
  bootline critical-chain --json boot.cap | jq '.boots[].chain.segments[] | [.name, .effect_ns]'")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    /// Let the longest N links stand by themselves, net of the console
    #[arg(short, long, value_name = "N", default_value_t = CriticalChainOptions::default().count)]
    number: usize,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let options = CriticalChainOptions { count: args.number };
    args.logs.resolve(terminal, "bootline-critical-chain/1")?.show(terminal, BootNeeds::End, |boot, source, out| {
        let critical_path = CriticalPath::of(boot);
        out.show(
            || critical_chain(boot, critical_path.as_ref(), &options, source),
            || critical_chain_json(boot, critical_path.as_ref(), source),
        );
        None
    })
}
