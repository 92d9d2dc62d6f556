// SPDX-License-Identifier: MIT OR Apache-2.0
//! What GRUB prints, from its first words to the kernel's: records without the blanks around them.

/// Whether a record is GRUB's first (grub_main in kern/main.c).
pub(super) fn starts(text: &str) -> bool {
    text.starts_with("Welcome to GRUB!")
}

/// Whether a menu begins (grub_normal_init_page of GRUB 2, init_page of 0.97).
pub(super) fn draws_menu(text: &str) -> bool {
    text.starts_with("GNU GRUB ")
}

/// Whether a record names the entry that is booted (notify_booting of 1.97 and 1.99 and of later ones, boot_entry of 0.97).
pub(super) fn names_entry(text: &str) -> bool {
    text.starts_with("Booting '") || text.starts_with("Booting `")
}

/// Whether a record is the last before the kernel is read, or says that it is read now: some distributions print only one of the two.
pub(super) fn boots(text: &str) -> bool {
    names_entry(text) || reads(text).is_some()
}

/// The file that a menu entry is about to read (10_linux of grub-mkconfig, 1.98 to 2.12). Other boot loaders load Linux, too, but say so
/// otherwise: LILO with a row of dots, Petitboot "with kexec".
pub(super) fn reads(text: &str) -> Option<&'static str> {
    if text == "Loading initial ramdisk ..." {
        return Some("the initramfs");
    }
    (text.starts_with("Loading Linux ") && text.ends_with(" ...")).then_some("the kernel")
}
