// SPDX-License-Identifier: MIT OR Apache-2.0
//! The problems of a log, and what they mean for the figures.
use super::document::{Document, Entry, Text};
use super::style::Style;
use super::wire::word;
use bootline_records::{Problem, ProblemKind, Problems};

/// Says in a paragraph what is missing, where a document does not list the problems.
pub(super) fn left_out(document: &mut Document, problems: &Problems) {
    let missing: Vec<&str> = problems.iter().filter(|p| p.kind.leaves_out()).map(|p| p.detail.as_str()).collect();
    let Some((first, more)) = missing.split_first() else { return };
    let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
    let text = Text::new().styled("Incomplete", Style::Warning).words(format!(": {first}{more}. "));
    document.paragraph(text.words("`bootline explain` says what that means."));
}

/// Lists the problems of the log and those of the other sources, first those that spoil the answer.
pub(super) fn problems(document: &mut Document, problems: &Problems) {
    let (sources, log): (Vec<&Problem>, Vec<&Problem>) = problems.iter().partition(|p| p.kind.is_of_sources());
    list(document, "What is wrong with this log", log);
    list(document, "What is wrong with the other sources", sources);
}

fn list(document: &mut Document, heading: &str, mut sorted: Vec<&Problem>) {
    if sorted.is_empty() {
        return;
    }
    document.heading(heading);
    sorted.sort_by_key(|p| !p.kind.spoils_the_answer());
    let entries = sorted.into_iter().flat_map(|p| {
        let spoils = p.kind.spoils_the_answer();
        let (label, style) = if spoils { ("error", Style::Error) } else { ("note", Style::Warning) };
        let times = if p.count > 1 { format!(", {} times", p.count) } else { String::new() };
        // What concerns no place of the log has none.
        let bytes = if p.bytes.end > 0 { format!(", bytes {}..{}", p.bytes.start, p.bytes.end) } else { String::new() };
        let place = format!(" ({}{times}{bytes})", word(&p.kind));
        [
            Entry::new(label, Text::new().styled(&p.detail, style).styled(place, Style::Faint)),
            Entry::new("", meaning(p.kind)),
        ]
    });
    document.entries(entries.collect());
}

/// What a problem means for the figures.
fn meaning(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::CaptureDamaged => {
            "records are missing where the file is damaged; figures that span that place are too low"
        }
        ProblemKind::CaptureCutOff => "the capture's writer was stopped; what came before is complete",
        ProblemKind::PortLost => {
            "what was sent while the port was away is missing; figures that span that place are too low"
        }
        ProblemKind::UnknownFormat => "no times and no kernel records were found; state the format if you know it",
        ProblemKind::ArchiveDamaged => "what came before was read; what followed was not analysed",
        ProblemKind::LineTooLong => "the rest of the line was not analysed, but its bytes are counted",
        ProblemKind::BinaryNoise => "probably a wrong baud or line noise; the records around it may be torn",
        ProblemKind::NulBytes => "they were dropped; harmless, unless the records around them look torn",
        ProblemKind::InvalidUtf8 => "shown as U+FFFD; the times are valid",
        ProblemKind::ControlSequences => "they were dropped from the text; the times are valid",
        ProblemKind::GluedOutput => "two writers shared a line; each part was read as its own record",
        ProblemKind::BadPrefix => "the line was assumed not to be the kernel's",
        ProblemKind::StampOverflow => "the record has no kernel time",
        ProblemKind::BadLine => "the line was not analysed",
        ProblemKind::UnendedLine => "the log was cut there, or is still being written; its last record may be torn",
        ProblemKind::BeginningLost => "what came before is missing: time to init and the console's cost are too low",
        ProblemKind::RecordsLost => "the time of the missing records is attributed to those around them",
        ProblemKind::ClockJumpedBack => "differences of kernel times that span that place are invalid",
        ProblemKind::ClockStoodStill => "kernel times, and durations reported by the kernel, are too low",
        ProblemKind::ClockRanBefore => {
            "the time to init may include what ran before the kernel; differences of kernel times are valid"
        }
        ProblemKind::ArrivalJumpedBack => {
            "the host's clock was set meanwhile; arrival times that span that place are wrong"
        }
        ProblemKind::CoarseStamps => "figures below a second are meaningless; take a log with microseconds",
        ProblemKind::ReceiptTimes => {
            "no time before the logger started is known; take `dmesg`, or `journalctl -b -o export`"
        }
        ProblemKind::PanicAfterBoot => "the time to init is valid; the system did not stay up",
        ProblemKind::EndBeforeStart => {
            "no time to init is given; differences of times that span that place are invalid"
        }
        ProblemKind::TooManyRecords => "the records left out were not analysed",
        ProblemKind::NoKernelRecords => "there is no boot to explain",
        ProblemKind::OtherConsole => "what the console cost is that of the stated one: check `--console`",
        ProblemKind::SourceNotUsed => "the figures rest on the other sources alone",
        ProblemKind::SourceIncomplete => "what is missing in it is missing here; the rest of it was used",
        ProblemKind::SourcesContradict => "neither time is used; the sources may be of two boots",
        ProblemKind::ApplicationNotReached => "no time to the application is given",
    }
}
