// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps that the initramfs of initramfs-tools (Debian, Ubuntu) prints unless the kernel is booted with `quiet`.
//!
//! ```text
//! Begin: Loading essential drivers ... done.
//! Begin: Mounting root file system ... Begin: Running /scripts/local-top ... done.
//! Begin: Running /scripts/local-premount ... [    2.104512] Btrfs loaded
//! done.
//! done.
//! ```
//! Source: log_begin_msg(), log_end_msg(), run_scripts() and panic() of its scripts/functions, local_device_setup() of
//! scripts/local. A step begins without a line feed; what it runs writes to its line, nested steps and the kernel too, and `done.`
//! ends the innermost one. These lines have no stamps: only arrival times show when a step began and ended.
use super::state::ServiceState;
use super::step::{LineTimes, Step};
use bootline_capture::units::{Dur, LineRate};

const BEGIN: &str = "Begin: ";
const AFTER_NAME: &str = " ...";
const DONE: &str = "done.";
/// What it says before it gives up and starts a shell.
const GIVES_UP: [&str; 2] = ["Gave up waiting for ", "ALERT!  "];
/// Longer ones are no steps.
const LONGEST: usize = 200;
/// Most steps: more than any initramfs has, because a log may be hostile.
const MOST: usize = 10_000;

/// A word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepWord<'a> {
    /// A step begins.
    Begin(&'a str),
    /// The innermost one has ended.
    Done,
    /// None of them succeeds.
    GivesUp,
}

/// Steps as they are met.
#[derive(Default)]
pub(super) struct Steps {
    /// In the order in which they began.
    pub all: Vec<Step>,
    /// Positions of those that have not ended, the innermost last.
    open: Vec<usize>,
    /// Whether the initramfs is over.
    left: bool,
}

impl Steps {
    /// Init of the root file system has started: what is open now never says that it has ended.
    pub fn leave(&mut self) {
        self.open.clear();
        self.left = true;
    }

    /// Takes a line of user space; false if it says nothing of a step.
    pub fn take(&mut self, text: &str, times: LineTimes, rate: Option<LineRate>) -> bool {
        if self.left {
            return false;
        }
        let words = words(text.trim());
        let begins = words.iter().any(|word| matches!(word, StepWord::Begin(_)));
        if !begins && (words.is_empty() || self.open.is_empty()) {
            return false;
        }
        let is_at_once = times.is_at_once(rate);
        let last = words.len() - 1;
        for (n, word) in words.into_iter().enumerate() {
            match word {
                StepWord::Begin(name) => {
                    let start = match n {
                        0 => Some(times.first),
                        _ if is_at_once => Some(times.first),
                        // The line's last word: the step had just begun when the line broke off.
                        _ if n == last => Some(times.last),
                        _ => None,
                    };
                    self.begin(name, start, times);
                }
                StepWord::Done => {
                    let Some(at) = self.open.pop() else { continue };
                    self.end(at, ServiceState::Up, times);
                    // A line that took just its own time does not show how long its step took.
                    if self.all[at].first == times.id && is_at_once {
                        self.all[at].start = None;
                    }
                }
                StepWord::GivesUp => {
                    for at in std::mem::take(&mut self.open) {
                        self.end(at, ServiceState::Failed, times);
                    }
                }
            }
        }
        true
    }

    fn begin(&mut self, name: &str, start: Option<Dur>, times: LineTimes) {
        if self.all.len() < MOST {
            self.open.push(self.all.len());
            let (end, state, last) = (None, ServiceState::Starting, None);
            self.all.push(Step { name: name.to_owned(), start, end, state, first: times.id, last });
        }
    }

    fn end(&mut self, at: usize, state: ServiceState, times: LineTimes) {
        let step = &mut self.all[at];
        (step.end, step.state, step.last) = (Some(times.last), state, Some(times.id));
    }
}

