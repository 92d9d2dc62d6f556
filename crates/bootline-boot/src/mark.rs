// SPDX-License-Identifier: MIT OR Apache-2.0
//! Marks: moments that the board showed on inputs next to its console, as the capture notes them.
use super::timeline::{Clock, Timeline};
use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{MarkEdge, Note, NoteKind};
use bootline_records::{ByteRange, ProblemKind, Problems};

/// A moment that the user named. Of one that the board showed several times in a boot, the first time counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The user's name for it. Escape it like a record.
    pub name: String,
    /// The input that showed it: `dsr`, `gpio:gpiochip0/17`.
    pub input: String,
    /// Which of the input's edges.
    pub edge: MarkEdge,
    /// When it was seen, on the boot's axis: it came no later.
    pub at: Dur,
    /// How much earlier it may have come.
    pub uncertainty: Dur,
    /// How often the board showed it.
    pub count: usize,
}

impl Mark {
    /// `DSR asserted`, `gpio:gpiochip0/17 asserted`
    pub fn what(&self) -> String {
        // Case matters in the name of a device.
        let input = if self.input.contains(':') { self.input.clone() } else { self.input.to_uppercase() };
        match self.edge {
            MarkEdge::Asserted => format!("{input} asserted"),
            MarkEdge::Released => format!("{input} released"),
            MarkEdge::Unknown => input,
        }
    }
}

