// SPDX-License-Identifier: MIT OR Apache-2.0
//! The guest's hardware as QEMU's arguments, and the kernel's command line.
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;

use bootline_capture::units::Baud;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu_model::CpuModel;
use bootline_images::arch::Arch;

/// What executes the guest's instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Accel {
    /// QEMU's translator, with a host thread for each CPU of the guest.
    #[default]
    Tcg,
    /// The same, with all of the guest's CPUs in one host thread.
    TcgSingleThread,
    /// The host's CPU, at native speed; requires /dev/kvm and a matching architecture.
    Kvm,
    /// The translator with a clock that counts instructions: repeatable, unrelated to the host's time.
    Icount,
}

impl Accel {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Accel::Tcg | Accel::Icount => &["-accel", "tcg"],
            Accel::TcgSingleThread => &["-accel", "tcg,thread=single"],
            Accel::Kvm => &["-accel", "kvm"],
        }
    }
}

/// The time that an instruction takes where instructions are counted: QEMU has powers of two only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32", into = "u32")]
#[schemars(with = "u32")]
pub struct InstructionTime {
    /// 0 to 5.
    log2_ns: u32,
}

/// A time that no instruction can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 1, 2, 4, 8, 16 or 32")]
pub struct NotAnInstructionTime;

impl Default for InstructionTime {
    /// 2 ns.
    fn default() -> InstructionTime {
        InstructionTime { log2_ns: 1 }
    }
}

impl TryFrom<u32> for InstructionTime {
    type Error = NotAnInstructionTime;

    fn try_from(ns: u32) -> Result<InstructionTime, NotAnInstructionTime> {
        let log2_ns = ns.checked_ilog2().filter(|_| ns.is_power_of_two() && ns <= 32);
        log2_ns.map(|log2_ns| InstructionTime { log2_ns }).ok_or(NotAnInstructionTime)
    }
}

impl From<InstructionTime> for u32 {
    fn from(time: InstructionTime) -> u32 {
        1 << time.log2_ns
    }
}

impl FromStr for InstructionTime {
    type Err = NotAnInstructionTime;

    fn from_str(ns: &str) -> Result<InstructionTime, NotAnInstructionTime> {
        ns.parse::<u32>().map_err(|_| NotAnInstructionTime)?.try_into()
    }
}

/// The guest's hardware.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub arch: Arch,
    pub accel: Accel,
    /// The processor; none for the lab's own choice.
    pub cpu_model: Option<CpuModel>,
    /// The time of an instruction with [`Accel::Icount`]; none for the lab's own.
    pub instruction_time: Option<InstructionTime>,
    pub smp: u32,
    pub memory_mib: u32,
    /// Memory that the guest has once a driver has added it.
    pub added_memory_mib: u32,
}

/// QEMU's chardev arguments for the guest's two ports.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    pub console: String,
    pub truth: String,
}

impl Machine {
    /// QEMU's arguments.
    pub fn arguments(&self, ports: &Ports) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        let mut add = |words: &[&str]| args.extend(words.iter().map(OsString::from));
        add(&["-no-user-config", "-nodefaults", "-no-reboot", "-display", "none"]);
        add(self.accel.arguments());
        if let Some(time) = self.counted_instruction_time() {
            add(&["-icount", &format!("shift={},sleep=off", time.log2_ns)]);
        }
        let cpu = match (&self.cpu_model, self.accel) {
            (Some(model), _) => model.name(),
            (None, Accel::Kvm) => "host",
            (None, Accel::Tcg | Accel::TcgSingleThread | Accel::Icount) => self.arch.emulated_cpu(),
        };
        let machine = self.arch.machine();
        let memory = match self.added_memory_mib {
            0 => self.memory_mib.to_string(),
            // In 64 bits: a sum that is too much is for QEMU to refuse.
            added => format!("{},maxmem={}M", self.memory_mib, u64::from(self.memory_mib) + u64::from(added)),
        };
        add(&["-machine", machine, "-cpu", cpu, "-smp", &self.smp.to_string(), "-m", &memory]);
        add(&["-chardev", &ports.console, "-serial", "chardev:console", "-chardev", &ports.truth]);
        add(&self.arch.truth_port_arguments());
        args
    }
}

impl Machine {
    /// Whether the console's port waits for the line in a thread that is one CPU's alone. Then it need not hold up the others.
    pub fn port_waits_alone(&self) -> bool {
        self.arch.port_waits() && matches!(self.accel, Accel::Tcg | Accel::Kvm)
    }

    /// The time of an instruction, where they are counted.
    pub fn counted_instruction_time(&self) -> Option<InstructionTime> {
        (self.accel == Accel::Icount).then(|| self.instruction_time.unwrap_or_default())
    }
}

/// QEMU's arguments for a kernel that it starts itself, without a boot loader.
pub(crate) fn direct_boot(kernel: &Path, initrd: Option<&Path>, append: &str) -> Vec<OsString> {
    let file = |name: &str, path: &Path| [OsString::from(name), path.into()];
    let words = ["-append".into(), append.into()];
    let initrd = initrd.map(|path| file("-initrd", path)).into_iter().flatten();
    file("-kernel", kernel).into_iter().chain(initrd).chain(words).collect()
}

