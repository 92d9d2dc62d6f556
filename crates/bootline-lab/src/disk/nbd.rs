// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server's side of NBD, the network block device protocol, as far as QEMU needs it: one export, simple replies
//! (doc/proto.md of the project nbd).
use std::io::{self, Read, Write};

const HELLO: u64 = u64::from_be_bytes(*b"NBDMAGIC");
const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
const REQUEST: u32 = 0x2560_9513;
const REPLY: u32 = 0x6744_6698;

/// The handshake with options, and no zeros after the answer to the oldest of them.
const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 2;
/// What the export can do: be flushed, and write past its cache.
const HAS_FLAGS: u16 = 1;
const SEND_FLUSH: u16 = 4;
const SEND_FUA: u16 = 8;
const EXPORT_FLAGS: u16 = HAS_FLAGS | SEND_FLUSH | SEND_FUA;

const OPT_EXPORT_NAME: u32 = 1;
const OPT_ABORT: u32 = 2;
const OPT_INFO: u32 = 6;
const OPT_GO: u32 = 7;

const REP_ACK: u32 = 1;
const REP_INFO: u32 = 3;
const REP_ERR_UNSUP: u32 = 0x8000_0001;
const INFO_EXPORT: u16 = 0;

/// Longest option and longest operation, in bytes. QEMU's operations have at most 32 MiB.
const MAX_OPTION: u32 = 64 << 10;
const MAX_OPERATION: u32 = 64 << 20;

/// What is asked of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Read { length: u32 },
    Write { length: u32 },
    Flush,
}

impl Operation {
    /// Bytes that it moves.
    pub fn bytes(self) -> u32 {
        match self {
            Operation::Read { length } | Operation::Write { length } => length,
            Operation::Flush => 0,
        }
    }
}

/// A request. The data of a write follows it on the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub operation: Operation,
    pub offset: u64,
    cookie: u64,
}

/// Why a request fails, as NBD numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Io = 5,
    Invalid = 22,
}

/// Agrees with the client on a disk of `size` bytes, whatever the name that it asks for. False if the client left.
pub(super) fn negotiate(connection: &mut (impl Read + Write), size: u64) -> io::Result<bool> {
    let mut hello = HELLO.to_be_bytes().to_vec();
    hello.extend(OPTION.to_be_bytes());
    hello.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
    connection.write_all(&hello)?;
    let flags = u32::from_be_bytes(array(connection)?);
    let export = |mut bytes: Vec<u8>| {
        bytes.extend(size.to_be_bytes());
        bytes.extend(EXPORT_FLAGS.to_be_bytes());
        bytes
    };
    loop {
        if u64::from_be_bytes(array(connection)?) != OPTION {
            return Err(unexpected("an option"));
        }
        let option = u32::from_be_bytes(array(connection)?);
        let length = u32::from_be_bytes(array(connection)?);
        if length > MAX_OPTION {
            return Err(unexpected("a shorter option"));
        }
        connection.read_exact(&mut vec![0; length as usize])?;
        match option {
            OPT_EXPORT_NAME => {
                let mut told = export(Vec::new());
                if flags & u32::from(NO_ZEROES) == 0 {
                    told.resize(told.len() + 124, 0);
                }
                connection.write_all(&told)?;
                return Ok(true);
            }
            OPT_INFO | OPT_GO => {
                answer(connection, option, REP_INFO, &export(INFO_EXPORT.to_be_bytes().to_vec()))?;
                answer(connection, option, REP_ACK, &[])?;
                if option == OPT_GO {
                    return Ok(true);
                }
            }
            OPT_ABORT => {
                answer(connection, option, REP_ACK, &[])?;
                return Ok(false);
            }
            // Structured replies and the like: the client goes on without them.
            _ => answer(connection, option, REP_ERR_UNSUP, &[])?,
        }
    }
}

fn answer(connection: &mut impl Write, option: u32, kind: u32, data: &[u8]) -> io::Result<()> {
    let mut bytes = OPTION_REPLY.to_be_bytes().to_vec();
    bytes.extend(option.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(data);
    connection.write_all(&bytes)
}

/// The next request; none once the client has left.
pub(super) fn read_request(connection: &mut impl Read) -> io::Result<Option<Request>> {
    let mut bytes = [0; 28];
    match connection.read_exact(&mut bytes) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let number = |from: usize, to: usize| bytes[from..to].iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
    if number(0, 4) != u64::from(REQUEST) {
        return Err(unexpected("a request"));
    }
    let length = number(24, 28) as u32;
    if length > MAX_OPERATION {
        return Err(unexpected("a shorter operation"));
    }
    let operation = match number(6, 8) {
        0 => Operation::Read { length },
        1 => Operation::Write { length },
        2 => return Ok(None),
        3 => Operation::Flush,
        // Of what was not offered, nothing can be known about what follows.
        _ => return Err(unexpected("a read, a write or a flush")),
    };
    Ok(Some(Request { operation, offset: number(16, 24), cookie: number(8, 16) }))
}

/// Bytes of a reply before its data.
pub(super) const REPLY_HEADER: usize = 16;

/// The header of the reply to a request.
pub(super) fn reply_header(request: &Request, result: Result<(), Failure>) -> [u8; REPLY_HEADER] {
    let mut header = [0; REPLY_HEADER];
    let error = result.map_or_else(|failure| failure as u32, |()| 0);
    header[..4].copy_from_slice(&REPLY.to_be_bytes());
    header[4..8].copy_from_slice(&error.to_be_bytes());
    header[8..].copy_from_slice(&request.cookie.to_be_bytes());
    header
}

fn array<const N: usize>(connection: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    connection.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn unexpected(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("QEMU's NBD client sent something other than {what}"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// A client that sends what it wants, whatever it is told.
    struct Client(Cursor<Vec<u8>>);

    impl Read for Client {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for Client {
        fn write(&mut self, told: &[u8]) -> io::Result<usize> {
            Ok(told.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    proptest! {
        /// What it sends ends the handshake or begins a disk, and takes no more memory than an option may have.
        #[test]
        fn any_client(option in 0u32..14, length in 0u32..200_000, bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            for sent in [bytes.clone(), [&[0, 0, 0, 3][..], b"IHAVEOPT", &option.to_be_bytes(), &length.to_be_bytes(), &bytes].concat()] {
                let agreed = negotiate(&mut Client(Cursor::new(sent)), 512);
                prop_assert!(!matches!(agreed, Ok(true)) || length as usize <= bytes.len());
            }
        }

        /// A request is what it says, or refused.
        #[test]
        fn any_request(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let begun = [&REQUEST.to_be_bytes()[..], &[0, 0, 0], &bytes].concat();
            for sent in [&bytes, &begun] {
                if let Ok(Some(request)) = read_request(&mut Cursor::new(sent)) {
                    prop_assert!(request.operation.bytes() <= MAX_OPERATION && sent.len() >= 28);
                    let reply = reply_header(&request, Err(Failure::Io));
                    prop_assert_eq!((&reply[..8], &reply[8..]), (&[0x67, 0x44, 0x66, 0x98, 0, 0, 0, 5][..], &sent[8..16]));
                }
            }
        }
    }
}
