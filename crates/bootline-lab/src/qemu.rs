// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU as a process: started, watched, and killed together with its parent.
use std::env;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bootline_capture::units::Dur;

/// Why QEMU can't be run.
#[derive(Debug, thiserror::Error)]
pub enum QemuError {
    /// The program is not installed.
    #[error("`{program}` is not installed")]
    Missing {
        /// The program.
        program: &'static str,
        /// The Debian package that contains it.
        package: &'static str,
    },
    /// It can't be started or watched.
    #[error("can't run `{program}`: {source}")]
    Start {
        /// The program.
        program: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Its messages can't be kept.
    #[error("can't keep the messages of QEMU in `{}`: {source}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// QEMU has no such trace event.
    #[error("`{program}` can't trace `{event}`: it was built without it")]
    NoTrace {
        /// The program.
        program: &'static str,
        /// The event.
        event: &'static str,
    },
    /// QEMU's monitor did not do what it was asked.
    #[error("`{program}` did not {what} before the boot")]
    Monitor {
        /// The program.
        program: &'static str,
        /// What it was asked.
        what: &'static str,
    },
    /// QEMU failed by itself.
    #[error("`{program}` failed ({status}): {stderr}")]
    Died {
        /// The program.
        program: &'static str,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
}

/// A running QEMU. Dropped, it is killed.
#[derive(Debug)]
pub(crate) struct Qemu {
    program: &'static str,
    child: Child,
    log: PathBuf,
    /// Reads its messages, if there is a listener.
    reader: Option<JoinHandle<()>>,
}

/// The clock of a process's processor time, of all its threads. It ends with the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessorClock(libc::clockid_t);

impl ProcessorClock {
    /// What has been used so far; none once the process has ended.
    pub fn now(self) -> Option<Dur> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes to `time` only.
        let failed = unsafe { libc::clock_gettime(self.0, &mut time) };
        // Wide enough wherever the fields are narrower.
        let time = std::time::Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?);
        (failed == 0).then_some(Dur::from_nanos(time.as_nanos().try_into().ok()?))
    }
}

/// Called with each line of QEMU's messages. Lines for which it returns true are not kept in the log.
pub(crate) type LogListener = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// A message is cut here: a trace line has some tens of bytes, an error rarely more than two hundred.
const MAX_MESSAGE: usize = 4096;

/// `QEMU emulator version 7.2.22 (...)`, the first line of `--version`.
pub(crate) fn version(program: &'static str, package: &'static str) -> Result<String, QemuError> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|source| start_error(program, package, source))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
}

/// Checks that it was built with these trace events, and in a way that can show them.
pub(crate) fn check_trace(
    program: &'static str,
    package: &'static str,
    events: &[&'static str],
) -> Result<(), QemuError> {
    let output = Command::new(program).args(["-trace", "help"]).stdin(Stdio::null()).output();
    let output = output.map_err(|source| start_error(program, package, source))?;
    let known = String::from_utf8_lossy(&output.stdout);
    match events.iter().find(|e| !known.lines().any(|line| line.trim() == **e)) {
        Some(event) => Err(QemuError::NoTrace { program, event }),
        None => Ok(()),
    }
}

/// How QEMU's process is started.
pub(crate) struct SpawnOptions<'a> {
    /// Where its standard output, the guest's console, goes.
    pub console: Stdio,
    /// Descriptors that stay open in it, with the same numbers.
    pub inherited: &'a [&'a OwnedFd],
    /// A library that is loaded into it before all others. See [`Qemu::has_loaded`] for the outcome.
    pub preloaded: Option<&'a OwnedFd>,
    /// Ask the kernel to give it no huge pages. See [`Qemu::lacks_huge_pages`] for the outcome.
    pub no_huge_pages: bool,
}

