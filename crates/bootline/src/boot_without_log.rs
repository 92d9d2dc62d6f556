// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot of which only other sources than a log are left: a collection that was made without the rights to read the kernel's log.
use bootline_boot::{Boot, BootRecords};
use bootline_input::unusable::{self, UnusableInput, named};
use bootline_input::{BootReader, Exit, Failure, OpenInput};
use bootline_report::BootLabel;

/// What other sources say of a boot whose log is missing: its stages and units.
pub struct BootWithoutLog {
    /// The boot, by systemd's clock.
    pub boot: Boot,
    /// The input.
    pub label: BootLabel,
    /// What can't be answered, if anything.
    pub unanswered: Option<UnusableInput>,
    /// The error to report, whatever is shown.
    pub failure: Failure,
}

impl BootWithoutLog {
    /// The boot of an input without a log.
    ///
    /// # Errors
    /// Nothing in it shows when anything happened.
    pub fn of(reader: &BootReader, input: &OpenInput) -> Result<BootWithoutLog, Failure> {
        let label = BootLabel::only(&input.name);
        if let Some(what) = input.lone_source {
            return Err(unusable::source_without_log(&input.name, what));
        }
        let boot = Boot::analyse(BootRecords::default(), &reader.options);
        let (boot, unanswered) = reader.whole.join(boot, &input.sources, &label);
        if boot.whole.stages.is_empty() {
            let what = format!("neither a kernel log nor systemd's properties in {}", named(&label));
            return Err(Failure::new(Exit::INPUT, what).hint("run as root: `sudo bootline explain`"));
        }
        let failure =
            Failure::new(Exit::INPUT, format!("no kernel log in {}: only what systemd knows is shown", named(&label)))
                .hint("run as root: `sudo bootline explain`, or `sudo bootline collect`");
        Ok(BootWithoutLog { boot, label, unanswered, failure })
    }
}
