// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of systems, and building into it.
//!
//! ```text
//! ROOT/amd64.lock                          held while a system of this architecture is built
//! ROOT/amd64/apt/                          apt's own folders
//! ROOT/amd64/archives/                     packages, shared by all systems
//! ROOT/amd64/part/                         a build under way
//! ROOT/amd64/debian-systemd/root-RECIPE.tar  the root file system, without a kernel's modules
//! ROOT/amd64/debian-systemd/RELEASE.img    an image with the modules of a kernel; .img.cpio, .img.json
//! ROOT/amd64/debian-systemd/RELEASE.first-boot.img, RELEASE.power-lost.img, RELEASE.jffs2.img, RELEASE.jffs2.aged.img
//!                                          the same in other states and file systems
//! ```
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::SystemError;
use super::foreign_root::{self, UnconfiguredRoot, Unpacked, packed, unpack};
use super::image::{SystemImage, SystemManifest};
use super::initramfs::{initramfs_recipe, mounting_initramfs};
use super::namespace::{Namespace, need, run};
use super::progress::BuildProgress;
use super::recipe::{Programs, additions, removed, setup, write};
use super::root_state::RootState;
use super::system::System;
use crate::arch::Arch;
use crate::hardware::Hardware;
use crate::hex::hex;
use crate::image_format::{ImageFormat, WRITE_IMAGE};
use crate::kernels::{self, Kernel, PrivateApt, archive};
use crate::lock_file::{FileLock, lock_file};
use crate::programs;

/// The Debian suite that systems are made of.
const SUITE: &str = "trixie";

/// A cache of systems in one folder. Several processes may use it at once.
#[derive(Clone, Debug)]
pub struct SystemStore {
    root: PathBuf,
    mirror: Option<String>,
}

/// The folder of a build, removed with all that is left in it once this is dropped.
pub(super) struct Part {
    folder: PathBuf,
    namespace: Namespace,
}

impl Deref for Part {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // The next build removes what is still there.
        _ = self.namespace.remove(&self.folder);
    }
}

/// A system in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemRow {
    /// The system.
    pub system: System,
    /// Its architecture.
    pub arch: Arch,
    /// Size of its root file system, in bytes, if that is in the cache.
    pub root_bytes: Option<u64>,
    /// The kernels' releases for which there are images.
    pub releases: Vec<String>,
}

/// Boots a guest that configures the packages of a root; it gets what is told on the way.
pub type ConfigureInGuest<'a, E> = dyn FnMut(&UnconfiguredRoot, &mut dyn FnMut(BuildProgress)) -> Result<(), E> + 'a;

impl SystemStore {
    /// Uses the folder `root`, which need not exist yet.
    ///
    /// # Errors
    /// The folder can't be made.
    pub fn open(root: &Path) -> Result<SystemStore, SystemError> {
        fs::create_dir_all(root).map_err(SystemError::cache("create", root))?;
        let root = root.canonicalize().map_err(SystemError::cache("open", root))?;
        Ok(SystemStore { root, mirror: None })
    }

    /// The cache's folder: the one stated by the user, else next to that of the kernels.
    pub fn folder(stated: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let kernels = || kernels::cache_folder(None, env).map(|folder| folder.with_file_name("images"));
        stated.map(Path::to_owned).or_else(kernels)
    }

    /// Uses this mirror of the Debian archive, regardless of the host's apt configuration.
    #[must_use]
    pub fn with_mirror(mut self, mirror: &str) -> SystemStore {
        self.mirror = Some(mirror.to_owned());
        self
    }

    /// What the cache has.
    pub fn list(&self, arch: Arch) -> Vec<SystemRow> {
        let row = |system| {
            let folder = self.system_folder(system, arch);
            let names =
                fs::read_dir(&folder).into_iter().flatten().filter_map(|e| e.ok()?.file_name().into_string().ok());
            // A kernel counts once, in whatever states and forms there are images for it.
            let release = |name: String| {
                let stem = name.strip_suffix(".img.json")?;
                let formats = || ImageFormat::ALL.iter().map(|format| format.name());
                let kinds = || RootState::ALL.iter().map(|state| state.name()).chain(formats());
                let shorter =
                    |stem: &str| kinds().find_map(|kind| Some(stem.strip_suffix(kind)?.strip_suffix('.')?.len()));
                let mut release = stem;
                while let Some(length) = shorter(release) {
                    release = &release[..length];
                }
                Some(release.to_owned())
            };
            let mut releases: Vec<String> = names.filter_map(release).collect();
            releases.sort();
            releases.dedup();
            let root_bytes = fs::metadata(self.root_path(system, arch)).ok().map(|m| m.len());
            SystemRow { system, arch, root_bytes, releases }
        };
        System::ALL.into_iter().map(row).collect()
    }

