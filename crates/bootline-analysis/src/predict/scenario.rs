// SPDX-License-Identifier: MIT OR Apache-2.0
//! The baseline's setup as the log shows it, and the setup under a change.
use super::boot_workload::{self, Bound, ConsoleLockTaker, ConsolePlan};
use super::change::Change;
use super::module::{self, ModuleSwitch, REPLAY_LOGLEVEL, SwitchTime};
use super::prediction::PredictionError;
use super::rate;
use super::record_waits::RecordWaits;
use super::setting::Setting;
use bootline_boot::{Boot, SerialConsole};
use bootline_capture::units::{Baud, LineRate};
use bootline_console::{
    Behaviour, ConsoleId, Contention, DriverWait, Framework, KernelClock, ModelledConsole, Op, Printing,
    SimulationSetup, ThreadPriority, ThreadsReady, Uart, newest, speed_with_busy_printer,
};
use bootline_records::RecordOrigin;

/// The setup of a boot, the baseline's or a changed one.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub behaviour: Behaviour,
    /// The line's slowest, likeliest and fastest rate.
    pub rates: [LineRate; 3],
    pub cpus: u32,
    pub loglevel: u8,
    /// Whether QEMU ran the boot.
    pub in_qemu: bool,
    /// How often the boot waits for records of a kthread that prints with interrupts off, if its kthread does.
    pub record_waits: Option<RecordWaits>,
    pub without_initcall_debug: bool,
    /// Whether the console is faster than the one that may have caused the log's stall reports.
    pub without_stalls: bool,
    /// The module that takes the console over, if one does.
    pub module: Option<ModuleSwitch>,
}

impl Scenario {
    /// The baseline's setup, with the user's `cpus` if the log lacks the number.
    pub fn baseline(boot: &Boot) -> Result<Scenario, PredictionError> {
        let line = boot.line.as_ref().ok_or(PredictionError::NoConsole)?;
        let speed = line.speed.ok_or_else(|| PredictionError::NoSpeed { console: line.console.name.clone() })?;
        let mut s = Scenario {
            behaviour: baseline_behaviour(boot, &line.console),
            rates: rate::baseline(boot, speed),
            cpus: boot.kernel.cpus.unwrap_or(1),
            loglevel: boot.kernel.command_line.console_loglevel(),
            in_qemu: in_qemu(boot),
            record_waits: None,
            without_initcall_debug: false,
            without_stalls: false,
            module: module::baseline(boot),
        };
        if s.prints_with_interrupts_off() {
            let time = boot_workload::parallel_time(boot, &s.best_setup(boot), s.behaviour.threads_ready);
            // No board was measured: its work counts as not delayed.
            s.record_waits = Some(match s.in_qemu {
                true => RecordWaits::of_delayed_work(time, s.rates[1].bytes_per_s()),
                false => RecordWaits::of_work(time, 1.0),
            });
        }
        Ok(s)
    }

    /// How often this captured boot would wait for records of such a kthread in another kernel, whose kthreads are ready at `ready`.
    fn record_waits_elsewhere(&self, boot: &Boot, ready: ThreadsReady) -> RecordWaits {
        let setup = self.best_setup(boot);
        let time = boot_workload::parallel_time(boot, &setup, ready);
        RecordWaits::of_work(time, speed_with_busy_printer(setup.cpus, setup.contention))
    }

    fn best_setup(&self, boot: &Boot) -> SimulationSetup {
        self.setup(boot, Bound::Best, Bound::Best)
    }

    /// Whether a kthread on another CPU has interrupts off for whole records.
    fn prints_with_interrupts_off(&self) -> bool {
        let is_off = self.kthread().is_some_and(|kthread| kthread.driver == DriverWait::SpinsIrqsOff);
        self.cpus > 1 && is_off && !self.gives_way()
    }

