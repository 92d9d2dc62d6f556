// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments that name logs, and the loop that shows their boots one by one.
use std::path::PathBuf;

use bootline_boot::Boot;
use bootline_report::{BootLabel, TextOptions};
use clap::Args;

use crate::boot_printer::{BootPrinter, Output};
use crate::boots::{AnalysedBoot, BootReader, Boots};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kernel_log::KernelLog;
use crate::log_file::{LogFile, stdin_once};
use crate::reading::ReadingArgs;
use crate::terminal::Terminal;
use crate::unusable::{self, BootNeeds, UnusableInput};

/// The arguments that name logs.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Captures or logs in any known format; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Columns of the text [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS", conflicts_with = "json")]
    width: Option<usize>,
}

/// The arguments, resolved.
#[derive(Debug)]
pub struct LogInputs {
    inputs: Vec<LogFile>,
    reader: BootReader,
    output: Output,
    schema: &'static str,
}

impl LogArgs {
    /// For a verb that defines these arguments itself and writes nothing to stdout.
    pub fn plain(files: Vec<PathBuf>, reading: ReadingArgs) -> LogArgs {
        LogArgs { files, reading, json: false, width: None }
    }

    /// The form of the output: text for this terminal, or JSON.
    pub fn output(&self, terminal: &Terminal) -> Output {
        let text = || TextOptions { width: self.width.unwrap_or(terminal.width), color: terminal.stdout_color };
        if self.json { Output::Json } else { Output::Text(text()) }
    }

    /// Applies the terminal's properties, and refuses impossible arguments. `schema` names the verb's JSON schema.
    pub fn resolve(self, terminal: &Terminal, schema: &'static str) -> Result<LogInputs, Failure> {
        stdin_once(self.files.iter().map(PathBuf::as_path))?;
        let output = self.output(terminal);
        Ok(LogInputs {
            inputs: self.files.iter().map(|file| LogFile::new(file)).collect(),
            reader: self.reading.reader(BootNeeds::End),
            output,
            schema,
        })
    }
}

impl LogInputs {
    /// Sets the number of CPUs, for the few logs that do not show it.
    pub fn with_cpus(mut self, cpus: Option<u32>) -> LogInputs {
        self.reader.options.cpus = cpus;
        self
    }

    /// Adds the kernel's own log of the same boots.
    pub fn with_kernel_log(mut self, file: PathBuf) -> Result<LogInputs, Failure> {
        let log = LogFile::new(&file);
        if log == LogFile::Stdin && self.inputs.contains(&log) {
            return Err(Failure::new(Exit::USAGE, "standard input `-` can be read only once"));
        }
        let mut boots = Boots::open(&log, None)?;
        let found = boots.by_ref().map(|found| Ok(found?.0.records)).collect::<Result<Vec<_>, Failure>>()?;
        if found.is_empty() {
            return Err(unusable::empty(&log.name(), &boots.finish()));
        }
        self.reader.kernel_log = Some(KernelLog::new(log.name(), found));
        Ok(self)
    }

    /// Shows each boot of each input, in order, as soon as it is complete; `each` gives what makes one useless for the verb. An unusable input doesn't stop the others;
    /// the exit status is the worst.
    pub fn show(
        mut self,
        terminal: &Terminal,
        needs: BootNeeds,
        mut each: impl FnMut(&Boot, &BootLabel, &mut BootPrinter) -> Option<UnusableInput>,
    ) -> Result<Exit, Failure> {
        self.reader.needs = needs;
        let mut exit = Exit::FINE;
        let mut printer = BootPrinter::open(self.output, self.schema);
        for input in &self.inputs {
            let failures = show_input(&self.reader, input, &mut printer, &mut each);
            if !printer.goes_on() {
                break;
            }
            for failure in failures.unwrap_or_else(|failure| vec![failure]) {
                exit = exit.max(failure.exit);
                failure.show(terminal);
            }
        }
        printer.close().map(|()| exit)
    }
}

/// Shows the boots of one input, and returns their errors.
fn show_input(
    reader: &BootReader,
    input: &LogFile,
    printer: &mut BootPrinter,
    each: &mut impl FnMut(&Boot, &BootLabel, &mut BootPrinter) -> Option<UnusableInput>,
) -> Result<Vec<Failure>, Failure> {
    let mut boots = reader.boots(input)?;
    while let Some(found) = boots.next() {
        let AnalysedBoot { boot, label, unusable } = found?;
        // Text output omits what is not a boot; JSON contains everything but files of another kind.
        let is_boot = boot.milestones.first_kernel.is_some();
        let mut fault = None;
        let is_log = unusable.as_ref().is_none_or(|why| !why.is_of_another_kind());
        if is_boot || is_log && printer.is_json() {
            fault = each(&boot, &label, printer);
        }
        if let Some(why) = unusable.or(fault) {
            boots.refuse(label, why);
        }
        if !printer.goes_on() {
            break;
        }
    }
    Ok(boots.finish().into_iter().map(|(_, failure)| failure).collect())
}
