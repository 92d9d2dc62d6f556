// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine against cases worked by hand, and its laws on random ones. The line carries 960 bytes a second
//! throughout: a message of 96 takes 100 ms.
use proptest::prelude::*;

use super::*;
use bootline_capture::units::{Dur, LineRate};

fn ms(n: i64) -> Dur {
    Dur::from_millis(n)
}

fn line(bytes_per_s: f64) -> Uart {
    Uart::ideal(LineRate::from_bytes_per_s(bytes_per_s).unwrap())
}

fn behaviour(printing: Printing) -> Behaviour {
    let threads_ready = if printing.writer_waits() { ThreadsReady::Never } else { ThreadsReady::EarlyInitcall };
    let registration = match printing {
        Printing::ThreadWholeFlush | Printing::ThreadPerRecord => RegistrationFlush::ByThread,
        _ => RegistrationFlush::Synchronous,
    };
    Behaviour { printing, threads_ready, registration, driver: DriverWait::Spins, thread: ThreadPriority::Highest }
}

fn console(printing: Printing) -> ModelledConsole {
    ModelledConsole { behaviour: behaviour(printing), uart: line(960.0), boot: false, replay: true }
}

fn setup(cpus: u32, consoles: Vec<ModelledConsole>) -> SimulationSetup {
    SimulationSetup { cpus, consoles, loglevel: 8, contention: Contention(0.0), clock: KernelClock::True }
}

fn print(bytes: u32) -> Op {
    Op::Print(Message { bytes, level: 6 })
}

const REGISTER: Op = Op::Register(ConsoleId(0));

fn run(tasks: Vec<Vec<Op>>, setup: &SimulationSetup) -> SimulationOutcome {
    simulate(&Workload { tasks }, setup)
}

fn done(outcome: &SimulationOutcome, task: usize, op: usize) -> i64 {
    outcome.done[task][op].map_or(-1, |d| (d.as_nanos() + 500_000) / 1_000_000)
}

#[test]
fn a_writer_waits_for_its_own_record() {
    let out = run(
        vec![vec![REGISTER, Op::Work(ms(1000)), print(96), Op::Work(ms(500))]],
        &setup(1, vec![console(Printing::Synchronous)]),
    );
    // 1000 of work, 100 on the line, 500 of work.
    assert_eq!((done(&out, 0, 1), done(&out, 0, 2), done(&out, 0, 3)), (1000, 1100, 1600));
}

#[test]
fn before_the_registration_nothing_costs_and_then_all_of_it() {
    let ops = vec![print(96), Op::Work(ms(50)), print(96), print(96), REGISTER, Op::Work(ms(10))];
    let mut machine = setup(1, vec![console(Printing::Synchronous)]);
    let out = run(vec![ops.clone()], &machine);
    assert_eq!((done(&out, 0, 3), done(&out, 0, 4), done(&out, 0, 5)), (50, 350, 360));
    // Without CON_PRINTBUFFER it begins with what comes next.
    machine.consoles[0].replay = false;
    assert_eq!(done(&run(vec![ops], &machine), 0, 4), 50);
}

#[test]
fn the_owner_prints_for_others_and_hands_over_to_one_that_spins() {
    let ops = |wait| vec![Op::Sleep(ms(wait)), print(96), Op::Mark(wait as u32)];
    let mut tasks = vec![vec![REGISTER, print(96), Op::Mark(0)], ops(50), ops(60)];
    let machine = setup(4, vec![console(Printing::Synchronous)]);
    let out = run(tasks.clone(), &machine);
    // B spins from 50 to 100, when A's record is through and A goes. C finds a spinner and goes on at once: B prints its
    // own record to 200, and C's to 300.
    assert_eq!([0, 50, 60].map(|m| out.mark(m).unwrap()), [ms(100), ms(300), ms(60)]);
    // Without others the owner's record is all it prints.
    tasks.truncate(1);
    assert_eq!(run(tasks, &machine).mark(0), Some(ms(100)));
}

