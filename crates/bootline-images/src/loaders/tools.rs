// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the build of a loader needs of the host, and running it.
use std::process::{Command, Stdio};

use super::error::LoaderError;
use super::loader::Loader;
use crate::host_tools::has_header;
pub(super) use crate::host_tools::{PATH, has_program};

/// Maximum number of lines kept of what a failed step said.
const MAX_EVIDENCE: usize = 12;

/// The prefix of the cross compiler's programs. On arm64 the host's own go by that name, too.
pub(super) const CROSS_COMPILE: &str = "aarch64-linux-gnu-";

/// Programs, each with its Debian package (doc/build/gcc.rst of U-Boot; Debian's Build-Depends).
const PROGRAMS: [(&str, &str); 11] = [
    ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("gcc", "gcc"),
    ("make", "make"),
    ("bison", "bison"),
    ("flex", "flex"),
    ("bc", "bc"),
    ("python3", "python3"),
    ("patch", "patch"),
    ("tar", "tar"),
    ("bzip2", "bzip2"),
    ("xz", "xz-utils"),
];

/// Headers that the tools which run on the host are compiled with.
const HEADERS: [(&str, &str); 2] = [("stdio.h", "libc6-dev"), ("openssl/evp.h", "libssl-dev")];

/// Checks that everything is there.
pub(super) fn check(loader: Loader) -> Result<(), LoaderError> {
    let programs = PROGRAMS.into_iter().filter(|(program, _)| !has_program(program));
    let mut absent: Vec<_> = programs.collect();
    if has_program("gcc") {
        absent.extend(HEADERS.into_iter().filter(|(header, _)| !has_header(header)));
    }
    if absent.is_empty() {
        return Ok(());
    }
    let (missing, packages) = absent.into_iter().unzip();
    Err(LoaderError::NoTools { loader, missing, packages })
}

/// Runs a step of a build.
pub(super) fn run(mut command: Command, what: &str, step: &'static str) -> Result<(), LoaderError> {
    command.env("PATH", PATH).env("LC_ALL", "C");
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let failed = |evidence| LoaderError::Step { what: what.to_owned(), step, evidence };
    let output = output.map_err(|source| failed(vec![source.to_string()]))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<String> = text.lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
    Err(failed(lines[lines.len().saturating_sub(MAX_EVIDENCE)..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_its_packages() {
        let error = LoaderError::NoTools {
            loader: Loader::UBoot,
            missing: vec!["bison", "openssl/evp.h"],
            packages: vec!["bison", "libssl-dev"],
        };
        assert_eq!(error.to_string(), "can't build u-boot: missing: bison, openssl/evp.h");
        assert_eq!(error.hint().as_deref(), Some("apt-get install bison libssl-dev"));
    }

    #[test]
    fn a_failed_step_shows_its_last_words() {
        let mut command = Command::new("sh");
        command.args(["-c", "for i in $(seq 30); do echo line $i >&2; done; exit 3"]);
        let error = run(command, "u-boot", "a step").unwrap_err().to_string();
        assert!(error.starts_with("can't build u-boot: a step failed\n  line 19\n"), "{error}");
        assert!(error.ends_with("line 30"), "{error}");
    }
}
