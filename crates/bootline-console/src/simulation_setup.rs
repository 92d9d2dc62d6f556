// SPDX-License-Identifier: MIT OR Apache-2.0
//! The consoles of a kernel, and the machine under them.
use super::behaviour::Behaviour;
use super::uart::Uart;
use bootline_capture::units::Dur;

/// One console.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelledConsole {
    /// How the kernel prints to it.
    pub behaviour: Behaviour,
    /// The port that it prints to.
    pub uart: Uart,
    /// A boot console (earlycon): always printed to by the writer, gone when the real one registers.
    pub boot: bool,
    /// Whether it prints the log from its beginning when it registers; else only what no console has printed yet.
    pub replay: bool,
}

/// What a printing thread that spins takes from the tasks though there is a processor for each.
///
/// Tasks that are woken on its CPU wait there until the scheduler moves them: how often, no source determines. Measured by the
/// experiments accuracy and printer-thread-contention.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contention(pub f64);

/// The kernel's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelClock {
    /// It runs true (arm64's architected timer).
    True,
    /// Until [`super::Op::ClockStable`] a time with interrupts off advances it by at most one tick (x86 before its
    /// clocksource is the TSC).
    LosesTicks(Dur),
}

/// The consoles and what they run on.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationSetup {
    /// Number of CPUs.
    pub cpus: u32,
    /// The consoles, in the order in which they register.
    pub consoles: Vec<ModelledConsole>,
    /// Records of a level below this one are printed.
    pub loglevel: u8,
    /// What spinning kthreads take in addition to their CPU.
    pub contention: Contention,
    /// The kernel's clock.
    pub clock: KernelClock,
}