    /// The setup under a change.
    pub fn changed(&self, boot: &Boot, change: &Change) -> Result<Scenario, PredictionError> {
        let mut s = self.clone();
        let line = boot.line.as_ref().ok_or(PredictionError::NoConsole)?;
        let mut frame = line.console.frame;
        let mut baud: Option<Baud> = None;
        let mut kernel = boot.kernel.version;
        // console_relay does not print in the same way on all kernels.
        let mut loaded = self.module.map(|switch| (switch.module, switch.time));
        let mut replays = false;
        for setting in change.settings() {
            match setting {
                Setting::Baud(b) => baud = Some(b),
                Setting::Frame(f) => frame = f,
                Setting::LogLevel(level) => s.loglevel = level,
                Setting::NoInitcallDebug => s.without_initcall_debug = true,
                Setting::Kernel { version, rt } => {
                    s.behaviour = super::kernel::behaviour(boot, version, rt)?;
                    kernel = Some(version);
                }
                Setting::Printing(printing) => {
                    s.behaviour = super::kernel::behaviour_of(printing, boot);
                    loaded = None;
                }
                Setting::Module { module, replay } => {
                    replays = replay;
                    let time = if replay { SwitchTime::AtInit } else { module::built_in(boot) };
                    loaded = Some((module, time));
                }
                Setting::Cpus(cpus) => s.cpus = cpus,
            }
        }
        s.rates = match baud {
            Some(baud) => rate::changed(boot, baud, frame),
            None => rate::reframed(s.rates, line.console.frame, frame),
        };
        let is_as_logged = kernel == boot.kernel.version && loaded == self.module.map(|m| (m.module, m.time));
        if !is_as_logged {
            let rate = s.rates[1].bytes_per_s();
            s.module = loaded.map(|(module, time)| ModuleSwitch::new(boot, kernel, rate, module, time));
        }
        if s.prints_with_interrupts_off() {
            let ready = s.behaviour.threads_ready;
            let known = self.record_waits.filter(|_| ready == self.behaviour.threads_ready);
            s.record_waits = known.or_else(|| Some(self.record_waits_elsewhere(boot, ready)));
        }
        // A replay transmits what `quiet` had suppressed.
        let replayed = boot.console_switch.as_ref().is_some_and(|t| t.replayed);
        let log_has_all = replayed || boot.records.iter().any(|r| r.level.is_some_and(|l| l.0 >= self.loglevel));
        // The log from its first record, at this level and not at that of `quiet`, if it is known what that prints.
        if replays && (log_has_all || self.loglevel >= REPLAY_LOGLEVEL) {
            s.loglevel = s.loglevel.max(REPLAY_LOGLEVEL);
        }
        let faster = s.rates[1].bytes_per_s() > self.rates[1].bytes_per_s() * 1.5;
        let less = s.loglevel <= 4 && self.loglevel > 4 || s.without_initcall_debug;
        let no_waits = self.writers_wait() && !s.writers_wait();
        s.without_stalls = faster || less || no_waits;
        if s.loglevel > self.loglevel && !log_has_all && !boot.records.is_empty() {
            return Err(PredictionError::NotPrinted { level: self.loglevel });
        }
        Ok(s)
    }

    /// Whether nothing is printed before init's start, because a module prints all of it after that.
    pub fn prints_after_end(&self) -> bool {
        self.module.is_some_and(|switch| switch.time == SwitchTime::AtInit)
    }

    /// How the kthread prints, if one does before init's start: the kernel's own, at least until a module takes over, else the module's.
    fn kthread(&self) -> Option<Behaviour> {
        let own = (!self.behaviour.printing.writer_waits()).then_some(self.behaviour);
        let module = self.module.map(|switch| switch.behaviour);
        own.or(module).filter(|_| !self.prints_after_end())
    }

    /// Whether a kthread prints that spins on the transmitter.
    pub fn spins(&self) -> bool {
        self.kthread().is_some_and(|kthread| kthread.driver != DriverWait::Sleeps)
    }

