// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole boots: posts 1, 2 and 5.
use bootline_capture::units::{Dur, Interval};

use super::log::{Log, with};
use super::ports::benchmark;
use super::row::Row;

pub fn rows() -> Vec<Row> {
    [raspberry_pi(), pocket_beagle(), imx51()].into_iter().flatten().collect()
}

/// Post 1's board at 115200 baud: registration at 3.034870 s, the next record 1.271 s (legacy) or 1.278 s (nbcon) later,
/// init at 4.506 or 4.461 s. `after` is the number of bytes after the registration.
fn raspberry_pi_log(registration: &str, gap_us: i64, init_us: i64, after: usize) -> Log {
    const REGISTERED: i64 = 3_034_870;
    const BEFORE: usize = 14_518;
    let log = Log::default()
        .say(0, "Booting Linux on physical CPU 0x0000000000 [0x410fd034]")
        .say(0, "Linux version 6.12.8-v8 (oe-user@oe-host) #1 SMP PREEMPT Mon Jan 6 14:23:38 UTC 2025")
        .say(0, "Kernel command line: console=ttyS0,115200")
        .say(10_000, "smp: Brought up 1 node, 4 CPUs")
        .fill(BEFORE, 10_000, REGISTERED)
        .say(REGISTERED, registration);
    let next = REGISTERED + gap_us;
    let run = "Run /sbin/init as init process";
    let first = "Indeed it is in host mode hprt0 = 00021501";
    let chars = BEFORE + registration.len() + 17 + after - run.len() - 17;
    log.say(next, first).fill(chars, next, init_us).say(init_us, run)
}

fn raspberry_pi() -> Vec<Row> {
    /// Derived from the 0.674 s of the difference between 19.106 s and 4.506 s that are not in the gaps, at 960 and
    /// 11520 B/s.
    const AFTER: usize = 706;
    const INFERRED: &str = "706 bytes after the registration, from the totals at 9600 and 115200";
    const FROM: &str = "Indeed it is in host mode";
    let legacy = raspberry_pi_log("printk: legacy console [ttyS0] enabled", 1_271_000, 4_506_000, AFTER);
    let nbcon = raspberry_pi_log("printk: console [ttyS0] enabled", 1_278_000, 4_461_000, AFTER);
    let row =
        |what, published, predicted, inferred, within| Row { seed: 1, what, published, predicted, inferred, within };
    let total = |log: &Log, settings: &[&str]| with(&log.boot(None), settings).time_to_init;
    let gap = |log: &Log, settings: &[&str]| {
        let registered = Dur::from_micros(3_034_870);
        let next = with(&log.boot(Some(FROM)), settings).time_to_init;
        Interval::new(next.low() - registered, next.best() - registered, next.high() - registered)
    };
    vec![
        row("legacy, gap at the registration, 9600 baud", 15.197, gap(&legacy, &["baud=9600"]), "", Some(0.03)),
        row("legacy, gap at the registration, 2400 baud", 75.917, gap(&legacy, &["baud=2400"]), "", None),
        row("nbcon, gap at the registration, 9600 baud", 15.307, gap(&nbcon, &["baud=9600"]), "", Some(0.03)),
        row("nbcon, gap at the registration, 2400 baud", 76.848, gap(&nbcon, &["baud=2400"]), "", None),
        row("legacy, init, 9600 baud", 19.106, total(&legacy, &["baud=9600"]), INFERRED, Some(0.03)),
        row("legacy, init, 2400 baud", 82.254, total(&legacy, &["baud=2400"]), INFERRED, None),
        row(
            "the same at the speed that the gap implies, 192 B/s",
            82.254,
            total(&legacy, &["baud=1920"]),
            "that speed, from the gap of 75.917 s",
            Some(0.05),
        ),
        row("nbcon, init, 9600 baud", 18.909, total(&nbcon, &["baud=9600"]), INFERRED, Some(0.05)),
        row("legacy, init, 115200 baud, loglevel=1", 3.2, total(&legacy, &["loglevel=1"]), INFERRED, Some(0.03)),
        row("legacy, 64 records in a row, 115200 baud", 0.577_235, benchmark(115_200, true), "", Some(0.03)),
        row("legacy, 64 records in a row, 9600 baud", 6.880_447, benchmark(9_600, true), "", Some(0.03)),
        row("nbcon, 64 records in a row, 9600 baud", 0.000_431, benchmark(9_600, false), "", None),
    ]
}

