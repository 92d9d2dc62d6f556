// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modules of this repository that make a serial console asynchronous: which consoles they take, and how they print.
use super::behaviour::{Behaviour, DriverBehaviour, newest};
use super::driver::{Driver, Framework};
use super::kernel_version::KernelVersion;
use super::printing::{DriverWait, Printing, RegistrationFlush, ThreadPriority, ThreadsReady};

/// A module whose kthread prints instead of the writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsoleModule {
    /// kernel/nbcon_8250: an nbcon console in place of the 8250 driver's; its kthread sleeps while the FIFO drains.
    Nbcon8250,
    /// kernel/console_relay: a kthread calls the driver's own write, which spins, a line at a time; or, to an 8250, fills the
    /// FIFO in bursts and sleeps in between.
    ConsoleRelay,
}

impl ConsoleModule {
    /// Both, the one to be preferred first.
    pub const ALL: [ConsoleModule; 2] = [ConsoleModule::Nbcon8250, ConsoleModule::ConsoleRelay];

    /// Its name, as `modprobe` and its messages have it.
    pub fn name(self) -> &'static str {
        match self {
            ConsoleModule::Nbcon8250 => "nbcon_8250",
            ConsoleModule::ConsoleRelay => "console_relay",
        }
    }

    /// The option that builds it into a kernel.
    pub fn config(self) -> &'static str {
        match self {
            ConsoleModule::Nbcon8250 => "CONFIG_SERIAL_8250_NBCON",
            ConsoleModule::ConsoleRelay => "CONFIG_SERIAL_CONSOLE_RELAY",
        }
    }

    /// How the console prints once the module is loaded. `sleeps`: its kthread sleeps while the FIFO drains, otherwise it calls the
    /// driver's write.
    pub fn behaviour(sleeps: bool) -> Behaviour {
        let (driver, thread) = match sleeps {
            true => (DriverWait::Sleeps, ThreadPriority::Highest),
            false => (DriverWait::SpinsIrqsOff, ThreadPriority::Lowest),
        };
        Behaviour {
            printing: Printing::Nbcon,
            threads_ready: ThreadsReady::EarlyInitcall,
            registration: RegistrationFlush::ByThread,
            driver,
            thread,
        }
    }

    /// Whether it supports the legacy console of this name, index included, in a kernel. Which driver a name belongs to is not always
    /// certain, and the module checks more than this.
    pub fn supports(self, console: &str, version: KernelVersion, rt: bool) -> bool {
        let driver = Driver::of_console(console);
        let own = DriverBehaviour::of(version, rt, driver, false);
        let is_legacy = own.is_none_or(|own| own.framework == Framework::Legacy);
        let is_in_range = version >= self.since() && version.series() <= newest();
        is_legacy
            && is_in_range
            && match self {
                ConsoleModule::Nbcon8250 => driver == Driver::Uart8250,
                ConsoleModule::ConsoleRelay => !rt && relays(console, version),
            }
    }

    /// The first version with all that it needs.
    fn since(self) -> KernelVersion {
        match self {
            ConsoleModule::Nbcon8250 => KernelVersion::new(6, 12),
            ConsoleModule::ConsoleRelay => KernelVersion::new(5, 10),
        }
    }
}

/// Whether console_relay prints to this console in bursts by default, if its port is of the 16550A class: to an 8250 on 6.0 to 6.11.
/// Older kernels lack what it needs, and from 6.12 on nbcon_8250 is preferred.
pub fn relay_prints_in_bursts(console: &str, version: KernelVersion) -> bool {
    let is_in_range = version >= KernelVersion::new(6, 0) && version < KernelVersion::new(6, 12);
    is_in_range && Driver::of_console(console) == Driver::Uart8250
}

/// Consoles of the drivers in kernel/console_relay/drivers.c.
fn relays(console: &str, version: KernelVersion) -> bool {
    const NAMES: [&str; 16] = [
        "ttyS", "ttyAMA", "ttymxc", "ttySIF", "ttyAML", "ttyMSM", "ttyOWL", "ttyRDA", "ttyO", "ttyLP", "ttySTM",
        "ttyPS", "ttyUL", "ttyMV", "ttySC", "ttySAC",
    ];
    let name = console.trim_end_matches(|c: char| c.is_ascii_digit());
    // In older kernels the module refuses it: its write takes no lock.
    NAMES.contains(&name) && (name != "ttySAC" || version >= KernelVersion::new(5, 19))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_console_relay_prints_in_bursts() {
        let check = |console: &str, version: &str, expected| {
            assert_eq!(relay_prints_in_bursts(console, version.parse().unwrap()), expected, "{console} {version}");
        };
        check("ttyS0", "5.19", false);
        check("ttyS0", "6.0", true);
        check("ttyS0", "6.11.11", true);
        check("ttyS0", "6.12", false);
        check("ttyAMA0", "6.1", false);
    }

    #[test]
    fn which_module_for_which_kernel_and_port() {
        let check = |console: &str, version: &str, rt, expected: [bool; 2]| {
            let version = version.parse().unwrap();
            assert_eq!(
                ConsoleModule::ALL.map(|m| m.supports(console, version, rt)),
                expected,
                "{console} {version} rt={rt}"
            );
        };
        check("ttyS0", "4.19", false, [false, false]);
        check("ttyS0", "5.10.223", false, [false, true]);
        check("ttyS0", "6.11", false, [false, true]);
        check("ttyS0", "6.12", false, [true, true]);
        check("ttyS0", "7.2.13", false, [true, true]);
        check("ttyS0", "7.3", false, [false, false]);
        check("ttyS0", "6.12", true, [true, false]);
        check("ttyAMA0", "6.14", false, [false, true]);
        check("ttyAMA0", "6.15", false, [false, false]);
        check("ttymxc0", "6.12", false, [false, true]);
        check("ttymxc0", "6.13", false, [false, false]);
        check("ttySTM0", "6.6", false, [false, true]);
        check("ttySAC1", "5.10", false, [false, false]);
        check("ttySAC1", "6.1", false, [false, true]);
        check("ttyDZ0", "6.1", false, [false, false]);
        check("tty0", "6.1", false, [false, false]);
        check("ttySTM0", "9.0", false, [false, false]);
    }
}
