// SPDX-License-Identifier: MIT OR Apache-2.0
//! The root of a system whose programs do not run on this host: its packages are unpacked here, and configured in a guest.
//!
//! Needs neither root nor an interpreter that the host's kernel would have to know (binfmt_misc). [`UNPACK`] does what dpkg
//! does when it unpacks a package, and a guest runs the packages' own scripts: slow in QEMU's translator, but once for each system.
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::debugfs::{debugfs, quoted};
use super::error::SystemError;
use super::namespace::{Namespace, need};
use super::recipe::setup;
use super::system::System;
use crate::kernels::{Kernel, PrivateApt};
use crate::step::last_lines;

/// A root whose packages are unpacked, as an image with a program that configures them.
#[derive(Clone, Debug)]
pub struct UnconfiguredRoot {
    /// The system.
    pub system: System,
    /// The image, to which the guest writes.
    pub image: PathBuf,
    /// The initramfs that mounts it.
    pub initramfs: PathBuf,
    /// The kernel that boots it.
    pub kernel: Kernel,
}

impl UnconfiguredRoot {
    /// The program that configures the packages: the guest's init.
    pub const INIT: &'static str = "/configure";
    /// The console's line after which the guest is switched off.
    pub const DONE: &'static str = "configure: done";

    /// Number of packages that are configured, and of all, by a line of the console.
    pub fn progress(line: &str) -> Option<(u32, u32)> {
        let (done, all) = line.trim_end().strip_prefix("configure: ")?.split_once(" of ")?;
        Some((done.parse().ok()?, all.parse().ok()?))
    }
}

/// See its first lines for its arguments.
const UNPACK: &str = include_str!("files/unpack-root.sh");
const CONFIGURE: &str = include_str!("files/configure-root.sh");
/// Identifies how such a root is made, except its packages and the lab's scripts.
pub(super) fn recipe(system: System) -> String {
    format!("{UNPACK}{CONFIGURE}{}", setup(system))
}

/// What the guest leaves in the image: the root as an archive, and what its scripts said.
const ROOT: &str = "/root.tar";
const LOG: &str = "/configure.log";
/// What the last line of the log has before the archive's size in bytes: it is written once the archive is on the disk.
const PACKED: &str = "configure: packed ";

/// The packages of a root, and what the lab adds to them.
pub(super) struct Unpacked<'a> {
    pub system: System,
    pub archives: &'a Path,
    /// The archives' names.
    pub packages: &'a [(String, u64)],
    pub apt: &'a PrivateApt,
    pub suite: &'a str,
    /// The lab's additions.
    pub additions: &'a Path,
}

/// Unpacks the packages into the folder of a build, and gives the image that a guest is to configure.
pub(super) fn unpack(what: &Unpacked<'_>, part: &Path, namespace: Namespace) -> Result<PathBuf, SystemError> {
    need("dpkg-deb", "dpkg")?;
    need("debugfs", "e2fsprogs")?;
    let list: String = what.packages.iter().map(|(file, _)| format!("{file}\n")).collect();
    let write = |name: &str, text: &str| {
        let path = part.join(name);
        fs::write(&path, text).map_err(SystemError::cache("write", &path)).map(|()| path)
    };
    let (list, init) = (write("packages.list", &list)?, write("configure", CONFIGURE)?);
    let arguments: [&OsStr; 8] = [
        part.as_os_str(),
        what.archives.as_os_str(),
        list.as_os_str(),
        init.as_os_str(),
        what.additions.as_os_str(),
        OsStr::new(setup(what.system)),
        OsStr::new(what.apt.mirror()),
        OsStr::new(what.suite),
    ];
    namespace.script(what.system.name(), "unpacking its packages", UNPACK, &arguments)?;
    Ok(part.join("unpacked"))
}

