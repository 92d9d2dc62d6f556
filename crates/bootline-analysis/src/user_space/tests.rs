// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units whose waits and slack are known, because they are made up here.
use super::ordering::{released_by, waited_for};
use super::*;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::Dur;
use bootline_records::source::read;
use proptest::prelude::*;

fn unit(name: &str, activating: u32, active: u32, after: &str, wants: &str) -> String {
    format!(
        "Id={name}\nAfter={after}\nWants={wants}\nInactiveExitTimestampMonotonic={activating}000\n\
         ActiveEnterTimestampMonotonic={active}000\nCPUUsageNSec=30000000\n\n"
    )
}

const MANAGER: &str = "UserspaceTimestampMonotonic=1000000\nUnitsLoadStartTimestampMonotonic=1100000\n\
                       UnitsLoadFinishTimestampMonotonic=2000000\nFinishTimestampMonotonic=9000000\n\n";

/// app (from 5.0 s) waits for net (up 4.8) and disk (up 4.0); net waits for bus (up 3.0). print is nobody's; late starts after it all.
fn units() -> String {
    [
        MANAGER.to_owned(),
        unit("bus.service", 2_200, 3_000, "", ""),
        unit("net.service", 3_100, 4_800, "bus.service late.service", ""),
        unit("disk.service", 2_100, 4_000, "", ""),
        unit("print.service", 3_000, 6_500, "bus.service", ""),
        unit("app.service", 5_000, 6_000, "net.service disk.service", "net.service"),
        unit("late.service", 8_000, 8_500, "", ""),
        unit("multi-user.target", 8_900, 8_900, "app.service print.service", "app.service print.service"),
    ]
    .concat()
}

fn boot(units: &str, app: Option<&str>) -> Boot {
    let app = app.map(|text| AppMarker::parse(text).unwrap());
    let content = SourceContent::Facts(read(units.as_bytes()));
    let source = BootSource::new("units.txt", content);
    Boot::analyse(BootRecords::default(), &BootOptions::default()).with_sources(&[source], app.as_ref())
}

fn named(boot: &Boot, i: usize) -> &str {
    &boot.whole.units[i].name
}

#[test]
fn waiting_is_separated_from_working() {
    let boot = boot(&units(), Some("app.service"));
    let times = unit_times(&boot);
    let of = |name: &str| times.iter().find(|t| named(&boot, t.unit) == name).unwrap();
    let ms = |n| Some(Dur::from_millis(n));
    let app = of("app.service");
    assert_eq!(app.released_by.map(|i| named(&boot, i)), Some("net.service"));
    assert_eq!((app.dependencies, app.queue, app.activation), (ms(2_800), ms(200), ms(1_000)));
    assert_eq!((app.processor, app.waited()), (ms(30), ms(970)));
    // What was up later can't be what it waited for.
    assert_eq!(of("net.service").released_by.map(|i| named(&boot, i)), Some("bus.service"));
    assert_eq!((of("disk.service").dependencies, of("disk.service").queue), (None, ms(100)));
}

#[test]
fn the_chain_goes_back_from_the_application_and_the_rest_has_slack() {
    let boot = boot(&units(), Some("app.service"));
    let chain = UnitChain::of(&boot).unwrap();
    let links: Vec<_> = chain.links.iter().map(|l| (named(&boot, l.unit), l.queue(), l.activation())).collect();
    let ms = Dur::from_millis;
    assert_eq!(
        links,
        [("bus.service", ms(200), ms(800)), ("net.service", ms(100), ms(1_700)), ("app.service", ms(200), ms(1_000)),]
    );
    assert_eq!((chain.start, chain.end, chain.queue()), (ms(2_000), ms(6_000), ms(500)));
    assert_eq!(chain.links[0].started_meanwhile, 1, "disk.service");
    check_slack(&boot, &chain);
    let slack: Vec<_> = chain.slack.iter().map(|s| (named(&boot, s.unit), s.slack)).collect();
    assert_eq!(slack, [("disk.service", ms(800))]);
    let off: Vec<_> = chain.off_path.iter().map(|i| named(&boot, *i)).collect();
    assert_eq!(off, ["print.service"]);
}