    /// Whether that kthread lets the boot go first.
    pub fn gives_way(&self) -> bool {
        self.kthread().is_some_and(|kthread| kthread.thread == ThreadPriority::Lowest)
    }

    /// Whether writers wait for the line during at least a part of the boot.
    pub fn writers_wait(&self) -> bool {
        !self.prints_after_end() && self.behaviour.printing.writer_waits()
    }

    /// Whether writers wait for the line during all of the boot.
    pub fn is_synchronous(&self) -> bool {
        self.module.is_none() && self.behaviour.printing.writer_waits()
    }

    /// Share by which the boot's own work varies from one boot to the next.
    pub fn jitter(&self) -> f64 {
        if self.in_qemu { 0.1 } else { 0.02 }
    }

    /// What a spinning kthread takes from a boot that has a CPU of its own: minimum, best estimate, maximum.
    ///
    /// Tasks that are woken on the kthread's CPU wait for it: at nice -20 it leaves them 1 %, until the scheduler moves
    /// them. How often tasks land there no log shows. For QEMU measured: with PREEMPT_RT by the experiment accuracy, with
    /// interrupts off on arm64 6.18 and 7.2 (docs/console-model.md).
    pub fn contention(&self) -> [f64; 3] {
        let Some(kthread) = self.kthread() else { return [0.0; 3] };
        match (kthread.driver, kthread.thread, self.in_qemu) {
            (DriverWait::Sleeps, ..) => [0.0; 3],
            // They wait for the rest of a line at most.
            (_, ThreadPriority::Lowest, true) => [0.0, 0.05, 0.3],
            (_, ThreadPriority::Lowest, false) => [0.0, 0.0, 0.2],
            (DriverWait::Spins, _, true) => [0.25, 0.5, 0.75],
            (DriverWait::Spins, _, false) => [0.0, 0.0, 0.2],
            (DriverWait::SpinsIrqsOff, _, in_qemu) => {
                let taken = self.record_waits.map_or([0.0; 3], |waits| waits.taken(self.rates[1].bytes_per_s()));
                // No board was measured.
                if in_qemu { taken } else { [0.0, 0.0, taken[2]] }
            }
        }
    }

    /// The simulation setup for one end of the interval, with one degree of contention.
    pub fn setup(&self, boot: &Boot, bound: Bound, contention: Bound) -> SimulationSetup {
        // A slow line makes the boot longer.
        let rate = match bound {
            Bound::Low => self.rates[2],
            Bound::Best => self.rates[1],
            Bound::High => self.rates[0],
        };
        let uart = Uart::ideal(rate);
        let mut consoles = Vec::new();
        let of_module = self.module.map(|switch| switch.behaviour);
        let of_module = of_module.map(|behaviour| ModelledConsole { behaviour, uart, boot: false, replay: true });
        let contention = Contention(self.contention()[contention as usize]);
        let setup = SimulationSetup {
            cpus: self.cpus,
            consoles: of_module.into_iter().collect(),
            loglevel: self.loglevel,
            contention,
            clock: KernelClock::True,
        };
        if self.prints_after_end() {
            return setup;
        }
        if has_boot_console(boot) {
            let behaviour = Behaviour { printing: boot_console_printing(self.behaviour), ..self.behaviour };
            consoles.push(ModelledConsole { behaviour, uart, boot: true, replay: true });
        }
        let replay = consoles.is_empty() || boot.kernel.command_line.has("keep_bootcon");
        consoles.push(ModelledConsole { behaviour: self.behaviour, uart, boot: false, replay });
        consoles.extend(of_module.map(|of_module| ModelledConsole { replay: false, ..of_module }));
        SimulationSetup { consoles, ..setup }
    }

