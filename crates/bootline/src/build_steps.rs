// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of building what the lab boots.
use std::io::Write as _;

use bootline_terminal::Terminal;

/// Shows the steps of a build on stderr: on a terminal, percentages replace each other; otherwise each step is shown once.
pub struct BuildSteps<'a> {
    terminal: &'a Terminal,
    last: String,
    open: bool,
}

impl<'a> BuildSteps<'a> {
    /// Nothing has been shown yet.
    pub fn new(terminal: &'a Terminal) -> BuildSteps<'a> {
        BuildSteps { terminal, last: String::new(), open: false }
    }

    /// Shows a step; `counts` if the next one of its kind replaces it.
    pub fn tell(&mut self, text: &str, counts: bool) {
        if !counts {
            self.end();
            self.terminal.say(text);
            return;
        }
        let step = text.split_once(": ").map_or(text, |(step, _)| step);
        if self.terminal.stderr_is_tty {
            _ = write!(std::io::stderr(), "\r{text}\x1b[K");
            self.open = true;
        } else if step != self.last {
            self.terminal.say(step);
        }
        self.last = step.to_owned();
    }

    /// Ends the line of the last step.
    pub fn end(&mut self) {
        if self.open {
            self.terminal.say("");
            self.open = false;
        }
    }
}
