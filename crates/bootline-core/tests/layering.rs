// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may use whom. The directions are in docs/architecture.md; what breaks one is to be moved, not allowed here.
#![allow(clippy::disallowed_methods, reason = "the sources are files")]

use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the core, and those that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("capture", &["units"]),
    ("console", &["units"]),
    ("statistics", &["units"]),
    ("records", &["capture", "units"]),
    ("boot", &["records", "capture", "console", "units"]),
    ("predict", &["boot", "records", "capture", "console", "units"]),
    ("chain", &["boot", "records", "capture", "console", "units"]),
    ("rules", &["predict", "boot", "records", "capture", "console", "units"]),
    ("compare", &["boot", "statistics", "records", "capture", "console", "units"]),
    (
        "report",
        &["rules", "compare", "statistics", "chain", "predict", "boot", "records", "capture", "console", "units"],
    ),
];

fn crate_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Rust files below a folder, their test modules left out.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// Names behind `crate::` in code, comments left out.
fn used(code: &str) -> Vec<String> {
    let code: String = code.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            // use crate::{boot::Boot, units};
            Some(list) => names.extend(top_level(list)),
            None => names.push(identifier(rest)),
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first names of a use list, up to its closing brace.
fn top_level(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut fresh) = (Vec::new(), 0, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && depth == 0 && !c.is_whitespace() => {
                names.push(identifier(&list[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

#[test]
fn the_scan_sees_all_forms() {
    let check = |code, want: &[&str]| assert_eq!(used(code), want, "{code}");
    check("use crate::boot::Boot;", &["boot"]);
    check("use crate::{boot::{Boot, Line}, units};", &["boot", "units"]);
    check("fn f(x: crate::records::Record) {} // crate::no", &["records"]);
    check("pub(in crate::report) fn f() {}", &["report"]);
}

#[test]
fn modules_of_the_core_stack_in_one_direction() {
    let src = crate_folder("bootline-core").join("src");
    let modules: Vec<String> = fs::read_to_string(src.join("lib.rs"))
        .unwrap()
        .lines()
        .filter_map(|l| l.strip_prefix("pub mod ").or(l.strip_prefix("mod "))?.strip_suffix(';').map(str::to_owned))
        .collect();
    let mut known: Vec<&str> = MAY_USE.iter().map(|m| m.0).collect();
    known.sort_unstable();
    assert_eq!(modules, known, "a module of lib.rs without its place in MAY_USE");
    for (module, may) in MAY_USE {
        for file in sources(&src.join(module)) {
            for name in used(&fs::read_to_string(&file).unwrap()) {
                let fine = name == *module || may.contains(&name.as_str());
                assert!(fine, "{} uses crate::{name}: {module} may use {may:?}", file.display());
            }
        }
    }
}

#[test]
fn crates_stack_in_one_direction() {
    let dependencies = |name: &str| {
        let manifest = fs::read_to_string(crate_folder(name).join("Cargo.toml")).unwrap();
        manifest.lines().filter(|l| l.starts_with("bootline")).map(identifier_with_dash).collect::<Vec<_>>()
    };
    assert_eq!(dependencies("bootline-core"), [""; 0]);
    assert_eq!(dependencies("bootline-lab"), ["bootline-core"]);
    assert_eq!(dependencies("bootline"), ["bootline-core", "bootline-lab"]);
    for file in sources(&crate_folder("bootline-core").join("src")) {
        let code = fs::read_to_string(&file).unwrap();
        assert!(!code.contains("bootline_lab"), "{} names the lab", file.display());
    }
}

fn identifier_with_dash(line: &str) -> String {
    line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect()
}