    /// The degrees of contention to try, the same in both boots; only one if no kthread competes.
    pub fn contentions(&self, other: &Scenario) -> &'static [Bound] {
        let competes = |s: &Scenario| s.cpus > 1 && s.spins();
        if competes(self) || competes(other) { &Bound::ALL } else { &[Bound::Best] }
    }

    /// Where the consoles register within the boot's work.
    /// `lock_takers` are the boot's own.
    pub fn plan(&self, boot: &Boot, lock_takers: &[ConsoleLockTaker]) -> ConsolePlan {
        let (without_initcall_debug, without_stalls) = (self.without_initcall_debug, self.without_stalls);
        let mut plan = ConsolePlan { without_initcall_debug, without_stalls, ..ConsolePlan::default() };
        let Some(line) = &boot.line else { return plan };
        let first = boot.milestones.first_kernel.unwrap_or(0);
        plan.threads_ready = boot_workload::ready_at(boot, self.behaviour.threads_ready);
        if self.prints_after_end() {
            plan.after_end = vec![Op::ThreadsReady, Op::Register(ConsoleId(0))];
            return plan;
        }
        let real = ConsoleId(usize::from(has_boot_console(boot)));
        if let Some(early) = boot.consoles.iter().find(|c| c.boot && bootline_boot::is_serial(&c.name)) {
            plan.registrations.push((early.enabled_index, ConsoleId(0), true));
            if let Some(gone) = early.disabled.and_then(|id| boot.records.index_of(id)) {
                plan.registrations.push((gone, ConsoleId(0), false));
            }
        }
        let registered = line.console.enabled_index.unwrap_or(first);
        if real.0 == 0 || line.console.after_boot_console {
            // The real console registers before the boot console is unregistered, so that "disabled" is on both.
            plan.registrations.push((registered, real, true));
        }
        if let Some(SwitchTime::After(place)) = self.module.map(|switch| switch.time) {
            // The module's console registers before the driver's is unregistered.
            plan.registrations.push((place, ConsoleId(real.0 + 1), true));
            plan.registrations.push((place, real, false));
            // A legacy console has no kthread, but printk had made kthreads ready long before.
            plan.threads_ready =
                plan.threads_ready.or_else(|| boot_workload::ready_at(boot, ThreadsReady::SubsysInitcall));
        }
        let threads = self.behaviour.threads_ready != ThreadsReady::Never || self.module.is_some();
        if threads && plan.threads_ready.is_none() {
            plan.threads_ready = if self.module.is_none() && !boot.registers_after(self.behaviour.threads_ready) {
                let is_kernel = |i: &usize| boot.records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel);
                (registered + 1..boot.end_index()).find(is_kernel)
            } else {
                Some(registered)
            };
        }
        plan.lock_takers = lock_takers.to_vec();
        plan
    }
}

fn has_boot_console(boot: &Boot) -> bool {
    boot.consoles.iter().any(|c| c.boot && bootline_boot::is_serial(&c.name))
}

/// How a boot console prints: it has no kthread and no nbcon driver.
fn boot_console_printing(real: Behaviour) -> Printing {
    match real.printing {
        Printing::Nbcon => Printing::Synchronous,
        other => other,
    }
}

fn baseline_behaviour(boot: &Boot, console: &SerialConsole) -> Behaviour {
    // A log without its banner can still show an nbcon console.
    let nbcon = console.printing == Printing::Nbcon;
    let version = boot.kernel.version.or_else(|| nbcon.then(newest));
    let behaviour = Behaviour::of(version, boot.kernel.rt, console.framework == Framework::Legacy);
    Behaviour { printing: console.printing, ..behaviour }
}

/// In QEMU's translator the CPUs share the host's CPUs and a lock, and the boot's own work varies with the host's load.
fn in_qemu(boot: &Boot) -> bool {
    const EARLY: usize = 300;
    let is_kernel_s = |i: usize| boot.records.get(i).is_some_and(|r| r.source == RecordOrigin::Kernel);
    let mut early = boot.records.iter().take(EARLY);
    early.any(|r| r.source == RecordOrigin::Kernel && r.text.starts_with("DMI: QEMU "))
        || boot.records.containing("linux,dummy-virt").take_while(|i| *i < EARLY).any(is_kernel_s)
}