impl Qemu {
    /// Starts QEMU. Its messages go to the file `log`, except those that `listener` takes.
    pub fn start(
        program: &'static str,
        package: &'static str,
        args: &[OsString],
        options: SpawnOptions<'_>,
        log: &Path,
        listener: Option<LogListener>,
    ) -> Result<Qemu, QemuError> {
        let messages = File::create(log).map_err(|source| QemuError::Log { path: log.to_owned(), source })?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(options.console);
        let heard = match listener {
            Some(listener) => {
                command.stderr(Stdio::piped());
                Some((listener, messages))
            }
            None => {
                command.stderr(messages);
                None
            }
        };
        if let Some(library) = options.preloaded {
            command.env("LD_PRELOAD", preload_list(library, env::var_os("LD_PRELOAD")));
        }
        let kept: Vec<i32> =
            options.inherited.iter().copied().chain(options.preloaded).map(|fd| fd.as_raw_fd()).collect();
        let no_huge_pages = options.no_huge_pages;
        let keep_ports_and_die_with_us = move || {
            // SAFETY: the calls take numbers only and are async-signal-safe; the descriptors are open in the parent until
            // the child has been started.
            unsafe {
                for fd in &kept {
                    if libc::fcntl(*fd, libc::F_SETFD, 0) < 0 {
                        return Err(io::Error::last_os_error());
                    }
                }
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
                // Ctrl-C at the terminal is for whoever asked for the boot; QEMU is ended by its pid. A session of its
                // own also makes it a group of its own for the host's scheduler (see `prefer`).
                libc::setsid();
                if no_huge_pages {
                    // Before 3.15 and in some sandboxes it fails; QEMU runs all the same.
                    let unused: libc::c_ulong = 0;
                    libc::prctl(libc::PR_SET_THP_DISABLE, 1 as libc::c_ulong, unused, unused, unused);
                }
            }
            Ok(())
        };
        // SAFETY: between fork and exec the closure neither allocates nor takes a lock.
        unsafe { command.pre_exec(keep_ports_and_die_with_us) };
        let mut child = command.spawn().map_err(|source| start_error(program, package, source))?;
        let reader = heard.zip(child.stderr.take()).map(|((mut listener, mut messages), stderr)| {
            thread::spawn(move || read_messages(stderr, &mut messages, &mut listener))
        });
        Ok(Qemu { program, child, log: log.to_owned(), reader })
    }

    /// Waits until all messages of the exited process have been read.
    pub fn settle(&mut self) {
        if let Some(reader) = self.reader.take() {
            // A listener that panicked has been reported by its thread.
            let _ = reader.join();
        }
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Its threads except the main one, including the guest's CPUs.
    pub fn workers(&self) -> Vec<i32> {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.pid())) else { return Vec::new() };
        let tids = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok());
        tids.filter(|tid| *tid != self.pid()).collect()
    }

    /// Whether the kernel gives it no huge pages. False on kernels before 5.0, which do not say.
    pub fn lacks_huge_pages(&self) -> bool {
        fs::read_to_string(format!("/proc/{}/status", self.pid())).is_ok_and(|text| text.contains("THP_enabled:\t0"))
    }

    /// Whether it has loaded the library of this name from a file in memory. It may just have been started and do so soon.
    pub fn has_loaded(&self, library: &CStr) -> bool {
        let name = format!("/memfd:{} ", library.to_string_lossy());
        fs::read_to_string(format!("/proc/{}/maps", self.pid())).is_ok_and(|maps| maps.contains(&name))
    }

    /// The clock of the processor time that it has used; none if the system has none for it.
    pub fn processor_clock(&self) -> Option<ProcessorClock> {
        let mut id = 0;
        // SAFETY: the call writes a number, and `id` has room for it.
        let failed = unsafe { libc::clock_getcpuclockid(self.pid(), &mut id) };
        (failed == 0).then_some(ProcessorClock(id))
    }

    /// How long its threads have been ready to run while the host ran something else.
    pub fn starved(&self) -> Dur {
        let waits = self.workers().into_iter().filter_map(|tid| {
            // Time on a CPU, time waiting for one, time slices: Documentation/scheduler/sched-stats.rst.
            let text = fs::read_to_string(format!("/proc/{}/task/{tid}/schedstat", self.pid())).ok()?;
            text.split_ascii_whitespace().nth(1)?.parse().ok()
        });
        waits.map(Dur::from_nanos).sum()
    }

    /// Exit status, if QEMU has exited.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, QemuError> {
        self.child.try_wait().map_err(|source| QemuError::Start { program: self.program, source })
    }

    /// Kills QEMU.
    pub fn kill(&mut self) {
        // It may have exited meanwhile; wait() then returns its status at once.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The error for a QEMU whose monitor did not do what it was asked: it has failed, or else it refuses, and is killed.
    pub fn refused(&mut self, what: &'static str) -> QemuError {
        // Its monitor ends a moment before it does.
        for _ in 0..50 {
            match self.ended() {
                Ok(Some(status)) => return self.died(status),
                Ok(None) => thread::sleep(Duration::from_millis(20)),
                Err(error) => return error,
            }
        }
        self.kill();
        QemuError::Monitor { program: self.program, what }
    }

    /// The error for a failure of QEMU's own, with the end of its messages.
    pub fn died(&self, status: ExitStatus) -> QemuError {
        let text = fs::read(&self.log).unwrap_or_default();
        let tail = &text[text.len().saturating_sub(2000)..];
        QemuError::Died { program: self.program, status, stderr: String::from_utf8_lossy(tail).trim().to_owned() }
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        self.kill();
        if fs::metadata(&self.log).is_ok_and(|m| m.len() == 0) {
            let _ = fs::remove_file(&self.log);
        }
    }
}

