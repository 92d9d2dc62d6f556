// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots stock kernels. Order, conservation, ratios, and that the capture and the truth agree; never milliseconds.
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bootline_capture::units::{Baud, Dur, HostTime};
use bootline_capture::{Damage, Event, Header, NoteKind, Reader};
use bootline_images::arch::Arch;
use bootline_lab::boot::{BootOutcome, BootPhase, BootRequest, RunVerdict, Truth, boot, boot_valid};
use bootline_lab::machine::Accel;
use bootline_testkit::seed_kernel;

/// A run on a host that is busy may be flawed; a lab whose every run is flawed is broken.
const ATTEMPTS: u32 = 8;
static NEVER: AtomicBool = AtomicBool::new(false);

/// Boots compete for the host's processors: one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A boot whose kernel and whose run are in `dir`.
fn request(arch: Arch, series: &str, dir: &Path) -> BootRequest {
    let kernel = seed_kernel(&dir.join("cache"), arch, series);
    BootRequest { arch: Some(arch), ..BootRequest::new(&kernel.path, &dir.join("run")) }
}

fn run_valid(request: &BootRequest) -> BootOutcome {
    let outcome = boot_valid(request, ATTEMPTS, &NEVER, &mut |_| ()).unwrap();
    assert_eq!(outcome.truth.verdict, RunVerdict::Valid, "{:?}", outcome.truth.fidelity);
    outcome
}

#[derive(Default)]
struct Capture {
    header: Option<Header>,
    bytes: Vec<u8>,
    /// Arrival of each byte, and how much earlier it may have been.
    arrivals: Vec<(HostTime, Dur)>,
    notes: Vec<NoteKind>,
    damage: Vec<Damage>,
}

fn read(path: &Path) -> Capture {
    let mut capture = Capture::default();
    let mut sink = |event: Event<'_>| match event {
        Event::Header(h) => capture.header = Some(h),
        Event::Chunk(time, bytes) => {
            capture.arrivals.extend((0..bytes.len()).map(|i| (time.at(i, bytes.len()), time.uncertainty)));
            capture.bytes.extend_from_slice(bytes);
        }
        Event::Note(n) => capture.notes.push(n.kind),
        Event::Damage(d) => capture.damage.push(d),
    };
    let mut reader = Reader::new();
    reader.push(&fs::read(path).unwrap(), &mut sink);
    reader.finish(&mut sink);
    capture
}

/// A boot on the line: what its kernel logged is in the capture, once and in order, at the line's rate.
fn check_paced(arch: Arch, series: &str, smp: u32, baud: u32) -> Truth {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let request = BootRequest { baud: Baud::new(baud), smp, ..request(arch, series, dir.path()) };
    let outcome = run_valid(&request);
    let truth = outcome.truth;
    let on_disk: Truth = serde_json::from_slice(&fs::read(outcome.dir.join("truth.json")).unwrap()).unwrap();
    assert_eq!((on_disk.init_ns, &on_disk.guest), (truth.init_ns, &truth.guest));

    let capture = read(&outcome.capture.unwrap());
    assert_eq!((&capture.notes[..], &capture.damage[..]), (&[NoteKind::PowerOn, NoteKind::End][..], &[][..]));
    let header = capture.header.unwrap();
    assert_eq!(header.line_bytes_per_s.unwrap().bytes_per_s(), f64::from(baud) / 10.0);
    let line = truth.line.unwrap();
    assert_eq!(header.declared_baud, line.declared_baud);

    // The capture and the truth agree on the bytes and their times.
    assert_eq!(capture.bytes.len() as u64, truth.bytes_total);
    let within = |at: HostTime, (stated, uncertainty): (HostTime, Dur)| at <= stated && at >= stated - uncertainty;
    assert!(within(truth.first_byte_ns.unwrap(), capture.arrivals[0]));
    assert!(within(truth.last_byte_ns.unwrap(), capture.arrivals[capture.arrivals.len() - 1]));
    let init = truth.init_ns.unwrap();
    let entered = truth.init_entered_ns.unwrap();
    assert!(entered < init && entered > truth.first_byte_ns.unwrap(), "init opens the port before it reports");
    let before = truth.bytes_before_init.unwrap() as usize;
    assert!(capture.arrivals[..before].iter().all(|(at, uncertainty)| *at - *uncertainty <= init));
    assert!(capture.arrivals[before..].iter().all(|(at, _)| *at > init));
    assert!(truth.console_busy_before_init_ns.unwrap() <= truth.time_to_init_ns.unwrap() + Dur::from_millis(50));

    // Every record below the console's log level is there, in order; told without the lab's own comparison.
    let log = fs::read_to_string(outcome.dir.join("dmesg.kmsg")).unwrap();
    let loglevel = truth.guest.console_loglevel.unwrap();
    let text = String::from_utf8_lossy(&capture.bytes).into_owned();
    let mut rest = &text[..];
    let mut records = 0;
    for record in log.lines().filter(|l| !l.starts_with(' ') && !l.contains("\\x")) {
        let (head, message) = record.split_once(';').unwrap();
        let priority: u8 = head.split(',').next().unwrap().parse().unwrap();
        if priority & 7 < loglevel {
            let line = format!("] {message}\r\n");
            let at = rest.find(&line).unwrap_or_else(|| panic!("`{message}` is not on the wire in its place"));
            rest = &rest[at + line.len() - 2..];
            records += 1;
        }
    }
    assert!(records > 100, "{records}");
    assert_eq!(truth.fidelity.found_lines, truth.fidelity.expected_lines);

    // The line was as fast as it says, and no faster.
    let ratio = truth.fidelity.flush_rate_ratio.unwrap();
    assert!((0.95..1.03).contains(&ratio), "{ratio}");
    assert!(line.usage.busy_bytes_per_s <= line.line_bytes_per_s.bytes_per_s() * 1.03);
    truth
}

