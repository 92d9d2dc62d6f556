// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's console subsystem, as it behaves in each version: who prints, who waits, on which machine. It knows no
//! log, so that it can't be fitted to one.
mod behaviour;
mod console_lock;
mod console_module;
mod console_set;
mod driver;
mod engine;
mod engine_state;
mod fast_forward;
mod kernel_version;
mod printer;
mod printer_kthread;
mod printing;
mod processors;
mod registration;
mod simulation_outcome;
mod simulation_setup;
mod table;
mod uart;
mod user_output;
mod work_left;
mod workload;
mod writer;

pub use behaviour::{Behaviour, DriverBehaviour, newest, printing};
pub use console_module::{ConsoleModule, relay_prints_in_bursts};
pub use driver::{Driver, FifoUse, Framework, RegistersAt, TxTimeout};
pub use engine::{simulate, simulate_times};
pub use kernel_version::{KernelVersion, NotAVersion};
pub use printing::{DriverWait, Printing, RegistrationFlush, ThreadPriority, ThreadsReady};
pub use processors::speed_with_busy_printer;
pub use simulation_outcome::{SimulationOutcome, SimulationTimes, StoredRecord, TransmittedRecord, UserOutput};
pub use simulation_setup::{Contention, KernelClock, ModelledConsole, SimulationSetup};
pub use uart::{Registers, TransmitCost, TransmitMode, Uart};
pub use workload::{ConsoleId, Message, Op, TaskId, Workload};

#[cfg(test)]
mod tests;
