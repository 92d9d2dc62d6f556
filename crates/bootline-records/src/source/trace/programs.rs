// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs, from the scheduler's events: executions, forks, exits, and the switches that show processor time.
//!
//! ```text
//! sched_process_fork: comm=init pid=1 child_comm=init child_pid=131
//! sched_process_exec: filename=/sbin/udevd pid=131 old_pid=131
//! sched_process_exit: comm=udevd pid=131 prio=120
//! sched_switch: prev_comm=udevd prev_pid=131 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
//! ```
//! Source: include/trace/events/sched.h; of trace-cmd, plugin_sched_switch.c in libtraceevent: `udevd:131 [120] S ==> swapper/0:0 [120]`. A
//! name may contain blanks, so fields are looked for from the end.
use std::collections::HashMap;

use super::event_line::EventLine;
use super::kernel_trace::{MOST, TracedProgram, cut};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, TraceTime};

/// The programs met so far.
#[derive(Default)]
pub(super) struct Programs {
    found: Vec<TracedProgram>,
    /// By process, the program that runs in it, and the process's processor time when that began.
    open: HashMap<u32, (usize, Dur)>,
    parents: HashMap<u32, u32>,
    /// By processor, the task on it, and since when.
    running: HashMap<u32, (u32, TraceTime)>,
    used: HashMap<u32, Dur>,
    has_switches: bool,
}

impl Programs {
    /// Takes in any event: it shows which task its processor runs.
    pub fn event(&mut self, line: &EventLine<'_>, at: TraceTime, problems: &mut Problems) {
        if self.running.len() < MOST {
            self.running.entry(line.processor).or_insert((line.task, at));
        }
        let understood = match line.event {
            "sched_process_exec" => self.execute(line, at, problems),
            "sched_process_fork" => self.fork(line.fields),
            "sched_process_exit" => self.exit(line, at),
            "sched_switch" => self.switch(line, at),
            _ => Some(()),
        };
        if understood.is_none() {
            problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                format!("an event whose fields are not understood: `{}: {}`", line.event, cut(line.fields))
            });
        }
    }

    /// What a processor ran is not known from here on.
    pub fn lost(&mut self, processor: Option<u32>) {
        match processor {
            Some(processor) => _ = self.running.remove(&processor),
            None => self.running.clear(),
        }
    }

    /// All programs; `last` is the time of the trace's last event.
    pub fn finish(mut self, last: TraceTime) -> Vec<TracedProgram> {
        for (task, since) in std::mem::take(&mut self.running).into_values() {
            *self.used.entry(task).or_default() += last - since;
        }
        for (pid, (at, before)) in std::mem::take(&mut self.open) {
            self.found[at].cpu =
                self.has_switches.then(|| (self.used.get(&pid).copied().unwrap_or_default() - before).max_zero());
        }
        self.found
    }

    fn execute(&mut self, line: &EventLine<'_>, at: TraceTime, problems: &mut Problems) -> Option<()> {
        let (fields, _) = line.fields.rsplit_once(" old_pid=").unwrap_or((line.fields, ""));
        let (path, pid) = fields.strip_prefix("filename=")?.rsplit_once(" pid=")?;
        let pid = pid.parse().ok()?;
        self.end(pid, at, line.processor);
        if self.found.len() == MOST {
            problems
                .add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many programs in the trace".to_owned());
            return Some(());
        }
        let before = self.used_by(pid, at, line.processor);
        self.open.insert(pid, (self.found.len(), before));
        self.found.push(TracedProgram {
            pid,
            parent: self.parents.get(&pid).copied(),
            path: cut(path),
            start: at,
            end: None,
            cpu: None,
        });
        Some(())
    }

    fn fork(&mut self, fields: &str) -> Option<()> {
        let (parent, child) = fields.rsplit_once(" child_pid=")?;
        let (parent, _) = parent.rsplit_once(" child_comm=")?;
        let (_, parent) = parent.rsplit_once(" pid=")?;
        if self.parents.len() < MOST {
            self.parents.insert(child.parse().ok()?, parent.parse().ok()?);
        }
        Some(())
    }

    fn exit(&mut self, line: &EventLine<'_>, at: TraceTime) -> Option<()> {
        let (fields, _) = line.fields.rsplit_once(" prio=").unwrap_or((line.fields, ""));
        let (_, pid) = fields.rsplit_once(" pid=")?;
        self.end(pid.parse().ok()?, at, line.processor);
        Some(())
    }

    fn switch(&mut self, line: &EventLine<'_>, at: TraceTime) -> Option<()> {
        let (from, to) = line.fields.split_once(" ==> ")?;
        let number = |text: &str, field: &str| match text.rsplit_once(field) {
            Some((_, rest)) => rest.split(' ').next()?.parse::<u32>().ok(),
            // `udevd:131 [120] S`
            None => text.rsplit_once(" [")?.0.rsplit_once(':')?.1.parse().ok(),
        };
        let (from, to) = (number(from, " prev_pid=")?, number(to, " next_pid=")?);
        self.has_switches = true;
        let known = self.running.insert(line.processor, (to, at));
        if let Some((_, since)) = known.filter(|(task, _)| *task == from) {
            if self.used.len() < MOST || self.used.contains_key(&from) {
                *self.used.entry(from).or_default() += at - since;
            }
        }
        Some(())
    }

    /// Ends the program of a process, if one is known.
    fn end(&mut self, pid: u32, at: TraceTime, processor: u32) {
        if let Some((open, before)) = self.open.remove(&pid) {
            let used = self.used_by(pid, at, processor) - before;
            let program = &mut self.found[open];
            program.end = Some(at.max(program.start));
            program.cpu = self.has_switches.then_some(used.max_zero());
        }
    }

    /// Processor time of a process so far, with what it has used since the last switch.
    fn used_by(&self, pid: u32, at: TraceTime, processor: u32) -> Dur {
        let since = self.running.get(&processor).filter(|(task, _)| *task == pid).map(|(_, since)| at - *since);
        self.used.get(&pid).copied().unwrap_or_default() + since.unwrap_or_default()
    }
}
