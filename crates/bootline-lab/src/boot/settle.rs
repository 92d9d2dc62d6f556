// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first boot of an image, which creates what later ones find: keys, caches, the journal's folder.
use std::path::Path;
use std::sync::atomic::AtomicBool;

use bootline_images::systems::SystemImage;

use super::{BootError, BootRequest, RunVerdict, SystemBoot, boot};
use crate::fidelity::FidelityFlaw;

/// How often an image is booted in vain: the translator kills a few boots in a hundred.
const ATTEMPTS: u32 = 3;

/// Boots the image, lets the system shut itself down, and keeps what it wrote.
///
/// # Errors
/// It can't be booted, or did not reach its marks.
pub fn settle(image: &SystemImage, kernel: &Path) -> Result<(), BootError> {
    for attempt in 1.. {
        let dir = tempfile::tempdir().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
        let request = BootRequest {
            system: Some(SystemBoot { settle: true, ..SystemBoot::new(image) }),
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
                return Err(BootError::Unsettled { system: image.manifest.system, verdict: Box::new(verdict) });
            }
        }
    }
    unreachable!("the last attempt is never repeated")
}
