// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to boot: the request, and the plan made from it.
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bootline_capture::units::{Baud, Frame, LineRate};
use regex::bytes::Regex;

use super::{ADDED_MEMORY_BLOCK_MIB, BootError, LoaderBoot, LoaderSetup, SystemBoot};
use crate::cpu_model::CpuModel;
use crate::host::Host;
use crate::line::{MAX_BAUD, MIN_BAUD, Transport};
use crate::machine::{Accel, InstructionTime, Machine, command_line, declared_baud};
use crate::module::Module;
use bootline_images::arch::Arch;
use bootline_images::file_system::FileSystem;
use bootline_images::hardware::Bus;
use bootline_images::loaders::Loader;
use bootline_images::systems::HANDOFF_PROGRAM;

/// What to boot.
#[derive(Clone, Debug)]
pub struct BootRequest {
    /// The kernel image: a bzImage, an arm64 Image or an armhf zImage.
    pub kernel: PathBuf,
    /// What the run's files call it; by default its path, which tells where it was on this machine.
    pub kernel_name: Option<String>,
    /// The user's own initramfs; by default the lab's, whose init reports the truth on a second port.
    pub initrd: Option<PathBuf>,
    /// Boot without an initramfs: the kernel mounts the root of the lab's `system` itself, and runs the lab's handoff program from
    /// there, which sends what the init of the initramfs would send.
    pub no_initramfs: bool,
    /// A device tree instead of the one that QEMU makes for its machine; only where there is one.
    pub dtb: Option<PathBuf>,
    /// Parameters for the kernel command line. They override the lab's own (`console=`, `panic=`, `log_buf_len=`).
    pub append: String,
    /// A boot loader that boots the kernel; by default QEMU starts it itself.
    pub loader: Option<LoaderBoot>,
    /// A whole system, booted by the lab's own initramfs; then there is no `initrd`.
    pub system: Option<SystemBoot>,
    /// The guest's architecture; by default that of the image.
    pub arch: Option<Arch>,
    /// Speed of the line; by default 115200. Must be none with [`Accel::Icount`].
    pub baud: Option<Baud>,
    /// The line's frame: data bits, parity, stop bits.
    pub frame: Frame,
    /// The channel that paces QEMU.
    pub transport: Transport,
    /// What executes the guest. [`Accel::Icount`] boots without a console, to measure CPU cost.
    pub accel: Accel,
    /// CPUs of the guest.
    pub smp: u32,
    /// The guest's processor; by default the lab's choice for the architecture.
    pub cpu_model: Option<CpuModel>,
    /// The time of an instruction with [`Accel::Icount`]; by default 2 ns.
    pub instruction_time: Option<InstructionTime>,
    /// Memory of the guest, in MiB.
    pub memory_mib: u32,
    /// Keep the host's huge pages from QEMU. A fault for one halts the guest until the host has found and cleared 2 MiB, which can
    /// take 5 ms.
    pub no_huge_pages: bool,
    /// A console line whose time is recorded. With the user's own initramfs or root it also ends the boot; its default is then
    /// the kernel's last line, `Run ... as init process`, or the login prompt.
    pub marker: Option<Regex>,
    /// Kernel modules that the lab's init loads, in this order, right after its first message; with a system, the init
    /// of its initramfs loads them. Each is a file: see [`crate::module::with_own`].
    pub modules: Vec<Module>,
    /// Number of lines that the lab's init prints to /dev/kmsg and times, once the boot's own log is transmitted.
    pub lines: Option<u32>,
    /// Count accesses to the console's registers with QEMU's trace. This slows the guest, so the run's times are not
    /// comparable.
    pub trace_registers: bool,
    /// Time limit; by default [`BootRequest::default_timeout`].
    pub timeout: Option<Duration>,
    /// Output directory, created if missing. It must not contain another run.
    pub dir: PathBuf,
    /// Ask for real-time priority where the host allows it.
    pub real_time: bool,
}

