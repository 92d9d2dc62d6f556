// SPDX-License-Identifier: MIT OR Apache-2.0
//! A GPIO line, as the user names it: by its chip and its offset, or by its own name.
use std::fmt;
use std::path::{Path, PathBuf};

/// Where the devices of GPIO chips are.
const DEVICES: &str = "/dev";

/// A line of a GPIO chip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GpioLine {
    /// The chip's device; none if the line is looked for by its name on all chips.
    pub chip: Option<PathBuf>,
    /// Which line of the chip.
    pub line: GpioLineId,
}

/// Which line of a chip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GpioLineId {
    /// By its offset on the chip, from 0.
    Offset(u32),
    /// By the name that the board's firmware or device tree gave it; `gpioinfo` shows it.
    Name(String),
}

impl GpioLine {
    /// The line at this offset.
    pub fn at(chip: &Path, offset: u32) -> GpioLine {
        GpioLine { chip: Some(chip.to_owned()), line: GpioLineId::Offset(offset) }
    }

    /// `/dev/gpiochip0/17`, `gpiochip0/17`, `gpiochip0/PWR_GOOD`, `PWR_GOOD`. The last slash separates the chip from the line, so a line
    /// whose name has a slash is named by its offset.
    pub(super) fn parse(text: &str) -> Result<GpioLine, &'static str> {
        let (chip, line) = text.rsplit_once('/').map_or((None, text), |(chip, line)| (Some(chip), line));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_chip = line.strip_prefix("gpiochip").is_some_and(is_number);
        let chip = match chip {
            Some("") => return Err("the chip is missing"),
            Some(chip) if chip.contains('/') => Some(PathBuf::from(chip)),
            Some(chip) => Some(Path::new(DEVICES).join(chip)),
            None => None,
        };
        if line.is_empty() || is_chip && chip.as_deref().is_none_or(|chip| chip == Path::new(DEVICES)) {
            return Err("the line is missing");
        }
        if !is_number(line) {
            return Ok(GpioLine { chip, line: GpioLineId::Name(line.to_owned()) });
        }
        let offset = line.parse().map_err(|_| "the line's offset is too large")?;
        if chip.is_none() {
            Err("the chip is missing")
        } else {
            Ok(GpioLine { chip, line: GpioLineId::Offset(offset) })
        }
    }
}

impl fmt::Display for GpioLine {
    /// As it is typed: `gpio:gpiochip0/17`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("gpio:")?;
        if let Some(chip) = &self.chip {
            let short = chip.strip_prefix(DEVICES).ok().filter(|short| short.components().count() == 1);
            write!(f, "{}/", short.unwrap_or(chip).display())?;
        }
        match &self.line {
            GpioLineId::Offset(offset) => write!(f, "{offset}"),
            GpioLineId::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, chip: Option<&str>, line: GpioLineId, shown: &str) {
        let expected = GpioLine { chip: chip.map(PathBuf::from), line };
        assert_eq!(GpioLine::parse(text), Ok(expected.clone()), "{text}");
        assert_eq!(expected.to_string(), format!("gpio:{shown}"));
        assert_eq!(GpioLine::parse(shown), Ok(expected), "what is shown reads back");
    }

    #[test]
    fn lines_as_they_are_typed() {
        let name = |name: &str| GpioLineId::Name(name.to_owned());
        check("/dev/gpiochip0/17", Some("/dev/gpiochip0"), GpioLineId::Offset(17), "gpiochip0/17");
        check("gpiochip0/017", Some("/dev/gpiochip0"), GpioLineId::Offset(17), "gpiochip0/17");
        check("gpiochip12/PWR_GOOD", Some("/dev/gpiochip12"), name("PWR_GOOD"), "gpiochip12/PWR_GOOD");
        check("/dev/lab/rack 3/0", Some("/dev/lab/rack 3"), GpioLineId::Offset(0), "/dev/lab/rack 3/0");
        check("./chip/[SD1]", Some("./chip"), name("[SD1]"), "./chip/[SD1]");
        check("PWR_GOOD", None, name("PWR_GOOD"), "PWR_GOOD");
        check("GPIO17", None, name("GPIO17"), "GPIO17");
        // A line may be named like a chip; then its chip is named, too.
        check("gpiochip0/gpiochip1", Some("/dev/gpiochip0"), name("gpiochip1"), "gpiochip0/gpiochip1");
    }

    #[test]
    fn what_names_no_line_is_told_why() {
        let refuse = |text: &str, why: &str| assert_eq!(GpioLine::parse(text), Err(why), "{text}");
        refuse("", "the line is missing");
        refuse("gpiochip0", "the line is missing");
        refuse("/dev/gpiochip0", "the line is missing");
        refuse("gpiochip0/", "the line is missing");
        refuse("17", "the chip is missing");
        refuse("/17", "the chip is missing");
        refuse("gpiochip0/4294967296", "the line's offset is too large");
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(text in "[a-z0-9_/. \\[-]{0,20}|(/dev/)?gpiochip[0-9]{1,3}/[a-zA-Z0-9_]{1,8}") {
            if let Ok(line) = GpioLine::parse(&text) {
                let shown = line.to_string();
                prop_assert_eq!(GpioLine::parse(shown.strip_prefix("gpio:").unwrap()), Ok(line));
            }
        }
    }
}
