// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often the guest touched its UART's registers, counted from QEMU's own trace.
//!
//! QEMU writes a line for each access (hw/char/trace-events): `serial_read read addr 0x05 val 0x60`, or for the PL011
//! `pl011_read addr 0x00000018 value 0x00000090`. They are counted as they come and never kept.
//!
//! The trace does not distinguish two UARTs of the same kind. On x86 the truth port is a 16550, too: some tens of
//! accesses of its driver's probe count as before init; its traffic falls into the window after the lines, which is not
//! shown.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use bootline_images::arch::Arch;

/// The trace events of an architecture's console.
pub(crate) fn events(arch: Arch) -> [&'static str; 2] {
    match arch {
        Arch::Amd64 => ["serial_read", "serial_write"],
        Arch::Arm64 | Arch::Armhf => ["pl011_read", "pl011_write"],
    }
}

/// What the guest is doing while accesses are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CountWindow {
    #[default]
    BeforeInit,
    /// Init prints lines, and is silent on its own port.
    Lines,
    After,
}

/// The register accesses of a run. Tracing slows each of them, so the times of such a run are not comparable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterAccesses {
    /// From the start to init.
    pub before_init: RegisterCount,
    /// While init printed its lines (`lines` of the request), with a tty open on the console's port.
    pub lines: Option<RegisterCount>,
}

/// Accesses in one window of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterCount {
    /// Bytes transmitted in that time.
    pub bytes: u64,
    /// Total number of register reads.
    pub reads: u64,
    /// Total number of register writes.
    pub writes: u64,
    /// Accesses by register name; registers without a name by offset.
    pub registers: BTreeMap<String, Access>,
}

/// Accesses to one register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Access {
    /// Number of reads.
    pub reads: u64,
    /// Number of writes.
    pub writes: u64,
}

impl RegisterCount {
    /// Register reads per transmitted byte; `None` if no byte was transmitted.
    pub fn reads_per_byte(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.reads as f64 / self.bytes as f64)
    }
}

/// The traced accesses of a run, as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    pub window: CountWindow,
    before_init: Table,
    lines: Table,
}

/// Offset to accesses. A UART has few registers, so a short list will do.
type Table = Vec<(u32, Access)>;

impl Counter {
    /// Takes a line of QEMU's standard error; returns whether it was a traced access.
    pub fn line(&mut self, line: &[u8]) -> bool {
        let Some((write, offset)) = access(line) else { return false };
        let table = match self.window {
            CountWindow::BeforeInit => &mut self.before_init,
            CountWindow::Lines => &mut self.lines,
            CountWindow::After => return true,
        };
        let at = table.iter().position(|(o, _)| *o == offset).unwrap_or_else(|| {
            table.push((offset, Access::default()));
            table.len() - 1
        });
        let access = &mut table[at].1;
        *if write { &mut access.writes } else { &mut access.reads } += 1;
        true
    }

    /// Whether nothing was traced.
    pub fn is_empty(&self) -> bool {
        self.before_init.is_empty() && self.lines.is_empty()
    }

    /// The counts, with the bytes transmitted in the same time.
    pub fn summary(&self, arch: Arch, bytes_before_init: u64, bytes_of_lines: Option<u64>) -> RegisterAccesses {
        RegisterAccesses {
            before_init: summary(&self.before_init, arch, bytes_before_init),
            lines: bytes_of_lines.map(|bytes| summary(&self.lines, arch, bytes)),
        }
    }
}

fn summary(table: &Table, arch: Arch, bytes: u64) -> RegisterCount {
    let mut count = RegisterCount { bytes, ..RegisterCount::default() };
    for (offset, access) in table {
        count.reads += access.reads;
        count.writes += access.writes;
        let named = count.registers.entry(register(arch, *offset)).or_default();
        named.reads += access.reads;
        named.writes += access.writes;
    }
    count
}

/// Whether it is a write, and the register's offset.
fn access(line: &[u8]) -> Option<(bool, u32)> {
    let mut words = line.split(|b| *b == b' ');
    // With `-msg timestamp=on` and some builds the event follows `PID@SECONDS.MICROSECONDS:`.
    let event = words.next()?.rsplit(|b| *b == b':').next()?;
    let write = match event {
        b"serial_read" | b"pl011_read" => false,
        b"serial_write" | b"pl011_write" => true,
        _ => return None,
    };
    words.by_ref().find(|w| *w == b"addr")?;
    let offset = std::str::from_utf8(words.next()?).ok()?.strip_prefix("0x")?;
    Some((write, u32::from_str_radix(offset, 16).ok()?))
}

