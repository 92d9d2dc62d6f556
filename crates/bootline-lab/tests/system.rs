// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole systems, built and booted to their application. Images are built in the user's cache, where later runs find them.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use bootline_images::arch::Arch;
use bootline_images::hardware::{Absent, Bus, Hardware};
use bootline_images::image_format::ImageFormat;
use bootline_images::kernels::{Kernel, Store, cache_folder};
use bootline_images::roots::{FileSystem, OwnRoot, own_initramfs};
use bootline_images::systems::{RootChanges, RootState, System, SystemImage, SystemStore, system_initramfs};
use bootline_lab::boot::{BootRequest, RunVerdict, SystemBoot, SystemTruth, Truth, boot_valid, derive, settle};
use bootline_lab::storage::StoragePreset;

/// A run on a host that is busy may be flawed; a lab whose every run is flawed is broken.
const ATTEMPTS: u32 = 8;

/// Boots compete for the host's processors: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Boots a system to its application and checks what all systems have in common.
fn booted(system: System) -> SystemTruth {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let (kernel, _, image) = settled(system);
    let request = BootRequest {
        system: Some(SystemBoot { storage: Some(StoragePreset::Emmc), ..SystemBoot::new(&image) }),
        smp: 2,
        ..BootRequest::new(&kernel.path, dir.path())
    };
    let truth = valid(&request).system.expect("a system was booted");
    // The order, never the milliseconds.
    let moments = [truth.root_ns, truth.handoff_ns, truth.application_ns];
    assert!(moments.iter().all(Option::is_some) && moments.is_sorted(), "{moments:?}");
    assert!(truth.multi_user_ns > truth.handoff_ns);
    assert!(truth.picture_seen_ns > truth.handoff_ns && truth.socket_answered_ns > truth.handoff_ns, "{truth:?}");
    // That it is near 1 is part of the verdict.
    assert!(truth.storage_rate_ratio.is_some(), "a storage of stated speed is checked");
    let used = truth.storage_use.expect("the lab served the disk");
    assert!(Some(used.until_ns) > truth.application_ns && used.reads > 0, "{used:?}");
    // No operation was done faster than such a storage can.
    let limits = StoragePreset::Emmc.limits();
    let (operations, bytes) = (used.reads + used.writes + used.flushes, used.bytes_read + used.bytes_written);
    let least = (operations as f64 / limits.operations_per_s as f64).max(bytes as f64 / limits.bytes_per_s as f64);
    assert!(used.busy_ns.as_secs_f64() > 0.999 * least, "{used:?}");
    truth
}

fn of_environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The kernel, and the folder of its modules.
fn kernel() -> (Kernel, PathBuf) {
    let kernels = Store::open(&cache_folder(None, of_environment).expect("a home")).unwrap();
    let kernel = kernels.fetch("6.12".parse().unwrap(), Arch::Amd64, &mut |p| eprintln!("{p}")).unwrap();
    let modules = kernels.modules(&kernel, &mut |p| eprintln!("{p}")).unwrap();
    (kernel, modules)
}

fn store() -> SystemStore {
    SystemStore::open(&SystemStore::folder(None, of_environment).expect("a home")).unwrap()
}

/// The user's image of a system, settled, with its kernel and that one's modules; it is only read.
fn settled(system: System) -> (Kernel, PathBuf, SystemImage) {
    let (kernel, modules) = kernel();
    let mut image = store().image(system, &kernel, &modules, &mut |p| eprintln!("{p}")).unwrap();
    if !image.manifest.settled {
        settle(&image, &kernel.path, &AtomicBool::new(false)).unwrap();
        image.set_settled().unwrap();
    }
    (kernel, modules, image)
}

/// Boots until a run is valid.
#[track_caller]
fn valid(request: &BootRequest) -> Truth {
    let truth = boot_valid(request, ATTEMPTS, &AtomicBool::new(false), &mut |_| {}).unwrap().truth;
    assert_eq!(truth.verdict, RunVerdict::Valid, "{:?}", truth.fidelity);
    truth
}

