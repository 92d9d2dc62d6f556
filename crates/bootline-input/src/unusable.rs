// SPDX-License-Identifier: MIT OR Apache-2.0
//! Inputs that give no answer, or none that can be trusted, and the error for each.
use std::io;
use std::path::Path;

use bootline_boot::{Boot, BootOptions, Clock, NoEnd, SourceRefusal};
use bootline_capture::container::{UnpackError, UnreadableKind};
use bootline_records::{DecodeSummary, Format, OtherKind, ProblemKind, Record};
use bootline_report::{BootLabel, counted, escaped};

use crate::exit::Exit;
use crate::failure::Failure;

/// What a verb requires of a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootNeeds {
    /// The boot's end.
    End,
    /// Only times.
    Times,
}

/// Why a boot is unusable for a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusableInput {
    /// No kernel record.
    NoKernel {
        /// Whether there is a kernel banner without stamps.
        banner: bool,
        /// Whether the input is not text.
        noise: bool,
        /// What ended its reading before its end.
        damage: Option<String>,
    },
    /// A file of another kind, without which a log can be explained, but not the other way round.
    OtherKind(OtherKind),
    /// What an earlier boot logged last, before the one that the log holds.
    Tail {
        /// The boot, as shown.
        boot: String,
    },
    /// Kernel records without any time.
    NoTimes,
    /// A problem that spoils the figures.
    Spoiled {
        /// The boot, as shown.
        boot: String,
        /// What spoils them.
        kind: ProblemKind,
        /// The problem in words.
        detail: String,
    },
    /// The log ends before the boot does.
    NoEnd {
        /// The boot, as shown.
        boot: String,
        /// The last record that has a text, with its time, if it is another than `shown`.
        last: Option<String>,
        /// Why.
        why: NoEnd,
        /// The marker, if the end that was asked for is one.
        marker: Option<String>,
        /// The record that shows the reason, with its time, if one does.
        shown: Option<String>,
        /// How to take the whole log; none where it was recorded while the board booted.
        retake: Option<&'static str>,
        /// Whether the console shows only errors.
        quiet: bool,
    },
    /// No records of initcall_debug.
    NoSpans {
        /// The boot, as shown.
        boot: String,
    },
    /// An error that the verb worded itself.
    Reported(Failure),
}

impl UnusableInput {
    /// Whether the input is no log of a boot at all: then not even its release or its records are shown.
    pub fn is_of_another_kind(&self) -> bool {
        matches!(self, UnusableInput::OtherKind(_))
    }

    /// Why a boot can't be trusted: the same words for all boots of which it is true.
    pub fn in_words(self) -> String {
        let words = match self {
            UnusableInput::NoKernel { .. } => "no kernel records",
            UnusableInput::OtherKind(kind) => kind.name(),
            UnusableInput::Tail { .. } => "only the end of an earlier boot",
            UnusableInput::NoTimes => "no kernel timestamps",
            UnusableInput::Spoiled { detail, .. } => return detail,
            UnusableInput::NoEnd { why: NoEnd::Untimed { .. }, .. } => "the record that ends the boot has no time",
            UnusableInput::NoEnd { why: NoEnd::NoMarker { .. }, .. } => "no record contains the marker",
            UnusableInput::NoEnd { why: NoEnd::Panicked { init: Some(_), .. }, .. } => {
                "the kernel panicked before the marker"
            }
            UnusableInput::NoEnd { why: NoEnd::Panicked { .. }, .. } => "the kernel panicked before init",
            UnusableInput::NoEnd { quiet: true, .. } => "the console shows almost nothing of the boot",
            UnusableInput::NoEnd { marker: Some(_), .. } => "ends before the marker",
            UnusableInput::NoEnd { .. } => "ends before init's start",
            UnusableInput::NoSpans { .. } => "no initcalls",
            UnusableInput::Reported(failure) => return failure.what().to_owned(),
        };
        words.to_owned()
    }

