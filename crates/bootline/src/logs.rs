// SPDX-License-Identifier: MIT OR Apache-2.0
//! The logs that a verb reads: which, as what, and boot by boot, so that memory holds one boot.
use std::fs::File;
use std::io::{ErrorKind, Read, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use bootline_analysis::boot::{Boot, BootOptions, BootRecords, ConsoleArg, Splitter, join_levels};
use bootline_analysis::records::{DecodeSummary, Decoder, Format};
use bootline_report::{BootLabel, BootsJson, Document, TextOptions, text};
use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::exit::Exit;
use crate::failure::{Failure, Written, unless_reader_left};
use crate::own_log::OwnLog;
use crate::terminal::Terminal;
use crate::unusable::{self, UnusableInput};

/// What is typed to name logs.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Captures or logs in any known format; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Text in the line that ends the boot, instead of init's start
    #[arg(long, value_name = "TEXT")]
    marker: Option<String>,
    /// The serial console and its speed, where the log lacks them: ttyS0,115200n8
    #[arg(long, value_name = "NAME,BAUD", value_parser = parse_console)]
    console: Option<ConsoleArg>,
    /// The format of the logs, if it is not recognised
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    input_format: Option<String>,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Columns of the text [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS", conflicts_with = "json")]
    width: Option<usize>,
}

/// What `--console` takes.
pub fn parse_console(text: &str) -> Result<ConsoleArg, String> {
    let (name, options) = text.split_once(',').unwrap_or((text, ""));
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let console = ConsoleArg::parse(text);
    if !is_name || console.baud.is_none() && !options.is_empty() {
        return Err("not a console like ttyS0,115200n8".to_owned());
    }
    Ok(console)
}

/// What the system makes of it.
#[derive(Debug)]
pub struct LogInputs {
    inputs: Vec<Input>,
    options: BootOptions,
    format: Option<Format>,
    /// What knows the levels that a console doesn't show.
    own_log: Option<OwnLog>,
    output: Output,
}

/// One thing to read.
#[derive(Debug)]
pub enum Input {
    /// `-`
    Stdin,
    /// Any other name.
    File(PathBuf),
}

impl Input {
    /// As it was typed.
    pub fn new(path: PathBuf) -> Input {
        if path.as_os_str() == "-" { Input::Stdin } else { Input::File(path) }
    }

    /// As the user named it.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "-".to_owned(),
            Input::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// From its beginning.
    pub fn open(&self) -> Result<Box<dyn Read>, Failure> {
        match self {
            Input::Stdin => Ok(Box::new(stdin().lock())),
            Input::File(path) => open(path),
        }
    }
}

fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    let file = File::open(path).map_err(|e| unusable::open_failed(path, &e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(unusable::directory(path));
    }
    Ok(Box::new(file))
}

/// How boots are shown.
#[derive(Debug)]
pub enum Output {
    /// For people.
    Text(TextOptions),
    /// For programs.
    Json(BootsJson),
}

/// One boot, as a verb shows it.
pub struct BootOutput {
    text: String,
    fault: Option<UnusableInput>,
}

impl BootOutput {
    /// As text.
    pub fn text(document: &Document, options: &TextOptions) -> BootOutput {
        BootOutput { text: text(document, options), fault: None }
    }
    /// Where there is nothing to be shown but a fault.
    pub fn nothing() -> BootOutput {
        BootOutput { text: String::new(), fault: None }
    }
    /// As an item of the list.
    pub fn json(item: String) -> BootOutput {
        BootOutput { text: item, fault: None }
    }
    /// With something that makes it useless for the verb.
    pub fn with_fault(self, fault: Option<UnusableInput>) -> BootOutput {
        BootOutput { fault, ..self }
    }
}

impl LogArgs {
    /// For a verb that types its arguments itself and shows nothing on stdout.
    pub fn plain(files: Vec<PathBuf>, marker: Option<String>, console: Option<ConsoleArg>) -> LogArgs {
        LogArgs { files, marker, console, input_format: None, json: false, width: None }
    }

    /// Looks at the terminal and refuses what can't be done. `schema` is that of the verb's JSON.
    pub fn resolve(self, terminal: &Terminal, schema: &'static str) -> Result<LogInputs, Failure> {
        let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
        if self.files.iter().filter(|f| is_stdin(f)).count() > 1 {
            return Err(Failure::new(Exit::USAGE, "standard input `-` can be read only once"));
        }
        let text = || TextOptions { width: self.width.unwrap_or(terminal.width), color: terminal.stdout_color };
        let output = if self.json { Output::Json(BootsJson::new(schema)) } else { Output::Text(text()) };
        Ok(LogInputs {
            inputs: self.files.into_iter().map(Input::new).collect(),
            options: BootOptions { marker: self.marker, console: self.console, ..BootOptions::default() },
            own_log: None,
            format: self.input_format.and_then(|name| name.parse().ok()),
            output,
        })
    }
}

/// Pieces in which files are read.
const PIECE: usize = 512 * 1024;

impl LogInputs {
    /// With the number of processors, which few logs lack.
    pub fn with_cpus(mut self, cpus: Option<u32>) -> LogInputs {
        self.options.cpus = cpus;
        self
    }

    /// With the kernel's own log of the same boots.
    pub fn with_kernel_log(mut self, file: PathBuf) -> Result<LogInputs, Failure> {
        let input = Input::new(file);
        if matches!(input, Input::Stdin) && self.inputs.iter().any(|i| matches!(i, Input::Stdin)) {
            return Err(Failure::new(Exit::USAGE, "standard input `-` can be read only once"));
        }
        let mut boots = Vec::new();
        let summary = read(&input, None, |boot, _| {
            boots.push(boot.records);
            true
        })?;
        if boots.is_empty() {
            return Err(unusable::empty(&input.name(), &summary));
        }
        self.own_log = Some(OwnLog::new(input.name(), boots));
        Ok(self)
    }

    /// Shows each boot of each input, in order, as soon as it is complete. An unusable input doesn't stop the others;
    /// the exit status is the worst.
    pub fn show(
        mut self,
        terminal: &Terminal,
        needs: BootNeeds,
        mut each: impl FnMut(&Boot, &BootLabel, &mut Output) -> BootOutput,
    ) -> Result<Exit, Failure> {
        let mut exit = Exit::FINE;
        let mut printer = Printer { written: Ok(Written::All), boots: 0 };
        if let Output::Json(list) = &self.output {
            printer.print(&list.open());
        }
        for input in &self.inputs {
            let own_log = self.own_log.as_ref();
            let mut reading = LogReader { input, options: &self.options, own_log, needs, faults: Vec::new(), boots: 0 };
            let read = read(input, self.format, |boot, more| {
                reading.boot(boot, more, &mut printer, &mut self.output, &mut each);
                printer.goes_on()
            });
            if !printer.goes_on() {
                break;
            }
            let failures = match read {
                Ok(summary) => reading.failures(&summary),
                Err(failure) => vec![failure],
            };
            for failure in failures {
                exit = exit.max(failure.exit);
                failure.show(terminal);
            }
        }
        if let Output::Json(list) = &self.output {
            printer.print(list.close());
        }
        printer.written.map(|_| exit)
    }
}

/// What a verb can't do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootNeeds {
    /// The boot's end.
    End,
    /// Only times.
    Times,
}

