// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast tasks get on while others spin.
use super::engine_state::{Engine, Printer, TaskState};
use super::printing::DriverWait;
use super::simulation_setup::Contention;

/// A printer kthread's weight in units of an ordinary task's: kthreads run at nice -20 (nbcon_kthread_create and
/// printk_start_threads, `sched_set_normal(.., -20)`), 88761 against 1024 in kernel/sched/core.c, sched_prio_to_weight.
const THREAD_WEIGHT: f64 = 88_761.0 / 1_024.0;

/// Speed of a single task while one printer kthread spins.
pub fn speed_with_busy_printer(cpus: u32, contention: Contention) -> f64 {
    share(f64::from(cpus), 1.0, 1.0, contention.0)
}

/// The speed of each working task: 1 with its own CPU.
pub(super) fn speed(engine: &Engine<'_>) -> f64 {
    let is_busy = |s: &TaskState| matches!(s, TaskState::Printing(_) | TaskState::Spinning);
    let workers =
        engine.tasks.iter().filter(|t| matches!(t.state, TaskState::Working(_) | TaskState::Holding(_))).count();
    if workers == 0 {
        return 0.0;
    }
    // Tasks that print, or spin to print, can't be preempted: they keep their CPUs.
    let held = engine.tasks.iter().filter(|t| is_busy(&t.state)).count();
    let spins = |c: usize| engine.setup.consoles[c].behaviour.driver != DriverWait::Sleeps;
    let threads = engine
        .consoles
        .iter()
        .enumerate()
        .filter(|(c, console)| spins(*c) && console.emission.is_some_and(|e| !matches!(e.by, Printer::Task(_))));
    share(f64::from(engine.cpus) - held as f64, threads.count() as f64, workers as f64, engine.setup.contention.0)
}

/// CPUs shared by spinning kthreads and workers, each of which can use at most one.
fn share(processors: f64, threads: f64, workers: f64, contention: f64) -> f64 {
    if processors <= 0.0 {
        return 0.0;
    }
    if threads + workers <= processors {
        return if threads > 0.0 { 1.0 - contention } else { 1.0 };
    }
    let of_thread = (processors * THREAD_WEIGHT / (THREAD_WEIGHT * threads + workers)).min(1.0);
    ((processors - threads * of_thread) / workers).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_worked_by_hand() {
        let check = |p, t, w, want: f64| assert!((share(p, t, w, 0.25) - want).abs() < 1e-4, "{p} {t} {w}");
        check(1.0, 0.0, 1.0, 1.0);
        check(2.0, 1.0, 1.0, 0.75);
        // One CPU: 1024 / (88761 + 1024) of it is left.
        check(1.0, 1.0, 1.0, 0.0114);
        check(1.0, 0.0, 2.0, 0.5);
        check(0.0, 0.0, 1.0, 0.0);
        // Two CPUs: the kthread has one, two workers share the other.
        check(2.0, 1.0, 2.0, 0.5);
    }
}
