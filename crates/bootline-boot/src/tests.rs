// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::simulated::{Mode, Simulated, Step, step};
use super::*;
use bootline_capture::units::{Dur, Interval, LineRate};
use bootline_console::Framework;
use bootline_records::ProblemKind;

/// A boot of some forty messages with work between them.
fn boot(mode: Mode, bytes_per_s: f64, release: &'static str) -> Simulated {
    let message = |n: i64| {
        step(300 * (n % 7) + 50, &format!("driver {n}: {}", "found something worth saying ".repeat(1 + n as usize % 3)))
    };
    Simulated {
        mode,
        bytes_per_s,
        release,
        command_line: "console=ttyS0,9600",
        clock_loses: 0.0,
        before: (0..30).map(message).collect(),
        after: (30..70).map(message).collect(),
        with_arrival: true,
    }
}

fn analyse(simulated: &Simulated) -> (Boot, super::simulated::Truth) {
    let (records, truth) = simulated.run();
    (Boot::analyse(records, &BootOptions::default()), truth)
}

/// The boot's cost and its time from the first byte are the truth's, to `tolerance` of the whole.
fn check(simulated: &Simulated, tolerance: f64) {
    let (boot, truth) = analyse(simulated);
    let end = boot.end.as_ref().expect("init is in the log");
    let line = boot.line.as_ref().expect("there is a serial console");
    let total = truth.end.as_secs_f64();
    let off = |what: &str, got: Dur, want: Dur| {
        let error = (got - want).abs().as_secs_f64() / total;
        assert!(error <= tolerance, "{what}: {got} s, truth {want} s, off by {:.2} % of {total} s", error * 100.0);
    };
    off("cost", line.cost.best(), truth.waited);
    assert!(
        line.cost.low() <= truth.waited.scale(1.02) && truth.waited.scale(0.98) <= line.cost.high(),
        "{:?}",
        line.cost
    );
    if end.since == TimeOrigin::KernelFirstByte {
        off("time to init", end.elapsed.best(), truth.end - truth.first_byte);
    } else {
        off("time to init", end.elapsed.best(), truth.end);
    }
}

#[test]
fn a_writer_that_waits() {
    check(&boot(Mode::Synchronous, 960.0, "6.12.1"), 0.005);
    check(&boot(Mode::Synchronous, 11_520.0, "6.1.0"), 0.01);
}

#[test]
fn a_kernel_clock_that_loses_the_waits() {
    let mut s = boot(Mode::Synchronous, 240.0, "6.12.1");
    s.clock_loses = 0.4;
    check(&s, 0.005);
    let (boot, truth) = analyse(&s);
    assert!(boot.problems.iter().any(|p| p.kind == ProblemKind::ClockStoodStill));
    let lost = boot.timeline.kernel_clock_lost;
    assert!((lost - truth.waited.scale(0.4)).abs() < truth.end.scale(0.03), "{lost} of {}", truth.waited);
    assert!(boot.end.unwrap().kernel.unwrap().since_origin() < truth.end.scale(0.8));
}

#[test]
fn a_thread_that_nobody_waits_for() {
    check(&boot(Mode::Nobody, 960.0, "6.19.0-rt"), 0.005);
    check(&boot(Mode::Nobody, 960.0, "7.2.0-rt"), 0.005);
}

#[test]
fn a_thread_whose_lock_is_taken() {
    let mut s = boot(Mode::WholeFlush, 960.0, "6.18.0-rt");
    s.after[5].takes_lock = true;
    s.after[20].takes_lock = true;
    check(&s, 0.01);
    let (boot, _) = analyse(&s);
    let locks = boot.waits.iter().filter(|w| w.cause == WaitCause::ConsoleLock && w.time.best() > Dur::ZERO).count();
    let flushes = boot.waits.iter().filter(|w| w.cause == WaitCause::Flush && w.time.best() > Dur::ZERO).count();
    assert_eq!((locks, flushes), (2, 0));
}

/// With one processor every wait ends when the line has drained, and says nothing of a lock.
#[test]
fn a_thread_that_has_the_only_processor_is_no_lock() {
    let mut s = boot(Mode::WholeFlush, 960.0, "6.19.0-rt");
    s.before.push(step(10, "smp: Brought up 1 node, 1 CPU"));
    s.after.iter_mut().for_each(|step| step.takes_lock = true);
    check(&s, 0.03);
    let (boot, _) = analyse(&s);
    let causes = |cause| boot.waits.iter().filter(|w| w.cause == cause && w.time.best() > Dur::ZERO).count();
    assert_eq!((causes(WaitCause::ConsoleLock), causes(WaitCause::Processor)), (0, s.after.len()));
}

#[test]
fn only_the_kernels_own_log() {
    // At 115200 the work between these records is a third of their wire time, and blurs the fit.
    for (rate, release, tolerance) in [(960.0, "6.12.1", 0.01), (11_520.0, "6.1.0", 0.06)] {
        let mut s = boot(Mode::Synchronous, rate, release);
        s.with_arrival = false;
        check(&s, tolerance);
        let (boot, _) = analyse(&s);
        assert_eq!(boot.timeline.clock, Clock::Kernel);
        let speed = boot.line.unwrap().speed.unwrap();
        assert_eq!(speed.source, SpeedSource::Stamps);
        assert!((speed.rate.bytes_per_s() / s.bytes_per_s - 1.0).abs() < 0.08, "{speed:?}");
    }
}