struct LogReader<'i> {
    input: &'i Input,
    options: &'i BootOptions,
    own_log: Option<&'i OwnLog>,
    needs: BootNeeds,
    faults: Vec<UnusableInput>,
    boots: usize,
}

impl LogReader<'_> {
    fn boot(
        &mut self,
        mut records: BootRecords,
        more: bool,
        printer: &mut Printer,
        output: &mut Output,
        each: &mut impl FnMut(&Boot, &BootLabel, &mut Output) -> BootOutput,
    ) {
        let source = BootLabel { input: self.input.name(), index: self.boots, one_of_several: more || self.boots > 0 };
        self.boots += 1;
        if let Some(Err(failure)) = self.own_log.map(|own| own.join(&mut records, &source)) {
            self.faults.push(UnusableInput::Reported(failure));
            return;
        }
        let boot = Boot::analyse(records, self.options);
        let fault = UnusableInput::of(&boot, &source, self.needs, self.options);
        // People get no report on something that is no boot; programs get all there is.
        let is_boot = boot.milestones.first_kernel.is_some();
        let mut own_fault = None;
        if is_boot || matches!(output, Output::Json(_)) {
            let shown = each(&boot, &source, output);
            own_fault = shown.fault;
            if !shown.text.is_empty() {
                if matches!(output, Output::Text(_)) && printer.boots > 0 {
                    printer.print("\n\n");
                }
                printer.boots += 1;
                printer.print(&shown.text);
            }
        }
        self.faults.extend(fault.or(own_fault));
    }

    fn failures(self, summary: &DecodeSummary) -> Vec<Failure> {
        if self.boots == 0 {
            return vec![unusable::empty(&self.input.name(), summary)];
        }
        self.faults.into_iter().map(|f| f.failure(&self.input.name(), summary)).collect()
    }
}

