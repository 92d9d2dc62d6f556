// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures of real pseudo-terminals, sockets and commands, from the opening to the file. The only clocks are deadlines.
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use bootline_capture::units::{Baud, Dur, Frame, HostTime};
use bootline_capture::{ChunkTime, Event, Header, Note, NoteKind, Reader};
use regex::bytes::Regex;
use rustix::net::{AddressFamily, SocketType};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::*;
use crate::recorder::Recorder;

/// Ends every test's capture that something else should have ended.
const DEADLINE: Dur = Dur::from_secs(600);

fn plan(source: &str) -> CapturePlan {
    let line = LineSettings { baud: Baud::new(115_200).unwrap(), frame: Frame::default(), dtr: None, rts: None };
    CapturePlan {
        source: source.parse().unwrap(),
        line,
        bridged_baud: None,
        wait: false,
        reconnect: true,
        power: None,
        power_wait: DEADLINE,
        marks: Vec::new(),
        until: None,
        timeout: Some(DEADLINE),
        idle: None,
    }
}

fn until(source: &str, pattern: &str) -> CapturePlan {
    CapturePlan { until: Some(Regex::new(pattern).unwrap()), ..plan(source) }
}

/// Reports to the test what the capture sees.
struct Telling(Sender<Seen>);

#[derive(Debug, PartialEq)]
enum Seen {
    Bytes(Vec<u8>),
    Notice(CaptureNotice),
}

impl CaptureObserver for Telling {
    fn bytes(&mut self, _: ChunkTime, bytes: &[u8]) {
        // A test that has seen enough no longer listens.
        let _ = self.0.send(Seen::Bytes(bytes.to_vec()));
    }
    fn notice(&mut self, _: HostTime, notice: &CaptureNotice) {
        let _ = self.0.send(Seen::Notice(notice.clone()));
    }
}

/// What came out of a capture.
struct Taken {
    summary: Result<CaptureSummary, PortError>,
    header: Header,
    bytes: Vec<u8>,
    chunks: Vec<(ChunkTime, usize)>,
    notes: Vec<Note>,
}

impl Taken {
    fn ended(&self) -> &CaptureEnd {
        &self.summary.as_ref().unwrap().ended
    }

    fn kinds(&self) -> Vec<NoteKind> {
        self.notes.iter().map(|n| n.kind).collect()
    }
}

fn take_with(plan: CapturePlan, stop: &StopRequest, told: Sender<Seen>) -> Taken {
    let mut watch = Telling(told);
    let recording = Recording::open(plan, stop, &mut watch).unwrap().unwrap();
    record(recording, stop, watch)
}

fn record(recording: Recording, stop: &StopRequest, mut watch: Telling) -> Taken {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("boot.cap");
    let recorder = Recorder::create(&path, &recording.header("test")).unwrap();
    let summary = recording.record(recorder, stop, &mut watch);

    let mut header = None;
    let mut taken = Taken { summary, header: Header::new("", ""), bytes: vec![], chunks: vec![], notes: vec![] };
    let mut sink = |event: Event<'_>| match event {
        Event::Header(h) => header = Some(h),
        Event::Chunk(time, bytes) => {
            taken.bytes.extend(bytes);
            taken.chunks.push((time, bytes.len()));
        }
        Event::Note(note) => taken.notes.push(note),
        Event::Damage(damage) => panic!("{damage:?}"),
    };
    let mut reader = Reader::new();
    reader.push(&fs::read(&path).unwrap(), &mut sink);
    reader.finish(&mut sink);
    taken.header = header.unwrap();
    assert_eq!(taken.notes.last().map(|n| n.kind), Some(NoteKind::End), "the file is complete");
    taken
}

fn take(plan: CapturePlan) -> Taken {
    take_with(plan, &StopRequest::new().unwrap(), channel().0)
}

/// A pseudo-terminal that plays the serial device: the board's end, and the device's name.
fn board() -> (File, PathBuf) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    (File::from(master), PathBuf::from(name.to_str().unwrap()))
}

