// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel images among the packages of an index.
//!
//! Up to 6.18 Debian ships the image in `linux-image-RELEASE`. From 6.19 that package is empty and depends on
//! `linux-binary-RELEASE`, which holds the image, while the config is in `linux-base-RELEASE`. Which of them holds the
//! image is read from the dependencies, not from the version.
use std::collections::HashSet;
use std::io::{self, BufRead};

use bootline_console::KernelVersion;
use serde::{Deserialize, Serialize};

use super::deb822::{Paragraph, Paragraphs};
use super::series::{Flavour, Series};
use super::version;
use crate::arch::Arch;

/// A package that holds a kernel image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Such as `linux-image-6.18.15+deb13-rt-amd64`.
    pub name: String,
    /// The package's version, such as `6.18.15-1~bpo13+1`.
    pub version: String,
    /// What `uname -r` says: `6.18.15+deb13-rt-amd64`.
    pub release: String,
    /// The series it belongs to.
    pub series: Series,
    /// The suite it was found in, such as `trixie-backports`.
    pub suite: String,
    /// Size of the archive in bytes.
    pub size: u64,
    /// The package of the same version that holds the config, where the image's own does not.
    pub config_package: Option<String>,
    /// Whether the image is signed for Secure Boot; both kinds boot in the lab.
    pub signed: bool,
}

/// Reads the kernel images of one Packages index; `suite` is noted with each.
///
/// # Errors
/// Those of the stream. Stanzas that can't be understood are passed over.
pub fn read_index(index: impl BufRead, arch: Arch, suite: &str) -> io::Result<Vec<Package>> {
    const FIELDS: &[&str] = &["Package", "Version", "Architecture", "Source", "Depends", "Size"];
    let mut found = Vec::new();
    let mut bases = HashSet::new();
    for paragraph in Paragraphs::new(index, FIELDS) {
        let paragraph = paragraph?;
        let name = paragraph.get("Package").unwrap_or("");
        if let Some(base) = name.strip_prefix("linux-base-") {
            bases.insert((base.to_owned(), paragraph.get("Version").unwrap_or("").to_owned()));
        }
        found.extend(kernel_image(&paragraph, arch, suite));
    }
    for package in &mut found {
        let base = (package.release.clone(), package.version.clone());
        package.config_package = bases.contains(&base).then(|| format!("linux-base-{}", package.release));
    }
    Ok(found)
}

fn kernel_image(paragraph: &Paragraph, arch: Arch, suite: &str) -> Option<Package> {
    let name = paragraph.get("Package")?;
    let (release, signed) = release_in(name)?;
    if paragraph.get("Architecture")? != arch.debian_name() || !is_linux_source(paragraph.get("Source").unwrap_or(name))
    {
        return None;
    }
    if depends_on_binary(paragraph.get("Depends").unwrap_or(""), release) {
        return None;
    }
    let version = paragraph.get("Version")?;
    // The version becomes a folder's name in the cache.
    if !version.bytes().all(|b| b.is_ascii_alphanumeric() || b".+~:-".contains(&b)) || version.starts_with('.') {
        return None;
    }
    Some(Package {
        name: name.to_owned(),
        version: version.to_owned(),
        release: release.to_owned(),
        series: series_of(release, version, arch)?,
        suite: suite.to_owned(),
        size: paragraph.get("Size").and_then(|s| s.parse().ok()).unwrap_or(0),
        config_package: None,
        signed,
    })
}

/// The release in a package's name, and whether the image is signed. The meta packages, `linux-image-amd64` for one,
/// have no release in their name.
fn release_in(name: &str) -> Option<(&str, bool)> {
    let (release, signed) = if let Some(rest) = name.strip_prefix("linux-binary-unsigned-") {
        (rest, false)
    } else if let Some(rest) = name.strip_prefix("linux-binary-") {
        (rest, true)
    } else {
        let rest = name.strip_prefix("linux-image-")?;
        rest.strip_suffix("-unsigned").map_or((rest, true), |r| (r, false))
    };
    release.starts_with(|c: char| c.is_ascii_digit()).then_some((release, signed))
}

/// `linux`, and `linux-signed-amd64` with the version in parentheses; not the source of another kernel.
fn is_linux_source(source: &str) -> bool {
    let source = source.split_whitespace().next().unwrap_or("");
    source == "linux" || source.starts_with("linux-signed-")
}

fn depends_on_binary(depends: &str, release: &str) -> bool {
    depends
        .split([',', '|'])
        .filter_map(|d| d.split_whitespace().next())
        .filter_map(|d| d.strip_prefix("linux-binary-"))
        .any(|d| d.strip_prefix("unsigned-").unwrap_or(d) == release)
}

