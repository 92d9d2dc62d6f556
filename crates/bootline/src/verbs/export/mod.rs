// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline export`: a boot in the formats of other tools. `docs/export.md` describes what each contains.
mod boots;
mod bytes;
mod format;

use std::fs::{self, File, Metadata};
use std::io::{IsTerminal, stdout};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use bootline_boot::Clock;
use bootline_input::unusable::{BootNeeds, shown};
use bootline_input::{Exit, Failure, LogFile};
use bootline_terminal::Terminal;
use clap::ValueEnum;

use crate::earlier_boot::BootChoice;
use crate::log_input::LogInput;
use crate::logs::MachineArgs;
use crate::output_file::{OutputFile, is_same_file, is_the_input};
use crate::reading::ReadingArgs;
use crate::whole_boot::WholeBootArgs;
use boots::Export;
use format::ExportFormat;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats:
  perfetto    a trace for ui.perfetto.dev: tracks, slices, counters, in nanoseconds
  chrome      the same as Chrome's trace events: chrome://tracing, speedscope
  csv         one row for each stage, unit, phase, initcall, probe, wait, gap, finding, ...
  markdown    a page for the comment on a merge request
  junit       times as test cases, for CI servers
  lava        the same as signals for a LAVA job
  grabserial  lines with the seconds since the beginning and since the previous line
  dmesg       the kernel's records as dmesg shows them, by the boot's own clock
  text        the console's bytes without arrival times
  json        everything

Examples:
  bootline export boot.cap --format perfetto -o boot.perfetto-trace
  bootline export boot.cap --format csv | column -s, -t | less -S
  bootline export boot.cap -f dmesg | perl scripts/bootgraph.pl >boot.svg
  dmesg | bootline export - --format chrome --clock kernel -o boot.json
  bootline export boot.cap --with units.txt --app camera.service -f perfetto -o boot.perfetto-trace
  bootline export -f perfetto -o boot.perfetto-trace   this machine's own boot
  bootline export two-boots.cap --format text --boot 2")]
pub struct Args {
    /// A capture or a log in any known format, or an archive of `bootline collect`; `-` is standard input [default: the boot of this
    /// machine]
    #[arg(value_name = "CAPTURE")]
    file: Option<PathBuf>,
    /// Format of the output
    #[arg(short, long, value_enum, value_name = "FORMAT", required_unless_present = "json")]
    format: Option<ExportFormat>,
    /// Write JSON; short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write to this file; `-` is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output FILE if it exists
    #[arg(long)]
    force: bool,
    /// Export only this boot of several in CAPTURE, counted from 1 [default: all]; without CAPTURE, an earlier boot of this machine,
    /// from its journal, as journalctl counts: -1 is the one before this one, or an ID of `journalctl --list-boots`
    #[arg(short, long, value_name = "N|ID", allow_hyphen_values = true)]
    boot: Option<BootChoice>,
    /// The clock to give times by [default: arrival, if there are arrival times]
    #[arg(long, value_enum, value_name = "CLOCK")]
    clock: Option<ClockArg>,
    /// Leave control characters as they are (with --format text)
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
    /// Root directory of this machine
    #[arg(long, value_name = "DIR", default_value = "/", hide = true)]
    root: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockArg {
    /// The kernel's clock, by which records were stored.
    Kernel,
    /// The host's clock, by which bytes arrived.
    Arrival,
}

impl From<ClockArg> for Clock {
    fn from(asked: ClockArg) -> Clock {
        match asked {
            ClockArg::Kernel => Clock::Kernel,
            ClockArg::Arrival => Clock::Arrival,
        }
    }
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let is_text = args.format() == ExportFormat::Text;
    if args.raw && !is_text {
        return Err(Failure::new(Exit::USAGE, "only `--format text` can be `--raw`"));
    }
    if is_text && args.clock.is_some() {
        return Err(Failure::new(Exit::USAGE, "`--format text` shows no times, of whatever `--clock`")
            .hint("for lines with times: `--format grabserial`"));
    }
    if is_text && !args.whole.is_empty() {
        return Err(Failure::new(
            Exit::USAGE,
            "`--format text` is the console's bytes: `--with` and `--app` add nothing",
        ));
    }
    let binary = args.format() == ExportFormat::Perfetto || args.raw;
    let no_file = args.output.as_deref().is_none_or(|output| output.as_os_str() == "-");
    if binary && no_file && stdout().is_terminal() {
        let what = if args.raw { "raw bytes" } else { "a Perfetto trace" };
        return Err(Failure::new(Exit::USAGE, format!("{what} can't be shown on a terminal"))
            .hint("write it to a file: `-o boot.perfetto-trace`".replace("boot.perfetto-trace", example(&args))));
    }
    let read: Vec<&Path> = args.file.as_deref().into_iter().chain(args.whole.files()).collect();
    if let Some(output) = args.output.as_deref().filter(|_| !no_file) {
        if read.iter().any(|input| is_same_file(fs::metadata(output).ok(), input)) {
            return Err(is_the_input(output));
        }
    }
    // `>> boot.cap`: what is written would be read again, without an end.
    if no_file && read.iter().any(|input| is_same_file(metadata_of_stdout(), input)) {
        return Err(Failure::new(Exit::USAGE, "standard output is the input").hint("write to another file: `-o FILE`"));
    }
    let output = OutputFile::named(args.output.clone().unwrap_or_else(|| "-".into()), args.force)?;
    let format = args.format();
    let (input, only) = input_and_boot(args.file, args.boot, args.root)?;
    if is_text {
        return bytes::export(&input.open()?, args.reading.format(), only, args.raw, output.open(), terminal);
    }
    let mut reader = args.reading.reader(BootNeeds::Times);
    reader.options.clock = args.clock.map(Clock::from);
    reader.whole = args.whole.resolve(matches!(&input, LogInput::File(LogFile::Stdin)))?;
    Export { reader: &reader, format, only, terminal }.write(input.open()?, &output)
}

/// What is exported, and which boot of a file alone, from 0: of a machine `--boot` chooses the input itself.
fn input_and_boot(
    file: Option<PathBuf>,
    boot: Option<BootChoice>,
    root: PathBuf,
) -> Result<(LogInput, Option<usize>), Failure> {
    let Some(file) = file else { return Ok((MachineArgs::new(boot, root).resolve()?, None)) };
    let input = LogFile::new(&file);
    let number = |choice: BootChoice| {
        choice.number().map(|n| n - 1).ok_or_else(|| {
            let name = shown(&input.name());
            Failure::new(Exit::USAGE, format!("`--boot {choice}`: the boots in {name} are counted from 1"))
                .hint("`-1` and IDs name boots of this machine, without CAPTURE")
        })
    };
    let only = boot.map(number).transpose()?;
    Ok((LogInput::File(input), only))
}

impl Args {
    fn format(&self) -> ExportFormat {
        // Without one there is `--json`.
        self.format.unwrap_or(ExportFormat::Json)
    }
}

fn example(args: &Args) -> &'static str {
    if args.raw { "boot.txt" } else { "boot.perfetto-trace" }
}

fn metadata_of_stdout() -> Option<Metadata> {
    File::from(stdout().as_fd().try_clone_to_owned().ok()?).metadata().ok()
}