#[test]
fn a_thread_that_holds_the_lock_makes_its_takers_wait_for_the_whole_backlog() {
    let ops = vec![
        REGISTER,
        Op::ThreadsReady,
        print(96),
        print(96),
        print(96),
        Op::Work(ms(20)),
        Op::LockConsole(ms(5)),
        Op::Work(ms(1)),
    ];
    let check = |printing, lock_done| {
        let out = run(vec![ops.clone()], &setup(2, vec![console(printing)]));
        assert_eq!(done(&out, 0, 4), 0, "printk returns at once");
        assert_eq!(done(&out, 0, 6), lock_done, "{printing:?}");
        assert_eq!(
            out.transmitted.last().unwrap().end,
            if printing == Printing::ThreadPerRecord { ms(305) } else { ms(300) }
        );
    };
    // From 20 ms until three records are out, and 5 of its own.
    check(Printing::ThreadWholeFlush, 305);
    // Until the first record is out: it is the next in the queue.
    check(Printing::ThreadPerRecord, 105);
    // No lock that others take.
    let out = run(vec![ops.clone()], &setup(2, vec![console(Printing::Nbcon)]));
    assert_eq!(done(&out, 0, 6), 25);
}

#[test]
fn with_one_processor_the_thread_takes_it() {
    let ops = vec![REGISTER, Op::ThreadsReady, print(960), Op::Work(ms(100))];
    let check = |cpus, contention, want: std::ops::RangeInclusive<i64>| {
        let mut machine = setup(cpus, vec![console(Printing::ThreadPerRecord)]);
        machine.contention = Contention(contention);
        let at = done(&run(vec![ops.clone()], &machine), 0, 3);
        assert!(want.contains(&at), "{cpus} cpus: {at}");
    };
    // One second on the line, in which the work gets a hundredth of the processor: 11 ms of its 100.
    check(1, 0.0, 1085..=1092);
    check(2, 0.0, 100..=100);
    check(2, 0.5, 200..=200);
}

#[test]
fn before_the_other_processors_are_up_there_is_one() {
    let check = |ready: usize, want: std::ops::RangeInclusive<i64>| {
        let mut ops = vec![REGISTER, print(960), Op::Work(ms(50)), Op::ProcessorsUp, Op::Work(ms(50))];
        ops.insert(ready, Op::ThreadsReady);
        let at = done(&run(vec![ops], &setup(2, vec![console(Printing::ThreadPerRecord)])), 0, 5);
        assert!(want.contains(&at), "{at}");
    };
    // 6.12 to 7.1 start the thread in an early_initcall, where it takes the one processor for its second of printing; in
    // that time 11 ms of the first work get done, and the other processors come up after it: 1000 + 39 + 50.
    check(1, 1085..=1092);
    // 7.2.13 starts it in a subsys_initcall: it never competes.
    check(4, 100..=100);
}

#[test]
fn a_driver_that_sleeps_leaves_the_processor() {
    let ops = vec![REGISTER, Op::ThreadsReady, print(960), Op::Work(ms(100))];
    let mut machine = setup(1, vec![console(Printing::Nbcon)]);
    machine.consoles[0].behaviour.driver = DriverWait::Sleeps;
    assert_eq!(done(&run(vec![ops], &machine), 0, 3), 100);
}

#[test]
fn a_thread_of_the_lowest_priority_prints_between_times() {
    let mut machine = setup(1, vec![console(Printing::Nbcon)]);
    machine.consoles[0].behaviour.thread = ThreadPriority::Lowest;
    let end = |out: &SimulationOutcome, record: usize| out.transmitted[record].end;
    // A line takes the CPU for 100 ms; before the next one, the boot has it for 100 ms * 1024 / 15.
    let ops = vec![REGISTER, Op::ThreadsReady, print(96), print(96), print(96), Op::Work(ms(7000)), Op::Sleep(ms(500))];
    let out = run(vec![ops.clone()], &machine);
    assert_eq!(end(&out, 0), ms(100));
    assert_eq!((end(&out, 1) - end(&out, 0)).as_nanos() / 1_000_000, 6826 + 100);
    assert_eq!((done(&out, 0, 5), end(&out, 2)), (7200, ms(7300)), "the boot's sleep leaves the CPU to the thread");
    // Next to a CPU that is free it does not wait.
    machine.cpus = 2;
    let out = run(vec![ops.clone()], &machine);
    assert_eq!((end(&out, 2), done(&out, 0, 5)), (ms(300), 7000));
    machine.contention = Contention(0.5);
    assert_eq!(done(&run(vec![ops], &machine), 0, 5), 7150);
}

