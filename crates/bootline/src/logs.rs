// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments that name logs, and the loop that shows their boots one by one.
use std::path::PathBuf;

use bootline_boot::Boot;
use bootline_input::unusable::{self, BootNeeds, UnusableInput};
use bootline_input::{BootReader, Boots, Exit, Failure, KernelLog, LogFile, stdin_once};
use bootline_report::{BootLabel, TextOptions};
use bootline_terminal::Terminal;
use clap::Args;
use rustix::fs::FileType;

use crate::boot_printer::{BootPage, BootPrinter, Output};
use crate::earlier_boot::BootChoice;
use crate::in_order::{self, Results};
use crate::input_pages::{InputPages, Page};
use crate::log_input::LogInput;
use crate::machine::Machine;
use crate::reading::ReadingArgs;
use crate::whole_boot::WholeBootArgs;

/// The arguments that name logs.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Captures or logs in any known format, or archives of `bootline collect`; `-` is standard input [default: the boot of
    /// this machine]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    machine: MachineArgs,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Columns of the text [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS", conflicts_with = "json")]
    width: Option<usize>,
}

/// The arguments that choose a boot of this machine.
#[derive(Debug, Args)]
pub struct MachineArgs {
    /// An earlier boot of this machine, from its journal, as journalctl counts: -1 is the one before this one, or an ID of
    /// `journalctl --list-boots`
    #[arg(short, long, value_name = "N|ID", allow_hyphen_values = true, conflicts_with = "files")]
    boot: Option<BootChoice>,
    /// Root directory of this machine
    #[arg(long, value_name = "DIR", default_value = "/", hide = true)]
    root: PathBuf,
}

impl MachineArgs {
    /// For a verb that defines these arguments itself.
    pub fn new(boot: Option<BootChoice>, root: PathBuf) -> MachineArgs {
        MachineArgs { boot, root }
    }

    /// The machine, where no file is named.
    ///
    /// # Errors
    /// Somebody sends a log to standard input, and nothing says that the machine is meant.
    pub fn resolve(self) -> Result<LogInput, Failure> {
        // Who names a boot of the machine means the machine.
        if self.boot.is_none() && stdin_is_given() {
            let hint = "`-` reads it; for the boot of this machine: `</dev/null`";
            return Err(
                Failure::new(Exit::USAGE, "no FILE is named, and standard input is a pipe or a file").hint(hint)
            );
        }
        Ok(LogInput::Machine(Machine::new(&self.root), self.boot))
    }
}

/// The arguments, resolved.
#[derive(Debug)]
pub struct LogInputs {
    inputs: Vec<LogInput>,
    reader: BootReader,
    output: Output,
    schema: &'static str,
}

/// Whether somebody sends a log to standard input: `dmesg | bootline explain`, without `-`, is not about this machine.
fn stdin_is_given() -> bool {
    let kind = rustix::fs::fstat(std::io::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::RegularFile))
}

impl LogArgs {
    /// For a verb that defines these arguments itself and writes nothing to stdout.
    pub fn plain(files: Vec<PathBuf>, reading: ReadingArgs, machine: MachineArgs) -> LogArgs {
        LogArgs { files, reading, machine, json: false, width: None }
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
        let mut inputs = Vec::new();
        if self.files.is_empty() {
            inputs.push(self.machine.resolve()?);
        }
        inputs.extend(self.files.iter().map(|path| LogInput::File(LogFile::new(path))));
        Ok(LogInputs { inputs, reader: self.reading.reader(BootNeeds::End), output, schema })
    }
}

impl LogInputs {
    /// Sets the number of CPUs, for the few logs that do not show it.
    pub fn with_cpus(mut self, cpus: Option<u32>) -> LogInputs {
        self.reader.options.cpus = cpus;
        self
    }

    fn reads_stdin(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, LogInput::File(LogFile::Stdin)))
    }

    /// Adds other sources of the same boots, and what shows the application.
    pub fn with_whole_boot(mut self, args: WholeBootArgs) -> Result<LogInputs, Failure> {
        let files = self.inputs.iter().filter_map(|input| match input {
            LogInput::File(file) => Some(file),
            _ => None,
        });
        args.are_other_than(files)?;
        self.reader.whole = args.resolve(self.reads_stdin())?;
        Ok(self)
    }

    /// Adds the kernel's own log of the same boots.
    pub fn with_kernel_log(mut self, file: PathBuf) -> Result<LogInputs, Failure> {
        let log = LogFile::new(&file);
        if log == LogFile::Stdin && self.reads_stdin() {
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
    /// the exit status is the worst. Several inputs are read at the same time, on all processors.
    pub fn show(
        self,
        terminal: &Terminal,
        needs: BootNeeds,
        each: impl Fn(&Boot, &BootLabel, &mut BootPage) -> Option<UnusableInput> + Sync,
    ) -> Result<Exit, Failure> {
        self.pages(terminal, needs, |inputs, pages, take| {
            let work = |input: &LogInput, results: &mut Results<'_, Page>| pages.make(input, &each, results);
            in_order::run(inputs, work, take);
        })
    }

    /// Gives each boot of each input, in order, one after the other.
    pub fn read(
        self,
        terminal: &Terminal,
        needs: BootNeeds,
        mut each: impl FnMut(&Boot, &BootLabel) -> Option<UnusableInput>,
    ) -> Result<Exit, Failure> {
        self.pages(terminal, needs, |inputs, pages, take| {
            let work = |input: &LogInput, results: &mut Results<'_, Page>| {
                pages.make(input, |boot, label, _| each(boot, label), results);
            };
            in_order::one_by_one(inputs, work, take);
        })
    }

    fn pages(
        mut self,
        terminal: &Terminal,
        needs: BootNeeds,
        make: impl FnOnce(&[LogInput], &InputPages<'_>, &mut dyn FnMut(Page) -> bool),
    ) -> Result<Exit, Failure> {
        self.reader.needs = needs;
        let mut exit = Exit::FINE;
        let mut printer = BootPrinter::open(self.output, self.schema);
        let pages = InputPages { reader: &self.reader, output: self.output };
        make(&self.inputs, &pages, &mut |page| {
            match page {
                Page::Boot(boot) => printer.print(&boot),
                Page::Said(message) => terminal.say(&message),
                Page::Failed(failure) => {
                    exit = exit.max(failure.exit);
                    terminal.show(&failure);
                }
            }
            printer.goes_on()
        });
        printer.close().map(|()| exit)
    }
}