#[test]
fn without_an_application_the_last_target_ends_the_chain() {
    let boot = boot(&units(), None);
    let chain = UnitChain::of(&boot).unwrap();
    let links: Vec<_> = chain.links.iter().map(|l| named(&boot, l.unit)).collect();
    assert_eq!(links, ["bus.service", "print.service", "multi-user.target"]);
    let off: Vec<_> = chain.off_path.iter().map(|i| named(&boot, *i)).collect();
    assert_eq!(off, ["late.service"]);
}

#[test]
fn without_dependencies_there_is_no_chain() {
    let plain =
        units().lines().filter(|l| !l.starts_with("After=") && !l.starts_with("Wants=")).collect::<Vec<_>>().join("\n");
    assert_eq!(UnitChain::of(&boot(&plain, Some("app.service"))), None);
}

/// By how much the last unit is released later where one unit is up later, all else as it was.
fn delay_of_the_end(boot: &Boot, target: usize, shifted: usize, by: Dur) -> Dur {
    let units = &boot.whole.units;
    let mut order: Vec<usize> = (0..units.len()).filter(|i| units[*i].activating.is_some()).collect();
    order.sort_by_key(|i| units[*i].activating);
    let mut delays = vec![Dur::ZERO; units.len()];
    for at in order {
        let before = waited_for(boot, &units[at]);
        let released = released_by(boot, &units[at]).map_or(Dur::ZERO, |(_, up)| up);
        let later = before.map(|(i, up)| (up + delays[i] - released).max_zero()).max().unwrap_or_default();
        delays[at] = if at == shifted { later + by } else { later };
    }
    delays[target]
}

/// The definition of slack, by trying: a unit that is up later by its slack does not delay the application, one nanosecond more does.
fn check_slack(boot: &Boot, chain: &UnitChain) {
    let target = chain.links.last().unwrap().unit;
    for s in &chain.slack {
        let delay = |by| delay_of_the_end(boot, target, s.unit, by);
        let least = Dur::from_nanos(1);
        assert_eq!((delay(s.slack), delay(s.slack + least)), (Dur::ZERO, least), "{}", named(boot, s.unit));
    }
}

proptest! {
    #[test]
    fn chains_tile_and_slack_is_what_the_application_does_not_notice(
        // In steps of two milliseconds: stamps that are closer have no order.
        stamps in proptest::collection::vec((1u32..4_500, 1u32..1_500), 7),
        edges in proptest::collection::vec((0usize..7, 0usize..7), 0..20),
    ) {
        let names: Vec<String> = (0..7).map(|i| format!("u{i}.service")).collect();
        let mut text = MANAGER.to_owned();
        for (i, (from, length)) in stamps.iter().map(|(from, length)| (2 * from, 2 * length)).enumerate() {
            let after: Vec<&str> = edges.iter().filter(|(a, b)| *a == i && *b != i).map(|(_, b)| names[*b].as_str()).collect();
            text += &unit(&names[i], from, from + length, &after.join(" "), "");
        }
        text += "Id=x.service\nAfter=u0.service\n";
        let boot = boot(&text, Some("u3.service"));
        let chain = UnitChain::of(&boot).unwrap();
        for pair in chain.links.windows(2) {
            prop_assert_eq!(pair[0].up, pair[1].from);
        }
        for l in &chain.links {
            prop_assert!(l.from <= l.activating && l.activating <= l.up, "{:?}", l);
        }
        let sum: Dur = chain.links.iter().map(|l| l.queue() + l.activation()).sum();
        prop_assert_eq!(sum, chain.length());
        check_slack(&boot, &chain);
    }
}