impl BootRequest {
    /// A boot of `kernel` with the defaults: 115200 8n1, one CPU, 512 MiB, the lab's own init.
    pub fn new(kernel: &Path, dir: &Path) -> BootRequest {
        BootRequest {
            kernel: kernel.to_owned(),
            kernel_name: None,
            initrd: None,
            no_initramfs: false,
            dtb: None,
            loader: None,
            system: None,
            append: String::new(),
            arch: None,
            baud: None,
            frame: Frame::default(),
            transport: Transport::default(),
            accel: Accel::default(),
            smp: 1,
            cpu_model: None,
            instruction_time: None,
            memory_mib: 512,
            no_huge_pages: false,
            marker: None,
            modules: Vec::new(),
            lines: None,
            trace_registers: false,
            timeout: None,
            dir: dir.to_owned(),
            real_time: true,
        }
    }

    pub(super) fn kernel_name(&self) -> String {
        self.kernel_name.clone().unwrap_or_else(|| self.kernel.display().to_string())
    }

    /// Two minutes plus the transmit time of 250 000 bytes, which is ample for a boot with initcall_debug. A traced
    /// guest gets four times as long.
    pub fn default_timeout(baud: Baud, frame: Frame) -> Duration {
        let line = LineRate::of(baud, frame).time_for(250_000).as_dur();
        Duration::from_secs(120) + Duration::from_nanos(line.as_nanos().unsigned_abs())
    }
}

/// A line to be paced.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacedLine {
    pub baud: Baud,
    pub frame: Frame,
    pub transport: Transport,
    /// The baud that the guest is told.
    pub declared: Option<Baud>,
}

/// A request with all defaults filled in.
#[derive(Debug)]
pub(super) struct BootPlan {
    pub machine: Machine,
    /// `None` for a boot without a console.
    pub line: Option<PacedLine>,
    pub command_line: String,
    pub timeout: Duration,
}

pub(super) fn plan(request: &BootRequest, host: &Host) -> Result<BootPlan, BootError> {
    let arch = match request.arch {
        Some(arch) => arch,
        None => arch_of(&request.kernel)?,
    };
    let icount = request.accel == Accel::Icount;
    if icount && request.baud.is_some() {
        return Err(BootError::PacedAndIcount);
    }
    if request.accel == Accel::Kvm && !arch.has_kvm() {
        return Err(BootError::NoKvm { arch });
    }
    if request.dtb.is_some() && !arch.has_device_tree() {
        return Err(BootError::NoDeviceTree { arch });
    }
    if icount && request.initrd.is_some() {
        return Err(BootError::IcountWithInitrd);
    }
    let asked = |wanted, what| if wanted { Some(what) } else { None };
    let of_init =
        asked(!request.modules.is_empty(), "loading modules").or(asked(request.lines.is_some(), "printing lines"));
    if request.system.is_some() && request.initrd.is_some() {
        return Err(BootError::NeedsLabInit { what: "booting a system" });
    }
    if request.system.is_some() && icount {
        return Err(BootError::NeedsLine { what: "booting a system" });
    }
    if let Some(what) = of_init.filter(|_| request.initrd.is_some()) {
        return Err(BootError::NeedsLabInit { what });
    }
    if request.system.is_some() && request.lines.is_some() {
        return Err(BootError::NeedsLabInit { what: "printing lines" });
    }
    check_initramfs(request)?;
    let added_memory_mib = request.system.as_ref().map_or(0, |boot| boot.added_memory_mib);
    check_added_memory(added_memory_mib, arch)?;
    if request.instruction_time.is_some() && !icount {
        return Err(BootError::NotCounted);
    }
    let of_line =
        asked(request.lines.is_some(), "printing lines").or(asked(request.trace_registers, "tracing registers"));
    let of_line = of_line.or(asked(request.loader.is_some(), "a boot loader"));
    if let Some(loader) = &request.loader {
        check_loader(loader.loader, loader.setup, Some(arch), &request.kernel)?;
    }
    if let Some(what) = of_line.filter(|_| icount) {
        return Err(BootError::NeedsLine { what });
    }
    let baud = request.baud.or(Baud::new(115_200)).filter(|_| !icount);
    if let Some(baud) = baud.filter(|b| !(MIN_BAUD..=MAX_BAUD).contains(&b.get())) {
        return Err(BootError::BaudOutOfRange { baud });
    }
    let declared = baud.map(|baud| arch.declared_baud(baud));
    // Each instruction counts as a nanosecond or two, so the counter does not run at the host's rate.
    let tsc_khz = host.tsc_khz.filter(|_| !icount && request.accel != Accel::Kvm);
    let append = match &request.system {
        Some(boot) => format!("{} {}", boot.parameters(), request.append),
        None => request.append.clone(),
    };
    let append = if request.no_initramfs { with_handoff(&append) } else { append };
    let command_line = command_line(arch, declared, tsc_khz, request.lines.is_some(), &append);
    if let Some(loader) = &request.loader {
        loader.check_words(&command_line)?;
    }
    let line = baud.map(|baud| PacedLine {
        baud,
        frame: request.frame,
        transport: request.transport,
        declared: declared_baud(arch, &command_line),
    });
    let timeout = request.timeout.unwrap_or_else(|| match baud {
        Some(baud) => BootRequest::default_timeout(baud, request.frame) * if request.trace_registers { 4 } else { 1 },
        None => Duration::from_secs(300),
    });
    // User space takes minutes in the translator, and what is asked of it afterwards as long.
    let timeout = match (&request.system, request.timeout) {
        (Some(_), None) => timeout + Duration::from_secs(480),
        _ => timeout,
    };
    // A boot loader counts down, reads a disk and prints.
    let timeout = match (&request.loader, request.timeout) {
        (Some(boot), None) => timeout + Duration::from_secs(60 + u64::from(boot.setup.delay.unwrap_or_default())),
        _ => timeout,
    };
    let machine = Machine {
        arch,
        accel: request.accel,
        cpu_model: request.cpu_model.clone(),
        instruction_time: request.instruction_time,
        smp: request.smp,
        memory_mib: request.memory_mib,
        added_memory_mib,
    };
    Ok(BootPlan { machine, line, command_line, timeout })
}