    /// The first reason not to trust the figures of a boot in a log of this format.
    pub fn of(
        boot: &Boot,
        source: &BootLabel,
        needs: BootNeeds,
        options: &BootOptions,
        format: Option<Format>,
    ) -> Option<UnusableInput> {
        if boot.milestones.first_kernel.is_none() {
            if let Some(kind) = OtherKind::detect(&boot.records, format) {
                return Some(UnusableInput::OtherKind(kind));
            }
            let banner = boot.records.iter().any(|r| r.text.starts_with("Linux version "));
            let noise = boot.problems.iter().any(|p| p.kind == ProblemKind::BinaryNoise);
            let damage = boot.problems.iter().find(|p| p.kind == ProblemKind::ArchiveDamaged).map(|p| p.detail.clone());
            return Some(UnusableInput::NoKernel { banner, noise, damage });
        }
        if boot.timeline.clock == Clock::None {
            return Some(UnusableInput::NoTimes);
        }
        let name = named(source);
        if source.one_of_several && source.index == 0 && boot.kernel.banner.is_none() && boot.end.is_none() {
            return Some(UnusableInput::Tail { boot: name });
        }
        if let Some(p) = boot.problems.iter().find(|p| p.kind.spoils_the_answer()) {
            return Some(UnusableInput::Spoiled { boot: name, kind: p.kind, detail: p.detail.clone() });
        }
        if let Some(why) = boot.no_end().filter(|_| needs == BootNeeds::End) {
            let in_words = |r: Record<'_>| {
                let at = boot.stored(r.id).map_or_else(String::new, |t| format!(" at {t} s"));
                let text: String = r.text.chars().take(60).collect();
                format!("record {}{at}: `{}`", r.id, escaped(&text))
            };
            // A log that is cut may end in the middle of a record.
            let last = boot.records.iter().rev().find(|r| !r.text.trim().is_empty()).map(in_words);
            let record = match why {
                NoEnd::Untimed { end } => Some(end),
                NoEnd::Panicked { panic, .. } => Some(panic),
                NoEnd::NoMarker { init } => Some(init),
                NoEnd::Cut => None,
            };
            let shown = record.and_then(|i| boot.records.get(i)).map(in_words);
            let last = last.filter(|last| Some(last) != shown.as_ref());
            let marker = options.marker.clone();
            // A console that prints only errors shows neither the banner nor init.
            let quiet = boot.kernel.banner.is_none() && boot.records.len() < 20;
            let retake = format.and_then(retake);
            return Some(UnusableInput::NoEnd { boot: name, last, why, marker, shown, retake, quiet });
        }
        None
    }

    /// The log names no initcalls.
    pub fn no_spans(source: &BootLabel) -> UnusableInput {
        UnusableInput::NoSpans { boot: named(source) }
    }

    /// The error to show, once the whole input has been read.
    pub fn failure(self, input: &str, summary: &DecodeSummary) -> Failure {
        let read = format!("{} read", counted(summary.lines, "line"));
        let (name, input) = (input, shown(input));
        let fail = |what: String| Failure::new(Exit::INPUT, what);
        match self {
            UnusableInput::OtherKind(kind) => fail(format!("{input} is {}: no kernel records in it ({read})", kind.name()))
                .hint(match kind {
                    OtherKind::BootstageReport
                    | OtherKind::SystemdAnalyze
                    | OtherKind::SystemctlShow
                    | OtherKind::Bootchart
                    | OtherKind::Ftrace => WITH_ITS_LOG,
                    _ => "give the kernel's log: `dmesg`, or what the serial console showed",
                }),
            UnusableInput::Tail { boot } => {
                fail(format!("{boot} is only the end of an earlier boot: the log begins after its start"))
            }
            UnusableInput::NoKernel { damage: Some(damage), .. } => {
                fail(format!("no kernel records in {input} ({read}), which is damaged or cut off")).at(damage)
            }
            UnusableInput::NoKernel { banner: true, .. } => fail(format!("no kernel timestamps in {input} ({read})"))
                .hint("boot with `printk.time=1`, or take the log with `dmesg`, which shows timestamps"),
            // pstore's names of what the kernel couldn't decompress.
            UnusableInput::NoKernel { noise: true, .. } if name.ends_with(".enc.z") => {
                fail(format!("{input} is a record of pstore that is still compressed"))
                    .hint("boot the kernel that wrote it, or one with the same `pstore.compress=`, and copy it again")
            }
            UnusableInput::NoKernel { noise: true, .. } => {
                fail(format!("no kernel log in {input}: it is not text ({} bytes read)", summary.bytes))
                    .hint("was the console captured at the wrong baud?")
            }
            UnusableInput::NoKernel { .. } => fail(format!("no kernel records in {input} ({read})")).hint(
                "boot with `printk.time=1` and without `quiet`; if the format is unusual, name it: `--input-format FORMAT`",
            ),
            UnusableInput::NoTimes => fail(format!("no kernel timestamps in {input} ({read})"))
                .hint("boot with `printk.time=1`, or record the boot with `bootline capture`"),
            UnusableInput::Spoiled { boot, kind, detail } => {
                let failure = fail(format!("the figures of {boot} can't be trusted")).at(escaped(&detail));
                match remedy(kind) {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            }
            UnusableInput::NoEnd { boot, why: NoEnd::Untimed { .. }, shown, .. } => {
                at_last(fail(format!("the record that ends {boot} has no time")), shown)
                    .hint("record the boot with `bootline capture`: then each line has its time")
            }
            UnusableInput::NoEnd { boot, last, why: NoEnd::NoMarker { .. }, marker, shown, retake, .. } => {
                let marker = marker.map_or_else(String::new, |marker| format!(" `{}`", escaped(&marker)));
                let failure = at_last(fail(format!("no record of {boot} contains the marker{marker}")), shown);
                let longer = retake.unwrap_or("record for longer");
                at_last(failure, last).hint(format!(
                    "{longer}, or give a part of a record's text as it is written there; without `--marker` the boot ends at init's start"
                ))
            }
            UnusableInput::NoEnd { boot, last, why: NoEnd::Panicked { init, .. }, shown, .. } => {
                let what = if init.is_some() { "the marker" } else { "init" };
                at_last(at_last(fail(format!("no boot in {boot}: the kernel panicked before {what}")), shown), last)
            }
            UnusableInput::NoEnd { boot, last, quiet: true, .. } => {
                at_last(fail(format!("the console of {boot} shows almost nothing of a boot (`quiet`?)")), last)
                    .hint("take the kernel's own log: `dmesg | bootline explain -`")
            }
            UnusableInput::NoEnd { boot, last, marker, retake, .. } => {
                let longer = retake.unwrap_or("record for longer");
                let (what, hint) = match marker {
                    Some(marker) => (format!("the marker `{}`", escaped(&marker)), longer.to_owned()),
                    None => ("init's start".to_owned(), format!("{longer}, or name the line that ends this boot: `--marker TEXT`")),
                };
                at_last(fail(format!("{boot} ends before {what} was reached")), last).hint(hint)
            }
            UnusableInput::Reported(failure) => failure,
            // The kernel's own log has what the console does not show: its level is that of debugging.
            UnusableInput::NoSpans { boot } => fail(format!("no initcalls in {boot} ({read})")).hint(
                if summary.format.is_some_and(is_kept) {
                    "boot with `initcall_debug`"
                } else {
                    "boot with `initcall_debug loglevel=8`, or with `initcall_debug` alone and read `dmesg` on the device"
                },
            ),
        }
    }
}