/// Seed 1's case: a driver's thread logs while the registration waits for its flush.
#[test]
fn a_flush_is_seen_past_what_other_tasks_log_meanwhile() {
    let mut s = boot(Mode::Synchronous, 960.0, "6.12.1");
    s.with_arrival = false;
    let (mut records, truth) = s.run();
    let enabled = records.records.iter().position(|r| r.text.contains("enabled")).unwrap();
    let tail = records.records.split_off(enabled + 1);
    let before = records.records.get(enabled).map(|r| (r.id, r.stamp.unwrap())).unwrap();
    let other = bootline_records::Record {
        id: bootline_records::RecordId(before.0.0 + 1),
        stamp: Some(before.1 + Dur::from_millis(110)),
        text: "hub 1-0:1.0: USB hub found",
        line_bytes: 43,
        ..records.records.get(enabled).unwrap()
    };
    records.records.push(&other);
    for r in tail.iter() {
        records.records.push(&bootline_records::Record { id: bootline_records::RecordId(r.id.0 + 1), ..r });
    }
    let boot = Boot::analyse(records, &BootOptions::default());
    let flush = boot.line.as_ref().unwrap().flush.unwrap();
    let bytes = 960.0 * flush.waited.best().as_secs_f64();
    assert!((bytes / flush.bytes as f64 - 1.0).abs() < 0.05, "{flush:?}");
    let cost = boot.line.unwrap().cost.best();
    assert!((cost - truth.waited).abs() < truth.end.scale(0.03), "{cost} of {}", truth.waited);
}

#[test]
fn a_quiet_console_costs_nothing_and_a_loud_one_is_not_believed_unseen() {
    let mut s = boot(Mode::Nobody, 960.0, "6.12.1");
    s.with_arrival = false;
    s.command_line = "console=ttyS0,9600 quiet";
    let (boot, _) = analyse(&s);
    let line = boot.line.unwrap();
    assert_eq!(line.cost, Interval::exact(Dur::ZERO));
}

#[test]
fn phases_follow_one_another() {
    let (boot, _) = analyse(&boot(Mode::Synchronous, 960.0, "6.12.1"));
    let names: Vec<_> = boot.phases.iter().map(|p| p.name).collect();
    assert_eq!(names, [PhaseName::Dark, PhaseName::KernelToConsole, PhaseName::Initcalls, PhaseName::UserSpace]);
    assert!(boot.phases.windows(2).all(|p| p[0].end <= p[1].start), "{:?}", boot.phases);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the messages and the work: what is neither waiting nor work does not exist.
    #[test]
    fn waiting_and_work_make_the_whole(
        messages in proptest::collection::vec((0i64..40_000, 0usize..120), 12..80),
        rate in prop::sample::select(vec![240.0, 960.0, 3_840.0, 11_520.0, 92_160.0]),
        opens in 1usize..10,
        loses in prop::sample::select(vec![0.0, 0.5]),
    ) {
        let steps: Vec<Step> = messages.iter().map(|&(us, len)| step(us, &"x".repeat(len + 12))).collect();
        let work: i64 = messages.iter().map(|m| m.0).sum::<i64>() + 2_000;
        let s = Simulated {
            mode: Mode::Synchronous,
            bytes_per_s: rate,
            release: "6.12.1",
            command_line: "console=ttyS0",
            clock_loses: loses,
            before: steps[..opens].to_vec(),
            after: steps[opens..].to_vec(),
            with_arrival: true,
        };
        let (boot, truth) = analyse(&s);
        let end = boot.end.unwrap();
        let cost = boot.line.unwrap().cost.best();
        prop_assert_eq!(truth.end, truth.waited + Dur::from_micros(work));
        let elapsed = end.elapsed.best() + truth.first_byte;
        let error = (elapsed - cost - Dur::from_micros(work)).abs();
        prop_assert!(error < Dur::from_millis(2) + truth.end.scale(0.003), "off by {} of {}", error, truth.end);
    }

    /// No arrangement of messages and locks makes a span of time negative or a point deliver what was not stored.
    #[test]
    fn the_backlog_is_conserved(
        messages in proptest::collection::vec((0i64..40_000, 0usize..120, any::<bool>()), 12..60),
        mode in prop::sample::select(vec![Mode::Synchronous, Mode::WholeFlush, Mode::Nobody]),
        with_arrival in any::<bool>(),
    ) {
        let steps: Vec<Step> = messages
            .iter()
            .map(|&(us, len, takes_lock)| Step { takes_lock, ..step(us, &"x".repeat(len + 12)) })
            .collect();
        let release = if mode == Mode::Synchronous { "6.12.1" } else { "6.18.1-rt" };
        let s = Simulated {
            mode, bytes_per_s: 960.0, release, command_line: "console=ttyS0", clock_loses: 0.0,
            before: steps[..4].to_vec(), after: steps[4..].to_vec(), with_arrival,
        };
        let (boot, _) = analyse(&s);
        let points = boot.backlog();
        prop_assert!(points.iter().all(|p| p.transmitted <= p.stored));
        prop_assert!(points.windows(2).all(|p| p[0].at <= p[1].at));
        let last = points.last().unwrap();
        prop_assert_eq!((last.stored, last.transmitted), (boot.line.as_ref().unwrap().bytes, boot.line.as_ref().unwrap().bytes));
        let whole = boot.phases.iter().map(|p| p.length()).sum::<Dur>();
        let cost = boot.line.unwrap().cost.best();
        prop_assert!(cost <= whole, "cost {} of {}", cost, whole);
    }
}

/// A boot from the text of its log.
fn read(log: &str) -> Boot {
    let mut boots = BootRecords::all(log.as_bytes());
    assert_eq!(boots.len(), 1);
    Boot::analyse(boots.remove(0), &BootOptions::default())
}

/// Whether the writer of the record with this text waited for its characters.
fn waited(boot: &Boot, text: &str) -> bool {
    let index = boot.records.iter().position(|r| r.text == text).expect("the log holds it");
    boot.waits.iter().any(|w| w.index == index && w.cause == WaitCause::OwnRecord && w.time.best() > Dur::ZERO)
}