/// A board whose bytes lie in the device before anybody opens it. The device stays raw, as one that another capture has
/// left, while the last file is open.
fn board_with(bytes: &[u8]) -> (File, PathBuf, File) {
    let (mut master, device) = board();
    let other = fs::OpenOptions::new().read(true).write(true).open(&device).unwrap();
    let mut raw = tcgetattr(&other).unwrap();
    raw.make_raw();
    tcsetattr(&other, OptionalActions::Now, &raw).unwrap();
    master.write_all(bytes).unwrap();
    rustix::event::poll(&mut [rustix::event::PollFd::new(&other, rustix::event::PollFlags::IN)], None).unwrap();
    (master, device, other)
}

/// Waits until `wanted` was seen.
fn wait_for(seen: &Receiver<Seen>, wanted: impl Fn(&Seen) -> bool) {
    let deadline = Duration::from_nanos(DEADLINE.as_nanos() as u64);
    while !wanted(&seen.recv_timeout(deadline).expect("seen before the deadline")) {}
}

/// Bytes of every value in a fixed, seemingly random order.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..len).map(|_| next() as u8).collect()
}

/// Writes `bytes` in pieces of changing sizes.
fn write_in_pieces(mut out: impl Write, bytes: &[u8]) {
    let mut rest = bytes;
    for size in [1usize, 7, 64, 4096, 3, 1000, 16_384, 255].into_iter().cycle() {
        let (piece, tail) = rest.split_at(size.min(rest.len()));
        out.write_all(piece).unwrap();
        rest = tail;
        if rest.is_empty() {
            return;
        }
    }
}

fn check_monotone(taken: &Taken) {
    let mut last = HostTime::ORIGIN;
    for (time, len) in &taken.chunks {
        assert!(time.first >= last && time.span >= Dur::ZERO, "{time:?} after {last}");
        last = time.at(len - 1, *len);
    }
}

#[test]
fn a_megabyte_through_a_serial_device_arrives_byte_by_byte() {
    let (master, device) = board();
    let mut bytes = noise(1 << 20);
    bytes.extend_from_slice(b"\nthe end\n");
    let (tell, seen) = channel();
    let writer = thread::spawn({
        let bytes = bytes.clone();
        move || {
            // The first byte opens the race only once the capture has made the line raw.
            let mut master = master;
            wait_raw(&master);
            write_in_pieces(&mut master, &bytes);
            (master, seen)
        }
    });
    let taken = take_with(until(device.to_str().unwrap(), "^the end$"), &StopRequest::new().unwrap(), tell);
    writer.join().unwrap();
    assert!(taken.bytes == bytes, "{} of {} bytes, or others", taken.bytes.len(), bytes.len());
    assert_eq!(taken.ended(), &CaptureEnd::Until(b"the end".to_vec()));
    assert_eq!(taken.header.declared_baud, None, "a pseudo-terminal has no line");
    let summary = taken.summary.as_ref().unwrap();
    assert_eq!(summary.bytes, bytes.len() as u64);
    assert_eq!(summary.lines, bytes.iter().filter(|&&b| b == b'\n').count() as u64);
    check_monotone(&taken);
}

/// Waits until somebody has made the terminal raw.
fn wait_raw(master: &File) {
    let start = std::time::Instant::now();
    while tcgetattr(master).unwrap().local_modes.contains(rustix::termios::LocalModes::ICANON) {
        assert!(start.elapsed().as_secs() < 600, "nobody made the line raw");
        thread::yield_now();
    }
}

#[test]
fn a_megabyte_into_our_own_pseudo_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("board");
    let mut bytes = noise(1 << 20);
    bytes.extend_from_slice(b"\nthe end\n");
    let writer = thread::spawn({
        let (link, bytes) = (link.clone(), bytes.clone());
        move || {
            let start = std::time::Instant::now();
            while !link.exists() {
                assert!(start.elapsed().as_secs() < 600, "no link was made");
                thread::yield_now();
            }
            write_in_pieces(fs::OpenOptions::new().write(true).open(link).unwrap(), &bytes);
        }
    });
    let taken = take(until(&format!("pty:{}", link.display()), "^the end$"));
    writer.join().unwrap();
    assert!(taken.bytes == bytes, "{} of {} bytes, or others", taken.bytes.len(), bytes.len());
    assert!(!link.exists(), "the link goes with the capture");
    check_monotone(&taken);
}