/// The words of a line that concern steps; none of a line of another program.
fn words(text: &str) -> Vec<StepWord<'_>> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        if !(before.is_empty() || before.ends_with([' ', '\t'])) {
            break;
        }
        let Some((name, more)) = after.split_once(AFTER_NAME) else { break };
        if name.is_empty() || name.len() > LONGEST {
            break;
        }
        words.push(StepWord::Begin(name));
        rest = more;
    }
    // Of what a step's program writes, only a line that a step began is one that a step may end.
    let ends = rest.trim_start() == DONE || !words.is_empty() && rest.ends_with(" done.");
    if ends {
        words.push(StepWord::Done);
    } else if GIVES_UP.iter().any(|gives_up| rest.trim_start().starts_with(gives_up)) {
        words.push(StepWord::GivesUp);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boot, BootOptions, BootRecords};

    #[test]
    fn lines() {
        let (begin, done) = (StepWord::Begin, StepWord::Done);
        let check = |text: &str, want: &[StepWord<'_>]| assert_eq!(words(text), want, "{text}");
        check("Begin: Loading essential drivers ... done.", &[begin("Loading essential drivers"), done]);
        check(
            "Begin: Mounting root file system ... Begin: Running /scripts/local-top ... done.",
            &[begin("Mounting root file system"), begin("Running /scripts/local-top"), done],
        );
        check("Begin: Running /scripts/init-bottom ...", &[begin("Running /scripts/init-bottom")]);
        check(
            "Begin: Will now check root file system ... fsck from util-linux 2.41",
            &[begin("Will now check root file system")],
        );
        check("Begin: Loading MD modules ... Success: loaded raid1. done.", &[begin("Loading MD modules"), done]);
        check("done.", &[done]);
        check("Begin: ", &[]);
        check("Begin:  ... done.", &[]);
        check("fsck done.", &[]);
        check("Gave up waiting for root file system device.  Common problems:", &[StepWord::GivesUp]);
        check("Begin: Waiting for a ... ALERT!  a does not exist.", &[begin("Waiting for a"), StepWord::GivesUp]);
        check("-----Begin: x ... done.", &[]);
        check(&format!("Begin: {} ... done.", "x".repeat(201)), &[]);
    }

    fn boot(log: &str) -> Boot {
        Boot::analyse(BootRecords::all(log.as_bytes()).pop().unwrap(), &BootOptions::default())
    }

    /// Name, start and length in ms since the kernel's start, and state; none of what is not known.
    fn steps(boot: &Boot) -> Vec<(&str, Option<i64>, Option<i64>, ServiceState)> {
        let ms = |d: Dur| d.as_nanos() / 1_000_000;
        let steps = boot.services.iter();
        steps.map(|s| (s.name.as_str(), s.start.map(ms), s.start.zip(s.end).map(|(a, b)| ms(b - a)), s.state)).collect()
    }

    const LOG: &str = "\
[2026-05-06 10:11:05.000] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:06.000] [    1.000000] Run /init as init process
[2026-05-06 10:11:06.100] Loading, please wait...
[2026-05-06 10:11:06.200] Begin: Loading essential drivers ... done.
[2026-05-06 10:11:06.300] Begin: Running /scripts/init-premount ... done.
[2026-05-06 10:11:06.400] Begin: Mounting root file system ... Begin: Running /scripts/local-top ... done.
[2026-05-06 10:11:06.500] Begin: Running /scripts/local-premount ... [    1.500000] Btrfs loaded, zoned=yes
[2026-05-06 10:11:08.000] done.
[2026-05-06 10:11:08.100] Begin: Waiting for root file system ... Begin: Running /scripts/local-block ... done.
[2026-05-06 10:11:09.100] Begin: Running /scripts/local-block ... done.
[2026-05-06 10:11:09.200] done.
[2026-05-06 10:11:09.300] Begin: Will now check root file system ... fsck from util-linux 2.41
[2026-05-06 10:11:09.400] rootfs: clean, 9/64 files, 8/99 blocks
[2026-05-06 10:11:09.900] done.
[2026-05-06 10:11:10.000] done.
[2026-05-06 10:11:10.100] Begin: Running /scripts/local-bottom ... done.
[2026-05-06 10:11:10.200] Begin: Running /scripts/init-bottom ... done.
[2026-05-06 10:11:11.000] [    6.000000] systemd[1]: systemd 257.9-1 running in system mode (+PAM)
[2026-05-06 10:11:12.000] done.
";

    #[test]
    fn steps_nest_and_end_in_other_lines() {
        let boot = boot(LOG);
        let up = ServiceState::Up;
        let expected = [
            ("Loading essential drivers", None, None, up),
            ("Running /scripts/init-premount", None, None, up),
            ("Mounting root file system", Some(1_400), Some(3_600), up),
            ("Running /scripts/local-top", None, None, up),
            ("Running /scripts/local-premount", Some(1_500), Some(1_500), up),
            ("Waiting for root file system", Some(3_100), Some(1_100), up),
            ("Running /scripts/local-block", None, None, up),
            ("Running /scripts/local-block", None, None, up),
            ("Will now check root file system", Some(4_300), Some(600), up),
            ("Running /scripts/local-bottom", None, None, up),
            ("Running /scripts/init-bottom", None, None, up),
        ];
        assert_eq!(steps(&boot), expected);
        assert!(boot.services.iter().all(|s| s.in_initramfs));
        let premount = &boot.services[4];
        let text = |id| boot.records.get(boot.records.index_of(id).unwrap()).unwrap().text.trim().to_owned();
        assert_eq!(text(premount.first), "Begin: Running /scripts/local-premount ...");
        assert_eq!(text(premount.last.unwrap()), "done.");
    }

    /// A capture shows a line's end, too: the step's own.
    #[test]
    fn a_line_that_took_long_is_a_step_that_did() {
        use bootline_capture::units::HostTime;
        use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};
        let mut file = encode_header(&Header::new("test", "board"));
        for (ms, text) in [
            (1_000, "[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n"),
            (2_000, "[    1.000000] Run /init as init process\n"),
            (2_500, "Begin: Loading essential drivers ... "),
            (4_000, "done.\n"),
            (4_100, "Begin: Mounting root file system ... "),
            (5_100, "Begin: Running /scripts/local-top ... "),
            (5_600, "done.\nBegin: Waiting for root file system ... "),
            (7_000, "Gave up waiting for root file system device.  Common problems:\n"),
        ] {
            let at = ChunkTime::instant(HostTime::from_nanos(ms * 1_000_000), Dur::ZERO);
            encode_chunk(&mut file, at, text.as_bytes());
        }
        let boot = Boot::analyse(BootRecords::all(&file[..]).pop().unwrap(), &BootOptions::default());
        let lengths: Vec<_> = steps(&boot).into_iter().map(|(name, _, length, state)| (name, length, state)).collect();
        let (up, failed) = (ServiceState::Up, ServiceState::Failed);
        let expected = [
            ("Loading essential drivers", Some(1_500), up),
            ("Mounting root file system", Some(2_900), failed),
            // Nothing shows where in its line it began.
            ("Running /scripts/local-top", None, up),
            ("Waiting for root file system", Some(1_400), failed),
        ];
        assert_eq!(lengths, expected);
    }

    #[test]
    fn giving_up_fails_what_is_open() {
        let log = LOG.replace("Begin: Running /scripts/local-block ... done.", "").replace(
            "[2026-05-06 10:11:09.200] done.",
            "[2026-05-06 10:11:09.200] Gave up waiting for root file system device.  Common problems:",
        );
        let boot = boot(&log);
        let waiting = boot.services.iter().find(|s| s.name == "Waiting for root file system").unwrap();
        assert_eq!(waiting.state, ServiceState::Failed);
        assert_eq!(waiting.start.zip(waiting.end).map(|(a, b)| b - a), Some(Dur::from_millis(1_100)));
    }

    #[test]
    fn without_arrival_times_there_are_no_steps() {
        let log: String = LOG.lines().map(|line| format!("{}\n", line.split_once("] ").unwrap().1)).collect();
        assert_eq!(steps(&boot(&log)), []);
    }
}