#[test]
fn writers_wait_for_a_boot_console_until_the_nbcon_one_takes_over() {
    let log = |words: &str| {
        format!(
            "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]\n\
             [    0.000000] Linux version 6.18.2 (gcc) #1 SMP PREEMPT Mon\n\
             [    0.000000] Kernel command line: earlycon console=ttyAMA0,9600 {words}\n\
             [    0.000000] printk: legacy bootconsole [pl11] enabled\n\
             [    0.100000] rcu: Hierarchical SRCU implementation.\n\
             [    0.200000] smp: Brought up 1 node, 2 CPUs\n\
             [    0.300000] before the port\n\
             [    0.900000] printk: console [ttyAMA0] enabled\n\
             [    1.000000] printk: legacy bootconsole [pl11] disabled\n\
             [    1.100000] behind the port\n\
             [    1.400000] Run /init as init process\n"
        )
    };
    let boot = read(&log(""));
    assert_eq!(boot.line.as_ref().unwrap().console.framework, Framework::Nbcon);
    assert!(waited(&boot, "before the port"));
    assert!(!waited(&boot, "behind the port"));
    assert!(waited(&read(&log("keep_bootcon")), "behind the port"));
}

/// A small kernel whose log has no record of the initcalls around printk_set_kthreads_ready.
#[test]
fn without_a_record_of_the_kthreads_the_driver_tells_who_flushes() {
    let after = |before: &str, release: &str, console: &str| {
        let boot = read(&format!(
            "[    0.000000] Linux version {release} (gcc) #1 SMP PREEMPT Mon\n\
             [    0.000000] Kernel command line: console={console},9600\n\
             [    0.000000] {}\n\
             {before}\
             [    0.200000] printk: console [{console}] enabled\n\
             [    5.700000] after it\n\
             [    5.800000] Run /init as init process\n",
            "x".repeat(5_000)
        ));
        boot.waits.iter().any(|w| w.cause == WaitCause::Flush && w.time.best() > Dur::from_secs(5))
    };
    let flushes = |release: &str, console: &str| after("", release, console);
    // An arch_initcall: after the early_initcalls of 7.2.12, before the subsys_initcalls of 7.2.13.
    assert!(!flushes("7.2.12", "ttyAMA0"));
    assert!(flushes("7.2.13", "ttyAMA0"));
    // A probe.
    assert!(!flushes("7.2.13", "ttymxc0"));
    // A port that is probed later than its driver could: a device_initcall came before it.
    let driver = "[    0.100000] Serial: 8250/16550 driver, 4 ports, IRQ sharing disabled\n";
    assert!(flushes("7.3.1", "ttyS0"));
    assert!(!after(driver, "7.3.1", "ttyS0"));
}

#[test]
fn a_kernel_without_smp_has_one_processor() {
    let check = |build: &str, want| {
        let boot = read(&format!("[    0.000000] Linux version 6.19.1 (gcc) #1 {build} Mon\n[    0.1] x\n"));
        assert_eq!(boot.kernel.cpus, want, "{build}");
    };
    check("PREEMPT_RT", Some(1));
    check("SMP PREEMPT_RT", None);
}

#[test]
fn a_probe_that_is_put_off_has_either_sign() {
    let check = |returned: i32, want| {
        let boot = read(&format!(
            "[    0.000000] Linux version 6.19.1 (gcc) #1 SMP Mon\n[    0.100000] probe of a returned {returned} after 5 usecs\n"
        ));
        assert_eq!(boot.spans()[0].deferred(), want, "{returned}");
    };
    check(-517, true);
    check(517, true);
    check(-19, false);
    check(0, false);
}

/// A quiet boot's errors, or a loud boot's log, followed by the log once more with the module's message.
#[test]
fn a_replay_is_no_second_boot() {
    let whole = "[    0.000000] Linux version 7.2.0 (gcc) #1 SMP\n\
                 [    0.000000] Kernel command line: console=ttyS0,9600\n\
                 [    0.300000] printk: legacy console [ttyS0] enabled\n\
                 [    0.500000] ata1: failed to resume link\n\
                 [    0.900000] Run /init as init process\n";
    let module = "[    1.000000] printk: console [ttyS0] enabled\n\
                  [    1.000001] printk: legacy console [ttyS0] disabled\n\
                  [    1.000002] nbcon_8250: ttyS0 prints through a thread of its own\n\
                  [    2.000000] late\n";
    let relayed = "[    1.000002] console_relay: ttyS0 prints through a thread of its own\n[    2.000000] late\n";
    let boots = |log: &str| -> Vec<Boot> {
        BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &BootOptions::default())).collect()
    };
    let words = |boot: &Boot| boot.records.iter().map(|r| r.text.to_owned()).collect::<Vec<_>>();
    let once = boots(&format!("{whole}{module}"));
    assert_eq!((once.len(), once[0].console_switch.as_ref().unwrap().repeated), (1, 0));
    for (before, repeated) in [(whole, 5), ("[    0.500000] ata1: failed to resume link\n", 1)] {
        let again = boots(&format!("{before}{whole}{module}"));
        assert_eq!(again.len(), 1, "{before}");
        assert_eq!(words(&again[0]), words(&once[0]));
        let console_switch = again[0].console_switch.as_ref().unwrap();
        assert_eq!(
            (console_switch.repeated, console_switch.console.as_str(), console_switch.replayed),
            (repeated, "ttyS0", false)
        );
    }
    assert_eq!(boots(&format!("{whole}{whole}{relayed}")).len(), 1);
    // Another boot has other stamps; without the module's word nothing replays; what was taken over is over.
    assert_eq!(
        boots(&format!("{whole}{}{module}", whole.replace("0.500000", "0.500001").replace("0.3", "0.4"))).len(),
        2
    );
    assert_eq!(boots(&format!("{whole}{whole}")).len(), 2);
    assert_eq!(boots(&format!("{whole}{module}{whole}{module}")).len(), 2);
    assert_eq!(boots(&format!("[    0.600000] another failure\n{whole}{module}")).len(), 2);
}

