// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches the modem control inputs of a port for the edges that are to be marked.
//!
//! Two threads, where the driver supports both: one waits in the kernel (TIOCMIWAIT) and reads the counters and the clock as soon as it is
//! woken; the other reads the counters every millisecond and the levels every 10 ms. The second misses nothing, the first
//! makes times exact: an edge that comes while the first one is not waiting is found a millisecond later. Where the driver does not count
//! edges, the levels are read every millisecond, and pulses between two readings are missed.
use std::io;
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use bootline_capture::units::{Dur, HostTime};

use super::clock::HostClock;
use super::edge_tracker::{EdgeTracker, InputCounts, InputLevels, InputReading};
use super::priority::run_first;
use super::reader_event::ReaderEvent;
use super::tty_ioctl;
use super::{MarkRequest, ModemInput};

/// How often the counters are read; the levels, where there are none.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// How often the levels are read next to counters: drivers may offer counters that never count. A USB adapter is asked by
/// a transfer of its own each time, so not every millisecond.
const LEVELS_EVERY: Dur = Dur::from_millis(10);

/// Readings of the waiting thread that are held at most; an input that changes more often than that is no mark.
const MOST_HELD: usize = 1_000;

/// The modem control inputs of a port.
pub trait ModemInputs: Sync {
    /// Their levels now.
    fn levels(&self) -> io::Result<InputLevels>;
    /// The edges counted so far. An error where the driver counts none.
    fn counts(&self) -> io::Result<InputCounts>;
    /// Waits for an edge of one of these; an error where the driver can't, or when interrupted.
    fn wait(&self, inputs: &[ModemInput]) -> io::Result<()>;
    /// Interrupts a thread of this process that waits.
    fn interrupt(&self, thread: i32);
}

/// The inputs of a tty.
pub struct TtyInputs<T>(pub T);

impl<T: AsFd + Sync> ModemInputs for TtyInputs<T> {
    fn levels(&self) -> io::Result<InputLevels> {
        tty_ioctl::input_levels(&self.0)
    }

    fn counts(&self) -> io::Result<InputCounts> {
        tty_ioctl::input_counts(&self.0)
    }

    fn wait(&self, inputs: &[ModemInput]) -> io::Result<()> {
        tty_ioctl::wait_for_edge(&self.0, inputs)
    }

    fn interrupt(&self, thread: i32) {
        // SAFETY: a plain system call; a thread that has ended is not found.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, WAKE) };
    }
}

/// The signal that ends a TIOCMIWAIT. It is ignored by default, so one that comes late does no harm.
const WAKE: libc::c_int = libc::SIGURG;

/// Lets the signal interrupt system calls of this process; false if the program has a use of its own for it.
fn catch_wake() -> bool {
    extern "C" fn nothing(_signal: libc::c_int) {}
    // SAFETY: the handler does nothing; all zeroes are a valid sigaction without flags: no SA_RESTART, or the kernel would
    // take up the wait again.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(WAKE, std::ptr::null(), &mut before) != 0 {
            return false;
        }
        let own = nothing as *const () as libc::sighandler_t;
        if before.sa_sigaction == own {
            return true;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = own;
        before.sa_sigaction == libc::SIG_DFL && libc::sigaction(WAKE, &action, std::ptr::null_mut()) == 0
    }
}

/// What is watched, and how its times are bounded.
pub struct MarkPlan<'a> {
    /// The moments to mark; those of other inputs are passed over.
    pub requests: &'a [MarkRequest],
    /// The capture's clock.
    pub clock: HostClock,
    /// How late the driver may report an edge.
    pub delay: Dur,
}

