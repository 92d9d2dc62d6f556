// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a version of the kernel prints to a console, answered from `behaviour.tsv`.
use serde::Deserialize;

use super::driver::{Driver, FifoUse, Framework, RegistersAt, TxTimeout};
use super::kernel_version::KernelVersion;
use super::printing::{DriverWait, Printing, RegistrationFlush, ThreadPriority, ThreadsReady};
use super::table::{DriverRow, PrintkRow, TABLE};

/// How a version of the kernel prints to a console of one driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Behaviour {
    /// Who waits for the serial line.
    pub printing: Printing,
    /// When kthreads start to print.
    pub threads_ready: ThreadsReady,
    /// Who prints the records that are stored when the console registers.
    pub registration: RegistrationFlush,
    /// How the driver waits.
    pub driver: DriverWait,
    /// How its kthread, if there is one, shares the CPUs with the boot.
    #[serde(default)]
    pub thread: ThreadPriority,
}

impl Behaviour {
    /// The behaviour of a console whose framework is known: `legacy` is what the log says when it registers.
    ///
    /// A version that the table lacks gives [`Printing::Unknown`], unless the log settles it: an nbcon console is
    /// assumed to behave as in the newest known version.
    pub fn of(version: Option<KernelVersion>, rt: bool, legacy: bool) -> Behaviour {
        let row = |version, framework| TABLE.printk(framework, version, rt);
        let found = version.and_then(|version| match legacy {
            true => row(version, Framework::Legacy),
            // Before nbcon existed, the log did not mention "legacy".
            false => row(version, Framework::Nbcon).or_else(|| row(version, Framework::Legacy)),
        });
        let newer =
            || version.filter(|s| !legacy && s.series() > newest()).and_then(|_| row(newest(), Framework::Nbcon));
        found.or_else(newer).map_or_else(|| Behaviour::unknown(rt), PrintkRow::behaviour)
    }

    /// The behaviour that a driver's console has in a version, as far as it is known without its log. `debian`:
    /// a stock kernel of Debian's, which carries the RT patch in 6.12-rt. None if the version is not in the table, or
    /// its kthreads have a design that is not modelled (PREEMPT_RT before 6.12).
    pub fn for_driver(version: KernelVersion, rt: bool, driver: Driver, debian: bool) -> Option<Behaviour> {
        Some(DriverBehaviour::of(version, rt, driver, debian)?.behaviour).filter(|b| b.printing != Printing::RtPatch)
    }

    /// Taken as if each writer waited.
    fn unknown(rt: bool) -> Behaviour {
        Behaviour {
            printing: Printing::Unknown,
            threads_ready: ThreadsReady::Never,
            registration: RegistrationFlush::Synchronous,
            driver: if rt { DriverWait::Spins } else { DriverWait::SpinsIrqsOff },
            thread: ThreadPriority::Highest,
        }
    }
}

/// Who waits for a serial console, as one value; [`Behaviour::of`] has the details.
///
/// `legacy` is what the log shows when the console registers: from 6.12 on, "legacy console [..]" or "console [..]".
pub fn printing(version: Option<KernelVersion>, rt: bool, legacy: bool) -> Printing {
    Behaviour::of(version, rt, legacy).printing
}

/// The newest series that the table knows.
pub fn newest() -> KernelVersion {
    TABLE.printk.iter().map(|r| r.range.to.series()).max().unwrap_or(KernelVersion::new(0, 0))
}

/// All columns of the table for a driver's console in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverBehaviour {
    /// How it prints.
    pub behaviour: Behaviour,
    /// Which framework it uses.
    pub framework: Framework,
    /// When it registers, at the earliest.
    pub registers: RegistersAt,
    /// When it fills the FIFO; none if that part of the driver was not read.
    pub fifo: Option<FifoUse>,
    /// How long it waits for the transmitter; none if that part of the driver was not read.
    pub tx_timeout: Option<TxTimeout>,
}