#[test]
fn nobody_waits_between_a_takeover_and_its_end() {
    let log = "[    0.000000] Linux version 7.2.0 (gcc) #1 SMP\n\
               [    0.000000] Kernel command line: console=ttyS0,9600\n\
               [    0.300000] printk: legacy console [ttyS0] enabled\n\
               [    0.500000] before\n\
               [    0.600000] printk: console [ttyS0] enabled\n\
               [    0.700000] printk: legacy console [ttyS0] disabled\n\
               [    0.800000] nbcon_8250: ttyS0 prints through a thread of its own\n\
               [    0.900000] meanwhile\n\
               [    1.000000] nbcon_8250: ttyS0 is the 8250 driver's own console again\n\
               [    1.200000] behind\n\
               [    1.400000] Run /init as init process\n";
    let boot = read(log);
    assert!(waited(&boot, "before") && waited(&boot, "behind"));
    assert!(!waited(&boot, "meanwhile") && !waited(&boot, "printk: legacy console [ttyS0] disabled"));
}

/// console_relay exchanges the console's write: no console registers.
#[test]
fn nobody_waits_while_the_console_is_relayed() {
    let log = "[    0.000000] Linux version 6.1.0 (gcc) #1 SMP\n\
               [    0.000000] Kernel command line: console=ttyAMA0,9600\n\
               [    0.000000] printk: bootconsole [pl11] enabled\n\
               [    0.300000] printk: console [ttyAMA0] enabled\n\
               [    0.400000] printk: bootconsole [pl11] disabled\n\
               [    0.500000] before\n\
               [    0.800000] console_relay: ttyAMA0 prints through a thread of its own\n\
               [    0.900000] meanwhile\n\
               [    1.000000] console_relay: ttyAMA0 is the driver's own console again\n\
               [    1.200000] behind\n\
               [    1.400000] Run /init as init process\n";
    let boot = read(log);
    let switch = boot.console_switch.as_ref().unwrap();
    assert_eq!((switch.module, switch.replayed), (bootline_console::ConsoleModule::ConsoleRelay, false));
    assert!(waited(&boot, "before") && waited(&boot, "behind") && !waited(&boot, "meanwhile"));
}

#[test]
fn whether_a_relayed_console_sleeps() {
    let sleeps = |said: &str| {
        let log = format!(
            "[    0.000000] Linux version 6.1.0 (gcc) #1 SMP\n\
             [    0.000000] Kernel command line: console=ttyS0,9600\n\
             [    0.300000] printk: console [ttyS0] enabled\n\
             [    0.800000] console_relay: ttyS0 prints through a thread of its own{said}\n\
             [    1.400000] Run /init as init process\n"
        );
        read(&log).console_switch.unwrap().sleeps
    };
    assert!(!sleeps("") && !sleeps(", by the driver's write") && sleeps(", in bursts"));
    let gave_up = |who| {
        format!(", in bursts\n[    0.900000] {who} does not drain: lines are printed by the driver's write from now on")
    };
    assert!(
        !sleeps(&gave_up("console_relay: ttyS0"))
            && sleeps(&gave_up("console_relay: ttyS1"))
            && sleeps(&gave_up("ttyS0"))
    );
}

#[test]
fn a_marker_is_not_found_in_the_command_line() {
    let log = "[    0.000000] Linux version 7.2.0 (gcc) #1 SMP\n\
               [    0.000000] Command line: console=ttyS0 bootline.marker=all-up\n\
               [    0.100000] Kernel command line: console=ttyS0 bootline.marker=all-up\n\
               [    0.100000] Unknown kernel command line parameters \"bootline.marker=all-up\", will be passed to user space.\n\
               [    0.500000] Run /init as init process\n[    0.900000] all-up at last\n";
    let options = BootOptions { marker: Some("all-up".to_owned()), ..BootOptions::default() };
    let boot = BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &options)).next().unwrap();
    assert_eq!(boot.records.get(boot.end.unwrap().index).unwrap().text, "all-up at last");
}

/// A 6.1 kernel's own log at 9600 baud: register_console() flushed before it said "enabled".
fn flushed_before_enabled(release: &str) -> String {
    let mut log = format!("[    0.000000] Linux version {release} (a@b) (gcc) #1 SMP\n");
    log += "[    0.000000] Kernel command line: console=ttyS0,9600n8\n";
    for n in 0..60 {
        log += &format!("[    0.{n:02}0137] driver {n:02}: found something that is worth to be said at length\n");
    }
    let bytes = log.len() + log.lines().count();
    let at = |us: u64| format!("[{:5}.{:06}] ", us / 1_000_000, us % 1_000_000);
    let mut now = 590_137 + 2_000 + bytes as u64 * 1_000_000 / 960;
    let mut say = |text: &str| {
        let line = format!("{}{text}\n", at(now));
        now += (line.len() as u64 + 1) * 1_000_000 / 960 + 40;
        line
    };
    log += &say("printk: console [ttyS0] enabled");
    for n in 0..40 {
        log += &say(&format!("device {n:02}: probed, and found to be what the firmware had said it would be"));
    }
    log += &say("Run /init as init process");
    log
}

#[test]
fn kernels_before_6_2_flush_before_they_say_enabled() {
    for release in ["4.19.0", "5.10.0-8-amd64", "6.1.0"] {
        let log = flushed_before_enabled(release);
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        let flush = boot.waits.iter().find(|w| w.cause == WaitCause::Flush).expect("the flush is found");
        assert!((flush.time.best().as_secs_f64() - 5.2).abs() < 0.5, "{release}: {:?}", flush.time);
        assert_eq!(boot.gaps(), [], "{release}");
        let said = boot.line.unwrap().flush.unwrap();
        assert_eq!(boot.records.by_id(said.next.unwrap()).unwrap().text, "printk: console [ttyS0] enabled");
    }
}

