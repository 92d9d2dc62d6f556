// SPDX-License-Identifier: MIT OR Apache-2.0
//! What posts 4 and 5 say of each part of a boot, and where the lab has measured the same.

/// Where the lab has measured a point.
#[derive(Debug)]
pub struct Shown {
    /// The experiment.
    pub experiment: &'static str,
    /// Its arms that are about the point; none for the whole of it.
    pub arms: &'static [&'static str],
}

/// A point of a post.
#[derive(Debug)]
pub struct Point {
    /// Number of the post.
    pub post: u8,
    /// What was done, or what takes time.
    pub what: &'static str,
    /// The published figure, in its own words; empty if there is none.
    pub published: &'static str,
    /// The experiments that have it.
    pub here: &'static [Shown],
    /// What differs from that board, or why the lab can't show it.
    pub differs: &'static str,
}

/// In the order of the publications.
pub const POINTS: &[Point] = &[
    Point {
        post: 4,
        what: "the kernel, before and after",
        published: "3 s to 0.3 s",
        here: &[
            Shown { experiment: "seed4-kernel", arms: &["stock", "stock-notests", "tiny"] },
            Shown { experiment: "seed4-tiny", arms: &["stock", "tiny"] },
        ],
        differs: "by the kernel's own work, and from power-on. The published ten times are reached by its work alone, and only because \
                  Debian's kernel tests its ciphers, which that board's did not. From power-on not even five times are: what remains \
                  there is QEMU's start, the firmware, reading and decompressing the kernel, and mounting the root",
    },
    Point {
        post: 4,
        what: "asynchronous probing",
        published: "",
        here: &[
            Shown { experiment: "seed4-async-probe", arms: &["by-default", "sata", "network", "all", "no-hosts"] },
            Shown { experiment: "seed4-points", arms: &["empty-hosts", "async-probe"] },
        ],
        differs: "built-in drivers of empty hosts, for which init waits, on two processors that QEMU lets into devices one at a time: \
                  it costs more than it saves (SDHCI's driver is asynchronous by itself in this kernel); the modules of a stock \
                  kernel, whose loading waits for their probes; no slow disk. What it breaks, the names of disks and network \
                  cards, shows in the log: compare `Attached`, `mmcblk` and `eth` of several boots",
    },
    Point {
        post: 4,
        what: "a SATA controller without a disk; an eMMC or SD controller",
        published: "0.1 to 0.2 s; 0.06 s",
        here: &[Shown { experiment: "seed4-points", arms: &["empty-hosts", "no-hosts"] }],
        differs: "three hosts at once: AHCI, SDHCI, a network card without a link",
    },
    Point {
        post: 4,
        what: "rootwait",
        published: "",
        here: &[],
        differs: "it saves nothing by itself: it lets a root that is found late be mounted",
    },
    Point {
        post: 4,
        what: "setting up 8 GiB of memory; mem=; the rest added later",
        published: "more than 0.1 s",
        here: &[
            Shown { experiment: "seed4-kernel", arms: &["8-gib", "8-gib-mem", "8-gib-deferred"] },
            Shown { experiment: "seed4-memory", arms: &["rest-added"] },
        ],
        differs: "virtio-mem instead of a probe file, which stock kernels lack. Debian's kernel sets memory up on all processors: there, \
                  three runs show no saving from adding the rest later",
    },
    Point {
        post: 4,
        what: "the processor's clock rate",
        published: "",
        here: &[Shown { experiment: "seed4-kernel", arms: &["half-the-clock", "stock-half-the-clock"] }],
        differs: "each instruction takes twice as long; waits for hardware do not",
    },
    Point {
        post: 4,
        what: "debug features, unused drivers",
        published: "",
        here: &[Shown { experiment: "seed4-kernel", arms: &["debug", "stock", "stock-notests"] }],
        differs: "Debian's kernel next to the smallest one, and that one with lock debugging and slow checks",
    },
    Point {
        post: 4,
        what: "detecting the interrupt of an 8250 port",
        published: "0.2 s; 0.25 s in a virtual machine",
        here: &[Shown { experiment: "seed4-kernel", arms: &["detect-irq", "irq-assumed"] }],
        differs: "two ports together; only where firmware does not describe them",
    },
    Point {
        post: 4,
        what: "ACPI's set-up",
        published: "0.05 to 0.15 s",
        here: &[Shown { experiment: "cpu-knobs", arms: &["base", "acpi-off"] }],
        differs: "a PC with few devices",
    },
    Point {
        post: 4,
        what: "bringing up processors",
        published: "0.03 s for four",
        here: &[Shown { experiment: "seed4-points", arms: &["empty-hosts", "one-cpu"] }],
        differs: "two processors, which also share the rest of the boot",
    },
    Point {
        post: 4,
        what: "loading systemd from eMMC",
        published: "0.1 s",
        here: &[Shown { experiment: "seed4-init-load", arms: &["host", "emmc", "nand"] }],
        differs: "the whole time to its first unit, on storage of three speeds",
    },
    Point {
        post: 4,
        what: "a small init that starts programs in parallel; readahead",
        published: "",
        here: &[
            Shown { experiment: "fastinit", arms: &["earliest-unit", "fastinit", "alone"] },
            Shown { experiment: "readahead", arms: &["emmc", "emmc-readahead", "nor", "nor-readahead"] },
        ],
        differs: "nothing was published of it. The application does not say that it is ready, so that reading ahead begins as soon as it \
                  is started: the worst case for it",
    },
    Point {
        post: 4,
        what: "the ORC unwinder's set-up",
        published: "0.3 s",
        here: &[],
        differs: "mostly gone: from Linux 5.6 on its tables are sorted when the kernel is built",
    },
    Point {
        post: 4,
        what: "i915, its panel, its frame buffer, MEI",
        published: "more than 1 s; 0.3 s; 0.1 s; 0.3 s",
        here: &[],
        differs: "QEMU has no such hardware",
    },
    Point {
        post: 4,
        what: "memset of a frame buffer whose accesses trap",
        published: "1 s for 8 MB",
        here: &[],
        differs: "the memory of QEMU's screen is memory: nothing traps",
    },
    Point {
        post: 4,
        what: "GVT's firmware; PCI's set-up under a hypervisor; each access to a register that traps",
        published: "0.09 s; 0.03 s; none",
        here: &[],
        differs: "no such hardware; the lab translates instructions, so that nothing traps, and an access is a call within QEMU",
    },
    Point {
        post: 5,
        what: "the whole",
        published: "more than 30 s to 5 s",
        here: &[
            Shown { experiment: "seed5-whole", arms: &["as-shipped", "silent", "whole-log"] },
            Shown { experiment: "seed5-steps", arms: &["as-shipped", "fastinit", "own-kernel"] },
        ],
        differs: "ext4 on eMMC, systemd, a PC. With the stock kernel alone, six times is not shown",
    },
    Point {
        post: 5,
        what: "without Avahi and Bluetooth, or after the application",
        published: "20.26 s and 1.19 s",
        here: &[Shown { experiment: "seed5-steps", arms: &["loader-quiet", "no-services", "services-later"] }],
        differs: "units start in parallel, so that nothing waits for these two: what is saved is their share of the processor",
    },
    Point {
        post: 5,
        what: "static nodes instead of udev",
        published: "0.57 s",
        here: &[Shown { experiment: "seed5-steps", arms: &["screen-early", "no-udev"] }],
        differs: "devtmpfs makes the nodes; the initramfs loads the screen's driver",
    },
    Point {
        post: 5,
        what: "no check of the root, no remount",
        published: "0.22 s",
        here: &[Shown { experiment: "seed5-steps", arms: &["no-services", "no-check"] }],
        differs: "a clean ext4 is checked in a few reads, next to which the boot's own spread is large",
    },
    Point {
        post: 5,
        what: "quiet, at 38400 baud",
        published: "3.07 s",
        here: &[
            Shown { experiment: "seed5-steps", arms: &["no-selftests", "quiet", "async-console"] },
            Shown { experiment: "seed5-quiet", arms: &[] },
        ],
        differs: "a kernel of today prints twice as much, and quiet also silences what systemd prints of its units; an asynchronous console \
                  prints all of the kernel's log, and costs more than the tenth that was claimed",
    },
    Point {
        post: 5,
        what: "UBIFS instead of JFFS2",
        published: "2.62 s to 1.50 s",
        here: &[
            Shown { experiment: "file-systems", arms: &["jffs2", "jffs2-summary", "ubifs", "squashfs"] },
            Shown { experiment: "seed5-fastmap", arms: &[] },
        ],
        differs: "busybox; block2mtd: reading costs NAND's time, ECC nothing; JFFS2 reads the whole flash when it is mounted; SquashFS \
                  is on a block device, not on UBI",
    },
    Point {
        post: 5,
        what: "no ip= on the command line",
        published: "1.48 s",
        here: &[Shown { experiment: "seed5-ip", arms: &["dhcp", "static", "none"] }],
        differs: "Linux 2.6.31 slept for 1.5 s here in any case; a kernel of today waits for the link, which is up at once in QEMU",
    },
    Point {
        post: 5,
        what: "lpj=",
        published: "0.23 s",
        here: &[Shown { experiment: "seed5-lpj", arms: &["calibrates", "preset", "known"] }],
        differs: "a tick of 4 ms instead of 10; most machines of today calibrate nothing",
    },
    Point {
        post: 5,
        what: "unused drivers left out",
        published: "",
        here: &[
            Shown { experiment: "seed5-steps", arms: &["own-kernel"] },
            Shown { experiment: "seed4-tiny", arms: &["tiny"] },
        ],
        differs: "everything the lab's machine does not have, at once",
    },
    Point {
        post: 5,
        what: "modules after the application",
        published: "",
        here: &[Shown { experiment: "seed5-steps", arms: &["screen-early", "udev-later"] }],
        differs: "all of udev's coldplug",
    },
    Point {
        post: 5,
        what: "the loader without its countdown, and quiet",
        published: "",
        here: &[
            Shown { experiment: "seed5-steps", arms: &["as-shipped", "no-countdown", "loader-quiet"] },
            Shown { experiment: "loader-grub", arms: &[] },
            Shown { experiment: "loader-steps", arms: &["delay-0", "quiet"] },
        ],
        differs: "GRUB, and U-Boot",
    },
    Point {
        post: 5,
        what: "an uncompressed kernel",
        published: "",
        here: &[
            Shown { experiment: "seed5-image", arms: &["emmc-image", "emmc-gzip", "nand-image", "nand-gzip"] },
            Shown { experiment: "seed5-compression", arms: &["emmc-gzip", "emmc-lz4", "emmc-xz", "nand-lz4"] },
        ],
        differs: "U-Boot's decompressor on QEMU's translator; on x86 there is none, and the one that decompresses soonest is shown",
    },
    Point {
        post: 5,
        what: "the power chip's and the USB host's drivers",
        published: "0.38 s and 0.26 s, which that board needed",
        here: &[],
        differs: "QEMU has no such hardware",
    },
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bootline_lab::experiment::Experiment;

    use super::*;

    #[test]
    fn the_experiments_have_these_arms() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        for Shown { experiment: name, arms } in POINTS.iter().flat_map(|point| point.here) {
            let experiment = Experiment::read(&folder.join(name).with_extension("toml")).unwrap();
            for arm in *arms {
                assert!(experiment.arm(arm).is_some(), "{name} has no arm `{arm}`");
            }
        }
    }

    #[test]
    fn a_point_without_an_experiment_has_its_reason() {
        assert!(POINTS.iter().all(|point| !point.here.is_empty() || !point.differs.is_empty()));
        assert!(POINTS.is_sorted_by_key(|point| point.post));
    }
}
