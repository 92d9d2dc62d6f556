// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be marked: an edge of a modem control input or of a GPIO line, and the user's name for the moment.
use std::fmt;
use std::str::FromStr;

use bootline_capture::MarkEdge;

use super::GpioLine;

/// A modem control input of a serial port: a line that the board drives and the host reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModemInput {
    /// Clear to send.
    Cts,
    /// Data set ready.
    Dsr,
    /// Data carrier detect.
    Dcd,
    /// Ring indicator.
    Ri,
}

impl ModemInput {
    /// All of them.
    pub const ALL: [ModemInput; 4] = [ModemInput::Cts, ModemInput::Dsr, ModemInput::Dcd, ModemInput::Ri];

    /// Name in options and in the capture file.
    pub fn word(self) -> &'static str {
        match self {
            ModemInput::Cts => "cts",
            ModemInput::Dsr => "dsr",
            ModemInput::Dcd => "dcd",
            ModemInput::Ri => "ri",
        }
    }
}

impl fmt::Display for ModemInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().to_ascii_uppercase())
    }
}

/// An input that the host watches next to the console.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MarkInput {
    /// A modem control input of the serial device that is captured.
    Modem(ModemInput),
    /// A line of a GPIO chip of the host; the source may be anything.
    Gpio(GpioLine),
}

impl MarkInput {
    /// The modem control input, if it is one.
    pub fn modem(&self) -> Option<ModemInput> {
        if let MarkInput::Modem(input) = self { Some(*input) } else { None }
    }

    /// Name in options and in the capture file: `dsr`, `gpio:gpiochip0/17`.
    pub fn word(&self) -> String {
        match self {
            MarkInput::Modem(input) => input.word().to_owned(),
            MarkInput::Gpio(line) => line.to_string(),
        }
    }
}

impl fmt::Display for MarkInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MarkInput::Modem(input) => input.fmt(f),
            MarkInput::Gpio(line) => line.fmt(f),
        }
    }
}

/// A moment to be marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkRequest {
    /// The input that shows it.
    pub input: MarkInput,
    /// Whether the input becomes active then, a GPIO line high; false if it becomes inactive, or low.
    pub asserted: bool,
    /// The user's name for the moment; the input's where none was given.
    pub name: String,
}

impl MarkRequest {
    /// The edge, as the capture file names it.
    pub fn edge(&self) -> MarkEdge {
        if self.asserted { MarkEdge::Asserted } else { MarkEdge::Released }
    }

    /// `DSR asserted`
    pub fn what(&self) -> String {
        format!("{} {}", self.input, if self.asserted { "asserted" } else { "released" })
    }
}

impl fmt::Display for MarkRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.name, self.what())
    }
}

/// Why a text is no mark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkRequestError {
    /// No input that can be watched.
    #[error("`{0}` is no input; there are cts, dsr, dcd, ri and gpio:CHIP/LINE, with `!` before one for its release")]
    NoInput(String),
    /// A GPIO line that can't be one.
    #[error("`{line}` names no GPIO line: {why}; name it as gpio:gpiochip0/17, gpio:gpiochip0/NAME or gpio:NAME")]
    NoGpioLine {
        /// As the user named it.
        line: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The name is empty, too long, or holds control characters.
    #[error("a mark's name has 1 to {LONGEST_NAME} characters, none of them a control character")]
    NoName,
}

/// Longest name of a mark, in characters.
const LONGEST_NAME: usize = 64;

impl FromStr for MarkRequest {
    type Err = MarkRequestError;

    /// `dsr`, `dsr=app-ready`, `!dsr=app-ready`, `gpio:gpiochip0/17=app-ready`
    fn from_str(text: &str) -> Result<MarkRequest, MarkRequestError> {
        let (line, name) = text.split_once('=').map_or((text, None), |(line, name)| (line, Some(name)));
        let (asserted, word) = line.strip_prefix('!').map_or((true, line), |word| (false, word));
        let input = match word.strip_prefix("gpio:") {
            Some(gpio) => {
                let wrong = |why| MarkRequestError::NoGpioLine { line: line.to_owned(), why };
                MarkInput::Gpio(GpioLine::parse(gpio).map_err(wrong)?)
            }
            None => {
                let input = modem_input(&word.to_ascii_lowercase());
                MarkInput::Modem(input.ok_or_else(|| MarkRequestError::NoInput(line.to_owned()))?)
            }
        };
        let name = name.unwrap_or(line).trim();
        let length = name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || name.chars().any(char::is_control) {
            return Err(MarkRequestError::NoName);
        }
        Ok(MarkRequest { input, asserted, name: name.to_owned() })
    }
}

fn modem_input(word: &str) -> Option<ModemInput> {
    ModemInput::ALL.into_iter().find(|i| i.word() == word || *i == ModemInput::Dcd && word == "cd")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn marks_as_they_are_typed() {
        let check = |text: &str, input, asserted, name: &str| {
            let input = MarkInput::Modem(input);
            assert_eq!(text.parse(), Ok(MarkRequest { input, asserted, name: name.to_owned() }), "{text}");
        };
        check("dsr=app-ready", ModemInput::Dsr, true, "app-ready");
        check("CTS", ModemInput::Cts, true, "CTS");
        check("cd=link up", ModemInput::Dcd, true, "link up");
        check("!ri=done=1", ModemInput::Ri, false, "done=1");
        check("!dcd", ModemInput::Dcd, false, "!dcd");
        let refuse = |text: &str| text.parse::<MarkRequest>().unwrap_err();
        assert_eq!(refuse("dtr=x"), MarkRequestError::NoInput("dtr".into()), "an output");
        assert_eq!(refuse(""), MarkRequestError::NoInput(String::new()));
        assert_eq!(refuse("dsr="), MarkRequestError::NoName);
        assert_eq!(refuse("dsr=a\nb"), MarkRequestError::NoName);
        assert_eq!(refuse(&format!("dsr={}", "x".repeat(65))), MarkRequestError::NoName);
    }
    #[test]
    fn marks_of_gpio_lines() {
        let check = |text: &str, offset, asserted, name: &str, what: &str| {
            let input = MarkInput::Gpio(GpioLine::at(Path::new("/dev/gpiochip0"), offset));
            let mark = MarkRequest { input, asserted, name: name.to_owned() };
            assert_eq!(text.parse(), Ok(mark.clone()), "{text}");
            assert_eq!(mark.what(), what);
        };
        check("gpio:/dev/gpiochip0/17=app-ready", 17, true, "app-ready", "gpio:gpiochip0/17 asserted");
        check("!gpio:gpiochip0/3=a=b", 3, false, "a=b", "gpio:gpiochip0/3 released");
        check("gpio:gpiochip0/3", 3, true, "gpio:gpiochip0/3", "gpio:gpiochip0/3 asserted");
        let refuse = |text: &str| text.parse::<MarkRequest>().unwrap_err();
        let no_line = MarkRequestError::NoGpioLine { line: "gpio:17".into(), why: "the chip is missing" };
        assert_eq!(
            refuse("!gpio:17=x"),
            MarkRequestError::NoGpioLine { line: "!gpio:17".into(), why: "the chip is missing" }
        );
        assert_eq!(
            no_line.to_string(),
            "`gpio:17` names no GPIO line: the chip is missing; name it as gpio:gpiochip0/17, gpio:gpiochip0/NAME or gpio:NAME"
        );
        assert_eq!(refuse("gpio:A="), MarkRequestError::NoName);
        assert_eq!(refuse("gpio"), MarkRequestError::NoInput("gpio".into()));
    }
}
