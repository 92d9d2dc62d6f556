// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tiny kernel and line for tests: work and messages go in, a log with both clocks comes out, with its truth.
use super::BootRecords;
use bootline_capture::units::{Dur, HostTime, KernelTime};
use bootline_records::{Arrival, ByteRange, Record, RecordId, RecordOrigin, RecordSet};

/// How the simulated kernel prints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Each writer waits for its record.
    Synchronous,
    /// A thread prints; a step marked `takes_lock` waits until all is out.
    WholeFlush,
    /// A thread prints; nobody waits.
    Nobody,
}

/// Work, then a message.
#[derive(Clone, Debug)]
pub struct Step {
    /// What the kernel does before it prints.
    pub work: Dur,
    /// The message; its length on the wire is that of the text plus prefix and line end.
    pub text: String,
    /// The step needs the console lock before it prints.
    pub takes_lock: bool,
}

/// A step that just works and prints.
pub fn step(work_us: i64, text: &str) -> Step {
    Step { work: Dur::from_micros(work_us), text: text.to_owned(), takes_lock: false }
}

/// What really happened.
#[derive(Debug)]
pub struct Truth {
    /// Real time from the kernel's start to its first byte.
    pub first_byte: Dur,
    /// Real time from the kernel's start to the end of the last step.
    pub end: Dur,
    /// Real time spent waiting for the line.
    pub waited: Dur,
}

/// The simulated boot: banner, command line and `before` steps, the console's registration, `after` steps, init.
pub struct Simulated {
    pub mode: Mode,
    pub bytes_per_s: f64,
    /// `6.18.0-rt`
    pub release: &'static str,
    pub command_line: &'static str,
    /// Share of the waiting time that the kernel's clock misses.
    pub clock_loses: f64,
    pub before: Vec<Step>,
    pub after: Vec<Step>,
    /// Whether the host saw it arrive, or only the kernel's own log is left.
    pub with_arrival: bool,
}

impl Simulated {
    pub fn run(&self) -> (BootRecords, Truth) {
        let rt = self.release.contains("rt");
        let build = if rt { "#1 SMP PREEMPT_RT Test" } else { "#1 SMP PREEMPT_DYNAMIC Test" };
        let mut steps = vec![
            step(0, &format!("Linux version {} (gcc) {build}", self.release)),
            step(0, &format!("Kernel command line: {}", self.command_line)),
        ];
        steps.extend(self.before.iter().cloned());
        let opens = steps.len();
        steps.push(step(1_000, "printk: legacy console [ttyS0] enabled"));
        steps.extend(self.after.iter().cloned());
        steps.push(step(1_000, "Run /init as init process"));

        let wire = |text: &str| text.len() as u32 + 15 + 2;
        let seconds = |bytes: u32| Dur::from_secs_f64(f64::from(bytes) / self.bytes_per_s);
        // Real times of storing and printing; `line_free` is when the line has carried all that was given to it.
        let (mut now, mut lost, mut waited, mut line_free) = (Dur::ZERO, Dur::ZERO, Dur::ZERO, Dur::ZERO);
        let mut stored = Vec::new();
        let mut transmitted: Vec<(Dur, Dur)> = Vec::new();
        for (i, s) in steps.iter().enumerate() {
            now += s.work;
            if s.takes_lock && self.mode == Mode::WholeFlush && line_free > now {
                waited += line_free - now;
                now = line_free;
            }
            stored.push((now, now - lost));
            if i < opens {
                continue;
            }
            line_free = line_free.max(now);
            let from = if i == opens { 0 } else { i };
            for line in &steps[from..=i] {
                let start = line_free;
                line_free += seconds(wire(&line.text));
                transmitted.push((start, line_free));
            }
            if self.mode == Mode::Synchronous {
                waited += line_free - now;
                lost += (line_free - now).scale(self.clock_loses);
                now = line_free;
            }
        }
        let first_byte = transmitted[0].0;
        let mut records = RecordSet::new();
        let mut at = 0;
        for (i, s) in steps.iter().enumerate() {
            let len = wire(&s.text);
            let (start, end) = transmitted[i];
            // The host sees a character when it is through.
            let arrival = Arrival {
                first: HostTime::from_nanos(7_000_000_000) + start + seconds(1),
                last: HostTime::from_nanos(7_000_000_000) + end,
                uncertainty: Dur::ZERO,
            };
            records.push(&Record {
                id: RecordId(i as u32),
                bytes: ByteRange { start: at, end: at + u64::from(len) },
                source: RecordOrigin::Kernel,
                level: None,
                stamp: Some(KernelTime::from_nanos(stored[i].1.as_nanos() / 1_000 * 1_000)),
                caller: None,
                arrival: self.with_arrival.then_some(arrival),
                line_bytes: len,
                text: &s.text,
            });
            at += u64::from(len);
        }
        (BootRecords { records, ..BootRecords::default() }, Truth { first_byte, end: now, waited })
    }
}