impl DriverBehaviour {
    /// None if the version is not in the table.
    pub fn of(version: KernelVersion, rt: bool, driver: Driver, debian: bool) -> Option<DriverBehaviour> {
        let DriverRow { framework, fifo, tx_timeout, registers, .. } = *TABLE.driver(driver, version, rt, debian)?;
        let behaviour = TABLE.printk(framework, version, rt)?.behaviour();
        Some(DriverBehaviour { behaviour, framework, registers, fifo, tx_timeout })
    }

    /// The first version in which a driver's console is an nbcon console, preferably one whose kthread also does the
    /// flush at registration.
    pub fn nbcon_since(driver: Driver, rt: bool) -> Option<KernelVersion> {
        // Behaviour changes only where a row begins.
        let begins = TABLE.printk.iter().map(|r| r.range.from).chain(TABLE.drivers.iter().map(|r| r.range.from));
        let found = |s: KernelVersion| Some((s, DriverBehaviour::of(s, rt, driver, false)?));
        let nbcon = begins.filter_map(found).filter(|(_, stock)| stock.framework == Framework::Nbcon);
        nbcon.min_by_key(|(version, stock)| (stock.flushes_at_registration(), *version)).map(|(version, _)| version)
    }

    /// The first version in which a driver's console fills the port's FIFO.
    pub fn fills_fifo_since(driver: Driver) -> Option<KernelVersion> {
        let fills = |r: &&DriverRow| r.driver == driver && matches!(r.fifo, Some(FifoUse::TtyOpen | FifoUse::Always));
        TABLE.drivers.iter().filter(fills).map(|r| r.range.from).min()
    }

    /// The first and the last version in which a driver's console is an nbcon console whose kthread does the flush at
    /// registration. They are not always one range: ask [`DriverBehaviour::flushes_at_registration`] for a version
    /// between them.
    pub fn flushed_by_thread(driver: Driver, rt: bool) -> Option<(KernelVersion, KernelVersion)> {
        let ranges = || TABLE.printk.iter().map(|r| r.range).chain(TABLE.drivers.iter().map(|r| r.range));
        let found = |s: &KernelVersion| {
            let stock = DriverBehaviour::of(*s, rt, driver, false);
            stock.is_some_and(|s| s.framework == Framework::Nbcon && !s.flushes_at_registration())
        };
        let first = ranges().map(|r| r.from).filter(found).min()?;
        Some((first, ranges().map(|r| r.to).filter(found).max()?))
    }

    /// The first version from `from` on in which PREEMPT_RT uses threaded printing that keeps no task waiting: one
    /// record per console lock, or an nbcon console whose kthread also does the flush at registration.
    pub fn thread_under_rt_since(driver: Driver, from: Option<KernelVersion>) -> Option<KernelVersion> {
        let per_record = |s: &KernelVersion| {
            DriverBehaviour::of(*s, true, driver, false)
                .is_some_and(|s| s.behaviour.printing == Printing::ThreadPerRecord)
        };
        let from = from.map(KernelVersion::series);
        let begins = TABLE.printk.iter().map(|r| r.range.from).chain(from);
        let later = |s: &KernelVersion| from.is_none_or(|from| *s >= from);
        let nbcon = || DriverBehaviour::flushed_by_thread(driver, true).map(|(first, _)| first);
        begins.filter(per_record).filter(later).min().or_else(|| nbcon().filter(later))
    }

    /// Whether the task that registers the console prints everything stored before: because this version always does,
    /// or because the kthreads start only later.
    pub fn flushes_at_registration(&self) -> bool {
        let ready_before = self.registers.follows(self.behaviour.threads_ready);
        let waits_for_thread = self.framework == Framework::Legacy && !self.behaviour.printing.writer_waits();
        !waits_for_thread && (self.behaviour.registration == RegistrationFlush::Synchronous || !ready_before)
    }
}

