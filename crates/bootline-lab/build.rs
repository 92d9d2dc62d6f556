// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the library that is preloaded into QEMU, for the machine that bootline runs on. Without a compiler for it
//! nothing is embedded, and a run's truth says that the port held up all CPUs.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const SOURCE: &str = "preload/line_wait.c";
const FLAGS: [&str; 8] =
    ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-fPIC", "-shared", "-s", "-Wl,--build-id=none,-z,noexecstack"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SOURCE}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("line_wait.so");
    if !compilers().iter().any(|cc| compiles(cc, &out)) {
        println!(
            "cargo:warning=no C compiler for this machine: a PL011 that transmits will hold up all CPUs of its guest"
        );
        // There is no such file, so the next build tries again.
        println!("cargo:rerun-if-changed={}", out.with_extension("missing").display());
        fs::write(&out, b"").expect("OUT_DIR is writable");
    }
}

/// The compiler for the machine that bootline is built for, by its GNU name, or the one of the machine that builds it.
fn compilers() -> Vec<String> {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let arch = variable("CARGO_CFG_TARGET_ARCH");
    let abi = if arch == "arm" { "gnueabihf" } else { "gnu" };
    let mut compilers = vec![format!("{arch}-linux-{abi}-gcc")];
    if variable("HOST").split('-').next() == Some(arch.as_str()) {
        compilers.extend(["cc".to_owned(), "gcc".to_owned()]);
    }
    compilers
}

/// A compiler may be there without the headers of its libc.
fn compiles(cc: &str, target: &Path) -> bool {
    let output = Command::new(cc).args(FLAGS).arg("-o").arg(target).args([SOURCE, "-ldl"]).output();
    output.is_ok_and(|output| output.status.success())
}
