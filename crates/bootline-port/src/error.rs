// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a source can't be opened or read; each with what to do about it.
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use bootline_capture::units::Baud;

use super::owner::Holder;
use super::{CaptureSource, GpioError};

/// Why a source can't be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The device's name does not exist.
    #[error("no such serial device `{}`{}", device.display(), listed(present))]
    NoSuchDevice {
        /// As the user named it.
        device: PathBuf,
        /// The serial ports that this machine has.
        present: Vec<PathBuf>,
    },
    /// The device's permissions keep this user out.
    #[error("no permission to open `{}`{}", device.display(), in_group(group.as_deref()))]
    NotPermitted {
        /// As the user named it.
        device: PathBuf,
        /// The group that may open it.
        group: Option<String>,
    },
    /// Another program has it.
    #[error("`{}` is in use{}", device.display(), held_by(holders))]
    Busy {
        /// As the user named it.
        device: PathBuf,
        /// The programs that hold it, as far as this user may see them.
        holders: Vec<Holder>,
    },
    /// It is not a terminal device.
    #[error("`{}` is {what}, not a serial device", path.display())]
    NotADevice {
        /// As the user named it.
        path: PathBuf,
        /// What it is.
        what: FileKind,
    },
    /// The driver accepted the baud and set another.
    #[error("`{}` can't run at {asked} baud: its driver sets {got}", device.display())]
    BaudRefused {
        /// As the user named it.
        device: PathBuf,
        /// What was asked for.
        asked: Baud,
        /// What the driver set.
        got: u32,
    },
    /// Opening failed for another reason: another program took the port, or it went away, between two tries.
    #[error("can't open `{}`: {error}", device.display())]
    Open {
        /// As the user named it.
        device: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A setting of the line was refused.
    #[error("`{}`: can't set {setting}: {error}", device.display())]
    Setting {
        /// As the user named it.
        device: PathBuf,
        /// The port.
        setting: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// Nothing answers at the endpoint.
    #[error("can't connect to `{endpoint}`: {error}")]
    Connect {
        /// `tcp:HOST:PORT` or `unix:PATH`.
        endpoint: CaptureSource,
        /// The system's error.
        error: io::Error,
    },
    /// No program has made the Unix socket.
    #[error("there is no socket `{}`", path.display())]
    NoSocket {
        /// As the user named it.
        path: PathBuf,
    },
    /// The host has no address.
    #[error("the host of `{endpoint}` is unknown: {error}")]
    UnknownHost {
        /// `tcp:HOST:PORT`.
        endpoint: CaptureSource,
        /// The resolver's error.
        error: io::Error,
    },
    /// No pseudo-terminal could be created.
    #[error("can't create a pseudo-terminal: {0}")]
    Pty(io::Error),
    /// The symbolic link to the pseudo-terminal could not be created.
    #[error("can't link `{}` to the pseudo-terminal: {error}", link.display())]
    Link {
        /// The link's name.
        link: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The command to capture could not be started.
    #[error("can't start `{command}`: {error}")]
    Start {
        /// The program.
        command: String,
        /// The system's error.
        error: io::Error,
    },
    /// The command that switches the board on failed.
    #[error("the power command `{command}` failed: {status}")]
    Power {
        /// As the user gave it.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// The driver of the device offers no modem control inputs.
    #[error("`{}` has no modem control inputs to mark by: {error}", device.display())]
    NoModemInputs {
        /// As the user named it.
        device: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A GPIO line that is to be marked by can't be watched.
    #[error(transparent)]
    Gpio(#[from] GpioError),
    /// Reading failed, and not because the port went away.
    #[error("can't read from `{source_name}`: {error}")]
    Read {
        /// The source's name.
        source_name: String,
        /// The system's error.
        error: io::Error,
    },
    /// The capture file could not be written.
    #[error(transparent)]
    Record(#[from] crate::recorder::RecorderError),
}

impl PortError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            PortError::NoSuchDevice { present, .. } => match present.first() {
                Some(port) => format!("bootline capture {}", port.display()),
                None => "plug the adapter in and check `dmesg | tail`; `--wait` waits for it".into(),
            },
            PortError::NotPermitted { group: Some(group), .. } if group != "root" => {
                format!("sudo usermod -aG {group} $USER, then log in again")
            }
            PortError::NotPermitted { .. } => "run it with sudo".into(),
            PortError::Busy { holders, .. } => match holders.first() {
                Some(holder) => format!("stop it first: kill {}", holder.pid),
                None => "another user's program holds it: `sudo fuser -v` on the device names it".into(),
            },
            PortError::NotADevice { path, what: FileKind::Regular } => format!("bootline explain {}", path.display()),
            PortError::NotADevice { path, what: FileKind::NamedPipe } => {
                format!("bootline capture - < {}", path.display())
            }
            PortError::NotADevice { path, what: FileKind::Socket } => {
                format!("bootline capture unix:{}", path.display())
            }
            PortError::NoModemInputs { error, .. } if error.raw_os_error() == Some(libc::ENOTTY) => {
                "a pseudo-terminal has none, nor have some adapters: name a port with CTS, DSR, DCD or RI wired to the board".into()
            }
            PortError::Gpio(error) => return error.hint(),
            PortError::BaudRefused { got, .. } => format!("--baud {got}"),
            PortError::Connect { error, .. } if error.kind() == io::ErrorKind::ConnectionRefused => {
                "is the server running? `--wait` waits for it".into()
            }
            PortError::NoSocket { .. } => "start the program that listens there; `--wait` waits for it".into(),
            _ => return None,
        })
    }
}

/// What a path that was given as a serial device really is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileKind {
    /// A file with content.
    #[error("a file")]
    Regular,
    /// A directory.
    #[error("a folder")]
    Directory,
    /// A FIFO.
    #[error("a named pipe")]
    NamedPipe,
    /// A unix socket.
    #[error("a socket")]
    Socket,
    /// A disk or the like.
    #[error("a block device")]
    BlockDevice,
    /// A character device that is not a terminal.
    #[error("a device other than a terminal")]
    NoTerminal,
}

fn listed(present: &[PathBuf]) -> String {
    if present.is_empty() {
        return "; this machine has no serial port".into();
    }
    let names: Vec<String> = present.iter().map(|p| format!("`{}`", p.display())).collect();
    format!("; there are {}", names.join(", "))
}

fn in_group(group: Option<&str>) -> String {
    group.map_or(String::new(), |group| format!(" (its group is `{group}`)"))
}

fn held_by(holders: &[Holder]) -> String {
    let names: Vec<String> = holders.iter().map(Holder::to_string).collect();
    if names.is_empty() { String::new() } else { format!(" by {}", names.join(", ")) }
}
