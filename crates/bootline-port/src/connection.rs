// SPDX-License-Identifier: MIT OR Apache-2.0
//! An open source: one descriptor to read, whatever it refers to.
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bootline_capture::units::{Dur, LineRate};

use super::inventory;
use super::serial::{LineSettings, SerialPort};
use super::terminal::{RunningCommand, Terminal};
use super::{CaptureSource, Holder, PortError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// An open source.
#[derive(Debug)]
pub enum Connection {
    /// A serial device.
    Serial(SerialPort),
    /// A TCP connection.
    Tcp(TcpStream),
    /// A connection to a Unix socket.
    Unix(UnixStream),
    /// A pseudo-terminal that we created.
    Pty(Terminal),
    /// A command that we started.
    Command(RunningCommand),
    /// Standard input.
    Stdin(OwnedFd),
}

/// Where to look for a source that went away.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// A device, by its stable name if it has one: its number may belong to another adapter meanwhile.
    Device(PathBuf),
    /// The address that answered.
    Tcp(SocketAddr),
    /// As the user named it.
    Unix(PathBuf),
}

impl Connection {
    /// Opens `source`. `line` sets up a serial device and is ignored by the others.
    pub fn open(source: &CaptureSource, line: LineSettings) -> Result<Connection, PortError> {
        let refused = |error| PortError::Connect { endpoint: source.clone(), error };
        match source {
            CaptureSource::Device(path) => SerialPort::open(path, line).map(Connection::Serial),
            CaptureSource::Tcp { host, port } => {
                let unknown = |error| PortError::UnknownHost { endpoint: source.clone(), error };
                let addresses = (host.as_str(), *port).to_socket_addrs().map_err(unknown)?;
                let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
                for address in addresses {
                    match connect_tcp(address) {
                        Ok(stream) => return Ok(Connection::Tcp(stream)),
                        Err(error) => last = error,
                    }
                }
                Err(refused(last))
            }
            CaptureSource::Unix(path) => connect_unix(path).map(Connection::Unix),
            CaptureSource::Pty(link) => Terminal::open(link.as_deref()).map(Connection::Pty),
            CaptureSource::Command(argv) => RunningCommand::start(argv).map(Connection::Command),
            CaptureSource::Stdin => {
                let read = |error| PortError::Read { source_name: "-".into(), error };
                io::stdin().as_fd().try_clone_to_owned().map(Connection::Stdin).map_err(read)
            }
        }
    }

    /// Where to look for it again; `None` if its end is final.
    pub fn endpoint(&self, source: &CaptureSource) -> Option<Endpoint> {
        match (self, source) {
            (Connection::Serial(_), CaptureSource::Device(path)) => {
                Some(Endpoint::Device(inventory::lasting_name(path).unwrap_or_else(|| path.clone())))
            }
            (Connection::Tcp(stream), _) => stream.peer_addr().ok().map(Endpoint::Tcp),
            (Connection::Unix(_), CaptureSource::Unix(path)) => Some(Endpoint::Unix(path.clone())),
            _ => None,
        }
    }

    /// Speed in bytes per second, if the source sets the line.
    pub fn rate(&self) -> Option<LineRate> {
        if let Connection::Serial(port) = self { port.rate() } else { None }
    }

    /// How long the driver may hold a byte back.
    pub fn hold_time(&self) -> Dur {
        if let Connection::Serial(port) = self { port.hold_time() } else { Dur::ZERO }
    }

    /// Other programs that take bytes away.
    pub fn other_holders(&self) -> &[Holder] {
        if let Connection::Serial(port) = self { port.other_holders() } else { &[] }
    }

    /// Whether it may contain bytes that arrived before it was opened.
    pub fn may_hold_old_bytes(&self) -> bool {
        matches!(self, Connection::Serial(_) | Connection::Stdin(_))
    }
}

impl Endpoint {
    /// Opens it again.
    pub fn reopen(&self, line: LineSettings) -> Result<Connection, PortError> {
        match self {
            Endpoint::Device(path) => SerialPort::open(path, line).map(Connection::Serial),
            Endpoint::Tcp(address) => connect_tcp(*address).map(Connection::Tcp).map_err(|error| {
                let endpoint = CaptureSource::Tcp { host: address.ip().to_string(), port: address.port() };
                PortError::Connect { endpoint, error }
            }),
            Endpoint::Unix(path) => connect_unix(path).map(Connection::Unix),
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Connection::Serial(port) => port.as_fd(),
            Connection::Tcp(stream) => stream.as_fd(),
            Connection::Unix(stream) => stream.as_fd(),
            Connection::Pty(terminal) => terminal.as_fd(),
            Connection::Command(command) => command.as_fd(),
            Connection::Stdin(fd) => fd.as_fd(),
        }
    }
}

fn connect_tcp(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT)?;
    // TCP lets a socket of this machine connect to itself when nobody listens at a port of the ephemeral range.
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nonblocking(true)?;
    // A host that vanishes silently (power, cable) must not look like a silent board forever.
    rustix::net::sockopt::set_socket_keepalive(&stream, true)?;
    rustix::net::sockopt::set_tcp_keepidle(&stream, Duration::from_secs(10))?;
    rustix::net::sockopt::set_tcp_keepintvl(&stream, Duration::from_secs(5))?;
    rustix::net::sockopt::set_tcp_keepcnt(&stream, 3)?;
    Ok(stream)
}

fn connect_unix(path: &Path) -> Result<UnixStream, PortError> {
    let connect = || {
        let stream = UnixStream::connect(path)?;
        stream.set_nonblocking(true)?;
        Ok(stream)
    };
    connect().map_err(|error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => PortError::NoSocket { path: path.to_owned() },
        _ => PortError::Connect { endpoint: CaptureSource::Unix(path.to_owned()), error },
    })
}