fn at_last(failure: Failure, last: Option<String>) -> Failure {
    match last {
        Some(last) => failure.at(last),
        None => failure,
    }
}

/// How to take the whole of a log that the system keeps.
fn retake(format: Format) -> Option<&'static str> {
    match format {
        Format::JournalShort | Format::JournalJson | Format::JournalExport | Format::JournalVerbose => {
            Some("export the whole journal of the boot: `journalctl -b -o export`")
        }
        Format::Dmesg | Format::DmesgJson | Format::Kmsg => Some("take the whole log: `dmesg`"),
        _ => None,
    }
}

/// Whether the system itself keeps the log, with records of every level.
fn is_kept(format: Format) -> bool {
    retake(format).is_some()
}

fn remedy(kind: ProblemKind) -> Option<&'static str> {
    match kind {
        ProblemKind::BeginningLost => {
            Some("start the capture before the board; for `dmesg`, boot with `log_buf_len=16M`")
        }
        ProblemKind::RecordsLost | ProblemKind::PortLost | ProblemKind::CaptureDamaged => Some("record the boot again"),
        ProblemKind::ReceiptTimes => Some("take the kernel's own times: `dmesg`, or `journalctl -b -o export`"),
        ProblemKind::EndBeforeStart => Some("take stamps that no one sets: `dmesg` without `-T`"),
        ProblemKind::UnknownFormat => Some("name the format: `--input-format FORMAT`"),
        _ => None,
    }
}

/// `boot 2 of `boot.cap``
pub fn named(source: &BootLabel) -> String {
    let input = shown(&source.input);
    if source.one_of_several { format!("boot {} of {input}", source.index + 1) } else { input }
}

/// Name of an input, as shown in messages.
pub fn shown(input: &str) -> String {
    if input == "-" { "standard input".to_owned() } else { format!("`{}`", escaped(input)) }
}

