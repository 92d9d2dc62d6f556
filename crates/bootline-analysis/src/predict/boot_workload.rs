// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot as a workload: what it did between its records, without its waits for the console.
use std::ops::Range;

use super::levels::CountedLevel;
use super::stall::StallReport;
use bootline_boot::{Boot, ConsoleWaits, WaitCause, initcall_debug};
use bootline_capture::units::Dur;
use bootline_console::{ConsoleId, Message, Op, SimulationSetup, ThreadsReady, Workload, speed_with_busy_printer};
use bootline_records::{Record, RecordOrigin};

/// The mark at the boot's end.
pub(super) const END: u32 = 1;
/// The mark where the console registers.
pub(super) const REGISTERED: u32 = 2;
/// The mark where the threads are ready.
pub(super) const READY: u32 = 3;

/// Which end of an interval to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Low,
    Best,
    High,
}

impl Bound {
    pub(super) const ALL: [Bound; 3] = [Bound::Low, Bound::Best, Bound::High];
}

/// One kernel record of the boot, with the work before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkStep {
    /// Position among the boot's records.
    pub index: usize,
    /// The work before it: minimum, best estimate, maximum.
    pub work: [Dur; 3],
    /// What its line has on the console.
    pub bytes: u32,
    pub level: CountedLevel,
    /// Whether it belongs to a report of a stall, which the console itself may have caused.
    pub of_stall: bool,
    /// Whether initcall_debug wrote it.
    pub of_initcall_debug: bool,
    /// Whether the boot waited for another CPU's start before it.
    pub starts_processor: bool,
}

/// How much of the other CPUs' start is work of the CPU that boots them: minimum, best estimate, maximum. The rest is the other CPU's,
/// which no kthread slows. Measured by the experiment accuracy: 0.11 s in boots whose kthread does not print then, 1.0 to
/// 2.3 s in PREEMPT_RT boots whose kthread takes nearly all of the one CPU.
const OF_FIRST_PROCESSOR: [f64; 3] = [0.1, 0.12, 0.25];

/// The boot's work, up to its end.
#[derive(Clone, Debug)]
pub(super) struct BootWorkload {
    pub steps: Vec<WorkStep>,
    /// Number of records whose level the log lacks.
    pub unknown_levels: usize,
    /// The record before which the other CPUs come up.
    processors_up: Option<usize>,
}

impl BootWorkload {
    /// Extracts the work from a boot, once for each degree in which its printer kthread may have competed: `baselines` are the
    /// setups of the captured boot, whose kthread's share of the work is added back. Only the work differs.
    pub fn of(boot: &Boot, baselines: &[SimulationSetup]) -> Vec<BootWorkload> {
        let mut steps = Vec::new();
        let mut works = vec![Vec::new(); baselines.len()];
        let mut unknown_levels = 0;
        let processors_up = processors_up(boot);
        let starting = processors_starting(boot, processors_up);
        let speeds: Vec<Speeds> = baselines.iter().map(Speeds::of).collect();
        let mut stall = StallReport::default();
        each_work(boot, baselines, processors_up, &starting, boot.end_index(), |index, r, work| {
            let of_stall = stall.holds(r.text);
            let Some(work) = work else { return };
            works.iter_mut().zip(&speeds).for_each(|(works, speeds)| works.push(work.at(speeds)));
            let level = CountedLevel::of(&r);
            unknown_levels += usize::from(!level.known);
            steps.push(WorkStep {
                index,
                work: [Dur::ZERO; 3],
                bytes: r.line_bytes,
                level,
                of_stall,
                of_initcall_debug: initcall_debug::is_written_by_it(r.text),
                starts_processor: starting.contains(&index),
            });
        });
        let mut all: Vec<BootWorkload> = Vec::new();
        for works in works {
            let mut steps = all.last().map_or_else(|| std::mem::take(&mut steps), |other| other.steps.clone());
            steps.iter_mut().zip(works).for_each(|(step, work)| step.work = work);
            all.push(BootWorkload { steps, unknown_levels, processors_up });
        }
        all
    }

