// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boot loaders of an experiment, built before anything is booted.
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use bootline_images::loaders::{Loader, LoaderFirmware, LoaderImage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definition::{ArmLoader, Experiment};
use super::plan::ExperimentPlan;
use crate::boot::LoaderBoot;

/// The boot loader of an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArmLoaderImage {
    /// The loader.
    pub loader: Loader,
    /// Version of the loader.
    pub version: String,
    /// The firmware that starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<LoaderFirmware>,
    /// The loader itself, next to its other files.
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// SHA-256 of its files, its firmware among them: results contain runs of only one loader per arm.
    pub sha256: String,
}

impl ArmLoaderImage {
    /// What results keep of a loader.
    pub fn of(image: LoaderImage) -> ArmLoaderImage {
        ArmLoaderImage {
            path: image.path(),
            sha256: image.sha256(),
            loader: image.manifest.loader,
            version: image.manifest.version,
            firmware: image.manifest.firmware,
        }
    }

    /// The boot by this loader as an arm sets it up.
    pub(super) fn boot(&self, arm: ArmLoader) -> LoaderBoot {
        LoaderBoot {
            loader: self.loader,
            folder: self.path.parent().map(Path::to_owned).unwrap_or_default(),
            version: self.version.clone(),
            firmware: self.firmware.clone(),
            setup: arm.setup,
        }
    }
}

impl fmt::Display for ArmLoaderImage {
    /// For messages: the loader and its image.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArmLoaderImage { loader, version, firmware, sha256, .. } = self;
        write!(f, "{loader} {version}")?;
        if let Some(LoaderFirmware { name, version }) = firmware {
            write!(f, " on {name} {version}")?;
        }
        write!(f, " (sha256 {})", sha256.get(..12).unwrap_or_default())
    }
}

/// The boot loaders of the plan's arms, by the arms' names. `prepare` builds one, or finds it in the cache; it gets the arm's name,
/// and is called once for each loader.
///
/// # Errors
/// The first error of `prepare`.
pub fn loaders<E>(
    experiment: &Experiment,
    plan: &ExperimentPlan,
    prepare: &mut dyn FnMut(&str, Loader) -> Result<ArmLoaderImage, E>,
) -> Result<BTreeMap<String, ArmLoaderImage>, E> {
    let mut found: BTreeMap<String, ArmLoaderImage> = BTreeMap::new();
    for arm in experiment.arms.iter().filter(|arm| plan.arms.contains(&arm.name)) {
        let Some(ArmLoader { loader, .. }) = arm.loader else { continue };
        let image = match found.values().find(|image| image.loader == loader) {
            Some(image) => image.clone(),
            None => prepare(&arm.name, loader)?,
        };
        found.insert(arm.name.clone(), image);
    }
    Ok(found)
}
