// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an apt configuration says about repositories: `.sources` files, one-line `.list` files, `apt-get indextargets`.
//! From these: the mirror of the Debian archive that this host uses, and the keyring that it trusts for it.
use std::path::PathBuf;

use super::deb822::Paragraphs;

/// One enabled repository of binary packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Where it is: one or more mirrors of the same content.
    pub uris: Vec<String>,
    /// Suites, such as `trixie` and `trixie-backports`.
    pub suites: Vec<String>,
    /// Components, such as `main`.
    pub components: Vec<String>,
    /// The keyring it is signed by, where the entry names a file.
    pub signed_by: Option<PathBuf>,
}

/// The format for `apt-get indextargets` that [`parse_index_targets`] reads.
pub const INDEX_TARGETS_FORMAT: &str = "$(ORIGIN)\t$(LABEL)\t$(REPO_URI)\t$(IDENTIFIER)";

/// The repositories of a deb822 `.sources` file. Entries that are disabled or hold only source packages are left out.
pub fn parse_sources(text: &str) -> Vec<Repository> {
    const FIELDS: &[&str] = &["Types", "URIs", "Suites", "Components", "Signed-By", "Enabled"];
    let words = |value: Option<&str>| value.unwrap_or("").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    Paragraphs::new(text.as_bytes(), FIELDS)
        .filter_map(Result::ok)
        .filter(|p| words(p.get("Types")).iter().any(|t| t == "deb"))
        .filter(|p| !p.get("Enabled").is_some_and(|e| matches!(e.to_ascii_lowercase().as_str(), "no" | "false" | "0")))
        .map(|p| Repository {
            uris: words(p.get("URIs")),
            suites: words(p.get("Suites")),
            components: words(p.get("Components")),
            // The field can also hold a whole key or fingerprints; only a file can be named in another configuration.
            signed_by: p.get("Signed-By").filter(|s| s.starts_with('/')).and_then(first_path),
        })
        .collect()
}

/// The repositories of a one-line-style `.list` file: `deb [options] uri suite components...`.
pub fn parse_list(text: &str) -> Vec<Repository> {
    text.lines().filter_map(|line| parse_list_line(line.split('#').next().unwrap_or(""))).collect()
}

fn parse_list_line(line: &str) -> Option<Repository> {
    let rest = line.trim().strip_prefix("deb")?;
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace().map(str::to_owned);
    Some(Repository {
        uris: vec![words.next()?],
        suites: vec![words.next()?],
        components: words.collect(),
        signed_by: options.split_whitespace().find_map(|o| o.strip_prefix("signed-by=")).and_then(first_path),
    })
}

/// `Signed-By` may name several keyrings; the first is the archive's own on every stock system.
fn first_path(value: &str) -> Option<PathBuf> {
    value.split([',', ' ', '\n']).find(|p| p.starts_with('/')).map(PathBuf::from)
}

/// The archive's mirrors among the lines that `apt-get indextargets` printed in [`INDEX_TARGETS_FORMAT`], in order.
/// It knows origins by their signed Release files, so it is believed before any name of a suite.
pub fn parse_index_targets(text: &str) -> Vec<String> {
    let mut uris: Vec<String> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if let ["Debian", "Debian", uri, "Packages"] = fields[..] {
            if is_remote(uri) && !uris.iter().any(|u| same_uri(u, uri)) {
                uris.push(uri.to_owned());
            }
        }
    }
    uris
}

/// The first mirror whose suite bears a Debian name and has `main`: what is left to go by before the host's first
/// `apt-get update`.
pub fn archive_by_suite(repositories: &[Repository]) -> Option<&str> {
    repositories
        .iter()
        .filter(|r| r.components.iter().any(|c| c == "main") && r.suites.iter().any(|s| is_archive_suite(s)))
        .flat_map(|r| &r.uris)
        .map(String::as_str)
        .find(|uri| is_remote(uri))
}

/// The keyring that an entry for this mirror names.
pub fn keyring_of<'a>(repositories: &'a [Repository], mirror: &str) -> Option<&'a PathBuf> {
    repositories.iter().filter(|r| r.uris.iter().any(|u| same_uri(u, mirror))).find_map(|r| r.signed_by.as_ref())
}

fn same_uri(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}

/// Everything but a disc, which holds one release at most.
fn is_remote(uri: &str) -> bool {
    uri.contains(':') && !uri.starts_with("cdrom:")
}