#[test]
fn a_device_that_is_unplugged_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("ttyUSB0");
    let (mut first, device) = board();
    symlink(&device, &link).unwrap();
    let (tell, seen) = channel();
    let capture = thread::spawn({
        let plan = until(link.to_str().unwrap(), "^third$");
        move || take_with(plan, &StopRequest::new().unwrap(), tell)
    });
    wait_raw(&first);
    first.write_all(b"first\n").unwrap();
    wait_for(&seen, |s| matches!(s, Seen::Bytes(_)));
    // The name goes first, as in an unplugging: another test may be given the same pseudo-terminal.
    fs::remove_file(&link).unwrap();
    drop(first);
    wait_for(&seen, |s| matches!(s, Seen::Notice(CaptureNotice::Lost { waiting: true, .. })));
    let (mut second, device) = board();
    symlink(&device, &link).unwrap();
    wait_for(&seen, |s| matches!(s, Seen::Notice(CaptureNotice::Back(_))));
    second.write_all(b"second\nthird\n").unwrap();
    let taken = capture.join().unwrap();
    assert_eq!(taken.bytes, b"first\nsecond\nthird\n");
    assert_eq!(taken.kinds(), [NoteKind::PortLost, NoteKind::PortBack, NoteKind::End]);
    assert!(taken.notes[0].at_ns <= taken.notes[1].at_ns);
    assert_eq!(taken.summary.unwrap().losses, 1);
}

#[test]
fn without_reconnect_an_unplugged_device_is_the_end() {
    let (mut master, device) = board();
    let (tell, seen) = channel();
    let plan = CapturePlan { reconnect: false, ..plan(device.to_str().unwrap()) };
    let capture = thread::spawn(move || take_with(plan, &StopRequest::new().unwrap(), tell));
    wait_raw(&master);
    master.write_all(b"first\n").unwrap();
    wait_for(&seen, |s| matches!(s, Seen::Bytes(_)));
    drop(master);
    let taken = capture.join().unwrap();
    assert_eq!(taken.bytes, b"first\n");
    assert_eq!(taken.kinds(), [NoteKind::PortLost, NoteKind::End]);
    assert_eq!(taken.ended(), &CaptureEnd::Source(None));
}

#[test]
fn a_server_that_closes_is_connected_again() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let source = format!("tcp:127.0.0.1:{}", server.local_addr().unwrap().port());
    let bytes = noise(300_000);
    let expected = [&bytes[..], b"\nlogin: "].concat();
    let serve = thread::spawn(move || {
        write_in_pieces(server.accept().unwrap().0, &bytes);
        let mut again = server.accept().unwrap().0;
        again.write_all(b"\nlogin: ").unwrap();
        // Stays connected until the capture has ended.
        assert_eq!(again.read(&mut [0]).unwrap(), 0);
    });
    let taken = take(until(&source, "login: $"));
    serve.join().unwrap();
    assert!(taken.bytes == expected, "{} of {} bytes", taken.bytes.len(), expected.len());
    assert_eq!(taken.kinds(), [NoteKind::PortLost, NoteKind::PortBack, NoteKind::End]);
    assert_eq!(taken.ended(), &CaptureEnd::Until(b"login: ".to_vec()));
}

#[test]
fn a_unix_socket_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("qemu.sock");
    let (tell, seen) = channel();
    let plan = CapturePlan { wait: true, reconnect: false, ..plan(&format!("unix:{}", path.display())) };
    let capture = thread::spawn(move || take_with(plan, &StopRequest::new().unwrap(), tell));
    wait_for(&seen, |s| matches!(s, Seen::Notice(CaptureNotice::Waiting(_))));
    let server = UnixListener::bind(&path).unwrap();
    server.accept().unwrap().0.write_all(b"hello\n").unwrap();
    assert_eq!(capture.join().unwrap().bytes, b"hello\n");
}

#[test]
fn a_commands_output_is_captured_whole() {
    let taken = take(plan("cmd:seq 1 50000; exit 3"));
    let want: String = (1..=50_000).map(|n| format!("{n}\n")).collect();
    assert!(taken.bytes == want.as_bytes(), "{} of {} bytes", taken.bytes.len(), want.len());
    assert_eq!(taken.ended(), &CaptureEnd::Source(Some(ExitStatus::from_raw(3 << 8))));
    assert_eq!(taken.header.source, "cmd:seq 1 50000; exit 3");
}

