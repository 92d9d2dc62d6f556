// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be marked: an edge of a modem control input, and the user's name for the moment.
use std::fmt;
use std::str::FromStr;

use bootline_capture::MarkEdge;

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

/// A moment to be marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkRequest {
    /// The input that shows it.
    pub input: ModemInput,
    /// Whether the input becomes active then; false if it becomes inactive.
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
    /// Another input than the four.
    #[error("`{0}` is no modem control input; there are cts, dsr, dcd and ri, with `!` before one for its release")]
    NoInput(String),
    /// The name is empty, too long, or holds control characters.
    #[error("a mark's name has 1 to {LONGEST_NAME} characters, none of them a control character")]
    NoName,
}

/// Longest name of a mark, in characters.
const LONGEST_NAME: usize = 64;

impl FromStr for MarkRequest {
    type Err = MarkRequestError;

    /// `dsr`, `dsr=app-ready`, `!dsr=app-ready`
    fn from_str(text: &str) -> Result<MarkRequest, MarkRequestError> {
        let (line, name) = text.split_once('=').map_or((text, None), |(line, name)| (line, Some(name)));
        let (asserted, word) = line.strip_prefix('!').map_or((true, line), |word| (false, word));
        let word = word.to_ascii_lowercase();
        let input = ModemInput::ALL.into_iter().find(|i| i.word() == word || *i == ModemInput::Dcd && word == "cd");
        let input = input.ok_or_else(|| MarkRequestError::NoInput(line.to_owned()))?;
        let name = name.unwrap_or(line).trim();
        let length = name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || name.chars().any(char::is_control) {
            return Err(MarkRequestError::NoName);
        }
        Ok(MarkRequest { input, asserted, name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_as_they_are_typed() {
        let check = |text: &str, input, asserted, name: &str| {
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
}
