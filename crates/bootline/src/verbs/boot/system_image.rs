// SPDX-License-Identifier: MIT OR Apache-2.0
//! The image of a system in the state in which it is to be booted.
use std::fs::File;
use std::path::PathBuf;

use bootline_images::image_format::ImageFormat;
use bootline_images::kernels::Kernel;
use bootline_images::systems::{BuildProgress, RootChanges, RootState, System, SystemImage};
use bootline_input::{Exit, Failure};
use bootline_lab::boot::{BootError, derivation, derive, lacks_for, settle};
use bootline_terminal::{Terminal, cancel_on_signals};

use super::failed::failed;
use super::work_folder::WorkFolder;
use crate::build_steps::BuildSteps;
use crate::verbs::systems;

/// The system's image in a state and a file system, from the cache or built. `lock` is called before a system is built or booted, and
/// what it returns is held meanwhile.
pub fn in_state(
    system: System,
    state: RootState,
    format: ImageFormat,
    kernel: &Kernel,
    lock: &dyn Fn() -> Result<Option<File>, BootError>,
    terminal: &Terminal,
) -> Result<SystemImage, Failure> {
    let lacking = lacks_for(kernel, state);
    if !lacking.is_empty() {
        return Err(failed(&BootError::NotForState { kernel: kernel.name(), arch: kernel.arch, state, lacking }));
    }
    if state == RootState::FirstBoot {
        return first_boot(system, kernel, lock, terminal);
    }
    let settled = match systems::cached(system, RootState::Settled, kernel)?.filter(|image| image.manifest.settled) {
        Some(image) => image,
        None => {
            let _locked = lock().map_err(|e| failed(&e))?;
            settled(system, kernel, terminal)?
        }
    };
    let base = systems::in_format(settled, format, kernel, terminal)?;
    let Some(derivation) = derivation(state) else { return Ok(base) };
    let what = match state {
        RootState::Aged => "booting a copy of it and rewriting all its files, which takes minutes, once",
        RootState::Fastmap => "booting a copy of it and writing to it until UBI has written its fastmap, once",
        RootState::Recorded => "booting a copy of it while fastinit records what is read, once",
        RootState::Settled | RootState::FirstBoot | RootState::PowerLost => {
            "booting a copy of it, and cutting its power while it writes"
        }
    };
    let cancel = cancel_on_signals()?;
    let mut guest = |image: &SystemImage| {
        let _locked = lock()?;
        terminal.say(&format!("{system}: {what}"));
        derive(image, state, &kernel.path, &cancel)
    };
    let mut steps = BuildSteps::new(terminal);
    let mut told = |p: BuildProgress| steps.tell(&p.to_string(), p.counts());
    let image = systems::store()?.derived(&base, derivation, &mut told, &mut guest);
    steps.end();
    image.map_err(|e| failed(&e))
}

/// The image that was never booted.
fn first_boot(
    system: System,
    kernel: &Kernel,
    lock: &dyn Fn() -> Result<Option<File>, BootError>,
    terminal: &Terminal,
) -> Result<SystemImage, Failure> {
    if let Some(image) = systems::cached(system, RootState::FirstBoot, kernel)? {
        return Ok(image);
    }
    let _locked = lock().map_err(|e| failed(&e))?;
    systems::first_boot_image(system, kernel, terminal)
}

/// A copy of a system's image with changes, and the folder that holds it; it is removed once that is dropped.
pub fn changed(image: &SystemImage, changes: &RootChanges) -> Result<(PathBuf, WorkFolder), Failure> {
    let folder = WorkFolder::new()?;
    let copy = folder.path().join("root.img");
    changes.copy(&image.path, &copy, folder.path()).map_err(|e| failed(&e.into()))?;
    Ok((copy, folder))
}

/// The image after it was booted once and shut down.
fn settled(system: System, kernel: &Kernel, terminal: &Terminal) -> Result<SystemImage, Failure> {
    let mut image = systems::image(system, kernel, terminal)?;
    if !image.manifest.settled {
        terminal.say(&format!("{system}: booting it once and shutting it down: first boots differ from later ones"));
        settle(&image, &kernel.path, &*cancel_on_signals()?).map_err(|e| failed(&e))?;
        image.set_settled().map_err(|e| Failure::new(Exit::LAB, e.to_string()))?;
    }
    Ok(image)
}
