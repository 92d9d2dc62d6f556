// SPDX-License-Identifier: MIT OR Apache-2.0
//! The consoles that a log shows, and which of them transmitted the log.

use super::cmdline::{ConsoleArg, is_serial};
use super::kernel::Kernel;
use super::listed_console::ListedConsole;
use bootline_capture::units::{Baud, Frame};
use bootline_console::{Framework, KernelVersion, Printing, printing};
use bootline_records::{ProblemKind, Problems, RecordId, RecordOrigin, RecordSet};

/// One console, as registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredConsole {
    /// `ttyS0`
    pub name: String,
    /// A boot console (earlycon), unregistered when the real one registers.
    pub boot: bool,
    /// From the log's text; if that does not show it, from the version or a listing of `/proc/consoles`.
    pub framework: Framework,
    /// `printk: [legacy] [boot]console [..] enabled`.
    pub enabled: RecordId,
    /// Position of that record.
    pub enabled_index: usize,
    /// "... disabled" (a boot console's hand-over).
    pub disabled: Option<RecordId>,
}

/// The serial console of a boot, as requested and as registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialConsole {
    /// `ttyS0`
    pub name: String,
    /// The framework it uses.
    pub framework: Framework,
    /// Who waits for the line.
    pub printing: Printing,
    /// Baud on the command line (9600 for a `ttyS` without one, the 8250's default).
    pub declared_baud: Option<Baud>,
    /// Frame on the command line.
    pub frame: Frame,
    /// Position of the record that announces it as enabled; none if the log lacks it.
    pub enabled_index: Option<usize>,
    /// That record's id.
    pub enabled: Option<RecordId>,
    /// Whether a boot console printed the log before it.
    pub after_boot_console: bool,
    /// Whether the user stated it: the log does not refute what is known better.
    pub is_stated: bool,
}

/// Maximum number of consoles: more than any machine has, because a log may be hostile.
const MOST: usize = 64;

/// All registrations in the log. `listed` shows the framework where the log lacks the kernel's version.
pub(super) fn consoles(records: &RecordSet, kernel: &Kernel, listed: &[ListedConsole]) -> Vec<RegisteredConsole> {
    let mut found: Vec<RegisteredConsole> = Vec::new();
    for (index, r) in records.iter().enumerate().filter(|(_, r)| r.source == RecordOrigin::Kernel) {
        let Some(event) = parse(r.text) else { continue };
        if event.enabled && found.len() < MOST {
            let in_list = || listed.iter().find(|c| c.name == event.name).is_none_or(|c| c.nbcon);
            let version_has_word = kernel.version.map_or_else(in_list, |v| v >= KernelVersion::new(6, 12));
            let framework =
                if event.legacy || !version_has_word || event.name.starts_with("tty") && is_screen(event.name) {
                    Framework::Legacy
                } else {
                    Framework::Nbcon
                };
            found.push(RegisteredConsole {
                name: event.name.to_owned(),
                boot: event.boot,
                framework,
                enabled: r.id,
                enabled_index: index,
                disabled: None,
            });
        } else if let Some(c) =
            found.iter_mut().rev().find(|c| !event.enabled && c.name == event.name && c.disabled.is_none())
        {
            c.disabled = Some(r.id);
        }
    }
    found
}

/// The last serial console that registered, as a boot console or not.
fn last_serial(consoles: &[RegisteredConsole], boot: bool) -> Option<&RegisteredConsole> {
    consoles.iter().rev().find(|c| c.boot == boot && is_serial(&c.name))
}

/// Names a serial console that the log registers, if the stated one is none of them. It may lack the stated one's registration.
pub(super) fn compare_with_log(
    stated: &ConsoleArg,
    consoles: &[RegisteredConsole],
    records: &RecordSet,
    problems: &mut Problems,
) {
    if consoles.iter().any(|c| c.name == stated.name) {
        return;
    }
    let Some(other) = last_serial(consoles, false) else { return };
    let bytes = records.get(other.enabled_index).map(|r| r.bytes).unwrap_or_default();
    problems.add(ProblemKind::OtherConsole, bytes, || {
        format!("the log registers {} (record {}) and no console {}", other.name, other.enabled, stated.name)
    });
}

