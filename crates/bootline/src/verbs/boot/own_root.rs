// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot of a root file system of the user's own.
use std::path::{Path, PathBuf};

use bootline_images::arch::Arch;
use bootline_images::hardware::Hardware;
use bootline_images::kernels::Kernel;
use bootline_images::roots::{OwnRoot, RootError, own_initramfs};
use bootline_input::{Exit, Failure};
use bootline_lab::boot::{SystemBoot, arch_of};
use bootline_lab::experiment::{ArmKernel, ArmSystemImage};
use bootline_terminal::Terminal;

use super::failed::failed;
use super::work_folder::{WorkFolder, written};
use crate::verbs::kernels;

/// The kernel that boots a root.
pub struct BootedWith<'a> {
    /// The kernel's image.
    pub kernel: &'a Path,
    /// Its architecture, if it is known.
    pub arch: Option<Arch>,
    /// The stock kernel, if it is one: it has modules.
    pub stock: Option<&'a Kernel>,
}

/// The boot of a root, recognised or packed, and the folder with its initramfs and perhaps its image.
pub fn boot(
    root: &Path,
    partition: Option<u32>,
    hardware: Hardware,
    with: &BootedWith<'_>,
    terminal: &Terminal,
) -> Result<(SystemBoot, WorkFolder), Failure> {
    let Prepared { root, initramfs, work } = prepared(root, partition, &hardware, with, terminal)?;
    Ok((SystemBoot { hardware, ..SystemBoot::of_own(&root, initramfs) }, work))
}

struct Prepared {
    root: OwnRoot,
    initramfs: PathBuf,
    /// Where the initramfs is, and perhaps the image.
    work: WorkFolder,
}

fn prepared(
    root: &Path,
    partition: Option<u32>,
    hardware: &Hardware,
    with: &BootedWith<'_>,
    terminal: &Terminal,
) -> Result<Prepared, Failure> {
    let arch = with.arch.map_or_else(|| arch_of(with.kernel), Ok).map_err(|e| failed(&e))?;
    let modules = with.stock.map(|stock| kernels::modules(stock, terminal)).transpose()?;
    let work = WorkFolder::new()?;
    let root = OwnRoot::prepare(root, partition, work.path()).map_err(|e| unusable(&e))?;
    let root = root.fitted(hardware, work.path()).map_err(|e| unusable(&e))?;
    let archive = own_initramfs(&root, arch, hardware, modules.as_deref()).map_err(|e| unusable(&e))?;
    let initramfs = written(&archive, &work)?;
    Ok(Prepared { root, initramfs, work })
}

/// The image of an arm's root, with the SHA-256 by which its results know it.
pub fn own_image(
    root: &Path,
    partition: Option<u32>,
    hardware: &Hardware,
    kernel: &ArmKernel,
    terminal: &Terminal,
) -> Result<(ArmSystemImage, WorkFolder), Failure> {
    let sha256 = OwnRoot::sha256(root).map_err(|e| unusable(&e))?;
    let with = BootedWith { kernel: &kernel.path, arch: Some(kernel.arch), stock: kernel.stock.as_ref() };
    let prepared = prepared(root, partition, hardware, &with, terminal)?;
    Ok((ArmSystemImage::of_own(&prepared.root, prepared.initramfs, sha256), prepared.work))
}

fn unusable(error: &RootError) -> Failure {
    let exit = match error {
        RootError::Pack(_) => Exit::LAB,
        RootError::NoTable { .. } | RootError::SeveralPartitions { .. } | RootError::NotThatPartition { .. } => {
            Exit::USAGE
        }
        _ => Exit::INPUT,
    };
    let failure = Failure::new(exit, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
