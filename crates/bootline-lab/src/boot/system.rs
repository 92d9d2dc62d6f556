// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole system in a boot, of the lab or of the user: its hardware as QEMU's arguments, what it is waited for, and what is asked of it afterwards.
use std::ffi::OsString;
use std::path::PathBuf;

use bootline_images::hardware::{Absent, Bus, Hardware};
use bootline_images::image_format::ImageFormat;
use bootline_images::roots::{FileSystem, OwnRoot};
use bootline_images::systems::{APPLICATION_PROGRAM, InitSystem, RootChanges, RootState, System, SystemImage};

use super::devices;
use super::guest_work::GuestWork;
use crate::storage::{StoragePreset, check_command};

/// The marks that a system sends when it has booted: the run level or target, and the application's own.
pub(super) const AWAITED: [&str; 3] = [MULTI_USER, PICTURE, SOCKET];
/// The initramfs is about to execute the system's init.
pub(super) const HANDOFF: &str = "handoff";
pub(super) const MULTI_USER: &str = "multi-user";
pub(super) const APPLICATION_START: &str = "app.start";
pub(super) const PICTURE: &str = "app.picture";
pub(super) const SOCKET: &str = "app.socket";
/// The port on which the application listens.
pub(super) const APPLICATION_PORT: u16 = 8080;

/// Whether the command line makes the application process 1: the last init= counts, and what follows `--` is for init.
pub(super) fn starts_application_alone(append: &str) -> bool {
    let words = append.split_whitespace().take_while(|word| *word != "--");
    words.filter_map(|word| word.strip_prefix("init=")).last() == Some(APPLICATION_PROGRAM)
}

/// A system to boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemBoot {
    /// What is in the image.
    pub root: BootedRoot,
    /// Its image.
    pub image: PathBuf,
    /// The initramfs that mounts it on this hardware.
    pub initramfs: PathBuf,
    /// The bus of its disk, and what the machine has besides.
    pub hardware: Hardware,
    /// The storage that the image is on; none for as fast as the host is.
    pub storage: Option<StoragePreset>,
    /// The state of the root, which is that of the image; none for a root of the user's own.
    pub state: Option<RootState>,
    /// What `uname -r` says in the kernel that the image is for; none for a root of the user's own.
    pub release: Option<String>,
    /// How the image differs from that of the system.
    pub changes: RootChanges,
    /// What becomes of what the boot writes.
    pub writes: Writes,
    /// Memory that the guest's driver for virtio-mem adds while the system runs, in MiB; a multiple of [`ADDED_MEMORY_BLOCK_MIB`].
    pub added_memory_mib: u32,
}

/// What becomes of what a boot writes, and how the boot ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// It is thrown away, and the power is cut: a boot that is measured.
    Discarded,
    /// It is kept, and the system shuts down in its own way: what an image needs once before it is measured.
    Kept,
    /// It is kept, once the guest has done this work.
    Worked(&'static GuestWork),
}

impl Writes {
    /// Whether the system is shut down in its own way in the end. Otherwise its power is cut.
    pub(super) fn shuts_down(self) -> bool {
        match self {
            Writes::Discarded => false,
            Writes::Kept => true,
            Writes::Worked(work) => work.shuts_down,
        }
    }
}

/// A root file system and how one knows that it has booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootedRoot {
    /// A system of the lab, which marks its moments.
    Lab {
        /// The system.
        system: System,
        /// The form of its image.
        format: ImageFormat,
    },
    /// One of the user's own, which is awaited at a line of its console: [`super::BootRequest::marker`].
    Own {
        /// Its file system.
        file_system: FileSystem,
        /// The partition that it is in; none for the whole disk.
        partition: Option<u32>,
    },
}

impl BootedRoot {
    /// The lab's system, if it is one.
    pub fn system(self) -> Option<System> {
        match self {
            BootedRoot::Lab { system, .. } => Some(system),
            BootedRoot::Own { .. } => None,
        }
    }

    /// The form of its image, if the lab wrote it.
    pub fn format(self) -> Option<ImageFormat> {
        match self {
            BootedRoot::Lab { format, .. } => Some(format),
            BootedRoot::Own { .. } => None,
        }
    }

    /// Its file system.
    pub fn file_system(self) -> FileSystem {
        match self {
            BootedRoot::Lab { format, .. } => format.file_system(),
            BootedRoot::Own { file_system, .. } => file_system,
        }
    }
}