/// A register's name, as drivers call it: include/uapi/linux/serial_reg.h and include/linux/amba/serial.h.
fn register(arch: Arch, offset: u32) -> String {
    let name = match (arch, offset) {
        (Arch::Amd64, 0) => "RX/TX/DLL",
        (Arch::Amd64, 1) => "IER/DLM",
        (Arch::Amd64, 2) => "IIR/FCR",
        (Arch::Amd64, 3) => "LCR",
        (Arch::Amd64, 4) => "MCR",
        (Arch::Amd64, 5) => "LSR",
        (Arch::Amd64, 6) => "MSR",
        (Arch::Amd64, 7) => "SCR",
        (Arch::Arm64 | Arch::Armhf, 0x00) => "DR",
        (Arch::Arm64 | Arch::Armhf, 0x18) => "FR",
        (Arch::Arm64 | Arch::Armhf, 0x24) => "IBRD",
        (Arch::Arm64 | Arch::Armhf, 0x28) => "FBRD",
        (Arch::Arm64 | Arch::Armhf, 0x2c) => "LCRH",
        (Arch::Arm64 | Arch::Armhf, 0x30) => "CR",
        (Arch::Arm64 | Arch::Armhf, 0x34) => "IFLS",
        (Arch::Arm64 | Arch::Armhf, 0x38) => "IMSC",
        (Arch::Arm64 | Arch::Armhf, 0x3c) => "RIS",
        (Arch::Arm64 | Arch::Armhf, 0x40) => "MIS",
        (Arch::Arm64 | Arch::Armhf, 0x44) => "ICR",
        _ => return format!("{offset:#x}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, expected: Option<(bool, u32)>) {
        assert_eq!(access(line.as_bytes()), expected, "{line}");
    }

    #[test]
    fn lines_of_several_versions_of_qemu() {
        check("serial_read read addr 0x05 val 0x60", Some((false, 5)));
        check("serial_write write addr 0x00 val 0x40", Some((true, 0)));
        check("pl011_read addr 0x00000018 value 0x00000090", Some((false, 0x18)));
        check("pl011_write addr 0x000 value 0x0000000a reg DR", Some((true, 0)));
        check("4711@1700000000.000123:serial_read read addr 0x05 val 0x60", Some((false, 5)));
        check("serial_update_parameters speed=9600 parity=N data=8 stop=1", None);
        check("qemu-system-x86_64: warning: serial_read addr 0x05", None);
        check("serial_read read addr 5", None);
        check("serial_read read addr", None);
        check("", None);
    }

    #[test]
    fn accesses_are_counted_by_window_and_name() {
        let mut counter = Counter::default();
        assert!(counter.is_empty());
        let read = b"serial_read read addr 0x05 val 0x60";
        let write = b"serial_write write addr 0x00 val 0x41";
        for (window, times) in [(CountWindow::BeforeInit, 3), (CountWindow::After, 9), (CountWindow::Lines, 2)] {
            counter.window = window;
            for _ in 0..times {
                assert!(counter.line(read) && counter.line(write));
            }
            assert!(!counter.line(b"qemu-system-x86_64: a message"));
        }
        let accesses = counter.summary(Arch::Amd64, 6, Some(0));
        assert_eq!((accesses.before_init.reads, accesses.before_init.writes), (3, 3));
        assert_eq!(accesses.before_init.registers["LSR"], Access { reads: 3, writes: 0 });
        assert_eq!(accesses.before_init.registers["RX/TX/DLL"], Access { reads: 0, writes: 3 });
        assert_eq!(accesses.before_init.reads_per_byte(), Some(0.5));
        let lines = accesses.lines.unwrap();
        assert_eq!((lines.reads, lines.reads_per_byte()), (2, None));
        assert_eq!(counter.summary(Arch::Amd64, 6, None).lines, None);
    }

    proptest! {
        #[test]
        fn any_line(line: Vec<u8>) {
            Counter::default().line(&line);
        }
    }
}