#[test]
fn a_log_that_a_second_console_prints_again_is_one_boot() {
    let first = "[    0.000000] Linux version 6.6.1 (a@b) #1\n[    0.000000] printk: bootconsole [uart0] enabled\n\
                 [    0.012345] a\n[    0.023456] b\n[    0.034567] c\n[    0.045678] printk: console [ttyS0] enabled\n";
    let after = "[    0.900001] d\n[    1.000001] Run /init as init process\n";
    let boots = BootRecords::all(format!("{first}{first}{after}").as_bytes());
    assert_eq!(boots.len(), 1);
    assert_eq!((boots[0].records.len(), boots[0].repeated), (8, 6));
    // Cut off in the repetition.
    assert_eq!(BootRecords::all(format!("{first}{first}").as_bytes()).len(), 1);
    // Another boot of the same kernel has other stamps.
    let second = first.replace("12345", "12399").replace("23456", "23499");
    assert_eq!(BootRecords::all(format!("{first}{after}{second}{after}").as_bytes()).len(), 2);
    // A clock of jiffies has the same ones: no boot loader writes before a repetition.
    let coarse =
        first.replace("12345", "10000").replace("23456", "20000").replace("34567", "30000").replace("45678", "40000");
    assert_eq!(BootRecords::all(format!("{coarse}{coarse}{after}").as_bytes()).len(), 1);
    assert_eq!(BootRecords::all(format!("{coarse}U-Boot 2024.01\n{coarse}{after}").as_bytes()).len(), 2);
    let jiffies =
        "[    0.000000] Linux version 2.6.30\n[    0.010000] a\n[    0.020000] b\n[    0.030000] c\n[    0.900000] d\n";
    assert_eq!(BootRecords::all(jiffies.repeat(2).as_bytes()).len(), 2);
}

#[test]
fn stamps_that_begin_again_are_another_boot() {
    let boot =
        "[    0.000000] Initializing cgroup subsys cpuset\n[    0.000000] Linux version 3.10.0\n[    5.000001] a\n";
    assert_eq!(BootRecords::all(boot.repeat(3).as_bytes()).len(), 3);
    let headless = "[    9.000001] reboot: Restarting system\nU-Boot 2024.01\n[    0.400001] first that came over\n";
    assert_eq!(BootRecords::all(format!("{boot}{headless}").as_bytes()).len(), 2);
    // Stamps of processors overtake each other, also where a program names the boot loader.
    let reordered =
        "[    0.000000] Linux version 6.6\n[    1.000000] a\nU-Boot 2024.01 is installed\n[    0.999000] b\n";
    assert_eq!(BootRecords::all(reordered.as_bytes()).len(), 1);
    let second_cpu = "[    0.000000] Linux version 2.6.24\n[    0.704000] Booting processor 1/1 eip 3000\n\
                      [    0.000000] Initializing CPU#1\n[    0.000000] CPU: L1 I cache: 32K\n[    0.788000] CPU1: Intel\n";
    assert_eq!(BootRecords::all(second_cpu.as_bytes()).len(), 1);
    assert_eq!(BootRecords::all(b"[    0.000000] Linux version 6.6\n[    1.000000] a\n[    0.999000] b\n").len(), 1);
}

#[test]
fn what_a_kernel_logs_around_its_banner_is_no_other_boot() {
    let cgroups = |at: &str| {
        format!(
            "[{at}] Booting Linux on physical CPU 0x0\n[{at}] Initializing cgroup subsys cpuset\n[{at}] Linux version 3.10.0\n\
             [{at}] Initializing cgroup subsys memory\n[    5.000001] a\n"
        )
    };
    // The clock may run from power-on.
    for at in ["    0.000000", "    3.200000"] {
        assert_eq!(BootRecords::all(cgroups(at).as_bytes()).len(), 1, "{at}");
        assert_eq!(BootRecords::all(cgroups(at).repeat(2).as_bytes()).len(), 2, "{at}");
    }
    // Some records have a stamp, and most have none.
    let mixed =
        "<5>Linux version 2.6.32 (a@b) #1\n[    0.000000] a\n<6>Initializing cgroup subsys debug\n[    0.120001] b\n";
    assert_eq!(BootRecords::all(mixed.as_bytes()).len(), 1);
    // A kernel that never ran past zero.
    let dead =
        "U-Boot 2013.01\n[    0.000000] Booting Linux on physical CPU 0x0\n[    0.000000] Linux version 3.10.0\n";
    assert_eq!(BootRecords::all(dead.repeat(2).as_bytes()).len(), 2);
}

#[test]
fn what_a_shell_prints_again_is_no_other_boot() {
    let boot = "[    0.000000] Linux version 3.10.0\n[    0.000000] Kernel command line: quiet\n[    0.612345] mtd: found\n\
                [    2.500001] Run /init as init process\n[   20.000001] usb 1-1: new device\n";
    let check = |command: &str, printed: &str, records: usize, again: usize| {
        let boots = BootRecords::all(format!("{boot}{command}\n{printed}[   30.000001] usb 1-1: gone\n").as_bytes());
        assert_eq!(boots.len(), 1, "{command}");
        assert_eq!((boots[0].records.len(), boots[0].printed_again), (records, again), "{command}");
    };
    check("# dmesg | grep mtd", "[    0.612345] mtd: found\n", 7, 1);
    check("# dmesg | grep -i kernel", "[    0.000000] Kernel command line: quiet\n", 7, 1);
    // What the console did not show.
    check("# dmesg | grep mtd", "[    0.612346] mtd: attached\n", 8, 0);
    // Without the command, a stamp of zero is another kernel's.
    let other = format!("{boot}[    0.000000] Kernel command line: quiet\n[    0.700001] a\n");
    assert_eq!(BootRecords::all(other.as_bytes()).len(), 2);
}

#[test]
fn a_clock_that_never_ran_shows_no_time() {
    let log = "[    0.000000] Linux version 3.4.0\n[    0.000000] a\n[    0.000000] Freeing init memory: 152K\n";
    let read = |log: &str| Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
    let stood = |boot: &Boot| boot.problems.iter().any(|p| p.kind == ProblemKind::ClockStoodStill);
    assert!(stood(&read(log)));
    assert!(!stood(&read(&log.replace("[    0.000000] Freeing", "[    0.500000] Freeing"))));
}

