// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline compare`
use std::path::{Path, PathBuf};

use bootline_analysis::compare::{Asked, Comparison, Thresholds, compare};
use bootline_boot::AppMarker;
use bootline_capture::units::Dur;
use bootline_input::unusable::BootNeeds;
use bootline_input::{Exit, Failure, stdin_once};
use bootline_report::{Document, Emitter, JsonEmitter, TextOptions};
use bootline_terminal::Terminal;
use clap::ValueEnum;

use crate::output_file::OutputFile;
use crate::quantity;
use crate::reading::ReadingArgs;
use crate::run_inputs::RunInput;
use crate::run_sets::{self, RunReader};
use crate::shape::Shape;
use crate::whole_boot::parse_app;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A set is a capture or a log (all boots in it), a folder of them, the output of `bootline experiment`
or `bootline boot`, or a baseline stored by `bootline check --write-baseline`. A difference counts
if chance does not explain it (needs at least 4 + 4 runs), if it is large enough to matter
(--effect), and if it exceeds the machine's own noise from day to day (--noise).

Examples:
  bootline compare base/ new/
  bootline compare old.cap new.cap                what one boot has and the other has not
  bootline compare results/gate-rates --arm base --arm delay-50
  bootline compare base/ new/ -o compare.html     a page: every run, every measure, the parts
  bootline compare --format markdown base/ new/ >>$GITHUB_STEP_SUMMARY
  bootline compare --json base/ new/ | jq '.changes[] | select(.verdict == \"more\") | .quantity'

The page is one file that loads nothing from elsewhere: it works offline and can be mailed.

Exit status 3: a set has no usable run, or a boot in it failed; the other runs
are still compared.")]
pub struct Args {
    /// The set to compare with, the earlier one
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// The later set [default: another arm of the same results]
    #[arg(value_name = "NEW", required_unless_present = "arm")]
    new: Option<PathBuf>,
    /// The arm, in results of `experiment`; given twice, the earlier and the later set's
    #[arg(long, value_name = "ARM")]
    arm: Vec<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// What shows that the application is up, as in `bootline explain`; compares the stages of the whole boot, too
    #[arg(long, value_name = "UNIT|UNIT=REGEX|REGEX", value_parser = parse_app)]
    app: Option<AppMarker>,
    /// The smallest difference of a time that matters
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = quantity::duration)]
    effect: Dur,
    /// The machine's own noise, in percent of the earlier median
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = quantity::percent)]
    noise: f64,
    /// How many parts and initcalls to show
    #[arg(short, long, value_name = "N", default_value_t = 12)]
    number: usize,
    /// Where to write; `-` is standard output [default: standard output; for a page compare.html, or the first free
    /// name of compare-2.html, compare-3.html ..]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output [default: by OUTPUT's extension, else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<OutputFormat>,
    /// Write JSON; short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Replace OUTPUT if it exists
    #[arg(long)]
    force: bool,
    /// Columns of the text [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// For a terminal
    Text,
    /// For a comment or a page on a forge
    Markdown,
    /// For programs
    Json,
    /// A page in one file
    Html,
}

impl OutputFormat {
    fn of_name(path: &Path) -> Option<OutputFormat> {
        match path.extension()?.to_str()? {
            "html" | "htm" => Some(OutputFormat::Html),
            "md" => Some(OutputFormat::Markdown),
            "json" => Some(OutputFormat::Json),
            _ => None,
        }
    }

    /// The comparison in this format; `document` is the same for people.
    fn emitter<'a>(
        self,
        comparison: &'a Comparison,
        document: &'a Document,
        rows: usize,
        options: TextOptions,
    ) -> Box<dyn Emitter + 'a> {
        let shape = match self {
            OutputFormat::Html => return Box::new(bootline_report::compare_page(comparison, rows)),
            OutputFormat::Text => Shape::Text,
            OutputFormat::Markdown => Shape::Markdown,
            OutputFormat::Json => Shape::Json,
        };
        shape.emitter(options, document, JsonEmitter(bootline_report::compare_json(comparison)))
    }
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let named = args.named()?;
    stdin_once(named.iter().map(|(path, _)| *path))?;
    let inputs = named.iter().map(|(path, arm)| RunInput::resolve(path, *arm)).collect::<Result<Vec<_>, _>>()?;
    let format = args.format();
    let output = match &args.output {
        Some(path) => OutputFile::named(path.clone(), args.force)?,
        None if format == OutputFormat::Html => OutputFile::free("compare", "html", args.force),
        None => OutputFile::stdout(),
    };
    let output = output.apart_from(inputs.iter().flat_map(RunInput::files))?;

    let mut boots = args.reading.clone().reader(BootNeeds::End);
    boots.whole.app = args.app.clone();
    let reader =
        RunReader { boots, asked: Asked { whole_boot: args.app.is_some(), app: args.app.clone(), ..Asked::default() } };
    let read = |i: usize| reader.set(run_sets::set_name(named[i].0, named[i].1), &inputs[i..=i]);
    let (from, to) = (read(0)?, read(1)?);
    if let Some(empty) = [&from, &to].into_iter().find(|set| set.n() == 0) {
        return Err(run_sets::none(empty));
    }
    let thresholds = Thresholds { effect: args.effect, noise: args.noise, ..Thresholds::default() };
    let Some(comparison) = compare(&from, &to, thresholds) else { return Err(run_sets::none(&to)) };

    // Only a terminal gets colours.
    let color = terminal.stdout_color && args.output.is_none();
    let options = TextOptions { width: args.width.unwrap_or(terminal.width), color };
    let document = bootline_report::compare(&comparison, args.number);
    let shown = format.emitter(&comparison, &document, args.number, options);
    output.write_and_say(&*shown, &format!("{} + {} runs", from.n(), to.n()), terminal)?;
    let failures: Vec<Failure> = [&from, &to].into_iter().filter_map(run_sets::left_out).collect();
    failures.iter().for_each(|f| terminal.show(f));
    Ok(if failures.is_empty() { Exit::FINE } else { Exit::INPUT })
}

impl Args {
    /// The two sets, each with its arm.
    fn named(&self) -> Result<[(&Path, Option<&str>); 2], Failure> {
        let arms = match self.arm.as_slice() {
            [] => [None, None],
            [both] if self.new.is_some() => [Some(both.as_str()); 2],
            [from, to] => [Some(from.as_str()), Some(to.as_str())],
            _ => return Err(Failure::new(Exit::USAGE, "name two arms to compare: `--arm BASE --arm NEW`")),
        };
        Ok([(&self.base, arms[0]), (self.new.as_ref().unwrap_or(&self.base), arms[1])])
    }

    fn format(&self) -> OutputFormat {
        let by_name = || self.output.as_deref().and_then(OutputFormat::of_name);
        let asked = self.format.or(self.json.then_some(OutputFormat::Json)).or_else(by_name);
        asked.unwrap_or(OutputFormat::Text)
    }
}