/// Names the program that reports instead of the initramfs. The last init= counts, and the program finds the user's own among the
/// others; what follows `--` are the init's arguments.
fn with_handoff(append: &str) -> String {
    let words: Vec<&str> = append.split_whitespace().collect();
    let (own, arguments) = words.split_at(words.iter().position(|word| *word == "--").unwrap_or(words.len()));
    let handoff = format!("init={HANDOFF_PROGRAM}");
    [own, &[&handoff], arguments].concat().join(" ")
}

/// Checks that nothing was asked for that only an initramfs can do.
fn check_initramfs(request: &BootRequest) -> Result<(), BootError> {
    let of_lab = request.system.as_ref().is_some_and(|boot| boot.root.system().is_some());
    let is_mounted = |boot: &SystemBoot| boot.bus() == Bus::Virtio && boot.root.file_system() == FileSystem::Ext4;
    let refused = [
        (request.initrd.is_some(), "an initramfs of your own", "it is one"),
        (!of_lab, "any but the lab's systems", "only they have the program that reports in its place"),
        (
            !request.system.as_ref().is_none_or(is_mounted),
            "a root on another bus or in another file system",
            "it has their drivers",
        ),
        (!request.modules.is_empty(), "modules to load", "they are loaded from there"),
        (request.loader.is_some(), "a boot loader", "its menu names one"),
    ];
    match refused.into_iter().find(|(wrong, ..)| request.no_initramfs && *wrong) {
        Some((_, what, why)) => Err(BootError::NeedsInitramfs { what, why }),
        None => Ok(()),
    }
}

/// Checks that memory can be added to such a guest.
fn check_added_memory(mib: u32, arch: Arch) -> Result<(), BootError> {
    let why = match mib {
        0 => return Ok(()),
        _ if !arch.has_added_memory() => "Linux has no driver for it on 32-bit ARM".to_owned(),
        mib if mib % ADDED_MEMORY_BLOCK_MIB != 0 => {
            format!("the kernel adds it in blocks of {ADDED_MEMORY_BLOCK_MIB} MiB")
        }
        _ => return Ok(()),
    };
    Err(BootError::AddedMemory { mib, why })
}

/// The architecture that a kernel image is for.
///
/// # Errors
/// It can't be read, or is no kernel that the lab can boot.
pub fn arch_of(kernel: &Path) -> Result<Arch, BootError> {
    let unreadable = |source| BootError::Kernel { path: kernel.to_owned(), source };
    let mut head = Vec::new();
    File::open(kernel).map_err(unreadable)?.take(4096).read_to_end(&mut head).map_err(unreadable)?;
    Arch::of_kernel(&head).ok_or_else(|| BootError::UnknownImage { path: kernel.to_owned() })
}

