// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast and how late captures are, compared with a reader that takes one byte a call (as grabserial does).
//!
//! A board is played on a pseudo-terminal: it writes lines of 80 characters, each with the wall-clock time of its sending,
//! at the pace of a line of 115200 or 921600 baud. A stamp's lateness is the stamp of the line's last byte less that
//! time. `held` is the share of stamps whose stated interval (`bound` wide, its 99th percentile) holds an instant of the
//! sending, from before the board's write to after it. Each case runs on a calm host and next to two busy threads per CPU. The lateness of the kernel's
//! own worker, which hands a tty's bytes on, is in all figures.
//!
//! `cargo bench -p bootline-port --bench capture` prints the table. To compare another program:
//! `... --bench capture -- board LINK BYTES_PER_S SECONDS` plays the board on its own.
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bootline_capture::units::{Baud, Dur, Frame, HostTime};
use bootline_capture::{ChunkTime, Event, Reader};
use bootline_port::recorder::Recorder;
use bootline_port::{CaptureNotice, CaptureObserver, CapturePlan, CaptureSource, LineSettings, Recording, StopRequest};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

const LINE: usize = 80;
const SECONDS: f64 = 5.0;
const BULK: usize = 16 << 20;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [verb, link, rate, seconds] = &args[..] {
        assert_eq!(verb, "board", "usage: board LINK BYTES_PER_S SECONDS");
        let (board, device) = board();
        symlink(&device, link).expect("the link can be made");
        send(board, rate.parse().expect("a number"), seconds.parse().expect("a number"));
        fs::remove_file(link).expect("the link is still there");
        return;
    }
    println!("throughput, {} MiB through a pseudo-terminal", BULK >> 20);
    println!("  bootline           {:8.2} MB/s", throughput(capture));
    println!("  one byte a call    {:8.2} MB/s", throughput(one_byte_a_call));
    println!("lateness of a line's stamp, us                    p50      p99      max    bound   held");
    for load in [false, true] {
        for rate in [11_520.0, 92_160.0] {
            let host = if load { "busy" } else { "calm" };
            for (name, reader) in [("bootline", capture as ReaderFn), ("one byte a call", one_byte_a_call)] {
                let lines = paced(reader, rate, load);
                let us = |f: fn(&Line) -> i64| -> Vec<f64> {
                    let mut all: Vec<f64> = lines.iter().map(|line| f(line) as f64 / 1e3).collect();
                    all.sort_by(f64::total_cmp);
                    all
                };
                let (late, bound) = (us(Line::late_ns), us(|line| line.uncertainty_ns));
                let holds = |line: &&Line| line.late_ns() >= 0 && line.at_ns - line.uncertainty_ns <= line.written_ns;
                let held = lines.iter().filter(holds).count();
                println!(
                    "  {name:16} {rate:6.0} B/s, {host} host  {:9.0}{:9.0}{:9.0}{:9.0}{:6.1}%",
                    quantile(&late, 0.5),
                    quantile(&late, 0.99),
                    quantile(&late, 1.0),
                    quantile(&bound, 0.99),
                    100.0 * held as f64 / lines.len() as f64,
                );
            }
        }
    }
}

/// A line as a reader got it.
struct Line {
    /// The stamp of its last byte, by the wall clock.
    at_ns: i64,
    uncertainty_ns: i64,
    /// When the board's write of it had returned.
    written_ns: i64,
    text: Vec<u8>,
}

impl Line {
    fn late_ns(&self) -> i64 {
        let sent = std::str::from_utf8(&self.text[2..21]).ok().and_then(|t| t.parse::<i64>().ok());
        self.at_ns - sent.expect("the line holds its time")
    }
}

/// Reads a device until the line `end`; gives the lines before it.
type ReaderFn = fn(&Path) -> Vec<Line>;

fn throughput(reader: ReaderFn) -> f64 {
    let (mut master, device) = board();
    let writer = thread::spawn(move || {
        wait_raw(&master);
        let start = Instant::now();
        let mut block = vec![b'x'; LINE - 1];
        block.push(b'\n');
        let block = block.repeat(200);
        for _ in 0..BULK / block.len() {
            master.write_all(&block).expect("the pty takes bytes");
        }
        master.write_all(b"end\n").expect("the pty takes bytes");
        (start, master)
    });
    let lines = reader(&device);
    let end = Instant::now();
    let (start, _master) = writer.join().expect("the board runs");
    assert_eq!(lines.len(), BULK / LINE / 200 * 200, "every line arrived");
    (lines.len() * LINE) as f64 / (end - start).as_secs_f64() / 1e6
}

