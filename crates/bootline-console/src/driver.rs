// SPDX-License-Identifier: MIT OR Apache-2.0
//! The drivers of serial consoles, and how each of them uses its port.
use serde::Deserialize;

use super::printing::ThreadsReady;

/// The driver of a serial console.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Driver {
    /// 16550 and compatible: `ttyS`.
    #[serde(rename = "8250")]
    Uart8250,
    /// Arm's PrimeCell UART: `ttyAMA`.
    Pl011,
    /// NXP i.MX: `ttymxc`.
    Imx,
    /// SiFive: `ttySIF`.
    Sifive,
    /// Qualcomm GENI: `ttyMSM`.
    QcomGeni,
    /// Nvidia's trace controller: `ttyUTC`.
    TegraUtc,
    /// Any other serial driver.
    Other,
}

impl Driver {
    /// The driver of the console with this name, index included: `ttyS0`.
    pub fn of_console(name: &str) -> Driver {
        match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "ttyS" => Driver::Uart8250,
            "ttyAMA" => Driver::Pl011,
            "ttymxc" => Driver::Imx,
            "ttySIF" => Driver::Sifive,
            "ttyMSM" => Driver::QcomGeni,
            "ttyUTC" => Driver::TegraUtc,
            _ => Driver::Other,
        }
    }
}

/// Which of printk's two frameworks a console uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framework {
    /// The console lock's.
    Legacy,
    /// Has its own kthread and state word (CON_NBCON).
    Nbcon,
}

/// When a driver fills the port's FIFO with console output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FifoUse {
    /// One byte at a time.
    Never,
    /// Once a tty of the port is open (TTY_PORT_INITIALIZED).
    TtyOpen,
    /// As long as there is room.
    Always,
}

/// How long a driver waits for its transmitter before it overwrites a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TxTimeout {
    /// 10 000 polls, meant as 10 ms.
    #[serde(rename = "10-ms")]
    TenMs,
    /// As many polls as two frames have microseconds.
    TwoFrames,
    /// It waits forever.
    Never,
}

/// When the console registers, at the earliest: a port that a device tree or a bus describes registers with its probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegistersAt {
    /// `console_init`, before any initcall: the PC's ports.
    ConsoleInit,
    /// An arch_initcall.
    ArchInitcall,
    /// A device_initcall (`module_init`).
    DeviceInitcall,
}

impl RegistersAt {
    /// Whether printer kthreads that are ready from `ready` on exist when a console registers at this point.
    pub fn follows(self, ready: ThreadsReady) -> bool {
        match ready {
            ThreadsReady::Never => false,
            ThreadsReady::EarlyInitcall => self > RegistersAt::ConsoleInit,
            ThreadsReady::SubsysInitcall => self > RegistersAt::ArchInitcall,
        }
    }
}
