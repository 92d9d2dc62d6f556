// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the build of U-Boot needs of the host.
use crate::host_tools::{has_header, has_program};
use crate::loaders::{Loader, LoaderError};

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
}
