// SPDX-License-Identifier: MIT OR Apache-2.0
//! One boot, rebuilt from its records by the other modules.
use super::backlog::{self, BacklogPoint};
use super::boot_records::BootRecords;
use super::clock;
use super::cmdline::is_serial;
use super::console::{self, RegisteredConsole};
use super::console_start::{self, ConsoleStart};
use super::console_switch::{self, ConsoleSwitch};
use super::end::{self, BootEnd};
use super::gap::{self, Gap};
use super::initcall::{self, AsyncWait, Span};
use super::kernel::Kernel;
use super::listed_console::{self, ListedConsole};
use super::milestone::Milestones;
use super::options::BootOptions;
use super::phase::{self, Phase};
use super::resolution;
use super::root_wait::{self, RootWait};
use super::second_registration::second_registration;
use super::serial_line::{self, SerialLine};
use super::service::{self, Service};
use super::speed::ArrivalSamples;
use super::speed_change;
use super::timeline::{self, Timeline};
use super::wait::{self, ConsoleWaits};
use bootline_capture::Header;
use bootline_capture::units::{Dur, Interval};
use bootline_console::ThreadsReady;
use bootline_records::{Problems, Record, RecordId, RecordSet};

/// One boot.
#[derive(Clone, Debug)]
pub struct Boot {
    /// Its records, in the order in which they were received.
    pub records: RecordSet,
    /// What is wrong with the log.
    pub problems: Problems,
    /// The capture's header, if the input is a capture.
    pub header: Option<Header>,
    /// Which kernel booted.
    pub kernel: Kernel,
    /// Its landmarks.
    pub milestones: Milestones,
    /// All consoles that registered.
    pub consoles: Vec<RegisteredConsole>,
    /// The consoles that the log's last `/proc/consoles` lists; empty if a log has none.
    pub listed_consoles: Vec<ListedConsole>,
    /// The serial line and what it cost.
    pub line: Option<SerialLine>,
    /// The console switch on that line; none if the log does not show one.
    pub console_switch: Option<ConsoleSwitch>,
    /// When printing to that line started, and how; none if the log does not show it.
    pub console_start: Option<ConsoleStart>,
    /// When each record was stored and printed.
    pub timeline: Timeline,
    /// The waits for the console up to the boot's end.
    pub waits: ConsoleWaits,
    /// Phases, in order.
    pub phases: Vec<Phase>,
    /// Spans of `initcall_debug`, by start.
    pub spans: Vec<Span>,
    /// Units that systemd reported, in the order in which they are first named.
    pub services: Vec<Service>,
    /// Waits for async calls, by their ends; empty unless the kernel was asked to log them.
    pub async_waits: Vec<AsyncWait>,
    /// Gaps of at least [`LEAST_GAP`], longest first.
    pub gaps: Vec<Gap>,
    /// The boot's end, init or the marker; none if the log does not reach it.
    pub end: Option<BootEnd>,
}

/// Length of the shortest gap.
pub const LEAST_GAP: Dur = Dur::from_millis(100);