/// What a reader gets of lines at a true pace.
fn paced(reader: ReaderFn, rate: f64, load: bool) -> Vec<Line> {
    let busy = AtomicBool::new(load);
    thread::scope(|scope| {
        let cpus = thread::available_parallelism().map_or(1, |n| n.get());
        for _ in 0..2 * cpus {
            scope.spawn(|| {
                while busy.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let (master, device) = board();
        let writer = thread::spawn(move || send(master, rate, SECONDS));
        let mut lines = reader(&device);
        busy.store(false, Ordering::Relaxed);
        let (_master, written) = writer.join().expect("the board runs");
        assert_eq!(lines.len(), written.len(), "every line arrived");
        for (line, written) in lines.iter_mut().zip(written) {
            line.written_ns = written;
        }
        lines
    })
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}

/// Sends `seconds` of lines at `rate` bytes a second, each `t=<ns since 1970> xxx`, then `end`.
/// Gives the instants at which the writes had returned.
fn send(mut master: File, rate: f64, seconds: f64) -> (File, Vec<i64>) {
    wait_raw(&master);
    run_first();
    let mut written = Vec::new();
    let start = Instant::now();
    for n in 0..(seconds * rate / LINE as f64) as u32 {
        let due = Duration::from_secs_f64(f64::from(n) * LINE as f64 / rate);
        thread::sleep(due.saturating_sub(start.elapsed()));
        let line = format!("t={:019} {:x<width$}\n", wall_ns(), "", width = LINE - 23);
        master.write_all(line.as_bytes()).expect("the pty takes bytes");
        written.push(wall_ns());
    }
    master.write_all(b"end\n").expect("the pty takes bytes");
    // A reader of another program may still have to catch up: what is in the buffers goes with the pty.
    thread::sleep(Duration::from_secs(1));
    (master, written)
}

/// The board is hardware: it doesn't wait for a CPU between the clock and the line. Where that isn't allowed, the figures
/// hold its lateness too.
fn run_first() {
    // SAFETY: a plain system call on the calling thread with a struct of one int.
    unsafe {
        let priority = libc::sched_param { sched_priority: 2 };
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &priority);
    }
}

fn wall_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as i64
}

fn board() -> (File, PathBuf) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pty");
    unlockpt(&master).expect("a pty");
    let name = ptsname(&master, Vec::new()).expect("a pty has a name");
    (File::from(master), PathBuf::from(name.to_str().expect("it is ASCII")))
}

fn wait_raw(master: &File) {
    while tcgetattr(master).expect("a pty").local_modes.contains(LocalModes::ICANON) {
        thread::sleep(Duration::from_millis(1));
    }
}

struct Nobody;

impl CaptureObserver for Nobody {
    fn bytes(&mut self, _: ChunkTime, _: &[u8]) {}
    fn notice(&mut self, _: HostTime, _: &CaptureNotice) {}
}

/// bootline, from the port to the file; the arrivals are read back from the file.
fn capture(device: &Path) -> Vec<Line> {
    let line =
        LineSettings { baud: Baud::new(115_200).expect("above 0"), frame: Frame::default(), dtr: None, rts: None };
    let plan = CapturePlan {
        source: CaptureSource::Device(device.to_owned()),
        line,
        bridged_baud: None,
        wait: false,
        reconnect: false,
        power: None,
        power_wait: Dur::ZERO,
        marks: Vec::new(),
        until: Some(regex::bytes::Regex::new("^end$").expect("a pattern")),
        timeout: Some(Dur::from_secs(300)),
        idle: None,
    };
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("bench.cap");
    let stop = StopRequest::new().expect("sockets");
    let recording = Recording::open(plan, &stop, &mut Nobody).expect("the pty opens").expect("nobody stops it");
    let header = recording.header("bench");
    let recorder = Recorder::create(&file, &header).expect("the file can be made");
    recording.record(recorder, &stop, &mut Nobody).expect("the capture works");

    let origin = header.started_unix_ns.expect("the wall clock is known");
    let (mut lines, mut open) = (Vec::new(), Vec::new());
    let mut sink = |event: Event<'_>| {
        if let Event::Chunk(time, bytes) = event {
            for (i, &b) in bytes.iter().enumerate() {
                open.push(b);
                if b == b'\n' {
                    lines.push(Line {
                        at_ns: origin + time.at(i, bytes.len()).as_nanos(),
                        uncertainty_ns: time.uncertainty.as_nanos(),
                        written_ns: 0,
                        text: std::mem::take(&mut open),
                    });
                }
            }
        }
    };
    let mut reader = Reader::new();
    reader.push(&fs::read(&file).expect("the file is there"), &mut sink);
    reader.finish(&mut sink);
    lines.pop();
    lines
}

/// The peer's way, at its best: no interpreter, nothing displayed.
fn one_byte_a_call(device: &Path) -> Vec<Line> {
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NOCTTY).open(device).expect("the pty opens");
    let mut raw = tcgetattr(&file).expect("a pty");
    raw.make_raw();
    tcsetattr(&file, OptionalActions::Now, &raw).expect("a pty");
    let (mut lines, mut line, mut byte) = (Vec::new(), Vec::new(), [0]);
    loop {
        file.read_exact(&mut byte).expect("the board sends");
        let at = wall_ns();
        line.push(byte[0]);
        if byte[0] == b'\n' {
            if line == b"end\n" {
                return lines;
            }
            lines.push(Line { at_ns: at, uncertainty_ns: 0, written_ns: 0, text: std::mem::take(&mut line) });
        }
    }
}