#[test]
fn nbcon_writers_print_until_its_thread_can() {
    let ops = vec![print(96), REGISTER, print(96), Op::ThreadsReady, print(96), Op::Work(ms(1))];
    let out = run(vec![ops], &setup(2, vec![console(Printing::Nbcon)]));
    // 100 for the flush at the registration, 100 for the next; after ThreadsReady nobody waits.
    assert_eq!([1, 2, 4, 5].map(|op| done(&out, 0, op)), [100, 200, 200, 201]);
}

#[test]
fn an_early_console_flushes_by_its_thread_where_the_version_does() {
    let ops = |ready_first: bool| {
        let mut ops = vec![print(96), print(96), REGISTER, Op::Work(ms(1))];
        ops.insert(if ready_first { 2 } else { 3 }, Op::ThreadsReady);
        ops
    };
    let mut by_thread = console(Printing::Nbcon);
    by_thread.behaviour.registration = RegistrationFlush::ByThread;
    let registered = |ops: Vec<Op>, console| {
        let at = ops.iter().position(|o| *o == REGISTER).unwrap();
        done(&run(vec![ops], &setup(2, vec![console])), 0, at)
    };
    assert_eq!(registered(ops(true), by_thread), 0);
    assert_eq!(registered(ops(true), console(Printing::Nbcon)), 200, "6.16 flushes though the thread is there");
    assert_eq!(registered(ops(false), by_thread), 200, "7.2.13's threads come too late for an early console");
}

#[test]
fn boot_consoles_are_printed_by_writers_and_hand_over() {
    let mut early = console(Printing::Synchronous);
    early.boot = true;
    let real = ModelledConsole { replay: false, ..console(Printing::Nbcon) };
    let second = Op::Register(ConsoleId(1));
    let ops = vec![
        print(96),
        REGISTER,
        Op::ThreadsReady,
        print(96),
        second,
        Op::Unregister(ConsoleId(0)),
        print(96),
        Op::Work(ms(1)),
    ];
    let out = run(vec![ops.clone()], &setup(2, vec![early, real]));
    // The writer waits for the boot console though threads are ready; after the hand-over it doesn't.
    assert_eq!([1, 3, 4, 6].map(|op| done(&out, 0, op)), [100, 200, 200, 200]);
    let transmitted =
        |c| out.transmitted.iter().filter(|x| x.console == ConsoleId(c)).map(|x| x.record).collect::<Vec<_>>();
    assert_eq!((transmitted(0), transmitted(1)), (vec![0, 1], vec![2]), "each record once");
    // keep_bootcon and replay: the real one repeats the log, and the writer waits for both.
    let out = run(vec![ops], &setup(2, vec![early, ModelledConsole { replay: true, ..real }]));
    assert_eq!(done(&out, 0, 4), 400);
}

#[test]
fn a_boot_console_that_goes_in_mid_record_finishes_it_and_no_more() {
    // On PREEMPT_RT a thread prints to the boot console, too; it has a backlog when the real one comes.
    let early = ModelledConsole { boot: true, ..console(Printing::ThreadPerRecord) };
    let real = ModelledConsole { replay: false, ..console(Printing::ThreadPerRecord) };
    let (second, gone) = (Op::Register(ConsoleId(1)), Op::Unregister(ConsoleId(0)));
    let ops = vec![REGISTER, Op::ThreadsReady, print(96), print(96), Op::Work(ms(50)), second, gone, print(96)];
    let out = run(vec![ops], &setup(2, vec![early, real]));
    let transmitted: Vec<_> = out.transmitted.iter().map(|c| (c.console.0, c.record)).collect();
    assert_eq!(transmitted, [(0, 0), (1, 1), (1, 2)], "each record once, on one line");
    assert_eq!(out.transmitted.last().unwrap().end, ms(300));
}

