// SPDX-License-Identifier: MIT OR Apache-2.0
//! The module nbcon_8250: which boots it can help, and when it replaces the console.
use bootline_boot::{Boot, SerialConsole};
use bootline_console::{
    Behaviour, Driver, DriverBehaviour, DriverWait, Framework, KernelVersion, Printing, RegistrationFlush, ThreadsReady,
};
use bootline_records::RecordOrigin;

/// Its behaviour: the kthread sleeps while the FIFO drains.
pub(super) const BEHAVIOUR: Behaviour = Behaviour {
    printing: Printing::Nbcon,
    threads_ready: ThreadsReady::EarlyInitcall,
    registration: RegistrationFlush::ByThread,
    driver: DriverWait::Sleeps,
};

/// When it replaces the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwitchTime {
    /// After init's start, from the initramfs: `quiet` until then, and the whole log replayed.
    AtInit,
    /// After the record at this position, as one of the kernel's initcalls.
    After(usize),
}

/// The first version that exports all symbols that the module needs.
const SINCE: KernelVersion = KernelVersion::new(6, 12);

/// Whether the module can replace a boot's console and would help: a legacy console of the 8250 driver, on a port of
/// the 16550A class, in a kernel from 6.12 on whose own 8250 console is not an nbcon console yet.
pub fn takes_module(boot: &Boot) -> bool {
    let (Some(line), Some(version)) = (&boot.line, boot.kernel.version) else { return false };
    let console = &line.console;
    let driver = Driver::of_console(&console.name);
    let own = DriverBehaviour::nbcon_since(driver, boot.kernel.rt);
    driver == Driver::Uart8250
        && console.framework == Framework::Legacy
        && boot.console_switch.is_none()
        && version >= SINCE
        && own.is_none_or(|own| version < own)
        && is_16550a(boot, console)
        && takes_command_line(boot, console)
}

/// The names of the ports that kernel/nbcon_8250/recognise.c takes, as the driver prints them
/// (drivers/tty/serial/8250/8250_port.c, uart_config).
/// What is called an 8250 there has a FIFO nowadays (8250_omap); the module checks.
const OF_16550A_CLASS: [&str; 17] = [
    "8250",
    "16550",
    "16550A",
    "16550A_FSL64",
    "16650V2",
    "16654",
    "16750",
    "16850",
    "Altera 16550 FIFO32",
    "Altera 16550 FIFO64",
    "Altera 16550 FIFO128",
    "TI DA8xx/66AK2x",
    "Nuvoton 16550",
    "NS16550A",
    "XScale",
    "Tegra",
    "U6_16550A",
];

/// Whether the module supports the console's port, as far as the log shows it.
fn is_16550a(boot: &Boot, console: &SerialConsole) -> bool {
    let port = found_port(boot, console).and_then(|i| boot.records.get(i));
    let named = port.and_then(|r| Some(r.text.rsplit_once(" is a ")?.1.trim()));
    named.is_none_or(|name| OF_16550A_CLASS.contains(&name))
}

/// `00:04: ttyS0 at I/O 0x3f8 (irq = 4, base_baud = 115200) is a 16550A`: its position.
fn found_port(boot: &Boot, console: &SerialConsole) -> Option<usize> {
    let says = format!("{} at ", console.name);
    let of_port = |text: &str| {
        let before = text.find(&says).map(|at| &text[..at]);
        before.is_some_and(|before| before.is_empty() || before.ends_with(' ')) && text.contains(" is a ")
    };
    let mut said = boot.records.containing(&says).take_while(|i| *i < boot.end_index());
    said.find(|i| boot.records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel && of_port(r.text)))
}

/// The module leaves hardware flow control and a kept boot console alone.
fn takes_command_line(boot: &Boot, console: &SerialConsole) -> bool {
    let line = &boot.kernel.command_line;
    let flow_control = line.consoles().iter().any(|c| c.name == console.name && c.flow_control);
    !flow_control && !line.has("keep_bootcon")
}

/// Where a built-in module replaces the console: its initcall follows the driver's, which finds the port. If the log
/// shows neither, after the initcalls, so as not to promise a saving that may not exist.
pub(super) fn built_in(boot: &Boot) -> SwitchTime {
    let console = boot.line.as_ref().map(|l| &l.console);
    let driver = || boot.records.containing("Serial: 8250/16550 driver").next();
    let done = || boot.milestones.last_initcall.or(boot.milestones.freeing_unused);
    let place = console.and_then(|c| found_port(boot, c)).or_else(driver).or_else(done);
    SwitchTime::After(place.unwrap_or(boot.end_index()))
}

/// When it replaced the console in this boot; none if it did not before the boot's end, and so changed nothing.
pub(super) fn baseline(boot: &Boot) -> Option<SwitchTime> {
    let console_switch = boot.console_switch.as_ref()?;
    if console_switch.replayed {
        return Some(SwitchTime::AtInit);
    }
    (console_switch.from_index < boot.end_index()).then_some(SwitchTime::After(console_switch.from_index))
}
