// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running the kernel's make: its log, its progress, its end.
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::error::KernelBuildError;
use crate::host_tools::PATH;
use crate::lock_file::{FileLock, held_by_input};

/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How long make gets to end its compilers and remove what they left half done.
const PATIENCE: Duration = Duration::from_secs(20);
/// Maximum number of lines shown of what a failed step said.
const MAX_EVIDENCE: usize = 12;

/// make for one build folder.
pub(super) struct Make<'m> {
    /// The source.
    pub source: &'m Path,
    /// The build folder.
    pub folder: &'m Path,
    /// What each make is told: architecture, compiler, output.
    pub words: &'m [String],
    /// The date that the kernel says it was built on.
    pub date: &'m str,
    /// The lock on the build folder. If this process is killed, make goes on and holds it: two of them must not write to one folder.
    pub lock: &'m FileLock,
    /// Set by signals.
    pub cancel: &'m AtomicBool,
}

impl Make<'_> {
    /// The log of a step.
    pub fn log(&self, step: &str) -> PathBuf {
        self.folder.join(format!("{step}.log"))
    }

    /// Runs make with more words, silently; `step` names the log, `what` the step for messages.
    ///
    /// # Errors
    /// make failed, or was interrupted.
    pub fn run(&self, step: &str, what: String, words: &[&str]) -> Result<(), KernelBuildError> {
        self.watch(step, what, words, &mut |_| {})
    }

    /// The same; `compiled` gets the number of objects so far, whenever it has changed.
    ///
    /// # Errors
    /// As for [`Make::run`].
    pub fn watch(
        &self,
        step: &str,
        what: String,
        words: &[&str],
        compiled: &mut dyn FnMut(u64),
    ) -> Result<(), KernelBuildError> {
        let path = self.log(step);
        let log = File::create(&path).map_err(KernelBuildError::file("write", &path))?;
        let also = log.try_clone().map_err(KernelBuildError::file("write", &path))?;
        let mut command = Command::new("make");
        command.arg("-C").arg(self.source).args(self.words).args(words);
        // Nothing of the user's own builds: flags, options of make, another compiler.
        command.env_clear().env("PATH", PATH).env("HOME", self.folder).env("LC_ALL", "C");
        command.env("KBUILD_BUILD_TIMESTAMP", self.date);
        let input = held_by_input(self.lock).map_err(KernelBuildError::file("lock", self.folder))?;
        command.stdin(input).stdout(log).stderr(also);
        let no_make =
            |_| KernelBuildError::NoTools { missing: vec!["make".to_owned()], packages: vec!["make".to_owned()] };
        let mut child = command.spawn().map_err(no_make)?;
        let mut counter = ObjectCounter::open(&path)?;
        let mut last = 0;
        let status = loop {
            let ended = child.try_wait().map_err(KernelBuildError::file("wait for the make in", self.folder))?;
            let objects = counter.count();
            if objects != last {
                last = objects;
                compiled(objects);
            }
            if self.cancel.load(Ordering::SeqCst) {
                stop(&mut child);
                return Err(KernelBuildError::Interrupted { folder: Some(self.folder.to_owned()) });
            }
            if let Some(status) = ended {
                // It waits for its compilers, also if one of them fails.
                self.lock.program_ended();
                break status;
            }
            thread::sleep(LOOK);
        };
        if status.success() {
            return Ok(());
        }
        let text = fs::read(&path).unwrap_or_default();
        Err(KernelBuildError::Step { step: what, evidence: evidence(&String::from_utf8_lossy(&text)), log: path })
    }
}

/// make forwards the signal to its compilers, and removes what they had begun.
fn stop(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        _ = kill_process(pid, Signal::TERM);
    }
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    _ = child.kill();
    _ = child.wait();
}

/// The lines that name errors, else the last ones.
fn evidence(log: &str) -> Vec<String> {
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let names_error =
        |line: &&&str| line.contains("error:") || line.contains("Error ") || line.contains("No rule to make");
    let first = lines.iter().position(|line| names_error(&line));
    let shown: Vec<&str> = match first {
        // What follows the first error shows more than the last lines of the other processes.
        Some(first) => lines[first.saturating_sub(1)..].iter().take(MAX_EVIDENCE).copied().collect(),
        None => lines[lines.len().saturating_sub(MAX_EVIDENCE)..].to_vec(),
    };
    shown.into_iter().map(|line| line.chars().take(200).collect()).collect()
}

/// Counts the lines of a growing log that say that an object was compiled.
struct ObjectCounter {
    log: File,
    rest: Vec<u8>,
    objects: u64,
}

impl ObjectCounter {
    fn open(path: &Path) -> Result<ObjectCounter, KernelBuildError> {
        let log = File::open(path).map_err(KernelBuildError::file("read", path))?;
        Ok(ObjectCounter { log, rest: Vec::new(), objects: 0 })
    }

    fn count(&mut self) -> u64 {
        // What can't be read now is read the next time.
        _ = self.log.read_to_end(&mut self.rest);
        let end = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        self.objects += self.rest[..end].split(|b| *b == b'\n').filter(|line| is_object(line)).count() as u64;
        self.rest.drain(..end);
        self.objects
    }
}

/// `  CC      init/main.o`, `  AS [M] ...`: what kbuild says before it compiles something of the kernel.
fn is_object(line: &[u8]) -> bool {
    line.starts_with(b"  CC ") || line.starts_with(b"  AS ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_shown() {
        let log =
            "  CC a.o\nb.c: In function 'f':\nb.c:3:1: error: oops\n   3 | x\nmake[1]: *** [b.o] Error 1\n  CC c.o\n";
        let shown = evidence(log);
        assert_eq!(shown[0], "b.c: In function 'f':");
        assert_eq!(shown.last().unwrap(), "  CC c.o");
        assert_eq!(evidence("one\n\ntwo\n"), ["one", "two"]);
    }

    #[test]
    fn objects_are_counted_while_the_log_grows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "  CC      a.o\n  HOSTCC  b.o\n  CC [").unwrap();
        let mut counter = ObjectCounter::open(&path).unwrap();
        assert_eq!(counter.count(), 1);
        fs::write(&path, "  CC      a.o\n  HOSTCC  b.o\n  CC [M]  c.o\n  AS      d.o\n").unwrap();
        assert_eq!(counter.count(), 3);
        assert_eq!(counter.count(), 3);
    }
}
