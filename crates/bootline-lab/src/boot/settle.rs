// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots that prepare an image: the first one, which creates what later ones find (keys, caches, the journal's folder), and those
//! that leave it in another state.
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bootline_images::systems::{Derivation, RootState, SystemImage};

use super::system::WRITE_FILES;
use super::{BootError, BootRequest, RunVerdict, SystemBoot, Writes, ageing, boot};
use crate::fidelity::FidelityFlaw;

/// How often an image is booted in vain: the translator kills a few boots in a hundred.
const ATTEMPTS: u32 = 3;
/// Time limit for a guest that writes a whole system anew. The largest takes some ten minutes on an idle host.
const AGEING_PATIENCE: Duration = Duration::from_secs(2 * 60 * 60);

/// Boots the image, lets the system shut itself down, and keeps what it wrote.
///
/// # Errors
/// It can't be booted, or did not reach its marks.
pub fn settle(image: &SystemImage, kernel: &Path) -> Result<(), BootError> {
    prepare(image, kernel, Writes::Kept)
}

/// How a guest brings a settled image into a state, by [`derive`]; none for a state that takes none.
pub fn derivation(state: RootState) -> Option<Derivation<'static>> {
    match state {
        RootState::Settled | RootState::FirstBoot => None,
        RootState::PowerLost => Some(Derivation { state, script: WRITE_FILES }),
        RootState::Aged => Some(Derivation { state, script: ageing::SCRIPT }),
    }
}

/// Boots the image, and leaves it in this state. Nothing is done for one that takes no guest.
///
/// # Errors
/// As for [`settle`]; the guest could not replace the image's files.
pub fn derive(image: &SystemImage, state: RootState, kernel: &Path) -> Result<(), BootError> {
    match state {
        RootState::Settled | RootState::FirstBoot => Ok(()),
        RootState::PowerLost => prepare(image, kernel, Writes::CutOff),
        RootState::Aged => prepare(image, kernel, Writes::Aged),
    }
}

fn prepare(image: &SystemImage, kernel: &Path, writes: Writes) -> Result<(), BootError> {
    let is_aged = writes == Writes::Aged;
    for attempt in 1.. {
        let dir = tempfile::tempdir().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
        let request = BootRequest {
            system: Some(SystemBoot { writes, ..SystemBoot::new(image) }),
            smp: 2,
            append: format!("quiet {}", if is_aged { ageing::PARAMETERS } else { "" }),
            timeout: is_aged.then_some(AGEING_PATIENCE),
            ..BootRequest::new(kernel, dir.path())
        };
        let outcome = boot(&request, &AtomicBool::new(false), &mut |_| {})?;
        let died = outcome.truth.fidelity.flaws.contains(&FidelityFlaw::EmulatorBreakpoint);
        match outcome.truth.verdict {
            // Other flaws are the line's, which does not matter here.
            RunVerdict::Valid | RunVerdict::Invalid if !died && is_aged => return check_aged(image, dir.path()),
            RunVerdict::Valid | RunVerdict::Invalid if !died => return Ok(()),
            _ if attempt < ATTEMPTS => {}
            verdict => {
                return Err(BootError::Unprepared { system: image.manifest.system, verdict: Box::new(verdict) });
            }
        }
    }
    unreachable!("the last attempt is never repeated")
}

fn check_aged(image: &SystemImage, run: &Path) -> Result<(), BootError> {
    // A guest that said nothing has no file.
    let report = fs::read_to_string(run.join(ageing::ANSWER)).unwrap_or_default();
    match ageing::replaced(&report) {
        Some(_) => Ok(()),
        None => {
            let said = report.lines().last().unwrap_or("nothing").to_owned();
            Err(BootError::NotAged { system: image.manifest.system, said })
        }
    }
}
