// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what make wrote to a folder of the cache.
use std::fs;
use std::path::{Path, PathBuf};

use bootline_kbuild::{KernelConfig, SymbolValue};

use super::error::KernelBuildError;
use super::make::Make;
use super::progress::KernelBuildProgress;
use super::request::{KernelBuild, image};
use super::source::{KernelSource, remove};
use crate::kernels::built::BuiltKernel;
use crate::kernels::entry::{self, CONFIG, KernelManifest, VMLINUZ};
use crate::kernels::series::{Flavour, Series};

const SYSTEM_MAP: &str = "System.map";
/// The list of what would be modules if it were not built in.
const BUILT_IN: &str = "modules.builtin";

/// A build that has succeeded.
pub(super) struct Collected<'b> {
    pub build: &'b KernelBuild,
    pub source: &'b KernelSource,
    /// The finished configuration.
    pub config: &'b KernelConfig,
    /// The folder of the build.
    pub folder: &'b Path,
    /// What make wrote.
    pub out: &'b Path,
    pub make: &'b Make<'b>,
}

/// Puts what a build made into a folder of its own, ready to be renamed.
pub(super) fn collect(
    job: &Collected<'_>,
    built: BuiltKernel,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<PathBuf, KernelBuildError> {
    let Collected { build, source, config, folder, out, make } = job;
    let fresh = folder.join("kernel");
    remove(&fresh)?;
    fs::create_dir_all(&fresh).map_err(KernelBuildError::file("create", &fresh))?;
    let (_, image) = image(build.arch);
    for (from, to) in [(image.as_path(), VMLINUZ), (Path::new(".config"), CONFIG), (Path::new(SYSTEM_MAP), SYSTEM_MAP)]
    {
        let from = out.join(from);
        fs::copy(&from, fresh.join(to)).map_err(KernelBuildError::file("copy", &from))?;
    }
    let path = out.join("include/config/kernel.release");
    let release = fs::read_to_string(&path).map_err(KernelBuildError::file("read", &path))?.trim().to_owned();
    let installed = fresh.join("modules");
    let modules = installed.join("lib/modules").join(&release);
    if config.value("MODULES") != SymbolValue::Absent {
        progress(KernelBuildProgress::InstallingModules);
        let to = format!("INSTALL_MOD_PATH={}", installed.display());
        // The systems that load modules by name have a depmod of their own.
        let what = format!("copying the modules of {}", build.label());
        make.run("modules", what, &[&to, "INSTALL_MOD_STRIP=1", "DEPMOD=true", "modules_install"])?;
        for link in ["build", "source"] {
            _ = fs::remove_file(modules.join(link));
        }
    }
    // One without modules has the folder, too: its place in the root of a system.
    let kernel = modules.join("kernel");
    fs::create_dir_all(&kernel).map_err(KernelBuildError::file("create", &kernel))?;
    // Which drivers it has built in, modules_install says only of a kernel with modules.
    let (from, to) = (out.join(BUILT_IN), modules.join(BUILT_IN));
    if from.is_file() && !to.exists() {
        fs::copy(&from, to).map_err(KernelBuildError::file("copy", &from))?;
    }
    let rt = config.value("PREEMPT_RT") != SymbolValue::Absent;
    let sha256_of = |name: &str| {
        let path = fresh.join(name);
        entry::sha256_of(&path).map_err(KernelBuildError::file("read", &path))
    };
    let modules_sha256 = entry::sha256_of_tree(&modules).map_err(KernelBuildError::file("read", &modules))?;
    let manifest = KernelManifest {
        arch: build.arch,
        series: Series { version: source.series, flavour: if rt { Flavour::Rt } else { Flavour::Standard } },
        package: String::new(),
        version: source.label.clone(),
        release,
        suite: String::new(),
        sha256: sha256_of(VMLINUZ)?,
        config_sha256: Some(sha256_of(CONFIG)?),
        built: Some(BuiltKernel { modules_sha256, ..built }),
    };
    entry::seal(&fresh, &manifest)?;
    Ok(fresh)
}
