// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline boot`
mod failed;
mod own_root;
mod summary;
mod system_image;
mod work_folder;

pub use failed::failed;
pub use own_root::own_image;
pub use system_image::{changed, in_state};

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bootline_capture::units::{Baud, Dur, Frame};
use bootline_images::arch::Arch;
use bootline_images::hardware::{Absent, Bus, Hardware};
use bootline_images::image_format::ImageFormat;
use bootline_images::kernels::{Kernel, NamedKernel};
use bootline_images::loaders::Loader;
use bootline_images::systems::{BadRootPath, RootChanges, RootState, System, SystemImage};
use bootline_input::{Exit, Failure};
use bootline_lab::boot::{
    ADDED_MEMORY_BLOCK_MIB, BootError, BootOutcome, BootPhase, BootProgress, BootRequest, LoaderBoot, LoaderSetup,
    RunVerdict, SystemBoot, boot_valid, check_loader, lacks_built_in,
};
use bootline_lab::cpu_model::CpuModel;
use bootline_lab::machine::{Accel, InstructionTime};
use bootline_lab::module::{Module, with_own};
use bootline_lab::storage::StoragePreset;
use bootline_terminal::{ProgressLine, Terminal, cancel_on_signals, or_interrupted};
use regex::bytes::Regex;

use work_folder::WorkFolder;