/// Writes to stdout until nobody reads it any more.
struct Printer {
    written: Result<Written, Failure>,
    boots: usize,
}

impl Printer {
    fn goes_on(&self) -> bool {
        self.written == Ok(Written::All)
    }

    fn print(&mut self, text: &str) {
        if self.goes_on() {
            let mut out = stdout().lock();
            self.written = unless_reader_left(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
        }
    }
}

/// The boot in a file that holds one, of several the first; none if there is no kernel in it.
pub fn only_boot(path: &Path, options: &BootOptions) -> Result<Option<Boot>, Failure> {
    let mut found = None;
    read(&Input::File(path.to_owned()), None, |records, _| {
        let boot = Boot::analyse(records, options);
        found = Some(boot).filter(|b| b.milestones.first_kernel.is_some());
        found.is_none()
    })?;
    Ok(found)
}

/// As [`only_boot`], with the levels that the kernel's own log of that boot in another file knows.
pub fn only_boot_with_levels(path: &Path, own_log: &Path, options: &BootOptions) -> Result<Option<Boot>, Failure> {
    let (Some(mut records), Some(own)) = (only_records(path)?, only_records(own_log)?) else { return Ok(None) };
    let failed = |e| Failure::new(Exit::INPUT, format!("`{}` doesn't join: {e}", own_log.display()));
    join_levels(&mut records, &own.records).map_err(failed)?;
    Ok(Some(Boot::analyse(records, options)).filter(|b| b.milestones.first_kernel.is_some()))
}

/// The records of the boot in a file that holds one, of several the first.
pub fn only_records(path: &Path) -> Result<Option<BootRecords>, Failure> {
    let mut found = None;
    read(&Input::File(path.to_owned()), None, |records, _| {
        found = Some(records);
        false
    })?;
    Ok(found)
}

/// Gives each boot in a file (`-`: standard input) as soon as it is complete; `each` says whether to go on.
pub fn each_boot(
    path: &Path,
    format: Option<Format>,
    mut each: impl FnMut(BootRecords, &BootLabel) -> bool,
) -> Result<DecodeSummary, Failure> {
    let input = Input::new(path.to_owned());
    let mut index = 0;
    read(&input, format, |records, more| {
        let source = BootLabel { input: input.name(), index, one_of_several: more || index > 0 };
        index += 1;
        each(records, &source)
    })
}

/// Reads an input and gives its boots; `each` learns whether another follows and says whether to go on.
pub fn read(
    input: &Input,
    format: Option<Format>,
    mut each: impl FnMut(BootRecords, bool) -> bool,
) -> Result<DecodeSummary, Failure> {
    let mut from = input.open()?;
    let mut decoder = Decoder::new(format);
    let stop = std::cell::Cell::new(false);
    let more = std::cell::Cell::new(true);
    let mut splitter = Splitter::new(|records| {
        if !stop.get() {
            stop.set(!each(records, more.get()));
        }
    });
    let mut piece = vec![0; PIECE];
    while !stop.get() {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => decoder.push(&piece[..n], &mut splitter),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(unusable::read_failed(&input.name(), &e)),
        }
    }
    let summary = decoder.finish(&mut splitter);
    splitter.settle();
    more.set(false);
    splitter.finish();
    Ok(summary)
}