/// Post 2's board with initcall_debug: bytes until the open of /dev/console, time of that open, time of init. An
/// unpatched 7.0 prints like 6.18.
fn pocket_beagle_log(release: &str, until_open: usize, open_us: [i64; 2], init_us: i64) -> Log {
    const REGISTERED: i64 = 3_722_844;
    let [from, to] = open_us;
    let tail = [
        (to, "init/main.c:console_on_rootfs: -filp_open"),
        (init_us - 234_000, "VFS: Mounted root (ext4 filesystem) on device 179:2."),
        (init_us - 12_000, "Freeing unused kernel memory: 10816K"),
        (init_us, "Run /sbin/init as init process"),
    ];
    let open = "init/main.c:console_on_rootfs: +filp_open";
    let start = Log::default()
        .say(0, "Booting Linux on physical CPU 0x0000000000 [0x410fd034]")
        .say(0, &format!("Linux version {release} (oe-user@oe-host) #1 SMP PREEMPT_RT Tue Jul 22 02:41:13 UTC 2025"))
        .say(0, "Kernel command line: console=ttyS2,9600 initcall_debug=1 loglevel=10")
        .say(10_000, "calling  printk_set_kthreads_ready+0x0/0x20 @ 1")
        .say(20_000, "smp: Brought up 1 node, 2 CPUs")
        .fill(until_open * 3 / 5, 20_000, REGISTERED)
        .say(REGISTERED, "printk: legacy console [ttyS2] enabled")
        .fill(until_open - open.len() - 17, REGISTERED, from)
        .say(from, open);
    tail.iter().fold(start, |log, (at, text)| log.say(*at, text))
}

fn pocket_beagle() -> Vec<Row> {
    const INFERRED: &str =
        "the registration at 3.72 s, from the post's other boot; the distribution of the bytes; two CPUs";
    const AND_CHARS: &str = "the same, and 173 200 bytes, from the end of the open (published: about 171 000)";
    // The open ended when everything stored had been transmitted at 960 B/s, starting at the registration: 173 285
    // bytes, less whatever time the line was idle.
    const UNTIL_OPEN: usize = 173_200;
    let before = pocket_beagle_log("6.18.0-ti", UNTIL_OPEN, [6_250_878, 184_228_355], 184_569_199).boot(None);
    let after = pocket_beagle_log("7.0.0-ti", 170_700, [4_572_019, 5_806_344], 7_509_409).boot(None);
    let row =
        |what, published, predicted, inferred, within| Row { seed: 2, what, published, predicted, inferred, within };
    vec![
        row(
            "init with the kthread of 6.19, from the boot of 184.6 s",
            7.509_409,
            with(&before, &["kernel=6.19-rt"]).time_to_init,
            AND_CHARS,
            Some(0.15),
        ),
        row(
            "init with the kthread before 6.19, from the boot of 7.5 s",
            184.569_199,
            with(&after, &["kernel=6.18-rt"]).time_to_init,
            INFERRED,
            Some(0.03),
        ),
    ]
}

/// Post 5's board: the root file system is mounted at 12.96 s, at 38400 baud; quiet saved 3.07 s.
fn imx51() -> Vec<Row> {
    const CHARS: usize = 11_800;
    let end = "VFS: Mounted root (jffs2 filesystem) on device 31:3.";
    let log = Log::default()
        .say(0, "Linux version 2.6.31 (chris@chris-laptop) (gcc version 4.3.3 (GCC) ) #2 PREEMPT Wed Sep 29 17:59:01 BST 2010")
        .say(0, "Kernel command line: console=ttymxc1,38400")
        .say(1_000, "console [ttymxc1] enabled")
        .fill_waiting(CHARS - end.len() - 17, 40_000, 12_900_000, 3_840)
        .say(12_960_000, end);
    let saved = with(&log.boot(Some("VFS: Mounted root")), &["quiet"]).saved;
    vec![Row {
        seed: 5,
        what: "saved by quiet at 38400 baud",
        published: 3.07,
        predicted: saved,
        inferred: "11 800 bytes, from this figure",
        within: Some(0.03),
    }]
}
