// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds QEMU back byte by byte: the channel between its UART and the reader that paces it.
use std::io;
use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair, sockopt};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A pipe in packet mode with as many slots as the line's speed needs: each write of QEMU's takes one slot,
    /// whatever its size.
    #[default]
    Pipe,
    /// A stream socket with the smallest send buffer, which holds a handful of bytes; for hosts without packet pipes.
    Socket,
}

/// Both ends.
#[derive(Debug)]
pub(crate) struct Channel {
    pub reader: OwnedFd,
    /// Becomes QEMU's standard output.
    pub writer: OwnedFd,
}

impl Transport {
    /// A channel that holds about `slots` bytes.
    pub(crate) fn open(self, slots: usize) -> io::Result<Channel> {
        match self {
            Transport::Pipe => {
                let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::DIRECT)?;
                // One page is one slot. The reader must not block: an empty pipe is an idle line.
                fcntl_setpipe_size(&writer, slots * rustix::param::page_size())?;
                set_nonblocking(&reader)?;
                Ok(Channel { reader, writer })
            }
            Transport::Socket => {
                let (reader, writer) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
                sockopt::set_socket_send_buffer_size(&writer, 1)?;
                set_nonblocking(&reader)?;
                Ok(Channel { reader, writer })
            }
        }
    }
}

fn set_nonblocking(fd: &OwnedFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    Ok(rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?)
}
