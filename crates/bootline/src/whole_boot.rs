// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments that make a boot whole: other sources of it, and what shows that the application was reached.
use std::fs;
use std::path::{Path, PathBuf};

use bootline_boot::AppMarker;
use bootline_input::{Exit, Failure, LogFile, WholeBoot, stdin_once};
use bootline_report::escaped;
use clap::Args;

use crate::output_file::is_same_file;

/// Other sources of a boot, and the application.
#[derive(Clone, Debug, Default, Args)]
pub struct WholeBootArgs {
    /// Another source of the same boot: an archive of `bootline collect`, or what `systemctl show --all '*'`, `systemctl show`, `journalctl -b -o export`, systemd-analyze
    /// (time, blame, critical-chain, dump, plot --json), U-Boot's `bootstage report` or `cbmem -t` printed, a bootstage stash, the archive of a
    /// bootchart, or a trace of ftrace (`trace`, `trace-cmd report`); may be repeated
    #[arg(long = "with", value_name = "FILE")]
    with: Vec<PathBuf>,
    /// What shows that the application is up: UNIT, when systemd reports it up (of Type=simple: when its program is executed);
    /// UNIT=REGEX, the first line after that unit's start that matches; REGEX, the first line of user space, or else the first process,
    /// that matches; or mark:NAME, a mark of `capture --mark`
    #[arg(long, value_name = "UNIT|UNIT=REGEX|REGEX|mark:NAME", value_parser = parse_app)]
    app: Option<AppMarker>,
}

/// The value of `--app`.
pub fn parse_app(text: &str) -> Result<AppMarker, String> {
    AppMarker::parse(text).map_err(|e| e.to_string())
}

impl WholeBootArgs {
    /// Files named by `--with`, in the order given; one of them may be standard input.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.with.iter().map(PathBuf::as_path)
    }

    /// Reads the sources; whether the log is standard input matters, because only one of them can be.
    ///
    /// # Errors
    /// One can't be read, or standard input is named twice.
    pub fn resolve(self, log_is_stdin: bool) -> Result<WholeBoot, Failure> {
        let log = log_is_stdin.then_some(Path::new("-"));
        stdin_once(log.into_iter().chain(self.files()))?;
        WholeBoot::read(self.with.iter().map(PathBuf::as_path), self.app)
    }

    /// Checks that none is the log itself, whose events would seem to be seen twice.
    ///
    /// # Errors
    /// One is.
    pub fn are_other_than<'f>(&self, logs: impl IntoIterator<Item = &'f LogFile>) -> Result<(), Failure> {
        for log in logs {
            let is_log = |with: &&PathBuf| match log {
                LogFile::Stdin | LogFile::Held { .. } => false,
                LogFile::File(path) => path == *with || is_same_file(fs::metadata(path).ok(), with),
            };
            if let Some(same) = self.with.iter().find(is_log) {
                let message = format!("{} is the log itself", escaped(&same.display().to_string()));
                return Err(Failure::new(Exit::USAGE, message)
                    .hint("`--with` adds what else there is of the same boot, such as its journal"));
            }
        }
        Ok(())
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.app.is_none()
    }
}