/// Checks that a loader so set up boots a kernel, whose architecture is stated or else that of its image.
///
/// # Errors
/// It is for another machine, it can't be set up so, or the kernel can't be read.
pub fn check_loader(loader: Loader, setup: LoaderSetup, arch: Option<Arch>, kernel: &Path) -> Result<(), BootError> {
    if setup.gzip && loader != Loader::UBoot {
        return Err(BootError::LoaderGzip);
    }
    let arch = arch.map_or_else(|| arch_of(kernel), Ok)?;
    match loader.arch() == arch {
        true => Ok(()),
        false => Err(BootError::LoaderArch { loader, arch }),
    }
}

#[cfg(test)]
mod tests {
    use bootline_images::hardware::Hardware;

    use super::*;

    fn request() -> BootRequest {
        BootRequest { arch: Some(Arch::Amd64), ..BootRequest::new(Path::new("/nowhere"), Path::new("/nowhere")) }
    }

    #[test]
    fn pacing_and_instruction_counting_are_never_mixed() {
        let both = BootRequest { baud: Baud::new(9600), accel: Accel::Icount, ..request() };
        assert!(matches!(plan(&both, &Host::default()), Err(BootError::PacedAndIcount)));
        let counted = plan(&BootRequest { accel: Accel::Icount, ..request() }, &Host::default()).unwrap();
        assert!(counted.line.is_none());
        assert!(counted.command_line.starts_with("console=tty0 "), "{}", counted.command_line);
    }

    #[test]
    fn memory_is_added_in_blocks_where_there_is_a_driver() {
        let check = |arch, added_memory_mib, expected: Option<&str>| {
            let system = Some(SystemBoot { added_memory_mib, ..SystemBoot::of_busybox() });
            let request = BootRequest { arch: Some(arch), system, ..request() };
            assert_eq!(plan(&request, &Host::default()).err().map(|e| e.to_string()).as_deref(), expected);
        };
        check(Arch::Amd64, 1536, None);
        check(Arch::Armhf, 0, None);
        let no_driver = "can't add 128 MiB of memory while the guest runs: Linux has no driver for it on 32-bit ARM";
        check(Arch::Armhf, 128, Some(no_driver));
        let block = "can't add 100 MiB of memory while the guest runs: the kernel adds it in blocks of 128 MiB";
        check(Arch::Arm64, 100, Some(block));
    }

    #[test]
    fn there_is_no_kvm_for_32_bit_arm() {
        let check = |arch| {
            let request = BootRequest { arch: Some(arch), accel: Accel::Kvm, ..request() };
            plan(&request, &Host::default()).err().map(|e| e.to_string())
        };
        assert_eq!(check(Arch::Arm64), None);
        let expected = "KVM does not run armhf guests: Linux has none on 32-bit ARM";
        assert_eq!(check(Arch::Armhf).as_deref(), Some(expected));
    }

    #[test]
    fn what_needs_the_labs_own_is_refused_without_it() {
        let check = |request: BootRequest, expected: &str| {
            assert_eq!(plan(&request, &Host::default()).unwrap_err().to_string(), expected);
        };
        let modules = vec!["m.ko".parse().unwrap()];
        let initrd = Some(PathBuf::from("/nowhere"));
        check(BootRequest { modules, initrd: initrd.clone(), ..request() }, "loading modules needs the lab's own init");
        check(
            BootRequest { lines: Some(1), initrd: initrd.clone(), ..request() },
            "printing lines needs the lab's own init",
        );
        let icount = || BootRequest { accel: Accel::Icount, ..request() };
        check(
            BootRequest { lines: Some(1), ..icount() },
            "printing lines needs a serial line, which a boot with -icount does not have",
        );
        check(
            BootRequest { trace_registers: true, ..icount() },
            "tracing registers needs a serial line, which a boot with -icount does not have",
        );
        assert!(matches!(
            plan(&BootRequest { initrd, ..icount() }, &Host::default()),
            Err(BootError::IcountWithInitrd)
        ));
    }

