// SPDX-License-Identifier: MIT OR Apache-2.0
//! A guest that configures the packages of a system whose programs do not run on this host.
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bootline_capture::units::Baud;
use bootline_images::hardware::Hardware;
use bootline_images::roots::FileSystem;
use bootline_images::systems::{BuildProgress, RootChanges, UnconfiguredRoot};
use regex::bytes::Regex;

use super::settle::boot_guest;
use super::system::BootedRoot;
use super::{BootError, BootRequest, SystemBoot, Writes};

/// Time limit. The largest system takes some ten minutes on an idle host.
const PATIENCE: Duration = Duration::from_secs(2 * 60 * 60);
/// Fast, since nothing is measured.
const BAUD: u32 = 921_600;
/// Scripts in Perl and Python take more than a boot.
const MEMORY_MIB: u32 = 1024;

/// Boots the image, whose init configures the packages, and keeps what it wrote.
///
/// # Errors
/// It can't be booted, or did not come to its end. Whether the packages are configured is seen in the image.
pub fn configure(
    root: &UnconfiguredRoot,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(BuildProgress),
) -> Result<(), BootError> {
    let system = SystemBoot {
        root: BootedRoot::Own { file_system: FileSystem::Ext4, partition: None },
        image: root.image.clone(),
        initramfs: root.initramfs.clone(),
        hardware: Hardware::default(),
        storage: None,
        state: None,
        release: None,
        changes: RootChanges::default(),
        writes: Writes::Kept,
        added_memory_mib: 0,
    };
    let request = BootRequest {
        system: Some(system),
        append: format!("rw quiet init={}", UnconfiguredRoot::INIT),
        arch: Some(root.kernel.arch),
        baud: Baud::new(BAUD),
        smp: 2,
        memory_mib: MEMORY_MIB,
        marker: Some(Regex::new(&format!("^{}", UnconfiguredRoot::DONE)).expect("a constant that a boot compiles")),
        timeout: Some(PATIENCE),
        ..BootRequest::new(&root.kernel.path, Path::new(""))
    };
    let mut told = None;
    boot_guest(root.system, &request, cancel, &mut |p| {
        let now = UnconfiguredRoot::progress(p.last_line);
        if now.is_some() && now != told {
            told = now;
            let (done, all) = now.unwrap_or_default();
            progress(BuildProgress::Configuring { done, all });
        }
    })
    .map(drop)
}