#[test]
fn a_command_that_prints_into_a_pipe_late_is_heard_at_once() {
    // printf(3) keeps output for a pipe back; on a terminal the first line arrives while the command still runs.
    let taken = take(until("cmd:sed -n p /proc/self/comm; read forever", "^sed$"));
    assert_eq!(taken.bytes, b"sed\n");
}

#[test]
fn a_command_ends_with_its_capture() {
    let dir = tempfile::tempdir().unwrap();
    let pid_file = dir.path().join("pid");
    let taken = take(until(&format!("cmd:echo $$ > {}; echo up; exec sleep 1000", pid_file.display()), "up"));
    assert_eq!(taken.bytes, b"up\n");
    let pid = fs::read_to_string(pid_file).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "it still runs");
}

#[test]
fn time_limits_end_a_capture() {
    // Silence counts from the opening on: what comes before it is there already.
    let (_master, device, _other) = board_with(b"one\n");
    let limit = Dur::from_secs(1);
    let taken = take(CapturePlan { idle: Some(limit), ..plan(device.to_str().unwrap()) });
    assert_eq!((&taken.bytes[..], taken.ended()), (&b"one\n"[..], &CaptureEnd::Idle(limit)));
    // However little of it the command has come to write by then.
    let limit = Dur::from_millis(100);
    let taken = take(CapturePlan { timeout: Some(limit), ..plan("cmd:while echo y; do sleep 0.01; done") });
    assert_eq!(taken.ended(), &CaptureEnd::Timeout(limit));
    assert!(taken.bytes.chunks(2).all(|line| b"y\n".starts_with(line)));
    check_monotone(&taken);
}

#[test]
fn a_stop_ends_a_capture_with_what_had_arrived() {
    let (mut master, device) = board();
    let stop = StopRequest::new().unwrap();
    let plan = plan(device.to_str().unwrap());
    thread::scope(|scope| {
        let capture = scope.spawn(|| take_with(plan, &stop, channel().0));
        wait_raw(&master);
        master.write_all(b"already here").unwrap();
        stop.request();
        let taken = capture.join().unwrap();
        // The terminal hands bytes on in a work item: those may still be under way, never half of them.
        assert!(taken.bytes == b"already here" || taken.bytes.is_empty(), "{:?}", taken.bytes);
        assert_eq!(taken.ended(), &CaptureEnd::Stopped(None));
    });
}

#[test]
fn the_power_command_runs_once_the_port_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("board");
    let power = format!("printf 'powered\\n' > {}", link.display());
    let taken =
        take(CapturePlan { power: Some(power.clone()), ..until(&format!("pty:{}", link.display()), "powered") });
    assert_eq!(taken.bytes, b"powered\n");
    assert_eq!(taken.kinds(), [NoteKind::PowerOn, NoteKind::End]);
    assert_eq!(taken.notes[0].detail, format!("power command `{power}`"));
}

#[test]
fn a_power_command_that_fails_ends_the_capture() {
    let taken = take(CapturePlan { power: Some("exit 7".into()), ..plan("pty") });
    let error = taken.summary.unwrap_err();
    assert_eq!(error.to_string(), "the power command `exit 7` failed: exit status: 7");
}

#[test]
fn a_power_command_that_fails_after_the_source_has_ended_is_waited_for() {
    // It fails once the captured command is gone from the process table, which the capture removes it from at its own end.
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid").display().to_string();
    let power = format!("until [ -s {pid} ]; do :; done; while kill -0 $(cat {pid}); do :; done; exit 7");
    let source = format!("cmd:echo $$ > {pid}.new; mv {pid}.new {pid}; echo hi");
    let taken = take(CapturePlan { power: Some(power.clone()), ..plan(&source) });
    assert_eq!(taken.summary.unwrap_err().to_string(), format!("the power command `{power}` failed: exit status: 7"));
    assert_eq!(taken.bytes, b"hi\n");
}

#[test]
fn a_power_command_that_does_not_end_is_not_waited_for_forever() {
    let dir = tempfile::tempdir().unwrap();
    let (tell, seen) = channel();
    let fifo = dir.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let power = format!("read x < {}", fifo.display());
    let plan = CapturePlan { power: Some(power.clone()), power_wait: Dur::ZERO, ..plan("cmd:echo hi") };
    let taken = take_with(plan, &StopRequest::new().unwrap(), tell);
    assert_eq!(taken.ended(), &CaptureEnd::Source(Some(ExitStatus::from_raw(0))));
    wait_for(&seen, |s| *s == Seen::Notice(CaptureNotice::PowerRuns(power.clone())));
    // Lets it end.
    fs::write(fifo, "x\n").unwrap();
}

