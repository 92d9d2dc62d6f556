// SPDX-License-Identifier: MIT OR Apache-2.0
//! From one boot's records to the boot: which module finds what, in which order.
use std::sync::OnceLock;

use super::backlog;
use super::boot::Boot;
use super::boot_records::BootRecords;
use super::clock;
use super::cmdline::is_serial;
use super::console;
use super::console_start;
use super::console_switch;
use super::end;
use super::initcall;
use super::kernel::Kernel;
use super::listed_console;
use super::mark;
use super::milestone::Milestones;
use super::options::BootOptions;
use super::phase;
use super::resolution;
use super::second_registration::second_registration;
use super::serial_line;
use super::service;
use super::speed::ArrivalSamples;
use super::speed_change;
use super::timeline::{self, Clock};
use super::wait::{self, ConsoleWaits};
use super::whole::{self, AppMarker, BootSource, WholeBoot};
use bootline_records::{Problems, Record};

impl Boot {
    /// Puts one boot's records on a time axis.
    pub fn analyse(input: BootRecords, options: &BootOptions) -> Boot {
        let BootRecords { records, mut problems, header, notes, unit_events, repeated, printed_again: _ } = input;
        let mut kernel = Kernel::read(&records);
        kernel.cpus = options.cpus.or(kernel.cpus);
        let milestones = Milestones::find(&records);
        let end = end::find_end(&records, &milestones, options);
        let listed_consoles = listed_console::listed_consoles(&records);
        let consoles = console::consoles(&records, &kernel, &listed_consoles);
        let mut serial = console::serial(&consoles, &listed_consoles, &kernel, options.console.as_ref());
        if let Some(stated) = &options.console {
            console::compare_with_log(stated, &consoles, &records, &mut problems);
        }
        let limit = kernel.command_line.console_loglevel();
        let reaches_line = |r: &Record<'_>| serial_line::reaches_line(r, limit);
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
        let services = service::services(&records, &timeline, speed.map(|s| s.rate));
        let async_waits = initcall::async_waits(&records, &timeline);
        let end = end.and_then(|(i, by)| end::boot_end(&records, &timeline, console_start, &notes, &milestones, i, by));
        clock::check(&records, &timeline, &milestones, &mut problems);
        let was_set_back = end.as_ref().is_some_and(|end| !end::follows_start(end, &records, &mut problems));
        let end = end.filter(|_| !was_set_back);
        // A clock that was set back cannot time phases.
        let phases = if was_set_back {
            Vec::new()
        } else {
            phase::phases(&records, &timeline, &waits, &milestones, console_start, registered)
        };
        let power_on = end::power_on(&notes).filter(|_| timeline.clock == Clock::Arrival).map(|t| timeline.on_axis(t));
        let marks = mark::marks(&notes, &timeline, &mut problems);
        let mut boot = Boot {
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
            services,
            async_waits,
            end,
            power_on,
            marks,
            unit_events,
            whole: WholeBoot::default(),
            until,
            spans: OnceLock::new(),
            gaps: OnceLock::new(),
        };
        let mut problems = Problems::default();
        boot.whole = whole::rebuild(&boot, &[], None, &mut problems);
        boot.problems.merge(problems);
        boot
    }

    /// Adds what other sources say of this boot, and finds the application.
    pub fn with_sources(mut self, sources: &[BootSource], application: Option<&AppMarker>) -> Boot {
        let mut problems = Problems::default();
        self.whole = whole::rebuild(&self, sources, application, &mut problems);
        self.problems.merge(problems);
        self
    }
}
