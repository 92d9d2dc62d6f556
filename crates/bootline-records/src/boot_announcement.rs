// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a console says when a kernel is about to start.
use super::beginnings::Beginnings;
use super::learned_prefix::is_banner;

/// What boot loaders and firmware say first.
pub(super) const FIRMWARE: [&str; 27] = [
    "U-Boot ",
    "U-Boot SPL ",
    "coreboot-",
    "barebox ",
    "NOTICE:  BL1",
    "NOTICE:  BL2",
    "NOTICE:  BL31",
    "OpenSBI v",
    "SeaBIOS (version",
    "UEFI firmware (version",
    "BdsDxe: ",
    "EDK II",
    ">>>>SecStartup",
    "SecCoreStartup",
    "GNU GRUB ",
    "RedBoot(tm)",
    "CFE version ",
    "Android Bootloader",
    "GRUB loading",
    "Welcome to GRUB!",
    "Xilinx First Stage Boot Loader",
    "Xilinx Zynq MP First Stage Boot Loader",
    "Zynq MP First Stage Boot Loader",
    "Zynq First Stage Boot Loader",
    "DDR Version ",
    "YAMON ROM Monitor",
    "---Realtek RTL",
];

/// Whether a line is a boot loader's first or last, or a kernel's last before it restarts the machine.
pub fn announces_boot(text: &[u8]) -> bool {
    const LAST_WORDS: Beginnings = Beginnings::new(&[
        "Starting kernel",
        "Uncompressing Linux",
        "Decompressing Linux",
        "Restarting system",
        "Starting program at ",
        "Now booting linux kernel",
        "Now booting the kernel",
        "## Booting ",
        "## Transferring control to Linux",
        "LINUX started",
        "Jump to image start",
        "Booting kernel from ",
        "U-boot(", // Amlogic
        "PMON>",
    ]);
    const FIRST_WORDS: Beginnings = Beginnings::new(&FIRMWARE);
    LAST_WORDS.begin(text) || FIRST_WORDS.begin(text)
}

/// Whether a record is one that kernels log before their banner: "Booting Linux" on ARM, and from 2.6.24 to 4.5
/// (cgroup_init_early) two subsystems of the cgroups. The other subsystems follow after the banner (cgroup_init).
pub fn precedes_banner(text: &str) -> bool {
    // By the first byte: this is asked of every record.
    if !text.starts_with(['B', 'I']) {
        return false;
    }
    text.starts_with("Booting Linux on physical CPU")
        || matches!(text.trim_end(), "Initializing cgroup subsys cpuset" | "Initializing cgroup subsys cpu")
}

/// Whether a record is a kernel's banner, or one of those before it.
pub(super) fn begins_kernel_log(text: &[u8]) -> bool {
    is_banner(text) || std::str::from_utf8(text).is_ok_and(precedes_banner)
}

/// Whether a line is the first of the boot loader that loads the kernel, and not of the firmware before it.
pub fn starts_boot_loader(text: &str) -> bool {
    const FIRST_WORDS: Beginnings = Beginnings::new(&[
        "U-Boot 1",
        "U-Boot 2",
        "barebox 2",
        "GNU GRUB ",
        "GRUB loading",
        "Welcome to GRUB!",
        "RedBoot(tm)",
        "CFE version ",
        "Android Bootloader",
        "YAMON ROM Monitor",
        "systemd-boot ",
        "SYSLINUX ",
        "PMON2000",
    ]);
    FIRST_WORDS.begin(text.as_bytes())
}

/// Whether a line is one that UEFI firmware prints when it starts a boot option: a boot loader, or what fails and is followed by the next
/// option (EDK II's PlatformBootManagerLib).
pub fn starts_boot_option(text: &str) -> bool {
    text.starts_with("BdsDxe: starting ")
}

/// Whether a line is one that UEFI firmware prints when a boot option that it started has failed.
pub fn fails_boot_option(text: &str) -> bool {
    text.starts_with("BdsDxe: failed to start ")
}

/// Whether a line is what a boot loader says last, or a kernel's decompressor first.
pub fn starts_kernel(text: &str) -> bool {
    const LAST_WORDS: Beginnings = Beginnings::new(&[
        "Starting kernel",
        "Uncompressing Linux",
        "Decompressing Linux",
        "Now booting linux kernel",
        "Now booting the kernel",
        "## Transferring control to Linux",
        "EFI stub: ",
        "Booting Linux kernel",
        "Starting linux",
    ]);
    LAST_WORDS.begin(text.as_bytes())
}
