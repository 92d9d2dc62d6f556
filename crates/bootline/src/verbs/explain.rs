// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline explain`
use bootline_analysis::rules::findings_by;
use bootline_input::unusable::BootNeeds;
use bootline_input::{Exit, Failure};
use bootline_report::{JsonEmitter, TextEmitter, explain, explain_json, rules, rules_json};
use bootline_terminal::Terminal;

use crate::boot_printer::Output;
use crate::kernel_tree::KernelTreeArgs;
use crate::logs;
use crate::output_file::print;
use crate::whole_boot::WholeBootArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bootline explain boot.cap                            a capture, by arrival times
  bootline explain -b -1                               this machine's boot before this one
  dmesg | bootline explain -                           the running kernel's own log
  bootline explain --console ttyS0,115200n8 dmesg.txt  a log that does not show its console
  bootline explain --marker 'login:' boot.cap          up to the login prompt
  bootline explain boot.cap --with units.txt --with journal.export --app camera.service
  bootline explain --json *.log | jq '.boots[].time_to_init.elapsed_ns.best'
  bootline explain --rules                             all rules (--json: in JSON)

Exit status 3: an input is unusable, or so incomplete that its figures can't be trusted.")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
    /// List all rules: what each looks for, and why that costs time
    #[arg(long, conflicts_with_all = ["files", "marker", "console", "input_format"])]
    rules: bool,
    #[command(flatten)]
    source: KernelTreeArgs,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    if args.rules {
        match args.logs.output(terminal) {
            Output::Text(options) => print(&TextEmitter { document: &rules(), options })?,
            Output::Json => print(&JsonEmitter(rules_json()))?,
        };
        return Ok(Exit::FINE);
    }
    let initcalls = args.source.source()?;
    args.logs.resolve(terminal, "bootline-explain/1")?.with_whole_boot(args.whole)?.show(
        terminal,
        BootNeeds::End,
        |boot, source, out| {
            let findings = findings_by(boot, &initcalls);
            out.show(|| explain(boot, &findings, source), || explain_json(boot, &findings, source));
            None
        },
    )
}
