// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modules that make a console asynchronous: which boots they can help, and when they begin to print.
use bootline_boot::{Boot, SerialConsole};
use bootline_console::{Behaviour, ConsoleModule, Framework, KernelVersion, relay_prints_in_bursts};
use bootline_records::RecordOrigin;

/// A module that takes a console over during the boot, or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModuleSwitch {
    pub module: ConsoleModule,
    pub time: SwitchTime,
    /// How the console prints from then on.
    pub behaviour: Behaviour,
}

impl ModuleSwitch {
    /// The switch to a module that this boot did not load, on a kernel of this version and a line that transmits `bytes_per_s`.
    pub fn new(
        boot: &Boot,
        version: Option<KernelVersion>,
        bytes_per_s: f64,
        module: ConsoleModule,
        time: SwitchTime,
    ) -> ModuleSwitch {
        let has_time = time == SwitchTime::AtInit || bytes_per_s <= FASTEST_WITHOUT_FIFO;
        let sleeps = sleeps_on(boot, version, module) && (has_time || module == ConsoleModule::Nbcon8250);
        ModuleSwitch { module, time, behaviour: ConsoleModule::behaviour(sleeps) }
    }
}

/// The console loglevel that a module sets with a replay: the modprobe.d files of both modules say so.
pub const REPLAY_LOGLEVEL: u8 = 7;

/// Until the tty is opened the FIFO is off, and a byte at a time must take 60 us for console_relay to sleep in between
/// (kernel/console_relay/bursts.c, drains_too_fast).
const FASTEST_WITHOUT_FIFO: f64 = 1e6 / 60.0;

/// Whether the module's kthread would sleep while the port's FIFO drains, as far as the log shows the port. Otherwise it spins.
pub(crate) fn would_sleep(boot: &Boot, module: ConsoleModule) -> bool {
    sleeps_on(boot, boot.kernel.version, module)
}

fn sleeps_on(boot: &Boot, version: Option<KernelVersion>, module: ConsoleModule) -> bool {
    let in_bursts = |console: &SerialConsole| {
        version.is_some_and(|version| relay_prints_in_bursts(&console.name, version))
            && is_plain_16550a(boot, console)
            && port_type(boot, console) != Some("16550")
    };
    match module {
        ConsoleModule::Nbcon8250 => true,
        ConsoleModule::ConsoleRelay => boot.line.as_ref().is_some_and(|line| in_bursts(&line.console)),
    }
}

/// When a module's kthread begins to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwitchTime {
    /// After init's start, from the initramfs: `quiet` until then, and the whole log replayed.
    AtInit,
    /// After the record at this position, as one of the kernel's initcalls.
    After(usize),
}

/// The module that can take over a boot's console and would help; of two, the one whose kthread sleeps is preferred. As far as the log
/// shows it: a legacy console whose driver and kernel the module supports, and that none has taken over yet.
pub fn module_for(boot: &Boot) -> Option<ConsoleModule> {
    ConsoleModule::ALL.into_iter().find(|module| takes(boot, *module))
}

/// Whether a module can take over a boot's console.
pub(super) fn takes(boot: &Boot, module: ConsoleModule) -> bool {
    let (Some(line), Some(version)) = (&boot.line, boot.kernel.version) else { return false };
    let console = &line.console;
    let takes_port = match module {
        ConsoleModule::Nbcon8250 => is_plain_16550a(boot, console),
        // It refuses while a boot console is registered.
        ConsoleModule::ConsoleRelay => boot.consoles.iter().all(|c| !c.boot || c.disabled.is_some()),
    };
    console.framework == Framework::Legacy
        && boot.console_switch.is_none()
        && module.supports(&console.name, version, boot.kernel.rt)
        && !boot.kernel.command_line.has("keep_bootcon")
        && takes_port
}

/// The names of the ports that kernel/nbcon_8250/recognise.c takes, as the driver prints them
/// (drivers/tty/serial/8250/8250_port.c, uart_config). console_relay prints in bursts to all of them but the 16550.
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

/// Whether a module can print to the console's port without its driver, as far as the log shows it.
fn is_plain_16550a(boot: &Boot, console: &SerialConsole) -> bool {
    port_type(boot, console).is_none_or(|name| OF_16550A_CLASS.contains(&name)) && !has_flow_control(boot, console)
}

/// The type of the console's port as the driver names it, if the log shows it.
fn port_type<'b>(boot: &'b Boot, console: &SerialConsole) -> Option<&'b str> {
    let port = found_port(boot, console).and_then(|i| boot.records.get(i));
    port.and_then(|r| Some(r.text.rsplit_once(" is a ")?.1.trim()))
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

/// Whether the command line asks for hardware flow control, which needs the driver's own write.
fn has_flow_control(boot: &Boot, console: &SerialConsole) -> bool {
    boot.kernel.command_line.consoles().iter().any(|c| c.name == console.name && c.flow_control)
}

/// Where a built-in module begins: its initcall follows the driver's, which finds the port. If the log
/// shows neither, after the initcalls, so as not to promise a saving that may not exist.
pub(super) fn built_in(boot: &Boot) -> SwitchTime {
    let console = boot.line.as_ref().map(|l| &l.console);
    let driver = || boot.records.containing("Serial: 8250/16550 driver").next();
    let done = || boot.milestones.last_initcall.or(boot.milestones.freeing_unused);
    let place = console.and_then(|c| found_port(boot, c)).or_else(driver).or_else(done);
    SwitchTime::After(place.unwrap_or(boot.end_index()))
}

/// The module that took the console over in this boot; none if it did not before the boot's end, and so changed nothing.
pub(super) fn baseline(boot: &Boot) -> Option<ModuleSwitch> {
    let console_switch = boot.console_switch.as_ref()?;
    let time = if console_switch.replayed {
        SwitchTime::AtInit
    } else if console_switch.from_index < boot.end_index() {
        SwitchTime::After(console_switch.from_index)
    } else {
        return None;
    };
    let behaviour = ConsoleModule::behaviour(console_switch.sleeps);
    Some(ModuleSwitch { module: console_switch.module, time, behaviour })
}