/// A simulator's boots are all alike, and a report may show one log twice: a banner always begins a boot.
#[test]
fn a_banner_begins_a_boot_whatever_is_above_it() {
    let records = (1..30).map(|n| format!("[    {}.{:06}] record {n}\n", n / 10, n * 31_337 % 999_983));
    let log =
        std::iter::once("[    0.000000] Linux version 6.6.1 (a@b) #1\n".to_owned()).chain(records).collect::<String>();
    let elsewhere = [
        "# dmesg -n1",
        "# dmesg --level=err",
        "# dmesg -w",
        "# dmesg --follow",
        "# dmesg | grep -v usb",
        "# dmesg >log",
        "my dmesg",
        "# cat b.dmesg",
    ];
    for between in ["", "Again:", "==> b.dmesg <=="].into_iter().chain(elsewhere) {
        assert_eq!(BootRecords::all(format!("{log}{between}\n{log}").as_bytes()).len(), 2, "{between}");
    }
}

#[test]
fn a_log_that_a_shell_shows_whole_is_no_other_boot() {
    let records = (1..30).map(|n| format!("[    {}.{:06}] record {n}\n", n / 10, n * 31_337 % 999_983));
    let log = format!("[    0.000000] Linux version 6.6.1 (a@b) #1\n{}", records.collect::<String>());
    // What is below the console's level.
    let hidden = log.replace("record 9\n", "record 9\n[    1.400001] hidden a\n[    1.400002] hidden b\n");
    let after = "[   50.123456] usb 1-1: gone\n";
    for command in ["# dmesg", "root@box:~# dmesg -x", "[root@box ~]# sudo dmesg", "% /bin/dmesg", "dmesg"] {
        let shown = format!("{log}box login: root\n{command}\n{hidden}# \n{after}");
        let boots = BootRecords::all(shown.as_bytes());
        assert_eq!(boots.len(), 1, "{command}");
        assert_eq!((boots[0].records.len(), boots[0].printed_again, boots[0].repeated), (34, 32, 0), "{command}");
    }
}

#[test]
fn a_journal_s_mark_ends_the_boot_before() {
    let log = "Feb  3 10:00:00 box kernel: Linux version 6.6.1 (a@b) #1\nFeb  3 10:00:01 box kernel: a\n\
               Feb  3 11:00:00 box systemd[1]: Reached target Reboot.\n-- Reboot --\n\
               Feb  3 11:00:30 box kernel: Linux version 6.6.1 (a@b) #1\nFeb  3 11:00:31 box kernel: b\n";
    let boots = BootRecords::all(log.as_bytes());
    assert_eq!(boots.iter().map(|boot| boot.records.len()).collect::<Vec<_>>(), [3, 3]);
    assert!(boots.iter().all(|boot| boot.problems.iter().any(|p| p.kind == ProblemKind::ReceiptTimes)));
}

#[test]
fn an_end_before_the_start_is_no_time_to_init() {
    let log = |at: &str| {
        format!(
            "[Sun Mar  1 10:00:00 2026] Linux version 6.6.1 (a@b) #1\n[Sun Mar  1 10:00:02 2026] acme: ready\n\
             [Sun Mar  1 {at}:04 2026] b\n[Sun Mar  1 {at}:05 2026] Run /init as init process\n"
        )
    };
    let read = |at: &str| Boot::analyse(BootRecords::all(log(at).as_bytes()).remove(0), &BootOptions::default());
    let is_named = |boot: &Boot| boot.problems.iter().any(|p| p.kind == ProblemKind::EndBeforeStart);
    let (set_back, good) = (read("09:30"), read("10:00"));
    assert!(is_named(&set_back) && set_back.end.is_none() && set_back.phases.is_empty());
    assert_eq!((is_named(&good), good.end.map(|end| end.elapsed.best())), (false, Some(Dur::from_secs(5))));
}

#[test]
fn a_clock_that_ran_before_the_kernel_is_named() {
    let read = |log: &str| Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
    let log = |before: &str, at: &str| {
        format!(
            "[    0.000000] Linux version 3.10.0 (a@b) #1\n[    0.000000] {before}\n[{at}.221133] Calibrating delay loop\n\
             [{at}.921133] a\n[{at}.931133] Freeing init memory: 152K\n"
        )
    };
    let check = |log: &str, is_named: bool, gaps: &[i64]| {
        let boot = read(log);
        assert_eq!(boot.problems.iter().any(|p| p.kind == ProblemKind::ClockRanBefore), is_named, "{log}");
        assert_eq!(boot.gaps().iter().map(|g| g.length.as_nanos() / 1_000_000).collect::<Vec<_>>(), gaps, "{log}");
    };
    check(&log("Architected cp15 timer(s) running at 24.00MHz", "    1"), true, &[700]);
    check(&log("Detected 1596.029 MHz processor", "1868671"), true, &[700]);
    // A counter that is read from there on: the time has passed.
    check(&log("sched_clock: 32 bits at 1000kHz, resolution 1000ns", "    1"), false, &[1221, 700]);
    check(&log("Memory: 64K", "    0"), false, &[700]);
    let from_power_on = log("Memory: 64K", "    3").replace("    0.000000", "    3.100000");
    check(&from_power_on, true, &[700, 121]);
}

#[test]
fn jiffies_show_no_speed_of_the_line() {
    let log = |end: &str| {
        let mut log =
            "[    0.000000] Linux version 3.4.0 (a@b) #1\n[    0.000000] Kernel command line: console=ttyS0,115200\n\
                       [    0.010000] console [ttyS0] enabled\n"
                .to_owned();
        for n in 2..40 {
            log += &format!("[    0.{n:02}0{end}] device {n:02}: registered and bound\n");
        }
        log + "[    0.900001] Freeing init memory: 152K\n"
    };
    let speed = |log: &str| {
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        boot.line.unwrap().speed.unwrap().source
    };
    assert_eq!(speed(&log("000")), SpeedSource::Declared);
    assert_eq!(speed(&log("123")), SpeedSource::Stamps);
}