/// Passes each line to the listener and writes those that it does not take. Failing to write the log is not an error.
fn read_messages(stderr: impl Read, log: &mut impl Write, listener: &mut LogListener) {
    let mut stderr = BufReader::with_capacity(1 << 16, stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stderr).take(MAX_MESSAGE as u64).read_until(b'\n', &mut line) {
            Ok(1..) => (),
            _ => return,
        }
        if !listener(line.strip_suffix(b"\n").unwrap_or(&line)) {
            let _ = log.write_all(&line);
        }
    }
}

/// The loader opens the library by its descriptor, which the process inherits, and then those that the user has it load.
fn preload_list(library: &OwnedFd, users: Option<OsString>) -> OsString {
    let mut list = OsString::from(format!("/proc/self/fd/{}", library.as_raw_fd()));
    if let Some(users) = users {
        list.push(":");
        list.push(users);
    }
    list
}

fn start_error(program: &'static str, package: &'static str, source: io::Error) -> QemuError {
    match source.kind() {
        io::ErrorKind::NotFound => QemuError::Missing { program, package },
        _ => QemuError::Start { program, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_names_its_package() {
        let err = version("qemu-system-nowhere", "qemu-system-x").unwrap_err();
        assert!(matches!(err, QemuError::Missing { package: "qemu-system-x", .. }), "{err}");
        assert_eq!(err.to_string(), "`qemu-system-nowhere` is not installed");
    }

    fn options<'a>(inherited: &'a [&'a OwnedFd]) -> SpawnOptions<'a> {
        SpawnOptions { console: Stdio::null(), inherited, preloaded: None, no_huge_pages: false }
    }

    fn end_of(qemu: &mut Qemu) -> ExitStatus {
        loop {
            if let Some(status) = qemu.ended().unwrap() {
                return status;
            }
        }
    }

    #[test]
    fn a_listener_hears_all_and_leaves_what_is_not_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("qemu.log");
        let truth = OwnedFd::from(File::open("/dev/null").unwrap());
        let script = "i=0; while [ $i -lt 3000 ]; do echo trace $i; i=$((i+1)); done >&2; printf 'a message' >&2";
        let (sender, heard) = std::sync::mpsc::channel();
        let listener: LogListener = Box::new(move |line| {
            let mine = line.starts_with(b"trace ");
            if mine {
                sender.send(line.to_vec()).unwrap();
            }
            mine
        });
        let args = ["-c".into(), script.into()];
        let mut qemu = Qemu::start("sh", "dash", &args, options(&[&truth]), &log, Some(listener)).unwrap();
        end_of(&mut qemu);
        qemu.settle();
        let heard: Vec<Vec<u8>> = heard.iter().collect();
        assert_eq!((heard.len(), heard[2999].as_slice()), (3000, &b"trace 2999"[..]));
        assert_eq!(fs::read(&log).unwrap(), b"a message");
    }

    #[test]
    fn a_line_without_end_is_heard_in_pieces() {
        let mut pieces = Vec::new();
        let (sender, heard) = std::sync::mpsc::channel();
        let mut listener: LogListener = Box::new(move |line| sender.send(line.len()).is_err());
        read_messages(&vec![b'x'; 3 * MAX_MESSAGE][..], &mut pieces, &mut listener);
        drop(listener);
        assert_eq!((heard.iter().max(), pieces.len()), (Some(MAX_MESSAGE), 3 * MAX_MESSAGE));
    }

    #[test]
    fn its_own_error_comes_with_its_words() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("qemu.log");
        let truth = OwnedFd::from(File::open("/dev/null").unwrap());
        let args = ["-c".into(), "echo 'could not load kernel' >&2; exit 3".into()];
        let mut qemu = Qemu::start("sh", "dash", &args, options(&[&truth]), &log, None).unwrap();
        let status = end_of(&mut qemu);
        let text = qemu.died(status).to_string();
        assert_eq!(text, "`sh` failed (exit status: 3): could not load kernel");
    }

    #[test]
    fn huge_pages_are_kept_from_it_only_if_that_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("qemu.log");
        for no_huge_pages in [true, false] {
            let wanted = SpawnOptions { no_huge_pages, ..options(&[]) };
            let mut qemu = Qemu::start("sleep", "coreutils", &["60".into()], wanted, &log, None).unwrap();
            // A kernel that has none, or was told to give nobody any, says so of every process.
            let ours = fs::read_to_string("/proc/self/status").unwrap();
            assert_eq!(qemu.lacks_huge_pages(), no_huge_pages || !ours.contains("THP_enabled:\t1"));
            qemu.kill();
        }
    }
}
