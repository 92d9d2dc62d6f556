// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline critical-chain`
use bootline_analysis::chain::Chain;
use bootline_report::{CriticalChainOptions, critical_chain, critical_chain_json};
use clap::Args;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::logs::{self, Needs, Output, Shown};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
#[command(after_help = "\
Read it from the top: the boot's end hung on the first link, that on the next, back to the
beginning. `net` is without waits for the console; `without it` is by how much the boot would end
sooner. Initcalls are named where the kernel is booted with `initcall_debug`, async calls with
`async.dyndbg=+p` as well.

Examples:
  bootline critical-chain boot.cap
  dmesg | bootline critical-chain -
  bootline critical-chain --to 'login: ' boot.cap
  bootline critical-chain -n 40 boot.cap               the 40 longest links by themselves
  bootline critical-chain --json boot.cap | jq '.boots[].chain.segments[] | [.name, .effect_ns]'")]
pub struct Typed {
    #[command(flatten)]
    logs: logs::TypedLogs,
    /// Let the longest N links stand by themselves, net of the console
    #[arg(short, long, value_name = "N", default_value_t = CriticalChainOptions::default().count)]
    number: usize,
}

pub fn run(typed: Typed, terminal: &Terminal) -> Result<Exit, Failure> {
    let options = CriticalChainOptions { count: typed.number };
    typed.logs.resolve(terminal, "bootline-critical-chain/1")?.show(terminal, Needs::End, |boot, source, output| {
        let chain = Chain::of(boot);
        match output {
            Output::Text(text) => Shown::text(&critical_chain(boot, chain.as_ref(), &options, source), text),
            Output::Json(list) => Shown::json(list.item(&critical_chain_json(boot, chain.as_ref(), source))),
        }
    })
}