    /// The operations of a boot whose consoles register as in `plan`.
    pub fn workload(&self, plan: &ConsolePlan, bound: Bound) -> Workload {
        let mut ops = Vec::with_capacity(self.steps.len() * 2 + 8);
        let at = |place: Option<usize>, index: usize| place == Some(index);
        // Ascending; there may be as many as records.
        let mut lock_takers = plan.lock_takers.iter().peekable();
        for step in &self.steps {
            let work = step.work[bound as usize];
            if step.starts_processor {
                let own = work.scale(OF_FIRST_PROCESSOR[bound as usize]);
                ops.extend([Op::Sleep(work - own), Op::Work(own)]);
            } else {
                ops.push(Op::Work(work));
            }
            if at(self.processors_up, step.index) {
                ops.push(Op::ProcessorsUp);
            }
            if at(plan.threads_ready, step.index) {
                ops.extend([Op::ThreadsReady, Op::Mark(READY)]);
            }
            while lock_takers.next_if(|taker| taker.before < step.index).is_some() {}
            let mut locks = 0;
            while let Some(taker) = lock_takers.next_if(|taker| taker.before == step.index) {
                locks += taker.times[bound as usize];
            }
            ops.extend((0..locks).map(|_| Op::LockConsole(Dur::ZERO)));
            // A record without a level whose text looks like an error may be one that even a quiet console prints.
            let level = if bound == Bound::High { step.level.gravest() } else { step.level.level };
            if !plan.drops(step) {
                ops.push(Op::Print(Message { bytes: step.bytes, level }));
            }
            let here = plan.registrations.iter().filter(|r| r.0 == step.index);
            for &(_, console, comes) in here {
                if comes {
                    ops.extend([Op::Mark(REGISTERED), Op::Register(console)]);
                } else {
                    ops.push(Op::Unregister(console));
                }
            }
        }
        ops.push(Op::Mark(END));
        ops.extend(plan.after_end.iter().copied());
        Workload { tasks: vec![ops] }
    }

    /// The boot's own work.
    pub fn work(&self) -> Dur {
        self.steps.iter().map(|s| s.work[Bound::Best as usize]).sum()
    }

    /// Whether initcall_debug wrote some of the records.
    pub fn has_initcall_debug(&self) -> bool {
        self.steps.iter().any(|s| s.of_initcall_debug)
    }

    /// Bytes of all records that a console with this log level prints.
    pub fn bytes(&self, loglevel: u8, plan: &ConsolePlan) -> u64 {
        let transmitted = self.steps.iter().filter(|s| s.level.level < loglevel && !plan.drops(s));
        transmitted.map(|s| u64::from(s.bytes)).sum()
    }
}

/// Speeds of the boot's task while its kthread prints.
struct Speeds {
    /// While the other CPUs are started.
    starting: f64,
    /// On the only CPU.
    alone: f64,
    all_up: f64,
}

impl Speeds {
    fn of(baseline: &SimulationSetup) -> Speeds {
        let alone = speed_with_busy_printer(1, baseline.contention);
        let all_up = speed_with_busy_printer(baseline.cpus, baseline.contention);
        Speeds { starting: starting_speed(alone), alone, all_up }
    }
}

/// The time before a record, of which a part is work.
enum TimeBefore {
    /// All of it.
    Work(Dur),
    Between {
        time: Dur,
        /// Waited for the console: maximum, best estimate, minimum.
        waited: [Dur; 3],
        /// How long a kthread printed meanwhile.
        printed: Dur,
        /// Which of the speeds the task had then.
        speed: fn(&Speeds) -> f64,
    },
}

/// The time of a boot on several CPUs that is no wait for the console.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ParallelTime {
    /// While no kthread printed.
    pub alone: Dur,
    /// While one printed.
    pub with_kthread: Dur,
}

impl TimeBefore {
    /// As the best estimates divide it.
    fn parallel(&self) -> ParallelTime {
        match *self {
            TimeBefore::Work(time) => ParallelTime { alone: time, ..ParallelTime::default() },
            TimeBefore::Between { time, waited, printed, .. } => TimeBefore::divide(time, waited[1], printed),
        }
    }

    /// In a wait for the lock a kthread prints: only what it printed outside of these waits slowed the work.
    fn divide(time: Dur, waited: Dur, printed: Dur) -> ParallelTime {
        let net = (time - waited).max_zero();
        let with_kthread = (printed - waited).max_zero().min(net);
        ParallelTime { alone: net - with_kthread, with_kthread }
    }

    /// The work at these speeds: minimum, best estimate, maximum.
    fn at(&self, speeds: &Speeds) -> [Dur; 3] {
        let (time, waited, printed, speed) = match *self {
            TimeBefore::Work(time) => return [time; 3],
            TimeBefore::Between { time, waited, printed, speed } => (time, waited, printed, speed(speeds)),
        };
        let mut all = waited.map(|waited| {
            let ParallelTime { alone, with_kthread } = TimeBefore::divide(time, waited, printed);
            alone + with_kthread.scale(speed)
        });
        all.sort();
        all
    }
}