impl Boot {
    /// Puts one boot's records on a time axis.
    pub fn analyse(input: BootRecords, options: &BootOptions) -> Boot {
        let BootRecords { records, mut problems, header, notes, repeated, printed_again: _ } = input;
        let mut kernel = Kernel::read(&records);
        kernel.cpus = options.cpus.or(kernel.cpus);
        let mut milestones = Milestones::find(&records);
        let end = end::find_end(&records, &mut milestones, options);
        let listed_consoles = listed_console::listed_consoles(&records);
        let consoles = console::consoles(&records, &kernel, &listed_consoles);
        let mut serial = console::serial(&consoles, &listed_consoles, &kernel, options.console.as_ref());
        let reaches_line = |r: &Record<'_>| serial_line::reaches_line(r, &kernel);
        let second = second_registration(&records, &consoles, serial.as_ref(), reaches_line);
        if let (Some(serial), Some(second)) = (&mut serial, second) {
            (serial.enabled, serial.enabled_index) = (Some(second.enabled), Some(second.enabled_index));
        }
        let line_open = consoles.iter().find(|c| is_serial(&c.name)).map(|c| c.enabled_index);
        let first_open = line_open.or(serial.as_ref().and_then(|s| s.enabled_index));
        let registered = second.map(|s| s.enabled_index).or(first_open);
        let mut console_switch = console_switch::find(&records, &kernel, serial.as_ref(), registered, repeated);
        let flushed_from =
            second.map(|s| s.flushed_from).or_else(|| console_start::flushed_from(&records, &kernel, registered));
        let console_start =
            console_start::console_start(&records, &kernel, serial.as_ref(), flushed_from, console_switch.as_ref());
        let until = end.map_or(records.len(), |(i, _)| i);
        let samples = ArrivalSamples::of(&records);
        let speed_change = samples.as_ref().zip(serial.as_ref()).and_then(|(samples, serial)| {
            let change = speed_change::find(&records, samples, serial.frame)?;
            Some(change).filter(|c| c.agrees_with(serial, milestones.first_kernel))
        });
        let speed = serial_line::speed(
            &records,
            samples.as_ref(),
            speed_change.as_ref(),
            header.as_ref(),
            serial.as_ref(),
            console_start,
            until,
            reaches_line,
        );
        let clock = options.clock;
        let stamp_resolution = resolution::of_stamps(&records, &problems);
        let setup = timeline::AlignmentInput {
            records: &records,
            console_start,
            speed,
            speed_change,
            reaches_line: &reaches_line,
            clock,
            stamp_resolution,
        };
        let timeline = timeline::align(&setup);
        if let Some(switch) = &mut console_switch {
            switch.backlog_age = backlog::longest_age(switch, &timeline, records.len());
        }
        let waits = console_start
            .map_or_else(ConsoleWaits::default, |o| wait::waits(&records, &timeline, o, until, kernel.cpus));
        let line = serial.map(|s| {
            let end = end.map(|e| e.0);
            serial_line::describe(&records, &timeline, &waits, s, speed, speed_change, console_start, end, kernel.cpus)
        });
        let phases = phase::phases(&records, &timeline, &waits, &milestones, console_start, registered);
        let spans = initcall::spans(&records, &timeline, &waits);
        let services = service::services(&records, &timeline);
        let async_waits = initcall::async_waits(&records, &timeline);
        let gaps = gap::gaps(&records, &timeline, &waits, &milestones, until, LEAST_GAP);
        let end = end.and_then(|(i, by)| end::boot_end(&records, &timeline, console_start, &notes, &milestones, i, by));
        clock::check(&records, &timeline, &milestones, &mut problems);
        Boot {
            records,
            problems,
            header,
            kernel,
            milestones,
            consoles,
            listed_consoles,
            line,
            console_switch,
            console_start,
            timeline,
            waits,
            phases,
            spans,
            services,
            async_waits,
            gaps,
            end,
        }
    }

    /// Bytes stored and bytes transmitted, over time.
    pub fn backlog(&self) -> Vec<BacklogPoint> {
        backlog::backlog(&self.records, &self.timeline)
    }

    /// When the record with this id was stored, on the axis.
    pub fn stored(&self, id: RecordId) -> Option<Dur> {
        self.timeline.stored(self.records.index_of(id)?)
    }

    /// The best estimate of the waits for the console between two instants of the axis.
    pub fn console_wait(&self, from: Dur, to: Dur) -> Dur {
        self.waits.within(from, to)
    }

    /// The waits for the console between two instants of the axis, with their bounds.
    pub fn console_wait_bounds(&self, from: Dur, to: Dur) -> Interval {
        self.waits.bounds_within(from, to)
    }

    /// The wait for the root file system's device, as the log announces it.
    pub fn root_wait(&self) -> Option<RootWait> {
        root_wait::find(&self.records, &self.timeline, self.end_index())
    }

    /// Position of the record nearest to `printk_set_kthreads_ready`, for a kernel in which it is this kind of
    /// initcall.
    pub fn threads_ready(&self, call: ThreadsReady) -> Option<usize> {
        console_start::threads_ready(&self.records, &self.kernel, call).map(|o| o.index)
    }

    /// Whether printer kthreads that are ready at this kind of initcall exist when the console registers, as far as its
    /// driver determines it.
    pub fn registers_after(&self, call: ThreadsReady) -> bool {
        let console = self.line.as_ref().map(|l| &l.console);
        console_start::registers_at(&self.kernel, console).is_none_or(|at| at.follows(call))
    }

    /// Position after the last record of the boot itself: init's record, the marker's, or the log's end.
    pub fn end_index(&self) -> usize {
        self.end.as_ref().map_or(self.records.len(), |e| e.index + 1)
    }
}
