// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asking a capture to end: from another thread, or by a signal.
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// A request to end that wakes whoever polls it. It stays requested.
#[derive(Debug)]
pub struct StopRequest {
    /// Readable once a stop was requested.
    wake: UnixStream,
    request: UnixStream,
    signal: Arc<AtomicUsize>,
}

impl StopRequest {
    /// Not requested yet.
    pub fn new() -> io::Result<StopRequest> {
        let (wake, request) = UnixStream::pair()?;
        request.set_nonblocking(true)?;
        Ok(StopRequest { wake, request, signal: Arc::default() })
    }

    /// SIGINT, SIGTERM and SIGHUP request it; a second one ends the process as if there were no handler.
    pub fn on_signals(&self) -> io::Result<()> {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let again = Arc::new(AtomicBool::new(false));
            flag::register_conditional_default(signal, Arc::clone(&again))?;
            flag::register(signal, again)?;
            flag::register_usize(signal, Arc::clone(&self.signal), signal as usize)?;
            low_level::pipe::register(signal, self.request.try_clone()?)?;
        }
        Ok(())
    }

    /// Requests it.
    pub fn request(&self) {
        // A full socket has been requested often enough.
        let _ = (&self.request).write(&[0]);
    }

    /// The signal that requested it.
    pub fn signal(&self) -> Option<&'static str> {
        match self.signal.load(Ordering::SeqCst) as i32 {
            SIGINT => Some("SIGINT"),
            SIGTERM => Some("SIGTERM"),
            SIGHUP => Some("SIGHUP"),
            _ => None,
        }
    }

    /// Becomes readable when it is requested, and stays so.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
