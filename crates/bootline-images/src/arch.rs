// SPDX-License-Identifier: MIT OR Apache-2.0
//! The architectures that the lab boots, and what differs between them: one `match` for each fact.
use std::fmt;
use std::str::FromStr;

use bootline_capture::units::Baud;
use bootline_console::Driver;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An architecture that the lab boots. `Display` writes Debian's name, as do the kernels' cache and its manifests; the
/// documents on runs have QEMU's. Both are read everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "The architecture of a guest.")]
pub enum Arch {
    /// A PC with two 16550s: ttyS0 is the console, ttyS1 the truth port.
    #[serde(rename = "x86_64", alias = "amd64")]
    Amd64,
    /// The machine `virt`: a PL011, ttyAMA0, is the console, a 16550 on PCI the truth port.
    #[serde(rename = "aarch64", alias = "arm64")]
    Arm64,
    /// 32-bit ARM, ARMv7: the machine `virt` as for aarch64.
    #[serde(rename = "arm", alias = "armhf")]
    Armhf,
}

impl Arch {
    /// All of them.
    pub const ALL: [Arch; 3] = [Arch::Amd64, Arch::Arm64, Arch::Armhf];

    /// Debian's name: `amd64`, `arm64` or `armhf`.
    pub fn debian_name(self) -> &'static str {
        match self {
            Arch::Amd64 => "amd64",
            Arch::Arm64 => "arm64",
            Arch::Armhf => "armhf",
        }
    }

    /// What the names of Debian's kernels for it end with: `armmp`, for several platforms, on armhf.
    pub(crate) fn kernel_suffix(self) -> &'static str {
        match self {
            Arch::Amd64 | Arch::Arm64 => self.debian_name(),
            Arch::Armhf => "armmp",
        }
    }

    /// QEMU's and the kernel's name: `x86_64`, `aarch64` or `arm`.
    pub fn qemu_name(self) -> &'static str {
        match self {
            Arch::Amd64 => "x86_64",
            Arch::Arm64 => "aarch64",
            Arch::Armhf => "arm",
        }
    }

    /// The architecture of a kernel image, from its first bytes; `None` for other architectures and compressed images.
    pub fn of_kernel(image: &[u8]) -> Option<Arch> {
        Arch::ALL.into_iter().find(|arch| {
            let (at, magic) = arch.image_magic();
            image.get(at..at + magic.len()) == Some(magic)
        })
    }

    /// The bytes that identify a kernel image, and their offset in it.
    fn image_magic(self) -> (usize, &'static [u8]) {
        match self {
            // Documentation/arch/x86/boot.rst
            Arch::Amd64 => (0x202, b"HdrS"),
            // Documentation/arch/arm64/booting.rst
            Arch::Arm64 => (0x38, b"ARM\x64"),
            // A zImage: arch/arm/boot/compressed/head.S, which has 0x016f2818 there.
            Arch::Armhf => (0x24, b"\x18\x28\x6f\x01"),
        }
    }

    /// QEMU's program for this architecture.
    pub fn qemu_program(self) -> &'static str {
        match self {
            Arch::Amd64 => "qemu-system-x86_64",
            Arch::Arm64 => "qemu-system-aarch64",
            Arch::Armhf => "qemu-system-arm",
        }
    }

    /// The Debian package that holds [`qemu_program`](Arch::qemu_program).
    pub fn qemu_package(self) -> &'static str {
        match self {
            Arch::Amd64 => "qemu-system-x86",
            Arch::Arm64 | Arch::Armhf => "qemu-system-arm",
        }
    }

    /// QEMU's machine.
    pub fn machine(self) -> &'static str {
        match self {
            Arch::Amd64 => "pc",
            Arch::Arm64 => "virt",
            // Without highmem PCI lies below 4 GiB, where a kernel without LPAE can reach it.
            Arch::Armhf => "virt,highmem=off",
        }
    }

    /// The CPU that QEMU's translator emulates.
    pub fn emulated_cpu(self) -> &'static str {
        match self {
            Arch::Amd64 => "qemu64",
            // Without pointer authentication, which is slow in the translator.
            Arch::Arm64 => "cortex-a57",
            Arch::Armhf => "cortex-a15",
        }
    }

    /// Whether memory can be added while a guest runs: Linux has a driver for virtio-mem.
    pub fn has_added_memory(self) -> bool {
        match self {
            Arch::Amd64 | Arch::Arm64 => true,
            Arch::Armhf => false,
        }
    }

    /// Whether the kernel learns its machine from a device tree.
    pub fn has_device_tree(self) -> bool {
        match self {
            Arch::Amd64 => false,
            Arch::Arm64 | Arch::Armhf => true,
        }
    }

    /// Whether QEMU's model of the console's port waits itself until the line takes a byte. A PL011 does; an 8250 tells the guest
    /// that it is busy.
    pub fn port_waits(self) -> bool {
        match self {
            Arch::Amd64 => false,
            Arch::Arm64 | Arch::Armhf => true,
        }
    }

    /// QEMU's arguments for the truth port.
    pub fn truth_port_arguments(self) -> [&'static str; 2] {
        match self {
            Arch::Amd64 => ["-serial", "chardev:truth"],
            Arch::Arm64 | Arch::Armhf => ["-device", "pci-serial,chardev=truth"],
        }
    }

    /// The Debian package of the compiler that builds the lab's init for it.
    pub fn compiler_package(self) -> &'static str {
        match self {
            Arch::Amd64 => "gcc-x86-64-linux-gnu",
            Arch::Arm64 => "gcc-aarch64-linux-gnu",
            Arch::Armhf => "gcc-arm-linux-gnueabihf",
        }
    }

    /// The console's name in the guest.
    pub fn console(self) -> &'static str {
        match self {
            Arch::Amd64 => "ttyS0",
            Arch::Arm64 | Arch::Armhf => "ttyAMA0",
        }
    }

    /// The driver of the console.
    pub fn console_driver(self) -> Driver {
        Driver::of_console(self.console())
    }

    /// The number N of the truth port ttySN.
    pub fn truth_port(self) -> u32 {
        match self {
            Arch::Amd64 => 1,
            Arch::Arm64 | Arch::Armhf => 0,
        }
    }

    /// Whether the kernel takes `tsc_early_khz`.
    pub fn has_tsc(self) -> bool {
        match self {
            Arch::Amd64 => true,
            Arch::Arm64 | Arch::Armhf => false,
        }
    }

    /// Whether the lab builds kernels for it from source.
    pub fn has_kernel_builds(self) -> bool {
        match self {
            Arch::Amd64 | Arch::Arm64 => true,
            Arch::Armhf => false,
        }
    }

    /// Whether hosts of the architecture run its guests by KVM: Linux has had none on 32-bit ARM since 5.7.
    pub fn has_kvm(self) -> bool {
        match self {
            Arch::Amd64 | Arch::Arm64 => true,
            Arch::Armhf => false,
        }
    }

    /// The baud to tell the guest for a line that truly runs at `baud`.
    ///
    /// The 8250 driver stops waiting for the transmitter after 10 ms (up to 6.12 and later) or two frames (7.2), and
    /// then loses bytes if the host is a moment late. QEMU ignores the divisor, so a guest that is told a slower speed
    /// waits longer, and nothing else changes. The PL011 driver waits without limit and is told the true speed.
    pub fn declared_baud(self, baud: Baud) -> Baud {
        match self {
            Arch::Amd64 => Baud::new(300).map_or(baud, |slow| slow.min(baud)),
            Arch::Arm64 | Arch::Armhf => baud,
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.debian_name())
    }
}

