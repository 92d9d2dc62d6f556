// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline time`
use bootline_report::{time, time_json};
use clap::Args;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::logs::{self, Needs, Output, Shown};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bootline time boot.cap
  dmesg | bootline time -
  bootline time --json boots/*.cap | jq '.boots[] | [.source, .time_to_init.elapsed_ns.best]'")]
pub struct Typed {
    #[command(flatten)]
    logs: logs::TypedLogs,
}

pub fn run(typed: Typed, terminal: &Terminal) -> Result<Exit, Failure> {
    typed.logs.resolve(terminal, "bootline-time/1")?.show(terminal, Needs::End, |boot, source, output| match output {
        Output::Text(options) => Shown::text(&time(boot, source), options),
        Output::Json(list) => Shown::json(list.item(&time_json(boot, source))),
    })
}
