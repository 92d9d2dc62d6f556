// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of boot loaders, and building into it.
//!
//! ```text
//! ROOT/lock                     held while a loader is built
//! ROOT/apt/                     apt's own folders
//! ROOT/archives/                source packages
//! ROOT/part/                    a build under way
//! ROOT/u-boot/u-boot.bin        a loader; renamed to its place as a whole
//! ROOT/u-boot/environment.txt   its own environment
//! ROOT/u-boot/manifest.json     what it is
//! ```
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::environment::Environment;
use super::error::LoaderError;
use super::loader::Loader;
use super::progress::LoaderProgress;
use super::tools::{CROSS_COMPILE, PATH, check, run};
use crate::kernels::{self, PrivateApt, archive, sha256_of};
use crate::lock_file::lock_file;

/// The Debian suite whose source packages are built: that of the systems.
const SUITE: &str = "trixie";

/// What U-Boot is configured with in addition to qemu_arm64_defconfig. Times of its stages are kept, reported on the console and
/// put into the device tree. Its variable `silent` silences it and leaves the kernel's command line alone. The last line:
/// a tool for capsules that nothing here uses, which needs GnuTLS.
const OPTIONS: [&str; 8] = [
    "CONFIG_BOOTSTAGE=y",
    "CONFIG_BOOTSTAGE_REPORT=y",
    "CONFIG_BOOTSTAGE_FDT=y",
    "CONFIG_BOOTSTAGE_RECORD_COUNT=60",
    "CONFIG_CMD_BOOTSTAGE=y",
    "CONFIG_SILENT_CONSOLE=y",
    "CONFIG_SILENT_U_BOOT_ONLY=y",
    "# CONFIG_TOOLS_MKEFICAPSULE is not set",
];

const IMAGE: &str = "u-boot.bin";
const ENVIRONMENT: &str = "environment.txt";
const MANIFEST: &str = "manifest.json";

/// A cache of boot loaders in one folder. Several processes may use it at once.
#[derive(Clone, Debug)]
pub struct LoaderStore {
    root: PathBuf,
    mirror: Option<String>,
}

/// A loader in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderImage {
    /// What QEMU starts with.
    pub path: PathBuf,
    /// What it is.
    pub manifest: LoaderManifest,
    /// The environment that it has without a saved one.
    pub environment: Environment,
}

/// What a loader is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoaderManifest {
    /// The loader.
    pub loader: Loader,
    /// Version of Debian's source package.
    pub version: String,
    /// Identifies how it was built: SHA-256, in hexadecimal.
    pub recipe: String,
    /// SHA-256 of the image, in hexadecimal.
    pub sha256: String,
    /// SHA-256 of the environment, in hexadecimal.
    pub environment_sha256: String,
}

/// A loader in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderRow {
    /// The loader.
    pub loader: Loader,
    /// What the cache has of it.
    pub cached: Option<LoaderImage>,
}

impl LoaderStore {
    /// Uses the folder `root`, which need not exist yet.
    ///
    /// # Errors
    /// The folder can't be made.
    pub fn open(root: &Path) -> Result<LoaderStore, LoaderError> {
        fs::create_dir_all(root).map_err(LoaderError::file("create", root))?;
        let root = root.canonicalize().map_err(LoaderError::file("open", root))?;
        Ok(LoaderStore { root, mirror: None })
    }

    /// The cache's folder: the one stated by the user, else next to that of the kernels.
    pub fn folder(stated: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let kernels = || kernels::cache_folder(None, env).map(|folder| folder.with_file_name("loaders"));
        stated.map(Path::to_owned).or_else(kernels)
    }

    /// Uses this mirror of the Debian archive, regardless of the host's apt configuration.
    #[must_use]
    pub fn with_mirror(mut self, mirror: &str) -> LoaderStore {
        self.mirror = Some(mirror.to_owned());
        self
    }

    /// All loaders, and what the cache has.
    pub fn list(&self) -> Vec<LoaderRow> {
        Loader::ALL.into_iter().map(|loader| LoaderRow { loader, cached: self.cached(loader) }).collect()
    }