#[test]
fn an_x86_kernel_on_a_true_line() {
    let fast = check_paced(Arch::Amd64, "6.12", 1, 115_200);
    let slow = check_paced(Arch::Amd64, "6.12", 1, 19_200);
    assert_eq!(slow.line.unwrap().declared_baud, Baud::new(300), "told to wait");
    // A legacy console costs the boot what its characters take.
    let busy = |t: &Truth| t.console_busy_before_init_ns.unwrap().as_secs_f64();
    let ratio = busy(&slow) / busy(&fast);
    assert!((5.0..7.0).contains(&ratio), "six times slower, the same log: {ratio}");
    assert!(slow.time_to_init_ns > fast.time_to_init_ns);
}

#[test]
fn an_arm_kernel_on_a_true_line() {
    let truth = check_paced(Arch::Arm64, "6.12", 2, 115_200);
    let line = truth.line.unwrap();
    assert_eq!(line.declared_baud, Baud::new(115_200));
    assert_eq!(line.holds_up_all_cpus, Some(false), "only the CPU that transmits waits for the line");
    assert!(truth.guest.consoles.unwrap().contains("ttyAMA0"));
}

#[test]
fn a_32_bit_arm_kernel_on_a_true_line() {
    let truth = check_paced(Arch::Armhf, "6.12", 1, 115_200);
    assert_eq!(truth.line.unwrap().declared_baud, Baud::new(115_200));
    assert!(truth.guest.consoles.unwrap().contains("ttyAMA0"));
    // Read by a program of 32 bits: the kernel starts after QEMU, and its boot takes longer than 100 ms.
    let guest = truth.init_guest_ns.unwrap();
    assert!(guest > Dur::from_millis(100) && guest < truth.init_ns.unwrap() - truth.qemu_started_ns, "{guest:?}");
}

#[test]
fn a_marker_of_user_space_is_timed_on_the_line() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let request = BootRequest {
        append: "bootline.marker=user-space-is-here".to_owned(),
        marker: Some(regex::bytes::Regex::new("^user-space-is-here").unwrap()),
        ..request(Arch::Amd64, "6.12", dir.path())
    };
    let truth = run_valid(&request).truth;
    assert!(truth.marker_ns.unwrap() > truth.init_ns.unwrap());
}

