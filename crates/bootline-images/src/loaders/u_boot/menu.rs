// SPDX-License-Identifier: MIT OR Apache-2.0
//! The menu file that U-Boot reads, whose format boot loaders share (the Boot Loader Specification calls it extlinux.conf).
use crate::loaders::BootMenu;

/// What U-Boot expands or unquotes in the command line of a menu (cli_simple_process_macros in common/cli_simple.c).
pub const REWRITTEN: [char; 3] = ['$', '\\', '\''];

/// The menu with one entry, for a kernel with this command line.
pub fn menu(command_line: &str) -> BootMenu {
    let text = format!("default linux\nlabel linux\n  kernel /kernel\n  initrd /initramfs\n  append {command_line}\n");
    BootMenu { path: "extlinux/extlinux.conf", text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_has_the_command_line() {
        let text = menu("console=ttyAMA0,9600n8 quiet").text;
        assert!(text.ends_with("initrd /initramfs\n  append console=ttyAMA0,9600n8 quiet\n"), "{text}");
    }
}