/// The error for an empty input.
pub fn empty(input: &str, summary: &DecodeSummary) -> Failure {
    if summary.format == Some(Format::Lava) {
        return UnusableInput::OtherKind(OtherKind::LavaJob).failure(input, summary);
    }
    let input = shown(input);
    let what = if summary.bytes == 0 { format!("{input} is empty") } else { format!("no lines in {input}") };
    Failure::new(Exit::INPUT, what).hint("record a boot: `bootline capture /dev/ttyUSB0 -o boot.cap`")
}

/// What to do with a source that describes a boot only together with its log.
const WITH_ITS_LOG: &str = "add it to the log of that boot: `bootline explain boot.cap --with FILE`";

/// A source that shows a boot only together with the kernel's log; `what` has its article.
pub fn source_without_log(input: &str, what: &str) -> Failure {
    Failure::new(Exit::INPUT, format!("{} is {what}: no kernel log is in it", shown(input))).hint(WITH_ITS_LOG)
}

/// An archive with nothing of a kernel in it.
pub fn archive_without_logs(input: &str, members: usize) -> Failure {
    let files = if members == 1 { "the file".to_owned() } else { format!("any of the {members} files") };
    Failure::new(Exit::INPUT, format!("no kernel records in {files} of the archive {}", shown(input)))
        .hint("unpack it, and name the log and its format: `--input-format FORMAT`")
}

/// It can't be unpacked.
pub fn unpack_failed(input: &str, e: &UnpackError) -> Failure {
    match e {
        UnpackError::Read(e) if e.raw_os_error().is_none() => {
            Failure::new(Exit::INPUT, format!("{} is damaged or cut off: {e}", shown(input)))
        }
        UnpackError::Read(e) => read_failed(input, e),
        UnpackError::Unreadable(kind) => {
            let failure = Failure::new(Exit::INPUT, format!("{} is {}", shown(input), kind.name()));
            match kind {
                UnreadableKind::Journal => {
                    failure.hint("export it: `journalctl --file FILE -o export | bootline explain -`")
                }
                UnreadableKind::Elf | UnreadableKind::PacketCapture => failure.hint("take the log: `dmesg`"),
                _ => failure.hint("unpack it first"),
            }
        }
    }
}

/// The error for a directory.
pub fn directory(path: &Path) -> Failure {
    let failure = Failure::new(Exit::INPUT, format!("`{}` is a folder", path.display()));
    let capture = path.join("boot.cap");
    if capture.is_file() {
        return failure.hint(format!("name the capture in it: `{}`", capture.display()));
    }
    failure.hint(format!("name the logs in it: `{}`", path.join("*").display()))
}

/// The error for a folder that was given as another source of a boot.
pub fn folder_of_sources(path: &Path) -> Failure {
    let inside = path.join("FILE");
    Failure::new(Exit::INPUT, format!("`{}` is a folder", path.display()))
        .hint(format!("name each file in it: `--with {}`", inside.display()))
}

/// The error for another source of a boot that was not used.
pub fn source_not_used(name: &str, why: &SourceRefusal) -> Failure {
    let failure = Failure::new(Exit::INPUT, format!("{} {}", shown(name), escaped(&why.to_string())));
    if *why == SourceRefusal::Blank {
        return failure.hint("run the command that writes it again, and look at its errors");
    }
    failure
}

/// The error for an input that can't be opened.
pub fn open_failed(path: &Path, e: &io::Error) -> Failure {
    let shown = path.display();
    match e.kind() {
        io::ErrorKind::NotFound => {
            Failure::new(Exit::INPUT, format!("no such file `{shown}`")).hint("`-` reads standard input")
        }
        io::ErrorKind::PermissionDenied => Failure::new(Exit::INPUT, format!("no permission to read `{shown}`"))
            .hint(format!("`ls -l {shown}` shows its permissions")),
        _ => Failure::new(Exit::INPUT, format!("can't open `{shown}`: {e}")),
    }
}

/// The input holds fewer boots than were asked for; `index` counts from 0.
pub fn no_such_boot(input: &str, index: usize, boots: usize) -> Failure {
    let holds = counted(boots as u64, "boot");
    Failure::new(Exit::INPUT, format!("no boot {} in {}, which holds {holds}", index + 1, shown(input)))
        .hint(format!("`--boot {boots}` is its last"))
}

/// The error for an input that can't be read to its end.
pub fn read_failed(input: &str, e: &io::Error) -> Failure {
    Failure::new(Exit::INPUT, format!("can't read {}: {e}", shown(input)))
}