/// The marks of a capture, by time.
pub(super) fn marks(notes: &[Note], timeline: &Timeline, problems: &mut Problems) -> Vec<Mark> {
    let noted = notes.iter().filter(|n| n.kind == NoteKind::Mark).filter_map(|n| Some((n.at_ns, n.mark.as_ref()?)));
    if timeline.clock != Clock::Arrival {
        if let Some((_, first)) = noted.clone().next() {
            problems.add(ProblemKind::SourceNotUsed, ByteRange::default(), || {
                format!(
                    "the capture's marks (`{}` first) have host times, and this boot's times are the kernel's: they were not used",
                    first.name
                )
            });
        }
        return Vec::new();
    }
    let mut marks: Vec<Mark> = Vec::new();
    for (at_ns, noted) in noted {
        match marks.iter_mut().find(|mark| mark.name == noted.name) {
            Some(mark) => mark.count += 1,
            None => marks.push(Mark {
                name: noted.name.clone(),
                input: noted.input.clone(),
                edge: noted.edge,
                at: timeline.on_axis(HostTime::from_nanos(at_ns)),
                uncertainty: Dur::from_nanos(noted.uncertainty_ns).max_zero(),
                count: 1,
            }),
        }
    }
    marks.sort_by_key(|mark| mark.at);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AppMarker, Boot, BootOptions, BootRecords, StageName, WholeEnd};
    use bootline_capture::{ChunkTime, Header, MarkNote, encode_chunk, encode_header, encode_note};

    /// A capture of lines at host times in ms, and of marks.
    fn capture(lines: &[(i64, &str)], marks: &[(i64, &str)]) -> Vec<u8> {
        let mut file = encode_header(&Header::new("test", "board"));
        let at = |ms: i64| HostTime::from_nanos(ms * 1_000_000);
        let mut events: Vec<(i64, Result<&str, &str>)> = lines.iter().map(|(ms, line)| (*ms, Ok(*line))).collect();
        events.extend(marks.iter().map(|(ms, name)| (*ms, Err(*name))));
        events.sort_by_key(|(ms, _)| *ms);
        for (ms, event) in events {
            match event {
                Ok(line) => {
                    encode_chunk(&mut file, ChunkTime::instant(at(ms), Dur::ZERO), format!("{line}\n").as_bytes());
                }
                Err(name) => {
                    let mark = MarkNote {
                        name: name.to_owned(),
                        input: "dsr".to_owned(),
                        edge: MarkEdge::Asserted,
                        uncertainty_ns: 900_000,
                    };
                    let note = Note::new(at(ms), NoteKind::Mark, "DSR asserted");
                    encode_note(&mut file, &Note { mark: Some(mark), ..note });
                }
            }
        }
        file
    }

    const LINES: [(i64, &str); 5] = [
        (1_000, "U-Boot 2024.01 (Jan 08 2024 - 15:37:48 +0000)"),
        (2_000, "Starting kernel ..."),
        (3_000, "[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon"),
        (4_000, "[    1.000000] Run /sbin/init as init process"),
        (9_000, "board login: "),
    ];

    fn boots(file: &[u8]) -> Vec<Boot> {
        BootRecords::all(file).into_iter().map(|records| Boot::analyse(records, &BootOptions::default())).collect()
    }

    fn ms(d: Dur) -> i64 {
        d.as_nanos() / 1_000_000
    }

    #[test]
    fn marks_lie_on_the_boots_axis_and_the_first_of_each_counts() {
        let boot = &boots(&capture(&LINES, &[(7_500, "app-ready"), (1_500, "spl"), (8_000, "app-ready")]))[0];
        let got: Vec<_> = boot.marks.iter().map(|m| (m.name.as_str(), ms(m.at), m.count)).collect();
        // The zero of the axis is the kernel's start, at 3 s of the host's clock.
        assert_eq!(got, [("spl", -1_500, 1), ("app-ready", 4_500, 2)]);
        assert_eq!((boot.marks[1].what().as_str(), boot.marks[1].uncertainty), ("DSR asserted", Dur::from_micros(900)));
    }

    #[test]
    fn inputs_are_shown_by_their_names() {
        let what = |input: &str, edge| {
            let (at, uncertainty) = (Dur::ZERO, Dur::ZERO);
            Mark { name: "x".into(), input: input.into(), edge, at, uncertainty, count: 1 }.what()
        };
        assert_eq!(what("ri", MarkEdge::Released), "RI released");
        assert_eq!(what("gpio:gpiochip0/READY", MarkEdge::Asserted), "gpio:gpiochip0/READY asserted");
        assert_eq!(what("gpio:/dev/lab/0", MarkEdge::Unknown), "gpio:/dev/lab/0");
    }

    #[test]
    fn a_mark_may_be_the_application() {
        let boot = boots(&capture(&LINES, &[(7_500, "app-ready")])).remove(0);
        let boot = boot.with_sources(&[], Some(&AppMarker::parse("mark:app-ready").unwrap()));
        let application = boot.whole.application.as_ref().unwrap();
        assert_eq!((application.name.as_str(), ms(application.at), application.mark), ("app-ready", 4_500, Some(0)));
        assert_eq!(boot.whole.until, Some(WholeEnd::Application));
        let last = boot.whole.stages.last().unwrap();
        assert_eq!((last.name, ms(last.end)), (StageName::UserSpace, 4_500));
        let boot = boot.with_sources(&[], Some(&AppMarker::parse("mark:app").unwrap()));
        assert_eq!(boot.whole.application, None);
        assert!(boot.problems.iter().any(|p| p.kind == ProblemKind::ApplicationNotReached));
    }

    /// Each boot of a capture has its own.
    #[test]
    fn a_reset_begins_new_marks() {
        let again: Vec<(i64, &str)> = LINES.iter().map(|(ms, line)| (ms + 20_000, *line)).collect();
        let lines = [&LINES[..], &again].concat();
        let boots = boots(&capture(&lines, &[(7_500, "app-ready"), (28_000, "app-ready")]));
        let got: Vec<_> = boots.iter().map(|b| b.marks.iter().map(|m| ms(m.at)).collect::<Vec<_>>()).collect();
        assert_eq!(got, [[4_500], [5_000]]);
    }

    #[test]
    fn without_arrival_times_marks_are_named_and_not_used() {
        let file = capture(&LINES, &[(7_500, "app-ready")]);
        let options = BootOptions { clock: Some(Clock::Kernel), ..BootOptions::default() };
        let boot = Boot::analyse(BootRecords::all(&file[..]).remove(0), &options);
        assert_eq!(boot.marks, []);
        let said = boot.problems.iter().find(|p| p.kind == ProblemKind::SourceNotUsed).unwrap();
        assert!(said.detail.starts_with("the capture's marks (`app-ready` first)"), "{}", said.detail);
    }
}
