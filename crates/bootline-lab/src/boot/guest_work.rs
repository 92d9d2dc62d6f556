// SPDX-License-Identifier: MIT OR Apache-2.0
//! What guests do to images, to bring their roots into states.
use std::time::Duration;

/// What a guest does to a copy of a settled image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestWork {
    /// What the kernel is told in addition.
    pub(super) parameters: &'static str,
    /// Whether the system's own init is started, and awaited. Otherwise process 1 is what the parameters name.
    pub(super) starts_init: bool,
    /// What is run in the root, in one line.
    pub(super) script: &'static str,
    /// The file of the run with the script's report.
    pub(super) report: &'static str,
    /// What the last line of that ends with if all was done. A number before it counts what was done.
    pub(super) done: &'static str,
    /// Time limit for it; none for that of a boot.
    pub(super) patience: Option<Duration>,
    /// Whether the system is shut down in its own way afterwards. Otherwise its power is cut.
    pub(super) shuts_down: bool,
    /// What shows that the image is in the state.
    pub(super) proof: Proof,
}

/// What shows that an image is in the state into which a guest brought it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The script's report alone.
    None,
    /// A boot of it.
    Boots,
    /// A boot of it whose kernel log contains this.
    Logs(&'static str),
}

impl GuestWork {
    /// Whether all was done, by the script's report.
    pub(super) fn is_done(&self, report: &str) -> bool {
        let before = report.lines().last().and_then(|last| last.strip_suffix(self.done));
        before.is_some_and(|count| count.is_empty() || count.trim_end().parse().is_ok_and(|count: u32| count > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_counts_if_it_ends_well_and_something_was_done() {
        let work = GuestWork {
            parameters: "",
            starts_init: true,
            script: "",
            report: "report.txt",
            done: "files were replaced",
            patience: None,
            shuts_down: false,
            proof: Proof::None,
        };
        assert!(work.is_done("12 files were replaced\n"));
        assert!(work.is_done("cp: can't create 'x': No space left on device\n12 files were replaced\n"));
        assert!(work.is_done("files were replaced\n"), "without a number it is not counted");
        for report in ["", "0 files were replaced\n", "mount: mounting / failed: Device or resource busy\n"] {
            assert!(!work.is_done(report), "{report}");
        }
    }
}
