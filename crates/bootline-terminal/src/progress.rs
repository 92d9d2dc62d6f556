// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress: one line on stderr that is overwritten, or, if stderr is not a terminal, a line now and then.
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use terminal_size::terminal_size_of;

/// Time between lines when stderr is not a terminal.
const PLAIN_PAUSE: Duration = Duration::from_secs(10);
/// Time between updates of a terminal's line.
const TTY_PAUSE: Duration = Duration::from_millis(100);

/// The progress line.
#[derive(Debug)]
pub struct ProgressLine {
    is_tty: bool,
    quiet: bool,
    shown: bool,
    last: Option<Instant>,
}

impl ProgressLine {
    /// Shows nothing if `quiet`.
    pub fn new(quiet: bool) -> ProgressLine {
        ProgressLine { is_tty: stderr().is_terminal(), quiet, shown: false, last: None }
    }

    /// Reports a change; `line` is called only if it is shown.
    pub fn update(&mut self, line: impl FnOnce() -> String) {
        let pause = if self.is_tty { TTY_PAUSE } else { PLAIN_PAUSE };
        if self.quiet || self.last.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        self.last = Some(Instant::now());
        self.write(&line());
    }

    /// Reports something that must always be shown: the next file, the next phase.
    pub fn step(&mut self, line: &str) {
        if !self.quiet {
            self.last = Some(Instant::now());
            self.write(line);
        }
    }

    fn write(&mut self, line: &str) {
        if !self.is_tty {
            _ = writeln!(stderr(), "{line}");
            return;
        }
        let columns = terminal_size_of(stderr()).map_or(80, |(w, _)| usize::from(w.0));
        // One column less than the width: a full line makes some terminals scroll.
        let line: String = line.chars().take(columns.saturating_sub(1)).collect();
        _ = write!(stderr(), "\r\x1b[K{line}");
        _ = stderr().flush();
        self.shown = true;
    }

    /// Removes the line, so that other text can follow.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