/// A suite of the main archive, not of the security archive, which has another layout and few kernels.
fn is_archive_suite(suite: &str) -> bool {
    const NAMES: &[&str] = &[
        "bullseye",
        "bookworm",
        "trixie",
        "forky",
        "duke",
        "sid",
        "experimental",
        "oldoldstable",
        "oldstable",
        "stable",
        "testing",
        "unstable",
    ];
    const PARTS: &[&str] = &["", "-updates", "-backports", "-proposed-updates"];
    NAMES.iter().filter_map(|n| suite.strip_prefix(n)).any(|part| PARTS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(got: Vec<Repository>, expected: &[(&str, &str, &str, Option<&str>)]) {
        let got: Vec<_> = got
            .iter()
            .map(|r| {
                let signed_by = r.signed_by.as_ref().map(|p| p.to_str().unwrap().to_owned());
                (r.uris.join(" "), r.suites.join(" "), r.components.join(" "), signed_by)
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(u, s, c, k)| (u.to_string(), s.to_string(), c.to_string(), k.map(str::to_owned)))
            .collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn sources_file() {
        let text = "\
Types: deb deb-src
# a comment in the middle
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb-src
URIs: http://mirror.example/debian
Suites: trixie
Components: main

Types: deb
URIs: http://off.example/debian
Suites: trixie
Components: main
Enabled: no

Types: deb
URIs: http://one.example/x
 http://two.example/x
Suites: stable
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
";
        check(
            parse_sources(text),
            &[
                (
                    "http://mirror.example/debian",
                    "bookworm bookworm-updates",
                    "main",
                    Some("/usr/share/keyrings/debian-archive-keyring.gpg"),
                ),
                ("http://one.example/x http://two.example/x", "stable", "main contrib", None),
            ],
        );
    }

    #[test]
    fn list_file() {
        let text = "\
# deb http://no.example/debian trixie main
deb http://mirror.example/debian trixie main non-free # why not
  deb\t[arch=amd64 signed-by=/etc/k.gpg,/etc/l.gpg] https://two.example/d/ sid main
deb-src http://mirror.example/debian trixie main
deb [broken http://mirror.example/debian trixie main
debian http://mirror.example/debian trixie main
deb
";
        check(
            parse_list(text),
            &[
                ("http://mirror.example/debian", "trixie", "main non-free", None),
                ("https://two.example/d/", "sid", "main", Some("/etc/k.gpg")),
            ],
        );
    }

    #[test]
    fn index_targets() {
        let text = "\
Debian\tDebian-Security\thttp://mirror.example/debian-security/\tPackages
Debian\tDebian\tcdrom:[disc]/\tPackages
Debian\tDebian\thttp://mirror.example/debian/\tDEP-11
Debian\tDebian\thttp://mirror.example/debian/\tPackages
Debian\tDebian\thttp://mirror.example/debian\tPackages
Ubuntu\tUbuntu\thttp://ubuntu.example/ubuntu/\tPackages
";
        assert_eq!(parse_index_targets(text), ["http://mirror.example/debian/"]);
    }

    #[test]
    fn mirror_and_keyring() {
        let check = |text: &str, mirror: Option<&str>| {
            let repositories = parse_list(text);
            assert_eq!(archive_by_suite(&repositories), mirror, "{text}");
        };
        check("", None);
        check("deb http://ubuntu.example/ubuntu noble main", None);
        check("deb http://node.example/ nodistro main", None);
        check("deb http://mirror.example/debian-security bookworm-security main", None);
        check("deb http://mirror.example/debian trixie non-free", None);
        check("deb cdrom:[disc]/ trixie main", None);
        check("deb mirror+file:/etc/apt/m.list trixie-updates main", Some("mirror+file:/etc/apt/m.list"));
        let repositories = parse_list(
            "deb [signed-by=/etc/o.gpg] http://other.example/ sid main\ndeb [signed-by=/etc/k.gpg] http://mirror.example/d sid main",
        );
        assert_eq!(keyring_of(&repositories, "http://mirror.example/d/"), Some(&PathBuf::from("/etc/k.gpg")));
        assert_eq!(keyring_of(&repositories, "http://third.example/"), None);
    }

    proptest! {
        #[test]
        fn any_text(text in "\\PC*") {
            archive_by_suite(&parse_sources(&text));
            archive_by_suite(&parse_list(&text));
            parse_index_targets(&text);
        }

        #[test]
        fn lists_and_sources_agree(uri in "http://[a-z]{1,9}\\.example/[a-z]{0,5}", suite in "[a-z-]{1,12}") {
            let list = parse_list(&format!("deb [signed-by=/k.gpg] {uri} {suite} main"));
            let sources =
                parse_sources(&format!("Types: deb\nURIs: {uri}\nSuites: {suite}\nComponents: main\nSigned-By: /k.gpg\n"));
            prop_assert_eq!(list, sources);
        }
    }
}