/// Takes the archive of the root out of the image that a guest has configured.
pub(super) fn packed(system: System, image: &Path, to: &Path) -> Result<(), SystemError> {
    let step = "configuring its packages in a guest";
    let failed = |evidence| SystemError::Step { what: system.name().to_owned(), step, evidence };
    let ask = |request: &str| {
        let said = debugfs(&["-R"], &[request.as_ref(), image.as_os_str()]);
        said.map_err(|source| failed(vec![source.to_string()]))
    };
    let log = ask(&format!("cat {LOG}"))?.output;
    let size = log.lines().last().and_then(|line| line.strip_prefix(PACKED)?.parse::<u64>().ok());
    let Some(size) = size else { return Err(failed(last_lines(&log))) };
    let dumped = ask(&format!("dump {ROOT} {}", quoted(to)))?;
    if !dumped.complaints.is_empty() {
        return Err(failed(dumped.complaints));
    }
    match fs::metadata(to) {
        Ok(file) if file.len() == size => Ok(()),
        Ok(file) => Err(failed(vec![format!("the archive of the root has {} of its {size} bytes", file.len())])),
        Err(source) => Err(SystemError::cache("read", to)(source)),
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::host_tools::PATH;

    #[test]
    fn the_guest_counts_packages() {
        let check = |line: &str, expected| assert_eq!(UnconfiguredRoot::progress(line), expected, "{line}");
        check("configure: 37 of 104", Some((37, 104)));
        check("configure: 37 of 104\r", Some((37, 104)));
        check("configure: packing", None);
        check("[    1.0] configure: 1 of 2", None);
    }

    #[test]
    fn what_the_guest_says_is_what_is_waited_for() {
        assert!(CONFIGURE.contains(&format!("echo \"{}\"", UnconfiguredRoot::DONE)));
        assert!(CONFIGURE.contains("echo \"configure: $n of $total\""));
        assert!(CONFIGURE.contains(LOG) && CONFIGURE.contains(ROOT) && UNPACK.contains("tree/configure\n"));
        assert!(CONFIGURE.contains(&format!("echo \"{PACKED}$(stat -c %s {ROOT})\" >>$log")));
    }

    #[test]
    fn a_guest_that_failed_shows_its_last_words() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, image) = (folder.path().join("tree"), folder.path().join("image"));
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("configure.log"), "first\ndpkg: error processing package x\nconfigure: status 1\n")
            .unwrap();
        let mut mkfs = Command::new("/usr/sbin/mkfs.ext4");
        mkfs.args(["-q", "-F", "-d"]).args([&tree, &image]).arg("8M");
        assert!(mkfs.status().unwrap().success());
        let error = packed(System::DebianMinimal, &image, &folder.path().join("root.tar")).unwrap_err().to_string();
        assert!(
            error.starts_with("can't build debian-minimal: configuring its packages in a guest failed\n"),
            "{error}"
        );
        assert!(error.contains("\n  dpkg: error processing package x\n"), "{error}");
        fs::write(tree.join("root.tar"), "a root").unwrap();
        let to = folder.path().join("a \"quoted\" root.tar");
        let mut packed_to = |to: &Path, log: &str| {
            fs::write(tree.join("configure.log"), log).unwrap();
            fs::remove_file(&image).unwrap();
            assert!(mkfs.status().unwrap().success());
            packed(System::DebianMinimal, &image, to).map_err(|error| error.to_string())
        };
        packed_to(&to, "configure: status 0\nconfigure: packed 6\n").unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"a root");
        let error = packed_to(&to, "configure: status 0\nconfigure: packed 7\n").unwrap_err();
        assert!(error.ends_with("the archive of the root has 6 of its 7 bytes"), "{error}");
        packed_to(&to, "configure: status 0\n").unwrap_err();
        // A disk of this host that is full.
        let error = packed_to(Path::new("/dev/full"), "configure: packed 6\n").unwrap_err();
        assert!(error.contains("No space left on device"), "{error}");
    }

    #[test]
    fn a_package_is_unpacked_as_dpkg_does_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let write = |path: &str, text: &str| {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        };
        let control = "Package: thing\nVersion: 1\nArchitecture: arm64\nMulti-Arch: same\nMaintainer: a <a@b>\nDescription: x\n y\n";
        write("deb/DEBIAN/control", control);
        write("deb/DEBIAN/conffiles", "/etc/thing.conf\n");
        write("deb/etc/thing.conf", "conf\n");
        write("deb/usr/bin/thing", "#!/bin/sh\n");
        write("deb/usr/share/doc/thing/copyright", "long\n");
        write("additions/etc/init.d/bootline-app", "#!/bin/sh\n");
        write("packages.list", "thing_1_arm64.deb\n");
        write("init", "#!/bin/sh\n");
        // The scripts of the lab go where a package has made their folder.
        write("deb/etc/init.d/thing", "#!/bin/sh\n");
        fs::create_dir(at("part")).unwrap();
        let mut build = Command::new("dpkg-deb");
        build.args(["--root-owner-group", "--build"]).args([at("deb"), at("thing_1_arm64.deb")]).stdout(Stdio::null());
        assert!(build.status().unwrap().success());
        let paths = ["part", "", "packages.list", "init", "additions"].map(at);
        let words = ["rc-update add", "http://m/debian", "trixie"].map(OsStr::new);
        // No namespace: whose files they are does not matter here.
        let mut script = Command::new("sh");
        script.args(["-ec", UNPACK, "sh"]).args(&paths).args(words).env("PATH", PATH);
        let output = script.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let image = at("part/unpacked");
        let content =
            |path: &str| debugfs(&["-R"], &[format!("cat {path}").as_ref(), image.as_os_str()]).unwrap().output;
        let status = content("/var/lib/dpkg/status");
        assert!(status.starts_with("Package: thing\nStatus: install ok unpacked\nVersion: 1\n"), "{status}");
        // By md5sum.
        assert!(status.ends_with("\nConffiles:\n /etc/thing.conf b9a771b420047cfaa3543e66c78f44f6\n\n"), "{status}");
        let list = content("/var/lib/dpkg/info/thing:arm64.list");
        assert!(
            list.starts_with("/.\n") && list.lines().any(|line| line == "/usr/share/doc/thing/copyright"),
            "{list}"
        );
        assert_eq!(content("/usr/bin/thing"), "#!/bin/sh\n");
        assert_eq!(content("/usr/share/doc/thing/copyright"), "");
        assert_eq!(content("/etc/init.d/bootline-app"), "#!/bin/sh\n");
        assert_eq!([content("/configure"), content("/configure.setup")], ["#!/bin/sh\n", "rc-update add\n"]);
        assert_eq!(content("/etc/apt/sources.list"), "deb http://m/debian trixie main\n");
    }
}
