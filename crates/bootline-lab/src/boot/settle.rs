// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots that prepare an image: the first one, which creates what later ones find (keys, caches, the journal's folder), and one
//! that ends in a loss of power.
use std::path::Path;
use std::sync::atomic::AtomicBool;

use bootline_images::systems::SystemImage;

use super::{BootError, BootRequest, RunVerdict, SystemBoot, Writes, boot};
use crate::fidelity::FidelityFlaw;

/// How often an image is booted in vain: the translator kills a few boots in a hundred.
const ATTEMPTS: u32 = 3;

/// Boots the image, lets the system shut itself down, and keeps what it wrote.
///
/// # Errors
/// It can't be booted, or did not reach its marks.
pub fn settle(image: &SystemImage, kernel: &Path) -> Result<(), BootError> {
    prepare(image, kernel, Writes::Kept)
}

/// Boots the image, writes files, and cuts the power: what is kept has a journal to be replayed.
///
/// # Errors
/// As for [`settle`].
pub fn cut_power(image: &SystemImage, kernel: &Path) -> Result<(), BootError> {
    prepare(image, kernel, Writes::CutOff)
}

fn prepare(image: &SystemImage, kernel: &Path, writes: Writes) -> Result<(), BootError> {
    for attempt in 1.. {
        let dir = tempfile::tempdir().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
        let request = BootRequest {
            system: Some(SystemBoot { writes, ..SystemBoot::new(image) }),
            smp: 2,
            append: "quiet".to_owned(),
            ..BootRequest::new(kernel, dir.path())
        };
        let outcome = boot(&request, &AtomicBool::new(false), &mut |_| {})?;
        let died = outcome.truth.fidelity.flaws.contains(&FidelityFlaw::EmulatorBreakpoint);
        match outcome.truth.verdict {
            // Other flaws are the line's, which does not matter here.
            RunVerdict::Valid | RunVerdict::Invalid if !died => return Ok(()),
            _ if attempt < ATTEMPTS => {}
            verdict => {
                return Err(BootError::Unprepared { system: image.manifest.system, verdict: Box::new(verdict) });
            }
        }
    }
    unreachable!("the last attempt is never repeated")
}