    /// The loader, if the cache has it as it would be built today, and undamaged.
    pub fn cached(&self, loader: Loader) -> Option<LoaderImage> {
        let folder = self.place(loader);
        let manifest: LoaderManifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
        let path = folder.join(IMAGE);
        let environment = Environment::parse(&fs::read_to_string(folder.join(ENVIRONMENT)).ok()?);
        let intact = manifest.loader == loader
            && manifest.recipe == recipe()
            && sha256_of(&path).is_ok_and(|sha256| sha256 == manifest.sha256)
            && sha256_of(&folder.join(ENVIRONMENT)).is_ok_and(|sha256| sha256 == manifest.environment_sha256);
        intact.then_some(LoaderImage { path, manifest, environment })
    }

    /// The folder of a loader as it is built today: what another version of this program built stays where it is, because its
    /// experiments may be running.
    fn place(&self, loader: Loader) -> PathBuf {
        let recipe = recipe();
        self.root.join(format!("{loader}-{}", recipe.get(..12).unwrap_or(&recipe)))
    }

    /// The loader: from the cache, or else built.
    ///
    /// # Errors
    /// It can't be built here.
    pub fn image(&self, loader: Loader, progress: &mut dyn FnMut(LoaderProgress)) -> Result<LoaderImage, LoaderError> {
        if let Some(image) = self.cached(loader) {
            return Ok(image);
        }
        let _lock = self.lock(progress)?;
        if let Some(image) = self.cached(loader) {
            return Ok(image);
        }
        // Before anything is downloaded.
        check(loader)?;
        let archives = self.fetch(loader, progress)?;
        let part = self.part()?;
        let version = self.unpack(loader, &archives, &part, progress)?;
        compile(loader, &version, &part, progress)?;
        let fresh = part.join("loader");
        fs::create_dir(&fresh).map_err(LoaderError::file("create", &fresh))?;
        for (from, to) in [("build/u-boot.bin", IMAGE), ("build/u-boot-initial-env", ENVIRONMENT)] {
            fs::copy(part.join(from), fresh.join(to)).map_err(LoaderError::file("copy", &part.join(from)))?;
        }
        let sha256_of = |name: &str| {
            let file = fresh.join(name);
            sha256_of(&file).map_err(LoaderError::file("read", &file))
        };
        let (sha256, environment_sha256) = (sha256_of(IMAGE)?, sha256_of(ENVIRONMENT)?);
        let manifest = LoaderManifest { loader, version, recipe: recipe(), sha256, environment_sha256 };
        let text = serde_json::to_string_pretty(&manifest).expect("plain strings always serialise");
        fs::write(fresh.join(MANIFEST), text + "\n").map_err(LoaderError::file("write", &fresh))?;
        let folder = self.place(loader);
        remove(&folder)?;
        fs::rename(&fresh, &folder).map_err(LoaderError::file("write", &folder))?;
        remove(&part)?;
        self.cached(loader).ok_or(LoaderError::Step {
            what: loader.to_string(),
            step: "reading it back from the cache",
            evidence: vec![],
        })
    }

    /// The archives of the source package, downloaded if they are not in the cache.
    fn fetch(&self, loader: Loader, progress: &mut dyn FnMut(LoaderProgress)) -> Result<Vec<PathBuf>, LoaderError> {
        let mirror = archive(self.mirror.as_deref(), None)?;
        let apt = PrivateApt::prepare_sources(&self.root.join("apt"), mirror, SUITE)?;
        let folder = self.root.join("archives");
        fs::create_dir_all(&folder).map_err(LoaderError::file("create", &folder))?;
        let complete = |wanted: &[(String, u64)]| {
            let is_there =
                |(file, bytes): &(String, u64)| fs::metadata(folder.join(file)).is_ok_and(|m| m.len() == *bytes);
            wanted.iter().all(is_there)
        };
        let mut wanted = apt.source_of(loader.name()).unwrap_or_default();
        if wanted.is_empty() || !complete(&wanted) {
            // Lists of another day may name versions that the mirror has replaced.
            apt.update(&mut |percent| progress(LoaderProgress::Refreshing { percent }))?;
            wanted = apt.source_of(loader.name())?;
        }
        if !complete(&wanted) {
            progress(LoaderProgress::Fetching { loader, bytes: wanted.iter().map(|(_, bytes)| bytes).sum() });
            let mut tell = |percent| progress(LoaderProgress::Downloading { percent });
            apt.download_source(loader.name(), &folder, &mut tell)?;
        }
        Ok(wanted.into_iter().map(|(file, _)| folder.join(file)).collect())
    }

