// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches GPIO lines for the edges that are to be marked.
//!
//! One thread waits for the events of all lines. It wakes for nothing else: the kernel has stamped an event when it comes, so a late
//! wake-up makes no late mark. The lines are watched from the opening of the source to the end of the capture, whatever becomes of the source
//! meanwhile.
use std::fs::File;
use std::io;
use std::thread;

use bootline_capture::units::HostTime;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::clock::HostClock;
use super::gpio_ioctl::{EVENT_SIZE, LineEvent, is_high};
use super::gpio_lines::WatchedLine;
use super::gpio_marks::{GpioMark, LineMarks};
use super::priority::run_first;
use super::reader_event::ReaderEvent;
use super::stop::StopRequest;

/// Events of one read.
const EVENTS_READ: usize = 64;

/// Reads in a row of one line: all that the kernel holds. A line that changes all the time must hold up neither the others nor the end.
const MOST_READS: usize = 16;

/// Runs `work` while the lines are watched; every edge that is to be marked goes to `tell`, those of a moment before `work` ended, too.
pub fn watch_during<R>(
    lines: &[WatchedLine],
    clock: HostClock,
    tell: &(impl Fn(ReaderEvent) + Sync),
    work: impl FnOnce() -> R,
) -> R {
    if lines.is_empty() {
        return work();
    }
    let ended = match StopRequest::new() {
        Ok(ended) => ended,
        Err(error) => {
            for line in lines {
                tell(ReaderEvent::LineLost(clock.now(), line.name.clone(), error.to_string()));
            }
            return work();
        }
    };
    thread::scope(|scope| {
        // Also when `work` panics: the scope waits for the thread.
        let _ending = Ending(&ended);
        scope.spawn(|| {
            run_first();
            let lines = lines.iter().map(|line| Track { line, marks: LineMarks::new(&line.marks, line.delay) });
            Watch { lines: lines.collect(), clock, tell }.run(&ended);
        });
        work()
    })
}

/// Ends the thread when it is dropped.
struct Ending<'a>(&'a StopRequest);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.request();
    }
}

struct Watch<'a, T> {
    /// Lines that are still there.
    lines: Vec<Track<'a>>,
    clock: HostClock,
    tell: &'a T,
}

struct Track<'a> {
    line: &'a WatchedLine,
    marks: LineMarks<'a>,
}

