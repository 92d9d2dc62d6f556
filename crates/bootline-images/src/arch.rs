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
}

impl Arch {
    /// All of them.
    pub const ALL: [Arch; 2] = [Arch::Amd64, Arch::Arm64];

    /// Debian's name: `amd64` or `arm64`.
    pub fn debian_name(self) -> &'static str {
        match self {
            Arch::Amd64 => "amd64",
            Arch::Arm64 => "arm64",
        }
    }

    /// QEMU's and the kernel's name: `x86_64` or `aarch64`.
    pub fn qemu_name(self) -> &'static str {
        match self {
            Arch::Amd64 => "x86_64",
            Arch::Arm64 => "aarch64",
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
        }
    }

    /// QEMU's program for this architecture.
    pub fn qemu_program(self) -> &'static str {
        match self {
            Arch::Amd64 => "qemu-system-x86_64",
            Arch::Arm64 => "qemu-system-aarch64",
        }
    }

    /// The Debian package that holds [`qemu_program`](Arch::qemu_program).
    pub fn qemu_package(self) -> &'static str {
        match self {
            Arch::Amd64 => "qemu-system-x86",
            Arch::Arm64 => "qemu-system-arm",
        }
    }

    /// QEMU's machine.
    pub fn machine(self) -> &'static str {
        match self {
            Arch::Amd64 => "pc",
            Arch::Arm64 => "virt",
        }
    }

    /// The CPU that QEMU's translator emulates.
    pub fn emulated_cpu(self) -> &'static str {
        match self {
            Arch::Amd64 => "qemu64",
            // Without pointer authentication, which is slow in the translator.
            Arch::Arm64 => "cortex-a57",
        }
    }

    /// Whether the kernel learns its machine from a device tree.
    pub fn has_device_tree(self) -> bool {
        self == Arch::Arm64
    }

    /// QEMU's arguments for the truth port.
    pub fn truth_port_arguments(self) -> [&'static str; 2] {
        match self {
            Arch::Amd64 => ["-serial", "chardev:truth"],
            Arch::Arm64 => ["-device", "pci-serial,chardev=truth"],
        }
    }

    /// The Debian package of the compiler that builds the lab's init for it.
    pub fn compiler_package(self) -> &'static str {
        match self {
            Arch::Amd64 => "gcc-x86-64-linux-gnu",
            Arch::Arm64 => "gcc-aarch64-linux-gnu",
        }
    }

    /// The console's name in the guest.
    pub fn console(self) -> &'static str {
        match self {
            Arch::Amd64 => "ttyS0",
            Arch::Arm64 => "ttyAMA0",
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
            Arch::Arm64 => 0,
        }
    }

    /// Whether the kernel takes `tsc_early_khz`.
    pub fn has_tsc(self) -> bool {
        match self {
            Arch::Amd64 => true,
            Arch::Arm64 => false,
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
            Arch::Arm64 => baud,
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

/// `amd64 (x86_64) or arm64 (aarch64)`
fn known() -> String {
    Arch::ALL.map(|arch| format!("{arch} ({})", arch.qemu_name())).join(" or ")
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
        let message = "`mips` is not an architecture: amd64 (x86_64) or arm64 (aarch64)";
        assert_eq!("mips".parse::<Arch>().unwrap_err().to_string(), message);
    }
}
