// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes on while one waits: one line on stderr that is overwritten, or, where stderr is no terminal, a line now
//! and then.
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use terminal_size::terminal_size_of;

/// How often a log gets a line.
const PLAIN_PAUSE: Duration = Duration::from_secs(10);
/// How often a terminal's line changes.
const TTY_PAUSE: Duration = Duration::from_millis(100);

/// The line.
#[derive(Debug)]
pub struct ProgressLine {
    is_tty: bool,
    quiet: bool,
    shown: bool,
    last: Option<Instant>,
}

impl ProgressLine {
    /// Shows nothing where `quiet`.
    pub fn new(quiet: bool) -> ProgressLine {
        ProgressLine { is_tty: stderr().is_terminal(), quiet, shown: false, last: None }
    }

    /// Something changed; `line` is asked for only if it is shown.
    pub fn update(&mut self, line: impl FnOnce() -> String) {
        let pause = if self.is_tty { TTY_PAUSE } else { PLAIN_PAUSE };
        if self.quiet || self.last.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        self.last = Some(Instant::now());
        self.write(&line());
    }

    /// Something that is to be seen in any case: another file, another phase.
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
        // One less than there is: a full line would make some terminals scroll.
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
