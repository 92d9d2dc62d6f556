// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disks of a boot: QEMU's drives for them, and who serves those with a storage's speed.
use std::ffi::OsString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use super::{BootError, SystemBoot, Writes, devices};
use crate::disk::{DiskServer, StorageClock, StorageUse};
use crate::storage::{StorageLimits, has_operations, throttle};

/// The disks of a boot, which share the speed of its storage.
#[derive(Debug)]
pub(super) struct Disks {
    speed: Speed,
    /// What QEMU inherits, until it has been started.
    connections: Vec<OwnedFd>,
}

/// How the speed of a storage is held.
#[derive(Debug)]
enum Speed {
    /// As fast as the host.
    Host,
    /// Its bytes, by QEMU.
    Throttled(StorageLimits),
    /// Operation by operation, by the lab.
    Paced(DiskServer),
}

impl Disks {
    /// Those of a boot of this system; none is attached yet. An image that is prepared for later boots is written as fast as the host
    /// can.
    pub fn of(system: Option<&SystemBoot>, at: StorageClock) -> Disks {
        let measured = system.filter(|boot| boot.writes == Writes::Discarded);
        let speed = match measured.and_then(|boot| Some((boot.storage?.limits(), boot.bus()))) {
            None => Speed::Host,
            Some((limits, bus)) if !has_operations(bus) => Speed::Throttled(limits),
            Some((limits, _)) => Speed::Paced(DiskServer::new(limits, at)),
        };
        Disks { speed, connections: Vec::new() }
    }

    /// QEMU's drive `id` of this image.
    pub fn drive(&mut self, id: &str, image: &Path, writes: Writes) -> Result<OsString, BootError> {
        let throttled = match &self.speed {
            Speed::Host => String::new(),
            Speed::Throttled(limits) => throttle(*limits),
            Speed::Paced(server) => {
                let served = server.attach(image);
                let connection = served.map_err(|source| BootError::Disk { path: image.to_owned(), source })?;
                // QEMU takes a number as a descriptor that it inherited.
                let fd = connection.as_raw_fd();
                self.connections.push(connection);
                let options = "file.driver=nbd,file.server.type=fd,file.server.str";
                return Ok(format!("format=raw,if=none,id={id},{options}={fd}").into());
            }
        };
        let snapshot = if writes == Writes::Discarded { "on" } else { "off" };
        let options = format!("format=raw,if=none,id={id},cache.no-flush=on,snapshot={snapshot}{throttled}");
        Ok(devices::drive(&options, image))
    }

    /// What QEMU inherits at the same descriptor numbers.
    pub fn connections(&self) -> impl Iterator<Item = &OwnedFd> {
        self.connections.iter()
    }

    /// QEMU has been started: the only connections are its own now.
    pub fn started(&mut self) {
        self.connections.clear();
    }

    /// The boot is over; what the guest is asked afterwards is not a part of its use.
    pub fn booted(&mut self) {
        if let Speed::Paced(server) = &mut self.speed {
            server.booted();
        }
    }

    /// What the guest asked its storage for until it had booted, where the lab serves it.
    pub fn usage(&self) -> Option<StorageUse> {
        self.server().map(DiskServer::usage)
    }

    /// Fails if the host could not do what the guest asked of a disk.
    pub fn check(&self) -> Result<(), BootError> {
        match self.server().and_then(DiskServer::take_error) {
            Some((path, source)) => Err(BootError::Disk { path, source }),
            None => Ok(()),
        }
    }

    fn server(&self) -> Option<&DiskServer> {
        match &self.speed {
            Speed::Paced(server) => Some(server),
            Speed::Host | Speed::Throttled(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use bootline_images::hardware::{Bus, Hardware};

    use super::super::power_cut;
    use super::*;
    use crate::line::RunClock;
    use crate::storage::StoragePreset;

    fn drive(boot: &SystemBoot) -> String {
        let at = StorageClock { clock: RunClock::start(), real_time: false };
        let drive = Disks::of(Some(boot), at).drive("root", &boot.image, boot.writes).unwrap();
        drive.into_string().unwrap()
    }

    #[test]
    fn a_boot_throws_its_writes_away_unless_it_prepares_the_image() {
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("a,b");
        std::fs::write(&image, [0; 512]).unwrap();
        let boot = SystemBoot { image: image.clone(), ..SystemBoot::of_busybox() };
        let file = format!("file={}", image.to_str().unwrap().replace(',', ",,"));
        let plain = "format=raw,if=none,id=root,cache.no-flush=on";
        assert_eq!(drive(&boot), format!("{plain},snapshot=on,{file}"));
        let stored = SystemBoot { storage: Some(StoragePreset::Sd), ..boot.clone() };
        let paced = "format=raw,if=none,id=root,file.driver=nbd,file.server.type=fd,file.server.str=";
        assert!(drive(&stored).starts_with(paced), "{}", drive(&stored));
        let card = SystemBoot { hardware: Hardware { bus: Some(Bus::Sd), ..Hardware::default() }, ..stored.clone() };
        assert_eq!(
            drive(&card),
            format!("{plain},snapshot=on,throttling.bps-total=20000000,throttling.group=storage,{file}")
        );
        for writes in [Writes::Kept, Writes::Worked(&power_cut::WORK)] {
            assert_eq!(drive(&SystemBoot { writes, ..stored.clone() }), format!("{plain},snapshot=off,{file}"));
        }
    }

    #[test]
    fn a_loaders_disk_is_on_the_storage_of_the_system() {
        let image = tempfile::NamedTempFile::new().unwrap();
        let at = StorageClock { clock: RunClock::start(), real_time: false };
        let on = |storage| {
            let boot = SystemBoot { storage, ..SystemBoot::of_busybox() };
            let mut disks = Disks::of(Some(&boot), at);
            let drives = ["root", "boot"].map(|id| disks.drive(id, image.path(), Writes::Discarded).unwrap());
            let served = drives.iter().filter(|drive| drive.to_str().unwrap().contains("file.driver=nbd")).count();
            (served, disks.connections().count(), disks.usage().is_some())
        };
        assert_eq!(on(Some(StoragePreset::Sd)), (2, 2, true), "one server has both");
        assert_eq!(on(None), (0, 0, false));
    }

    #[test]
    fn an_image_that_is_not_there_is_named() {
        let boot = SystemBoot { storage: Some(StoragePreset::Emmc), ..SystemBoot::of_busybox() };
        let at = StorageClock { clock: RunClock::start(), real_time: false };
        let error = Disks::of(Some(&boot), at).drive("root", &boot.image, boot.writes).unwrap_err();
        assert_eq!(error.to_string(), "can't serve `/i` as a disk: No such file or directory (os error 2)");
    }
}
