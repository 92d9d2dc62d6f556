// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two output streams: whether they are terminals, take colours, and how wide they are.
use std::io::{IsTerminal, Write, stderr, stdout};

use bootline_input::Failure;
use bootline_report::TextOptions;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Properties of the output streams.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Whether to colour data.
    pub stdout_color: bool,
    /// Whether to colour messages.
    pub stderr_color: bool,
    /// Whether a progress line may be overwritten.
    pub stderr_is_tty: bool,
    /// Columns for data.
    pub width: usize,
}

/// Columns if stdout is not a terminal and COLUMNS is not set.
const DEFAULT_WIDTH: usize = 100;

impl Terminal {
    /// Inspects the streams and the environment.
    pub fn detect(choice: ColorChoice) -> Terminal {
        let env = |name| std::env::var_os(name).filter(|v| !v.is_empty());
        let color_forbidden = env("NO_COLOR").is_some() || env("TERM").is_some_and(|t| t == "dumb");
        let color = |is_tty: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_tty && !color_forbidden,
        };
        let columns = || env("COLUMNS")?.to_str()?.parse().ok();
        let real = terminal_size::terminal_size_of(stdout()).map(|(w, _)| usize::from(w.0));
        Terminal {
            stdout_color: color(stdout().is_terminal()),
            stderr_color: color(stderr().is_terminal()),
            stderr_is_tty: stderr().is_terminal(),
            width: columns().or(real).filter(|w| *w > 0).unwrap_or(DEFAULT_WIDTH),
        }
    }

    /// How text is laid out on standard output.
    pub fn text_options(&self) -> TextOptions {
        TextOptions { width: self.width, color: self.stdout_color }
    }

    /// Writes a message to stderr; a failure is ignored, because there is nowhere to report it.
    pub fn say(&self, message: &str) {
        _ = writeln!(stderr(), "{message}");
    }

    /// Writes an error to stderr.
    pub fn show(&self, failure: &Failure) {
        let (red, bold, plain) = if self.stderr_color { ("\x1b[1;31m", "\x1b[1m", "\x1b[0m") } else { ("", "", "") };
        let text = failure.to_string();
        let rest = text.strip_prefix("error:").unwrap_or(&text);
        let (first, more) = rest.split_once('\n').map_or((rest, String::new()), |(f, m)| (f, format!("\n{m}")));
        self.say(&format!("{red}error{plain}{bold}:{first}{plain}{more}"));
    }
}
