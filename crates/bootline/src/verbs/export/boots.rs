// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boots of an input, one after the other, in a format of boots.
use std::io;

use bootline_analysis::rules::findings;
use bootline_boot::{Boot, Clock};
use bootline_input::unusable::{UnusableInput, named, no_such_boot, shown};
use bootline_input::{AnalysedBoot, BootReader, Exit, Failure, LogFile, OpenInput};
use bootline_records::DecodeSummary;
use bootline_report::{BootEmitter, BootLabel, ReportedBoot};
use bootline_terminal::Terminal;

use super::format::ExportFormat;
use crate::boot_without_log::BootWithoutLog;
use crate::log_input::not_read;
use crate::output_file::OutputFile;
use crate::output_stream::OutputStream;

/// What is to be exported, and how.
pub struct Export<'e> {
    /// How boots are read; its clock is the one asked for.
    pub reader: &'e BootReader,
    /// Any but text.
    pub format: ExportFormat,
    /// The only boot, from 0; all of them where none is named.
    pub only: Option<usize>,
    /// Takes what is not data.
    pub terminal: &'e Terminal,
}

/// A document that is being written.
struct Document {
    emitter: Box<dyn BootEmitter>,
    out: OutputStream,
    /// The first error; nothing is written after it.
    result: io::Result<()>,
}

impl Export<'_> {
    /// Writes the input's boots, and reports what is wrong with them.
    ///
    /// # Errors
    /// The input can't be read, the output can't be written, or the boot that is asked for isn't there.
    pub fn write(&self, mut input: OpenInput, output: &OutputFile) -> Result<Exit, Failure> {
        not_read(&input).for_each(|message| self.terminal.say(&message));
        let damage = input.damage.take();
        let mut document = Document { emitter: self.format.emitter(), out: output.open(), result: Ok(()) };
        let failures = match &input.log {
            Some(log) => self.boots(log, &input, &mut document)?,
            None => self.without_log(&input, &mut document)?,
        };
        let Document { mut emitter, mut out, result } = document;
        let result = result.and_then(|()| emitter.close(&mut out));
        out.finish(result)?;
        let mut exit = Exit::FINE;
        for failure in damage.into_iter().chain(failures) {
            exit = exit.max(failure.exit);
            self.terminal.show(&failure);
        }
        Ok(exit)
    }

    fn boots(&self, log: &LogFile, input: &OpenInput, document: &mut Document) -> Result<Vec<Failure>, Failure> {
        let asked = self.reader.options.clock;
        let mut boots = self.reader.boots(log)?.with_sources(&input.sources);
        while let Some(found) = boots.next() {
            let AnalysedBoot { boot, label, unusable } = found?;
            if self.only.is_some_and(|n| n != label.index) {
                continue;
            }
            let refused = self.format.refuses(&boot, asked);
            let unusable = match unusable {
                Some(UnusableInput::NoTimes) => Some(no_times(asked, &label)),
                other => other.or_else(|| refused.then(|| no_times(Some(Clock::Arrival), &label))),
            };
            // As elsewhere: what is no boot makes no report, but programs get all there is.
            let has_times = boot.timeline.clock != Clock::None || !boot.whole.stages.is_empty();
            let is_boot = boot.milestones.first_kernel.is_some() && has_times;
            if (is_boot && !refused) || self.format == ExportFormat::Json {
                self.boot(&boot, &label, document);
            }
            if let Some(why) = unusable {
                boots.refuse(label, why);
            }
            if document.result.is_err() || self.only.is_some() {
                break;
            }
        }
        if let Some(n) = self.only.filter(|n| *n >= boots.seen() && boots.seen() > 0) {
            return Err(no_such_boot(&input.name, n, boots.seen()));
        }
        Ok(boots.finish().into_iter().map(|(_, failure)| failure).collect())
    }

    /// Writes what systemd alone knows of a boot.
    fn without_log(&self, input: &OpenInput, document: &mut Document) -> Result<Vec<Failure>, Failure> {
        if let Some(n) = self.only.filter(|n| *n > 0) {
            return Err(no_such_boot(&input.name, n, 1));
        }
        let name = shown(&input.name);
        if self.format.is_of_log() {
            return Err(Failure::new(Exit::INPUT, format!("no log in {name}"))
                .hint("for what systemd knows of the boot: `--format csv`, or `markdown`"));
        }
        if self.reader.options.clock == Some(Clock::Arrival) {
            return Err(Failure::new(Exit::INPUT, format!("no arrival times in {name}: it has no log"))
                .hint("leave out `--clock`"));
        }
        let BootWithoutLog { boot, label, unanswered, failure } = BootWithoutLog::of(self.reader, input)?;
        self.boot(&boot, &label, document);
        let unanswered = unanswered.map(|why| why.failure(&input.name, &DecodeSummary::default()));
        Ok(std::iter::once(failure).chain(unanswered).collect())
    }

    fn boot(&self, boot: &Boot, label: &BootLabel, document: &mut Document) {
        let findings = if self.format.shows_findings() { findings(boot) } else { Vec::new() };
        document.result = document.emitter.boot(&ReportedBoot { boot, findings: &findings, label }, &mut document.out);
    }
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
