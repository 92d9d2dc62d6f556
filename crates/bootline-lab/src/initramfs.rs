// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab's initramfs: its static init, and the device nodes that init needs, as a newc cpio archive.
use crate::module::Payload;
use bootline_images::arch::Arch;
use bootline_images::cpio::{self, Entry};
use bootline_images::programs;

const MEM: u32 = 1;
const TTY: u32 = 4;
const TTYAUX: u32 = 5;
/// Minor number of ttyS0 within the major number of `TTY`.
const TTYS0: u32 = 64;

/// The initramfs for a guest of this architecture, with the modules that init is to load; `None` if its init could not
/// be built (see [`Arch::compiler_package`]).
pub fn initramfs(arch: Arch, modules: &Payload) -> Option<Vec<u8>> {
    programs::init(arch).map(|init| {
        let mut entries = vec![
            Entry::dir("dev"),
            Entry::dir("proc"),
            Entry::char_device("dev/console", TTYAUX, 1),
            Entry::char_device("dev/kmsg", MEM, 11),
            Entry::char_device("dev/truth", TTY, TTYS0 + arch.truth_port()),
            Entry::program("init", init),
        ];
        if !modules.files.is_empty() {
            entries.extend(module_entries("modules.list", modules));
        }
        cpio::archive(&entries)
    })
}

/// What is appended to the initramfs of a system that is to load these modules before its own: the kernel unpacks archives
/// one after the other.
pub(crate) fn first_modules(modules: &Payload) -> Vec<u8> {
    cpio::archive(&module_entries("first.list", modules))
}

/// A file's folder comes before it, or the kernel could not create it.
fn module_entries<'a>(list: &'a str, modules: &'a Payload) -> Vec<Entry<'a>> {
    let mut entries = vec![Entry::file(list, modules.list.as_bytes()), Entry::dir("modules")];
    entries.extend(modules.files.iter().map(|(name, content)| Entry::file(name, content)));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_init_is_small() {
        for arch in Arch::ALL {
            let archive = initramfs(arch, &Payload::default()).expect("`make setup` installs both compilers");
            assert!(archive.len() < 32 << 10, "{arch}: {} bytes", archive.len());
        }
    }

    #[test]
    fn modules_come_with_their_list() {
        let modules = Payload {
            files: vec![("modules/0-a.ko".to_owned(), b"A".to_vec()), ("modules/1-b.ko".to_owned(), b"BB".to_vec())],
            list: "/modules/0-a.ko x=1\n/modules/1-b.ko \n".to_owned(),
        };
        let archive = initramfs(Arch::Amd64, &modules).expect("`make setup` installs both compilers");
        let place = |text: &str| archive.windows(text.len()).position(|w| w == text.as_bytes()).expect(text);
        assert!(place("modules.list\0") < place("/modules/0-a.ko x=1\n/modules/1-b.ko \n"));
        // A file's folder must come first, or the kernel can't create the file.
        assert!(place("modules\0") < place("modules/0-a.ko\0"));
        assert!(place("modules/0-a.ko\0") < place("modules/1-b.ko\0"));
    }
}
