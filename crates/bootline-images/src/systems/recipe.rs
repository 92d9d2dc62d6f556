// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the lab adds to the packages of a system: its application as a service, its network, its marks.
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::system::{InitSystem, System};

/// What becomes of a path in the root file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Added {
    File(&'static str),
    Program(Vec<u8>),
    Script(&'static str),
    Link(&'static str),
    Folder,
}

/// All paths that are added, each with what it is.
pub(super) fn additions(system: System, app: &[u8]) -> Vec<(&'static str, Added)> {
    use Added::{File, Folder, Link, Program, Script};
    let mut list = vec![
        ("usr/lib/bootline/app", Program(app.to_vec())),
        ("etc/hostname", File("lab\n")),
        ("etc/hosts", File("127.0.0.1 localhost\n127.0.1.1 lab\n")),
        // Not a first boot: an empty one would be, and systemd presets all units then.
        ("etc/machine-id", File("6c61622d2d2d2d2d2d2d2d2d2d2d2d2d\n")),
    ];
    if system.init() != InitSystem::Busybox {
        list.push(("etc/fstab", File("LABEL=bootline / ext4 errors=remount-ro 0 1\n")));
    }
    match system.init() {
        InitSystem::Systemd => list.extend([
            ("etc/systemd/system/bootline-app.service", File(include_str!("files/bootline-app.service"))),
            ("etc/systemd/system/bootline-mark.service", File(include_str!("files/bootline-mark.service"))),
            ("etc/systemd/system/multi-user.target.wants/bootline-app.service", Link("../bootline-app.service")),
            ("etc/systemd/system/multi-user.target.wants/bootline-mark.service", Link("../bootline-mark.service")),
            // The screen is the application's: systemd resets the text console of a getty to text mode.
            ("etc/systemd/system/getty@tty1.service", Link("/dev/null")),
            ("etc/systemd/system/autovt@.service", Link("/dev/null")),
        ]),
        InitSystem::Busybox => list.extend([
            ("bin", Link("usr/bin")),
            ("sbin", Link("usr/sbin")),
            ("lib", Link("usr/lib")),
            ("usr/sbin/init", Link("/bin/busybox")),
            ("usr/bin/sh", Link("/bin/busybox")),
            ("etc/inittab", File(include_str!("files/busybox.inittab"))),
            ("etc/init.d/rcS", Script(include_str!("files/busybox.rcS"))),
            ("etc/passwd", File("root::0:0:root:/root:/bin/sh\n")),
            ("etc/group", File("root:x:0:\n")),
            ("dev", Folder),
            ("proc", Folder),
            ("sys", Folder),
            ("run", Folder),
            ("tmp", Folder),
            ("root", Folder),
            ("var/log", Folder),
        ]),
    }
    match system {
        System::DebianSystemd => list.extend([
            // A product with a Bluetooth chip has its driver loaded and its daemon enabled; the lab has no chip.
            ("etc/modules-load.d/bluetooth.conf", File("bluetooth\n")),
            (
                "etc/systemd/system/multi-user.target.wants/bluetooth.service",
                Link("/usr/lib/systemd/system/bluetooth.service"),
            ),
        ]),
        System::DebianMinimal => list.extend([
            ("etc/systemd/network/50-lab.network", File(include_str!("files/lab.network"))),
            (
                "etc/systemd/system/multi-user.target.wants/systemd-networkd.service",
                Link("/usr/lib/systemd/system/systemd-networkd.service"),
            ),
        ]),
        System::Busybox => {}
    }
    list
}

/// Writes the additions into an empty folder, to be copied over a root file system.
pub(super) fn write(additions: &[(&str, Added)], folder: &Path) -> io::Result<()> {
    for (path, added) in additions {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let put = |content: &[u8], mode| {
            fs::write(&path, content)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))
        };
        match added {
            Added::File(text) => put(text.as_bytes(), 0o644)?,
            Added::Program(content) => put(content, 0o755)?,
            Added::Script(text) => put(text.as_bytes(), 0o755)?,
            Added::Link(to) => symlink(to, &path)?,
            Added::Folder => fs::create_dir_all(&path)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_gets_an_application_that_its_init_starts() {
        for system in System::ALL {
            let list = additions(system, b"app");
            let folder = tempfile::tempdir().unwrap();
            write(&list, folder.path()).unwrap();
            let app = folder.path().join("usr/lib/bootline/app");
            assert_eq!(fs::metadata(&app).unwrap().permissions().mode() & 0o777, 0o755);
            let started = list.iter().any(|(_, added)| match added {
                Added::File(text) | Added::Script(text) => text.contains("/usr/lib/bootline/app"),
                _ => false,
            });
            let marked = list.iter().any(|(_, added)| match added {
                Added::File(text) => text.contains("mark multi-user"),
                _ => false,
            });
            assert!(started && marked, "{system}");
        }
    }
}