#[test]
fn busybox_comes_to_its_application() {
    assert_eq!(booted(System::Busybox).units, [], "it has no units");
}

#[test]
fn an_application_that_is_process_1_boots_without_the_rest() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let (kernel, _, image) = settled(System::Busybox);
    let request = BootRequest {
        system: Some(SystemBoot { storage: Some(StoragePreset::Emmc), ..SystemBoot::new(&image) }),
        smp: 2,
        append: "quiet init=/usr/lib/bootline/app".to_owned(),
        ..BootRequest::new(&kernel.path, dir.path())
    };
    let system = valid(&request).system.expect("a system was booted");
    assert!(system.picture_seen_ns > system.handoff_ns && system.application_ns > system.handoff_ns, "{system:?}");
    assert_eq!((system.multi_user_ns, system.socket_answered_ns), (None, None), "nobody sets up the network");
    assert!(system.storage_rate_ratio.is_some(), "a storage of stated speed is checked");
}

#[test]
fn debian_minimal_comes_to_its_application_and_accounts_for_its_units() {
    let truth = booted(System::DebianMinimal);
    let unit = |name: &str| truth.units.iter().find(|u| u.name == name).unwrap_or_else(|| panic!("no {name}"));
    let app = unit("bootline-app.service");
    // On the host's clock a unit's stamps lie between the marks of the programs around it.
    assert!(Some(app.activating_ns) > truth.handoff_ns && Some(app.activating_ns) < truth.application_ns, "{app:?}");
    assert!(
        unit("sysinit.target").active_ns.expect("it was reached") <= app.activating_ns,
        "it is an ordinary service"
    );
    assert!(unit("multi-user.target").active_ns.expect("it was reached") <= truth.multi_user_ns.expect("it is marked"));
}

#[test]
fn a_root_on_another_bus_boots_next_to_empty_slots() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (kernel, modules) = kernel();
    let dir = tempfile::tempdir().unwrap();
    let image = store().image(System::Busybox, &kernel, &modules, &mut |p| eprintln!("{p}")).unwrap();
    let hardware = Hardware { bus: Some(Bus::Sata), absent: Absent::ALL.into() };
    let initramfs = dir.path().join("initramfs");
    fs::write(&initramfs, system_initramfs(&image.manifest, &hardware, &modules).unwrap()).unwrap();
    let request = BootRequest {
        system: Some(SystemBoot { hardware, initramfs, ..SystemBoot::new(&image) }),
        smp: 2,
        append: "quiet".to_owned(),
        ..BootRequest::new(&kernel.path, &dir.path().join("run"))
    };
    let system = valid(&request).system.expect("a system was booted");
    assert_eq!((system.bus, system.absent), (Some(Bus::Sata), Absent::ALL.into()));
    let log = fs::read_to_string(dir.path().join("run/dmesg.kmsg")).unwrap();
    let lines = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!((lines("SATA link up"), lines("SATA link down")), (1, 11), "two controllers with six ports each");
    assert_eq!(lines("mmc0: SDHCI controller on PCI"), 1);
    // The second card of the network has a driver, and its link never came up.
    assert!(lines("eth1") > 0 && lines("eth1: NIC Link is Up") == 0);
    assert!(system.socket_answered_ns.is_some(), "the system's own network is up");
}

