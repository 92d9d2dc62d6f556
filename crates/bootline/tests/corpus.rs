// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every boot of `corpus/` through every renderer. A case is a folder with `boot.cap`; `explain.txt`, `explain.json`
//! and `export.*` beside it are what bootline makes of it. `BLESS=1 cargo test -p bootline --test corpus` writes them: read the
//! difference.
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use bootline_testkit::isolated;
use serde_json::Value;

/// Fewer than these were never in the corpus.
const LEAST_CASES: usize = 12;

fn cases() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = fs::read_dir(&corpus).unwrap_or_else(|e| panic!("no corpus in {}: {e}", corpus.display()));
    let mut cases: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= LEAST_CASES, "only {} boots in {}", cases.len(), corpus.display());
    for case in &cases {
        assert!(case.join("boot.cap").is_file(), "{} holds no boot.cap", case.display());
    }
    cases
}

/// In the case's folder, so that no path of this machine gets into the output.
fn bootline(case: &Path, args: &[&str]) -> Output {
    isolated(env!("CARGO_BIN_EXE_bootline")).current_dir(case).args(args).output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_case_is_explained_as_before() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = String::new();
    for case in cases() {
        for (name, args) in [
            ("explain.txt", &["explain", "--width", "100", "boot.cap"][..]),
            ("explain.json", &["explain", "--json", "boot.cap"]),
            ("critical-chain.txt", &["critical-chain", "--width", "100", "boot.cap"]),
            ("export.md", &["export", "--format", "markdown", "boot.cap"]),
            ("export.junit.xml", &["export", "--format", "junit", "boot.cap"]),
            ("export.lava", &["export", "--format", "lava", "boot.cap"]),
        ] {
            let out = bootline(&case, args);
            assert!(out.status.success(), "{}: {}", case.display(), text(out.stderr));
            let (got, path) = (text(out.stdout), case.join(name));
            if bless {
                fs::write(&path, &got).unwrap();
            } else if fs::read_to_string(&path).unwrap_or_default() != got {
                _ = writeln!(wrong, "{} is now:\n{got}", path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_case_through_every_renderer() {
    for case in cases() {
        for width in ["40", "80", "200"] {
            for verb in ["explain", "time", "critical-chain"] {
                let out = bootline(&case, &["--color", "always", verb, "--width", width, "boot.cap"]);
                assert!(out.status.success(), "{} {verb} {width}: {}", case.display(), text(out.stderr));
            }
        }
        for format in ["perfetto", "chrome", "csv", "grabserial", "text", "json"] {
            let out = bootline(&case, &["export", "--format", format, "boot.cap"]);
            assert!(out.status.success() && !out.stdout.is_empty(), "{} {format}", case.display());
        }
        for verb in ["explain", "time", "blame", "critical-chain"] {
            let json: Value = serde_json::from_slice(&bootline(&case, &[verb, "--json", "boot.cap"]).stdout).unwrap();
            assert_eq!(json["boots"].as_array().unwrap().len(), 1, "{} {verb}", case.display());
        }
    }
}
