// SPDX-License-Identifier: MIT OR Apache-2.0
//! The image of a system in the state in which it is to be booted.
use std::fs::File;
use std::path::PathBuf;

use bootline_images::kernels::Kernel;
use bootline_images::systems::{BuildProgress, RootChanges, RootState, System, SystemImage};
use bootline_input::{Exit, Failure};
use bootline_lab::boot::{BootError, cut_power, settle};
use bootline_terminal::Terminal;
use tempfile::TempDir;

use super::failed::failed;
use super::work_folder::folder;
use crate::build_steps::BuildSteps;
use crate::verbs::systems;

/// The system's image in a state, from the cache or built. `lock` is called before any such work, and what it returns is held
/// meanwhile.
pub fn in_state(
    system: System,
    state: RootState,
    kernel: &Kernel,
    lock: &dyn Fn() -> Result<Option<File>, BootError>,
    terminal: &Terminal,
) -> Result<SystemImage, Failure> {
    let is_ready = |image: &SystemImage| image.manifest.settled || state == RootState::FirstBoot;
    if let Some(image) = systems::cached(system, state, kernel)?.filter(is_ready) {
        return Ok(image);
    }
    let _locked = lock().map_err(|e| failed(&e))?;
    match state {
        RootState::Settled => settled(system, kernel, terminal),
        RootState::FirstBoot => systems::first_boot_image(system, kernel, terminal),
        RootState::PowerLost => {
            let settled = settled(system, kernel, terminal)?;
            let mut cut = |image: &SystemImage| {
                terminal.say(&format!("{system}: booting a copy of it, and cutting its power while it writes"));
                cut_power(image, &kernel.path)
            };
            let mut steps = BuildSteps::new(terminal);
            let mut told = |p: BuildProgress| steps.tell(&p.to_string(), p.counts());
            let image = systems::store()?.power_lost_image(&settled, kernel, &mut told, &mut cut);
            steps.end();
            image.map_err(|e| failed(&e))
        }
    }
}

/// A copy of a system's image with changes, and the folder that holds it; it is removed once that is dropped.
pub fn changed(image: &SystemImage, changes: &RootChanges) -> Result<(PathBuf, TempDir), Failure> {
    let folder = folder()?;
    let copy = folder.path().join("root.img");
    changes.copy(&image.path, &copy, folder.path()).map_err(|e| failed(&e.into()))?;
    Ok((copy, folder))
}

/// The image after it was booted once and shut down.
fn settled(system: System, kernel: &Kernel, terminal: &Terminal) -> Result<SystemImage, Failure> {
    let mut image = systems::image(system, kernel, terminal)?;
    if !image.manifest.settled {
        terminal.say(&format!("{system}: booting it once and shutting it down: first boots differ from later ones"));
        settle(&image, &kernel.path).map_err(|e| failed(&e))?;
        image.set_settled().map_err(|e| Failure::new(Exit::LAB, e.to_string()))?;
    }
    Ok(image)
}
