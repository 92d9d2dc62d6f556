// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab's own programs for guests, static and embedded at build time. Each is `None` if there was no compiler for the
//! architecture (see [`Arch::compiler_package`]).
use crate::arch::Arch;

/// The init that reports when user space started (`init/init.c`).
pub fn init(arch: Arch) -> Option<&'static [u8]> {
    embedded(match arch {
        Arch::Amd64 => include_bytes!(concat!(env!("OUT_DIR"), "/init-x86_64")),
        Arch::Arm64 => include_bytes!(concat!(env!("OUT_DIR"), "/init-aarch64")),
        Arch::Armhf => include_bytes!(concat!(env!("OUT_DIR"), "/init-arm")),
    })
}

/// The init of an initramfs that mounts the root of a system and hands over to it (`init/root.c`).
pub fn root(arch: Arch) -> Option<&'static [u8]> {
    embedded(match arch {
        Arch::Amd64 => include_bytes!(concat!(env!("OUT_DIR"), "/root-x86_64")),
        Arch::Arm64 => include_bytes!(concat!(env!("OUT_DIR"), "/root-aarch64")),
        Arch::Armhf => include_bytes!(concat!(env!("OUT_DIR"), "/root-arm")),
    })
}

/// The application of the systems (`init/app.c`).
pub fn app(arch: Arch) -> Option<&'static [u8]> {
    embedded(match arch {
        Arch::Amd64 => include_bytes!(concat!(env!("OUT_DIR"), "/app-x86_64")),
        Arch::Arm64 => include_bytes!(concat!(env!("OUT_DIR"), "/app-aarch64")),
        Arch::Armhf => include_bytes!(concat!(env!("OUT_DIR"), "/app-arm")),
    })
}

/// The init that starts an application before the system's own init (`init/fastinit`).
pub fn fastinit(arch: Arch) -> Option<&'static [u8]> {
    embedded(match arch {
        Arch::Amd64 => include_bytes!(concat!(env!("OUT_DIR"), "/fastinit-x86_64")),
        Arch::Arm64 => include_bytes!(concat!(env!("OUT_DIR"), "/fastinit-aarch64")),
        Arch::Armhf => include_bytes!(concat!(env!("OUT_DIR"), "/fastinit-arm")),
    })
}

fn embedded(program: &'static [u8]) -> Option<&'static [u8]> {
    (!program.is_empty()).then_some(program)
}
