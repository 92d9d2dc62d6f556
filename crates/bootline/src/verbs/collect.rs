// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline collect`
use std::path::PathBuf;

use bootline_input::collection::Collection;
use bootline_input::{Exit, Failure, TarEmitter};
use bootline_report::counted;
use bootline_terminal::Terminal;

use crate::machine::Machine;
use crate::output_file::{OutputFile, print};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The archive holds the kernel's log, the journal of this boot, systemd's properties of its units and
of itself, the times of firmware and boot loader, and, where the boot was recorded, its bootchart
and its trace, as far as they could be read; what could not be read is named.
Only its owner may read the file: the journal, the units' properties, the kernel's command line and
settings, the consoles, the uptime, os-release and what recorded the boot contain names, addresses
and settings of the system. Look before you send it to somebody.

Examples:
  sudo bootline collect -o boot.tar
  bootline explain boot.tar --app camera.service
  bootline collect --script >collect.sh       for a device without bootline: sh collect.sh >boot.tar

Exit status 3: neither the kernel's log nor systemd's properties could be read.")]
pub struct Args {
    /// Where to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "bootline-collect.tar")]
    output: PathBuf,
    /// Replace OUTPUT if it exists
    #[arg(long)]
    force: bool,
    /// Print a shell script that does the same on a device, and needs nothing but a POSIX shell and tar
    #[arg(long, conflicts_with_all = ["output", "force"])]
    script: bool,
    /// Root directory of the machine
    #[arg(long, value_name = "DIR", default_value = "/", hide = true)]
    root: PathBuf,
}

/// What each file of a collection shows of the system that is private.
const PRIVATE: [(&str, &str); 12] = [
    ("kmsg.txt", "the kernel's log"),
    ("journal.export", "the journal"),
    ("systemctl-show.txt", "the units' properties"),
    ("systemd-analyze-plot.json", "the units' times"),
    ("systemctl-show-manager.txt", "systemd's properties"),
    ("cmdline.txt", "the kernel's command line"),
    ("bootconfig.txt", "the kernel's settings"),
    ("consoles.txt", "the consoles"),
    ("uptime.txt", "the uptime"),
    ("os-release.txt", "os-release"),
    ("bootchart.tgz", "the bootchart"),
    ("trace.txt", "the trace"),
];

/// ``the kernel's log and the uptime in it describe this system: look before you send it to somebody``; nothing if none is.
fn privacy(collection: &Collection) -> Option<String> {
    let has = |name: &str| collection.items.iter().any(|item| item.name == name);
    let found: Vec<&str> = PRIVATE.iter().filter(|(name, _)| has(name)).map(|(_, what)| *what).collect();
    let (last, others) = found.split_last()?;
    let (and, describe) = if others.is_empty() { ("", "describes") } else { (" and ", "describe") };
    let all = format!("{}{and}{last}", others.join(", "));
    Some(format!("{all} in it {describe} this system: look before you send it to somebody"))
}

/// The script for devices.
const SCRIPT: &str = include_str!("collect.sh");

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    if args.script {
        print(&SCRIPT.to_owned())?;
        return Ok(Exit::FINE);
    }
    let output = OutputFile::named(args.output, args.force)?.private();
    let collection = Machine::new(&args.root).collect();
    for missing in &collection.missing {
        terminal.say(&format!("not read: {}: {}", missing.what, missing.why));
    }
    let has = |name: &str| collection.items.iter().any(|item| item.name == name);
    let is_useful = has("kmsg.txt") || has("journal.export") || has("systemctl-show.txt");
    // With the list of what is in it.
    let files = counted(collection.items.len() as u64 + 1, "file");
    output.write_and_say(&TarEmitter(&collection), &files, terminal)?;
    if let Some(privacy) = privacy(&collection) {
        terminal.say(&privacy);
    }
    Ok(if is_useful { Exit::FINE } else { Exit::INPUT })
}
