// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building U-Boot: Debian's source, unpacked, configured and compiled.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::{ENVIRONMENT, IMAGE};
use super::needs::{CROSS_COMPILE, check};
use crate::kernels::{PrivateApt, archive};
use crate::loaders::build::{BuildPlace, Built};
use crate::loaders::tools::{PATH, run};
use crate::loaders::{Loader, LoaderError, LoaderProgress};

/// The Debian suite whose source packages are built: that of the systems.
const SUITE: &str = "trixie";
/// The source package.
const SOURCE: &str = "u-boot";

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

/// What identifies how it is built here.
pub(in crate::loaders) fn recipe() -> String {
    format!("{SUITE}{OPTIONS:?}{UNPACK}{COMPILE}")
}

/// Builds it.
///
/// # Errors
/// Something that the build needs is missing, or a step failed.
pub(in crate::loaders) fn build(
    loader: Loader,
    place: &BuildPlace<'_>,
    progress: &mut dyn FnMut(LoaderProgress),
) -> Result<Built, LoaderError> {
    // Before anything is downloaded.
    check(loader)?;
    let archives = fetch(loader, place, progress)?;
    let version = unpack(loader, &archives, place.part, progress)?;
    compile(loader, &version, place.part, progress)?;
    let files =
        vec![(place.part.join("build/u-boot.bin"), IMAGE), (place.part.join("build/u-boot-initial-env"), ENVIRONMENT)];
    Ok(Built { version, firmware: None, files })
}

/// The archives of the source package, downloaded if they are not in the cache.
fn fetch(
    loader: Loader,
    place: &BuildPlace<'_>,
    progress: &mut dyn FnMut(LoaderProgress),
) -> Result<Vec<PathBuf>, LoaderError> {
    let mirror = archive(place.mirror, None)?;
    let apt = PrivateApt::prepare_sources(&place.root.join("apt"), mirror, SUITE)?;
    let folder = place.root.join("archives");
    fs::create_dir_all(&folder).map_err(LoaderError::file("create", &folder))?;
    let complete = |wanted: &[(String, u64)]| {
        let is_there = |(file, bytes): &(String, u64)| fs::metadata(folder.join(file)).is_ok_and(|m| m.len() == *bytes);
        wanted.iter().all(is_there)
    };
    let mut wanted = apt.source_of(SOURCE).unwrap_or_default();
    if wanted.is_empty() || !complete(&wanted) {
        // Old lists may name versions that the mirror has replaced.
        apt.update(&mut |percent| progress(LoaderProgress::Refreshing { percent }))?;
        wanted = apt.source_of(SOURCE)?;
    }
    if !complete(&wanted) {
        progress(LoaderProgress::Fetching { loader, bytes: wanted.iter().map(|(_, bytes)| bytes).sum() });
        let mut tell = |percent| progress(LoaderProgress::Downloading { percent });
        apt.download_source(SOURCE, &folder, &mut tell)?;
    }
    Ok(wanted.into_iter().map(|(file, _)| folder.join(file)).collect())
}

/// Unpacks the source and applies Debian's changes, as `dpkg-source` does. Gives the version.
fn unpack(
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
    run(command, SOURCE, "unpacking its source")?;
    Ok(version)
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

#[cfg(test)]
mod tests {
    use super::*;

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