/// Gives each kernel record of a boot, and the time before it where the record has a time.
fn each_work<'b>(
    boot: &'b Boot,
    baselines: &[SimulationSetup],
    processors_up: Option<usize>,
    starting: &Range<usize>,
    until: usize,
    mut each: impl FnMut(usize, Record<'b>, Option<TimeBefore>),
) {
    // They differ in their contention alone.
    let busy = PrinterBusy::of(boot, &baselines[0]);
    let stamped = boot.records.iter().any(|r| r.source == RecordOrigin::Kernel && r.stamp.is_some());
    let mut before: Option<Dur> = None;
    let mut line_free = None;
    for index in 0..until {
        let Some(r) = boot.records.get(index).filter(|r| r.source == RecordOrigin::Kernel) else { continue };
        let Some(stored) = boot.timeline.stored(index) else {
            each(index, r, None);
            continue;
        };
        // Another CPU's record may be stamped before its predecessor.
        let from = before.unwrap_or(stored.min(Dur::ZERO));
        let stored = stored.max(from);
        before = Some(stored);
        let transmitted = boot.timeline.place(index).transmitted;
        let work = match (stamped, transmitted) {
            (false, Some(p)) => {
                // Without stamps, only the times when the line was idle are known to be work.
                TimeBefore::Work((p.start - line_free.replace(p.end).unwrap_or(Dur::ZERO)).max_zero())
            }
            _ if starting.contains(&index) => busy.between(from, stored, |speeds| speeds.starting),
            _ if processors_up.is_some_and(|up| index <= up) => busy.between(from, stored, |speeds| speeds.alone),
            _ => busy.between(from, stored, |speeds| speeds.all_up),
        };
        each(index, r, Some(work));
    }
}

/// The captured boot's time from when kthreads would be ready and all CPUs up, until init, wherever the boot's end is. If neither is known to
/// be before init, all the time until init.
pub(super) fn parallel_time(boot: &Boot, baseline: &SimulationSetup, ready: ThreadsReady) -> ParallelTime {
    let until = boot.init_index().map_or(boot.end_index(), |init| init + 1);
    let up = processors_up(boot);
    let from = up.max(ready_at(boot, ready)).filter(|from| from + 1 < until);
    let mut sum = ParallelTime::default();
    each_work(boot, std::slice::from_ref(baseline), up, &(0..0), until, |index, _, time| {
        if let Some(time) = time.filter(|_| from.is_none_or(|from| index > from)) {
            let time = time.parallel();
            sum.alone += time.alone;
            sum.with_kthread += time.with_kthread;
        }
    });
    sum
}

/// Where the consoles register and the console lock is taken, as positions among the boot's records.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ConsolePlan {
    /// After which record each console registers or unregisters.
    pub registrations: Vec<(usize, ConsoleId, bool)>,
    /// Before which record kthreads become ready.
    pub threads_ready: Option<usize>,
    /// The takers of the console lock, ascending.
    pub lock_takers: Vec<ConsoleLockTaker>,
    /// Whether initcall_debug is off: its records are not even stored.
    pub without_initcall_debug: bool,
    /// Whether reports of stalls are omitted, because the console that caused them is faster.
    pub without_stalls: bool,
    /// What follows the boot's end.
    pub after_end: Vec<Op>,
}

impl ConsolePlan {
    fn drops(&self, step: &WorkStep) -> bool {
        self.without_initcall_debug && step.of_initcall_debug || self.without_stalls && step.of_stall
    }
}

/// A call that takes the console lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConsoleLockTaker {
    /// Before which record of the boot.
    pub before: usize,
    /// How often in a row: minimum, best estimate, maximum. Each time it may wait for the record being printed.
    pub times: [u32; 3],
}

/// When a kthread printed in parallel with the boot.
struct PrinterBusy {
    /// Time ranges in which a kthread printed, ascending, with the cumulative sum before each.
    time_ranges: Vec<(Dur, Dur, Dur)>,
    /// The waits for anything except the CPU that the kthread used, which the model accounts for.
    waits: ConsoleWaits,
}

impl PrinterBusy {
    fn of(boot: &Boot, baseline: &SimulationSetup) -> PrinterBusy {
        let mut time_ranges: Vec<(Dur, Dur, Dur)> = Vec::new();
        let threaded = baseline.consoles.iter().any(|c| !c.behaviour.printing.writer_waits());
        // If kthreads are ready at the console start, they also print what was stored before.
        let threads = boot.console_start.filter(|_| threaded);
        let threads = threads.map(|o| if o.kthreads_from <= o.index { 0 } else { o.kthreads_from });
        let mut sum = Dur::ZERO;
        let mut until = Dur::from_nanos(i64::MIN);
        for index in threads.map_or(0..0, |from| from..boot.records.len()) {
            if boot.console_start.is_some_and(|o| o.is_offloaded(index)) {
                continue;
            }
            let Some(p) = boot.timeline.place(index).transmitted else { continue };
            let from = p.start.max(until);
            if p.end > from {
                time_ranges.push((from, p.end, sum));
                sum += p.end - from;
                until = p.end;
            }
        }
        PrinterBusy { time_ranges, waits: boot.waits.without(WaitCause::Processor) }
    }

