// SPDX-License-Identifier: MIT OR Apache-2.0
//! How another kernel would print to the console of a boot.
use super::prediction::PredictionError;
use bootline_boot::Boot;
use bootline_console::{
    Behaviour, Driver, DriverWait, Framework, KernelVersion, Printing, RegistrationFlush, ThreadPriority, ThreadsReady,
};

/// The behaviour in another version, with the same driver.
pub(super) fn behaviour(boot: &Boot, version: KernelVersion, rt: bool) -> Result<Behaviour, PredictionError> {
    let console = &boot.line.as_ref().ok_or(PredictionError::NoConsole)?.console;
    let driver = Driver::of_console(&console.name);
    let debian = boot.kernel.release.as_deref().is_some_and(is_debian);
    let unknown = || PredictionError::UnknownKernel(format!("{version}{}", if rt { "-rt" } else { "" }));
    Behaviour::for_driver(version, rt, driver, debian).ok_or_else(unknown)
}

/// Whether a release is named as Debian names its own: `6.18.15+deb14-rt-amd64`, `6.1.0-49-arm64`.
fn is_debian(release: &str) -> bool {
    release.contains("+deb") || ["-amd64", "-arm64"].iter().any(|arch| release.ends_with(arch))
}

/// The behaviour with another way of printing, in a version that has it.
pub(super) fn behaviour_of(printing: Printing, boot: &Boot) -> Behaviour {
    let legacy = boot.line.as_ref().is_none_or(|l| l.console.framework == Framework::Legacy);
    match printing {
        Printing::Nbcon => Behaviour {
            printing,
            threads_ready: ThreadsReady::EarlyInitcall,
            registration: RegistrationFlush::ByThread,
            driver: DriverWait::SpinsIrqsOff,
            thread: ThreadPriority::Highest,
        },
        Printing::ThreadPerRecord => Behaviour::of(Some(KernelVersion::new(6, 19)), true, true),
        Printing::ThreadWholeFlush => Behaviour::of(Some(KernelVersion::new(6, 18)), true, true),
        _ => Behaviour { printing, ..Behaviour::of(boot.kernel.version, false, legacy) },
    }
}
