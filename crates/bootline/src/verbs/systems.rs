// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline systems`
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bootline_images::arch::Arch;
use bootline_images::hardware::Hardware;
use bootline_images::image_format::ImageFormat;
use bootline_images::kernels::{Kernel, NamedKernel};
use bootline_images::systems::{
    BuildProgress, RootState, System, SystemError, SystemImage, SystemRow, SystemStore, UnconfiguredRoot,
    system_initramfs,
};
use bootline_input::{Exit, Failure};
use bootline_lab::boot::configure;
use bootline_report::{JsonLine, SystemImageJson, SystemJson, SystemsJson};
use bootline_terminal::{Terminal, cancel_on_signals, or_interrupted};
use clap::Subcommand;

use crate::build_steps::BuildSteps;
use crate::output_file::print;
use crate::verbs::{boot, kernels};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Systems are built from Debian packages, which come from the mirror in this host's apt configuration
through a private apt state. Root is not needed: an ordinary user needs mmdebstrap, uidmap,
e2fsprogs, and a range of ids in /etc/subuid. What is built boots without a network. Where this host
can't run a system's programs, a guest in QEMU configures its packages, which takes minutes, once.

Examples:
  bootline systems list
  bootline systems fetch debian-systemd
  bootline systems build debian-systemd --kernel 7.2
  bootline systems build debian-minimal --kernel arm64:6.12
  bootline boot --system debian-systemd --kernel 7.2 --storage emmc -o whole")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists the systems, and what the cache has of each
    List(List),
    /// Downloads the packages of systems, so that they can be built without a network
    Fetch(Fetch),
    /// Builds systems for a kernel, and writes the paths of their images to standard output
    Build(Build),
}

#[derive(Debug, clap::Args)]
struct List {
    /// The architecture
    #[arg(long, default_value = "amd64")]
    arch: Arch,
    #[command(flatten)]
    place: Place,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Fetch {
    /// Names of systems
    #[arg(required = true, value_name = "SYSTEM")]
    systems: Vec<System>,
    /// The architecture
    #[arg(long, default_value = "amd64")]
    arch: Arch,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Args)]
struct Build {
    /// Names of systems
    #[arg(required = true, value_name = "SYSTEM")]
    systems: Vec<System>,
    /// The kernel to boot it with: the series of a stock kernel (6.12, arm64:7.2, armhf:6.12), or the name of one that was built here
    #[arg(long, value_name = "SERIES|NAME")]
    kernel: NamedKernel,
    /// The architecture [default: that of the kernel's name, or amd64]
    #[arg(long)]
    arch: Option<Arch>,
    #[command(flatten)]
    place: Place,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Default, clap::Args)]
struct Place {
    /// Where to keep systems [default: $BOOTLINE_CACHE/images, or bootline/images in the user's cache]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// A mirror of the Debian archive, if this host's apt has none
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    match args.what {
        What::List(list) => run_list(&list),
        What::Fetch(fetch) => run_fetch(fetch, terminal),
        What::Build(build) => run_build(build, terminal),
    }
}

fn run_list(list: &List) -> Result<Exit, Failure> {
    let rows = open(&list.place)?.list(list.arch);
    match list.json {
        true => print(&JsonLine(listing_json(&rows)))?,
        false => print(&table(&rows))?,
    };
    Ok(Exit::FINE)
}

fn run_fetch(fetch: Fetch, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&fetch.place)?;
    for system in fetch.systems {
        let mut steps = BuildSteps::new(terminal);
        let fetched = store.fetch(system, fetch.arch, &mut |p| steps.tell(&p.to_string(), p.counts()));
        steps.end();
        fetched.map_err(|e| failed(&e))?;
    }
    Ok(Exit::FINE)
}

fn run_build(build: Build, terminal: &Terminal) -> Result<Exit, Failure> {
    cancel_on_signals()?;
    let store = open(&build.place)?;
    let kernel = kernels::named(&build.kernel, build.arch, terminal)?;
    for system in build.systems {
        let image = image_in(&store, system, &kernel, terminal).map_err(or_interrupted)?;
        let json = SystemImageJson {
            schema: "bootline-system/1",
            system: image.manifest.system.name().to_owned(),
            arch: image.manifest.arch.to_string(),
            release: image.manifest.release.clone(),
            path: image.path.to_string_lossy().into_owned(),
            settled: image.manifest.settled,
        };
        match build.json {
            true => print(&JsonLine(json))?,
            false => print(&format!("{}\n", image.path.display()))?,
        };
    }
    Ok(Exit::FINE)
}

/// The image of a system in a state for a stock kernel, if it is in the cache.
pub fn cached(system: System, state: RootState, kernel: &Kernel) -> Result<Option<SystemImage>, Failure> {
    store()?.cached(system, state, kernel).map_err(|e| failed(&e))
}

/// The image of a system for a stock kernel: from the cache, or built.
pub fn image(system: System, kernel: &Kernel, terminal: &Terminal) -> Result<SystemImage, Failure> {
    image_in(&store()?, system, kernel, terminal)
}

