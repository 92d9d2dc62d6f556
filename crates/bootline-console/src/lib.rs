// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's console subsystem, as it behaves in each version: who prints, who waits, on which machine. It knows no
//! log, so that it can't be fitted to one.
mod behaviour;
mod console_set;
mod driver;
mod engine;
mod outcome;
mod printer;
mod printing;
mod processors;
mod setup;
mod table;
mod uart;
mod workload;

pub use behaviour::{Behaviour, DriverWait, RegistrationFlush, Stock, ThreadsReady, newest};
pub use driver::{Driver, FifoUse, Framework, RegistersAt, TimeOut};
pub use engine::simulate;
pub use outcome::{Carried, Outcome, Stored, UserOutput};
pub use printing::{Printing, Series, printing};
pub use processors::speed_beside_a_thread;
pub use setup::{ConsoleSetup, Contention, KernelClock, Setup};
pub use uart::{Cost, Registers, Uart, Way};
pub use workload::{ConsoleId, Message, Op, TaskId, Workload};

#[cfg(test)]
mod tests;
