// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every boot of `corpus/` through every renderer. A case is a folder with `boot.cap` and what bootline makes of it.
#[path = "../../bootline-report/tests/schema/mod.rs"]
mod schema;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use bootline_lab::boot::Truth;
use bootline_testkit::{check_goldens, isolated};
use serde_json::Value;

/// What the lab left of a boot.
const INPUTS: [&str; 5] = ["boot.cap", "cases.tsv", "dmesg.kmsg", "origin.toml", "truth.json"];

/// Two boots to read in every form: a console whose writers wait for it, and one with a thread of its own.
const READABLE: [&str; 2] = ["x86-6.12-9600", "x86-6.19-rt-9600"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn cases() -> Vec<PathBuf> {
    let cases = bootline_testkit::cases(&root(), 12);
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

/// `explain.json` holds the figures of each case: a figure that changes is seen here first. How they read, two cases show.
#[test]
fn every_case_is_explained_as_before() {
    let figures = ("explain.json", &["explain", "--json", "boot.cap"][..]);
    let forms = [
        ("explain.txt", &["explain", "--width", "100", "boot.cap"][..]),
        ("critical-chain.txt", &["critical-chain", "--width", "100", "boot.cap"]),
        ("export.md", &["export", "--format", "markdown", "boot.cap"]),
        ("export.junit.xml", &["export", "--format", "junit", "boot.cap"]),
        ("export.lava", &["export", "--format", "lava", "boot.cap"]),
    ];
    check_goldens(
        &root(),
        |name| INPUTS.contains(&name),
        |goldens| {
            for case in cases() {
                let is_readable = READABLE.iter().any(|name| case.ends_with(name));
                for (name, args) in std::iter::once(figures).chain(forms.into_iter().filter(|_| is_readable)) {
                    let out = bootline(&case, args);
                    assert!(out.status.success(), "{}: {}", case.display(), text(out.stderr));
                    goldens.check(&case, name, &text(out.stdout));
                }
            }
        },
    );
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
        for format in ["perfetto", "chrome", "csv", "markdown", "junit", "lava", "grabserial", "dmesg", "text", "json"]
        {
            let out = bootline(&case, &["export", "--format", format, "boot.cap"]);
            assert!(
                out.status.success() && !out.stdout.is_empty(),
                "{} {format}: {}",
                case.display(),
                text(out.stderr)
            );
        }
        for verb in ["explain", "time", "blame", "critical-chain"] {
            let json: Value = serde_json::from_slice(&bootline(&case, &[verb, "--json", "boot.cap"]).stdout).unwrap();
            assert_eq!(json["boots"].as_array().unwrap().len(), 1, "{} {verb}", case.display());
        }
    }
}

/// Written as today: those of older boots lack fields that were added since.
#[test]
fn each_truth_is_what_its_schema_describes() {
    for case in cases() {
        let truth: Truth = serde_json::from_slice(&fs::read(case.join("truth.json")).unwrap()).unwrap();
        schema::check("truth", &serde_json::to_value(truth).unwrap());
    }
}
