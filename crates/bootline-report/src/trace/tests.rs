// SPDX-License-Identifier: MIT OR Apache-2.0
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::checked_sink::checked;
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_capture::units::{Dur, HostTime, KernelTime};
use bootline_records::{Arrival, ByteRange, Record, RecordId, RecordOrigin};

/// (kernel time, time to the next record's arrival, text)
fn boot(messages: &[(i64, i64, String)], arrives: bool) -> Boot {
    let mut input = BootRecords::default();
    let mut host = 0;
    for (n, (at, wait, text)) in messages.iter().enumerate() {
        let first = HostTime::from_nanos(host);
        host += wait * 1_000;
        let last = HostTime::from_nanos(host);
        input.records.push(&Record {
            id: RecordId(n as u32),
            bytes: ByteRange::default(),
            source: RecordOrigin::Kernel,
            level: None,
            stamp: Some(KernelTime::from_nanos(at * 1_000)),
            caller: None,
            arrival: arrives.then_some(Arrival { first, last, uncertainty: Dur::ZERO }),
            line_bytes: 40,
            text,
        });
    }
    Boot::analyse(input, &BootOptions::default())
}

fn message() -> impl Strategy<Value = String> {
    let name = (0..5u32).prop_map(|n| format!("f{n}"));
    prop_oneof![
        Just("Linux version 6.12.1 (gcc) #1 SMP".to_owned()),
        Just("Kernel command line: console=ttyS0,9600 initcall_debug".to_owned()),
        Just("printk: legacy console [ttyS0] enabled".to_owned()),
        Just("Freeing unused kernel image (initmem) memory: 1K".to_owned()),
        Just("Run /init as init process".to_owned()),
        (name.clone(), 1..4u32).prop_map(|(f, t)| format!("calling  {f}+0x0/0x1 @ {t}")),
        name.clone().prop_map(|f| format!("initcall {f}+0x0/0x1 returned 0 after 12 usecs")),
        (name, 0..900_000u32).prop_map(|(f, took)| format!("probe of {f} returned 0 after {took} usecs")),
        "[ -~]{0,30}",
    ]
}

proptest! {
    #[test]
    fn any_boot_is_a_trace(
        steps in proptest::collection::vec((prop_oneof![9 => 0..400_000i64, 1 => -300_000..0i64], 0..90_000i64, message()), 1..80),
        arrives in any::<bool>(),
    ) {
        let mut now = 0;
        let messages: Vec<_> = steps.into_iter().map(|(step, wait, text)| {
            now = (now + step).max(0);
            (now, wait, text)
        }).collect();
        let boot = boot(&messages, arrives);
        let got = checked(&boot);
        // Nothing is lost and nothing is there twice.
        let tasks: usize = got.slices.iter().filter(|(name, _)| name.starts_with("task ")).map(|(_, n)| n).sum();
        prop_assert_eq!(tasks, boot.spans().len());
        let of = |map: &BTreeMap<String, usize>, name: &str| map.get(name).copied().unwrap_or(0);
        prop_assert_eq!(of(&got.slices, "phases"), boot.phases.len());
        prop_assert_eq!(of(&got.slices, "console waits"), boot.waits.len());
        let silences: usize = got.slices.iter().filter(|(name, _)| name.starts_with("silence")).map(|(_, n)| n).sum();
        prop_assert_eq!(silences, boot.gaps().len());
        let stored = (0..boot.records.len()).filter(|i| boot.timeline.stored(*i).is_some()).count();
        prop_assert_eq!(of(&got.instants, "records"), stored);
        let init = usize::from(boot.end.is_some());
        prop_assert_eq!(of(&got.instants, "phases") + of(&got.instants, "end"), 1 + init);
    }

    #[test]
    fn a_clock_that_goes_on_keeps_every_length(
        steps in proptest::collection::vec((1..400_000i64, 1_000..90_000i64, message()), 1..80),
    ) {
        let mut now = 0;
        let mut messages = vec![(0, 1_000, "Linux version 6.12.1 (gcc) #1 SMP".to_owned())];
        messages.extend(steps.into_iter().map(|(step, wait, text)| {
            now += step;
            (now, wait, text)
        }));
        let boot = boot(&messages, false);
        let got = checked(&boot);
        let length = |name: &str| got.length.get(name).copied().unwrap_or_default();
        prop_assert_eq!(length("phases"), boot.phases.iter().map(|p| p.length()).sum());
        prop_assert_eq!(length("silence"), boot.gaps().iter().map(|g| g.length).sum());
        prop_assert_eq!(length("console waits"), boot.waits.iter().map(|w| w.time.best()).sum());
    }
}