use crate::output_file::folder;
use crate::quantity::{baud, duration};
use crate::verbs::{kernels, loaders, systems};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each run writes boot.cap, truth.json (times by the host's clock, from a second, unpaced port) and
the kernel's own log. A run that lost bytes is marked invalid and repeated; it never counts.

Examples:
  bootline boot --kernel 6.18-rt --baud 9600 --cpus 2 -o slow
  bootline boot --kernel bzImage --append 'initcall_debug loglevel=8' -o debug -n 5
  bootline boot --kernel armhf:6.12 --system busybox -o camera             32-bit ARM
  bootline boot --kernel 7.2 --module 'nbcon_8250.ko replay=1' --append quiet -o module
  bootline boot --kernel arm64:6.12 --loader u-boot --loader-delay 0 --system busybox -o loaded
  bootline boot --kernel 6.12 --loader grub-efi --baud 9600 -o menu
  bootline boot --kernel 6.12 --system debian-minimal --root-state power-lost -o lost
  bootline boot --kernel 6.12 --root core-image-minimal.wic --storage sd --baud 38400 -o own
  bootline boot --kernel tiny --system busybox --no-initramfs -o small    by `kernels build tiny`
  bootline boot --kernel 6.12 --system busybox --bus sata --absent sd-card,network-link -o board
  bootline boot --kernel 7.2 --icount --append cryptomgr.notests -o cpu    the CPU's cost
  bootline explain slow/boot.cap")]
pub struct Args {
    /// A kernel image, the series of a stock kernel (6.18-rt, arm64:7.2, armhf:6.12), or the name of one that was built here
    #[arg(long, value_name = "IMAGE|SERIES|NAME")]
    kernel: PathBuf,
    /// An initramfs of your own [default: the lab's, whose init reports the truth on a second port]
    #[arg(long, value_name = "FILE")]
    initrd: Option<PathBuf>,
    /// Boot without an initramfs: the kernel mounts the root of --system by itself, so it needs the drivers built in, as
    /// that of `bootline kernels build tiny` has them
    #[arg(long, requires = "system", conflicts_with_all = ["modules", "loader", "bus", "file_system"])]
    no_initramfs: bool,
    /// A device tree instead of QEMU's own; aarch64 and arm only
    #[arg(long, value_name = "FILE")]
    dtb: Option<PathBuf>,
    /// Boot a whole system of the lab, built if it is not in the cache; needs a series for `--kernel`, or a kernel that was built here
    #[arg(long, value_name = "SYSTEM", group = "whole", conflicts_with_all = ["initrd", "icount", "lines", "marker"])]
    system: Option<System>,
    /// Boot a root file system of your own, up to its login prompt or --marker: an image, a disk with partitions, a tar
    /// archive or a folder, as Yocto and Buildroot make them. It is not written to
    #[arg(long, value_name = "FILE|FOLDER", group = "whole", conflicts_with_all = ["initrd", "icount", "lines"])]
    root: Option<PathBuf>,
    /// The partition of that disk, if several have a file system
    #[arg(long, value_name = "N", requires = "root", value_parser = clap::value_parser!(u32).range(1..=128))]
    root_partition: Option<u32>,
    /// The state of the system's root: settled (booted before, and shut down), first-boot (never booted), power-lost (its
    /// power was cut right after it wrote, so its journal is replayed), aged (all its files were rewritten while it was nearly
    /// full, so large ones are fragmented), fastmap (UBI attaches by its map; needs a
    /// kernel built with --fragment ubi-fastmap), or recorded (fastinit has a list of what a boot reads)
    #[arg(long, value_name = "STATE", default_value_t, requires = "system")]
    root_state: RootState,
    /// Boot a copy of the system's root with this file in it; may be given several times
    #[arg(long = "root-file", value_name = "PATH=FILE", requires = "system", value_parser = root_file)]
    root_files: Vec<(String, PathBuf)>,
    /// Boot a copy of the system's root without this file; may be given several times
    #[arg(long, value_name = "PATH", requires = "system", value_parser = root_path)]
    root_without: Vec<String>,
    /// The file system of the system's root: ext4, btrfs, squashfs, erofs, jffs2, jffs2-summary, ubifs [default: ext4]
    #[arg(long, value_name = "KIND", requires = "system")]
    file_system: Option<ImageFormat>,
    /// The bus of the root's disk: virtio, sata, sd, nvme, usb, mtd (raw flash). Its driver's probe is part of the boot
    /// [default: virtio; mtd for a file system for raw flash]
    #[arg(long, value_name = "BUS", requires = "whole")]
    bus: Option<Bus>,
    /// Hardware to add with nothing plugged in, as boards have it: sata-disk, sd-card, network-link
    #[arg(long, value_name = "WHAT,..", requires = "whole", value_delimiter = ',')]
    absent: Vec<Absent>,
    /// The speed of the storage that the root is on: emmc, sd, usb2, nvme, nand, nor [default: as fast as the host]
    #[arg(long, value_name = "KIND", requires = "whole")]
    storage: Option<StoragePreset>,
    /// Have a boot loader of the lab boot the kernel, built if it is not in the cache: u-boot for aarch64; grub-bios (with
    /// SeaBIOS) and grub-efi (with OVMF) for x86_64
    #[arg(long, value_name = "LOADER", conflicts_with = "icount")]
    loader: Option<Loader>,
    /// Seconds for which the boot loader waits for a key [default: Debian's, 2 in U-Boot and 5 in GRUB]
    #[arg(long, value_name = "SECONDS", requires = "loader", value_parser = clap::value_parser!(u32).range(0..=600))]
    loader_delay: Option<u32>,
    /// Have the boot loader print nothing (OVMF still does), and wait for no key
    #[arg(long, requires = "loader", conflicts_with = "loader_delay")]
    loader_quiet: bool,
    /// Have u-boot read the kernel compressed with gzip, and decompress it
    #[arg(long, requires = "loader")]
    loader_gzip: bool,
    /// Parameters for the kernel command line
    #[arg(long, value_name = "WORDS", default_value = "", hide_default_value = true)]
    append: String,
    /// The speed of the serial line [default: 115200]
    #[arg(long, value_name = "BAUD", value_parser = baud)]
    baud: Option<Baud>,
    /// Data bits, parity, stop bits
    #[arg(long, value_name = "FRAME", default_value_t)]
    frame: Frame,
    /// Architecture: x86_64, aarch64 or arm [default: the image's]
    #[arg(long, value_name = "ARCH")]
    arch: Option<Arch>,
    /// Number of CPUs
    #[arg(
        long, visible_alias = "smp", value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    cpus: u32,
    /// Memory in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Memory in MiB that the driver of virtio-mem adds while the system runs, a multiple of 128; a stock kernel's is a module, which
    /// the system's udev loads
    #[arg(long, value_name = "MIB", default_value_t = 0, hide_default_value = true, requires = "whole",
          value_parser = added_memory)]
    added_memory: u32,
    /// The model of the CPU, with features, as QEMU's -cpu takes it: qemu64,-tsc [default: qemu64, cortex-a57 or cortex-a15]
    #[arg(long, value_name = "MODEL")]
    cpu_model: Option<CpuModel>,
    /// Record the time of this console line; with an initramfs or a root of your own it also ends the boot
    #[arg(long, value_name = "REGEX")]
    marker: Option<Regex>,
    /// Have the lab's init load this module first: a file, or the name of one of a stock kernel's own, with what it
    /// depends on; may be given several times
    #[arg(long = "module", value_name = "FILE|NAME [KEY=VALUE..]", conflicts_with = "initrd")]
    modules: Vec<Module>,
    /// Have the lab's init print N lines once the boot's log is transmitted, and time them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000),
          conflicts_with_all = ["icount", "initrd"])]
    lines: Option<u32>,
    /// Count accesses to the console's registers; slows the guest, so the run's times are meaningless
    #[arg(long, conflicts_with = "icount")]
    trace_registers: bool,
    /// Number of runs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// How often to try a run until it is valid
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    attempts: u32,
    /// Abandon a run after this time: 90s, 5m [default: 2m plus the transmit time of
    /// 250 000 bytes; 8m more for a system, 1m and its delay for a loader]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Dur>,
    /// Count instructions instead of time, without a console: shows the CPU's cost
    #[arg(long, conflicts_with_all = ["baud", "initrd", "marker"])]
    icount: bool,
    /// With --icount, the time of an instruction in nanoseconds: 1, 2, 4, 8, 16 or 32. Double it for half the clock rate [default: 2]
    #[arg(long, value_name = "NS", requires = "icount")]
    instruction_ns: Option<InstructionTime>,
    /// Folder for the run; with -n, it gets a folder for each: run-1, run-2 ..
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let (runs, attempts, json) = (args.runs, args.attempts, args.json);
    let cancel = cancel_on_signals()?;
    let (request, _kept) = resolve(args, terminal).map_err(or_interrupted)?;
    let mut outcomes = Vec::new();
    let mut exit = Exit::FINE;
    for n in 1..=runs {
        let dir = if runs == 1 { request.dir.clone() } else { request.dir.join(format!("run-{n}")) };
        let request = BootRequest { dir, ..request.clone() };
        let name = if runs == 1 { String::new() } else { format!("{n}/{runs} ") };
        let outcome = one(&request, attempts, &name, &cancel)?;
        exit = exit.max(exit_of(&outcome.truth.verdict));
        if !json {
            summary::show(&outcome, terminal)?;
        }
        outcomes.push(outcome);
        if cancel.load(Ordering::SeqCst) {
            break;
        }
    }
    summary::show_all(&outcomes, json, terminal)?;
    Ok(exit)
}

