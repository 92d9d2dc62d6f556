// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to build.
use std::path::PathBuf;

use super::base::ConfigBase;
use super::fragment::FragmentName;
use super::source_name::SourceName;
use crate::arch::Arch;
use crate::kernels::built::BuiltName;

/// A kernel to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelBuild {
    /// What it will be called in the cache.
    pub name: BuiltName,
    /// For which architecture.
    pub arch: Arch,
    /// Its source.
    pub source: SourceName,
    /// The configuration that the fragments change.
    pub base: ConfigBase,
    /// The fragments, in order: those of bootline by their names, others by their files.
    pub fragments: Vec<FragmentName>,
    /// Number of processes of the compiler.
    pub jobs: usize,
}

impl KernelBuild {
    /// As a user names the kernel: `amd64:tiny`.
    pub fn label(&self) -> String {
        format!("{}:{}", self.arch, self.name)
    }

    /// The parts of make's command line that every step has.
    pub(super) fn words(&self, out: &std::path::Path) -> Vec<String> {
        let mut words = vec![format!("O={}", out.display()), format!("ARCH={}", kernel_arch(self.arch))];
        if let Some(prefix) = cross_compile(self.arch) {
            words.push(format!("CROSS_COMPILE={prefix}"));
        }
        // The same source and configuration give the same kernel, whoever builds it.
        words.extend(
            ["KBUILD_BUILD_USER=bootline", "KBUILD_BUILD_HOST=lab", "KBUILD_BUILD_VERSION=1"].map(str::to_owned),
        );
        words
    }
}

/// The kernel's name of the architecture: that of its folder below `arch`, too.
pub(super) fn kernel_arch(arch: Arch) -> &'static str {
    match arch {
        Arch::Amd64 => "x86",
        Arch::Arm64 => "arm64",
        Arch::Armhf => "arm",
    }
}

/// make's target for the image, and where it is in the build.
pub(super) fn image(arch: Arch) -> (&'static str, PathBuf) {
    match arch {
        Arch::Amd64 => ("bzImage", "arch/x86/boot/bzImage".into()),
        Arch::Arm64 => ("Image", "arch/arm64/boot/Image".into()),
        Arch::Armhf => ("zImage", "arch/arm/boot/zImage".into()),
    }
}

/// The prefix of the compiler's programs; none where the host's own are for this architecture.
pub(super) fn cross_compile(arch: Arch) -> Option<&'static str> {
    let own = std::env::consts::ARCH == arch.qemu_name();
    (!own).then_some(match arch {
        Arch::Amd64 => "x86_64-linux-gnu-",
        Arch::Arm64 => "aarch64-linux-gnu-",
        Arch::Armhf => "arm-linux-gnueabihf-",
    })
}
