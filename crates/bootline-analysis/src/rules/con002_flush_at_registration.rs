// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite;
use super::wording::{clock, seconds, speed};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, console_remedies};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con002,
    doc: "When a console registers, everything stored so far is printed to it before the registration returns \
          (register_console, console_flush_all). The later the console registers, the more there is to flush, and the \
          boot waits until the last of it is transmitted. From 6.17 on an nbcon console leaves the flush to its \
          kthread, if it registers after the call that lets kthreads print: an early_initcall up to 7.2.12, a \
          subsys_initcall from 7.2.13 on. PL011 registers between the two, 8250 before both.",
    place: TimelinePlace::Evidence,
    check,
};

/// Flushes shorter than this are not reported.
const LEAST: Dur = Dur::from_millis(50);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let Some(flush) = line.flush.filter(|f| f.waited.best() >= LEAST) else { return Vec::new() };
    let from = case.boot.stored(flush.record).unwrap_or_default();
    let time_range = TimeRange { from, to: from + flush.waited.best() };
    let mut remedies = vec![console_remedies::print_less(case)];
    if let Some(a) = console_remedies::nbcon_flush(case, line) {
        remedies.insert(0, a);
    }
    remedies.extend(console_remedies::faster_line(case, line));
    remedies.extend(console_remedies::module_with_replay(case));
    let inside =
        case.span_around(time_range.from, time_range.to).map_or(String::new(), |s| format!(", inside `{}`", s.name));
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the boot waited {} while {} flushed {} bytes at its registration",
            seconds(flush.waited.best()),
            line.console.name,
            flush.bytes
        ),
        cost: flush.waited,
        part_of: Vec::new(),
        time_ranges: vec![time_range],
        why: format!(
            "{} bytes were stored before the console registered; {} {} later{inside}, {}; the line transmits {}",
            flush.bytes,
            flush.next.map_or("nothing was stored".to_owned(), |id| format!("record {id} was stored")),
            seconds(flush.next.and_then(|id| case.boot.stored(id)).map_or(flush.waited.best(), |t| t - from)),
            clock(case),
            speed(line)
        ),
        evidence: cite(case.boot, [flush.record].into_iter().chain(flush.next)),
        remedies,
    }]
}