/// The block in which memory is added to a guest: that of sparse memory on x86_64, and of arm64 with pages of 4 KiB.
pub const ADDED_MEMORY_BLOCK_MIB: u32 = 128;

/// What a system is asked after the measured part: a file of the run, and the command whose output it gets.
pub(super) type Question = (&'static str, String);

impl SystemBoot {
    /// A boot of an image as built.
    pub fn new(image: &SystemImage) -> SystemBoot {
        SystemBoot {
            root: BootedRoot::Lab { system: image.manifest.system, format: image.manifest.format },
            image: image.path.clone(),
            initramfs: image.initramfs.clone(),
            hardware: Hardware::default(),
            storage: None,
            state: Some(image.manifest.state),
            release: Some(image.manifest.release.clone()),
            changes: RootChanges::default(),
            writes: Writes::Discarded,
            added_memory_mib: 0,
        }
    }

    /// A boot of a root of one's own, as it is: if it was never booted, each boot is its first.
    pub fn of_own(root: &OwnRoot, initramfs: PathBuf) -> SystemBoot {
        SystemBoot {
            root: BootedRoot::Own { file_system: root.file_system, partition: root.partition },
            image: root.disk.clone(),
            initramfs,
            hardware: Hardware::default(),
            storage: None,
            state: None,
            release: None,
            changes: RootChanges::default(),
            writes: Writes::Discarded,
            added_memory_mib: 0,
        }
    }

    /// What the kernel is told of its root, unless the user says otherwise.
    pub(super) fn parameters(&self) -> String {
        let partition = match self.root {
            BootedRoot::Own { partition, .. } => partition,
            BootedRoot::Lab { .. } => None,
        };
        let file_system = self.root.file_system();
        let device = self.bus().root(file_system, partition);
        // A root of one's own has what it needs to be read only.
        let layer = self.root.system().filter(|_| file_system.is_read_only());
        let layer = layer.map_or("", |_| "bootline.overlay=tmpfs ");
        let fastmap = self.state == Some(RootState::Fastmap) && self.release.as_deref().is_some_and(has_to_be_told);
        let drivers = self.hardware.parameters(file_system, fastmap);
        format!("root={device} rootfstype={file_system} ro {drivers}{layer}printk.devkmsg=on")
    }

    /// QEMU's arguments for the disk on the drive `root`, the network and the screen. `port` is the host's for the application's.
    pub(super) fn arguments(&self, drive: OsString, port: u16, qmp: i32) -> Vec<OsString> {
        let network = format!("user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:{APPLICATION_PORT}");
        let mut arguments: Vec<OsString> = vec!["-drive".into(), drive];
        arguments.extend(devices::of_root(self.bus()).map(OsString::from));
        let fixed = [
            "-netdev",
            &network,
            "-device",
            "virtio-net-pci,netdev=net,romfile=",
            "-device",
            "bochs-display",
            "-chardev",
            &format!("socket,id=qmp,fd={qmp}"),
            "-mon",
            "chardev=qmp,mode=control",
        ];
        arguments.extend(fixed.iter().map(OsString::from));
        // After the system's own hardware, which keeps the first numbers.
        arguments
            .extend(self.hardware.absent.iter().flat_map(|absent| devices::of_absent(*absent)).map(OsString::from));
        if self.added_memory_mib > 0 {
            let size = format!("{}M", self.added_memory_mib);
            let backend = format!("memory-backend-ram,id=added,size={size}");
            let device = format!("virtio-mem-pci,memdev=added,requested-size={size}");
            arguments.extend(["-object", &backend, "-device", &device].map(OsString::from));
        }
        if self.is_paused() {
            arguments.push("-S".into());
        }
        arguments
    }

    /// The bus of the root's disk.
    pub(super) fn bus(&self) -> Bus {
        self.hardware.bus_of(self.root.file_system())
    }

    /// Whether the guest waits for the host, which sets up through QEMU's monitor what no argument can.
    pub(super) fn is_paused(&self) -> bool {
        self.hardware.absent.contains(&Absent::NetworkLink)
    }

    /// The questions, in order. The storage is checked last: it keeps the storage busy.
    pub(super) fn questions(&self) -> Vec<Question> {
        let ask = |file, command: &str| (file, command.to_owned());
        match self.writes {
            Writes::Discarded => {}
            Writes::Kept => return Vec::new(),
            Writes::Worked(work) => return vec![ask(work.report, work.script)],
        }
        // Where nobody knows which init it is, the command finds out; without an answer there is no file.
        let of_systemd = |check: &str| {
            vec![
                ask(UNITS, &format!("{check}systemctl show --all '*'")),
                ask(MANAGER, &format!("{check}systemctl show")),
                ask("journal.export", &format!("{check}journalctl -b -o export")),
                ask("analyze-time.txt", &format!("{check}systemd-analyze time")),
            ]
        };
        let mut questions = match self.root.system().map(System::init) {
            Some(InitSystem::Systemd) => of_systemd(""),
            Some(InitSystem::Sysvinit | InitSystem::Openrc | InitSystem::Busybox) => Vec::new(),
            None => of_systemd("[ -d /run/systemd/system ] && "),
        };
        questions.extend(self.hardware_questions());
        questions
    }

    /// Those that check what the machine should have had.
    pub(super) fn hardware_questions(&self) -> Vec<Question> {
        let memory = (self.added_memory_mib > 0).then(|| (MEMORY, "cat /proc/meminfo".to_owned()));
        memory.into_iter().chain(self.storage_questions()).collect()
    }

    /// Those that check its storage, in order, which keep it busy.
    fn storage_questions(&self) -> Vec<Question> {
        let Some(storage) = self.storage else { return Vec::new() };
        // An image that can't be looked at is refused before it is booted.
        let size = std::fs::metadata(&self.image).map_or(u64::MAX, |m| m.len());
        vec![
            (WARM_UP, "dd if=/dev/null of=/dev/null 2>/dev/null".to_owned()),
            (STORAGE, check_command(storage.limits(), self.bus().disk(), size)),
        ]
    }

    /// Whether a question is one of these.
    pub(super) fn is_of_storage(file: &str) -> bool {
        [WARM_UP, STORAGE].contains(&file)
    }
}

/// Whether UBI in a kernel of this release uses a fastmap only when it is told to: from 6.3 on (7af73882dd1c, "ubi: fastmap: Add fastmap
/// control support for module parameter").
fn has_to_be_told(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(6u32), Some(3))
}

