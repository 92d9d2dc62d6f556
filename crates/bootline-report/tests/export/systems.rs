// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole systems, exported: those of `corpus-systems/`, from their consoles alone and with all that systemd said.
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use bootline_analysis::user_space::unit_times;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, Clock, SourceContent, UnitTimesBy};
use bootline_capture::container::Unpacker;
use bootline_capture::units::Dur;
use bootline_records::source;

use super::told::Told;
use super::{check_forms, chrome, chrome_of, perfetto, perfetto_of};

/// What systemd and its journal said after the boot.
const SOURCES: [&str; 4] =
    ["systemctl-manager.txt.gz", "systemctl-show.txt.gz", "journal.export.gz", "analyze-time.txt.gz"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus-systems")
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut unpacker = Unpacker::new(Box::new(Cursor::new(fs::read(path).unwrap()))).unwrap();
    let mut bytes = Vec::new();
    unpacker.next_member().unwrap().unwrap().reader.read_to_end(&mut bytes).unwrap();
    bytes
}

fn sources(folder: &Path) -> Vec<BootSource> {
    let files = SOURCES.iter().map(|name| (*name, folder.join(name))).filter(|(_, path)| path.is_file());
    let content = |path: PathBuf| {
        let bytes = unpacked(&path);
        let facts = source::read(&bytes);
        match facts.kind {
            Some(_) => SourceContent::Facts(facts),
            None => SourceContent::Journal(BootRecords::all(&bytes)),
        }
    };
    files.map(|(name, path)| BootSource::new(name, content(path))).collect()
}

/// Each system's boot by either clock, alone and with its sources, by a name.
fn boots() -> Vec<(String, Boot)> {
    let table = fs::read_to_string(root().join("cases.tsv")).unwrap();
    let cases = table.lines().filter(|line| !line.starts_with('#'));
    let mut boots = Vec::new();
    for case in cases {
        let columns: Vec<&str> = case.split('\t').collect();
        let folder = root().join(columns[0]);
        let records = BootRecords::all(&fs::read(folder.join("boot.cap")).unwrap()).remove(0);
        let (app, all) = (AppMarker::parse(columns[2]).unwrap(), sources(&folder));
        for clock in [None, Some(Clock::Kernel)] {
            let options = BootOptions { clock, ..BootOptions::default() };
            let plain = Boot::analyse(records.clone(), &options);
            if !all.is_empty() {
                let boot = plain.clone().with_sources(&all, Some(&app));
                boots.push((format!("{} {clock:?} with its sources", columns[0]), boot));
            }
            boots.push((format!("{} {clock:?}", columns[0]), plain.with_sources(&[], Some(&app))));
        }
    }
    assert!(boots.len() >= 10, "the systems are gone");
    boots
}

/// The slices on a track and its further ones, as (start, length, name).
fn slices<'t>(told: &'t Told, name: &'t str) -> impl Iterator<Item = &'t (u64, u64, String)> {
    told.slices.iter().filter(move |((_, track), _)| track.split(", ").next() == Some(name)).flat_map(|(_, s)| s)
}

fn names<'n>(all: impl Iterator<Item = &'n str>) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    all.for_each(|name| *names.entry(bootline_report::escaped(name).into_owned()).or_default() += 1);
    names
}

/// What a trace must hold of a whole boot.
fn check_trace(what: &str, boot: &Boot, told: &Told) {
    let whole = &boot.whole;
    let stages: Vec<_> = slices(told, "stages").collect();
    assert_eq!(stages.len(), whole.stages.len(), "{what}");
    assert!(stages.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0), "{what}: {stages:?}");
    // A time below zero would have been cut.
    let sum: u64 = stages.iter().map(|stage| stage.1).sum();
    assert_eq!(Some(sum as i64), whole.length().map(Dur::as_nanos), "{what}");
    let reached = told.instants.iter().find(|((_, track), _)| track == "application").map(|(_, at)| at[0].0);
    let expected = whole.time_to_application().map(|time| stages[0].0 + time.as_nanos() as u64);
    assert_eq!(reached, expected, "{what}");

    let timed = whole.units.iter().filter(|unit| unit.begins().is_some());
    let instants = told.instants.iter().filter(|((_, track), _)| track.split(", ").next() == Some("units"));
    let shown = slices(told, "units").map(|s| s.2.as_str()).chain(instants.flat_map(|(_, i)| i).map(|i| i.1.as_str()));
    assert_eq!(names(shown), names(timed.map(|unit| unit.name.as_str())), "{what}");
}

/// Each flow is between a unit and what released it, and there is one wherever both have a length.
fn check_flows(what: &str, boot: &Boot, told: &Told) {
    assert!(told.flows_go_on(), "{what}: {:?}", told.flows);
    let units = &boot.whole.units;
    let released = unit_times(boot).into_iter().filter_map(|time| {
        let (by, unit) = (&units[time.released_by?], &units[time.unit]);
        (by.activating? <= unit.activating?).then(|| (by.name.clone(), unit.name.clone()))
    });
    let mut expected: Vec<_> = released.collect();
    let ends = told.flows.values().filter_map(|f| Some((f.from.as_ref()?.2.clone(), f.to.as_ref()?.2.clone())));
    let mut shown: Vec<_> = ends.collect();
    expected.sort();
    shown.sort();
    // Of stamps of one instant the later position may have released the earlier one: an arrow can't go back.
    assert!(shown.iter().all(|flow| expected.contains(flow)), "{what}");
    assert!(shown.len() * 100 >= expected.len() * 95, "{what}: {} of {}", shown.len(), expected.len());
}

#[test]
fn whole_systems_are_in_both_traces() {
    for (what, boot) in boots() {
        let boots = std::slice::from_ref(&boot);
        let (told, of_chrome) = (perfetto::told(&perfetto_of(boots)), chrome::told(&chrome_of(boots)));
        assert_eq!(told, of_chrome, "{what}");
        check_trace(&what, &boot, &told);
        check_flows(&what, &boot, &told);
        let by_systemd = boot.whole.units.iter().filter(|u| u.by == UnitTimesBy::Systemd).count();
        if what.ends_with("with its sources") {
            assert!(by_systemd > 50 && told.flows.len() > 50, "{what}: {by_systemd}, {}", told.flows.len());
        }
    }
}

#[test]
fn whole_systems_are_in_every_form() {
    for (what, boot) in boots() {
        // Lines of user space have no stamps: by the kernel's clock alone, nothing shows when they came.
        let has_times = boot.timeline.clock == Clock::Arrival || !boot.whole.sources.is_empty();
        assert!(boot.whole.application.is_some() || !has_times, "{what}");
        check_forms(&boot);
    }
}