    /// Downloads the packages of a system, as far as they are not in the cache.
    ///
    /// # Errors
    /// apt is missing or failed.
    pub fn fetch(
        &self,
        system: System,
        arch: Arch,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<(), SystemError> {
        let _lock = self.lock(arch, progress)?;
        self.fetch_locked(system, arch, progress).map(drop)
    }

    /// The image of a system for a kernel in this state, if it is in the cache.
    ///
    /// # Errors
    /// This program was built without the lab's programs for the kernel's architecture.
    pub fn cached(
        &self,
        system: System,
        state: RootState,
        kernel: &Kernel,
    ) -> Result<Option<SystemImage>, SystemError> {
        let recipe = recipe_for(system, state, kernel)?;
        Ok(SystemImage::read(&self.system_folder(system, kernel.arch), &state.image_stem(&kernel.release), &recipe))
    }

    /// Makes the root of a system whose programs do not run on this host, as far as it is not in the cache: unpacks its packages, and has
    /// `guest` boot the image in which they are configured. What runs on this host is configured when its image is built.
    ///
    /// # Errors
    /// The root can't be unpacked, `guest` failed, or a package could not be configured.
    pub fn configure_in_guest<E: From<SystemError>>(
        &self,
        system: System,
        kernel: &Kernel,
        modules: &Path,
        progress: &mut dyn FnMut(BuildProgress),
        guest: &mut ConfigureInGuest<'_, E>,
    ) -> Result<(), E> {
        let arch = kernel.arch;
        let path = self.root_path(system, arch);
        if !is_foreign(system, arch) || path.is_file() {
            return Ok(());
        }
        let programs = programs_of(arch)?;
        let _lock = self.lock(arch, progress)?;
        if path.is_file() {
            return Ok(());
        }
        let namespace = Namespace::of_this_process()?;
        let (apt, packages) = self.fetch_locked(system, arch, progress)?;
        let part = self.part(arch, namespace)?;
        let overlay = part.join("additions");
        let added = additions(system, arch, RootState::Settled, programs);
        write(&added, &overlay).map_err(SystemError::cache("write", &overlay))?;
        progress(BuildProgress::Installing { system });
        let unpacked = Unpacked {
            system,
            archives: &self.arch_folder(arch).join("archives"),
            packages: &packages,
            apt: &apt,
            suite: SUITE,
            additions: &overlay,
        };
        let image = unpack(&unpacked, &part, namespace)?;
        let initramfs = part.join("initramfs");
        write_initramfs(system, arch, modules, &initramfs)?;
        progress(BuildProgress::Guest { system, arch, packages: packages.len() });
        guest(&UnconfiguredRoot { system, image: image.clone(), initramfs, kernel: kernel.clone() }, progress)?;
        let fresh = part.join("root.tar");
        packed(system, &image, &fresh)?;
        let folder = self.system_folder(system, arch);
        fs::create_dir_all(&folder).map_err(SystemError::cache("create", &folder))?;
        fs::rename(&fresh, &path).map_err(SystemError::cache("write", &path))?;
        Ok(())
    }

    /// The image of a system for a kernel, whose modules are in the folder `modules`: from the cache, or else built. It is
    /// to be settled before it is measured.
    ///
    /// # Errors
    /// The image can't be built here.
    pub fn image(
        &self,
        system: System,
        kernel: &Kernel,
        modules: &Path,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<SystemImage, SystemError> {
        self.cached_or_built(system, RootState::Settled, kernel, modules, progress)
    }

    /// The same for an image whose every boot is its first.
    ///
    /// # Errors
    /// The image can't be built here.
    pub fn first_boot_image(
        &self,
        system: System,
        kernel: &Kernel,
        modules: &Path,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<SystemImage, SystemError> {
        self.cached_or_built(system, RootState::FirstBoot, kernel, modules, progress)
    }

    fn cached_or_built(
        &self,
        system: System,
        state: RootState,
        kernel: &Kernel,
        modules: &Path,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<SystemImage, SystemError> {
        let arch = kernel.arch;
        let programs = programs_of(arch)?;
        let recipe = recipe_for(system, state, kernel)?;
        let (folder, name) = (self.system_folder(system, arch), state.image_stem(&kernel.release));
        if let Some(image) = SystemImage::read(&folder, &name, &recipe) {
            return Ok(image);
        }
        let _lock = self.lock(arch, progress)?;
        if let Some(image) = SystemImage::read(&folder, &name, &recipe) {
            return Ok(image);
        }
        fs::create_dir_all(&folder).map_err(SystemError::cache("create", &folder))?;
        let namespace = Namespace::of_this_process()?;
        need("mkfs.ext4", "e2fsprogs")?;
        if is_foreign(system, arch) {
            need("depmod", "kmod")?;
        }
        let root = self.root_tar(system, arch, namespace, progress)?;
        let mib = system.image_mib();
        progress(BuildProgress::Writing { system, release: kernel.release.clone(), mib });
        let path = SystemImage::place(&folder, &name);
        let image = SystemImage {
            initramfs: path.with_extension("img.cpio"),
            manifest: SystemManifest {
                system,
                arch,
                release: kernel.release.clone(),
                recipe,
                settled: false,
                state,
                format: ImageFormat::Ext4,
            },
            path,
        };
        let part = self.part(arch, namespace)?;
        let overlay = part.join("additions");
        write(&additions(system, arch, state, programs), &overlay).map_err(SystemError::cache("write", &overlay))?;
        let fresh = part.join("image");
        let size = mib.to_string();
        let depmod = if is_foreign(system, arch) { "depmod -b tree" } else { "chroot tree depmod" };
        // A guest has entered the lab's own in the tables.
        let setup = if is_foreign(system, arch) { "" } else { setup(system) };
        let arguments: [&OsStr; 9] = [
            part.as_os_str(),
            root.as_os_str(),
            overlay.as_os_str(),
            modules.as_os_str(),
            OsStr::new(&kernel.release),
            OsStr::new(setup),
            OsStr::new(&size),
            OsStr::new(removed(system, state)),
            OsStr::new(depmod),
        ];
        namespace.script(system.name(), "writing the image", &format!("{WRITE_IMAGE}{FILL_TREE}"), &arguments)?;
        fs::rename(&fresh, &image.path).map_err(SystemError::cache("write", &image.path))?;
        write_initramfs(system, arch, modules, &image.initramfs)?;
        image.write_manifest()?;
        Ok(image)
    }

    /// The root file system as an archive: from the cache, or else made of packages.
    fn root_tar(
        &self,
        system: System,
        arch: Arch,
        namespace: Namespace,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<PathBuf, SystemError> {
        let path = self.root_path(system, arch);
        if path.is_file() {
            return Ok(path);
        }
        let (apt, _) = self.fetch_locked(system, arch, progress)?;
        let archives = self.arch_folder(arch).join("archives");
        let part = self.part(arch, namespace)?;
        let fresh = part.join("root.tar");
        progress(BuildProgress::Installing { system });
        if system == System::Busybox {
            let arguments = [archives.as_os_str(), fresh.as_os_str()];
            namespace.script(system.name(), "unpacking its package", UNPACK_BUSYBOX, &arguments)?;
        } else {
            if is_foreign(system, arch) {
                return Err(SystemError::Foreign { system, arch });
            }
            need("mmdebstrap", "mmdebstrap")?;
            let mut command = std::process::Command::new("mmdebstrap");
            command.args(MMDEBSTRAP_OPTIONS);
            command.arg(format!("--mode={}", namespace.mode())).arg(format!("--architectures={arch}"));
            // What was downloaded is all it needs: it works without a network.
            // In a user namespace only mmdebstrap's own hooks read this user's files.
            let hook = "mkdir -p \"$1/var/lib/apt/lists\" \"$1/var/cache/apt/archives\"";
            command.arg(format!("--setup-hook={hook}"));
            command.arg(format!("--setup-hook=sync-in {} /var/lib/apt/lists", shell_word(&apt.lists())));
            command.arg(format!("--setup-hook=sync-in {} /var/cache/apt/archives", shell_word(&archives)));
            command.arg(format!("--include={}", system.packages().join(",")));
            command.arg(SUITE).arg(&fresh);
            command.arg(format!("deb [signed-by={}] {} {SUITE} main", apt.keyring().display(), apt.mirror()));
            run(command, system.name(), "installing its packages")?;
        }
        fs::rename(&fresh, &path).map_err(SystemError::cache("write", &path))?;
        Ok(path)
    }

    /// The apt that has fetched a system's packages, and their archives, each with its size in bytes.
    fn fetch_locked(
        &self,
        system: System,
        arch: Arch,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<(PrivateApt, Vec<(String, u64)>), SystemError> {
        let folder = self.arch_folder(arch);
        let apt = PrivateApt::prepare(&folder.join("apt"), arch, archive(self.mirror.as_deref(), None)?, SUITE)?;
        let mut packages = system.packages();
        if system != System::Busybox {
            // apt counts itself among them.
            packages.insert(0, "?and(?essential,?not(?exact-name(apt)))");
        }
        // Old lists may name versions that the mirror has replaced.
        if apt.indexes()?.is_empty() || apt.archives_of(&packages).is_err() {
            apt.update(&mut |percent| progress(BuildProgress::Refreshing { percent }))?;
        }
        let archives = folder.join("archives");
        let wanted = apt.archives_of(&packages)?;
        let missing: Vec<_> = wanted.iter().filter(|(file, _)| !archives.join(file).is_file()).collect();
        if missing.is_empty() {
            return Ok((apt, wanted));
        }
        let bytes = missing.iter().map(|(_, bytes)| bytes).sum();
        progress(BuildProgress::Fetching { system, packages: missing.len(), bytes });
        let mut told = |percent| progress(BuildProgress::Downloading { percent });
        if apt.download_all(system.name(), &packages, &archives, &mut told).is_err() {
            apt.update(&mut |percent| progress(BuildProgress::Refreshing { percent }))?;
            apt.download_all(system.name(), &packages, &archives, &mut |percent| {
                progress(BuildProgress::Downloading { percent })
            })?;
        }
        let wanted = apt.archives_of(&packages)?;
        Ok((apt, wanted))
    }

    /// An empty folder for a build.
    pub(super) fn part(&self, arch: Arch, namespace: Namespace) -> Result<Part, SystemError> {
        let folder = self.arch_folder(arch).join("part");
        namespace.remove(&folder)?;
        fs::create_dir_all(&folder).map_err(SystemError::cache("create", &folder))?;
        Ok(Part { folder, namespace })
    }

    fn arch_folder(&self, arch: Arch) -> PathBuf {
        self.root.join(arch.debian_name())
    }

    fn system_folder(&self, system: System, arch: Arch) -> PathBuf {
        self.arch_folder(arch).join(system.name())
    }

    /// Where the root of a system is as it is made today, as an archive.
    pub(super) fn root_path(&self, system: System, arch: Arch) -> PathBuf {
        let recipe = root_recipe(system, arch);
        self.system_folder(system, arch).join(format!("root-{}.tar", recipe.get(..12).unwrap_or(&recipe)))
    }

    /// Held until it is dropped.
    pub(super) fn lock(&self, arch: Arch, progress: &mut dyn FnMut(BuildProgress)) -> Result<FileLock, SystemError> {
        let path = self.root.join(format!("{arch}.lock"));
        lock_file(&path, || progress(BuildProgress::Waiting { arch }))
            .map_err(|(action, e)| SystemError::cache(action, &path)(e))
    }
}

/// `$1` the folder of the build, `$2` root.tar, `$3` the additions, `$4` the modules, `$5` the release, `$6` the setup
/// command, `$7` the size in MiB, `$8` a pattern of paths to remove, `$9` depmod. Device nodes are the kernel's to make.
const FILL_TREE: &str = r#"
umask 022
cd "$1"
mkdir tree
tar -C tree --numeric-owner --xattrs --xattrs-include='*' --acls --exclude='./dev/*' -xf "$2"
cp -r --no-preserve=ownership "$3/." tree/
mkdir -p tree/usr/lib/modules tree/dev tree/proc tree/sys tree/run
chmod 1777 tree/tmp
cp -r --no-preserve=ownership "$4" "tree/usr/lib/modules/$5"
if [ -x tree/usr/sbin/depmod ] || [ -x tree/usr/bin/depmod ]; then $9 "$5"; fi
if [ -n "$6" ]; then chroot tree sh -c "$6"; fi
if [ -n "$8" ]; then (cd tree && rm -f $8); fi
write_image ext4 tree image "$7"
"#;

/// `$1` the folder of archives, `$2` the archive to write.
const UNPACK_BUSYBOX: &str = r#"
dpkg-deb --fsys-tarfile "$1"/busybox-static_*.deb >"$2"
"#;

/// Whether a system's packages are configured by programs that do not run on this host.
fn is_foreign(system: System, arch: Arch) -> bool {
    system != System::Busybox && arch.qemu_name() != std::env::consts::ARCH
}

/// The initramfs that mounts a system's root, by a kernel with these modules.
fn write_initramfs(system: System, arch: Arch, modules: &Path, to: &Path) -> Result<(), SystemError> {
    let archive = mounting_initramfs(system, arch, ImageFormat::Ext4, &Hardware::default(), modules)?;
    fs::write(to, archive).map_err(SystemError::cache("write", to))
}

/// A path as a word of a shell's command.
fn shell_word(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// The lab's programs in every system's root.
fn programs_of(arch: Arch) -> Result<Programs<'static>, SystemError> {
    let programs = programs::app(arch).zip(programs::root(arch)).zip(programs::fastinit(arch));
    let programs = programs.map(|((app, handoff), fastinit)| Programs { app, handoff, fastinit });
    programs.ok_or(SystemError::NoPrograms { arch })
}

/// What is the same for all systems that mmdebstrap makes.
const MMDEBSTRAP_OPTIONS: [&str; 11] = [
    "--quiet",
    "--variant=essential",
    "--format=tar",
    "--skip=update",
    "--aptopt=APT::Install-Recommends \"false\"",
    "--aptopt=Acquire::Check-Valid-Until \"false\"",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/info/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/lintian/*",
];

/// SHA-256 of the names of a system's packages and of the scripts that install them, in hexadecimal. The packages' versions are not in it:
/// a root keeps those of the day on which it was built.
fn root_recipe(system: System, arch: Arch) -> String {
    let mut hasher = Sha256::new();
    hasher.update(format!("{SUITE}{:?}", system.packages()));
    hasher.update(match system {
        System::Busybox => UNPACK_BUSYBOX.to_owned(),
        _ if is_foreign(system, arch) => {
            // A guest enters the lab's scripts in the tables, so they are in this root already.
            let programs = Programs { app: b"", handoff: b"", fastinit: b"" };
            let mut scripts = additions(system, arch, RootState::Settled, programs);
            scripts.retain(|(path, _)| path.starts_with("etc/init.d/"));
            format!("{}{scripts:?}", foreign_root::recipe(system))
        }
        _ => format!("{MMDEBSTRAP_OPTIONS:?}"),
    });
    hex(hasher.finalize())
}

/// Identifies what an image for a kernel is built from. One that was built here may be built again: its release does not identify its
/// modules.
fn recipe_for(system: System, state: RootState, kernel: &Kernel) -> Result<String, SystemError> {
    let recipe = recipe_of(system, kernel.arch, state, programs_of(kernel.arch)?)?;
    let modules = kernel.built.as_ref().map(|built| format!("-{}-{}", kernel.sha256, built.modules_sha256));
    Ok(recipe + &modules.unwrap_or_default())
}

/// The part of it that no kernel has a share in.
fn recipe_of(system: System, arch: Arch, state: RootState, programs: Programs<'_>) -> Result<String, SystemError> {
    let mut hasher = Sha256::new();
    hasher.update(format!("{}{WRITE_IMAGE}{FILL_TREE}{}", root_recipe(system, arch), setup(system)));
    hasher.update(format!("{:?}{}", additions(system, arch, state, programs), removed(system, state)));
    hasher.update(initramfs_recipe(system, arch, ImageFormat::Ext4)?);
    Ok(hex(hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::super::image::of_busybox;
    use super::*;
    use crate::kernels::BuiltKernel;

    #[test]
    fn the_cache_is_next_to_that_of_the_kernels() {
        let env = |name: &str| (name == "BOOTLINE_CACHE").then(|| OsString::from("/c"));
        assert_eq!(SystemStore::folder(None, env), Some(PathBuf::from("/c/images")));
        assert_eq!(SystemStore::folder(Some(Path::new("/d")), env), Some(PathBuf::from("/d")));
        assert_eq!(SystemStore::folder(None, |_| None), None);
    }

    #[test]
    fn recipes_differ_by_system_and_application() {
        let of = |system, app: &[u8]| {
            recipe_of(system, Arch::Amd64, RootState::Settled, Programs { app, handoff: b"", fastinit: b"" }).unwrap()
        };
        assert_eq!(of(System::Busybox, b"a"), of(System::Busybox, b"a"));
        assert_ne!(of(System::Busybox, b"a"), of(System::Busybox, b"b"));
        assert_ne!(of(System::DebianSysvinit, b"a"), of(System::DebianOpenrc, b"a"));
    }

    #[test]
    fn recipes_differ_by_the_state_and_by_the_modules_of_a_kernel_that_was_built_here() {
        let of = |state, kernel: &Kernel| recipe_for(System::DebianSystemd, state, kernel).unwrap();
        let stock = stock();
        assert_eq!(
            of(RootState::Settled, &stock),
            of(RootState::Settled, &Kernel { sha256: "2".to_owned(), ..stock.clone() })
        );
        assert_ne!(of(RootState::Settled, &stock), of(RootState::FirstBoot, &stock));
        let built = |sha256: &str, modules: &str| Kernel {
            sha256: sha256.to_owned(),
            built: Some(built(modules)),
            ..stock.clone()
        };
        let first = of(RootState::Settled, &built("1", "1"));
        assert_eq!(first, of(RootState::Settled, &built("1", "1")));
        for other in [&stock, &built("2", "1"), &built("1", "2")] {
            assert_ne!(first, of(RootState::Settled, other));
        }
    }

    fn stock() -> Kernel {
        Kernel {
            path: "/vmlinuz".into(),
            config_path: None,
            arch: Arch::Amd64,
            series: "6.12".parse().unwrap(),
            rt: false,
            version: "6.12.107-1".to_owned(),
            release: "6.12.107".to_owned(),
            package: "linux-image-6.12.107".to_owned(),
            suite: "trixie".to_owned(),
            sha256: "1".to_owned(),
            built: None,
        }
    }

    fn built(modules: &str) -> BuiltKernel {
        BuiltKernel {
            name: "tiny".parse().unwrap(),
            from: "6.12".to_owned(),
            source: "6.12.107-1".to_owned(),
            base: "tiny".to_owned(),
            fragments: Vec::new(),
            compiler: "gcc".to_owned(),
            recipe: "r".to_owned(),
            modules_sha256: modules.to_owned(),
            objects: 1,
            compile_ns: 1,
            jobs: 1,
        }
    }

    #[test]
    fn a_root_is_made_again_of_other_packages_or_scripts() {
        let of = root_recipe;
        assert_ne!(of(System::DebianSysvinit, Arch::Amd64), of(System::DebianOpenrc, Arch::Amd64));
        assert_ne!(foreign_root::recipe(System::DebianSysvinit), foreign_root::recipe(System::DebianOpenrc));
        // Of one that programs of this host configure, the architecture is in the folder's name.
        let [here, foreign] = match is_foreign(System::DebianMinimal, Arch::Amd64) {
            false => [Arch::Amd64, Arch::Arm64],
            true => [Arch::Arm64, Arch::Amd64],
        };
        assert_ne!(
            of(System::DebianMinimal, here),
            of(System::DebianMinimal, foreign),
            "a guest configures one of them"
        );
        let folder = tempfile::tempdir().unwrap();
        let store = SystemStore::open(folder.path()).unwrap();
        let path = store.root_path(System::Busybox, Arch::Amd64);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path.with_file_name("root.tar"), "of another recipe").unwrap();
        let bytes =
            || store.list(Arch::Amd64).into_iter().find(|row| row.system == System::Busybox).unwrap().root_bytes;
        assert_eq!(bytes(), None);
        fs::write(path, "root").unwrap();
        assert_eq!(bytes(), Some(4));
    }

    #[test]
    fn no_kernels_name_ends_in_a_state() {
        for state in RootState::ALL.iter().filter(|state| **state != RootState::Settled) {
            assert!(format!("tiny.{state}").parse::<kernels::BuiltName>().is_err(), "{state}");
        }
    }

    #[test]
    fn an_image_counts_once_its_manifest_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("6.12.img");
        let mut image = of_busybox(path);
        fs::write(&image.path, "image").unwrap();
        fs::write(&image.initramfs, "initramfs").unwrap();
        let read = |state: RootState, recipe| SystemImage::read(folder.path(), &state.image_stem("6.12"), recipe);
        assert_eq!(read(RootState::Settled, "r"), None);
        image.write_manifest().unwrap();
        assert_eq!(read(RootState::Settled, "r"), Some(image.clone()));
        assert_eq!(read(RootState::Settled, "another"), None);
        assert_eq!(read(RootState::FirstBoot, "r"), None, "that is another file");
        image.set_settled().unwrap();
        assert!(read(RootState::Settled, "r").unwrap().manifest.settled);
    }
}
