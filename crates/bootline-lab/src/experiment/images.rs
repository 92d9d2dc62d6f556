// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels of an experiment, found or fetched before anything is booted.
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definition::{Arm, Experiment, Image};
use super::plan::ExperimentPlan;
use crate::boot::{BootError, arch_of, lacks_built_in};
use crate::module::{Module, ModuleError, with_own};
use bootline_images::arch::Arch;
use bootline_images::kernels::{self, Kernel, Store, sha256_of};

/// A kernel that an arm boots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArmKernel {
    /// As the experiment names it: `6.18-rt`, `arm64:7.2`, a file.
    pub named: String,
    /// The image.
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// Architecture of the guest.
    pub arch: Arch,
    /// What `uname -r` says in a kernel of the cache.
    pub release: Option<String>,
    /// What it was built from, if it was built here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<BuiltFrom>,
    /// The named series, if this kernel is a substitute of another one.
    pub substitute_for: Option<String>,
    /// SHA-256 of the image, in hexadecimal: results contain runs of only one image per arm.
    pub sha256: String,
    /// The kernel in the cache, stock or built here: what its modules are found by.
    #[serde(skip)]
    pub stock: Option<Kernel>,
    /// The modules that the arm's init loads, each a file.
    #[serde(skip)]
    pub modules: Vec<Module>,
}

/// What a kernel was built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuiltFrom {
    /// Debian's version of the source, or the path of the user's own.
    pub source: String,
    /// The configuration that it began with: `tiny`, `stock`, `defconfig` or a file.
    pub base: String,
    /// The fragments on top of it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<String>,
}

impl ArmKernel {
    /// A kernel of the cache, stock or built here.
    pub(super) fn of(named: String, kernel: Kernel, is_substitute: bool) -> ArmKernel {
        let built = kernel.built.as_ref().map(|built| BuiltFrom {
            source: built.source.clone(),
            base: built.base.clone(),
            fragments: built.fragments.clone(),
        });
        ArmKernel {
            named,
            path: kernel.path.clone(),
            arch: kernel.arch,
            release: Some(kernel.release.clone()),
            built,
            substitute_for: is_substitute.then(|| kernel.series.to_string()),
            sha256: kernel.sha256.clone(),
            stock: Some(kernel),
            modules: Vec::new(),
        }
    }
}