/// Not the name of an architecture that the lab boots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an architecture: {}", known())]
pub struct UnknownArch {
    /// What was typed.
    pub text: String,
}

/// `amd64 (x86_64), arm64 (aarch64), armhf (arm)`
fn known() -> String {
    Arch::ALL.map(|arch| format!("{arch} ({})", arch.qemu_name())).join(", ")
}

impl FromStr for Arch {
    type Err = UnknownArch;
    fn from_str(text: &str) -> Result<Arch, UnknownArch> {
        // `x86-64` as Debian's packages of compilers spell it.
        let of = |arch: &Arch| [arch.debian_name(), arch.qemu_name()].contains(&text.replace('-', "_").as_str());
        Arch::ALL.into_iter().find(of).ok_or_else(|| UnknownArch { text: text.to_owned() })
    }
}

/// An architecture written under Debian's name.
pub(crate) mod debian_name {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Arch;

    pub fn serialize<S: Serializer>(arch: &Arch, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(arch.debian_name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arch, D::Error> {
        Arch::deserialize(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_show_their_architecture() {
        let mut image = vec![0; 0x300];
        assert_eq!(Arch::of_kernel(&image), None);
        image[0x38..0x3c].copy_from_slice(b"ARM\x64");
        assert_eq!(Arch::of_kernel(&image), Some(Arch::Arm64));
        image[0x202..0x206].copy_from_slice(b"HdrS");
        assert_eq!(Arch::of_kernel(&image), Some(Arch::Amd64));
        assert_eq!(Arch::of_kernel(b"MZ"), None);
        // As Debian's zImage begins, to the byte order that follows the magic number.
        let mut image = vec![0; 0x24];
        image.extend([0x18, 0x28, 0x6f, 0x01, 0, 0, 0, 0, 0x00, 0x42, 0x5c, 0x00, 0x01, 0x02, 0x03, 0x04]);
        assert_eq!(Arch::of_kernel(&image), Some(Arch::Armhf));
        image.truncate(0x27);
        assert_eq!(Arch::of_kernel(&image), None);
    }

    #[test]
    fn guests_of_32_bit_arm_are_like_those_of_64_bit() {
        let facts = |arch: Arch| (arch.console(), arch.truth_port(), arch.truth_port_arguments(), arch.has_tsc());
        assert_eq!(facts(Arch::Armhf), facts(Arch::Arm64));
        assert_eq!(Arch::Armhf.console_driver(), Driver::of_console("ttyAMA0"));
        assert!(Arch::Armhf.has_device_tree() && !Arch::Armhf.has_kvm());
        let baud = Baud::new(115_200).unwrap();
        assert_eq!(Arch::Armhf.declared_baud(baud), baud);
        assert_eq!((Arch::Armhf.qemu_program(), Arch::Armhf.kernel_suffix()), ("qemu-system-arm", "armmp"));
    }

    #[test]
    fn both_names_are_read() {
        for arch in Arch::ALL {
            for name in [arch.debian_name(), arch.qemu_name()] {
                assert_eq!(name.parse(), Ok(arch));
                assert_eq!(serde_json::from_str::<Arch>(&format!("\"{name}\"")).unwrap(), arch);
            }
            assert_eq!(serde_json::to_string(&arch).unwrap(), format!("\"{}\"", arch.qemu_name()));
        }
        assert_eq!("x86-64".parse(), Ok(Arch::Amd64));
        let message = "`mips` is not an architecture: amd64 (x86_64), arm64 (aarch64), armhf (arm)";
        assert_eq!("mips".parse::<Arch>().unwrap_err().to_string(), message);
    }
}