/// What the guest reads a line into (init/root.c).
#[cfg(test)]
pub(super) const LONGEST_COMMAND: usize = 4096;

/// The file with the properties of all units.
pub(super) const UNITS: &str = "systemctl-show.txt";
/// The file with the properties of process 1.
pub(super) const MANAGER: &str = "systemctl-manager.txt";
/// The name of what reads dd and its libraries before the check, which would count as the storage's time. It answers nothing.
pub(super) const WARM_UP: &str = "warm-up";
/// The file with the kernel's account of its memory.
pub(super) const MEMORY: &str = "meminfo.txt";
/// The file with dd's report on the storage.
pub(super) const STORAGE: &str = "storage.txt";

#[cfg(test)]
impl SystemBoot {
    /// A boot of busybox for tests: of files that are not there.
    pub(super) fn of_busybox() -> SystemBoot {
        SystemBoot {
            root: BootedRoot::Lab { system: System::Busybox, format: ImageFormat::Ext4 },
            image: "/i".into(),
            initramfs: "/r".into(),
            hardware: Hardware::default(),
            storage: None,
            state: Some(RootState::Settled),
            release: Some("6.12.1-test".to_owned()),
            changes: RootChanges::default(),
            writes: Writes::Discarded,
            added_memory_mib: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ageing;
    use super::*;

    fn boot() -> SystemBoot {
        SystemBoot {
            root: BootedRoot::Lab { system: System::DebianSystemd, format: ImageFormat::Ext4 },
            image: "/a,b.img".into(),
            storage: Some(StoragePreset::Emmc),
            ..SystemBoot::of_busybox()
        }
    }

    #[test]
    fn the_kernel_is_told_where_the_root_is() {
        let own = |file_system, partition| SystemBoot { root: BootedRoot::Own { file_system, partition }, ..boot() };
        let check = |boot: SystemBoot, expected: &str| {
            assert_eq!(boot.parameters(), format!("{expected} printk.devkmsg=on"));
        };
        check(boot(), "root=/dev/vda rootfstype=ext4 ro");
        check(own(FileSystem::Squashfs, None), "root=/dev/vda rootfstype=squashfs ro");
        check(own(FileSystem::Btrfs, Some(3)), "root=/dev/vda3 rootfstype=btrfs ro");
        // What is built in makes flash of the disk before the root is mounted.
        let flash = "block2mtd.block2mtd=/dev/vda,131072";
        check(own(FileSystem::Ubifs, None), &format!("root=ubi0_0 rootfstype=ubifs ro {flash} ubi.mtd=0"));
        for (release, mtd) in
            [("6.12.117-boards", "0,0,0,0,1"), ("6.3", "0,0,0,0,1"), ("6.1.140+deb12", "0"), ("5.10.1", "0")]
        {
            let root = BootedRoot::Lab { system: System::Busybox, format: ImageFormat::Ubifs };
            let (state, release) = (Some(RootState::Fastmap), Some(release.to_owned()));
            let boot = SystemBoot { root, state, release, ..boot() };
            check(boot, &format!("root=ubi0_0 rootfstype=ubifs ro {flash} ubi.mtd={mtd}"));
        }
        let lab = |format| SystemBoot { root: BootedRoot::Lab { system: System::Busybox, format }, ..boot() };
        check(lab(ImageFormat::Jffs2Summary), &format!("root=mtd0 rootfstype=jffs2 ro {flash}"));
        let covered = lab(ImageFormat::Erofs).parameters();
        assert_eq!(covered, "root=/dev/vda rootfstype=erofs ro bootline.overlay=tmpfs printk.devkmsg=on");
    }

    #[test]
    fn the_application_is_process_1_if_the_last_init_names_it() {
        let alone = |append: &str| starts_application_alone(append);
        assert!(alone("init=/sbin/init quiet init=/usr/lib/bootline/app"));
        assert!(alone("init=/usr/lib/bootline/app -- init=/sbin/init"));
        assert!(!alone("init=/usr/lib/bootline/app init=/sbin/init"));
        assert!(!alone("rdinit=/usr/lib/bootline/app init=/usr/lib/bootline/app2 -- init=/usr/lib/bootline/app"));
    }

    #[test]
    fn the_root_is_on_the_bus_that_was_asked_for() {
        let on = |bus| Hardware { bus: Some(bus), ..Hardware::default() };
        let own = BootedRoot::Own { file_system: FileSystem::Ext4, partition: Some(2) };
        let boot = SystemBoot { root: own, hardware: on(Bus::Nvme), ..boot() };
        assert!(boot.parameters().starts_with("root=/dev/nvme0n1p2 rootfstype=ext4 "), "{}", boot.parameters());
        assert!(boot.questions().last().unwrap().1.starts_with("dd if=/dev/nvme0n1 "));
        assert!(boot.arguments("".into(), 1, 3).contains(&"nvme,drive=root,serial=root".into()));
    }

    #[test]
    fn a_guest_waits_only_for_its_link_to_be_taken_down() {
        let with = |absent| Hardware { absent: [absent].into(), ..Hardware::default() };
        for absent in Absent::ALL {
            let boot = SystemBoot { hardware: with(absent), ..boot() };
            let waits = boot.arguments("".into(), 1, 3).contains(&"-S".into());
            assert_eq!((waits, boot.is_paused()), (absent == Absent::NetworkLink, waits), "{absent}");
        }
    }

    #[test]
    fn only_a_root_with_systemd_answers_for_its_units() {
        let own = BootedRoot::Own { file_system: FileSystem::Ext4, partition: None };
        let questions = SystemBoot { root: own, ..boot() }.questions();
        assert_eq!(questions[0], (UNITS, "[ -d /run/systemd/system ] && systemctl show --all '*'".to_owned()));
        let busybox = SystemBoot {
            root: BootedRoot::Lab { system: System::Busybox, format: ImageFormat::Ext4 },
            storage: None,
            ..boot()
        };
        assert_eq!(busybox.questions(), []);
    }

    #[test]
    fn the_storage_is_checked_last() {
        let questions = boot().questions();
        assert_eq!(questions.last().map(|q| q.0), Some(STORAGE));
        assert_eq!(questions[0].0, UNITS);
        assert_eq!(SystemBoot { writes: Writes::Kept, ..boot() }.questions(), []);
        let work = &ageing::WORK;
        let asked = SystemBoot { writes: Writes::Worked(work), ..boot() }.questions();
        assert_eq!(asked, [(work.report, work.script.to_owned())]);
    }
}