/// Runs `work` while the inputs are watched; every edge that is to be marked goes to `tell`.
pub fn watch_during<R>(
    inputs: &impl ModemInputs,
    plan: &MarkPlan<'_>,
    tell: &(impl Fn(ReaderEvent) + Sync),
    work: impl FnOnce() -> R,
) -> R {
    if plan.requests.iter().all(|request| request.input.modem().is_none()) {
        return work();
    }
    let watch = Watch { inputs, plan, tell, stop: AtomicBool::new(false), woken: Mutex::default() };
    let counted = watch.counted_inputs();
    let can_wait = !counted.is_empty() && inputs.counts().is_ok() && catch_wake();
    let waiter = Waiter { thread: AtomicI32::new(0), is_done: AtomicBool::new(!can_wait) };
    thread::scope(|scope| {
        // Also when `work` panics: the scope waits for both threads.
        let _ending = Ending { inputs, stop: &watch.stop, waiter: &waiter };
        scope.spawn(|| watch.look());
        if can_wait {
            let waiting = thread::Builder::new().spawn_scoped(scope, || {
                let _done = Done(&waiter.is_done);
                watch.wait(&counted, &waiter.thread);
            });
            // No more threads: the other one does without it.
            if waiting.is_err() {
                waiter.is_done.store(true, Ordering::Relaxed);
            }
        }
        work()
    })
}

/// The thread that waits in the kernel.
struct Waiter {
    /// Its ID; 0 before it runs.
    thread: AtomicI32,
    is_done: AtomicBool,
}

/// Tells that the thread has ended, however it did.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends both threads when it is dropped.
struct Ending<'a, I: ModemInputs> {
    inputs: &'a I,
    stop: &'a AtomicBool,
    waiter: &'a Waiter,
}

impl<I: ModemInputs> Drop for Ending<'_, I> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        while !self.waiter.is_done.load(Ordering::Relaxed) {
            // Again and again: the thread may be just about to wait.
            match self.waiter.thread.load(Ordering::Relaxed) {
                0 => {}
                thread => self.inputs.interrupt(thread),
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

/// What the two threads share.
struct Watch<'a, I, T> {
    inputs: &'a I,
    plan: &'a MarkPlan<'a>,
    tell: &'a T,
    stop: AtomicBool,
    /// Readings of the waiting thread that the other one has not processed yet.
    woken: Mutex<Vec<InputReading>>,
}