/// Why an arm can't be booted.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// Its stock kernel can't be found or fetched.
    #[error("arm `{arm}`: {source}")]
    Stock {
        /// The arm.
        arm: String,
        /// Why.
        source: kernels::Error,
    },
    /// Its image can't be used.
    #[error("arm `{arm}`: {source}")]
    Image {
        /// The arm.
        arm: String,
        /// Why.
        source: BootError,
    },
    /// A file that it names can't be read.
    #[error("arm `{arm}`: can't read {what} `{}`: {source}", path.display())]
    File {
        /// The arm.
        arm: String,
        /// `initramfs`, `device tree` or `module`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Finds or fetches what the plan's arms boot. `store` is opened when a stock kernel is needed.
///
/// # Errors
/// The first arm that can't be booted.
pub fn images(
    experiment: &Experiment,
    plan: &ExperimentPlan,
    store: &Store,
    progress: &mut dyn FnMut(kernels::FetchProgress),
) -> Result<BTreeMap<String, ArmKernel>, ImageError> {
    let arms = experiment.arms.iter().filter(|arm| plan.arms.contains(&arm.name));
    let mut found: BTreeMap<String, ArmKernel> = BTreeMap::new();
    for arm in arms {
        check_files(arm)?;
        let named = arm.image.to_string();
        let before = found.values().find(|b| b.named == named).cloned();
        let booted = match (before, &arm.image) {
            (Some(booted), _) => booted,
            (None, Image::Stock(request)) => {
                let arch = request.arch.unwrap_or(Arch::Amd64);
                let got = if arm.nearest {
                    store.fetch_or_nearest(request.series, arch, progress)
                } else {
                    let kernel = store.fetch(request.series, arch, progress);
                    kernel.map(|kernel| kernels::Substitute { kernel, instead_of: None })
                };
                let got = got.map_err(|source| ImageError::Stock { arm: arm.name.clone(), source })?;
                ArmKernel::of(named, got.kernel, got.instead_of.is_some())
            }
            (None, Image::Built { arch, name }) => {
                let kernel = store.built(name, *arch);
                let kernel = kernel.map_err(|source| ImageError::Stock { arm: arm.name.clone(), source })?;
                ArmKernel::of(named, kernel, false)
            }
            (None, Image::File(path)) => {
                let failed = |source| ImageError::Image { arm: arm.name.clone(), source };
                let arch = arch_of(path).map_err(failed)?;
                let sha256 =
                    sha256_of(path).map_err(|source| failed(BootError::Kernel { path: path.clone(), source }))?;
                ArmKernel {
                    named,
                    path: path.clone(),
                    arch,
                    release: None,
                    built: None,
                    substitute_for: None,
                    sha256,
                    stock: None,
                    modules: Vec::new(),
                }
            }
        };
        if let (false, Some(kernel)) = (arm.initramfs, &booted.stock) {
            let absent = arm.system.iter().flat_map(|system| system.hardware.absent.iter().copied());
            let lacking = lacks_built_in(kernel, absent);
            if !lacking.is_empty() {
                let source = BootError::NotBuiltIn { kernel: kernel.name(), arch: kernel.arch, lacking };
                return Err(ImageError::Image { arm: arm.name.clone(), source });
            }
        }
        let modules = module_files(arm, &booted, store, progress)?;
        found.insert(arm.name.clone(), ArmKernel { modules, ..booted });
    }
    Ok(found)
}

/// The modules of an arm: those that are named by name only are the stock kernel's own.
fn module_files(
    arm: &Arm,
    kernel: &ArmKernel,
    store: &Store,
    progress: &mut dyn FnMut(kernels::FetchProgress),
) -> Result<Vec<Module>, ImageError> {
    let Some(name) = arm.modules.iter().find_map(Module::own_name) else { return Ok(arm.modules.clone()) };
    let failed = |source: ModuleError| ImageError::Image { arm: arm.name.clone(), source: source.into() };
    let Some(stock) = &kernel.stock else { return Err(failed(ModuleError::NotOfKernel { name: name.to_owned() })) };
    let folder = store.modules(stock, progress);
    let folder = folder.map_err(|source| ImageError::Stock { arm: arm.name.clone(), source })?;
    with_own(&arm.modules, &folder).map_err(failed)
}

fn check_files(arm: &Arm) -> Result<(), ImageError> {
    let initrd = arm.initrd.iter().map(|path| ("initramfs", path));
    let dtb = arm.dtb.iter().map(|path| ("device tree", path));
    let modules = arm.modules.iter().filter(|module| module.own_name().is_none());
    let modules = modules.map(|module| ("module", &module.path));
    for (what, path) in initrd.chain(dtb).chain(modules) {
        File::open(path).map_err(|source| ImageError::File {
            arm: arm.name.clone(),
            what,
            path: path.clone(),
            source,
        })?;
    }
    Ok(())
}

impl ImageError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ImageError::Stock { source: error @ kernels::Error::Gone { nearest: Some(nearest), .. }, arm } => {
                let also = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                Some(format!("use {nearest} instead: set `nearest = true` in arm `{arm}`{also}"))
            }
            ImageError::Stock { source, .. } => source.hint(),
            // An experiment has no `--arch`; a series has its own.
            ImageError::Image { source: BootError::UnknownImage { .. }, .. } => {
                Some("name a kernel's image, or a series as `bootline kernels` lists them".to_owned())
            }
            ImageError::Image { source, .. } => source.hint(),
            ImageError::File { .. } => None,
        }
    }
}