    /// Unpacks the source and applies Debian's changes, as `dpkg-source` does. Gives the version.
    fn unpack(
        &self,
        loader: Loader,
        archives: &[PathBuf],
        part: &Path,
        progress: &mut dyn FnMut(LoaderProgress),
    ) -> Result<String, LoaderError> {
        let find = |kind: &str, part| {
            let of_kind = |path: &&PathBuf| path.to_string_lossy().contains(kind);
            archives.iter().find(of_kind).ok_or(LoaderError::NoSource { loader, part })
        };
        let upstream = find(".orig.tar.", "upstream source")?;
        let changes = find(".debian.tar.", "changes by Debian")?;
        let version = version_of(changes).ok_or(LoaderError::NoSource { loader, part: "version" })?;
        progress(LoaderProgress::Unpacking { loader, version: version.clone() });
        let mut command = Command::new("sh");
        command.args(["-ec", UNPACK, "sh"]).arg(part).arg(upstream).arg(changes);
        run(command, loader.name(), "unpacking its source")?;
        Ok(version)
    }

    /// An empty folder for a build.
    fn part(&self) -> Result<PathBuf, LoaderError> {
        let part = self.root.join("part");
        remove(&part)?;
        fs::create_dir_all(&part).map_err(LoaderError::file("create", &part))?;
        Ok(part)
    }

    /// Held until it is dropped.
    fn lock(&self, progress: &mut dyn FnMut(LoaderProgress)) -> Result<File, LoaderError> {
        let path = self.root.join("lock");
        lock_file(&path, || progress(LoaderProgress::Waiting))
            .map_err(|(action, e)| LoaderError::file(action, &path)(e))
    }
}

/// `$1` the folder of the build, `$2` the upstream source, `$3` Debian's changes.
const UNPACK: &str = r#"
mkdir "$1/source" "$1/build"
tar -C "$1/source" --strip-components=1 -xf "$2"
tar -C "$1/source" -xf "$3"
cd "$1/source"
sed -e 's/#.*//' -e 's/[[:space:]]*$//' debian/patches/series | while read -r name; do
    [ -z "$name" ] || patch -s -p1 <"debian/patches/$name" >&2
done
"#;

/// `$1` the folder of the build, `$2` the compiler's prefix, `$3` the revision, `$4` the options, `$5` the number of processes.
/// The date in the banner is that of Debian's changes, so that the same source gives the same loader.
const COMPILE: &str = r#"
cd "$1/source"
SOURCE_DATE_EPOCH=$(stat -c %Y debian/changelog)
export SOURCE_DATE_EPOCH
u_boot() { make O="$1" CROSS_COMPILE="$2" "-j$3" "$4" >&2; }
u_boot "$1/build" "$2" 1 qemu_arm64_defconfig
printf '%s\n' "$4" "CONFIG_LOCALVERSION=\"$3\"" >>"$1/build/.config"
u_boot "$1/build" "$2" 1 olddefconfig
u_boot "$1/build" "$2" "$5" u-boot.bin
u_boot "$1/build" "$2" 1 u-boot-initial-env
"#;

fn compile(
    loader: Loader,
    version: &str,
    part: &Path,
    progress: &mut dyn FnMut(LoaderProgress),
) -> Result<(), LoaderError> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    progress(LoaderProgress::Compiling { loader, jobs });
    let revision = version.rfind('-').map_or("", |at| &version[at..]);
    let mut command = Command::new("sh");
    command.args(["-ec", COMPILE, "sh"]).arg(part);
    command.args([CROSS_COMPILE, revision, &OPTIONS.join("\n"), &jobs.to_string()]);
    // Nothing of the user's own builds: flags, options of make, another compiler.
    command.env_clear().env("PATH", PATH).env("HOME", part).env("LC_ALL", "C.UTF-8");
    run(command, loader.name(), "compiling it")?;
    let path = part.join("build/.config");
    let config = fs::read_to_string(&path).map_err(LoaderError::file("read", &path))?;
    let dropped = dropped(&config);
    if dropped.is_empty() { Ok(()) } else { Err(LoaderError::Dropped { loader, options: dropped }) }
}