/// With `quiet` nothing of this log was printed: equal delays of a driver are no line of 3900 B/s.
#[test]
fn what_was_not_printed_shows_no_speed_but_the_declared_one() {
    let log = |quiet: &str, micros: u32| {
        let mut log = format!(
            "[    0.000000] Linux version 6.6.9 (gcc) #1 SMP\n[    0.000000] Kernel command line: console=ttyS0,9600 {quiet}\n\
             [    0.010000] printk: console [ttyS0] enabled\n"
        );
        for n in 1..40 {
            let at = 10_000 + n * micros;
            log += &format!("[    {}.{:06}] device {n:02}: registered and bound\n", at / 1_000_000, at % 1_000_000);
        }
        log + "[    9.000001] Run /init as init process\n"
    };
    let speed = |log: &str| {
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        boot.line.and_then(|line| line.speed).map(|speed| speed.source)
    };
    // 47 bytes with the stamp and the line's end.
    assert_eq!(speed(&log("quiet", 12_103)), Some(SpeedSource::Declared));
    assert_eq!(speed(&log("quiet", 49_103)), Some(SpeedSource::Stamps));
    assert_eq!(speed(&log("", 12_103)), Some(SpeedSource::Stamps));
}

#[test]
fn a_log_that_starts_late_does_not_show_init_s_start() {
    let late: String = (0..30).map(|n| format!("[    3.{n:02}0000] EXT4-fs (sda{n}): mounted\n")).collect();
    let systemd = "[    5.000000] systemd[1]: systemd 255 running in system mode\n";
    assert!(read(&format!("{late}{systemd}")).end.is_none());
    // A quiet console, until systemd raises its level.
    assert_eq!(read(&format!("{systemd}{late}")).end.map(|e| e.by), Some(EndedBy::InitBanner));
}

#[test]
fn a_clock_that_stands_still_begins_no_boot() {
    let boots = |log: &str| BootRecords::all(log.as_bytes()).len();
    // A clock of jiffies: cgroup_init logs after the banner what cgroup_init_early logs before it.
    let early = "[    0.000000] Initializing cgroup subsys cpuset\n[    0.000000] Linux version 3.10.49 (a@b) #2\n";
    let late = "[    0.080000] Mount-cache hash table entries: 512\n[    0.080000] Initializing cgroup subsys memory\n\
                [    1.210000] Freeing unused kernel memory: 208k freed\n";
    assert_eq!(boots(&format!("{early}{late}")), 1);
    assert_eq!(boots(&format!("{early}{}", late.replace("0.080000", "0.000000"))), 1);
    assert_eq!(boots(&format!("{early}{late}{early}{late}")), 2);
    let twice: String = early.lines().chain(late.lines()).map(|line| format!("{line}\n{line}\n")).collect();
    assert_eq!(boots(&twice), 1);
    // Without stamps, as a logger keeps them.
    let receipt = |line: &str| format!("Mar  1 10:00:00 a kernel: {}\n", &line[15..]);
    let log: String = early.lines().chain(late.lines()).map(receipt).collect();
    assert_eq!(boots(&format!("{log}{log}")), 2);
}

#[test]
fn a_processor_whose_clock_begins_later_is_no_boot() {
    let log = "[    0.000000] Linux version 4.4.1 (a@b) #1 SMP\n[    0.700000] x86: Booting SMP configuration:\n\
               [    0.000000] kvm-clock: cpu 1, msr 0:7fff5041, secondary cpu clock\n[    0.710000] CPU1 is up\n\
               [    0.000000] CPU2: Thermal monitoring enabled\n[    2.000000] Run /init as init process\n";
    assert_eq!(BootRecords::all(log.as_bytes()).len(), 1);
}

#[test]
fn a_panic_after_init_is_mentioned() {
    let log = "[    0.000000] Linux version 6.6.1\n[    1.000000] Run /init as init process\n\
               [    2.000000] Kernel panic - not syncing: Attempted to kill init!\n";
    let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
    assert!(boot.problems.iter().any(|p| p.kind == ProblemKind::PanicAfterBoot));
    assert!(boot.end.is_some());
}

#[test]
fn init_s_start_in_its_old_forms() {
    for words in [
        "Freeing init memory: 152K",
        "Freeing unused kernel memory: 216k freed",
        "Freeing unused kernel memory: 400K (c0712000 - c0776000)",
        "Freeing unused kernel image (initmem) memory: 2604K",
        "Run /sbin/init as init process",
        "Run /init as init processWelcome",
    ] {
        let log =
            format!("[    0.000000] Linux version 3.4.0\n[    2.500000] {words}\n[   10.900000] INIT: version 2.88\n");
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        let end = boot.end.expect(words);
        assert_eq!(end.kernel.unwrap().as_nanos(), 2_500_000_000, "{words}");
    }
}

