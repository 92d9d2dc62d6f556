// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output that never delays the recording: a stopped terminal or a slow pipe loses display, not data.
use std::io::{ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

/// Maximum number of bytes waiting to be shown; what exceeds it is dropped and counted.
const MOST_WAITING: usize = 8 << 20;

/// Writes in its own thread.
#[derive(Debug)]
pub struct BackgroundWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<u8>,
    dropped: u64,
    closing: bool,
    /// Whether the reader has gone.
    broken: bool,
}

impl BackgroundWriter {
    /// Writes to `out`.
    pub fn new(mut out: impl Write + Send + 'static) -> BackgroundWriter {
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            loop {
                let mut state = theirs.lock();
                while state.waiting.is_empty() && !state.closing {
                    state = theirs.changed.wait(state).unwrap_or_else(|e| e.into_inner());
                }
                if state.waiting.is_empty() {
                    return;
                }
                let batch = std::mem::take(&mut state.waiting);
                drop(state);
                if let Err(e) = out.write_all(&batch).and_then(|()| out.flush()) {
                    let mut state = theirs.lock();
                    state.broken = e.kind() == ErrorKind::BrokenPipe || state.broken;
                    state.dropped += batch.len() as u64;
                }
            }
        });
        BackgroundWriter { shared, thread: Some(thread) }
    }

    /// Queues `bytes` to be written.
    pub fn push(&self, bytes: &[u8]) {
        let mut state = self.shared.lock();
        if state.broken || state.waiting.len() + bytes.len() > MOST_WAITING {
            state.dropped += bytes.len() as u64;
        } else {
            state.waiting.extend_from_slice(bytes);
            self.shared.changed.notify_one();
        }
    }

    /// Whether the reader of the output has gone.
    pub fn is_broken(&self) -> bool {
        self.shared.lock().broken
    }

    /// Waits until everything is written; returns the number of bytes that were not.
    pub fn finish(mut self) -> u64 {
        self.close();
        self.shared.lock().dropped
    }

    fn close(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to write.
            let _ = thread.join();
        }
    }
}

impl Drop for BackgroundWriter {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_reader_that_does_not_read_holds_nobody_up() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let pump = BackgroundWriter::new(theirs);
        let block = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            pump.push(&block);
        }
        let reader = thread::spawn(move || {
            let mut got = Vec::new();
            ours.read_to_end(&mut got).unwrap();
            got.len() as u64
        });
        let dropped = pump.finish();
        let got = reader.join().unwrap();
        assert!(dropped > 0 && got > 0, "{dropped} dropped, {got} shown");
        assert_eq!(dropped + got, 20 << 20);
    }

    #[test]
    fn a_reader_that_goes_away_is_noticed() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        let pump = BackgroundWriter::new(theirs);
        pump.push(b"one");
        assert_eq!(pump.finish(), 3);
    }
}