#[test]
fn levels_at_or_above_the_consoles_stay_off_the_line() {
    let mut machine = setup(1, vec![console(Printing::Synchronous)]);
    machine.loglevel = 4;
    let ops = vec![REGISTER, print(96), Op::Print(Message { bytes: 96, level: 3 }), print(96)];
    let out = run(vec![ops], &machine);
    assert_eq!((done(&out, 0, 1), done(&out, 0, 2), done(&out, 0, 3)), (0, 100, 100));
    assert_eq!(out.transmitted.len(), 1);
}

#[test]
fn two_consoles_share_the_writers_patience() {
    let out = run(
        vec![vec![REGISTER, Op::Register(ConsoleId(1)), print(96), Op::Work(ms(1))]],
        &setup(1, vec![console(Printing::Synchronous); 2]),
    );
    assert_eq!(done(&out, 0, 2), 200);
}

#[test]
fn a_clock_that_lives_on_ticks_loses_what_is_printed_with_interrupts_off() {
    let mut machine = setup(1, vec![console(Printing::Synchronous)]);
    machine.clock = KernelClock::LosesTicks(ms(4));
    let ops = vec![REGISTER, print(96), Op::Work(ms(10)), print(96), Op::ClockStable, print(96), print(96)];
    let out = run(vec![ops], &machine);
    let kernel: Vec<_> = out.records.iter().map(|r| r.kernel.as_nanos() / 1_000_000).collect();
    // 0; then 4 for the first record and 10 of work; 4 more; from there on true.
    assert_eq!(kernel, [0, 14, 18, 118]);
    assert_eq!((out.clock_lost, out.longest_irqs_off), (ms(192), ms(100)));
}

#[test]
fn a_warning_and_a_panic_print_what_is_waiting() {
    let message = Message { bytes: 96, level: 4 };
    let ops = |last| vec![REGISTER, Op::ThreadsReady, print(96), print(96), Op::Work(ms(50)), last, Op::Mark(1)];
    let machine = setup(2, vec![console(Printing::Nbcon)]);
    let warned = run(vec![ops(Op::Warn(message))], &machine);
    // The thread is cut off at 50 ms in the first record; all three go out again: 350.
    assert_eq!(warned.mark(1), Some(ms(350)));
    assert!(
        warned.transmitted[0].truncated
            && warned.transmitted.iter().filter(|c| !c.truncated).map(|c| c.record).eq(0..3)
    );
    let panicked = run(vec![ops(Op::Panic(message)), vec![Op::Sleep(ms(60)), print(96)]], &machine);
    assert_eq!(panicked.mark(1), Some(ms(350)));
    assert_eq!(panicked.records.len(), 3, "the other task never wrote");
    let off = run(vec![ops(Op::PowerOff)], &machine);
    assert_eq!(off.mark(1), Some(ms(250)));
    // The legacy thread's backlog is lost at power-off.
    let off = run(vec![ops(Op::PowerOff)], &setup(2, vec![console(Printing::ThreadPerRecord)]));
    assert_eq!(off.mark(1), Some(ms(50)));
}

#[test]
fn user_space_gets_a_fifo_between_records() {
    let user = Op::UserWrite(ConsoleId(0), 32);
    let ops = vec![REGISTER, Op::ThreadsReady, print(96), Op::Work(ms(1)), user, print(96), print(96)];
    let out = run(vec![ops], &setup(2, vec![console(Printing::ThreadPerRecord)]));
    // A record, 16 bytes, a record, 16 bytes, a record (seed 2's "INIT: [" within the log).
    let at = |d: Dur| (d.as_secs_f64() * 960.0).round() as i64;
    assert_eq!(out.user.iter().map(|u| at(u.start)).collect::<Vec<_>>(), [96, 208]);
    assert_eq!(out.transmitted.iter().map(|c| at(c.end)).collect::<Vec<_>>(), [96, 208, 320]);
}

// --- laws ---

/// Two consoles of one kernel: its legacy ones are all printed alike.
fn any_printing() -> impl Strategy<Value = [Printing; 2]> {
    let legacy =
        prop_oneof![Just(Printing::Synchronous), Just(Printing::ThreadWholeFlush), Just(Printing::ThreadPerRecord),];
    (legacy, prop::bool::ANY, prop::bool::ANY)
        .prop_map(|(legacy, a, b)| [a, b].map(|n| if n { Printing::Nbcon } else { legacy }))
}