/// The numbers from the package's version, since a release such as `6.1.0-50-amd64` doesn't tell 6.1.164; the flavour
/// from the release's end. Debug images and flavours that the lab can't boot give none.
fn series_of(release: &str, package_version: &str, arch: Arch) -> Option<Series> {
    let end = arch.kernel_suffix();
    let suffixes = [
        (Flavour::Rt, format!("-rt-{end}")),
        (Flavour::Cloud, format!("-cloud-{end}")),
        (Flavour::Pages16k, format!("-{end}-16k")),
        (Flavour::Lpae, format!("-{end}-lpae")),
        (Flavour::Standard, format!("-{end}")),
    ];
    let (flavour, _) = suffixes.into_iter().find(|(_, suffix)| release.ends_with(suffix.as_str()))?;
    let upstream = version::upstream(package_version);
    let mut numbers = upstream.split(|c: char| !c.is_ascii_digit());
    let version = KernelVersion::new(numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    Some(Series { version, flavour })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stanza(name: &str, version: &str, source: &str, depends: &str) -> String {
        format!(
            "Package: {name}\nSource: {source}\nVersion: {version}\nArchitecture: amd64\nDepends: {depends}\nSize: 7\n\n"
        )
    }

    fn check(name: &str, version: &str, expected: Option<(&str, bool)>) {
        let text = stanza(name, version, "linux-signed-amd64 (1)", "kmod, linux-base (>= 4.3~)");
        let got = read_index(text.as_bytes(), Arch::Amd64, "s").unwrap();
        let got = got.first().map(|p| (p.series.to_string(), p.signed));
        assert_eq!(got, expected.map(|(s, signed)| (s.to_owned(), signed)), "{name}");
    }

    #[test]
    fn names() {
        check("linux-image-6.1.0-50-amd64", "6.1.164-1", Some(("6.1", true)));
        check("linux-image-6.1.0-50-rt-amd64-unsigned", "6.1.164-1", Some(("6.1-rt", false)));
        check("linux-image-6.12.95+deb12-cloud-amd64", "6.12.95-1~bpo12+1", Some(("6.12-cloud", true)));
        check("linux-binary-7.2.13+deb14-rt-amd64", "7.2.13-1", Some(("7.2-rt", true)));
        check("linux-binary-unsigned-7.3-amd64", "7.3~rc2-1~exp1", Some(("7.3", false)));
        for none in [
            "linux-image-amd64",
            "linux-image-rt-amd64",
            "linux-image-amd64-signed-template",
            "linux-image-6.1.0-50-amd64-dbg",
            "linux-image-6.1.0-50-arm64",
            "linux-headers-6.1.0-50-amd64",
            "linux-image-6.1.0-50-riscv64",
        ] {
            check(none, "6.1.164-1", None);
        }
        check("linux-image-6.1.0-50-amd64", "../../etc", None);
        check("linux-image-6.1.0-50-amd64", "none", None);
    }

    #[test]
    fn kernels_for_32_bit_arm_have_a_suffix_of_their_own() {
        let check = |name: &str, expected: Option<&str>| {
            let text = stanza(name, "6.12.117-1", "linux", "").replace("amd64", "armhf");
            let got = read_index(text.as_bytes(), Arch::Armhf, "trixie").unwrap();
            assert_eq!(got.first().map(|p| p.series.to_string()), expected.map(str::to_owned), "{name}");
        };
        check("linux-image-6.12.117+deb13-armmp", Some("6.12"));
        check("linux-image-6.12.117+deb13-rt-armmp", Some("6.12-rt"));
        check("linux-image-6.12.117+deb13-armmp-lpae", Some("6.12-lpae"));
        check("linux-image-6.1.0-50-marvell", None);
        check("linux-image-armmp", None);
        check("linux-image-6.12.117+deb13-armmp-dbg", None);
    }

    #[test]
    fn the_image_is_where_the_dependencies_say() {
        let release = "6.19.14+deb13-rt-amd64";
        let index = [
            stanza(
                &format!("linux-image-{release}"),
                "6.19.14-1",
                "linux",
                &format!("kmod, linux-base-{release} (= 6.19.14-1), linux-binary-{release} (= 6.19.14-1)"),
            ),
            stanza(&format!("linux-binary-{release}"), "6.19.14-1", "linux", &format!("linux-base-{release}")),
            stanza(&format!("linux-base-{release}"), "6.19.14-1", "linux", ""),
        ];
        let got = read_index(index.concat().as_bytes(), Arch::Amd64, "trixie-backports").unwrap();
        assert_eq!(got.len(), 1);
        assert_eq!(got[0].name, format!("linux-binary-{release}"));
        assert_eq!(got[0].config_package, Some(format!("linux-base-{release}")));
        assert_eq!((got[0].suite.as_str(), got[0].size), ("trixie-backports", 7));
    }

    #[test]
    fn a_base_of_another_version_is_no_companion() {
        let index = [
            stanza("linux-binary-7.2.13+deb14-amd64", "7.2.13-2", "linux", ""),
            stanza("linux-base-7.2.13+deb14-amd64", "7.2.13-1", "linux", ""),
        ];
        let got = read_index(index.concat().as_bytes(), Arch::Amd64, "sid").unwrap();
        assert_eq!(got[0].config_package, None);
    }

    #[test]
    fn another_source_is_no_kernel() {
        let text = stanza("linux-image-6.1.0-50-amd64", "6.1.164-1", "hurd", "");
        assert_eq!(read_index(text.as_bytes(), Arch::Amd64, "s").unwrap(), []);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            read_index(&bytes[..], Arch::Arm64, "s").unwrap();
        }

        #[test]
        fn versions_never_leave_their_folder(version in "[./~a0-]{1,12}") {
            let text = stanza("linux-image-6.1.0-50-amd64", &version, "linux", "");
            for package in read_index(text.as_bytes(), Arch::Amd64, "s").unwrap() {
                prop_assert_eq!(std::path::Path::new(&package.version).components().count(), 1);
                prop_assert_ne!(package.version, "..");
            }
        }
    }
}
