// SPDX-License-Identifier: MIT OR Apache-2.0
//! The systems that the lab can build and boot.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hardware::SCREEN_AND_NETWORK_MODULES;
use crate::named;

/// A system: a root file system with an init, services and the lab's application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(description = "A system of the lab.")]
pub enum System {
    /// Debian 13 as a product might ship it.
    DebianSystemd,
    /// Debian 13 with systemd and udev only.
    DebianMinimal,
    /// Debian 13 with System V init.
    DebianSysvinit,
    /// Debian 13 with OpenRC.
    DebianOpenrc,
    /// busybox and one script.
    Busybox,
}

/// What runs as process 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(description = "What runs as process 1 of a system.")]
pub enum InitSystem {
    /// systemd.
    Systemd,
    /// System V init with Debian's scripts.
    Sysvinit,
    /// OpenRC, started by System V init.
    Openrc,
    /// busybox's init.
    Busybox,
}

impl System {
    /// All of them.
    pub const ALL: [System; 5] =
        [System::DebianSystemd, System::DebianMinimal, System::DebianSysvinit, System::DebianOpenrc, System::Busybox];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            System::DebianSystemd => "debian-systemd",
            System::DebianMinimal => "debian-minimal",
            System::DebianSysvinit => "debian-sysvinit",
            System::DebianOpenrc => "debian-openrc",
            System::Busybox => "busybox",
        }
    }

    /// What it contains, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            System::DebianSystemd => "Debian 13: systemd, Avahi, Bluetooth, NetworkManager, ssh, an application",
            System::DebianMinimal => "Debian 13: systemd, udev, an application",
            System::DebianSysvinit => "Debian 13: System V init, Avahi, ssh, an application",
            System::DebianOpenrc => "Debian 13: OpenRC, Avahi, ssh, an application",
            System::Busybox => "busybox's init, one script, an application",
        }
    }

    /// What runs as process 1.
    pub fn init(self) -> InitSystem {
        match self {
            System::DebianSystemd | System::DebianMinimal => InitSystem::Systemd,
            System::DebianSysvinit => InitSystem::Sysvinit,
            System::DebianOpenrc => InitSystem::Openrc,
            System::Busybox => InitSystem::Busybox,
        }
    }

    /// The packages that it is made of, besides the essential ones; those are not part of busybox.
    pub fn packages(self) -> Vec<&'static str> {
        const DEBIAN: [&str; 6] = ["udev", "kmod", "e2fsprogs", "iproute2", "procps", "passwd"];
        const SERVICES: [&str; 5] = ["dbus", "avahi-daemon", "openssh-server", "rsyslog", "cron"];
        const SCRIPTS: [&str; 4] = ["sysvinit-core", "initscripts", "orphan-sysvinit-scripts", "ifupdown"];
        const PRODUCT: [&str; 5] = ["bluez", "network-manager", "libnss-mdns", "logrotate", "polkitd"];
        match self {
            System::DebianSystemd => [&DEBIAN[..], &["systemd-sysv"], &SERVICES, &PRODUCT].concat(),
            System::DebianMinimal => [&DEBIAN[..], &["systemd-sysv"]].concat(),
            System::DebianSysvinit => [&DEBIAN[..], &["sysv-rc"], &SCRIPTS, &SERVICES].concat(),
            System::DebianOpenrc => [&DEBIAN[..], &["openrc"], &SCRIPTS, &SERVICES].concat(),
            System::Busybox => vec!["busybox-static"],
        }
    }

    /// Size of an image, in MiB: a power of two, as an SD card has.
    pub fn image_mib(self) -> u32 {
        match self {
            System::DebianSystemd => 2048,
            System::DebianMinimal | System::DebianSysvinit | System::DebianOpenrc => 1024,
            System::Busybox => 512,
        }
    }

    /// Modules that the initramfs loads because the system itself has nothing that would: the screen's and the network's.
    pub fn preloaded(self) -> &'static [&'static str] {
        match self.init() {
            InitSystem::Busybox => &SCREEN_AND_NETWORK_MODULES,
            InitSystem::Systemd | InitSystem::Sysvinit | InitSystem::Openrc => &[],
        }
    }

    /// The command that shuts it down in its own way.
    pub fn shutdown(self) -> &'static str {
        match self.init() {
            InitSystem::Systemd => "systemctl --no-block poweroff",
            InitSystem::Sysvinit => "/sbin/init 0",
            InitSystem::Openrc => "/sbin/init 0",
            InitSystem::Busybox => "poweroff",
        }
    }
}

named!(System, "is not a system of the lab");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_image_is_as_large_as_a_card() {
        assert!(System::ALL.iter().all(|s| s.image_mib().is_power_of_two()));
    }
}
