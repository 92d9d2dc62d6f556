// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline plot`
use std::path::{Path, PathBuf};

use bootline_analysis::rules::findings;
use bootline_input::unusable::BootNeeds;
use bootline_input::{Exit, Failure};
use bootline_report::{Picture, counted, page, svg};
use bootline_terminal::Terminal;
use clap::ValueEnum;

use crate::logs::{LogArgs, MachineArgs};
use crate::output_file::OutputFile;
use crate::reading::ReadingArgs;
use crate::whole_boot::WholeBootArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page is one file that loads nothing from elsewhere: it works offline and can be mailed.
Several boots are stacked, aligned at the kernel's start, with differences from the first marked.

Examples:
  bootline plot boot.cap                               writes boot.html
  bootline plot before.cap after.cap -o both.html
  bootline plot boot.cap -o boot.svg                   a static picture, for a document
  dmesg | bootline plot - -o - >boot.html

Exit status 3: an input holds no boot with times. A boot that ends before init's start is drawn,
and the page says that it does.")]
pub struct Args {
    /// Captures or logs in any known format, or archives of `bootline collect`; `-` is standard input [default: the boot of
    /// this machine]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where to write; `-` is standard output [default: the first FILE's name with .html, or the first free name of
    /// NAME-2.html, NAME-3.html ..]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output [default: by OUTPUT's extension, else html]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Replace OUTPUT if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
}

/// Format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An interactive page in one file
    Html,
    /// A static picture
    Svg,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Svg => "svg",
        }
    }

    fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        [Format::Html, Format::Svg].into_iter().find(|f| f.extension() == extension)
    }
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let format = args.format.or_else(|| Format::of_name(args.output.as_deref()?)).unwrap_or(Format::Html);
    let output = match args.output {
        Some(path) => OutputFile::named(path, args.force)?,
        None => OutputFile::free(
            &args.files.first().map_or_else(|| "boot".into(), |file| stem(file)),
            format.extension(),
            args.force,
        ),
    }
    .apart_from(&args.files)?;
    let mut pictures = Vec::new();
    let logs =
        LogArgs::plain(args.files, args.reading, args.machine).resolve(terminal, "")?.with_whole_boot(args.whole)?;
    let exit = logs.read(terminal, BootNeeds::Times, |boot, source| {
        pictures.push(Picture::of(boot, &findings(boot), source));
        None
    })?;
    if pictures.is_empty() {
        // The errors of each input have been shown.
        return Ok(exit);
    }
    let text = match format {
        Format::Html => page(&pictures),
        Format::Svg => svg(&pictures),
    };
    output.write_and_say(&text, &counted(pictures.len() as u64, "boot"), terminal)?;
    Ok(exit)
}

/// `boot` for `boot.cap` and for standard input.
fn stem(input: &Path) -> String {
    let stem = input.file_stem().filter(|_| input.as_os_str() != "-");
    stem.map_or("boot".into(), |s| s.to_string_lossy().into_owned())
}