/// The image of a system that was never booted, for a stock kernel: from the cache, or built.
pub fn first_boot_image(system: System, kernel: &Kernel, terminal: &Terminal) -> Result<SystemImage, Failure> {
    let store = store()?;
    let modules = kernels::modules(kernel, terminal)?;
    configured(&store, system, kernel, &modules, terminal)?;
    built(terminal, |progress| store.first_boot_image(system, kernel, &modules, progress))
}

/// The user's cache of systems.
pub fn store() -> Result<SystemStore, Failure> {
    open(&Place::default())
}

fn image_in(store: &SystemStore, system: System, kernel: &Kernel, terminal: &Terminal) -> Result<SystemImage, Failure> {
    let modules = kernels::modules(kernel, terminal)?;
    configured(store, system, kernel, &modules, terminal)?;
    built(terminal, |progress| store.image(system, kernel, &modules, progress))
}

/// Has a guest configure the packages, if their programs do not run on this host.
fn configured(
    store: &SystemStore,
    system: System,
    kernel: &Kernel,
    modules: &Path,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let mut steps = BuildSteps::new(terminal);
    let mut told = |p: BuildProgress| steps.tell(&p.to_string(), p.counts());
    let mut guest = |root: &UnconfiguredRoot, progress: &mut dyn FnMut(BuildProgress)| {
        let cancel = cancel_on_signals().map_err(Failed)?;
        configure(root, &cancel, progress).map_err(|e| Failed(boot::failed(&e)))
    };
    let done = store.configure_in_guest(system, kernel, modules, &mut told, &mut guest);
    steps.end();
    done.map_err(|Failed(failure)| failure)
}

/// What a build that boots a guest fails with.
struct Failed(Failure);

impl From<SystemError> for Failed {
    fn from(error: SystemError) -> Failed {
        Failed(failed(&error))
    }
}

/// Shows the steps of a build.
fn built(
    terminal: &Terminal,
    build: impl FnOnce(&mut dyn FnMut(BuildProgress)) -> Result<SystemImage, SystemError>,
) -> Result<SystemImage, Failure> {
    let mut steps = BuildSteps::new(terminal);
    let image = build(&mut |p| steps.tell(&p.to_string(), p.counts()));
    steps.end();
    image.map_err(|e| failed(&e))
}

/// A settled image of a system in another file system: from the cache, or written.
pub fn in_format(
    base: SystemImage,
    format: ImageFormat,
    kernel: &Kernel,
    terminal: &Terminal,
) -> Result<SystemImage, Failure> {
    if format == ImageFormat::Ext4 {
        return Ok(base);
    }
    let modules = kernels::modules(kernel, terminal)?;
    let mut steps = BuildSteps::new(terminal);
    let store = open(&Place::default())?;
    let image = store.converted(&base, format, &modules, &mut |p| steps.tell(&p.to_string(), p.counts()));
    steps.end();
    image.map_err(|e| failed(&e))
}

/// The initramfs that mounts an image on this hardware.
pub fn initramfs(
    image: &SystemImage,
    hardware: &Hardware,
    kernel: &Kernel,
    terminal: &Terminal,
) -> Result<Vec<u8>, Failure> {
    let modules = kernels::modules(kernel, terminal)?;
    system_initramfs(&image.manifest, hardware, &modules).map_err(|e| failed(&e))
}

/// Where systems are kept.
pub fn folder() -> Result<PathBuf, Failure> {
    folder_of(&Place::default())
}

fn folder_of(place: &Place) -> Result<PathBuf, Failure> {
    SystemStore::folder(place.cache.as_deref(), |name| std::env::var_os(name)).ok_or_else(|| {
        Failure::new(Exit::LAB, "no place for systems: neither HOME nor XDG_CACHE_HOME is set")
            .hint("set another folder: BOOTLINE_CACHE=DIR")
    })
}

fn open(place: &Place) -> Result<SystemStore, Failure> {
    let folder = folder_of(place)?;
    let store = SystemStore::open(&folder).map_err(|e| failed(&e))?;
    Ok(match &place.mirror {
        Some(mirror) => store.with_mirror(mirror),
        None => store,
    })
}

fn failed(error: &SystemError) -> Failure {
    let failure = Failure::new(Exit::LAB, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn table(rows: &[SystemRow]) -> String {
    let mut text = format!("{:14}  {:>9}  {:28}  contents\n", "system", "packages", "in cache for");
    for row in rows {
        let root = row.root_bytes.map_or("-".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
        let releases = if row.releases.is_empty() { "-".to_owned() } else { row.releases.join(" ") };
        _ = writeln!(text, "{:14}  {root:>9}  {releases:28}  {}", row.system, row.system.about());
    }
    text
}

fn listing_json(rows: &[SystemRow]) -> SystemsJson {
    let row = |row: &SystemRow| SystemJson {
        system: row.system.name().to_owned(),
        arch: row.arch.to_string(),
        about: row.system.about().to_owned(),
        image_mib: row.system.image_mib(),
        root_bytes: row.root_bytes,
        releases: row.releases.clone(),
    };
    SystemsJson { schema: "bootline-systems/1", systems: rows.iter().map(row).collect() }
}