fn added_memory(text: &str) -> Result<u32, String> {
    let mib = text.parse::<u32>().ok().filter(|mib| mib % ADDED_MEMORY_BLOCK_MIB == 0);
    mib.ok_or_else(|| format!("not a multiple of {ADDED_MEMORY_BLOCK_MIB}, the block in which a kernel adds memory"))
}

/// The request, and the folder with what only these boots need; it is removed once it is dropped.
fn resolve(args: Args, terminal: &Terminal) -> Result<(BootRequest, Vec<WorkFolder>), Failure> {
    folder(&args.output)?;
    let (kernel, arch, stock) = kernel(&args.kernel, args.arch, args.system.is_some(), terminal)?;
    if let (true, Some(kernel)) = (args.no_initramfs, &stock) {
        check_built_in(kernel, &args.absent)?;
    }
    let modules = files(args.modules, stock.as_ref(), terminal)?;
    let mut kept = Vec::new();
    let hardware = Hardware { bus: args.bus, absent: args.absent.into_iter().collect() };
    let system = match (args.system, &args.root) {
        (Some(system), _) => {
            let changes = changes(args.root_files, args.root_without)?;
            let format = args.file_system.unwrap_or_default();
            let root = RootSetup { state: args.root_state, changes, format };
            let (boot, folders) = prepared(system, root, hardware, stock.as_ref(), terminal)?;
            kept = folders;
            Some(SystemBoot { storage: args.storage, added_memory_mib: args.added_memory, ..boot })
        }
        (None, Some(root)) => {
            let with = own_root::BootedWith { kernel: &kernel, arch, stock: stock.as_ref() };
            let (boot, folder) = own_root::boot(root, args.root_partition, hardware, &with, terminal)?;
            kept.push(folder);
            Some(SystemBoot { storage: args.storage, added_memory_mib: args.added_memory, ..boot })
        }
        (None, None) => None,
    };
    let setup = LoaderSetup { delay: args.loader_delay, quiet: args.loader_quiet, gzip: args.loader_gzip };
    let loader = args.loader.map(|loader| loader_of(loader, arch, &kernel, setup, terminal)).transpose()?;
    let request = BootRequest {
        kernel_name: stock.as_ref().map(|k| format!("{} {}", k.name(), k.version)),
        loader,
        system,
        initrd: args.initrd,
        no_initramfs: args.no_initramfs,
        dtb: args.dtb,
        append: args.append,
        arch,
        baud: args.baud,
        frame: args.frame,
        accel: if args.icount { Accel::Icount } else { Accel::default() },
        smp: args.cpus,
        cpu_model: args.cpu_model,
        instruction_time: args.instruction_ns,
        memory_mib: args.memory,
        marker: args.marker,
        modules,
        lines: args.lines,
        trace_registers: args.trace_registers,
        timeout: args.timeout.map(|t| Duration::from_nanos(t.as_nanos().unsigned_abs())),
        ..BootRequest::new(&kernel, &args.output)
    };
    Ok((request, kept))
}

