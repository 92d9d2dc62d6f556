// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the build of a kernel needs of the host.
use std::path::Path;
use std::process::{Command, Stdio};

use bootline_kbuild::{KernelConfig, SymbolValue};

use super::base::ConfigBase;
use super::error::KernelBuildError;
use super::request::{KernelBuild, cross_compile};
use crate::arch::Arch;
use crate::host_tools::{PATH, has_header, has_program};

/// Programs and headers, each with its Debian package, and the file of the source that needs it; none for every source
/// (Documentation/process/changes.rst).
const NEEDS: [(Need, Option<&str>); 12] = [
    (Need::Program("gcc", "gcc"), None),
    (Need::Program("ld", "binutils"), None),
    (Need::Program("make", "make"), None),
    (Need::Program("tar", "tar"), None),
    (Need::Program("gzip", "gzip"), None),
    (Need::Program("flex", "flex"), Some("scripts/kconfig/lexer.l")),
    (Need::Program("bison", "bison"), Some("scripts/kconfig/parser.y")),
    (Need::Program("bc", "bc"), Some("kernel/time/timeconst.bc")),
    (Need::Program("perl", "perl"), Some("lib/build_OID_registry")),
    (Need::Program("xz", "xz-utils"), Some("lib/xz")),
    (Need::Header("stdio.h", "libc6-dev"), Some("scripts/kconfig/conf.c")),
    // A program of the source's own that checks objects, on x86.
    (Need::Header("gelf.h", "libelf-dev"), Some("tools/objtool")),
];

/// Options whose kernels need something in addition to be built.
const OF_OPTIONS: [(&str, Need); 5] = [
    ("MODULE_SIG", Need::Header("openssl/evp.h", "libssl-dev")),
    ("SYSTEM_TRUSTED_KEYRING", Need::Header("openssl/evp.h", "libssl-dev")),
    ("DEBUG_INFO_BTF", Need::Program("pahole", "pahole")),
    ("KERNEL_ZSTD", Need::Program("zstd", "zstd")),
    ("KERNEL_LZ4", Need::Program("lz4", "lz4")),
];

#[derive(Clone, Copy, Debug)]
enum Need {
    Program(&'static str, &'static str),
    Header(&'static str, &'static str),
}

/// The programs that unpack an archive, by the end of its name.
const OF_ARCHIVES: [(&str, Need); 4] = [
    ("xz", Need::Program("xz", "xz-utils")),
    ("gz", Need::Program("gzip", "gzip")),
    ("bz2", Need::Program("bzip2", "bzip2")),
    ("zst", Need::Program("zstd", "zstd")),
];

/// Checks that an archive can be unpacked.
pub(super) fn check_archive(path: &Path) -> Result<(), KernelBuildError> {
    let end = path.extension().unwrap_or_default().to_string_lossy();
    let unpacking = OF_ARCHIVES.iter().filter(|(of, _)| *of == end).map(|(_, need)| *need);
    let needs: Vec<Need> = [Need::Program("tar", "tar")].into_iter().chain(unpacking).collect();
    refuse(absent(&needs))
}

/// Checks that everything is there that a build needs: of this source, or of any before it is fetched.
pub(super) fn check(build: &KernelBuild, source: Option<&Path>) -> Result<(), KernelBuildError> {
    let is_needed = |file: &Option<&str>| file.zip(source).is_none_or(|(file, source)| source.join(file).exists());
    let needs = NEEDS.iter().filter(|(_, file)| is_needed(file)).map(|(need, _)| *need);
    // Debian's configuration of amd64 needs it (KERNEL_ZSTD): better said before the source is fetched.
    let zstd = Need::Program("zstd", "zstd");
    let is_stock = build.base == ConfigBase::Stock && build.arch == Arch::Amd64;
    let needs: Vec<Need> = needs.chain(is_stock.then_some(zstd)).collect();
    let mut absent = absent(&needs);
    if let Some(prefix) = cross_compile(build.arch) {
        let compiler = format!("{prefix}gcc");
        if !has_program(&compiler) {
            absent.push((compiler, build.arch.compiler_package().to_owned()));
        }
    }
    refuse(absent)
}

/// Checks what only this configuration needs.
pub(super) fn check_for(config: &KernelConfig) -> Result<(), KernelBuildError> {
    let wanted = OF_OPTIONS.iter().filter(|(option, _)| config.value(option) != SymbolValue::Absent);
    let needs: Vec<Need> = wanted.map(|(_, need)| *need).collect();
    refuse(absent(&needs))
}

fn absent(needs: &[Need]) -> Vec<(String, String)> {
    let mut absent: Vec<(String, String)> = Vec::new();
    for need in needs {
        let (name, package, there) = match *need {
            Need::Program(program, package) => (program, package, has_program(program)),
            // Without a compiler nothing is known of headers.
            Need::Header(header, package) => (header, package, !has_program("gcc") || has_header(header)),
        };
        if !there && !absent.iter().any(|(known, _)| known == name) {
            absent.push((name.to_owned(), package.to_owned()));
        }
    }
    absent
}

fn refuse(absent: Vec<(String, String)>) -> Result<(), KernelBuildError> {
    if absent.is_empty() {
        return Ok(());
    }
    let (missing, packages) = absent.into_iter().unzip();
    Err(KernelBuildError::NoTools { missing, packages })
}

/// What the compiler calls itself, in one line.
pub(super) fn compiler(build: &KernelBuild) -> String {
    let program = format!("{}gcc", cross_compile(build.arch).unwrap_or_default());
    let output = Command::new(Path::new(&program))
        .arg("--version")
        .env("PATH", PATH)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let needs = [
            Need::Program("no-such-program", "a"),
            Need::Program("sh", "dash"),
            Need::Header("no/such.h", "b"),
            Need::Program("no-such-program", "a"),
        ];
        let error = refuse(absent(&needs)).unwrap_err();
        assert_eq!(error.to_string(), "can't build a kernel: missing: no-such-program, no/such.h");
        assert_eq!(error.hint().as_deref(), Some("apt-get install a b"));
        assert!(refuse(absent(&[Need::Program("sh", "dash")])).is_ok());
    }

    #[test]
    fn an_archive_needs_what_unpacks_it() {
        for name in ["linux.tar", "linux.tar.gz"] {
            assert!(check_archive(Path::new(name)).is_ok(), "{name}");
        }
        assert!(OF_ARCHIVES.iter().any(|(end, _)| *end == "xz"));
    }

    #[test]
    fn options_have_needs_of_their_own() {
        assert!(check_for(&KernelConfig::parse("CONFIG_PRINTK=y\n")).is_ok());
    }
}
