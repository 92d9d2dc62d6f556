// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline boot` as a user runs it, as far as no kernel is needed: what is refused, and how.
use bootline_testkit::isolated;

#[track_caller]
fn check(args: &[&str], status: i32, said: &str) {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("image");
    std::fs::write(&image, [0; 1024]).unwrap();
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.current_dir(dir.path()).env("BOOTLINE_CACHE", dir.path().join("cache"));
    let out = command.arg("boot").args(args).output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert!(stderr.contains(said), "{args:?}: {stderr}");
    assert_eq!((out.status.code(), out.stdout.len()), (Some(status), 0), "{stderr}");
    assert!(!dir.path().join("out").exists(), "{args:?}");
}

#[test]
fn what_can_not_be_booted_is_refused() {
    check(&["--kernel", "nosuch", "-o", "out"], 3, "error: can't read kernel `nosuch`");
    check(
        &["--kernel", "nosuch", "-o", "out"],
        3,
        "hint: name an image, a stock kernel by its series, or one that was built here",
    );
    check(&["--kernel", "nosuch", "--arch", "x86_64", "-o", "out"], 3, "error: can't read kernel `nosuch`");
    check(&["--kernel", "nosuch", "--system", "busybox", "-o", "out"], 3, "error: no kernel `nosuch` in the cache");
    let system = ["--kernel", "image", "--system", "busybox", "-o", "out"];
    check(&system, 2, "error: a system needs the modules of its kernel, and `--kernel` names a file without them");
    check(&["--kernel", ".", "-o", "out"], 3, "error: can't read kernel `.`: Is a directory");
    check(
        &["--kernel", "image", "-o", "out"],
        3,
        "error: `image` is neither an x86 bzImage, an arm64 Image nor an armhf zImage",
    );
    let arch = ["--kernel", "image", "--arch", "x86_64", "-o", "out"];
    check(&[&arch[..], &["--baud", "100"]].concat(), 2, "error: 100 baud is outside the lab's range");
    check(&[&arch[..], &["--initrd", "nosuch"]].concat(), 3, "error: can't read initramfs `nosuch`");
    let root = |root| [&arch[..], &["--root", root]].concat();
    check(&root("nosuch"), 3, "error: can't read the root file system `nosuch`");
    check(&root("image"), 3, "error: `image` is no file system, disk, archive or folder that the lab knows");
    check(&root("image"), 3, "hint: an image of ext4, squashfs, erofs, btrfs, f2fs or xfs, a disk with one of them");
    check(&root("/"), 3, "error: `/` is this machine's own root");
    let loader = [&arch[..], &["--loader", "u-boot"]].concat();
    check(&loader, 2, "error: u-boot boots arm64 guests only, and the kernel is for amd64");
    let grub = [&arch[..], &["--loader", "grub-bios", "--loader-gzip"]].concat();
    check(&grub, 2, "error: the lab compresses kernels for u-boot only: those for PCs decompress themselves");
    let grub = ["--kernel", "image", "--arch", "aarch64", "-o", "out", "--loader", "grub-efi"];
    check(&grub, 2, "hint: name a kernel for amd64: `--kernel amd64:6.12`; or leave out `--loader`");
    check(&loader, 2, "hint: name a kernel for arm64: `--kernel arm64:6.12`; or leave out `--loader`");
}

#[test]
fn usage() {
    check(&["--kernel", "image"], 2, "--output <DIR>");
    check(&["--kernel", "image", "-o", "-"], 2, "this verb writes a folder, which can't go to standard output");
    check(&["--kernel", "image", "-o", "out", "-n", "0"], 2, "0 is not in 1..");
    check(&["--kernel", "image", "-o", "out", "--cpus", "0"], 2, "0 is not in 1..");
    check(&["--kernel", "image", "-o", "out", "--smp", "0"], 2, "'--cpus <N>': 0 is not in 1..");
    check(&["--kernel", "image", "-o", "out", "--memory", "0"], 2, "0 is not in 1..");
    check(&["--kernel", "image", "-o", "out", "--icount", "--baud", "9600"], 2, "cannot be used with");
    check(&["--kernel", "image", "-o", "out", "--marker", "("], 2, "regex");
    check(&["--kernel", "image", "-o", "out", "--loader-quiet"], 2, "--loader <LOADER>");
    let system = ["--kernel", "image", "-o", "out", "--system", "busybox"];
    for with in [["--bus", "sata"], ["--file-system", "ubifs"], ["--loader", "grub-efi"]] {
        check(&[&system[..], &["--no-initramfs"], &with[..]].concat(), 2, "cannot be used with");
    }
    check(
        &[&system[..], &["--root-state", "old"]].concat(),
        2,
        "settled, first-boot, power-lost, aged, fastmap, recorded",
    );
    let root = ["--kernel", "image", "-o", "out", "--root", "image"];
    check(&[&root[..], &["--system", "busybox"]].concat(), 2, "cannot be used with");
    check(&[&root[..], &["--initrd", "image"]].concat(), 2, "cannot be used with");
    check(&[&root[..], &["--root-partition", "0"]].concat(), 2, "0 is not in 1..");
    check(&["--kernel", "image", "-o", "out", "--root-partition", "1"], 2, "--root <FILE|FOLDER>");
    check(&["--kernel", "image", "-o", "out", "--storage", "sd"], 2, "<--system <SYSTEM>|--root <FILE|FOLDER>>");
    let loader = ["--kernel", "image", "-o", "out", "--loader", "u-boot"];
    check(&[&loader[..], &["--loader-delay", "1", "--loader-quiet"]].concat(), 2, "cannot be used with");
    check(&[&loader[..], &["--icount"]].concat(), 2, "cannot be used with");
    check(
        &["--kernel", "image", "-o", "out", "--loader", "grub"],
        2,
        "is not a boot loader of the lab: u-boot, grub-bios",
    );
    check(
        &["--kernel", "image", "-o", "out", "--arch", "mips"],
        2,
        "is not an architecture: amd64 (x86_64), arm64 (aarch64), armhf (arm)",
    );
}
