// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a kernel has to have built in to mount the root of a system by itself, or to bring one into a state.
use bootline_images::hardware::Absent;
use bootline_images::kernels::Kernel;
use bootline_images::systems::RootState;
use bootline_kbuild::{KernelConfig, SymbolValue};

/// The bus, the disk, the file system, and the devices that a program opens before it could mount anything: not every system mounts
/// devtmpfs itself.
const NEEDED: [&str; 6] = ["VIRTIO_PCI", "VIRTIO_BLK", "EXT4_FS", "DEVTMPFS", "DEVTMPFS_MOUNT", "PROC_FS"];

/// The options that a kernel would have to have built in to boot without an initramfs, and has not: for its root, and for the driver of
/// what has nothing plugged in. None where its configuration is not known: the boot will show it.
pub fn lacks_built_in(kernel: &Kernel, absent: impl IntoIterator<Item = Absent>) -> Vec<&'static str> {
    config_of(kernel).map(|config| lacking(&config, for_a_root(absent))).unwrap_or_default()
}

/// The options that a kernel would have to have built in to bring a root into a state, and has not. None where its configuration is not
/// known: the boot that proves the state will show it.
pub fn lacks_for(kernel: &Kernel, state: RootState) -> Vec<&'static str> {
    config_of(kernel).map(|config| lacking(&config, for_a_state(state).iter().copied())).unwrap_or_default()
}

fn for_a_root(absent: impl IntoIterator<Item = Absent>) -> impl Iterator<Item = &'static str> {
    NEEDED.into_iter().chain(absent.into_iter().map(driver))
}

fn for_a_state(state: RootState) -> &'static [&'static str] {
    match state {
        RootState::Settled | RootState::FirstBoot | RootState::PowerLost | RootState::Aged | RootState::Recorded => &[],
        // A module would not be told to write the map: see `fastmap`.
        RootState::Fastmap => &["MTD_UBI", "MTD_UBI_FASTMAP"],
    }
}

fn config_of(kernel: &Kernel) -> Option<KernelConfig> {
    let text = kernel.config_path.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
    text.map(|text| KernelConfig::parse(&text))
}

fn lacking(config: &KernelConfig, needed: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
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
        let lacks = |config: &str| lacking(&KernelConfig::parse(config), for_a_root([]));
        assert_eq!(lacks(config), ["VIRTIO_PCI", "VIRTIO_BLK", "EXT4_FS", "DEVTMPFS_MOUNT"]);
        // As Debian's has it.
        assert_eq!(lacks(&config.replace("=m", "=y")), ["DEVTMPFS_MOUNT"]);
        let built_in = config.replace("=m", "=y") + "CONFIG_DEVTMPFS_MOUNT=y\n";
        assert_eq!(lacks(&built_in), [] as [&str; 0]);
        let absent = lacking(&KernelConfig::parse(&built_in), for_a_root([Absent::SataDisk]));
        assert_eq!(absent, ["SATA_AHCI"], "nobody would load it");
    }

    #[test]
    fn only_a_fastmap_takes_more_than_what_mounts_the_root() {
        let lacks = |state| lacking(&KernelConfig::parse("CONFIG_MTD_UBI=m\n"), for_a_state(state).iter().copied());
        for state in RootState::ALL {
            let expected: &[&str] = if state == RootState::Fastmap { &["MTD_UBI", "MTD_UBI_FASTMAP"] } else { &[] };
            assert_eq!(lacks(state), expected, "{state}");
        }
    }
}
