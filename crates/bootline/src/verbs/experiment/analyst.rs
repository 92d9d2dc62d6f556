// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the captures of an experiment's runs by themselves, without the truth.
use std::path::{Path, PathBuf};

use bootline_analysis::predict::{Change, Prediction, predict};
use bootline_analysis::predictions::predict_whole;
use bootline_analysis::whole_change::{WholeChange, WholePrediction};
use bootline_boot::{AppMarker, Boot, BootOptions};
use bootline_capture::units::{Dur, HostTime};
use bootline_input::unusable::UnusableInput;
use bootline_input::{Failure, WholeBoot, only_boot, only_boot_with_levels, only_records};
use bootline_lab::experiment::{Analyst, AnalystError};
use bootline_report::BootLabel;

/// Reads captures as `explain` and `predict` do.
pub struct Captures;

impl Analyst for Captures {
    fn flush_gap(&mut self, run: &Path) -> Option<Dur> {
        let boot = only_boot(&run.join("boot.cap"), &BootOptions::default()).ok()??;
        Some(boot.line?.flush?.waited.best())
    }

    /// The kernel's own log was read after the line fell silent and before the guest was told to power off, so later
    /// records belong to the power-off.
    fn log_complete(&mut self, run: &Path) -> Option<HostTime> {
        let own_log = only_records(&run.join("dmesg.kmsg")).ok()??;
        let last = own_log.records.iter().filter_map(|r| r.stamp).max()?;
        let console = only_records(&run.join("boot.cap")).ok()??;
        let of_boot = console.records.iter().filter(|r| r.stamp.is_some_and(|stamp| stamp <= last));
        of_boot.filter_map(|r| r.arrival).map(|a| a.last).max()
    }

    fn predict(&mut self, run: &Path, change: &Change) -> Result<Prediction, AnalystError> {
        let unreadable = |failure: Failure| AnalystError::Unreadable { reason: failure.what().to_owned() };
        let boot = read(run, change).map_err(unreadable)?.ok_or(AnalystError::NoKernel)?;
        Ok(predict(&boot, change)?)
    }

    fn predict_whole(&mut self, run: &Path, change: &WholeChange, unit: &str) -> Result<WholePrediction, AnalystError> {
        let unreadable = |failure: Failure| AnalystError::Unreadable { reason: failure.what().to_owned() };
        let boot = read(run, change.console()).map_err(unreadable)?.ok_or(AnalystError::NoKernel)?;
        let files = ACCOUNTS.map(|name| run.join(name));
        let app = AppMarker::parse(unit).map_err(|e| AnalystError::Unreadable { reason: e.to_string() })?;
        let there = files.iter().filter(|file| file.exists()).map(PathBuf::as_path);
        let whole = WholeBoot::read(there, Some(app)).map_err(unreadable)?;
        let (boot, refused) = whole.join(boot, &[], &BootLabel::only(&run.join("boot.cap").to_string_lossy()));
        if let Some(reason) = refused.map(UnusableInput::in_words) {
            return Err(AnalystError::Unreadable { reason });
        }
        Ok(predict_whole(&boot, change)?)
    }
}

/// A system's own account of its boot.
const ACCOUNTS: [&str; 3] = ["journal.export", "systemctl-manager.txt", "systemctl-show.txt"];

/// A console does not show log levels; the kernel's own log is read only if they matter.
fn read(run: &Path, change: &Change) -> Result<Option<Boot>, Failure> {
    let (capture, own_log) = (run.join("boot.cap"), run.join("dmesg.kmsg"));
    let levels = change.changes_loglevel();
    if levels && own_log.exists() {
        only_boot_with_levels(&capture, &own_log, &BootOptions::default())
    } else {
        only_boot(&capture, &BootOptions::default())
    }
}