impl<T: Fn(ReaderEvent)> Watch<'_, T> {
    fn run(mut self, ended: &StopRequest) {
        let levels: Vec<Option<bool>> = self.lines.iter().map(|track| is_high(&track.line.file).ok()).collect();
        let held = self.lines.iter().zip(levels).flat_map(|(track, level)| {
            track.line.marks.iter().filter(move |mark| level == Some(mark.asserted)).cloned()
        });
        let held: Vec<_> = held.collect();
        let read_at = self.clock.now();
        // An edge that the reading of the levels shows already is no level from the start.
        let seen = self.take_events();
        for mark in held.into_iter().filter(|mark| !seen.iter().any(|s| s.request.input == mark.input)) {
            (self.tell)(ReaderEvent::MarkHeld(read_at, mark));
        }
        self.tell_marks(seen);
        loop {
            let stopped = match self.wait(ended) {
                Ok(stopped) => stopped,
                Err(error) => {
                    let lost = std::mem::take(&mut self.lines);
                    lost.iter().for_each(|track| self.lose(track.line, &error));
                    return;
                }
            };
            let seen = self.take_events();
            self.tell_marks(seen);
            if stopped {
                return;
            }
        }
    }

    /// Waits for an event, the loss of a line, or the end; returns whether it is the end.
    fn wait(&self, ended: &StopRequest) -> io::Result<bool> {
        let end = ended.as_fd();
        let mut fds = vec![PollFd::new(&end, PollFlags::IN)];
        fds.extend(self.lines.iter().map(|track| PollFd::new(&track.line.file, PollFlags::IN)));
        match poll(&mut fds, None) {
            Ok(_) => Ok(!fds[0].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The marks of the events that are there, by time. Lines that are gone are told of and left out from now on.
    fn take_events(&mut self) -> Vec<GpioMark> {
        let (clock, mut seen) = (self.clock, Vec::new());
        let mut lost = Vec::new();
        self.lines.retain_mut(|track| {
            let Track { line, marks } = track;
            let read = read_events(&line.file, |event| seen.extend(marks.take(event, clock)));
            read.map_err(|error| lost.push((*line, error))).is_ok()
        });
        lost.iter().for_each(|(line, error)| self.lose(line, error));
        seen.sort_by_key(|mark: &GpioMark| mark.at);
        seen
    }

    fn tell_marks(&self, seen: Vec<GpioMark>) {
        for GpioMark { at, uncertainty, request } in seen {
            (self.tell)(ReaderEvent::Mark(at, uncertainty, request));
        }
    }

    fn lose(&self, line: &WatchedLine, error: &io::Error) {
        let at: HostTime = self.clock.now();
        (self.tell)(ReaderEvent::LineLost(at, line.name.clone(), error.to_string()));
    }
}

/// Reads the events that are there. An error when the line is gone.
fn read_events(line: &File, mut take: impl FnMut(LineEvent)) -> io::Result<()> {
    let mut buffer = [0; EVENTS_READ * EVENT_SIZE];
    for _ in 0..MOST_READS {
        let len = match rustix::io::read(line, &mut buffer[..]) {
            Ok(0) => return Err(Errno::NODEV.into()),
            Ok(len) => len,
            Err(Errno::AGAIN) => return Ok(()),
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        // The kernel gives whole events only.
        let events = buffer[..len].chunks_exact(EVENT_SIZE).filter_map(|event| event.try_into().ok());
        events.map(LineEvent::from_bytes).for_each(&mut take);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};

    use bootline_capture::units::Dur;
    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    const DELAY: Dur = Dur::from_millis(1);

    /// A line whose events a test writes, as the kernel lays them out. Its level can't be read.
    fn line(marks: &[&str]) -> (WatchedLine, File) {
        let (events, write): (OwnedFd, OwnedFd) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let marks: Vec<super::super::MarkRequest> = marks.iter().map(|m| m.parse().unwrap()).collect();
        let super::super::MarkInput::Gpio(name) = marks[0].input.clone() else { panic!("no GPIO line") };
        (WatchedLine { name, file: events.into(), delay: DELAY, marks }, write.into())
    }

    /// `struct gpio_v2_line_event`: the stamp, the kind (1: rising, 2: falling), the offset, two numbers, padding.
    fn send(line: &mut File, stamp: u64, is_rising: bool, number: u32) {
        let mut bytes = stamp.to_ne_bytes().to_vec();
        for word in [if is_rising { 1 } else { 2 }, 17, number + 100, number] {
            bytes.extend(u32::to_ne_bytes(word));
        }
        bytes.resize(48, 0);
        line.write_all(&bytes).unwrap();
    }

    fn watched(lines: &[WatchedLine], clock: HostClock, work: impl FnOnce(&Receiver<ReaderEvent>)) -> Vec<ReaderEvent> {
        let (sender, receiver) = channel();
        let sender = Mutex::new(sender);
        let tell = |event| sender.lock().unwrap().send(event).unwrap();
        watch_during(lines, clock, &tell, || work(&receiver));
        receiver.try_iter().collect()
    }

    fn name_and_time(event: &ReaderEvent) -> (&str, i64) {
        match event {
            ReaderEvent::Mark(at, DELAY, request) => (&request.name, at.as_nanos()),
            other => panic!("{other:?}"),
        }
    }

    /// The time is the kernel's, whenever the event is read; of events that are read together the earlier comes first; and none is lost
    /// at the end.
    #[test]
    fn events_are_marks_with_the_kernels_time() {
        let (first, mut to_first) = line(&["gpio:gpiochip0/1=up", "!gpio:gpiochip0/1=down"]);
        let (second, mut to_second) = line(&["gpio:READY"]);
        let clock = HostClock::start();
        let stamp = |ns: i64| clock.to_monotonic(HostTime::from_nanos(ns));
        send(&mut to_first, stamp(-5), true, 1);
        send(&mut to_first, stamp(3_000), false, 2);
        send(&mut to_second, stamp(2_000), true, 1);
        let rest = watched(&[first, second], clock, |receiver| {
            assert_eq!(name_and_time(&receiver.recv().unwrap()), ("gpio:READY", 2_000));
            assert_eq!(name_and_time(&receiver.recv().unwrap()), ("down", 3_000));
            send(&mut to_first, stamp(7_000), true, 3);
            assert_eq!(name_and_time(&receiver.recv().unwrap()), ("up", 7_000));
            for number in 2..80 {
                send(&mut to_second, stamp(7_000 + i64::from(number)), true, number);
            }
        });
        let rest: Vec<_> = rest.iter().map(name_and_time).collect();
        assert_eq!(rest, (7_002..7_080).map(|ns| ("gpio:READY", ns)).collect::<Vec<_>>());
    }

    #[test]
    fn a_chip_that_goes_away_is_told_of_and_the_others_go_on() {
        let (first, to_first) = line(&["gpio:gpiochip0/1=up"]);
        let (second, mut to_second) = line(&["gpio:gpiochip1/1=ready"]);
        let clock = HostClock::start();
        let rest = watched(&[first, second], clock, |receiver| {
            drop(to_first);
            match receiver.recv().unwrap() {
                ReaderEvent::LineLost(_, line, why) => {
                    assert_eq!((line.to_string().as_str(), &why[..14]), ("gpio:gpiochip0/1", "No such device"));
                }
                other => panic!("{other:?}"),
            }
            send(&mut to_second, clock.to_monotonic(HostTime::from_nanos(1)), true, 1);
        });
        assert_eq!(rest.iter().map(name_and_time).collect::<Vec<_>>(), [("ready", 1)]);
    }

    /// Zeroes are falling edges, and these never end.
    #[test]
    fn a_line_that_changes_all_the_time_holds_nobody_up() {
        let (mut endless, _) = line(&["!gpio:gpiochip0/1=down"]);
        endless.file = File::open("/dev/zero").unwrap();
        let (other, mut to_other) = line(&["gpio:gpiochip1/1=ready"]);
        let clock = HostClock::start();
        send(&mut to_other, clock.to_monotonic(HostTime::from_nanos(1)), true, 1);
        let rest = watched(&[endless, other], clock, |receiver| {
            assert_eq!(name_and_time(&receiver.recv().unwrap()), ("ready", 1));
        });
        assert!(rest.is_empty(), "all of the others came before the capture: {rest:?}");
    }

    #[test]
    fn without_lines_only_the_work_is_done() {
        assert!(watched(&[], HostClock::start(), |_| ()).is_empty());
    }
}