/// The kernel image: a file, or else a kernel of the cache; a series is fetched if it is not there. A bare word may also be a file
/// that is not there, unless `of_cache` demands a kernel with modules.
fn kernel(
    named: &Path,
    arch: Option<Arch>,
    of_cache: bool,
    terminal: &Terminal,
) -> Result<(PathBuf, Option<Arch>, Option<Kernel>), Failure> {
    let name = named.to_str().and_then(|name| name.parse::<NamedKernel>().ok());
    // A folder, perhaps that of an earlier run, is no kernel.
    let Some(name) = name.filter(|_| !named.is_file()) else { return Ok((named.to_owned(), arch, None)) };
    let kernel = match &name {
        NamedKernel::Built { name, arch: None } if !of_cache && !kernels::is_built(name, arch)? => {
            return Ok((named.to_owned(), arch, None));
        }
        _ => kernels::named(&name, arch, terminal)?,
    };
    Ok((kernel.path.clone(), Some(kernel.arch), Some(kernel)))
}

/// Checks that a kernel has built in what it needs to mount the root of a system by itself, with this hardware next to it.
fn check_built_in(kernel: &Kernel, absent: &[Absent]) -> Result<(), Failure> {
    match lacks_built_in(kernel, absent.iter().copied()) {
        lacking if lacking.is_empty() => Ok(()),
        lacking => Err(failed(&BootError::NotBuiltIn { kernel: kernel.name(), arch: kernel.arch, lacking })),
    }
}

/// The boot loader, built only if it can boot such a kernel.
fn loader_of(
    loader: Loader,
    arch: Option<Arch>,
    kernel: &Path,
    setup: LoaderSetup,
    terminal: &Terminal,
) -> Result<LoaderBoot, Failure> {
    check_loader(loader, setup, arch, kernel).map_err(|e| failed(&e))?;
    Ok(LoaderBoot::new(&loaders::image(loader, terminal)?, setup))
}

/// The modules as files: those that are named by name only are the stock kernel's own.
fn files(modules: Vec<Module>, kernel: Option<&Kernel>, terminal: &Terminal) -> Result<Vec<Module>, Failure> {
    let Some(name) = modules.iter().find_map(Module::own_name) else { return Ok(modules) };
    let kernel = kernel.ok_or_else(|| {
        Failure::new(Exit::USAGE, format!("`{name}` names a module of a stock kernel, and `--kernel` is a file"))
            .hint(format!("give the module's file: ./{name}.ko"))
    })?;
    let folder = kernels::modules(kernel, terminal)?;
    with_own(&modules, &folder).map_err(|e| failed(&e.into()))
}

/// How a system's root is set up.
struct RootSetup {
    state: RootState,
    changes: RootChanges,
    format: ImageFormat,
}

/// The boot of a system on this hardware, and the folders of what only this boot needs: they are removed once they are dropped.
fn prepared(
    system: System,
    root: RootSetup,
    hardware: Hardware,
    kernel: Option<&Kernel>,
    terminal: &Terminal,
) -> Result<(SystemBoot, Vec<WorkFolder>), Failure> {
    let kernel = kernel.ok_or_else(|| {
        Failure::new(Exit::USAGE, "a system needs the modules of its kernel, and `--kernel` names a file without them")
            .hint("name a series, or a kernel that was built here: `bootline kernels` lists them")
    })?;
    let RootSetup { state, changes, format } = root;
    if state == RootState::PowerLost && !changes.is_empty() {
        let what = "what is changed in a root whose power was cut would be undone when its journal is replayed";
        return Err(Failure::new(Exit::USAGE, what).hint("leave out `--root-state power-lost`, or the changes"));
    }
    let is_ext4 = format == ImageFormat::Ext4;
    if !is_ext4 && !changes.is_empty() {
        let what = "`--root-file` and `--root-without` are for a root on ext4";
        return Err(Failure::new(Exit::USAGE, what).hint("leave them out, or `--file-system`"));
    }
    if let Some(why) = state.contradiction(format) {
        let hint = match state {
            RootState::Fastmap => "add `--file-system ubifs`, or leave out `--root-state`",
            _ => "leave out `--root-state`, or `--file-system`",
        };
        return Err(Failure::new(Exit::USAGE, why).hint(hint));
    }
    let image = in_state(system, state, format, kernel, &|| Ok(None), terminal)?;
    let (initramfs, kept) = initramfs_for(&image, &hardware, kernel, terminal)?;
    let boot = SystemBoot { initramfs, hardware, ..SystemBoot::new(&image) };
    if changes.is_empty() {
        return Ok((boot, kept.into_iter().collect()));
    }
    let (copy, folder) = changed(&image, &changes)?;
    Ok((SystemBoot { image: copy, changes, ..boot }, kept.into_iter().chain([folder]).collect()))
}

