// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library that is preloaded into QEMU, in a process that locks and writes as QEMU does with a port without a buffer. This
//! test is a program without a harness, because it starts itself and needs its standard output.
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, io, thread};

const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/line_wait.so"));
/// Its presence makes the process the guest's emulator.
const ROLE: &str = "BOOTLINE_TEST_EMULATOR";
/// Bytes that a DMA controller sends in one access: more than the library has room for.
const BY_DMA: usize = 600;

fn main() {
    assert!(!LIBRARY.is_empty(), "a C compiler is needed to build the library");
    if env::var_os(ROLE).is_some() {
        return emulate();
    }
    let mut library = tempfile::Builder::new().suffix(".so").tempfile().expect("a temporary file");
    library.write_all(LIBRARY).expect("room for a library");
    // Without it, the line's refusal reaches the port, which would wait with the lock.
    check(None, "refused");
    check(library.path().to_str(), "taken");
    println!("a CPU that waits for the line holds up no other: ok");
}

/// The line takes nothing until the other CPU has had the lock: it either got it while the first one waited, or never.
fn check(library: Option<&str>, expected: &str) {
    let (mut line, writer) = packet_pipe();
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.env(ROLE, "").stdout(writer).stderr(Stdio::piped());
    if let Some(library) = library {
        command.env("LD_PRELOAD", library);
    }
    let mut emulator = command.spawn().expect("this program, once more");
    // Its copy of the write end must be the last one.
    drop(command);
    let mut said = BufReader::new(emulator.stderr.take().expect("a pipe"));
    let mut hear = || {
        let mut text = String::new();
        said.read_line(&mut text).expect("its standard error");
        text.trim_end().to_owned()
    };
    assert_eq!(hear(), expected);
    let mut transmitted = Vec::new();
    if expected == "taken" {
        assert_eq!(hear(), "the other CPU works, and the first one still waits");
        Read::by_ref(&mut line).take(1).read_to_end(&mut transmitted).expect("the byte that filled the line");
        assert_eq!(hear(), "the first CPU goes on");
    }
    line.read_to_end(&mut transmitted).expect("the line");
    let expected = if expected == "taken" { [b"ab" as &[u8], &[b'c'; BY_DMA]].concat() } else { b"a".to_vec() };
    assert_eq!(transmitted, expected);
    assert!(emulator.wait().expect("its end").success());
}

/// As the lab's: one slot, which a write of any size takes.
fn packet_pipe() -> (File, File) {
    use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::DIRECT).expect("a pipe");
    fcntl_setpipe_size(&writer, rustix::param::page_size()).expect("a pipe of one page");
    let flags = rustix::fs::fcntl_getfl(&writer).expect("its flags");
    rustix::fs::fcntl_setfl(&writer, flags | rustix::fs::OFlags::NONBLOCK).expect("a pipe that does not block");
    (reader.into(), writer.into())
}

/// The lock of all devices.
struct Lock(std::cell::UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: it is used by the functions for it only.
unsafe impl Sync for Lock {}

impl Lock {
    fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        // SAFETY: it is initialised and never moves.
        assert_eq!(unsafe { libc::pthread_mutex_lock(self.0.get()) }, 0);
        let result = work();
        // SAFETY: this thread has locked it.
        assert_eq!(unsafe { libc::pthread_mutex_unlock(self.0.get()) }, 0);
        result
    }
}

static LOCK: Lock = Lock(std::cell::UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));
static REFUSED: AtomicBool = AtomicBool::new(false);
static WRITTEN: AtomicBool = AtomicBool::new(false);
static GOES_ON: AtomicBool = AtomicBool::new(false);

/// A CPU writes two bytes to a line that has room for one; the main thread is the other CPU.
fn emulate() {
    // A library that waits with the lock would hang both programs.
    // SAFETY: the call takes a number.
    unsafe { libc::alarm(60) };
    let cpu = thread::spawn(|| {
        LOCK.with(|| assert!(write(b"a")));
        LOCK.with(|| {
            REFUSED.store(!write(b"b"), Ordering::SeqCst);
            WRITTEN.store(true, Ordering::SeqCst);
        });
        GOES_ON.store(true, Ordering::SeqCst);
    });
    while !LOCK.with(|| WRITTEN.load(Ordering::SeqCst)) {
        thread::yield_now();
    }
    if REFUSED.load(Ordering::SeqCst) {
        eprintln!("refused");
    } else {
        eprintln!("taken");
        LOCK.with(|| assert!(!GOES_ON.load(Ordering::SeqCst)));
        eprintln!("the other CPU works, and the first one still waits");
        cpu.join().expect("it goes on once the line has taken its byte");
        eprintln!("the first CPU goes on");
        let dma = thread::spawn(|| LOCK.with(|| (0..BY_DMA).for_each(|_| while !write(b"c") {})));
        dma.join().expect("it goes on once the line has taken its bytes");
    }
}

/// As QEMU's channel does; whether the line took it.
fn write(byte: &[u8]) -> bool {
    let part = libc::iovec { iov_base: byte.as_ptr() as *mut libc::c_void, iov_len: byte.len() };
    // SAFETY: the call reads `part`, which describes `byte`.
    let written = unsafe { libc::writev(1, &part, 1) };
    assert!(written == 1 || io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock);
    written == 1
}
