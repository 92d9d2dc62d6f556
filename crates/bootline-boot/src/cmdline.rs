// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's command line, as far as a boot's time depends on it.

use bootline_capture::units::{Baud, Frame};

/// The command line, split as the kernel splits it: blanks, except within double quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    words: Vec<String>,
}

/// One `console=` parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleArg {
    /// `ttyS0`
    pub name: String,
    /// Stated baud; without one the 8250 driver uses 9600.
    pub baud: Option<Baud>,
    /// Stated frame, else 8n1.
    pub frame: Frame,
    /// Hardware flow control (`r`).
    pub flow_control: bool,
}

impl CommandLine {
    /// Parses the text after "Kernel command line:".
    pub fn parse(text: &str) -> CommandLine {
        let mut words = Vec::new();
        let (mut word, mut quoted) = (String::new(), false);
        for c in text.chars() {
            match c {
                '"' => quoted = !quoted,
                c if c.is_whitespace() && !quoted => {
                    if !word.is_empty() {
                        words.push(std::mem::take(&mut word));
                    }
                }
                c => word.push(c),
            }
        }
        if !word.is_empty() {
            words.push(word);
        }
        CommandLine { words }
    }

    /// The words up to `--`; those after it are init's.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).take_while(|w| *w != "--")
    }

    /// Whether the command line is unknown or empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether the command line contains a bare word: `quiet`.
    pub fn has(&self, word: &str) -> bool {
        self.words().any(|w| same_parameter(w, word))
    }

    /// The last value of `key=value`; a key's `-` and `_` are the same, as they are to the kernel.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.values(key).last()
    }

    /// All values of `key=value`, in order.
    pub fn values<'s, 'k>(&'s self, key: &'k str) -> impl Iterator<Item = &'s str> + use<'s, 'k> {
        self.words().filter_map(move |w| w.split_once('=').filter(|(k, _)| same_parameter(k, key)).map(|(_, v)| v))
    }

    /// The `console=` parameters in order; the last one is /dev/console.
    pub fn consoles(&self) -> Vec<ConsoleArg> {
        self.values("console").map(ConsoleArg::parse).collect()
    }

    /// Whether `initcall_debug` is on.
    pub fn initcall_debug(&self) -> bool {
        self.has("initcall_debug")
            || self.value("initcall_debug").is_some_and(|v| !matches!(v, "0" | "n" | "N" | "off"))
    }

    /// The console log level that the parameters set: records below it are printed. Without a parameter it is the
    /// kernel's CONFIG_CONSOLE_LOGLEVEL_DEFAULT, 7 by default.
    pub fn console_loglevel(&self) -> u8 {
        let mut level = 7;
        for w in self.words() {
            if w == "quiet" {
                // CONFIG_CONSOLE_LOGLEVEL_QUIET
                level = 4;
            } else if w == "debug" {
                level = 10;
            } else if let Some(v) = w.strip_prefix("loglevel=") {
                level = v.parse().unwrap_or(level);
            }
        }
        if self.words().any(|w| w == "ignore_loglevel") { 15 } else { level }
    }
}

fn same_parameter(a: &str, b: &str) -> bool {
    a.len() == b.len()
        && a.bytes().zip(b.bytes()).all(|(x, y)| x == y || (x == b'-' && y == b'_') || (x == b'_' && y == b'-'))
}

impl ConsoleArg {
    /// As the kernel reads it: `ttyS0,115200n8r`. Parts that it does not understand keep their default.
    pub fn parse(text: &str) -> ConsoleArg {
        let (name, options) = text.split_once(',').unwrap_or((text, ""));
        let digits = options.bytes().take_while(u8::is_ascii_digit).count();
        let baud = options[..digits].parse().ok().and_then(Baud::new);
        let mut frame = Frame::default();
        let mut rest = options[digits..].chars();
        if let Some(parity) = rest.next() {
            let bits = rest.next().unwrap_or('8');
            frame = format!("{bits}{parity}1").parse().unwrap_or_default();
        }
        ConsoleArg { name: name.to_owned(), baud, frame, flow_control: rest.next() == Some('r') }
    }

    /// Whether it names a serial port (as opposed to a screen, netconsole, hvc).
    pub fn is_serial(&self) -> bool {
        is_serial(&self.name)
    }
}

/// Whether a console's name is a serial port's.
pub fn is_serial(name: &str) -> bool {
    // ttynull discards everything; ttyprintk writes to the log itself.
    let tty = name.strip_prefix("tty").filter(|rest| !rest.starts_with("null") && !rest.starts_with("printk"));
    tty.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        || name.starts_with("uart")
        || name.starts_with("pl11")
        || name.starts_with("earlyser")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_inits_part() {
        let c =
            CommandLine::parse(r#"console=tty0 console=ttyS0,115200n8r quiet dyndbg="file a.c +p" x -- quiet debug"#);
        assert_eq!(c.value("dyndbg"), Some("file a.c +p"));
        assert_eq!(c.console_loglevel(), 4);
        let consoles = c.consoles();
        assert_eq!(consoles.len(), 2);
        assert!(!consoles[0].is_serial());
        let s = &consoles[1];
        assert_eq!((s.baud.unwrap().get(), s.frame.to_string().as_str(), s.flow_control), (115_200, "8n1", true));
    }

    #[test]
    fn log_levels() {
        let level = |text| CommandLine::parse(text).console_loglevel();
        assert_eq!(level(""), 7);
        assert_eq!(level("quiet loglevel=5"), 5);
        assert_eq!(level("loglevel=10"), 10);
        assert_eq!(level("quiet ignore_loglevel"), 15);
        assert!(CommandLine::parse("initcall-debug=1").initcall_debug());
        assert!(!CommandLine::parse("initcall_debug=0").initcall_debug());
    }

    #[test]
    fn serial_names() {
        for name in ["ttyS0", "ttyAMA0", "ttymxc1", "ttyO2", "uart8250", "earlyser0"] {
            assert!(is_serial(name), "{name}");
        }
        for name in ["tty0", "tty1", "hvc0", "netcon0", "ramoops", "ttynull0", "ttyprintk0"] {
            assert!(!is_serial(name), "{name}");
        }
    }
}