/// One boot for what init does beyond its marker, and for the trace.
#[test]
fn a_module_that_is_none_is_named_and_lines_are_printed_with_few_register_reads() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let module = dir.path().join("bogus.ko");
    fs::write(&module, "no module").unwrap();
    let request = BootRequest {
        baud: Baud::new(921_600),
        modules: vec![format!("{} x=1", module.display()).parse().unwrap()],
        lines: Some(32),
        trace_registers: true,
        ..request(Arch::Amd64, "6.12", dir.path())
    };
    let outcome = boot(&request, &NEVER, &mut |_| ()).unwrap();
    let truth = outcome.truth;
    let RunVerdict::ModuleFailed { module, error } = &truth.verdict else { panic!("{:?}", truth.verdict) };
    assert_eq!((module.as_str(), &error[..8]), ("bogus.ko", "ENOEXEC:"));
    assert_eq!(truth.modules[0].parameters, "x=1");
    assert!(truth.modules[0].done_ns >= truth.init_ns.unwrap());

    let lines = truth.lines.unwrap();
    // Stamp, number, 80 characters, the line's end.
    assert_eq!((lines.count, lines.bytes), (32, 32 * (15 + 80 + 2) + 9 * 4 + 23 * 5), "{lines:?}");
    let log = fs::read_to_string(outcome.dir.join("dmesg.kmsg")).unwrap();
    assert_eq!(log.lines().filter(|l| l.contains("/32####")).count(), 32);

    let registers = truth.registers.unwrap();
    // Every byte is written once, and a busy host sees a byte later than the trace sees its write, but never before it. The truth
    // port's driver probes its registers, too.
    let written = registers.before_init.registers["RX/TX/DLL"].writes;
    let (arrived, total) = (truth.bytes_before_init.unwrap(), truth.bytes_total);
    assert!((arrived..total + 100).contains(&written), "{written} writes, {arrived} of {total} bytes before init");
    let (before, after) = (registers.before_init.reads_per_byte().unwrap(), registers.lines.as_ref().unwrap());
    assert_eq!(after.bytes, lines.bytes);
    // From 5.19 on, a console whose port is open writes a FIFO at a time.
    assert!(before >= 0.99, "{before}");
    assert!(!outcome.dir.join("qemu.log").exists(), "the trace is not kept");
}

#[test]
fn a_panic_is_a_result_with_its_log() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let request = BootRequest { append: "rdinit=/nowhere".to_owned(), ..request(Arch::Amd64, "6.12", dir.path()) };
    let outcome = boot(&request, &NEVER, &mut |_| ()).unwrap();
    let RunVerdict::Panicked { line } = &outcome.truth.verdict else { panic!("{:?}", outcome.truth.verdict) };
    assert!(line.contains("Kernel panic - not syncing"), "{line}");
    let text = String::from_utf8_lossy(&read(&outcome.capture.unwrap()).bytes).into_owned();
    assert!(text.contains(&line[line.find("Kernel panic").unwrap()..]));
    assert_eq!(outcome.truth.init_ns, None);
}

#[test]
fn a_boot_that_takes_too_long_or_is_called_off_leaves_its_log() {
    let _alone = alone();
    let ended = |dir: &str, timeout, cancel_at: u64| {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(dir);
        let request =
            BootRequest { baud: Baud::new(300), timeout: Some(timeout), ..request(Arch::Amd64, "6.12", &dir) };
        let cancel = AtomicBool::new(false);
        let outcome = boot(&request, &cancel, &mut |progress| {
            assert_eq!(progress.phase, BootPhase::Booting);
            cancel.fetch_or(progress.bytes > cancel_at, Ordering::SeqCst);
        });
        let outcome = outcome.unwrap();
        let capture = read(&outcome.capture.unwrap());
        assert_eq!(capture.notes.last(), Some(&NoteKind::End));
        assert_eq!(capture.bytes.len() as u64, outcome.truth.bytes_total);
        outcome.truth.verdict
    };
    let late = ended("late", Duration::from_secs(1), u64::MAX);
    assert!(matches!(late, RunVerdict::TimedOut { .. }), "{late:?}");
    assert_eq!(ended("off", Duration::from_secs(600), 20), RunVerdict::Interrupted);
}

#[test]
fn counted_instructions_repeat() {
    let _alone = alone();
    let cost = || {
        let dir = tempfile::tempdir().unwrap();
        let request = BootRequest { accel: Accel::Icount, ..request(Arch::Amd64, "6.12", dir.path()) };
        let outcome = boot(&request, &NEVER, &mut |_| ()).unwrap();
        assert_eq!((&outcome.truth.verdict, outcome.capture), (&RunVerdict::Valid, None));
        assert!(outcome.truth.time_to_init_ns.is_none() && outcome.truth.line.is_none());
        outcome.truth.init_guest_ns.unwrap().as_secs_f64()
    };
    let (a, b) = (cost(), cost());
    assert!((a / b - 1.0).abs() < 0.02, "{a} {b}");
}
