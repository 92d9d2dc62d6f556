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
/// The init that a product would ship: all C files of the folder, built as its own Makefile does.
const FASTINIT: &str = "fastinit";
const FASTINIT_FLAGS: [&str; 17] = [
    "-Os",
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffreestanding",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-pie",
    "-no-pie",
    "-nostdlib",
    "-static",
    "-s",
    "-Wl,--gc-sections,--build-id=none,-z,noexecstack",
    "-DFASTINIT_PATH=\"/usr/sbin/fastinit\"",
];
/// Each by the name that its programs have here, and the GNU name of its compiler.
const ARCHS: [(&str, &str); 3] =
    [("x86_64", "x86_64-linux-gnu"), ("aarch64", "aarch64-linux-gnu"), ("arm", "arm-linux-gnueabihf")];
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
    let fastinit = fastinit_sources();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for (arch, triplet) in ARCHS {
        let compiler = compiler(arch, triplet);
        if compiler.is_none() {
            let package = format!("gcc-{}", triplet.replace('_', "-"));
            println!("cargo:warning=no C compiler for {arch}: its lab init is not embedded ({package})");
        }
        let build = |program: &str, flags: &[&str], sources: &[PathBuf]| {
            let target = out.join(format!("{program}-{arch}"));
            match &compiler {
                Some(cc) => compile(cc, flags, sources, &target),
                None => fs::write(&target, b"").expect("OUT_DIR is writable"),
            }
        };
        for program in PROGRAMS {
            let source = format!("{FOLDER}/{program}.c");
            println!("cargo:rerun-if-changed={source}");
            build(program, &FLAGS, &[source.into()]);
        }
        build(FASTINIT, &FASTINIT_FLAGS, &fastinit);
    }
}

/// The cross compiler by its GNU name, or the host's own where the host is of that architecture.
fn compiler(arch: &str, triplet: &str) -> Option<String> {
    let cross = format!("{triplet}-gcc");
    let host = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|host| host == arch);
    let mut candidates = vec![cross];
    if host {
        candidates.extend(["cc".to_owned(), "gcc".to_owned()]);
    }
    candidates.into_iter().find(|cc| Command::new(cc).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// In the order of their names, so that the program is the same each time.
fn fastinit_sources() -> Vec<PathBuf> {
    let folder = Path::new(FOLDER).join(FASTINIT);
    let files = fs::read_dir(&folder).expect("fastinit's sources are next to the lab's");
    let mut sources: Vec<PathBuf> = files.map(|file| file.expect("a readable folder").path()).collect();
    sources.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "h"));
    for path in &sources {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    sources.retain(|path| path.extension().is_some_and(|e| e == "c"));
    sources.sort();
    sources
}

fn compile(cc: &str, flags: &[&str], sources: &[PathBuf], target: &Path) {
    let status = Command::new(cc).args(flags).arg("-o").arg(target).args(sources).arg("-lgcc").status();
    match status {
        Ok(s) if s.success() => (),
        failed => panic!("`{cc}` can't build {}: {failed:?}", target.display()),
    }
}
