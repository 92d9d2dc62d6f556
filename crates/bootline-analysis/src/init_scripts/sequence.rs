// SPDX-License-Identifier: MIT OR Apache-2.0
//! The spans of init scripts, and whether they ran one after the other.
use crate::time_range::TimeRange;
use bootline_boot::{Boot, DependenciesKnown, Service};
use bootline_capture::units::Dur;

/// Lines of two scripts may overlap by as much: each is timed at its arrival.
const SAME_INSTANT: Dur = Dur::from_millis(10);

/// A script with a length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScriptSpan<'b> {
    pub script: &'b Service,
    /// From its start to its end.
    pub range: TimeRange,
}

impl<'b> ScriptSpan<'b> {
    /// The span of a script; none where its start or its end is not known, or both are one.
    pub fn of(script: &'b Service) -> Option<ScriptSpan<'b>> {
        let (from, to) = script.began().zip(script.ended()).filter(|(from, to)| to > from)?;
        Some(ScriptSpan { script, range: TimeRange { from, to } })
    }
}

/// The init scripts of the root file system, in the order in which the log names them.
pub(crate) fn scripts(boot: &Boot) -> impl Iterator<Item = &Service> {
    boot.services.iter().filter(|s| s.of_script && !s.in_initramfs)
}

/// Whether scripts start user space, rather than units of systemd or services that an init runs in parallel, which may run some scripts,
/// too.
pub(crate) fn start_user_space(boot: &Boot) -> bool {
    let scripts = scripts(boot).filter(|s| ScriptSpan::of(s).is_some()).count();
    let others = boot.services.iter().filter(|s| !s.of_script && !s.in_initramfs).count();
    scripts > 0
        && others <= scripts
        && boot.whole.manager_start.is_none()
        && boot.whole.dependencies != DependenciesKnown::All
}

/// The scripts with a length that counts, by their start.
pub(crate) fn spans_until(boot: &Boot, counts: impl Fn(TimeRange) -> bool) -> Vec<ScriptSpan<'_>> {
    let mut found: Vec<ScriptSpan<'_>> =
        scripts(boot).filter_map(ScriptSpan::of).filter(|span| counts(span.range)).collect();
    found.sort_by_key(|span| (span.range.from, std::cmp::Reverse(span.range.to)));
    found
}

/// The outermost scripts, one after the other.
///
/// # Errors
/// Two that ran in parallel.
pub(crate) fn in_sequence<'b>(spans: &[ScriptSpan<'b>]) -> Result<Vec<ScriptSpan<'b>>, (&'b Service, &'b Service)> {
    let mut sequence: Vec<ScriptSpan<'b>> = Vec::new();
    for span in spans {
        match sequence.last() {
            // What a script does within its own time.
            Some(before) if span.range.to <= before.range.to => {}
            Some(before) if span.range.from + SAME_INSTANT < before.range.to => {
                return Err((before.script, span.script));
            }
            _ => sequence.push(*span),
        }
    }
    Ok(sequence)
}
