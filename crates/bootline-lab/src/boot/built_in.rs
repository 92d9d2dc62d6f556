// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a kernel has to have built in to mount the root of a system by itself.
use bootline_images::hardware::Absent;
use bootline_images::kernels::Kernel;
use bootline_kbuild::{KernelConfig, SymbolValue};

/// The bus, the disk, the file system, and the devices that a program opens before it could mount anything: not every system mounts
/// devtmpfs itself.
const NEEDED: [&str; 6] = ["VIRTIO_PCI", "VIRTIO_BLK", "EXT4_FS", "DEVTMPFS", "DEVTMPFS_MOUNT", "PROC_FS"];

/// The options that a kernel would have to have built in to boot without an initramfs, and has not: for its root, and for the driver of
/// what has nothing plugged in. None where its configuration is not known: the boot will show it.
pub fn lacks_built_in(kernel: &Kernel, absent: impl IntoIterator<Item = Absent>) -> Vec<&'static str> {
    let text = kernel.config_path.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
    text.map(|text| lacking(&KernelConfig::parse(&text), absent)).unwrap_or_default()
}

fn lacking(config: &KernelConfig, absent: impl IntoIterator<Item = Absent>) -> Vec<&'static str> {
    let needed = NEEDED.into_iter().chain(absent.into_iter().map(driver));
    needed.filter(|symbol| config.value(symbol) != SymbolValue::BuiltIn).collect()
}

/// The driver that looks for what is not there.
fn driver(absent: Absent) -> &'static str {
    match absent {
        Absent::SataDisk => "SATA_AHCI",
        Absent::SdCard => "MMC_SDHCI_PCI",
        Absent::NetworkLink => "E1000E",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_not_built_in() {
        let config =
            "CONFIG_VIRTIO_PCI=m\nCONFIG_VIRTIO_BLK=m\nCONFIG_EXT4_FS=m\nCONFIG_DEVTMPFS=y\nCONFIG_PROC_FS=y\n";
        let lacks = |config: &str| lacking(&KernelConfig::parse(config), []);
        assert_eq!(lacks(config), ["VIRTIO_PCI", "VIRTIO_BLK", "EXT4_FS", "DEVTMPFS_MOUNT"]);
        // As Debian's has it.
        assert_eq!(lacks(&config.replace("=m", "=y")), ["DEVTMPFS_MOUNT"]);
        let built_in = config.replace("=m", "=y") + "CONFIG_DEVTMPFS_MOUNT=y\n";
        assert_eq!(lacks(&built_in), [] as [&str; 0]);
        let absent = lacking(&KernelConfig::parse(&built_in), [Absent::SataDisk]);
        assert_eq!(absent, ["SATA_AHCI"], "nobody would load it");
    }
}
