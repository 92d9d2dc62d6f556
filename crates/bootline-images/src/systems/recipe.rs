// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the lab adds to the packages of a system: its application as a service, its network, its marks.
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::root_state::RootState;
use super::system::{InitSystem, System};
use crate::arch::Arch;
use crate::image_format::ImageFormat;

/// The unit of the lab's application.
pub const APPLICATION_UNIT: &str = "bootline-app.service";
/// The application itself, in every system.
pub const APPLICATION_PROGRAM: &str = "/usr/lib/bootline/app";
/// What the kernel runs first where it mounts the root of a system by itself: reports as the initramfs does, and executes the system's
/// init.
pub const HANDOFF_PROGRAM: &str = "/usr/lib/bootline/handoff";
/// The unit that ends a system's boot.
pub const MULTI_USER_UNIT: &str = "multi-user.target";

/// What becomes of a path in the root file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Added {
    File(&'static str),
    Text(String),
    Program(Vec<u8>),
    Script(&'static str),
    Link(&'static str),
    Folder,
}

/// What the lab builds for a system's root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Programs<'a> {
    /// The application.
    pub app: &'a [u8],
    /// The program of the initramfs, for boots without one.
    pub handoff: &'a [u8],
    /// The init that starts it before the system's own; used only if the kernel's command line names it. Its generator is not
    /// installed: it would make a second unit of the application, whoever is the init.
    pub fastinit: &'a [u8],
}

/// All paths that are added to a root in this state, each with what it is.
pub(super) fn additions(
    system: System,
    arch: Arch,
    state: RootState,
    programs: Programs<'_>,
) -> Vec<(&'static str, Added)> {
    use Added::{File, Folder, Link, Program, Script, Text};
    let mut list = vec![
        (APPLICATION_PROGRAM.trim_start_matches('/'), Program(programs.app.to_vec())),
        // What runs first where there is no initramfs; see HANDOFF_PROGRAM.
        ("usr/lib/bootline/handoff", Program(programs.handoff.to_vec())),
        ("usr/sbin/fastinit", Program(programs.fastinit.to_vec())),
        ("etc/fastinit.conf", File(include_str!("files/fastinit.conf"))),
        ("etc/fastinit-record.conf", File(include_str!("files/fastinit-record.conf"))),
        ("etc/fastinit-replay.conf", File(include_str!("files/fastinit-replay.conf"))),
        ("etc/fastinit-replay-disk-order.conf", File(include_str!("files/fastinit-replay-disk-order.conf"))),
        ("etc/hostname", File("lab\n")),
        ("etc/hosts", File("127.0.0.1 localhost\n127.0.1.1 lab\n")),
    ];
    list.push(("etc/machine-id", File(machine_id(state))));
    if state == RootState::FirstBoot && system.init() == InitSystem::Systemd {
        // It asks at the console for a password and a time zone, and nobody answers.
        list.push(("etc/systemd/system/systemd-firstboot.service", Link("/dev/null")));
    }
    if system.init() != InitSystem::Busybox {
        list.push(("etc/fstab", File(ImageFormat::Ext4.fstab())));
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
        InitSystem::Sysvinit | InitSystem::Openrc => list.extend([
            ("etc/init.d/bootline-app", Script(include_str!("files/bootline-app.init"))),
            ("etc/network/interfaces", File(include_str!("files/interfaces"))),
            // Interfaces keep the kernel's names.
            ("etc/systemd/network/99-default.link", Link("/dev/null")),
            ("etc/inittab", Text(inittab(arch))),
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
        System::DebianSysvinit | System::DebianOpenrc | System::Busybox => {}
    }
    list
}

/// What systemd takes a first boot by, machine-id(5); it presets all units then, and makes an ID.
fn machine_id(state: RootState) -> &'static str {
    if state == RootState::FirstBoot { "uninitialized\n" } else { "6c61622d2d2d2d2d2d2d2d2d2d2d2d2d\n" }
}

/// What is removed from a root in this state: patterns of paths.
pub(super) fn removed(system: System, state: RootState) -> &'static str {
    // sshd-keygen.service makes them on a first boot; nothing else would, under another init.
    let makes_keys = state == RootState::FirstBoot && system.init() == InitSystem::Systemd;
    if makes_keys { "etc/ssh/ssh_host_*" } else { "" }
}

/// As in Debian, with a getty on the serial console only and the mark after the scripts of the run level.
fn inittab(arch: Arch) -> String {
    let console = arch.console();
    format!(
        "id:2:initdefault:\nsi::sysinit:/etc/init.d/rcS\n~~:S:wait:/sbin/sulogin\nl0:0:wait:/etc/init.d/rc 0\n\
         l1:1:wait:/etc/init.d/rc 1\nl2:2:wait:/etc/init.d/rc 2\nl6:6:wait:/etc/init.d/rc 6\n\
         mk:2:once:/usr/lib/bootline/app mark multi-user\n\
         T0:2:respawn:/sbin/getty -L {console} 115200 vt100\n"
    )
}

/// Run in the root file system once the additions are there: what Debian's own tools have to enter in their tables.
pub(super) fn setup(system: System) -> &'static str {
    match system.init() {
        InitSystem::Systemd | InitSystem::Busybox => "",
        InitSystem::Sysvinit => "update-rc.d bootline-app defaults",
        InitSystem::Openrc => "rc-update add bootline-app default",
    }
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
            Added::Text(text) => put(text.as_bytes(), 0o644)?,
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
            let list = additions(
                system,
                Arch::Amd64,
                RootState::Settled,
                Programs { app: b"app", handoff: b"handoff", fastinit: b"fastinit" },
            );
            let folder = tempfile::tempdir().unwrap();
            write(&list, folder.path()).unwrap();
            let app = folder.path().join("usr/lib/bootline/app");
            assert_eq!(fs::metadata(&app).unwrap().permissions().mode() & 0o777, 0o755);
            let starts = |line: &str| line.contains("/usr/lib/bootline/app") && !line.contains("app mark");
            let started = list.iter().any(|(path, added)| match added {
                Added::File(text) | Added::Script(text) => {
                    !path.starts_with("etc/fastinit") && text.lines().any(starts)
                }
                _ => false,
            });
            assert_eq!(fs::read(folder.path().join("usr/sbin/fastinit")).unwrap(), b"fastinit");
            let marked = list.iter().any(|(_, added)| match added {
                Added::File(text) => text.contains("mark multi-user"),
                Added::Text(text) => text.contains("mark multi-user"),
                _ => false,
            });
            assert!(started && marked, "{system}");
        }
    }

    #[test]
    fn a_first_boot_has_no_machine_id() {
        let id = |state| {
            let list = additions(
                System::DebianMinimal,
                Arch::Amd64,
                state,
                Programs { app: b"", handoff: b"", fastinit: b"" },
            );
            list.into_iter().find(|(path, _)| *path == "etc/machine-id").map(|(_, added)| added)
        };
        assert_eq!(id(RootState::FirstBoot), Some(Added::File("uninitialized\n")));
        assert_ne!(id(RootState::Settled), id(RootState::FirstBoot));
        assert_eq!(removed(System::DebianSystemd, RootState::FirstBoot), "etc/ssh/ssh_host_*");
        assert_eq!(removed(System::DebianOpenrc, RootState::FirstBoot), "", "it could not make them");
    }

    #[test]
    fn the_getty_is_on_the_architectures_console() {
        assert!(inittab(Arch::Amd64).contains("getty -L ttyS0 "));
        assert!(inittab(Arch::Arm64).contains("getty -L ttyAMA0 "));
    }
}