/// The kernel command line: what the lab needs, unless the user's parameters override it, then the user's parameters.
///
/// `declared` is the baud for `console=`, `None` for a boot without a console on the line. `log_buf_len` is raised
/// because a boot with initcall_debug overruns the usual 128 KiB, and then lost bytes cannot be detected. `writes_log`
/// lifts the limit on what user space may write to /dev/kmsg (kernel/printk, devkmsg_write).
pub(crate) fn command_line(
    arch: Arch,
    declared: Option<Baud>,
    tsc_khz: Option<u64>,
    writes_log: bool,
    user: &str,
) -> String {
    let given = |key: &str| user.split_ascii_whitespace().any(|word| word.split('=').next() == Some(key));
    let mut words = Vec::new();
    if !given("console") {
        words.push(match declared {
            Some(baud) => format!("console={},{baud}n8", arch.console()),
            // A console that costs almost nothing; without one, the kernel would use the device tree's.
            None => "console=tty0".to_owned(),
        });
    }
    if !given("panic") {
        words.push("panic=-1".to_owned());
    }
    if !given("log_buf_len") {
        words.push("log_buf_len=4M".to_owned());
    }
    if let Some(khz) = tsc_khz.filter(|_| arch.has_tsc() && !given("tsc_early_khz")) {
        words.push(format!("tsc_early_khz={khz}"));
    }
    if writes_log && !given("printk.devkmsg") {
        words.push("printk.devkmsg=on".to_owned());
    }
    words.extend(user.split_ascii_whitespace().map(str::to_owned));
    words.join(" ")
}

/// The baud that a command line declares for the console on the line: the last `console=` that names it.
pub(crate) fn declared_baud(arch: Arch, command_line: &str) -> Option<Baud> {
    let mut last =
        command_line.split_ascii_whitespace().filter_map(|word| word.strip_prefix("console=")).filter_map(|c| {
            let (name, options) = c.split_once(',').unwrap_or((c, ""));
            (name == arch.console()).then_some(options)
        });
    let digits: String = last.next_back()?.chars().take_while(char::is_ascii_digit).collect();
    Baud::new(digits.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_command_line(arch: Arch, declared: Option<u32>, user: &str, expected: &str) {
        let declared = declared.and_then(Baud::new);
        assert_eq!(command_line(arch, declared, Some(2_300_000), false, user), expected);
    }

    #[test]
    fn a_machine_is_as_it_was_asked_for() {
        let ports = Ports { console: "null,id=console".into(), truth: "null,id=truth".into() };
        let check = |machine: Machine, expected: &str| {
            let words = machine.arguments(&ports);
            let words = words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ");
            assert!(words.contains(expected), "{words}");
        };
        let machine = || Machine {
            arch: Arch::Amd64,
            accel: Accel::Tcg,
            cpu_model: None,
            instruction_time: None,
            smp: 1,
            memory_mib: 512,
            added_memory_mib: 0,
        };
        check(machine(), "-cpu qemu64 -smp 1 -m 512 ");
        let cpu_model = Some("qemu64,-tsc".parse().unwrap());
        check(Machine { cpu_model, ..machine() }, "-cpu qemu64,-tsc ");
        check(Machine { added_memory_mib: 1536, ..machine() }, "-m 512,maxmem=2048M ");
        check(Machine { accel: Accel::Icount, ..machine() }, "-accel tcg -icount shift=1,sleep=off ");
        let half = Machine { accel: Accel::Icount, instruction_time: 4.try_into().ok(), ..machine() };
        check(half, "-icount shift=2,sleep=off ");
        let valid: Vec<u32> = (0..100).filter(|ns| InstructionTime::try_from(*ns).is_ok()).collect();
        assert_eq!(valid, [1, 2, 4, 8, 16, 32]);
    }

    #[test]
    fn the_users_words_win() {
        check_command_line(
            Arch::Amd64,
            Some(300),
            "quiet",
            "console=ttyS0,300n8 panic=-1 log_buf_len=4M tsc_early_khz=2300000 quiet",
        );
        check_command_line(
            Arch::Amd64,
            Some(300),
            " console=ttyS0,9600  panic=5 log_buf_len=128K tsc_early_khz=1",
            "console=ttyS0,9600 panic=5 log_buf_len=128K tsc_early_khz=1",
        );
        check_command_line(Arch::Arm64, Some(9600), "", "console=ttyAMA0,9600n8 panic=-1 log_buf_len=4M");
        check_command_line(Arch::Arm64, None, "", "console=tty0 panic=-1 log_buf_len=4M");
    }

    #[test]
    fn who_writes_the_log_is_not_held_back() {
        let line = command_line(Arch::Arm64, None, None, true, "quiet");
        assert_eq!(line, "console=tty0 panic=-1 log_buf_len=4M printk.devkmsg=on quiet");
        assert!(!command_line(Arch::Arm64, None, None, true, "printk.devkmsg=off").contains("devkmsg=on"));
    }

    #[test]
    fn the_last_console_on_the_line_declares_its_baud() {
        let check = |line: &str, expected: Option<u32>| {
            assert_eq!(declared_baud(Arch::Amd64, line).map(Baud::get), expected, "{line}");
        };
        check("console=ttyS0,300n8 quiet", Some(300));
        check("console=ttyS0,9600 console=tty0 console=ttyS0,115200n8r", Some(115_200));
        check("console=ttyS1,9600", None);
        check("console=ttyS0", None);
        check("", None);
    }
}
