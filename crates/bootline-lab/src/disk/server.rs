// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads that serve a guest's disks at their speed.
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bootline_capture::units::HostTime;

use super::copy_on_write::CopyOnWrite;
use super::nbd::{Failure, Operation, REPLY_HEADER, Request, negotiate, read_request, reply_header};
use super::pace::{Access, DiskPacer};
use super::usage::{DiskUsage, StorageUse};
use crate::line::{Priority, RunClock, raise, wait_readable, wake_sharply};
use crate::storage::StorageLimits;

/// The clock by which a storage is paced, and whether its threads run ahead of ordinary work where that is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StorageClock {
    pub clock: RunClock,
    pub real_time: bool,
}

/// Serves the disks of a guest. They share one schedule, as the partitions of one medium do.
#[derive(Debug)]
pub(crate) struct DiskServer {
    at: StorageClock,
    state: Arc<Mutex<State>>,
    /// Use until the boot was over.
    until_booted: Option<StorageUse>,
}

#[derive(Debug)]
struct State {
    /// How many there are: each has a number.
    disks: usize,
    pacer: DiskPacer,
    usage: DiskUsage,
    /// The first error of the host's, and the image of its disk.
    error: Option<(PathBuf, io::Error)>,
}

impl DiskServer {
    /// Storage of this speed, without disks yet.
    pub fn new(limits: StorageLimits, at: StorageClock) -> DiskServer {
        let state = State { disks: 0, pacer: DiskPacer::new(limits), usage: DiskUsage::default(), error: None };
        DiskServer { at, state: Arc::new(Mutex::new(state)), until_booted: None }
    }

    /// Serves a disk with the content of this image until its client leaves. Gives the client's end of the connection.
    pub fn attach(&self, image: &Path) -> io::Result<OwnedFd> {
        let disk = CopyOnWrite::new(File::open(image)?)?;
        let image = image.to_owned();
        let (ours, clients) = UnixStream::pair()?;
        let (at, state) = (self.at, Arc::clone(&self.state));
        let number = {
            let mut state = lock(&state);
            state.disks += 1;
            state.disks
        };
        let serve_at_its_speed = move || {
            // Below the line's reader: that has microseconds, and a disk may copy for milliseconds.
            let ahead = at.real_time && raise(0, Priority::Disk);
            lock(&state).usage.served(ahead);
            wake_sharply();
            let failed = |error| {
                lock(&state).error.get_or_insert_with(|| (image.clone(), error));
            };
            match serve(ours, disk, at.clock, &state, number, &failed) {
                Err(error) if !has_left(&error) => failed(error),
                _ => {}
            }
        };
        thread::Builder::new().name("disk".to_owned()).spawn(serve_at_its_speed)?;
        Ok(clients.into())
    }

    /// The boot is over: what follows is not a part of its use of the storage.
    pub fn booted(&mut self) {
        if self.until_booted.is_none() {
            self.until_booted = Some(self.usage());
        }
    }

    /// What the guest asked for until it had booted, or until now.
    pub fn usage(&self) -> StorageUse {
        self.until_booted.unwrap_or_else(|| lock(&self.state).usage.summary(self.at.clock.now()))
    }

    /// Why the host could not do what it was asked for, once.
    pub fn take_error(&self) -> Option<(PathBuf, io::Error)> {
        lock(&self.state).error.take()
    }
}

/// Whether the client is gone: killed, or at the end of its boot in the middle of a request.
fn has_left(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// A thread that panicked has been reported, and left numbers that are complete.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How much of a read's data waits for the moment at which it is due, in bytes. What comes before it is on its way by then, so that
/// the transport of a large read does not add to its time; the client completes it with its last byte.
const LAST: usize = 16 << 10;

/// Serves a disk until its client leaves. `failed` hears of what the host could not do for it.
fn serve(
    mut connection: UnixStream,
    mut disk: CopyOnWrite,
    clock: RunClock,
    state: &Mutex<State>,
    number: usize,
    failed: &dyn Fn(io::Error),
) -> io::Result<()> {
    if !negotiate(&mut connection, disk.size())? {
        return Ok(());
    }
    // The reply's header, and the data of a request or its reply.
    let mut buffer = vec![0; REPLY_HEADER];
    let mut last_due = HostTime::ORIGIN;
    // Flushing what is clean takes no time.
    let mut dirty = false;
    loop {
        // What is there already has waited since before the last answer. (Should this thread be interrupted just here, so may what
        // that answer caused, and the disk is that much faster once.)
        let waited = wait_readable(&connection, Duration::ZERO)?;
        let Some(request) = read_request(&mut connection)? else { return Ok(()) };
        let arrived = DiskPacer::arrival(clock.now(), waited, last_due);
        let flushes = request.operation == Operation::Flush;
        let writes = matches!(request.operation, Operation::Write { .. });
        buffer.resize(REPLY_HEADER + request.operation.bytes() as usize, 0);
        if writes {
            connection.read_exact(&mut buffer[REPLY_HEADER..])?;
        }
        let result = carry_out(&request, &mut disk, &mut buffer[REPLY_HEADER..]).map_err(|error| {
            // The guest sees an error of its disk; whoever asked for the boot is to know the host's.
            error.map_or(Failure::Invalid, |error| {
                failed(error);
                Failure::Io
            })
        });
        buffer[..REPLY_HEADER].copy_from_slice(&reply_header(&request, result));
        let reply = if writes || result.is_err() { &buffer[..REPLY_HEADER] } else { &buffer[..] };
        if flushes && !dirty {
            connection.write_all(reply)?;
            continue;
        }
        dirty = writes || dirty && !flushes;
        let (first, last) = reply.split_at(reply.len().saturating_sub(LAST));
        let bytes = u64::from(request.operation.bytes());
        let access = Access { disk: number, writes, offset: request.offset, bytes };
        let slot = lock(state).pacer.take(arrived, access);
        connection.write_all(first)?;
        if clock.now() < slot.due {
            clock.sleep_until(slot.due);
        }
        // Counted before it is sent: who has the answer finds it in the use.
        lock(state).usage.add(request.operation, slot, clock.now() - slot.due);
        last_due = slot.due;
        connection.write_all(last)?;
    }
}

/// Does it at once: when it is answered is another matter. Fails with the host's error, or none if there is no such place on the disk.
fn carry_out(request: &Request, disk: &mut CopyOnWrite, data: &mut [u8]) -> Result<(), Option<io::Error>> {
    if request.offset.checked_add(data.len() as u64).is_none_or(|end| end > disk.size()) {
        return Err(None);
    }
    let (what, done) = match request.operation {
        Operation::Read { .. } => ("read", disk.read_at(data, request.offset)),
        Operation::Write { .. } => ("keep", disk.write_at(data, request.offset)),
        Operation::Flush => return Ok(()),
    };
    done.map_err(|error| {
        let place = format!("can't {what} {} bytes at {}: {error}", data.len(), request.offset);
        Some(io::Error::new(error.kind(), place))
    })
}
