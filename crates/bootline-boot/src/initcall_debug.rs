// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records that `initcall_debug` writes, and their meaning.
use bootline_capture::units::Dur;
use memchr::{memchr_iter, memchr2, memrchr_iter};

/// Whether a record is one of `initcall_debug` at KERN_DEBUG (init/main.c, trace_initcall_start_cb; drivers/base/dd.c).
pub fn is_debug_level(text: &str) -> bool {
    // By the first byte: this runs over every record of every boot.
    match text.as_bytes().first() {
        Some(b'c') => text.starts_with("calling  "),
        Some(b'i') => text.starts_with("initcall ") && split_at_word(text, " returned ").is_some(),
        Some(b'p') => text.starts_with("probe of ") && split_at_word(text, " returned ").is_some(),
        Some(b'e') => text.starts_with("entering initcall level"),
        _ => false,
    }
}

/// Whether a record is one of `initcall_debug`; those of PCI quirks are at KERN_INFO (drivers/pci/quirks.c,
/// fixup_debug_start).
pub fn is_written_by_it(text: &str) -> bool {
    let quirk = || {
        let rest = text.strip_prefix("pci ").and_then(|t| t.split_once(": ")).map(|(_, rest)| rest);
        rest.is_some_and(|t| t.starts_with("calling  ") || t.contains(" took ") && t.ends_with(" usecs"))
    };
    is_debug_level(text) || quirk()
}

/// A parsed record of `initcall_debug`.
#[derive(Debug, PartialEq)]
pub(super) enum InitcallDebugRecord<'a> {
    Calling {
        name: &'a str,
        module: Option<&'a str>,
        task: Option<u32>,
    },
    Returned {
        name: &'a str,
        returned: i32,
        took: Dur,
    },
    Probe {
        device: &'a str,
        returned: i32,
        took: Dur,
    },
    /// An async call's end; it returns nothing (kernel/async.c from 5.17 on).
    AsyncReturned {
        name: &'a str,
        took: Dur,
    },
    /// async_synchronize_cookie_domain begins to wait.
    Waiting {
        task: u32,
    },
    /// async_synchronize_cookie_domain continues.
    Continuing {
        task: u32,
    },
}

pub(super) fn parse(text: &str) -> Option<InitcallDebugRecord<'_>> {
    match text.as_bytes().first()? {
        b'a' => {
            // async_waiting @ 1
            // async_continuing @ 1 after 4567 usec
            let rest = text.strip_prefix("async_")?;
            if let Some(task) = rest.strip_prefix("waiting @ ") {
                return Some(InitcallDebugRecord::Waiting { task: task.trim_end().parse().ok()? });
            }
            let (task, _) = rest.strip_prefix("continuing @ ")?.split_once(" after ")?;
            Some(InitcallDebugRecord::Continuing { task: task.parse().ok()? })
        }
        b'c' => {
            // calling  acpi_init+0x0/0x4f0 @ 1
            // calling  ahci_pci_driver_init+0x0/0xff0 [ahci] @ 131
            let rest = text.strip_prefix("calling  ")?;
            let at = memrchr_iter(b'@', rest.as_bytes()).find(|at| is_apart(rest, *at))?;
            let (what, task) = (&rest[..at - 1], &rest[at + 2..]);
            // Suspend and resume write "@ 12, parent: ...": no initcall.
            let task = task.parse().ok()?;
            let (name, module) = symbol(what);
            Some(InitcallDebugRecord::Calling { name, module, task: Some(task) })
        }
        b'i' => {
            let rest = text.strip_prefix("initcall ")?;
            let (what, rest) = split_at_word(rest, " returned ")?;
            if let Some(took) = rest.strip_prefix("after ") {
                return Some(InitcallDebugRecord::AsyncReturned { name: symbol(what).0, took: microseconds(took)? });
            }
            let (returned, took) = outcome(rest)?;
            Some(InitcallDebugRecord::Returned { name: symbol(what).0, returned, took })
        }
        b'p' => {
            let rest = text.strip_prefix("probe of ")?;
            let (device, rest) = split_at_word(rest, " returned ")?;
            let (returned, took) = outcome(rest)?;
            Some(InitcallDebugRecord::Probe { device, returned, took })
        }
        _ => None,
    }
}

