// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records a console that another program has open, and hands the bytes on to whoever asks for them. A thread reads and stamps; of a
//! console without a descriptor, its owner reads and feeds.
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bootline_capture::units::{Baud, Dur, Frame, HostTime, LineRate};
use bootline_capture::{Header, NoteKind};
use bootline_port::recorder::{Recorder, RecorderError};
use bootline_port::stamp::Stamper;
use bootline_port::{HostClock, StopRequest};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::capture::TOOL;
use crate::failure::{port_error, said, usage_error};

/// Size of a read, in bytes.
const PIECE: usize = 4096;
/// Bytes at most that wait for a reader: of more, the oldest are dropped; the capture has all.
const MOST_WAITING: usize = 16 << 20;
/// Time between looks for a signal while somebody waits for bytes.
const PAUSE: Duration = Duration::from_millis(100);

/// What the thread and the readers share.
#[derive(Debug, Default)]
struct Shared {
    waiting: VecDeque<u8>,
    bytes: u64,
    /// Why it ended, if so; no words where it was asked to.
    ended: Option<Option<String>>,
}

#[derive(Debug, Default)]
struct SharedBuffer {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl SharedBuffer {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records a descriptor.
#[pyclass(frozen, name = "ConsoleRecorder")]
#[derive(Debug)]
pub struct ConsoleRecorder {
    buffer: Arc<SharedBuffer>,
    stop: Arc<StopRequest>,
    thread: Mutex<Option<JoinHandle<()>>>,
    clock: HostClock,
    /// What is fed by the owner of a console without a descriptor, until it ends.
    fed: Mutex<Option<CaptureInProgress>>,
}

/// A capture that is being written.
#[derive(Debug)]
struct CaptureInProgress {
    recorder: Recorder,
    stamper: Stamper,
    clock: HostClock,
}

impl CaptureInProgress {
    fn arrived(&mut self, bytes: &[u8], buffer: &SharedBuffer) -> Result<(), RecorderError> {
        self.recorder.spread(self.stamper.saw_read(self.clock.now(), bytes.len()), bytes)?;
        let mut shared = buffer.lock();
        shared.bytes += bytes.len() as u64;
        shared.waiting.extend(bytes);
        let over = shared.waiting.len().saturating_sub(MOST_WAITING);
        shared.waiting.drain(..over);
        drop(shared);
        buffer.changed.notify_all();
        Ok(())
    }

    /// No bytes were queued at `at`.
    fn was_empty(&mut self, at: HostTime) -> Result<(), RecorderError> {
        self.stamper.saw_empty(at);
        self.recorder.idle(at)
    }
}

#[pymethods]
impl ConsoleRecorder {
    /// Begins to record what `fd` gives: an open serial device or a connected socket. It is duplicated, and stays its owner's. Without
    /// `fd`, records what is fed.
    #[new]
    #[pyo3(signature = (fd, file, source, baud=None))]
    fn new(
        py: Python<'_>,
        fd: Option<i32>,
        file: PathBuf,
        source: &str,
        baud: Option<u32>,
    ) -> PyResult<ConsoleRecorder> {
        let failed = |e: io::Error| port_error(py, format!("can't record `{source}`: {e}"), None);
        let console = match fd {
            None => None,
            Some(fd) if fd < 0 => return Err(usage_error(py, "`fd` is no descriptor".to_owned())),
            Some(fd) => {
                // SAFETY: it is only duplicated here, while the caller holds it open; one that isn't open is refused by the kernel.
                let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
                Some(borrowed.try_clone_to_owned().map_err(failed)?)
            }
        };
        let baud = baud.map(|baud| Baud::new(baud).ok_or_else(|| usage_error(py, "`baud` is above 0".to_owned())));
        let baud = baud.transpose()?;
        let clock = HostClock::start();
        let header =
            Header { started_unix_ns: clock.started_unix_ns(), declared_baud: baud, ..Header::new(TOOL, source) };
        let recorder = Recorder::create(&file, &header).map_err(|e| port_error(py, e.to_string(), None))?;
        let stop = Arc::new(StopRequest::new().map_err(failed)?);
        let buffer = Arc::new(SharedBuffer::default());
        let rate = baud.map(|baud| LineRate::of(baud, Frame::default()));
        let capture = CaptureInProgress { recorder, stamper: Stamper::new(rate, Dur::ZERO, clock.now()), clock };
        let Some(console) = console else {
            return Ok(ConsoleRecorder {
                buffer,
                stop,
                thread: Mutex::new(None),
                clock,
                fed: Mutex::new(Some(capture)),
            });
        };
        let thread = thread::Builder::new().name("console-recorder".to_owned()).spawn({
            let (buffer, stop) = (buffer.clone(), stop.clone());
            move || {
                let work = AssertUnwindSafe(|| record(console, capture, &stop, &buffer).err().map(|e| e.to_string()));
                let ended = catch_unwind(work).unwrap_or_else(|panic| Some(said(&*panic)));
                buffer.lock().ended = Some(ended);
                buffer.changed.notify_all();
            }
        });
        let thread = Mutex::new(Some(thread.map_err(failed)?));
        Ok(ConsoleRecorder { buffer, stop, thread, clock, fed: Mutex::new(None) })
    }

