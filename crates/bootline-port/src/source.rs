// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the user names: where the bytes come from.
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a capture's bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A serial device, `/dev/ttyUSB0`.
    Device(PathBuf),
    /// A TCP endpoint, `tcp:HOST:PORT`: ser2net in raw mode, a terminal server, QEMU's `-serial tcp:HOST:PORT,server`.
    Tcp {
        /// A name or an address; an IPv6 address without its brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// A stream socket of this machine, `unix:PATH`: QEMU's `-serial unix:PATH,server`.
    Unix(PathBuf),
    /// A new pseudo-terminal for another program to write to, `pty` or `pty:LINK` (a symbolic link made for it).
    Pty(Option<PathBuf>),
    /// What a command prints, `cmd:COMMAND` (by `sh -c`) or `-- COMMAND ARGS` (as it stands). It runs on a terminal.
    Command(Vec<String>),
    /// Standard input, `-`.
    Stdin,
}

/// Why a text names no source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no source: {why}")]
pub struct SourceError {
    /// What was given.
    pub given: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl SourceError {
    /// What to write instead.
    pub fn hint(&self) -> Option<String> {
        Some("a source is a device (`/dev/ttyUSB0`), `tcp:HOST:PORT`, `unix:PATH`, `pty`, `cmd:COMMAND` or `-`".into())
    }
}

impl FromStr for Source {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Source, SourceError> {
        let wrong = |why| SourceError { given: text.to_owned(), why };
        match text.split_once(':') {
            _ if text.is_empty() => Err(wrong("it is empty")),
            _ if text == "-" => Ok(Source::Stdin),
            _ if text == "pty" => Ok(Source::Pty(None)),
            Some(("tcp", rest)) => tcp(rest).map_err(wrong),
            Some(("unix" | "pty" | "cmd", "")) => Err(wrong("nothing follows the colon")),
            Some(("unix", path)) => Ok(Source::Unix(path.into())),
            Some(("pty", link)) => Ok(Source::Pty(Some(link.into()))),
            Some(("cmd", command)) => Ok(Source::Command(vec!["sh".into(), "-c".into(), command.into()])),
            // A by-id path may hold colons; a scheme never holds a slash.
            Some((scheme, _)) if !scheme.contains('/') => Err(wrong("its scheme is unknown")),
            // `ttyUSB0`: people leave out the folder.
            _ if text.starts_with("tty") => Ok(Source::Device(PathBuf::from("/dev").join(text))),
            _ => Ok(Source::Device(text.into())),
        }
    }
}

fn tcp(rest: &str) -> Result<Source, &'static str> {
    let (host, port) = rest.rsplit_once(':').ok_or("the TCP port is missing")?;
    let port = port.parse().ok().filter(|&p| p > 0).ok_or("the TCP port is not a number from 1 to 65535")?;
    let host = match host.strip_prefix('[') {
        Some(h) => h.strip_suffix(']').ok_or("the bracket of the IPv6 address is not closed")?,
        None if host.contains(':') => return Err("an IPv6 address stands in brackets, `tcp:[::1]:2000`"),
        None => host,
    };
    if host.is_empty() {
        return Err("the host is missing");
    }
    Ok(Source::Tcp { host: host.to_owned(), port })
}

impl Source {
    /// Whether it has a line speed that can be set.
    pub fn is_serial(&self) -> bool {
        matches!(self, Source::Device(_))
    }

    /// Whether it may come back after it went away.
    pub fn comes_back(&self) -> bool {
        matches!(self, Source::Device(_) | Source::Tcp { .. } | Source::Unix(_))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Device(path) => write!(f, "{}", path.display()),
            Source::Tcp { host, port } if host.contains(':') => write!(f, "tcp:[{host}]:{port}"),
            Source::Tcp { host, port } => write!(f, "tcp:{host}:{port}"),
            Source::Unix(path) => write!(f, "unix:{}", path.display()),
            Source::Pty(None) => f.write_str("pty"),
            Source::Pty(Some(link)) => write!(f, "pty:{}", link.display()),
            Source::Command(argv) => match &argv[..] {
                [sh, c, command] if sh == "sh" && c == "-c" => write!(f, "cmd:{command}"),
                _ => write!(f, "cmd:{}", argv.join(" ")),
            },
            Source::Stdin => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Source) {
        assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
        assert_eq!(expected.to_string().parse(), Ok(expected), "what is shown reads back");
    }

    #[track_caller]
    fn refuse(text: &str, why: &str) {
        assert_eq!(text.parse::<Source>().map_err(|e| e.why), Err(why), "{text}");
    }

    #[test]
    fn each_kind_of_source_is_read() {
        let tcp = |host: &str, port| Source::Tcp { host: host.into(), port };
        check("/dev/ttyUSB0", Source::Device("/dev/ttyUSB0".into()));
        check("ttyUSB0", Source::Device("/dev/ttyUSB0".into()));
        check("./link:to", Source::Device("./link:to".into()));
        check("/dev/serial/by-path/pci-0:1.0-port0", Source::Device("/dev/serial/by-path/pci-0:1.0-port0".into()));
        check("tcp:board:2000", tcp("board", 2000));
        check("tcp:[::1]:2000", tcp("::1", 2000));
        check("unix:/run/a.sock", Source::Unix("/run/a.sock".into()));
        check("pty", Source::Pty(None));
        check("pty:/tmp/board", Source::Pty(Some("/tmp/board".into())));
        check("cmd:ssh b 'dmesg -w'", Source::Command(vec!["sh".into(), "-c".into(), "ssh b 'dmesg -w'".into()]));
        check("-", Source::Stdin);
    }

    #[test]
    fn what_is_no_source_is_told_why() {
        refuse("", "it is empty");
        refuse("tcp:board", "the TCP port is missing");
        refuse("tcp:board:0", "the TCP port is not a number from 1 to 65535");
        refuse("tcp::2000", "the host is missing");
        refuse("tcp:::1:2000", "an IPv6 address stands in brackets, `tcp:[::1]:2000`");
        refuse("tcp:[::1:2000", "the bracket of the IPv6 address is not closed");
        refuse("unix:", "nothing follows the colon");
        refuse("serial:/dev/ttyS0", "its scheme is unknown");
    }
}