    /// How long a kthread had printed up to an instant.
    fn up_to(&self, at: Dur) -> Dur {
        let i = self.time_ranges.partition_point(|s| s.0 < at);
        match i.checked_sub(1).map(|i| self.time_ranges[i]) {
            Some((from, to, sum)) => sum + (at.min(to) - from),
            None => Dur::ZERO,
        }
    }

    /// The time between two instants.
    fn between(&self, from: Dur, to: Dur, speed: fn(&Speeds) -> f64) -> TimeBefore {
        let waited = self.waits.bounds_within(from, to);
        let waited = [waited.high(), self.waits.within(from, to), waited.low()];
        let printed = if self.time_ranges.is_empty() { Dur::ZERO } else { self.up_to(to) - self.up_to(from) };
        TimeBefore::Between { time: to - from, waited, printed, speed }
    }
}

/// Where `printk_set_kthreads_ready` would be: the nearest record that shows it, if one does.
pub(super) fn ready_at(boot: &Boot, call: ThreadsReady) -> Option<usize> {
    if call == ThreadsReady::Never { None } else { boot.threads_ready(call) }
}

/// The record of smp_init that announces the other CPUs; none in a kernel without them.
fn processors_up(boot: &Boot) -> Option<usize> {
    let says = |text: &str| text.strip_prefix("smp: ").unwrap_or(text).starts_with("Brought up ");
    boot.records.iter().take(boot.end_index()).position(|r| r.source == RecordOrigin::Kernel && says(r.text))
}

/// The records between the announcement that the other CPUs are started and the one that they are up.
fn processors_starting(boot: &Boot, up: Option<usize>) -> Range<usize> {
    let says = |text: &str| {
        text.starts_with("smp: Bringing up secondary CPUs") || text.ends_with("Booting SMP configuration:")
    };
    let Some(up) = up else { return 0..0 };
    let begins = boot.records.iter().take(up).position(|r| r.source == RecordOrigin::Kernel && says(r.text));
    begins.map_or(0..0, |begins| begins + 1..up + 1)
}

/// Speed of the other CPUs' start on a CPU that runs at `speed`.
fn starting_speed(speed: f64) -> f64 {
    let own = OF_FIRST_PROCESSOR[Bound::Best as usize];
    1.0 / (1.0 - own + own / speed)
}

const ONCE: [u32; 3] = [1, 1, 1];
/// How many records the two long lock takers wait for while a kthread releases the lock after each record: 6 to 14 records at the
/// registration of an 8250's ports, none to 30 at the open of /dev/console. Measured on 6.19-rt at 2400 to 115200 baud by
/// the experiment printer-thread-contention; the likely cause is the port's lock, which the kthread takes again at
/// once.
const PORT: [u32; 3] = [1, 10, 14];
const OPEN: [u32; 3] = [1, 18, 30];

/// Known takers of the console lock: fbmem_init, the registration of the console's own port (uart_configure_port), the
/// open of /dev/console (console_on_rootfs).
pub(super) fn lock_takers(boot: &Boot, serial: &str) -> Vec<ConsoleLockTaker> {
    let mut takers = Vec::new();
    let (mut opened, mut port_seen) = (false, false);
    let port = format!("{serial} at ");
    let mut with_port = boot.records.containing(&port).peekable();
    for (i, r) in boot.records.iter().enumerate().take(boot.end_index()) {
        if r.source != RecordOrigin::Kernel {
            continue;
        }
        while with_port.next_if(|at| *at < i).is_some() {}
        match r.text.as_bytes().first() {
            Some(b'c') if r.text.starts_with("calling  fbmem_init+") => {
                takers.push(ConsoleLockTaker { before: i + 1, times: ONCE })
            }
            Some(b'F') if !opened && r.text.starts_with("Freeing unused ") => {
                opened = true;
                takers.push(ConsoleLockTaker { before: i, times: OPEN });
            }
            _ if !port_seen && with_port.peek() == Some(&i) && r.text.contains(" is a ") => {
                port_seen = true;
                takers.push(ConsoleLockTaker { before: i + 1, times: PORT })
            }
            _ => {}
        }
    }
    takers
}