impl<I: ModemInputs, T: Fn(ReaderEvent) + Sync> Watch<'_, I, T> {
    fn asked(&self) -> impl Iterator<Item = ModemInput> {
        ModemInput::ALL.into_iter().filter(|input| self.plan.requests.iter().any(|r| r.input.modem() == Some(*input)))
    }

    /// Inputs of which drivers count both edges; of the ring indicator they count its release at most.
    fn counted_inputs(&self) -> Vec<ModemInput> {
        self.asked().filter(|input| *input != ModemInput::Ri).collect()
    }

    /// Waits for edges in the kernel. Where the driver can't, the other thread does without.
    fn wait(&self, inputs: &[ModemInput], id: &AtomicI32) {
        run_first();
        // SAFETY: a plain system call.
        id.store(unsafe { libc::gettid() }, Ordering::Relaxed);
        while !self.stop.load(Ordering::Relaxed) {
            match self.inputs.wait(inputs) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            }
            let from = self.plan.clock.now();
            let Ok(counts) = self.inputs.counts() else { return };
            let reading = InputReading { from, to: self.plan.clock.now(), counts: Some(counts), levels: None };
            let mut woken = self.woken.lock().unwrap_or_else(|e| e.into_inner());
            if woken.len() < MOST_HELD {
                woken.push(reading);
            }
        }
    }

    /// Reads counters and levels until the end; says why if that fails.
    fn look(&self) {
        run_first();
        if let Err(error) = self.look_until_stopped() {
            if !self.stop.load(Ordering::Relaxed) {
                (self.tell)(ReaderEvent::MarksLost(self.plan.clock.now(), error.to_string()));
            }
        }
    }

    fn look_until_stopped(&self) -> io::Result<()> {
        let has_counts = self.inputs.counts().is_ok();
        let has_ring = self.asked().any(|input| input == ModemInput::Ri);
        let levels_every = if has_counts && !has_ring { LEVELS_EVERY } else { Dur::ZERO };
        let mut last = self.reading(has_counts, true)?;
        let mut tracker = EdgeTracker::new(&last);
        let held = |r: &&MarkRequest| r.input.modem().is_some_and(|input| tracker.is_asserted(input) == r.asserted);
        for request in self.plan.requests.iter().filter(held) {
            (self.tell)(ReaderEvent::MarkHeld(last.to, request.clone()));
        }
        while !self.stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK_EVERY);
            let with_levels = self.plan.clock.now() - last.from >= levels_every;
            let reading = self.reading(has_counts, with_levels)?;
            // What the other thread read before that comes first.
            let woken = std::mem::take(&mut *self.woken.lock().unwrap_or_else(|e| e.into_inner()));
            for seen in woken.iter().chain([&reading]) {
                self.process(&mut tracker, seen);
            }
            if with_levels {
                last = reading;
            }
        }
        Ok(())
    }

    fn process(&self, tracker: &mut EdgeTracker, reading: &InputReading) {
        for edge in tracker.read(reading) {
            let is_asked = |r: &&MarkRequest| r.input.modem() == Some(edge.input) && r.asserted == edge.asserted;
            for request in self.plan.requests.iter().filter(is_asked) {
                let uncertainty = edge.uncertainty + self.plan.delay;
                (self.tell)(ReaderEvent::Mark(edge.at, uncertainty, request.clone()));
            }
        }
    }

    fn reading(&self, with_counts: bool, with_levels: bool) -> io::Result<InputReading> {
        let from: HostTime = self.plan.clock.now();
        let counts = with_counts.then(|| self.inputs.counts()).transpose()?;
        let levels = with_levels.then(|| self.inputs.levels()).transpose()?;
        Ok(InputReading { from, to: self.plan.clock.now(), counts, levels })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Condvar;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Inputs that a test drives. A wait ends as TIOCMIWAIT does: with an edge, or a signal.
    #[derive(Default)]
    struct Scripted {
        state: Mutex<Lines>,
        changed: Condvar,
        has_counters: bool,
        can_wait: bool,
    }

    #[derive(Clone, Copy, Default)]
    struct Lines {
        levels: InputLevels,
        counts: InputCounts,
        is_interrupted: bool,
        is_gone: bool,
    }

    impl Scripted {
        /// Edges of DSR; the reading between two of them is up to chance.
        fn toggle(&self, times: u32) {
            let mut state = self.state.lock().unwrap();
            let dsr = ModemInput::Dsr as usize;
            state.levels.0[dsr] ^= times % 2 == 1;
            state.counts.0[dsr] += times;
            self.changed.notify_all();
        }

        fn unplug(&self) {
            self.state.lock().unwrap().is_gone = true;
        }

        fn now(&self) -> io::Result<Lines> {
            let state = *self.state.lock().unwrap();
            if state.is_gone { Err(io::Error::from_raw_os_error(libc::EIO)) } else { Ok(state) }
        }
    }

    impl ModemInputs for Scripted {
        fn levels(&self) -> io::Result<InputLevels> {
            Ok(self.now()?.levels)
        }
        fn counts(&self) -> io::Result<InputCounts> {
            let none = io::Error::from_raw_os_error(libc::ENOTTY);
            if self.has_counters { Ok(self.now()?.counts) } else { Err(none) }
        }
        fn wait(&self, _: &[ModemInput]) -> io::Result<()> {
            if !self.can_wait {
                return Err(io::Error::from_raw_os_error(libc::ENOTTY));
            }
            let state = self.state.lock().unwrap();
            let before = state.counts;
            let mut state = self.changed.wait_while(state, |s| s.counts == before && !s.is_interrupted).unwrap();
            if std::mem::take(&mut state.is_interrupted) {
                return Err(io::Error::from_raw_os_error(libc::EINTR));
            }
            Ok(())
        }
        fn interrupt(&self, _: i32) {
            self.state.lock().unwrap().is_interrupted = true;
            self.changed.notify_all();
        }
    }

    /// Watches while `work` drives the inputs and receives the events.
    fn watched(inputs: &Scripted, marks: &[&str], work: impl FnOnce(&HostClock, &Receiver<ReaderEvent>)) {
        let requests: Vec<MarkRequest> = marks.iter().map(|m| m.parse().unwrap()).collect();
        let (sender, receiver) = channel();
        let plan = MarkPlan { requests: &requests, clock: HostClock::start(), delay: Dur::from_micros(5) };
        let sender = Mutex::new(sender);
        // A test that has seen enough no longer listens.
        let tell = |event| drop(sender.lock().unwrap().send(event));
        watch_during(inputs, &plan, &tell, || {
            // The first reading is the one that edges are compared with; the mark of CTS, the last one, shows that it was taken.
            loop {
                match receiver.recv().unwrap() {
                    ReaderEvent::MarkHeld(_, held) if held.name == "low" => break,
                    ReaderEvent::MarkHeld(_, held) => assert_eq!(held.name, "gone"),
                    other => panic!("{other:?}"),
                }
            }
            work(&plan.clock, &receiver);
        });
    }

    #[track_caller]
    fn next_mark(receiver: &Receiver<ReaderEvent>) -> (String, HostTime, Dur) {
        match receiver.recv().unwrap() {
            ReaderEvent::Mark(at, uncertainty, request) => (request.name, at, uncertainty),
            other => panic!("{other:?}"),
        }
    }

    /// With and without each of the driver's abilities, the edge lies within the stated bounds.
    #[test]
    fn an_edge_lies_within_its_bounds() {
        for (has_counters, can_wait) in [(false, false), (true, false), (true, true)] {
            let inputs = Scripted { has_counters, can_wait, ..Scripted::default() };
            watched(&inputs, &["dsr=ready", "!dsr=gone", "!cts=low"], |clock, receiver| {
                for name in ["ready", "gone", "ready"] {
                    let before = clock.now();
                    inputs.toggle(1);
                    let after = clock.now();
                    let (seen, at, uncertainty) = next_mark(receiver);
                    assert_eq!(seen, name);
                    assert!(at >= before && at - uncertainty <= after, "{before} {after} {at} {uncertainty}");
                }
            });
        }
    }

    /// A pulse shorter than the readings are apart shows in the counters only.
    #[test]
    fn pulses_are_marked_by_their_counter() {
        let inputs = Scripted { has_counters: true, ..Scripted::default() };
        watched(&inputs, &["dsr=ready", "!cts=low"], |_, receiver| {
            inputs.toggle(2);
            assert_eq!(next_mark(receiver).0, "ready");
            inputs.toggle(1);
            assert_eq!(next_mark(receiver).0, "ready");
        });
    }

    #[test]
    fn a_port_that_goes_away_ends_the_watch() {
        let inputs = Scripted { has_counters: true, can_wait: true, ..Scripted::default() };
        watched(&inputs, &["dsr=ready", "!cts=low"], |_, receiver| {
            inputs.unplug();
            match receiver.recv().unwrap() {
                ReaderEvent::MarksLost(_, why) => assert!(why.contains("Input/output error"), "{why}"),
                other => panic!("{other:?}"),
            }
        });
    }

    /// The real system call, on the real signal: a thread that waits in the kernel is ended by it.
    #[test]
    fn the_signal_interrupts_a_waiting_thread() {
        assert!(catch_wake() && catch_wake());
        let inputs = TtyInputs(io::stdin());
        let id = AtomicI32::new(0);
        thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                // SAFETY: plain system calls; pause() waits for a signal.
                unsafe {
                    id.store(libc::gettid(), Ordering::Relaxed);
                    libc::pause()
                }
            });
            while !sleeper.is_finished() {
                match id.load(Ordering::Relaxed) {
                    0 => {}
                    thread => inputs.interrupt(thread),
                }
                thread::sleep(LOOK_EVERY);
            }
            assert_eq!(sleeper.join().unwrap(), -1);
        });
    }
}
