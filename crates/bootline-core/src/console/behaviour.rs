// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a version of the kernel prints to a console of a given driver.
use serde::{Deserialize, Serialize};

use super::{Printing, Series, printing};

/// When `printk_set_kthreads_ready` runs: nothing prints by a thread before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadsReady {
    /// There are no printing threads for this console.
    Never,
    /// An early_initcall (6.12 to 7.1).
    EarlyInitcall,
    /// A subsys_initcall (from 7.2 on).
    SubsysInitcall,
}

/// What happens to the records that are there when a console registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegistrationFlush {
    /// The registering task prints them all.
    Synchronous,
    /// The console's thread does, if it can run by then; else the registering task.
    ByThread,
}

/// How the driver waits for the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriverWait {
    /// It spins with interrupts off for a whole record.
    SpinsIrqsOff,
    /// It spins, interrupts on: it takes a processor, and no more.
    Spins,
    /// It sleeps: it takes next to nothing.
    Sleeps,
}

/// How a version of the kernel prints to a console of one driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Who waits for the wire.
    pub printing: Printing,
    /// From when on threads print.
    pub threads_ready: ThreadsReady,
    /// Who prints what is there at the registration.
    pub registration: RegistrationFlush,
    /// How the driver waits.
    pub driver: DriverWait,
}

impl Behaviour {
    /// The behaviour of a console whose framework is known: `legacy` is what the log says when it registers.
    pub fn of(series: Option<Series>, rt: bool, legacy: bool) -> Behaviour {
        let printing = printing(series, rt, legacy);
        let at_least = |major, minor| series.is_some_and(|s| s >= Series::new(major, minor));
        let threaded = !printing.writer_waits();
        let threads_ready = match (threaded, at_least(7, 2)) {
            (false, _) => ThreadsReady::Never,
            (true, true) => ThreadsReady::SubsysInitcall,
            (true, false) => ThreadsReady::EarlyInitcall,
        };
        let by_thread = matches!(printing, Printing::ThreadWholeFlush | Printing::ThreadPerRecord)
            || printing == Printing::Nbcon && at_least(6, 17);
        Behaviour {
            printing,
            threads_ready,
            registration: if by_thread { RegistrationFlush::ByThread } else { RegistrationFlush::Synchronous },
            driver: if rt { DriverWait::Spins } else { DriverWait::SpinsIrqsOff },
        }
    }
}
