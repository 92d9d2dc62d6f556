// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast tasks get on while others spin.
use super::engine_state::{Engine, Printer, TaskState};
use super::printing::DriverWait;
use super::simulation_setup::Contention;
use bootline_capture::units::Dur;

/// A printer kthread's weight in units of an ordinary task's, by its nice value (kernel/sched/core.c, sched_prio_to_weight): -20.
const THREAD_WEIGHT: f64 = 88_761.0 / 1_024.0;
/// The same at nice 19.
const LOWEST_WEIGHT: f64 = 15.0 / 1_024.0;

/// Speed of a single task while one printer kthread of the highest priority spins.
pub fn speed_with_busy_printer(cpus: u32, contention: Contention) -> f64 {
    share(f64::from(cpus), Threads { highest: 1.0, lowest: 0.0 }, 1.0, contention.0)
}

/// CPU time, in nanoseconds, that a task gets after a kthread of the lowest priority has printed for a time.
pub(super) fn debt(printed: Dur) -> f64 {
    printed.as_nanos() as f64 / LOWEST_WEIGHT
}

/// Whether a CPU has nothing to do.
pub(super) fn is_one_free(engine: &Engine<'_>) -> bool {
    let threads = spinning(engine);
    held(engine) + workers(engine) + threads.highest + threads.lowest < f64::from(engine.cpus)
}

/// Kthreads that spin on their lines, by their priority.
#[derive(Clone, Copy)]
struct Threads {
    highest: f64,
    /// Their interrupts are off: nothing takes the CPU from them.
    lowest: f64,
}

/// The speed of each working task: 1 with its own CPU.
pub(super) fn speed(engine: &Engine<'_>) -> f64 {
    let workers = workers(engine);
    if workers == 0.0 {
        return 0.0;
    }
    share(f64::from(engine.cpus) - held(engine), spinning(engine), workers, engine.setup.contention.0)
}

/// The speed of the only task while it works; `spins` is whether a kthread of the highest priority spins.
pub(super) fn speed_of_one(engine: &Engine<'_>, spins: bool) -> f64 {
    let threads = Threads { highest: f64::from(u8::from(spins)), lowest: 0.0 };
    share(f64::from(engine.cpus), threads, 1.0, engine.setup.contention.0)
}

fn workers(engine: &Engine<'_>) -> f64 {
    let is_working = |s: &TaskState| matches!(s, TaskState::Working(_) | TaskState::Holding(_));
    engine.tasks.iter().filter(|t| is_working(&t.state)).count() as f64
}

/// CPUs of tasks that print, or spin to print: they can't be preempted.
fn held(engine: &Engine<'_>) -> f64 {
    let is_busy = |s: &TaskState| matches!(s, TaskState::Printing(_) | TaskState::Spinning);
    engine.tasks.iter().filter(|t| is_busy(&t.state)).count() as f64
}

fn spinning(engine: &Engine<'_>) -> Threads {
    let mut threads = Threads { highest: 0.0, lowest: 0.0 };
    for (c, console) in engine.consoles.iter().enumerate() {
        let Some(emission) = console.emission else { continue };
        let behaviour = engine.setup.consoles[c].behaviour;
        match emission.by {
            Printer::Task(_) => {}
            _ if behaviour.driver == DriverWait::Sleeps => {}
            _ if engine.gives_way(c, emission.by) => threads.lowest += 1.0,
            _ => threads.highest += 1.0,
        }
    }
    threads
}

/// CPUs shared by spinning kthreads and workers, each of which can use at most one.
fn share(processors: f64, threads: Threads, workers: f64, contention: f64) -> f64 {
    let Threads { highest, lowest } = threads;
    if processors <= lowest {
        return 0.0;
    }
    if highest + lowest + workers <= processors {
        return if highest + lowest > 0.0 { 1.0 - contention } else { 1.0 };
    }
    let left = processors - lowest;
    let of_thread = (left * THREAD_WEIGHT / (THREAD_WEIGHT * highest + workers)).min(1.0);
    ((left - highest * of_thread) / workers).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_worked_by_hand() {
        let check_threads = |p, highest, lowest, w, want: f64| {
            let found = share(p, Threads { highest, lowest }, w, 0.25);
            assert!((found - want).abs() < 1e-4, "{p} {highest} {lowest} {w}: {found}");
        };
        let check = |p, highest, w, want| check_threads(p, highest, 0.0, w, want);
        check(1.0, 0.0, 1.0, 1.0);
        check(2.0, 1.0, 1.0, 0.75);
        // One CPU: 1024 / (88761 + 1024) of it is left.
        check(1.0, 1.0, 1.0, 0.0114);
        check(1.0, 0.0, 2.0, 0.5);
        check(0.0, 0.0, 1.0, 0.0);
        // Two CPUs: the kthread has one, two workers share the other.
        check(2.0, 1.0, 2.0, 0.5);
        // A kthread of the lowest priority keeps its CPU for a line.
        let check = |p, lowest, w, want| check_threads(p, 0.0, lowest, w, want);
        check(1.0, 1.0, 1.0, 0.0);
        check(2.0, 1.0, 1.0, 0.75);
        check(2.0, 1.0, 2.0, 0.5);
    }
}