/// A console that registers for a port that is not there prints nothing; once its driver has found the port it prints all of the log.
#[test]
fn a_second_registration_prints_the_whole_log() {
    let log = |fast: bool| {
        let mut log = "[    0.000000] Linux version 5.15.7 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: console=ttyS0,115200n8\n\
                       [    0.100000] printk: console [ttyS0] enabled\n"
            .to_owned();
        let (mut at, step) = (100_000, if fast { 1_000 } else { 9_000 });
        for n in 0..300 {
            at += step;
            let (s, us) = (at / 1_000_000, at % 1_000_000);
            log += &format!(
                "[    {s}.{us:06}] acme-gpio {n:05}.gpio: 32 lines, interrupts from line 8 up, and more words\n"
            );
        }
        let later = |ms: i64| format!("[    {}.{:06}]", (at + ms * 1_000) / 1_000_000, (at + ms * 1_000) % 1_000_000);
        log += &format!("{} printk: console [ttyS0] disabled\n", later(1));
        log +=
            &format!("{} AMDI0020:00: ttyS0 at MMIO 0xfedc9000 (irq = 4, base_baud = 3000000) is a 16550A\n", later(1));
        log += &format!("{} printk: console [ttyS0] enabled\n", later(40));
        log + &format!("{} acme-tpm 1: ready\n{} Run /init as init process\n", later(2_400), later(2_410))
    };
    let flush = |text: &str| {
        let boot = Boot::analyse(BootRecords::all(text.as_bytes()).remove(0), &BootOptions::default());
        let waits: Dur = boot.waits.iter().filter(|w| w.cause == WaitCause::Flush).map(|w| w.time.best()).sum();
        (waits, boot.line.as_ref().unwrap().flush.unwrap().bytes, boot.gaps().first().map(|g| g.net()))
    };
    let (waited, bytes, gap) = flush(&log(true));
    let needed = LineRate::from_bytes_per_s(11_520.0).unwrap().time_for(bytes).as_dur();
    assert!(bytes > 24_000 && (waited - needed).abs() < Dur::from_millis(20), "{waited} for {bytes} bytes");
    assert!(gap.is_none_or(|g| g < Dur::from_millis(200)), "{gap:?}");
    // Where writers waited for their records, the first registration was the line's.
    assert!(flush(&log(false)).1 < 1_000);
}

/// Without `,115200` a ttyS is declared at 9600 baud; records that follow one another faster show that nobody waits for such a line.
#[test]
fn a_declared_speed_that_the_stamps_refute_is_not_used() {
    let log = |step: i64| {
        let mut log =
            "[    0.000000] Linux version 6.1.7 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: console=ttyS0\n\
                       [    0.100000] printk: console [ttyS0] enabled\n"
                .to_owned();
        // Work of different lengths: the stamps show no speed.
        let mut at = 100_000;
        for n in 0..60 {
            at += step + step / 4 * (n * n % 17);
            log += &format!("[    {}.{:06}] acme-gpio {n:02}: 32 lines\n", at / 1_000_000, at % 1_000_000);
        }
        log + "[   99.900000] Run /init as init process\n"
    };
    let analyse = |step, stated: bool| {
        let console = stated.then(|| ConsoleArg::parse("ttyS0,9600"));
        let options = BootOptions { console, ..BootOptions::default() };
        let boot = Boot::analyse(BootRecords::all(log(step).as_bytes()).remove(0), &options);
        boot.line.unwrap().speed.map(|s| s.source)
    };
    assert_eq!(analyse(1_000, false), None);
    assert_eq!(analyse(45_000, false), Some(SpeedSource::Declared));
    assert_eq!(analyse(1_000, true), Some(SpeedSource::Declared));
    // Whole seconds refute nothing.
    let line = |n: i64| format!("[Sun Mar  1 10:00:{:02} 2026] acme-gpio {n:02}: 32 lines\n", n / 40);
    let coarse: String = (0..80).map(line).collect();
    let log = format!(
        "[Sun Mar  1 10:00:00 2026] Linux version 6.1.7 (gcc) #1 SMP Mon\n[Sun Mar  1 10:00:00 2026] Kernel command line: \
         console=ttyS0,115200\n[Sun Mar  1 10:00:00 2026] printk: console [ttyS0] enabled\n{coarse}\
         [Sun Mar  1 10:00:03 2026] Run /init as init process\n"
    );
    assert_eq!(read(&log).line.unwrap().speed.map(|s| s.source), Some(SpeedSource::Declared));
}

#[test]
fn a_stated_console_that_the_log_does_not_register_is_named() {
    let banner = "[    0.000000] Linux version 6.1.7 (gcc) #1 SMP Mon\n";
    let enabled = |name: &str| format!("[    0.100000] printk: console [{name}] enabled\n");
    let end = "[    1.900000] Run /init as init process\n";
    let named = |log: &str, stated: &str| {
        let options = BootOptions { console: Some(ConsoleArg::parse(stated)), ..BootOptions::default() };
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &options);
        boot.problems.iter().find(|p| p.kind == ProblemKind::OtherConsole).map(|p| p.detail.clone())
    };
    let log = format!("{banner}{}{}{end}", enabled("tty0"), enabled("ttyS0"));
    assert_eq!(named(&log, "ttyS0,9600"), None);
    assert_eq!(named(&log, "ttyS7").unwrap(), "the log registers ttyS0 (record 2) and no console ttyS7");
    assert_eq!(named(&format!("{banner}{}{end}", enabled("tty0")), "ttyS7"), None, "it may be lost");
    let earlycon = "[    0.010000] printk: bootconsole [uart8250] enabled\n";
    assert_eq!(named(&format!("{banner}{earlycon}{end}"), "ttyS7"), None, "a boot console may be on the same line");
}

/// Too short for a speed to be measured, but no line of 9600 baud has transmitted it: `console=ttyS0` alone declares nothing that counts.
#[test]
fn what_arrived_refutes_a_slower_line() {
    let steps: Vec<Step> = (0..12).map(|n| step(n % 3 * 31, &"x".repeat(12))).collect();
    let short = |rate| Simulated {
        before: steps[..1].to_vec(),
        after: steps[1..].to_vec(),
        ..boot(Mode::Synchronous, rate, "6.12.1")
    };
    let declared = |s: &Simulated| {
        let (boot, truth) = analyse(s);
        let line = boot.line.unwrap();
        let is_declared = line.speed.is_some_and(|s| s.source == SpeedSource::Declared);
        (is_declared, (line.cost.best() - truth.waited).abs() < Dur::from_millis(2))
    };
    assert_eq!(declared(&Simulated { command_line: "console=ttyS0", ..short(92_160.0) }), (false, true));
}
