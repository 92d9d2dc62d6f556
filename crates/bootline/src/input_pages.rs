// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is shown of one input: its boots, one by one, and what is wrong with it.
use bootline_boot::Boot;
use bootline_input::unusable::UnusableInput;
use bootline_input::{AnalysedBoot, BootReader, Failure, OpenInput};
use bootline_records::DecodeSummary;
use bootline_report::BootLabel;

use crate::boot_printer::{BootPage, Output};
use crate::boot_without_log::BootWithoutLog;
use crate::in_order::{QueuedResult, Results};
use crate::log_input::{LogInput, not_read};

/// Something to show, in the order in which it is sent.
pub enum Page {
    /// A boot.
    Boot(Vec<u8>),
    /// A message.
    Said(String),
    /// An error; it does not stop the others.
    Failed(Failure),
}

impl QueuedResult for Page {
    fn bytes(&self) -> usize {
        let text = match self {
            Page::Boot(bytes) => bytes.capacity(),
            Page::Said(message) => message.capacity(),
            // A few lines.
            Page::Failed(_) => 1024,
        };
        text + size_of::<Page>()
    }
}

/// Makes the pages of inputs.
#[derive(Clone, Copy)]
pub struct InputPages<'a> {
    /// How boots are read.
    pub reader: &'a BootReader,
    /// How they are shown.
    pub output: Output,
}

/// The pages of one input as they are made.
struct Making<'m, 'r, E> {
    of: InputPages<'m>,
    /// Shows a boot, and gives what makes it useless.
    each: E,
    pages: &'m mut Results<'r, Page>,
}

impl InputPages<'_> {
    /// Makes the pages of an input, until nobody wants them any more.
    pub fn make(
        &self,
        input: &LogInput,
        each: impl FnMut(&Boot, &BootLabel, &mut BootPage) -> Option<UnusableInput>,
        pages: &mut Results<'_, Page>,
    ) {
        let mut input = match input.open() {
            Ok(input) => input,
            Err(failure) => {
                pages.send(Page::Failed(failure));
                return;
            }
        };
        for message in not_read(&input) {
            pages.send(Page::Said(message));
        }
        let damage = input.damage.take();
        let failures = Making { of: *self, each, pages }.boots(&input).unwrap_or_else(|failure| vec![failure]);
        for failure in damage.into_iter().chain(failures) {
            pages.send(Page::Failed(failure));
        }
    }
}

impl<E: FnMut(&Boot, &BootLabel, &mut BootPage) -> Option<UnusableInput>> Making<'_, '_, E> {
    /// Shows a boot; whether somebody goes on reading, and what makes it useless.
    fn boot(&mut self, boot: &Boot, label: &BootLabel) -> (bool, Option<UnusableInput>) {
        let mut page = BootPage::new(self.of.output);
        let fault = (self.each)(boot, label, &mut page);
        (page.into_bytes().is_none_or(|bytes| self.pages.send(Page::Boot(bytes))), fault)
    }

    /// Shows the boots of one input, and returns their errors.
    fn boots(&mut self, input: &OpenInput) -> Result<Vec<Failure>, Failure> {
        let Some(log) = &input.log else { return Ok(self.without_log(input)) };
        let mut boots = self.of.reader.boots(log)?.with_sources(&input.sources);
        while let Some(found) = boots.next() {
            let AnalysedBoot { boot, label, unusable } = found?;
            // Text output omits what is not a boot; JSON contains everything but files of another kind.
            let is_boot = boot.milestones.first_kernel.is_some();
            let is_log = unusable.as_ref().is_none_or(|why| !why.is_of_another_kind());
            let (goes_on, fault) = if is_boot || is_log && matches!(self.of.output, Output::Json) {
                self.boot(&boot, &label)
            } else {
                (true, None)
            };
            if let Some(why) = unusable.or(fault) {
                boots.refuse(label, why);
            }
            if !goes_on {
                break;
            }
        }
        Ok(boots.finish().into_iter().map(|(_, failure)| failure).collect())
    }

    /// Shows what other sources say of a boot whose log is missing: its stages and units.
    fn without_log(&mut self, input: &OpenInput) -> Vec<Failure> {
        let BootWithoutLog { boot, label, unanswered, failure } = match BootWithoutLog::of(self.of.reader, input) {
            Ok(found) => found,
            Err(failure) => return vec![failure],
        };
        let (_, fault) = self.boot(&boot, &label);
        let summary = DecodeSummary::default();
        let reported = unanswered.or(fault.filter(|_| boot.whole.units.is_empty()));
        std::iter::once(failure).chain(reported.map(|why| why.failure(&input.name, &summary))).collect()
    }
}