    /// The time now, by the capture's clock, in nanoseconds.
    fn now(&self) -> i64 {
        self.clock.now().since_origin().as_nanos()
    }

    /// Bytes that have arrived just now, after `empty_at`, when no bytes were queued.
    #[pyo3(signature = (data, empty_at=None))]
    fn feed(&self, py: Python<'_>, data: PyBackedBytes, empty_at: Option<i64>) -> PyResult<()> {
        let fed = py.detach(|| {
            let mut fed = self.fed.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(capture) = fed.as_mut() else { return Ok(()) };
            if let Some(at) = empty_at {
                capture.was_empty(HostTime::from_nanos(at))?;
            }
            if data.is_empty() { Ok(()) } else { capture.arrived(&data, &self.buffer) }
        });
        fed.map_err(|e: RecorderError| port_error(py, e.to_string(), None))
    }

    /// At most `size` bytes that were recorded and not yet read here; none if none came within `timeout` seconds.
    fn read<'py>(&self, py: Python<'py>, size: usize, timeout: f64) -> PyResult<Bound<'py, PyBytes>> {
        let timeout = Duration::try_from_secs_f64(timeout.max(0.0)).unwrap_or(Duration::MAX);
        let began = Instant::now();
        loop {
            let taken = py.detach(|| {
                let left = timeout.saturating_sub(began.elapsed()).min(PAUSE);
                let (mut shared, _) = self
                    .buffer
                    .changed
                    .wait_timeout_while(self.buffer.lock(), left, |s| s.waiting.is_empty() && s.ended.is_none())
                    .unwrap_or_else(PoisonError::into_inner);
                let n = shared.waiting.len().min(size);
                if n == 0 {
                    return Err(shared.ended.clone());
                }
                Ok(shared.waiting.drain(..n).collect::<Vec<u8>>())
            });
            match taken {
                Ok(bytes) => return Ok(PyBytes::new(py, &bytes)),
                Err(Some(Some(why))) => return Err(port_error(py, why, None)),
                Err(Some(None)) => return Ok(PyBytes::new(py, b"")),
                Err(None) if began.elapsed() >= timeout => return Ok(PyBytes::new(py, b"")),
                Err(None) => py.check_signals()?,
            }
        }
    }

    /// Bytes recorded so far.
    #[getter]
    fn bytes(&self) -> u64 {
        self.buffer.lock().bytes
    }

    /// Ends the capture; the file is complete then. May be called again.
    fn stop(&self, py: Python<'_>) {
        self.stop.request();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| {
            if let Some(thread) = thread {
                // It catches its own panics.
                _ = thread.join();
            }
            if let Some(capture) = self.fed.lock().unwrap_or_else(PoisonError::into_inner).take() {
                // What was written before stays readable.
                _ = capture.recorder.finish(capture.clock.now(), "stopped");
                self.buffer.lock().ended.get_or_insert(None);
                self.buffer.changed.notify_all();
            }
        });
    }
}

impl Drop for ConsoleRecorder {
    fn drop(&mut self) {
        self.stop.request();
    }
}

/// Reads until the console ends or a stop is requested.
fn record(
    console: OwnedFd,
    mut capture: CaptureInProgress,
    stop: &StopRequest,
    buffer: &SharedBuffer,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut console = File::from(console);
    let clock = capture.clock;
    let mut piece = [0; PIECE];
    let why = loop {
        let ready = |timeout: Duration| -> io::Result<(bool, bool)> {
            let mut fds = [PollFd::new(&console, PollFlags::IN), PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN)];
            let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(timeout.subsec_nanos()) };
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) => Ok((!fds[0].revents().is_empty(), !fds[1].revents().is_empty())),
                Err(rustix::io::Errno::INTR) => Ok((false, false)),
                Err(e) => Err(e.into()),
            }
        };
        // Check for an empty queue before waiting: a byte that arrives later was sent after this instant.
        let looked_at = clock.now();
        let (mut has_bytes, mut is_stopped) = ready(Duration::ZERO)?;
        if !has_bytes {
            capture.was_empty(looked_at)?;
            if !is_stopped {
                (has_bytes, is_stopped) = ready(PAUSE)?;
            }
        }
        if has_bytes {
            match console.read(&mut piece) {
                Ok(0) => break "the console ended",
                Ok(n) => capture.arrived(&piece[..n], buffer)?,
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(e) => {
                    capture.recorder.note(clock.now(), NoteKind::PortLost, &e.to_string())?;
                    capture.recorder.finish(clock.now(), "the console failed")?;
                    return Err(e.into());
                }
            }
        } else if is_stopped {
            break "stopped";
        }
    };
    capture.recorder.finish(clock.now(), why)?;
    Ok(())
}
