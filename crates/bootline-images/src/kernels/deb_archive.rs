// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the kernel out of a Debian package's archive, without unpacking the hundreds of megabytes of modules next to
//! it.
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::entry::{CONFIG, VMLINUZ};
use super::error::Error;
use super::tar::for_each_file;

/// Writes the image and the config of a release, as far as the package `deb` has them, into `folder` as `vmlinuz` and
/// `config`. System.map is left: Debian ships a stub of it.
///
/// # Errors
/// dpkg-deb is missing, the archive can't be read, or the folder can't be written to.
pub(super) fn take_kernel(deb: &Path, package: &str, release: &str, folder: &Path) -> Result<(), Error> {
    let failed = |reason: String| Error::Package { package: package.to_owned(), reason };
    let mut source = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| Error::NoTool { program: "dpkg-deb" })?;
    let taken = match source.stdout.take() {
        Some(stream) => for_each_file(stream, |member, content| match kept_as(&member.path, release) {
            Some(name) => io::copy(content, &mut File::create(folder.join(name))?).map(drop),
            None => Ok(()),
        }),
        None => Ok(()),
    };
    let ended = source.wait();
    taken.map_err(|e| failed(format!("`{}`: {e}", deb.display())))?;
    if ended.is_ok_and(|status| status.success()) { Ok(()) } else { Err(failed("dpkg-deb failed".to_owned())) }
}

/// The name in the cache of a file to keep. Kernels of sid have moved from /boot to the folder of the modules.
fn kept_as(path: &str, release: &str) -> Option<&'static str> {
    let path = path.strip_prefix("usr/").unwrap_or(path);
    let in_boot = path.strip_prefix("boot/").and_then(|p| p.strip_suffix(release)).and_then(|p| p.strip_suffix('-'));
    let in_modules = || path.strip_prefix("lib/modules/")?.strip_prefix(release)?.strip_prefix('/');
    match in_boot.or_else(in_modules)? {
        "vmlinuz" | "vmlinuz.unsigned" => Some(VMLINUZ),
        "config" => Some(CONFIG),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_files() {
        let check =
            |path: &str, expected: Option<&str>| assert_eq!(kept_as(path, "7.2.13+deb14-amd64"), expected, "{path}");
        check("boot/vmlinuz-7.2.13+deb14-amd64", Some(VMLINUZ));
        check("boot/config-7.2.13+deb14-amd64", Some(CONFIG));
        check("usr/lib/modules/7.2.13+deb14-amd64/vmlinuz", Some(VMLINUZ));
        check("usr/lib/modules/7.2.13+deb14-amd64/vmlinuz.unsigned", Some(VMLINUZ));
        check("lib/modules/7.2.13+deb14-amd64/config", Some(CONFIG));
        for none in [
            "boot/vmlinuz-7.2.13+deb14-rt-amd64",
            "boot/System.map-7.2.13+deb14-amd64",
            "usr/lib/modules/7.2.13+deb14-amd64/kernel/config",
            "boot/vmlinuz",
            "../boot/vmlinuz-7.2.13+deb14-amd64",
        ] {
            check(none, None);
        }
    }

    #[test]
    fn what_is_no_package() {
        let folder = tempfile::tempdir().unwrap();
        let deb = folder.path().join("linux.deb");
        std::fs::write(&deb, "no archive").unwrap();
        let error = take_kernel(&deb, "linux-image-x", "x", folder.path()).unwrap_err();
        assert!(error.to_string().starts_with("no kernel in package `linux-image-x`: "), "{error}");
    }
}
