// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a boot waits for the only CPU, in logs of the rules.
use bootline_boot::{Boot, BootOptions, BootRecords, WaitCause};
use bootline_capture::units::{Dur, Interval};

/// The rule's own log: 7.3, nbcon, one processor.
#[test]
fn a_thread_that_has_the_only_processor() {
    let boot = |log: &[u8]| Boot::analyse(BootRecords::all(log).remove(0), &BootOptions::default());
    let waited = |boot: &Boot| {
        let waits = boot.waits.iter().filter(|w| w.cause == WaitCause::Processor);
        waits.fold(Interval::default(), |sum, w| sum + w.time)
    };
    let alone = boot(include_bytes!("rules/con007_printer_kthread/fires.log"));
    let line = alone.line.as_ref().unwrap();
    let (sum, end) = (waited(&alone), alone.end.as_ref().unwrap().elapsed.best());
    assert!(sum.low() == Dur::ZERO && sum.best() > end.scale(0.7), "{sum:?} of {end}");
    // What each phase waited for adds up to what the console cost.
    let phases: Dur = alone.phases.iter().map(|p| p.console).sum();
    assert!((phases - line.cost.best()).abs() < end.scale(0.02), "{phases}, {:?}", line.cost);
    assert_eq!(waited(&boot(include_bytes!("rules/con007_printer_kthread/nearly.log"))), Interval::default());
}