#[test]
fn the_same_files_boot_from_disks_and_flash() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (kernel, modules, settled) = settled(System::Busybox);
    let dir = tempfile::tempdir().unwrap();
    for format in [ImageFormat::Btrfs, ImageFormat::Squashfs, ImageFormat::Ubifs] {
        let image = store().converted(&settled, format, &modules, &mut |p| eprintln!("{p}")).unwrap();
        let run = dir.path().join(format.name());
        let request = BootRequest {
            system: Some(SystemBoot::new(&image)),
            smp: 2,
            append: "quiet".to_owned(),
            ..BootRequest::new(&kernel.path, &run)
        };
        let system = valid(&request).system.expect("a system was booted");
        let flash = if format == ImageFormat::Ubifs { Bus::Mtd } else { Bus::Virtio };
        assert_eq!((system.format, system.bus), (Some(format), Some(flash)));
        let log = fs::read_to_string(run.join("dmesg.kmsg")).unwrap();
        let mounted = match format {
            ImageFormat::Btrfs => "BTRFS info (device vda): first mount",
            ImageFormat::Ubifs => "UBIFS (ubi0:0): Mounting in",
            // It says nothing of a mount, and what is written goes to a layer above it.
            _ => "squashfs: version",
        };
        assert!(log.contains(mounted), "{format}: no `{mounted}` in {log}");
    }
}

/// Its init waits for nothing, and its prompt has no line end.
const OWN_INIT: &str =
    "#!/bin/busybox sh\necho the root is its own >/dev/kmsg\nprintf 'board login: '\nexec /bin/busybox sleep 1000\n";

#[test]
fn a_folder_of_ones_own_comes_to_its_prompt() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (kernel, modules) = kernel();
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    for folder in ["bin", "sbin", "dev", "proc", "sys"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    // The one program that the lab's busybox system is made of.
    let image = store().image(System::Busybox, &kernel, &modules, &mut |p| eprintln!("{p}")).unwrap();
    let busybox = Command::new("/sbin/debugfs").args(["-R", "cat /usr/bin/busybox"]).arg(&image.path).output().unwrap();
    assert!(busybox.stdout.starts_with(b"\x7fELF"), "{}", String::from_utf8_lossy(&busybox.stderr));
    for (path, content) in [("bin/busybox", &busybox.stdout[..]), ("sbin/init", OWN_INIT.as_bytes())] {
        fs::write(root.join(path), content).unwrap();
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink("busybox", root.join("bin/sh")).unwrap();

    let root = OwnRoot::prepare(&root, None, dir.path()).unwrap();
    assert_eq!((root.file_system, root.partition), (FileSystem::Ext4, None));
    let initramfs = dir.path().join("initramfs");
    fs::write(&initramfs, own_initramfs(&root, Arch::Amd64, &Hardware::default(), Some(&modules)).unwrap()).unwrap();
    let request = BootRequest {
        system: Some(SystemBoot::of_own(&root, initramfs)),
        smp: 2,
        ..BootRequest::new(&kernel.path, &dir.path().join("run"))
    };
    let truth = valid(&request);
    let system = truth.system.expect("a root was booted");
    assert_eq!((system.system, system.file_system), (None, Some(FileSystem::Ext4)));
    let moments = [system.root_ns, system.handoff_ns, truth.marker_ns];
    assert!(moments.iter().all(Option::is_some) && moments.is_sorted(), "{moments:?}");
    assert_eq!((system.units.len(), system.application_ns), (0, None));
    let log = fs::read_to_string(dir.path().join("run/dmesg.kmsg")).unwrap();
    assert!(log.contains("the root is its own"), "the log was read in the root itself");
    assert!(!dir.path().join("run/journal.export").exists(), "there is no systemd that could answer");
}

#[test]
fn a_root_whose_power_was_cut_replays_its_journal_and_a_changed_copy_boots_with_the_changes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (kernel, _, settled) = settled(System::Busybox);
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copy.img");
    // A file that its init script reads: what is written in the image is what the guest sees.
    let files = [("etc/hostname".to_owned(), b"changed\n".to_vec())].into();
    let script = "#!/bin/sh\n. /etc/init.d/rcS.own\necho \"host: $(hostname)\" >/dev/kmsg\n".to_owned();
    let own = Command::new("/sbin/debugfs").args(["-R", "cat /etc/init.d/rcS"]).arg(&settled.path).output().unwrap();
    let mut changes = RootChanges { files, without: ["etc/fastinit.conf".to_owned()].into() };
    changes
        .files
        .extend([("etc/init.d/rcS".to_owned(), script.into_bytes()), ("etc/init.d/rcS.own".to_owned(), own.stdout)]);
    changes.copy(&settled.path, &copy, dir.path()).unwrap();
    // The changed copy is what loses its power: both in two boots.
    let mut image = SystemImage { path: copy, ..settled };
    derive(&image, RootState::PowerLost, &kernel.path, &AtomicBool::new(false)).unwrap();
    assert!(image.needs_recovery().unwrap());
    image.manifest.state = RootState::PowerLost;

    let run = dir.path().join("run");
    let boot = SystemBoot { changes, ..SystemBoot::new(&image) };
    let request = BootRequest { system: Some(boot), smp: 2, ..BootRequest::new(&kernel.path, &run) };
    let truth = valid(&request).system.expect("a system was booted");
    assert_eq!(
        (truth.root_state, truth.root_without),
        (Some(RootState::PowerLost), vec!["etc/fastinit.conf".to_owned()])
    );
    let log = fs::read_to_string(run.join("dmesg.kmsg")).unwrap();
    let place = |text: &str| log.find(text).unwrap_or_else(|| panic!("no `{text}` in {log}"));
    // The file that a program had open when the power was cut.
    assert!(place("EXT4-fs (vda): 1 orphan inode deleted") < place("EXT4-fs (vda): recovery complete"));
    assert!(place("EXT4-fs (vda): recovery complete") < place("host: changed"));
    assert!(image.needs_recovery().unwrap(), "the next boot begins with the same");
}