/// The serial console that the boot's time depends on: the last serial `console=` that registered, else any serial one
/// that registered, else one that `/proc/consoles` lists, else the one that the command line asks for. A console that
/// the user states replaces the command line's.
pub(super) fn serial(
    consoles: &[RegisteredConsole],
    listed: &[ListedConsole],
    kernel: &Kernel,
    stated: Option<&ConsoleArg>,
) -> Option<SerialConsole> {
    let logged = kernel.command_line.consoles();
    let wanted: Vec<&ConsoleArg> = match stated {
        Some(stated) => vec![stated],
        None => logged.iter().filter(|a| a.is_serial()).collect(),
    };
    let real = wanted
        .iter()
        .rev()
        .find_map(|a| consoles.iter().find(|c| !c.boot && c.name == a.name))
        .or_else(|| last_serial(consoles, false).filter(|_| stated.is_none()));
    let boot = last_serial(consoles, true);
    let in_list = listed_serial(listed, &wanted, stated.is_some()).filter(|_| real.is_none());
    let found = real.map(|c| &c.name).or(in_list.map(|c| &c.name));
    let arg = found.map_or(wanted.last(), |name| wanted.iter().rev().find(|a| a.name == *name)).copied();
    let name = found.cloned().or(arg.map(|a| a.name.clone())).or(boot.map(|c| c.name.clone()))?;
    let framework = match in_list {
        Some(c) if c.nbcon => Framework::Nbcon,
        Some(_) => Framework::Legacy,
        None => real.or(boot).map_or(Framework::Legacy, |c| c.framework),
    };
    let is_8250 = name.strip_prefix("ttyS").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    let declared_baud =
        arg.and_then(|a| a.baud).or_else(|| (is_8250 && arg.is_some()).then(|| Baud::new(9600)).flatten());
    let listed_nbcon = listed.iter().any(|c| c.name == name && c.nbcon);
    let printing = match kernel.version {
        // The flag is proof, even where the version is unknown.
        _ if in_list.is_some() && listed_nbcon => Printing::Nbcon,
        None if listed_nbcon && framework == Framework::Nbcon => Printing::Nbcon,
        version => printing(version, kernel.rt, framework == Framework::Legacy),
    };
    Some(SerialConsole {
        printing,
        framework,
        declared_baud,
        frame: arg.map(|a| a.frame).unwrap_or_default(),
        enabled_index: real.or(boot).map(|c| c.enabled_index),
        enabled: real.or(boot).map(|c| c.enabled),
        after_boot_console: boot.is_some() && real.is_some(),
        is_stated: stated.is_some(),
        name,
    })
}

/// The serial console of a listing: the last one that is asked for, else the preferred one, else any.
fn listed_serial<'l>(
    listed: &'l [ListedConsole],
    wanted: &[&ConsoleArg],
    is_stated: bool,
) -> Option<&'l ListedConsole> {
    let serial = || listed.iter().filter(|c| !c.boot && is_serial(&c.name));
    let asked_for = wanted.iter().rev().find_map(|a| serial().find(|c| c.name == a.name));
    asked_for.or_else(|| serial().max_by_key(|c| c.preferred).filter(|_| !is_stated))
}

fn is_screen(name: &str) -> bool {
    name["tty".len()..].starts_with(|c: char| c.is_ascii_digit())
}

struct Registration<'a> {
    name: &'a str,
    boot: bool,
    legacy: bool,
    enabled: bool,
}

/// `printk: legacy console [ttyS0] enabled`, `console [tty0] enabled`, `printk: bootconsole [uart0] disabled`
fn parse(text: &str) -> Option<Registration<'_>> {
    let rest = text.strip_prefix("printk: ").unwrap_or(text);
    let (legacy, rest) = match rest.strip_prefix("legacy ") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (boot, rest) = match rest.strip_prefix("boot") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (name, state) = rest.strip_prefix("console [")?.split_once("] ")?;
    let enabled = match state {
        _ if state.starts_with("enabled") => true,
        _ if state.starts_with("disabled") => false,
        _ => return None,
    };
    // In a hostile log `name` may be anything; every real name has an index.
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    plain.then_some(Registration { name, boot, legacy, enabled })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations() {
        let check = |text, want: Option<(&str, bool, bool, bool)>| {
            assert_eq!(parse(text).map(|r| (r.name, r.boot, r.legacy, r.enabled)), want, "{text}");
        };
        check("printk: legacy console [ttyS0] enabled", Some(("ttyS0", false, true, true)));
        check("printk: console [ttyAMA0] enabled", Some(("ttyAMA0", false, false, true)));
        check("console [ttyS0] enabled", Some(("ttyS0", false, false, true)));
        check("printk: legacy bootconsole [earlyser0] disabled", Some(("earlyser0", true, true, false)));
        check("printk: console [ttyS0] printing thread started", None);
        check("printk: console [\x1b[2J] enabled", None);
    }
}
