// SPDX-License-Identifier: MIT OR Apache-2.0
//! Initcalls, from their events.
//!
//! ```text
//! initcall_level: level=device
//! initcall_start: func=ahci_pci_driver_init+0x0/0xff0 [ahci]
//! initcall_finish: func=ahci_pci_driver_init+0x0/0xff0 [ahci] ret=0
//! ```
//! Source: include/trace/events/initcall.h (from 4.17). do_one_initcall() of modules is traced, too.
use std::collections::HashMap;

use super::event_line::EventLine;
use super::kernel_trace::{MOST, TracedInitcall, cut};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::TraceTime;

/// Initcalls of one task that run inside each other: more than any kernel has, because a trace may be hostile.
const MOST_OPEN: usize = 64;

/// The initcalls met so far.
#[derive(Default)]
pub(super) struct Initcalls {
    found: Vec<TracedInitcall>,
    /// By task, those that run.
    open: HashMap<u32, Vec<usize>>,
    /// The task that announced a level, and the level.
    level: Option<(u32, String)>,
}

impl Initcalls {
    /// Takes in an event, of whatever kind.
    pub fn event(&mut self, line: &EventLine<'_>, at: TraceTime, problems: &mut Problems) {
        match line.event {
            "initcall_level" => {
                let level = line.fields.strip_prefix("level=").unwrap_or(line.fields);
                self.level = Some((line.task, cut(level)));
            }
            "initcall_start" => self.start(line, at, problems),
            "initcall_finish" => self.finish_one(line, at, problems),
            _ => {}
        }
    }

    /// All initcalls.
    pub fn finish(self) -> Vec<TracedInitcall> {
        self.found
    }

    fn start(&mut self, line: &EventLine<'_>, at: TraceTime, problems: &mut Problems) {
        let Some(function) = line.fields.strip_prefix("func=") else {
            return not_understood(line, problems);
        };
        if self.found.len() == MOST {
            problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || {
                "too many initcalls in the trace".to_owned()
            });
            return;
        }
        let (name, module) = symbol(function);
        let level = self.level.as_ref().filter(|(task, _)| *task == line.task && module.is_none());
        let open = self.open.entry(line.task).or_default();
        if open.len() == MOST_OPEN {
            open.remove(0);
        }
        open.push(self.found.len());
        self.found.push(TracedInitcall {
            name: cut(name),
            module: module.map(cut),
            level: level.map(|(_, level)| level.clone()),
            task: line.task,
            start: at,
            end: None,
            returned: None,
        });
    }

    fn finish_one(&mut self, line: &EventLine<'_>, at: TraceTime, problems: &mut Problems) {
        let fields = line.fields.strip_prefix("func=").and_then(|f| f.rsplit_once(" ret="));
        let Some((function, returned)) = fields.and_then(|(f, ret)| Some((f, ret.parse::<i32>().ok()?))) else {
            return not_understood(line, problems);
        };
        let name = cut(symbol(function).0);
        let running = self.open.get_mut(&line.task);
        let position = running.as_ref().and_then(|open| open.iter().rposition(|at| self.found[*at].name == name));
        match running.zip(position) {
            Some((open, position)) => {
                let call = &mut self.found[open[position]];
                (call.end, call.returned) = (Some(at.max(call.start)), Some(returned));
                // Those inside it that did not return: their end was lost.
                open.truncate(position);
            }
            None => problems.add(ProblemKind::RecordsLost, ByteRange::default(), || {
                format!("initcall `{name}` ends at {at} s, and its start is not in the trace")
            }),
        }
    }
}

fn not_understood(line: &EventLine<'_>, problems: &mut Problems) {
    problems.add(ProblemKind::BadLine, ByteRange::default(), || {
        format!("an event whose fields are not understood: `{}: {}`", line.event, cut(line.fields))
    });
}

/// `acpi_init+0x0/0x4f0 [acpi]` is `acpi_init` in `acpi`; a build id may follow the module's name.
fn symbol(text: &str) -> (&str, Option<&str>) {
    let module = text.split_once(" [").and_then(|(_, m)| m.split([']', ' ']).next());
    (text.split([' ', '+']).next().unwrap_or(text), module)
}
