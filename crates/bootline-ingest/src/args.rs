// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments.
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use bootline_boot::{AppMarker, BootOptions};
use bootline_input::unusable::BootNeeds;
use bootline_input::{BootReader, Exit, Failure, WholeBoot, stdin_once};
use bootline_records::Format;
use bootline_store::InputReader;
use bootline_store::metadata::{Metadata, PathPattern};
use bootline_terminal::ColorChoice;
use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Stores boots of many logs as Parquet files, for questions over all of them
#[derive(Debug, Parser)]
#[command(
    name = "bootline-ingest",
    bin_name = "bootline ingest",
    version,
    max_term_width = 100,
    after_help = "\
An input that the store holds already, by its content, is skipped: run it again at any time, also after
it was killed. Several may write to one store. What can't be read becomes a row of `files` that says why.

Examples:
  bootline ingest logs/ -o store/
  bootline ingest logs/ -o store/ --path-pattern '{lab}/{board}/{build}/{job}.log'
  find logs -name '*.log.gz' | bootline ingest - -o store/ --board rpi4
  bootline ingest incoming/ -o store/ --follow

docs/store.md describes the tables, and FILE.meta.json, which describes the boot in FILE.
Exit status 3: an input is damaged or can't be read; all others are stored."
)]
pub struct Args {
    /// Logs, captures, archives, folders with such, or patterns of names (`logs/**/*.gz`); `-` reads a list of them from standard input
    #[arg(value_name = "FILE|FOLDER|PATTERN", required_unless_present = "man")]
    inputs: Vec<PathBuf>,
    /// Folder of the store; it is made if it is missing
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "man")]
    output: Option<PathBuf>,
    /// Metadata in the ends of paths: names in braces (board, device, build, lab, job, ...), `*` for anything
    #[arg(long, value_name = "PATTERN", value_parser = PathPattern::parse)]
    path_pattern: Option<PathPattern>,
    /// Kind of device of all boots
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// The individual device of all boots
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Build of all boots
    #[arg(long, value_name = "NAME")]
    build: Option<String>,
    /// Lab of all boots
    #[arg(long, value_name = "NAME")]
    lab: Option<String>,
    /// Run that made all boots
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Text in the record that ends a boot, instead of init's start
    #[arg(long, value_name = "TEXT")]
    marker: Option<String>,
    /// What shows that the application is up, as in `bootline explain`
    #[arg(long, value_name = "UNIT|UNIT=REGEX|REGEX|mark:NAME", value_parser = |text: &str| AppMarker::parse(text))]
    app: Option<AppMarker>,
    /// The format of the logs, if it is not recognised
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>()))]
    input_format: Option<Format>,
    /// Go on, and store what is added to the folders, until interrupted
    #[arg(long)]
    follow: bool,
    /// With --follow: a file is complete when it has not changed for this long, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 5, requires = "follow")]
    settle: u64,
    /// Inputs that are read in parallel [default: one per processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// When to colour the output
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub color: ColorChoice,
    /// Writes the man page to this folder, and nothing else
    #[arg(long, value_name = "FOLDER", exclusive = true, hide = true)]
    pub man: Option<PathBuf>,
    /// Rows in memory before they are written
    #[arg(long, value_name = "ROWS", default_value_t = 256 * 1024, hide = true)]
    batch_rows: usize,
}

/// The arguments, resolved.
#[derive(Debug)]
pub struct Plan {
    /// As given.
    pub inputs: Vec<PathBuf>,
    /// Folder of the store.
    pub store: PathBuf,
    /// How each input is read.
    pub reader: InputReader,
    /// How long a file has to be unchanged; none to stop after all inputs.
    pub follow: Option<Duration>,
    /// Threads that read.
    pub jobs: usize,
    /// Whether to show no progress.
    pub quiet: bool,
    /// Rows in memory before they are written.
    pub batch_rows: usize,
}

impl Args {
    /// Makes of the arguments what the program needs.
    ///
    /// # Errors
    /// Standard input is named twice, or with --follow.
    pub fn resolve(self) -> Result<Plan, Failure> {
        stdin_once(self.inputs.iter().map(PathBuf::as_path))?;
        if self.follow && self.inputs.iter().any(|path| path.as_os_str() == "-") {
            return Err(Failure::new(Exit::USAGE, "a list on standard input can't be followed")
                .hint("name the folder that grows"));
        }
        let text = |name: Option<String>| name.map(Into::into);
        let given = Metadata {
            board: text(self.board),
            device: text(self.device),
            build: text(self.build),
            lab: text(self.lab),
            job: text(self.job),
            ..Metadata::default()
        };
        let boots = BootReader {
            options: BootOptions { marker: self.marker, ..BootOptions::default() },
            format: self.input_format,
            kernel_log: None,
            whole: WholeBoot { sources: Vec::new(), app: self.app },
            needs: BootNeeds::End,
        };
        let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Plan {
            inputs: self.inputs,
            // clap has seen to it: without an output there is --man.
            store: self.output.unwrap_or_default(),
            reader: InputReader { boots, given, pattern: self.path_pattern },
            follow: self.follow.then(|| Duration::from_secs(self.settle)),
            jobs: self.jobs.map_or_else(processors, NonZeroUsize::get),
            quiet: self.quiet,
            batch_rows: self.batch_rows.max(1),
        })
    }
}