#[test]
fn an_aged_root_has_the_same_files_in_pieces() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (kernel, _, settled) = settled(System::Busybox);
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copy.img");
    fs::copy(&settled.path, &copy).unwrap();
    // A smaller one is full sooner; the modules of the kernel take most of it.
    for command in [&["e2fsck", "-f", "-p"][..], &["resize2fs"]] {
        let mut program = Command::new(format!("/sbin/{}", command[0]));
        program.args(&command[1..]).arg(&copy).args((command[0] == "resize2fs").then_some("160M"));
        assert!(program.status().unwrap().success(), "{command:?}");
    }
    let mut image = SystemImage { path: copy, ..settled.clone() };
    derive(&image, RootState::Aged, &kernel.path, &AtomicBool::new(false)).unwrap();
    image.manifest.state = RootState::Aged;
    assert!(!image.needs_recovery().unwrap(), "it was unmounted");

    let files = |image: &SystemImage| {
        let dir = tempfile::tempdir().unwrap();
        let request = format!("rdump / {}", dir.path().display());
        assert!(Command::new("/sbin/debugfs").args(["-R", &request]).arg(&image.path).status().unwrap().success());
        files_in(dir.path())
    };
    assert_eq!(files(&image), files(&settled));
    let (before, after) = (pieces(&settled.path), pieces(&image.path));
    assert!(before < 1.0 && after > 2.0, "{before} % of the files were in pieces, and {after} % are now");

    let run = dir.path().join("run");
    let request = BootRequest { system: Some(SystemBoot::new(&image)), smp: 2, ..BootRequest::new(&kernel.path, &run) };
    assert_eq!(valid(&request).system.unwrap().root_state, Some(RootState::Aged));
}

/// The share of an image's files that lie in pieces, in percent.
fn pieces(image: &Path) -> f64 {
    // 0 of 255 files (0.4% non-contiguous), 1024/2048 blocks
    let output = Command::new("/sbin/e2fsck").args(["-f", "-n"]).arg(image).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let share = text.split_once("% non-contiguous").and_then(|(before, _)| before.rsplit('(').next()?.parse().ok());
    share.unwrap_or_else(|| panic!("{text}"))
}

/// The paths and contents of the files below a folder.
fn files_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => {
                    found
                        .insert(entry.path().strip_prefix(folder).unwrap().to_owned(), fs::read(entry.path()).unwrap());
                }
                _ => {}
            }
        }
    }
    found
}
