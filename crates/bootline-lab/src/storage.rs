// SPDX-License-Identifier: MIT OR Apache-2.0
//! Storage of true speed: presets of bytes and operations per second, and the check that a disk has them.
use bootline_capture::units::Dur;
use bootline_images::hardware::Bus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The speed of a kind of storage. Figures of mid-range parts as they are found on boards; both limits apply to reads and
/// writes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "The speed of a kind of storage.")]
pub enum StoragePreset {
    /// eMMC on an 8-bit bus: 40 MB/s, 2000 operations a second.
    Emmc,
    /// An SD card: 20 MB/s, 700 operations a second.
    Sd,
    /// A stick on USB 2: 30 MB/s, 1000 operations a second.
    Usb2,
    /// A small NVMe drive: 200 MB/s, 20 000 operations a second.
    Nvme,
    /// Raw NAND behind a slow controller: 10 MB/s, 2500 operations a second.
    Nand,
    /// Serial NOR on one data line at 50 MHz: 5 MB/s, 5000 operations a second.
    Nor,
}

/// Limits of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "Limits of a storage.")]
pub struct StorageLimits {
    /// Bytes per second.
    pub bytes_per_s: u64,
    /// Operations per second.
    pub operations_per_s: u64,
}

impl StoragePreset {
    /// All of them.
    pub const ALL: [StoragePreset; 6] = [
        StoragePreset::Emmc,
        StoragePreset::Sd,
        StoragePreset::Usb2,
        StoragePreset::Nvme,
        StoragePreset::Nand,
        StoragePreset::Nor,
    ];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            StoragePreset::Emmc => "emmc",
            StoragePreset::Sd => "sd",
            StoragePreset::Usb2 => "usb2",
            StoragePreset::Nvme => "nvme",
            StoragePreset::Nand => "nand",
            StoragePreset::Nor => "nor",
        }
    }

    /// Its limits.
    pub fn limits(self) -> StorageLimits {
        let (bytes_per_s, operations_per_s) = match self {
            StoragePreset::Emmc => (40_000_000, 2_000),
            StoragePreset::Sd => (20_000_000, 700),
            StoragePreset::Usb2 => (30_000_000, 1_000),
            StoragePreset::Nvme => (200_000_000, 20_000),
            StoragePreset::Nand => (10_000_000, 2_500),
            StoragePreset::Nor => (5_000_000, 5_000),
        };
        StorageLimits { bytes_per_s, operations_per_s }
    }
}

bootline_images::named!(StoragePreset, "is not a kind of storage");

/// Whether each operation of a disk on this bus can be given its time. QEMU's SD card reads and writes block by block, 512 bytes each
/// (`sd_blk_read` in hw/sd/sd.c), however long the transfer is: 700 operations a second would be 0.36 MB/s.
pub(crate) fn has_operations(bus: Bus) -> bool {
    bus != Bus::Sd
}

/// Options of a drive of QEMU's that limit its bytes alone. All drives of a guest share the limit, as partitions of one medium do.
pub(crate) fn throttle(limits: StorageLimits) -> String {
    format!(",throttling.bps-total={},throttling.group=storage", limits.bytes_per_s)
}

/// How long the check of a storage reads, at its full speed. Where QEMU throttles it, its burst of a tenth of a second is 2 % of that.
const CHECK_SECONDS: u64 = 5;

/// The block that it reads, in bytes.
const BLOCK: u64 = 1 << 20;

/// The command by which a guest reads from its root's device, which has `size` bytes, for the check: what is smaller is read several
/// times.
pub(crate) fn check_command(limits: StorageLimits, device: &str, size: u64) -> String {
    let wanted = limits.bytes_per_s * CHECK_SECONDS / BLOCK;
    let there = (size / BLOCK).clamp(1, wanted);
    let times = wanted.div_ceil(there);
    let read = format!("dd if={device} of=/dev/null bs=1M count={there} iflag=direct 2>&1");
    if times == 1 { read } else { format!("i=0; while [ $i -lt {times} ]; do {read}; i=$((i + 1)); done") }
}

/// The rate as a share of the limit, from what each dd says that it copied, `1525+0 records out`, and the time that the host
/// waited for all of them.
pub(crate) fn checked_rate(limits: StorageLimits, output: &str, took: Dur) -> Option<f64> {
    let blocks = output.lines().filter_map(|l| l.strip_suffix("+0 records out")?.parse::<u64>().ok()).sum::<u64>();
    let bytes = (blocks * BLOCK) as f64;
    (took > Dur::ZERO && blocks > 0).then(|| bytes / took.as_secs_f64() / limits.bytes_per_s as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for preset in StoragePreset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
            assert_eq!(serde_json::to_string(&preset).unwrap(), format!("\"{preset}\""));
        }
        assert!("ufs".parse::<StoragePreset>().is_err());
    }

    #[test]
    fn the_rate_is_what_was_copied_in_the_hosts_time() {
        let limits = StorageLimits { bytes_per_s: 40_000_000, operations_per_s: 1 };
        let took = Dur::from_nanos(4_980_736_000);
        let rate = checked_rate(limits, "190+0 records in\n190+0 records out\n", took).unwrap();
        assert!((rate - 1.0).abs() < 1e-9, "{rate}");
        assert_eq!(checked_rate(limits, "dd: failed to open '/dev/vda'", took), None);
        assert_eq!(checked_rate(limits, "190+0 records out", Dur::ZERO), None);
        let twice = checked_rate(limits, "95+0 records out\n95+0 records in\n95+0 records out\n", took).unwrap();
        assert!((twice - rate).abs() < 1e-9, "{twice}");
    }

    #[test]
    fn as_much_is_read_of_a_small_image_as_of_a_large_one() {
        let limits = StorageLimits { bytes_per_s: 40_000_000, operations_per_s: 1 };
        let read = |count| format!("dd if=/dev/vda of=/dev/null bs=1M count={count} iflag=direct 2>&1");
        assert_eq!(check_command(limits, "/dev/vda", 1 << 30), read(190));
        let looped = format!("i=0; while [ $i -lt 3 ]; do {}; i=$((i + 1)); done", read(92));
        assert_eq!(check_command(limits, "/dev/vda", 92 << 20 | 5), looped);
        assert!(
            check_command(limits, "/dev/vda", 0).contains("-lt 190 ]"),
            "of an empty image nothing is read, and said"
        );
    }
}