fn any_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0..200_000i64).prop_map(|us| Op::Work(Dur::from_micros(us))),
        1 => (0..200_000i64).prop_map(|us| Op::Sleep(Dur::from_micros(us))),
        6 => (1..200u32, 0..9u8).prop_map(|(bytes, level)| Op::Print(Message { bytes, level })),
        1 => (0..20_000i64).prop_map(|us| Op::LockConsole(Dur::from_micros(us))),
        1 => Just(Op::ThreadsReady),
        1 => (0..2usize).prop_map(|c| Op::Register(ConsoleId(c))),
    ]
}

/// Registers its consoles somewhere, and its threads become ready at the end at the latest, so that all is printed.
fn any_tasks(most: usize) -> impl Strategy<Value = Vec<Vec<Op>>> {
    prop::collection::vec(prop::collection::vec(any_op(), 0..25), 1..=most).prop_map(|mut tasks| {
        let mut seen = [false; 2];
        for ops in &mut tasks {
            ops.retain(|op| match op {
                Op::Register(c) => !std::mem::replace(&mut seen[c.0], true),
                _ => true,
            });
        }
        tasks[0].extend((0..2).filter(|c| !seen[*c]).map(|c| Op::Register(ConsoleId(c))));
        tasks[0].push(Op::ThreadsReady);
        tasks
    })
}

fn any_setup() -> impl Strategy<Value = SimulationSetup> {
    let contention =
        prop_oneof![prop::sample::select(vec![0.0, 0.05, 0.2, 0.3, 0.7, 0.9, 0.92, 0.98, 1.0]), 0.0..0.9f64];
    (1..4u32, any_printing(), 3..9u8, contention, any::<[bool; 2]>()).prop_map(
        |(cpus, printing, loglevel, c, lowest)| {
            let mut consoles = printing.map(console).to_vec();
            for (console, lowest) in consoles.iter_mut().zip(lowest) {
                console.behaviour.thread = if lowest { ThreadPriority::Lowest } else { ThreadPriority::Highest };
            }
            SimulationSetup { loglevel, contention: Contention(c), ..setup(cpus, consoles) }
        },
    )
}

proptest! {
    #[test]
    fn every_printable_record_is_carried_once_in_order_by_each_console(tasks in any_tasks(3), machine in any_setup()) {
        let out = run(tasks.clone(), &machine);
        prop_assert!(out.done.iter().flatten().all(Option::is_some), "a task hangs");
        let level = |r: usize| match tasks[out.records[r].task.0][out.records[r].op] {
            Op::Print(m) => m.level,
            _ => unreachable!(),
        };
        let wanted: Vec<usize> = (0..out.records.len()).filter(|&r| level(r) < machine.loglevel).collect();
        for c in 0..2 {
            let on_it: Vec<_> = out.transmitted.iter().filter(|x| x.console == ConsoleId(c)).collect();
            prop_assert_eq!(on_it.iter().map(|x| x.record).collect::<Vec<_>>(), wanted.clone());
            prop_assert!(on_it.windows(2).all(|w| w[0].end <= w[1].start));
            prop_assert!(on_it.iter().all(|x| x.start >= out.records[x.record].at));
        }
    }

    #[test]
    fn threads_cost_a_writer_nothing(tasks in any_tasks(3), mut machine in any_setup()) {
        for c in &mut machine.consoles {
            c.behaviour = behaviour(Printing::ThreadPerRecord);
        }
        let out = run(tasks, &machine);
        prop_assert!(out.records.iter().all(|r| r.returned == r.at));
    }

    #[test]
    fn a_faster_line_is_never_slower(tasks in any_tasks(1), machine in any_setup(), factor in 1.0..100.0f64) {
        let mut faster = machine.clone();
        for c in &mut faster.consoles {
            c.uart = line(960.0 * factor);
        }
        let end = |m: &SimulationSetup| run(tasks.clone(), m).done[0].last().copied().flatten().unwrap();
        // A printer thread keeps what it holds, the console lock or a processor, to the end of its record. On a faster line it may be in another,
        // longer one of each console whenever the task wants that.
        let bytes = tasks[0].iter().filter_map(|op| if let Op::Print(m) = op { Some(m.bytes) } else { None });
        let record = Dur::from_secs_f64(f64::from(bytes.max().unwrap_or(0)) / (960.0 * factor));
        let has_threads = machine.consoles.iter().any(|c| c.behaviour.printing != Printing::Synchronous);
        let records = if has_threads { (tasks[0].len() * machine.consoles.len()) as i64 } else { 0 };
        // Rounding to nanoseconds, once an event.
        prop_assert!(end(&faster) <= end(&machine) + record * records + Dur::from_nanos(200));
    }

    #[test]
    fn work_is_conserved(tasks in any_tasks(1), machine in any_setup()) {
        let out = run(tasks.clone(), &machine);
        let own: Dur = tasks[0].iter().map(|op| match op {
            Op::Work(d) | Op::Sleep(d) | Op::LockConsole(d) => *d,
            _ => Dur::ZERO,
        }).sum();
        let end = out.done[0].last().copied().flatten().unwrap();
        prop_assert!(end + Dur::from_nanos(100) >= own);
        let silent = SimulationSetup { loglevel: 0, ..machine };
        let quiet_end = run(tasks, &silent).done[0].last().copied().flatten().unwrap();
        prop_assert!((quiet_end - own).abs() < Dur::from_nanos(200), "silent: nothing but its own");
    }
}

