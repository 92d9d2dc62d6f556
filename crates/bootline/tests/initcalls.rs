// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where `blame` and `explain` say that initcalls come from: by the table of stock kernels, and by a tree of the user's own.
use std::fs;
use std::path::Path;
use std::process::Output;

use bootline_console::KernelVersion;
use bootline_kbuild::{SymbolValue, Table};
use bootline_testkit::isolated;
use serde_json::Value;

/// A boot in which one initcall takes most of the time.
const LOG: &str = "\
[    0.000000] Linux version 7.2.13 (gcc) #1 SMP
[    0.000000] Kernel command line: initcall_debug quiet
[    0.100000] calling  ahci_pci_driver_init+0x0/0x20 @ 1
[    0.900000] initcall ahci_pci_driver_init+0x0/0x20 returned 0 after 800000 usecs
[    0.910000] calling  mine_driver_init+0x0/0x20 @ 1
[    1.510000] initcall mine_driver_init+0x0/0x20 returned 0 after 600000 usecs
[    1.520000] Freeing unused kernel image (initmem) memory: 4132K
[    1.530000] Run /init as init process
";

fn bootline(args: &[&str]) -> Output {
    isolated(env!("CARGO_BIN_EXE_bootline")).args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let out = bootline(args);
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
    serde_json::from_slice(&out.stdout).unwrap()
}

/// A folder with the log, and a kernel tree with one driver.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("boot.log", LOG);
    write("linux/Makefile", "VERSION = 7\nPATCHLEVEL = 2\n");
    write("linux/Kbuild", "obj-y += drivers/\n");
    write("linux/drivers/Makefile", "obj-$(CONFIG_MINE) += mine/\n");
    write("linux/drivers/Kconfig", "config MINE\n\tbool \"Ours\"\n");
    write("linux/drivers/mine/Makefile", "obj-y += mine.o\n");
    write("linux/drivers/mine/mine.c", "builtin_platform_driver(mine_driver);\n");
    folder
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// File and symbols of each initcall, the longest first.
fn origins(blamed: &Value) -> Vec<(String, String)> {
    let spans = blamed["boots"][0]["spans"].as_array().unwrap();
    spans.iter().map(|s| (s["name"].as_str().unwrap().to_owned(), s["origins"].to_string())).collect()
}

#[test]
fn stock_kernels_initcalls_are_known() {
    let folder = folder();
    let log = path(folder.path(), "boot.log");
    let expected = [
        ("ahci_pci_driver_init", r#"[{"file":"drivers/ata/ahci.c","series":"7.2","symbols":["CONFIG_SATA_AHCI"]}]"#),
        ("mine_driver_init", "[]"),
    ];
    let found = origins(&json(&["blame", "--json", &log]));
    let found: Vec<_> = found.iter().map(|(name, origins)| (name.as_str(), origins.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_tree_of_ones_own_knows_its_own() {
    let folder = folder();
    let (log, tree) = (path(folder.path(), "boot.log"), path(folder.path(), "linux"));
    let found = origins(&json(&["blame", "--json", "--kernel-tree", &tree, &log]));
    let mine = r#"[{"file":"drivers/mine/mine.c","series":"7.2","symbols":["CONFIG_MINE"]}]"#;
    assert_eq!(
        found,
        [("ahci_pci_driver_init".to_owned(), "[]".to_owned()), ("mine_driver_init".to_owned(), mine.to_owned())]
    );
    let explained = json(&["explain", "--json", "--kernel-tree", &tree, &log]).to_string();
    assert!(explained.contains(r#""symbol":"CONFIG_MINE","value":"n""#), "{explained}");
}

#[test]
fn what_is_no_kernel_tree_is_refused() {
    let folder = folder();
    let log = path(folder.path(), "boot.log");
    let check = |tree: &str, said: &str| {
        let out = bootline(&["blame", "--kernel-tree", tree, &log]);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert!(stderr.starts_with(said) && stderr.contains("hint: --kernel-tree names the folder"), "{stderr}");
        assert_eq!(out.status.code(), Some(3));
    };
    let drivers = path(folder.path(), "linux/drivers");
    check(&drivers, &format!("error: `{drivers}` is not a kernel tree"));
    let missing = path(folder.path(), "missing");
    check(&missing, &format!("error: can't read `{missing}/Makefile`: No such file"));
}

/// A boot of Debian's 6.12: nearly every initcall that ran is in the table, and Debian's configuration has its symbol built in.
#[test]
fn initcalls_that_ran_are_built_by_symbols_that_are_set() {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/x86-6.12-38400-initcall/boot.cap");
    let blamed = json(&["blame", "--json", capture.to_str().unwrap()]);
    let spans = blamed["boots"][0]["spans"].as_array().unwrap();
    let built_in = spans.iter().filter(|s| s["kind"] == "initcall" && s["module"].is_null());
    let origins: Vec<&Vec<Value>> = built_in.map(|s| s["origins"].as_array().unwrap()).collect();
    let known = origins.iter().filter(|o| !o.is_empty()).count();
    assert!(origins.len() > 500 && known * 100 >= origins.len() * 95, "{known} of {}", origins.len());
    let is_set = |symbol: &Value| {
        let symbol = symbol.as_str().unwrap().strip_prefix("CONFIG_").unwrap();
        Table::stock()
            .values(symbol, Some(KernelVersion::new(6, 12)))
            .iter()
            .any(|(_, _, value)| *value == SymbolValue::BuiltIn)
    };
    let by_symbol: Vec<&Vec<Value>> = origins
        .iter()
        .filter(|o| o.len() == 1)
        .map(|o| o[0]["symbols"].as_array().unwrap())
        .filter(|s| !s.is_empty())
        .collect();
    let set = by_symbol.iter().filter(|symbols| symbols.iter().any(is_set)).count();
    assert!(
        by_symbol.len() * 100 >= known * 70 && set * 100 >= by_symbol.len() * 97,
        "{set} of {} of {known}",
        by_symbol.len()
    );
}
