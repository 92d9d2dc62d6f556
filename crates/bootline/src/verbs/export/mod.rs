// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline export`: a boot in the formats of other tools. What becomes of what is told in `docs/export.md`.
mod bytes;
mod format;

use std::fs::{self, File, Metadata};
use std::io::{IsTerminal, stdout};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use bootline_analysis::rules::findings;
use bootline_boot::Clock;
use bootline_input::unusable::{BootNeeds, UnusableInput, named, no_such_boot};
use bootline_input::{AnalysedBoot, Exit, Failure, LogFile};
use bootline_report::{BootLabel, ReportedBoot};
use bootline_terminal::Terminal;
use clap::ValueEnum;

use crate::output_file::{OutputFile, is_same_file, is_the_input};
use crate::reading::ReadingArgs;
use format::ExportFormat;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats:
  perfetto    a trace for ui.perfetto.dev: tracks, slices, counters, in nanoseconds
  chrome      the same as Chrome's trace events: chrome://tracing, speedscope
  csv         one row for each phase, initcall, probe, wait, gap and finding
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
  bootline export two-boots.cap --format text --boot 2")]
pub struct Args {
    /// A capture or a log in any known format; `-` is standard input
    #[arg(value_name = "CAPTURE")]
    file: PathBuf,
    /// Format of the output
    #[arg(short, long, value_enum, value_name = "FORMAT", required_unless_present = "json")]
    format: Option<ExportFormat>,
    /// Write JSON; short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write to this file; `-` is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Export only this boot of several, counted from 1 [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    boot: Option<u32>,
    /// The clock to give times by [default: arrival, if there are arrival times]
    #[arg(long, value_enum, value_name = "CLOCK")]
    clock: Option<ClockArg>,
    /// Leave control characters as they are (with --format text)
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    reading: ReadingArgs,
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
    let binary = args.format() == ExportFormat::Perfetto || args.raw;
    let no_file = args.output.as_deref().is_none_or(|output| output.as_os_str() == "-");
    if binary && no_file && stdout().is_terminal() {
        let what = if args.raw { "raw bytes" } else { "a Perfetto trace" };
        return Err(Failure::new(Exit::USAGE, format!("{what} can't be shown on a terminal"))
            .hint("write it to a file: `-o boot.perfetto-trace`".replace("boot.perfetto-trace", example(&args))));
    }
    let input = LogFile::new(&args.file);
    if let Some(output) = args.output.as_deref().filter(|o| !no_file && is_same_file(fs::metadata(o).ok(), &args.file))
    {
        return Err(is_the_input(output));
    }
    // `>> boot.cap`: what is written would be read again, without an end.
    if no_file && is_same_file(metadata_of_stdout(), &args.file) {
        return Err(Failure::new(Exit::USAGE, "standard output is the input").hint("write to another file: `-o FILE`"));
    }
    let output = OutputFile::replaced(args.output.as_deref().unwrap_or(Path::new("-")));
    if is_text {
        let boot = args.boot.map(|n| n as usize - 1);
        return bytes::export(&input, args.reading.format(), boot, args.raw, output.open(), terminal);
    }
    export(args, &input, &output, terminal)
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

fn export(args: Args, input: &LogFile, output: &OutputFile, terminal: &Terminal) -> Result<Exit, Failure> {
    let asked: Option<Clock> = args.clock.map(Clock::from);
    let format = args.format();
    let only = args.boot.map(|n| n as usize - 1);
    let mut emitter = format.emitter();
    let (mut out, mut result) = (output.open(), Ok(()));
    let mut reader = args.reading.reader(BootNeeds::Times);
    reader.options.clock = asked;
    let mut boots = reader.boots(input)?;
    while let Some(found) = boots.next() {
        let AnalysedBoot { boot, label, unusable } = found?;
        if only.is_some_and(|n| n != label.index) {
            continue;
        }
        let unusable = match unusable {
            Some(UnusableInput::NoTimes) => Some(no_times(asked, &label)),
            other => other.or_else(|| format.refuses(&boot, asked).then(|| no_times(Some(Clock::Arrival), &label))),
        };
        // As elsewhere: what is no boot makes no report, but programs get all there is.
        let is_boot = boot.milestones.first_kernel.is_some() && boot.timeline.clock != Clock::None;
        if (is_boot && !format.refuses(&boot, asked)) || format == ExportFormat::Json {
            let findings = if format.shows_findings() { findings(&boot) } else { Vec::new() };
            result = emitter.boot(&ReportedBoot { boot: &boot, findings: &findings, label: &label }, &mut out);
        }
        if let Some(why) = unusable {
            boots.refuse(label, why);
        }
        if result.is_err() || only.is_some() {
            break;
        }
    }
    if let Some(n) = only.filter(|n| *n >= boots.seen() && boots.seen() > 0) {
        return Err(no_such_boot(&input.name(), n, boots.seen()));
    }
    let failures = boots.finish();
    let result = result.and_then(|()| emitter.close(&mut out));
    out.finish(result)?;
    let mut exit = Exit::FINE;
    for (_, failure) in failures {
        exit = exit.max(failure.exit);
        terminal.show(&failure);
    }
    Ok(exit)
}

fn no_times(asked: Option<Clock>, source: &BootLabel) -> UnusableInput {
    let boot = named(source);
    UnusableInput::Reported(match asked {
        Some(Clock::Arrival) => Failure::new(Exit::INPUT, format!("no arrival times in {boot}"))
            .hint("take the kernel's stamps: `--clock kernel`; or record the boot with `bootline capture`"),
        Some(Clock::Kernel) => Failure::new(Exit::INPUT, format!("no kernel timestamps in {boot}"))
            .hint("boot with `printk.time=1`, or take the arrival times: `--clock arrival`"),
        _ => return UnusableInput::NoTimes,
    })
}