/// What changes how the rest of a boot runs.
fn any_change() -> impl Strategy<Value = Op> {
    prop_oneof![
        1 => Just(Op::ProcessorsUp),
        1 => Just(Op::ClockStable),
        3 => Just(Op::LockConsole(Dur::ZERO)),
        3 => (0..3usize).prop_map(|c| Op::Unregister(ConsoleId(c))),
        2 => (0..3usize).prop_map(|c| Op::Register(ConsoleId(c))),
        1 => (0..3usize, 1..500u32).prop_map(|(c, bytes)| Op::UserWrite(ConsoleId(c), bytes)),
        1 => (1..200u32).prop_map(|bytes| Op::Warn(Message { bytes, level: 4 })),
        1 => (1..200u32).prop_map(|bytes| Op::Panic(Message { bytes, level: 0 })),
        1 => Just(Op::PowerOff),
    ]
}

proptest! {
    // Many: most of a run is skipped only while one task and one printer act.
    #![proptest_config(ProptestConfig::with_cases(30_000))]

    #[test]
    fn a_run_for_its_times_alone_has_the_same(mut tasks in prop_oneof![3 => any_tasks(1), 1 => any_tasks(2)], others in prop::collection::vec((0..25usize, any_change()), 0..6), machine in any_setup(), third in prop::option::weighted(0.2, any_printing()), varied in any::<[(bool, bool, u8); 3]>(), is_round in any::<bool>()) {
        for (at, op) in others {
            let at = at.min(tasks[0].len());
            tasks[0].insert(at, op);
        }
        let mut machine = machine;
        if is_round {
            // Whatever ends, ends together with something else.
            let whole = |d: &mut Dur| *d = Dur::from_millis(d.as_nanos() / 10_000_000 * 10);
            for op in tasks.iter_mut().flatten() {
                match op {
                    Op::Work(d) | Op::Sleep(d) | Op::LockConsole(d) => whole(d),
                    Op::Print(m) => m.bytes = m.bytes / 10 * 10 + 10,
                    _ => {}
                }
            }
            machine.consoles.iter_mut().for_each(|console| console.uart = line(1_000.0));
        }
        for ops in &mut tasks {
            // A mark after each operation.
            *ops = (1..).zip(ops.iter()).flat_map(|(i, op)| [*op, Op::Mark(i)]).collect();
        }
        machine.consoles.extend(third.map(|[printing, _]| console(printing)));
        for (console, (boot, replay, driver)) in machine.consoles.iter_mut().zip(varied) {
            (console.boot, console.replay) = (boot, replay);
            console.behaviour.driver = [DriverWait::Spins, DriverWait::SpinsIrqsOff, DriverWait::Sleeps][usize::from(driver) % 3];
        }
        let workload = Workload { tasks };
        let (all, times) = (simulate(&workload, &machine), simulate_times(&workload, &machine));
        let last = all.transmitted.iter().map(|t| t.end).max();
        prop_assert_eq!((all.marks, last), (times.marks, times.last_transmitted));
    }
}
