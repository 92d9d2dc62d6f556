// SPDX-License-Identifier: MIT OR Apache-2.0
//! How another kernel would print to the console of a boot.
use super::prediction::Refusal;
use crate::boot::{Boot, Kind};
use crate::console::{Behaviour, DriverWait, Printing, RegistrationFlush, Series, ThreadsReady};

/// In another version. The driver stays.
pub(super) fn behaviour(boot: &Boot, series: Series, rt: bool) -> Result<Behaviour, Refusal> {
    let console = &boot.line.as_ref().ok_or(Refusal::NoConsole)?.console;
    // The PL011 is an nbcon console from 6.16 on; the 8250 stays a legacy one.
    let nbcon = console.name.starts_with("ttyAMA") && series >= Series::new(6, 16);
    Ok(Behaviour::of(Some(series), rt, !nbcon))
}

/// By another way of printing, in a version that has it.
pub(super) fn behaviour_of(printing: Printing, boot: &Boot) -> Behaviour {
    let legacy = boot.line.as_ref().is_none_or(|l| l.console.kind == Kind::Legacy);
    match printing {
        Printing::Nbcon => Behaviour {
            printing,
            threads_ready: ThreadsReady::EarlyInitcall,
            registration: RegistrationFlush::ByThread,
            driver: DriverWait::SpinsIrqsOff,
        },
        Printing::ThreadPerRecord => Behaviour::of(Some(Series::new(6, 19)), true, true),
        Printing::ThreadWholeFlush => Behaviour::of(Some(Series::new(6, 18)), true, true),
        _ => Behaviour { printing, ..Behaviour::of(boot.kernel.series, false, legacy) },
    }
}