#[test]
fn bytes_that_waited_before_the_opening_are_of_unknown_age() {
    let (_master, device, _other) = board_with(b"old news\n");
    let taken = take(until(device.to_str().unwrap(), "old news"));
    assert!(taken.chunks[0].0.uncertainty >= Dur::from_secs(4), "{:?}", taken.chunks[0]);
}

#[track_caller]
fn refuse(source: &str, text: &str) {
    let error = Recording::open(plan(source), &StopRequest::new().unwrap(), &mut Telling(channel().0)).unwrap_err();
    assert_eq!(error.to_string(), text);
}

#[test]
fn what_cant_be_opened_is_named() {
    // Nobody listens there, and nobody else is given the port while it is bound.
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    let free = SocketAddrV4::try_from(rustix::net::getsockname(&socket).unwrap()).unwrap().port();
    let endpoint = format!("tcp:127.0.0.1:{free}");
    refuse(&endpoint, &format!("can't connect to `{endpoint}`: Connection refused (os error 111)"));
    refuse("unix:/nonexistent/s", "there is no socket `/nonexistent/s`");
    let plan = CapturePlan { source: CaptureSource::Command(vec!["/nonexistent/x".into()]), ..plan("-") };
    let error = Recording::open(plan, &StopRequest::new().unwrap(), &mut Telling(channel().0)).unwrap_err();
    assert_eq!(error.to_string(), "can't start `/nonexistent/x`: No such file or directory (os error 2)");
    refuse(
        "pty:/nonexistent/link",
        "can't link `/nonexistent/link` to the pseudo-terminal: No such file or directory (os error 2)",
    );
}

/// On a line no faster than its baud no byte is stamped before it was sent, and the stamps keep the line's pace.
#[test]
fn no_byte_of_a_slow_line_is_stamped_before_it_was_sent() {
    let (mut master, device) = board();
    let plan = until(device.to_str().unwrap(), "^end$");
    let plan = CapturePlan { bridged_baud: Baud::new(9600), ..plan };
    let stop = StopRequest::new().unwrap();
    let mut watch = Telling(channel().0);
    let recording = Recording::open(plan, &stop, &mut watch).unwrap().unwrap();
    let clock = recording.clock();
    let capture = thread::spawn(move || record(recording, &stop, watch));
    let mut sent = Vec::new();
    for b in b"0123456789abcdefghijklmnopqrstuvwxyz\nend\n" {
        sent.push(clock.now().as_nanos());
        master.write_all(&[*b]).unwrap();
        // A whole byte time after the last one was out: a writer held up must not catch up faster than the line.
        let out = std::time::Instant::now();
        while out.elapsed() < Duration::from_micros(1_042) {
            thread::yield_now();
        }
    }
    let taken = capture.join().unwrap();
    let stamps: Vec<i64> =
        taken.chunks.iter().flat_map(|(t, len)| (0..*len).map(|i| t.at(i, *len).as_nanos())).collect();
    assert_eq!(stamps.len(), sent.len());
    for (n, (stamp, sent)) in stamps.iter().zip(&sent).enumerate() {
        assert!(stamp >= sent, "byte {n} stamped {} ns before it was sent", sent - stamp);
    }
}

/// A pseudo-terminal has no modem control inputs: refused before there is a file.
#[test]
fn marks_need_modem_control_inputs() {
    let (_master, device) = board();
    let device = device.to_str().unwrap();
    let marks = vec!["dsr=app-ready".parse().unwrap()];
    let (stop, mut watch) = (StopRequest::new().unwrap(), Telling(channel().0));
    let error = Recording::open(CapturePlan { marks, ..plan(device) }, &stop, &mut watch).unwrap_err();
    let words =
        format!("`{device}` has no modem control inputs to mark by: Inappropriate ioctl for device (os error 25)");
    assert_eq!(error.to_string(), words);
    assert!(error.hint().unwrap().starts_with("a pseudo-terminal has none"));
}