    #[test]
    fn without_an_initramfs_the_labs_program_comes_last() {
        let system = SystemBoot::of_busybox();
        let direct = BootRequest {
            no_initramfs: true,
            system: Some(system.clone()),
            append: "init=/usr/sbin/fastinit -- single".to_owned(),
            ..request()
        };
        let line = plan(&direct, &Host::default()).unwrap().command_line;
        assert!(line.ends_with(" init=/usr/sbin/fastinit init=/usr/lib/bootline/handoff -- single"), "{line}");
        let check = |request: BootRequest, expected: &str| {
            let refused = plan(&BootRequest { no_initramfs: true, ..request }, &Host::default()).unwrap_err();
            assert_eq!(refused.to_string(), expected);
        };
        check(
            BootRequest { system: None, ..request() },
            "without an initramfs there can't be any but the lab's systems: only they have the program that reports in its place",
        );
        let modules = vec!["m.ko".parse().unwrap()];
        let sata = Hardware { bus: Some(Bus::Sata), ..Hardware::default() };
        check(
            BootRequest { system: Some(SystemBoot { hardware: sata, ..system.clone() }), ..request() },
            "without an initramfs there can't be a root on another bus or in another file system: it has their drivers",
        );
        check(
            BootRequest { modules, system: Some(system), ..request() },
            "without an initramfs there can't be modules to load: they are loaded from there",
        );
    }

    #[test]
    fn the_plan_tells_the_declared_from_the_true_baud() {
        let check = |arch, append: &str, declared| {
            let request =
                BootRequest { arch: Some(arch), baud: Baud::new(9600), append: append.to_owned(), ..request() };
            let line = plan(&request, &Host::default()).unwrap().line.unwrap();
            assert_eq!((line.baud.get(), line.declared.map(Baud::get)), (9600, declared));
        };
        check(Arch::Amd64, "", Some(300));
        check(Arch::Amd64, "console=ttyS0,115200", Some(115_200));
        check(Arch::Amd64, "console=tty1", None);
        check(Arch::Arm64, "", Some(9600));
        check(Arch::Armhf, "", Some(9600));
    }

    #[test]
    fn a_device_tree_is_for_machines_that_have_one() {
        let check = |arch, expected: Option<&str>| {
            let request = BootRequest { arch: Some(arch), dtb: Some("/nowhere".into()), ..request() };
            let refused = plan(&request, &Host::default()).err().map(|e| e.to_string());
            assert_eq!(refused.as_deref(), expected);
        };
        check(Arch::Amd64, Some("x86_64 guests have no device tree"));
        check(Arch::Arm64, None);
        check(Arch::Armhf, None);
    }

    #[test]
    fn a_speed_out_of_reach_is_refused() {
        for baud in [299, 4_000_001] {
            let request = BootRequest { baud: Baud::new(baud), ..request() };
            assert!(matches!(plan(&request, &Host::default()), Err(BootError::BaudOutOfRange { .. })));
        }
    }

    #[test]
    fn a_kernel_that_is_none_is_named() {
        let request = BootRequest { arch: None, kernel: "/dev/null".into(), ..request() };
        let err = plan(&request, &Host::default()).unwrap_err();
        assert_eq!(err.to_string(), "`/dev/null` is neither an x86 bzImage, an arm64 Image nor an armhf zImage");
    }

    #[test]
    fn a_loader_boots_its_own_architecture() {
        let check = |arch| check_loader(Loader::UBoot, LoaderSetup::default(), Some(arch), Path::new("/nowhere"));
        assert!(check(Arch::Arm64).is_ok());
        let error = check(Arch::Amd64).unwrap_err();
        assert_eq!(error.to_string(), "u-boot boots arm64 guests only, and the kernel is for amd64");
        let error = check(Arch::Armhf).unwrap_err();
        assert_eq!(error.to_string(), "u-boot boots arm64 guests only, and the kernel is for armhf");
    }

    #[test]
    fn only_u_boot_decompresses_kernels() {
        let setup = LoaderSetup { gzip: true, ..LoaderSetup::default() };
        let check = |loader: Loader| check_loader(loader, setup, Some(loader.arch()), Path::new("/nowhere"));
        assert!(check(Loader::UBoot).is_ok());
        assert!(matches!(check(Loader::GrubBios), Err(BootError::LoaderGzip)));
    }
}
