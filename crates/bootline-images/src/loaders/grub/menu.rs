// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB's menu: the file that it reads from the disk.
use bootline_capture::units::Baud;

use crate::loaders::BootMenu;

/// What GRUB writes a backslash before in the kernel's command line (grub_create_loader_cmdline in lib/cmdline.c).
pub const REWRITTEN: [char; 3] = ['"', '\\', '\''];

/// The seconds for which Debian's GRUB waits (GRUB_TIMEOUT in /etc/default/grub).
const DELAY: u32 = 5;
/// The fastest speed of a PC's serial port, in baud.
const FASTEST: u32 = 115_200;

/// A menu with one entry.
#[derive(Clone, Copy, Debug)]
pub struct GrubMenu<'a> {
    /// The kernel's command line, without what GRUB would change.
    pub command_line: &'a str,
    /// Speed of the serial line.
    pub baud: Baud,
    /// Seconds for which it waits for a key; none for Debian's.
    pub delay: Option<u32>,
    /// Whether nothing is printed on the line, and no key is waited for.
    pub quiet: bool,
}

impl GrubMenu<'_> {
    /// The file, in the words of those that Debian's grub-mkconfig writes.
    pub fn file(&self) -> BootMenu {
        let mut lines: Vec<String> = Vec::new();
        if !self.quiet {
            lines.push(format!("serial --unit=0 --speed={}", declared(self.baud)));
            lines.extend(["terminal_input serial", "terminal_output serial"].map(str::to_owned));
        }
        let delay = if self.quiet { 0 } else { self.delay.unwrap_or(DELAY) };
        lines.push(format!("set timeout={delay}"));
        lines.push(format!("set timeout_style={}", if self.quiet { "hidden" } else { "menu" }));
        lines.push("menuentry 'Linux' {".to_owned());
        let mut step = |said: &str, command: String| {
            if !self.quiet {
                lines.push(format!("    echo '{said}'"));
            }
            lines.push(format!("    {command}"));
        };
        // In single quotes nothing is expanded.
        let words: String = self.command_line.split_ascii_whitespace().map(|word| format!(" '{word}'")).collect();
        step("Loading Linux ...", format!("linux /kernel{words}"));
        step("Loading initial ramdisk ...", "initrd /initramfs".to_owned());
        lines.push("}".to_owned());
        BootMenu { path: "grub/grub.cfg", text: lines.join("\n") + "\n" }
    }
}

/// The speed that GRUB is told. It refuses what a PC's port can't divide its clock to; QEMU's port runs at the line's speed whatever
/// it is told.
fn declared(baud: Baud) -> u32 {
    if FASTEST % baud.get() == 0 { baud.get() } else { FASTEST }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn menu(delay: Option<u32>, quiet: bool) -> String {
        let baud = Baud::new(9600).unwrap();
        GrubMenu { command_line: "a=$b;{c} \u{fc}#*", baud, delay, quiet }.file().text
    }

    #[test]
    fn the_menu_prints_on_the_line_and_waits() {
        let expected = "serial --unit=0 --speed=9600\nterminal_input serial\nterminal_output serial\n\
                        set timeout=5\nset timeout_style=menu\nmenuentry 'Linux' {\n    \
                        echo 'Loading Linux ...'\n    linux /kernel 'a=$b;{c}' '\u{fc}#*'\n    \
                        echo 'Loading initial ramdisk ...'\n    initrd /initramfs\n}\n";
        assert_eq!(menu(None, false), expected);
        assert_eq!(menu(Some(0), false), expected.replace("timeout=5", "timeout=0"));
    }

    #[test]
    fn a_quiet_menu_prints_nothing_and_waits_for_nothing() {
        let expected = "set timeout=0\nset timeout_style=hidden\nmenuentry 'Linux' {\n    \
                        linux /kernel 'a=$b;{c}' '\u{fc}#*'\n    initrd /initramfs\n}\n";
        assert_eq!(menu(None, true), expected);
    }

    #[test]
    fn grub_is_told_a_speed_that_it_takes() {
        let told = |baud| declared(Baud::new(baud).unwrap());
        assert_eq!([300, 9600, 115_200].map(told), [300, 9600, 115_200]);
        assert_eq!([31_250, 76_800, 921_600].map(told), [115_200; 3]);
    }
}
