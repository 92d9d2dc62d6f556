// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots that prepare an image: the first one, which creates what later ones find (keys, caches, the journal's folder), and those
//! that leave it in another state.
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bootline_images::systems::{Derivation, RootState, System, SystemImage};
use tempfile::TempDir;

use super::system::{WRITE_FILES, WRITTEN, is_written};
use super::{BootError, BootProgress, BootRequest, RunVerdict, SystemBoot, Writes, ageing, boot};
use crate::fidelity::FidelityFlaw;

/// How often an image is booted in vain: the translator kills a few boots in a hundred.
const ATTEMPTS: u32 = 3;
/// Time limit for a guest that rewrites a whole system. The largest takes some ten minutes on an idle host.
const AGEING_PATIENCE: Duration = Duration::from_secs(2 * 60 * 60);

/// Boots the image, lets the system shut itself down, and keeps what it wrote.
///
/// # Errors
/// It can't be booted, did not reach its marks, or `cancel` was set meanwhile.
pub fn settle(image: &SystemImage, kernel: &Path, cancel: &AtomicBool) -> Result<(), BootError> {
    prepare(image, kernel, Writes::Kept, cancel)
}

/// How a guest brings a settled image into a state, by [`derive`]; none for a state that takes none.
pub fn derivation(state: RootState) -> Option<Derivation<'static>> {
    guest_work(state).map(|(_, script)| Derivation { state, script })
}

/// What a guest does to an image that is to be in this state, and the script that it runs.
fn guest_work(state: RootState) -> Option<(Writes, &'static str)> {
    match state {
        RootState::Settled | RootState::FirstBoot => None,
        RootState::PowerLost => Some((Writes::CutOff, WRITE_FILES)),
        RootState::Aged => Some((Writes::Aged, ageing::SCRIPT)),
    }
}

/// Boots the image, and leaves it in this state. Nothing is done for one that takes no guest.
///
/// # Errors
/// As for [`settle`]; the guest could not write what the state demands.
pub fn derive(image: &SystemImage, state: RootState, kernel: &Path, cancel: &AtomicBool) -> Result<(), BootError> {
    guest_work(state).map_or(Ok(()), |(writes, _)| prepare(image, kernel, writes, cancel))
}

fn prepare(image: &SystemImage, kernel: &Path, writes: Writes, cancel: &AtomicBool) -> Result<(), BootError> {
    let is_aged = writes == Writes::Aged;
    let request = BootRequest {
        system: Some(SystemBoot { writes, ..SystemBoot::new(image) }),
        smp: 2,
        append: format!("quiet {}", if is_aged { ageing::PARAMETERS } else { "" }),
        timeout: is_aged.then_some(AGEING_PATIENCE),
        ..BootRequest::new(kernel, Path::new(""))
    };
    let run = boot_guest(image.manifest.system, &request, cancel, &mut |_| {})?;
    let said = |file| fs::read_to_string(run.path().join(file)).unwrap_or_default();
    let (report, done) = match writes {
        Writes::Discarded | Writes::Kept => return Ok(()),
        Writes::CutOff => (said(WRITTEN), is_written as fn(&str) -> bool),
        Writes::Aged => (said(ageing::ANSWER), ageing::is_aged as fn(&str) -> bool),
    };
    if done(&report) {
        if is_aged {
            // What a guest has written all over is proven by a boot before it counts.
            let system = Some(SystemBoot::new(image));
            let proof = BootRequest { system, append: "quiet".to_owned(), timeout: None, ..request };
            boot_guest(image.manifest.system, &proof, cancel, &mut |_| {})?;
        }
        return Ok(());
    }
    let said = report.lines().last().unwrap_or("nothing").to_owned();
    Err(BootError::NotWritten { system: image.manifest.system, said })
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