/// The wanted options that a configuration lacks: Kconfig drops silently what it does not know.
fn dropped(config: &str) -> Vec<String> {
    let lacks = |option: &&str| option.starts_with("CONFIG_") && !config.lines().any(|line| line == *option);
    OPTIONS.into_iter().filter(lacks).map(str::to_owned).collect()
}

/// The version in the name of Debian's changes: `u-boot_2025.01-3.debian.tar.xz`.
fn version_of(changes: &Path) -> Option<String> {
    let name = changes.file_name()?.to_str()?;
    let (_, version) = name.split_once('_')?;
    version.split_once(".debian.tar.").map(|(version, _)| version.to_owned())
}

/// Identifies how loaders are built here.
fn recipe() -> String {
    let mut hasher = Sha256::new();
    hasher.update(format!("{SUITE}{OPTIONS:?}{UNPACK}{COMPILE}"));
    hasher.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

fn remove(folder: &Path) -> Result<(), LoaderError> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(LoaderError::file("remove", folder)(e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_next_to_that_of_the_kernels() {
        let env = |name: &str| (name == "BOOTLINE_CACHE").then(|| OsString::from("/c"));
        assert_eq!(LoaderStore::folder(None, env), Some(PathBuf::from("/c/loaders")));
        assert_eq!(LoaderStore::folder(Some(Path::new("/d")), env), Some(PathBuf::from("/d")));
        assert_eq!(LoaderStore::folder(None, |_| None), None);
    }

    #[test]
    fn a_loader_counts_if_it_is_complete_and_built_as_today() {
        let dir = tempfile::tempdir().unwrap();
        let store = LoaderStore::open(dir.path()).unwrap();
        let folder = store.place(Loader::UBoot);
        fs::create_dir(&folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let manifest = |recipe: String| {
            let sha256 = sha256_of(&folder.join(IMAGE)).unwrap();
            let environment_sha256 = sha256_of(&folder.join(ENVIRONMENT)).unwrap_or_default();
            let version = "2025.01-3".to_owned();
            let manifest = LoaderManifest { loader: Loader::UBoot, version, recipe, sha256, environment_sha256 };
            write(MANIFEST, &serde_json::to_string(&manifest).unwrap());
        };
        write(IMAGE, "code");
        manifest(recipe());
        assert_eq!(store.cached(Loader::UBoot), None, "its environment is missing");
        write(ENVIRONMENT, "bootdelay=2\n");
        assert_eq!(store.cached(Loader::UBoot), None, "its environment is another");
        manifest(recipe());
        let image = store.image(Loader::UBoot, &mut |step| panic!("{step}")).unwrap();
        assert_eq!(image.environment.get("bootdelay"), Some("2"));
        assert_eq!(store.list()[0].cached.as_ref(), Some(&image));
        write(ENVIRONMENT, "");
        assert_eq!(store.cached(Loader::UBoot), None, "its environment is damaged");
        write(ENVIRONMENT, "bootdelay=2\n");
        write(IMAGE, "damaged");
        assert_eq!(store.cached(Loader::UBoot), None);
        manifest("another".to_owned());
        assert_eq!(store.cached(Loader::UBoot), None);
    }

    #[test]
    fn options_that_a_configuration_drops_are_found() {
        let all = OPTIONS.join("\n");
        assert_eq!(dropped(&all), [] as [String; 0]);
        assert_eq!(dropped(&all.replace("CONFIG_SILENT_CONSOLE=y\n", "")), ["CONFIG_SILENT_CONSOLE=y"]);
    }

    #[test]
    fn the_version_is_that_of_debians_changes() {
        let version = |name: &str| version_of(Path::new(name));
        assert_eq!(version("/a_b/u-boot_2025.01-3+deb13u1.debian.tar.xz").as_deref(), Some("2025.01-3+deb13u1"));
        assert_eq!(version("u-boot_2025.01.orig.tar.bz2"), None);
    }
}
