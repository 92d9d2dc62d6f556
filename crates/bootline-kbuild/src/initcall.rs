// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initcalls that a C file defines.

/// Macros of include/linux/init.h and module.h whose argument is the function itself. `core_initcall_sync` and the like end
/// in `_sync`.
const LEVELS: [&str; 14] = [
    "pure_initcall",
    "core_initcall",
    "postcore_initcall",
    "arch_initcall",
    "subsys_initcall",
    "fs_initcall",
    "rootfs_initcall",
    "device_initcall",
    "late_initcall",
    "early_initcall",
    "console_initcall",
    "security_initcall",
    "__initcall",
    "module_init",
];

/// Macros that register a driver and name the function after themselves. All others name it after the driver:
/// `module_platform_driver(foo)` defines foo_init(), as module_driver() in include/linux/device/driver.h does.
const FIXED_NAMES: [(&str, &str); 5] = [
    ("module_phy_driver", "phy_module_init"),
    ("mdio_module_driver", "mdio_module_init"),
    ("module_usb_serial_driver", "usb_serial_module_init"),
    ("module_dsa_tag_driver", "dsa_tag_driver_module_init"),
    ("module_dsa_tag_drivers", "dsa_tag_driver_module_init"),
];

/// The names of the functions that a C file registers as initcalls, in the file's order.
pub(crate) fn initcalls(source: &str) -> impl Iterator<Item = String> {
    source.lines().filter_map(initcall)
}

fn initcall(line: &str) -> Option<String> {
    // Cheap for nearly all lines: a macro stands at the beginning of its line.
    let first = line.bytes().next()?;
    if !first.is_ascii_lowercase() && first != b'_' {
        return None;
    }
    let (name, rest) = line.split_once('(')?;
    if !name.bytes().all(is_word) {
        return None;
    }
    let argument = rest.trim_start();
    let end = argument.bytes().position(|b| !is_word(b)).unwrap_or(argument.len());
    let (argument, after) = argument.split_at(end);
    if argument.is_empty() || !after.trim_start().starts_with([')', ',']) {
        return None;
    }
    if let Some((_, function)) = FIXED_NAMES.iter().find(|(n, _)| *n == name) {
        return Some((*function).to_owned());
    }
    if LEVELS.contains(&name.strip_suffix("_sync").unwrap_or(name)) {
        return Some(argument.to_owned());
    }
    let is_driver = (name.starts_with("module_") || name.starts_with("builtin_") || name.starts_with("drm_module_"))
        && name.split('_').any(|part| part == "driver");
    is_driver.then(|| format!("{argument}_init"))
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_name_functions() {
        let source = "\
static int __init one_init(void)
{
	module_init(inside);
}
subsys_initcall(one_init);
late_initcall_sync( two );
module_platform_driver(three_driver);
builtin_platform_driver_probe(four_driver, four_probe);
module_phy_driver(five);
drm_module_pci_driver_if_modeset(six, modeset);
#define module_foo_driver(x) module_driver(x)
module_param(seven, int, 0444);
module_exit(eight);
MODULE_LICENSE(\"GPL\");
device_initcall(nine
";
        let found: Vec<String> = initcalls(source).collect();
        let expected = ["one_init", "two", "three_driver_init", "four_driver_init", "phy_module_init", "six_init"];
        assert_eq!(found, expected);
    }
}
