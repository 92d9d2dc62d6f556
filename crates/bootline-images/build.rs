// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the lab's programs for every guest architecture for which a compiler is installed. For the others nothing is
//! embedded, and booting such a guest without `--initrd` is an error that names the package to install.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Links to the sources in the workspace's `init/`, so that the packaged crate has the files.
const FOLDER: &str = "init";
/// Each is a source file in the folder.
const PROGRAMS: [&str; 3] = ["init", "root", "app"];
const ARCHS: [&str; 2] = ["x86_64", "aarch64"];
const FLAGS: [&str; 17] = [
    "-Os",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffreestanding",
    "-fno-builtin",
    // Else GCC turns memcpy's own loop into a call of memcpy.
    "-fno-tree-loop-distribute-patterns",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-pie",
    "-no-pie",
    "-nostdlib",
    "-static",
    "-s",
    "-Wl,--build-id=none",
    "-Wl,-z,noexecstack",
    // The default of aarch64, 64 KiB, would pad the file.
    "-Wl,-z,max-page-size=4096",
];

fn main() {
    for header in ["calls.h", "truth.h"] {
        println!("cargo:rerun-if-changed={FOLDER}/{header}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for arch in ARCHS {
        let compiler = compiler(arch);
        if compiler.is_none() {
            println!("cargo:warning=no C compiler for {arch}: its lab init is not embedded (gcc-{arch}-linux-gnu)");
        }
        for program in PROGRAMS {
            let target = out.join(format!("{program}-{arch}"));
            match &compiler {
                Some(cc) => build(cc, program, &target),
                None => fs::write(&target, b"").expect("OUT_DIR is writable"),
            }
        }
    }
}

/// The cross compiler by its GNU name, or the host's own where the host is of that architecture.
fn compiler(arch: &str) -> Option<String> {
    let cross = format!("{arch}-linux-gnu-gcc");
    let host = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|host| host == arch);
    let mut candidates = vec![cross];
    if host {
        candidates.extend(["cc".to_owned(), "gcc".to_owned()]);
    }
    candidates.into_iter().find(|cc| Command::new(cc).arg("--version").output().is_ok_and(|o| o.status.success()))
}

fn build(cc: &str, program: &str, target: &Path) {
    let source = format!("{FOLDER}/{program}.c");
    println!("cargo:rerun-if-changed={source}");
    let status = Command::new(cc).args(FLAGS).arg("-o").arg(target).arg(&source).status();
    match status {
        Ok(s) if s.success() => (),
        failed => panic!("`{cc}` can't build {source}: {failed:?}"),
    }
}
