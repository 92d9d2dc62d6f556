// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots that prepare an image: the first one, which creates what later ones find (keys, caches, the journal's folder), and those
//! that leave it in another state.
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use bootline_images::systems::{Derivation, RootState, System, SystemImage};
use tempfile::TempDir;

use super::guest_work::{GuestWork, Proof};
use super::{
    BootError, BootProgress, BootRequest, RunVerdict, SystemBoot, Writes, ageing, boot, fastmap, files, power_cut,
    recording,
};
use crate::fidelity::FidelityFlaw;

/// How often an image is booted in vain: the translator kills a few boots in a hundred.
const ATTEMPTS: u32 = 3;

/// Boots the image, lets the system shut itself down, and keeps what it wrote.
///
/// # Errors
/// It can't be booted, did not reach its marks, or `cancel` was set meanwhile.
pub fn settle(image: &SystemImage, kernel: &Path, cancel: &AtomicBool) -> Result<(), BootError> {
    let request = preparing(image, kernel, Writes::Kept);
    boot_guest(image.manifest.system, &request, cancel, &mut |_| {}).map(|_| ())
}

/// What a guest does to bring a root into this state; none for a state that takes no guest.
fn work_for(state: RootState) -> Option<&'static GuestWork> {
    match state {
        RootState::Settled | RootState::FirstBoot => None,
        RootState::PowerLost => Some(&power_cut::WORK),
        RootState::Aged => Some(&ageing::WORK),
        RootState::Fastmap => Some(&fastmap::WORK),
        RootState::Recorded => Some(&recording::WORK),
    }
}

/// How a guest brings a settled image into a state, by [`derive`]; none for a state that takes none.
pub fn derivation(state: RootState) -> Option<Derivation<'static>> {
    work_for(state).map(|work| Derivation { state, parameters: work.parameters, script: work.script })
}

/// Boots the image, and leaves it in this state. Nothing is done for one that takes no guest.
///
/// # Errors
/// As for [`settle`]; the guest could not write what the state demands, or a boot does not find the image in that state.
pub fn derive(image: &SystemImage, state: RootState, kernel: &Path, cancel: &AtomicBool) -> Result<(), BootError> {
    let Some(work) = work_for(state) else { return Ok(()) };
    let system = image.manifest.system;
    let writing = preparing(image, kernel, Writes::Worked(work));
    let writing = BootRequest {
        append: format!("{} {}", writing.append, work.parameters),
        timeout: work.patience.or(writing.timeout),
        ..writing
    };
    let run = boot_guest(system, &writing, cancel, &mut |_| {})?;
    let report = fs::read_to_string(run.path().join(work.report)).unwrap_or_default();
    if !work.is_done(&report) {
        let said = report.lines().last().unwrap_or("nothing").to_owned();
        return Err(BootError::NotWritten { system, said });
    }
    let wanted = match work.proof {
        Proof::None => return Ok(()),
        // Whatever the log says.
        Proof::Boots => "",
        Proof::Logs(wanted) => wanted,
    };
    let proof = boot_guest(system, &preparing(image, kernel, Writes::Discarded), cancel, &mut |_| {})?;
    let log = fs::read_to_string(proof.path().join(files::KMSG)).unwrap_or_default();
    if log.contains(wanted) { Ok(()) } else { Err(BootError::NotInState { system, state, wanted }) }
}

/// The boot of an image that is to be prepared, as fast as the host is.
fn preparing(image: &SystemImage, kernel: &Path, writes: Writes) -> BootRequest {
    BootRequest {
        system: Some(SystemBoot { writes, ..SystemBoot::new(image) }),
        smp: 2,
        append: "quiet".to_owned(),
        ..BootRequest::new(kernel, Path::new(""))
    }
}

/// Boots a guest that prepares a system, again if the translator killed it, and returns the folder of its run. The directory of the
/// request is not used.
pub(super) fn boot_guest(
    system: System,
    request: &BootRequest,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(&BootProgress<'_>),
) -> Result<TempDir, BootError> {
    for attempt in 1.. {
        let dir = tempfile::tempdir().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
        let request = BootRequest { dir: dir.path().to_owned(), ..request.clone() };
        let truth = boot(&request, cancel, progress)?.truth;
        let died = truth.fidelity.flaws.contains(&FidelityFlaw::EmulatorBreakpoint);
        match truth.verdict {
            // Other flaws are the line's, which does not matter here.
            RunVerdict::Valid | RunVerdict::Invalid if !died => return Ok(dir),
            RunVerdict::Interrupted => return Err(BootError::Interrupted),
            _ if attempt < ATTEMPTS => {}
            verdict => return Err(BootError::Unprepared { system, verdict: Box::new(verdict) }),
        }
    }
    unreachable!("the last attempt is never repeated")
}

#[cfg(test)]
mod tests {
    use super::super::system::LONGEST_COMMAND;
    use super::*;

    #[test]
    fn each_script_is_a_line_that_says_when_all_is_done() {
        for state in RootState::ALL {
            let Some(work) = work_for(state) else {
                assert!(!state.is_derived(), "{state}");
                continue;
            };
            assert!(state.is_derived() && work.script.contains(work.done), "{state}");
            assert!(!work.script.contains('\n') && work.script.len() < LONGEST_COMMAND, "{state}");
            assert_eq!(work.starts_init, !work.parameters.contains("init=/bin/sh"), "{state}");
        }
    }
}