impl PrintkRow {
    fn behaviour(&self) -> Behaviour {
        Behaviour {
            printing: self.printing,
            threads_ready: self.threads_ready,
            registration: self.registration,
            driver: self.wait,
            thread: ThreadPriority::Highest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> KernelVersion {
        text.parse().unwrap()
    }

    #[test]
    fn by_version() {
        let check = |major, minor, rt, legacy, want| {
            assert_eq!(printing(Some(KernelVersion::new(major, minor)), rt, legacy), want, "{major}.{minor} rt={rt}");
        };
        check(6, 1, false, false, Printing::Synchronous);
        check(6, 12, false, true, Printing::Synchronous);
        check(6, 12, true, false, Printing::Nbcon);
        check(6, 18, true, true, Printing::ThreadWholeFlush);
        check(6, 19, true, true, Printing::ThreadPerRecord);
        check(7, 2, true, true, Printing::ThreadPerRecord);
        check(7, 2, false, true, Printing::Synchronous);
        check(6, 17, false, false, Printing::Nbcon);
        check(5, 10, true, false, Printing::RtPatch);
        assert_eq!(printing(None, true, true), Printing::Unknown);
    }

    #[test]
    fn by_the_words_of_a_log() {
        let check = |version: &str, rt, legacy, printing, ready, flush| {
            let b = Behaviour::of(Some(parsed(version)), rt, legacy);
            assert_eq!((b.printing, b.threads_ready, b.registration), (printing, ready, flush), "{version} rt={rt}");
        };
        use {Printing::*, RegistrationFlush::*, ThreadsReady::*};
        check("2.6", false, true, Printing::Synchronous, Never, RegistrationFlush::Synchronous);
        check("6.12", false, true, Printing::Synchronous, Never, RegistrationFlush::Synchronous);
        check("6.12", true, false, Nbcon, EarlyInitcall, RegistrationFlush::Synchronous);
        check("6.16", false, false, Nbcon, EarlyInitcall, RegistrationFlush::Synchronous);
        check("6.17", false, false, Nbcon, EarlyInitcall, ByThread);
        check("7.1", false, false, Nbcon, EarlyInitcall, ByThread);
        check("7.2.0", false, false, Nbcon, EarlyInitcall, ByThread);
        check("7.2.12", false, false, Nbcon, EarlyInitcall, ByThread);
        check("7.2.13", false, false, Nbcon, SubsysInitcall, ByThread);
        check("7.2", false, false, Nbcon, SubsysInitcall, ByThread);
        check("7.3.4", false, false, Nbcon, SubsysInitcall, ByThread);
        check("6.18", true, true, ThreadWholeFlush, EarlyInitcall, ByThread);
        check("6.19", true, true, ThreadPerRecord, EarlyInitcall, ByThread);
        check("7.2.12", true, true, ThreadPerRecord, EarlyInitcall, ByThread);
        check("7.2", true, true, ThreadPerRecord, SubsysInitcall, ByThread);
    }

    #[test]
    fn by_driver() {
        let check = |version: &str, rt, driver, debian, want: Option<Printing>| {
            let got = Behaviour::for_driver(parsed(version), rt, driver, debian).map(|b| b.printing);
            assert_eq!(got, want, "{version} rt={rt} {driver:?} debian={debian}");
        };
        use {Driver::*, Printing::*};
        check("6.12", true, Uart8250, true, Some(Nbcon));
        check("6.12", true, Uart8250, false, Some(ThreadWholeFlush));
        check("6.12", false, Uart8250, true, Some(Synchronous));
        check("7.2", false, Uart8250, true, Some(Synchronous));
        check("7.2", true, Uart8250, true, Some(ThreadPerRecord));
        check("7.3", false, Uart8250, false, Some(Nbcon));
        check("6.12", true, Pl011, true, Some(ThreadWholeFlush));
        check("6.14", false, Pl011, true, Some(Synchronous));
        check("6.15", false, Pl011, true, Some(Nbcon));
        check("6.13", false, Imx, false, Some(Nbcon));
        check("6.15", false, Sifive, false, Some(Synchronous));
        check("7.3", true, Other, false, Some(ThreadPerRecord));
        check("5.10", false, Other, false, Some(Synchronous));
        // Not modelled, not read, not there yet.
        check("6.1", true, Uart8250, true, None);
        check("7.4", false, Uart8250, false, None);
        check("6.14", false, TegraUtc, false, None);
    }

    #[test]
    fn a_version_that_is_not_known_says_so() {
        let unknown = |version, rt, legacy| Behaviour::of(version, rt, legacy).printing;
        assert_eq!(unknown(None, true, true), Printing::Unknown);
        assert_eq!(unknown(Some(parsed("7.4")), true, true), Printing::Unknown);
        assert_eq!(unknown(Some(parsed("2.4")), false, true), Printing::Unknown);
        // A stable release of the newest series is known.
        assert_eq!(unknown(Some(newest().with_stable(99)), true, false), Printing::Nbcon);
        assert_eq!(unknown(Some(newest().with_stable(99)), false, true), Printing::Synchronous);
        // What the log shows takes precedence.
        assert_eq!(unknown(Some(parsed("7.4")), false, false), Printing::Nbcon);
    }

    #[test]
    fn who_prints_at_the_registration() {
        let check = |version: &str, rt, driver, flushes| {
            let stock = DriverBehaviour::of(parsed(version), rt, driver, true).unwrap();
            assert_eq!(stock.flushes_at_registration(), flushes, "{version} rt={rt} {driver:?}");
        };
        // The boots of facts measured on arm64: gaps of 8.96, 0.89, 0.51 and 8.35 s.
        check("6.16", false, Driver::Pl011, true);
        check("6.17", false, Driver::Pl011, false);
        check("7.1", false, Driver::Pl011, false);
        check("7.2.12", false, Driver::Pl011, false);
        check("7.2.13", false, Driver::Pl011, true);
        check("7.2", false, Driver::Pl011, true);
        check("6.12", true, Driver::Uart8250, true);
        check("6.12", false, Driver::Uart8250, true);
        check("6.18", true, Driver::Uart8250, false);
        check("7.3", false, Driver::Uart8250, true);
        check("7.3", false, Driver::Imx, false);
    }

    #[test]
    fn where_to_go_for_nbcon() {
        let check = |driver, version: Option<&str>| {
            assert_eq!(DriverBehaviour::nbcon_since(driver, false), version.map(parsed), "{driver:?}");
        };
        check(Driver::Pl011, Some("6.17"));
        check(Driver::Uart8250, Some("7.3"));
        check(Driver::Other, None);
    }

    #[test]
    fn where_a_thread_flushes_at_the_registration() {
        let check = |driver, rt, want: Option<(&str, &str)>| {
            assert_eq!(
                DriverBehaviour::flushed_by_thread(driver, rt),
                want.map(|(a, b)| (parsed(a), parsed(b))),
                "{driver:?}"
            );
        };
        check(Driver::Pl011, false, Some(("6.17", "7.2.12")));
        // Registers in its probe: after the kthreads are ready, in each version.
        check(Driver::Imx, false, Some(("6.17", "7.3")));
        // Registers before any kthread runs.
        check(Driver::Uart8250, false, None);
        check(Driver::Uart8250, true, None);
        check(Driver::Other, false, None);
    }

    #[test]
    fn where_a_thread_keeps_nobody_waiting() {
        let check = |driver, from: Option<&str>, want: Option<&str>| {
            let found = DriverBehaviour::thread_under_rt_since(driver, from.map(parsed));
            assert_eq!(found, want.map(parsed), "{driver:?} from {from:?}");
        };
        check(Driver::Uart8250, None, Some("6.19"));
        check(Driver::Uart8250, Some("6.12"), Some("6.19"));
        check(Driver::Uart8250, Some("7.0"), Some("7.0"));
        check(Driver::Uart8250, Some("7.0.3"), Some("7.0"));
        // An nbcon console there.
        check(Driver::Uart8250, Some("7.3"), None);
        check(Driver::Pl011, Some("6.12"), Some("6.17"));
        check(Driver::Pl011, Some("7.2"), None);
        check(Driver::Other, Some("7.3"), Some("7.3"));
        check(Driver::Other, Some("7.4"), None);
    }

    #[test]
    fn names_of_consoles() {
        let check = |name, driver| assert_eq!(Driver::of_console(name), driver, "{name}");
        check("ttyS0", Driver::Uart8250);
        check("ttyS", Driver::Uart8250);
        check("ttySIF0", Driver::Sifive);
        check("ttyAMA10", Driver::Pl011);
        check("ttyO2", Driver::Other);
        check("", Driver::Other);
    }
}
