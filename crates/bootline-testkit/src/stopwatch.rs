// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a piece of a bench takes.
use std::time::Instant;

/// Runs since it was started, on the thread that started it.
#[derive(Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu_ns: Option<u64>,
}

impl Stopwatch {
    /// Starts one.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), cpu_ns: cpu_ns() }
    }

    /// The processor's time in s, which other programs disturb less, where Linux tells it (schedstat); else the time that
    /// went by.
    pub fn elapsed_s(&self) -> f64 {
        match (self.cpu_ns, cpu_ns()) {
            (Some(start), Some(now)) if now > start => (now - start) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// What this thread has spent on a processor.
fn cpu_ns() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}