/// The initramfs that mounts the image on this hardware: the image's own, or one in a folder that is removed once it is dropped.
pub fn initramfs_for(
    image: &SystemImage,
    hardware: &Hardware,
    kernel: &Kernel,
    terminal: &Terminal,
) -> Result<(PathBuf, Option<WorkFolder>), Failure> {
    if *hardware == Hardware::default() {
        return Ok((image.initramfs.clone(), None));
    }
    let archive = systems::initramfs(image, hardware, kernel, terminal)?;
    let (path, folder) = work_folder::with_initramfs(&archive)?;
    Ok((path, Some(folder)))
}

/// The changes to a root, with the files' content.
fn changes(files: Vec<(String, PathBuf)>, without: Vec<String>) -> Result<RootChanges, Failure> {
    let read = |(path, file): (String, PathBuf)| match fs::read(&file) {
        Ok(content) => Ok((path, content)),
        Err(e) => Err(Failure::new(Exit::INPUT, format!("can't read `{}`: {e}", file.display()))),
    };
    Ok(RootChanges {
        files: files.into_iter().map(read).collect::<Result<_, Failure>>()?,
        without: without.into_iter().collect(),
    })
}

fn root_path(text: &str) -> Result<String, BadRootPath> {
    RootChanges::check(text).map(|()| text.to_owned())
}

fn root_file(text: &str) -> Result<(String, PathBuf), String> {
    let (path, file) = text.split_once('=').ok_or("it has no `=` between the path in the root and the file")?;
    Ok((root_path(path).map_err(|e| e.to_string())?, file.into()))
}

fn one(request: &BootRequest, attempts: u32, name: &str, cancel: &AtomicBool) -> Result<BootOutcome, Failure> {
    let mut line = ProgressLine::new(false);
    let mut before = (None, Dur::ZERO, 0);
    line.step(&format!("{name}booting {}", request.kernel.display()));
    let mut watch = |p: &BootProgress<'_>| {
        let text = || status(name, p, (before.1, before.2));
        if before.0.is_some_and(|phase| phase != p.phase) {
            line.step(&text());
        } else {
            line.update(text);
        }
        // The rate is an average over the last few seconds.
        if before.0.is_none() || p.elapsed - before.1 > Dur::from_secs(4) {
            before = (Some(p.phase), p.elapsed, p.bytes);
        }
        before.0 = Some(p.phase);
    };
    boot_valid(request, attempts, cancel, &mut watch).map_err(|e| failed(&e))
}

/// Text for a phase.
pub fn phase(phase: BootPhase) -> &'static str {
    match phase {
        BootPhase::Booting => "booting",
        BootPhase::UserSpace => "user space starts",
        BootPhase::Asking => "asking the system for its own account",
        BootPhase::Draining => "init reached; draining the line",
        BootPhase::Printing => "printing lines",
        BootPhase::PoweringOff => "powering off",
    }
}

fn status(name: &str, p: &BootProgress<'_>, since: (Dur, u64)) -> String {
    let phase = phase(p.phase);
    let seconds = (p.elapsed - since.0).as_secs_f64();
    let rate = if seconds > 0.5 { p.bytes.saturating_sub(since.1) as f64 / seconds } else { 0.0 };
    let elapsed = p.elapsed.as_secs_f64();
    format!("{name}{elapsed:6.1} s  {phase}  {} bytes  {rate:.0} B/s  {}", p.bytes, p.last_line)
}

fn exit_of(verdict: &RunVerdict) -> Exit {
    match verdict {
        RunVerdict::Valid | RunVerdict::Unchecked => Exit::FINE,
        RunVerdict::Panicked { .. }
        | RunVerdict::ModuleFailed { .. }
        | RunVerdict::NoSystem { .. }
        | RunVerdict::TimedOut { .. }
        | RunVerdict::Stopped => Exit::INPUT,
        RunVerdict::Invalid | RunVerdict::Interrupted => Exit::LAB,
    }
}