/// `0 after 426 usecs`, also with ` with ...` or `, error code ...` after the number.
fn outcome(text: &str) -> Option<(i32, Dur)> {
    let (returned, rest) = split_at_word(text, " after ")?;
    let returned = returned.trim_end_matches([',', ' ']).parse().ok()?;
    Some((returned, microseconds(rest)?))
}

/// `426 usecs`
fn microseconds(text: &str) -> Option<Dur> {
    let (took, unit) = text.split_once(' ')?;
    unit.starts_with("usec").then(|| took.parse().ok().map(Dur::from_micros)).flatten()
}

/// `acpi_init+0x0/0x4f0 [ahci]` is `acpi_init` in `ahci`.
fn symbol(text: &str) -> (&str, Option<&str>) {
    let module = split_at_word(text, " [").and_then(|(_, m)| m.strip_suffix(']'));
    let name = &text[..memchr2(b' ', b'+', text.as_bytes()).unwrap_or(text.len())];
    (name, module)
}

/// Whether there is a blank on both sides of the byte at a position.
fn is_apart(text: &str, at: usize) -> bool {
    let blank = |i: Option<usize>| i.is_some_and(|i| text.as_bytes().get(i) == Some(&b' '));
    blank(at.checked_sub(1)) && blank(Some(at + 1))
}

/// As `split_once` of a word that begins with a blank. Texts are short, and std's search first prepares for long ones.
fn split_at_word<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let at = memchr_iter(b' ', text.as_bytes()).find(|at| text.as_bytes()[*at..].starts_with(word.as_bytes()))?;
    Some((&text[..at], &text[at + word.len()..]))
}

/// The cookie precedes an async call's symbol: `12_do_scan_async`.
pub(super) fn async_name(name: &str) -> Option<&str> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && name[digits..].starts_with('_')).then(|| &name[digits + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |text, want| assert_eq!(parse(text), want, "{text}");
        check(
            "calling  acpi_init+0x0/0x4f0 @ 1",
            Some(InitcallDebugRecord::Calling { name: "acpi_init", module: None, task: Some(1) }),
        );
        check(
            "calling  ahci_init+0x0/0xff0 [ahci] @ 131",
            Some(InitcallDebugRecord::Calling { name: "ahci_init", module: Some("ahci"), task: Some(131) }),
        );
        check(
            "initcall acpi_init+0x0/0x4f0 returned 0 after 120240 usecs",
            Some(InitcallDebugRecord::Returned { name: "acpi_init", returned: 0, took: Dur::from_micros(120_240) }),
        );
        check(
            "initcall x_init+0x0/0x10 returned -19 after 12 usecs ",
            Some(InitcallDebugRecord::Returned { name: "x_init", returned: -19, took: Dur::from_micros(12) }),
        );
        check(
            "probe of 3f215040.serial returned -517 after 8 usecs",
            Some(InitcallDebugRecord::Probe { device: "3f215040.serial", returned: -517, took: Dur::from_micros(8) }),
        );
        check(
            "initcall 1_do_populate_rootfs+0x0/0x130 returned after 187654 usecs",
            Some(InitcallDebugRecord::AsyncReturned { name: "1_do_populate_rootfs", took: Dur::from_micros(187_654) }),
        );
        check("async_waiting @ 1", Some(InitcallDebugRecord::Waiting { task: 1 }));
        check("async_continuing @ 1 after 4567 usec", Some(InitcallDebugRecord::Continuing { task: 1 }));
        check("async_tx: api initialized (async)", None);
        check("calling  usb_dev_suspend+0x0/0x10 @ 12, parent: usb1", None);
        check("calling  a @ b @ 7", Some(InitcallDebugRecord::Calling { name: "a", module: None, task: Some(7) }));
        check("calling  a@ 7", None);
        check("calling  @", None);
        check("probe of nothing", None);
        check("initcall x returned 0 after 99999999999999999999 usecs", None);
    }

    #[test]
    fn async_symbols_carry_a_cookie() {
        assert_eq!(async_name("12_do_scan_async"), Some("do_scan_async"));
        assert_eq!(async_name("acpi_init"), None);
        assert_eq!(async_name("3com_init"), None);
    }
}
