// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the user names: where the bytes come from.
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a capture's bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureSource {
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
#[error("`{given}` is not a source: {why}")]
pub struct CaptureSourceError {
    /// What was given.
    pub given: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl CaptureSourceError {
    /// What to write instead.
    pub fn hint(&self) -> Option<String> {
        Some("a source is a device (`/dev/ttyUSB0`), `tcp:HOST:PORT`, `unix:PATH`, `pty`, `cmd:COMMAND` or `-`".into())
    }
}

impl FromStr for CaptureSource {
    type Err = CaptureSourceError;

    fn from_str(text: &str) -> Result<CaptureSource, CaptureSourceError> {
        let wrong = |why| CaptureSourceError { given: text.to_owned(), why };
        match text.split_once(':') {
            _ if text.is_empty() => Err(wrong("it is empty")),
            _ if text == "-" => Ok(CaptureSource::Stdin),
            _ if text == "pty" => Ok(CaptureSource::Pty(None)),
            Some(("tcp", rest)) => tcp(rest).map_err(wrong),
            Some(("unix" | "pty" | "cmd", "")) => Err(wrong("nothing follows the colon")),
            Some(("unix", path)) => Ok(CaptureSource::Unix(path.into())),
            Some(("pty", link)) => Ok(CaptureSource::Pty(Some(link.into()))),
            Some(("cmd", command)) => Ok(CaptureSource::Command(vec!["sh".into(), "-c".into(), command.into()])),
            // A by-id path may hold colons; a scheme never holds a slash.
            Some((scheme, _)) if !scheme.contains('/') => Err(wrong("its scheme is unknown")),
            // `ttyUSB0`: people leave out the folder.
            _ if text.starts_with("tty") => Ok(CaptureSource::Device(PathBuf::from("/dev").join(text))),
            _ => Ok(CaptureSource::Device(text.into())),
        }
    }
}

fn tcp(rest: &str) -> Result<CaptureSource, &'static str> {
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
    Ok(CaptureSource::Tcp { host: host.to_owned(), port })
}

impl CaptureSource {
    /// Whether it has a line speed that can be set.
    pub fn is_serial(&self) -> bool {
        matches!(self, CaptureSource::Device(_))
    }

    /// Whether it may come back after it went away.
    pub fn comes_back(&self) -> bool {
        matches!(self, CaptureSource::Device(_) | CaptureSource::Tcp { .. } | CaptureSource::Unix(_))
    }
}

impl fmt::Display for CaptureSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureSource::Device(path) => write!(f, "{}", path.display()),
            CaptureSource::Tcp { host, port } if host.contains(':') => write!(f, "tcp:[{host}]:{port}"),
            CaptureSource::Tcp { host, port } => write!(f, "tcp:{host}:{port}"),
            CaptureSource::Unix(path) => write!(f, "unix:{}", path.display()),
            CaptureSource::Pty(None) => f.write_str("pty"),
            CaptureSource::Pty(Some(link)) => write!(f, "pty:{}", link.display()),
            CaptureSource::Command(argv) => match &argv[..] {
                [sh, c, command] if sh == "sh" && c == "-c" => write!(f, "cmd:{command}"),
                _ => write!(f, "cmd:{}", argv.join(" ")),
            },
            CaptureSource::Stdin => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: CaptureSource) {
        assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
        assert_eq!(expected.to_string().parse(), Ok(expected), "what is shown reads back");
    }

    #[track_caller]
    fn refuse(text: &str, why: &str) {
        assert_eq!(text.parse::<CaptureSource>().map_err(|e| e.why), Err(why), "{text}");
    }

    #[test]
    fn each_kind_of_source_is_read() {
        let tcp = |host: &str, port| CaptureSource::Tcp { host: host.into(), port };
        check("/dev/ttyUSB0", CaptureSource::Device("/dev/ttyUSB0".into()));
        check("ttyUSB0", CaptureSource::Device("/dev/ttyUSB0".into()));
        check("./link:to", CaptureSource::Device("./link:to".into()));
        check(
            "/dev/serial/by-path/pci-0:1.0-port0",
            CaptureSource::Device("/dev/serial/by-path/pci-0:1.0-port0".into()),
        );
        check("tcp:board:2000", tcp("board", 2000));
        check("tcp:[::1]:2000", tcp("::1", 2000));
        check("unix:/run/a.sock", CaptureSource::Unix("/run/a.sock".into()));
        check("pty", CaptureSource::Pty(None));
        check("pty:/tmp/board", CaptureSource::Pty(Some("/tmp/board".into())));
        check(
            "cmd:ssh b 'dmesg -w'",
            CaptureSource::Command(vec!["sh".into(), "-c".into(), "ssh b 'dmesg -w'".into()]),
        );
        check("-", CaptureSource::Stdin);
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
