// SPDX-License-Identifier: MIT OR Apache-2.0
//! The console lock: who holds it, who waits, what is printed before it is released. Read from kernel/printk/printk.c
//! and nbcon.c of 6.12 and 7.2: console_lock, console_unlock, console_trylock_spinning.
use super::engine_state::{Engine, PrintJob, Printer, TaskState};
use super::workload::{Op, TaskId};

impl Engine<'_> {
    /// console_lock()
    pub fn lock_by_task(&mut self, id: usize) {
        if self.lock.held {
            self.lock.queue.push_back(Printer::Task(id));
            self.tasks[id].state = TaskState::Queued(self.now);
        } else {
            self.lock.held = true;
            self.hold(id);
        }
    }

    fn hold(&mut self, id: usize) {
        let hold = match self.workload.tasks[id].get(self.tasks[id].next) {
            Some(Op::LockConsole(hold)) => hold.max_zero().as_nanos() as f64,
            // A registration does almost nothing under the lock before its flush.
            _ => return self.print_locked(id),
        };
        self.tasks[id].state = TaskState::Holding(hold);
    }

    /// What a task that has the lock prints before it gives it up: a writer, a spinner that took over, console_unlock().
    pub fn print_locked(&mut self, id: usize) {
        let job = PrintJob { consoles: self.by_writers(), next_console: 0, locked: true, once: false };
        self.begin(Printer::Task(id), job);
    }

    pub fn release_lock(&mut self) {
        match self.lock.queue.pop_front() {
            Some(Printer::Task(id)) => {
                if let TaskState::Queued(since) = self.tasks[id].state {
                    self.outcome.lock_waits.push((TaskId(id), self.tasks[id].next, self.now - since));
                }
                self.hold(id);
            }
            Some(_) => {
                self.legacy_thread_queued = false;
                self.begin_legacy_thread();
            }
            None => self.lock.held = false,
        }
    }
}
