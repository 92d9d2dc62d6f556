// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an export must keep of a boot: each stretch once, in the boot's order, with its length; each text, escaped.
use bootline_analysis::rules::Finding;
use bootline_boot::{Boot, PhaseName};
use bootline_capture::units::Dur;
use bootline_report::{escaped, test_suite};
use serde_json::Value;

/// What a time of six decimals may be off by, in seconds.
const MICROSECOND: f64 = 1e-6;

/// The lengths of a boot's stretches by the kind that a CSV row names, each list in the boot's order.
fn stretches(boot: &Boot, findings: &[Finding]) -> [(&'static str, Vec<Dur>); 10] {
    let whole = &boot.whole;
    let only_traced = whole.traced_initcalls.iter().filter(|c| !c.in_log);
    [
        ("stage", whole.stages.iter().map(|s| s.length()).collect()),
        ("unit", whole.units.iter().filter_map(|u| u.activation()).collect()),
        ("process", whole.processes.iter().filter_map(|p| p.length()).collect()),
        ("traced-initcall", only_traced.filter_map(|c| c.length()).collect()),
        ("phase", boot.phases.iter().map(|p| p.length()).collect()),
        ("wait", boot.waits.iter().map(|w| w.time.best()).collect()),
        ("async-wait", boot.async_waits.iter().map(|w| w.to - w.from).collect()),
        ("service", boot.services.iter().filter_map(|s| Some(s.end? - s.start?)).collect()),
        ("gap", boot.gaps().iter().map(|g| g.length).collect()),
        ("finding", findings.iter().map(|f| f.cost.best()).collect()),
    ]
}

#[track_caller]
fn check_lengths(what: &str, found: &[f64], expected: &[Dur]) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected.as_secs_f64()).abs() < MICROSECOND, "{what}: {found} s is {expected} s of the boot");
    }
}

fn seconds(text: &str) -> f64 {
    text.parse().unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

/// The rows of one boot, header first.
pub fn csv(rows: &[Vec<String>], boot: &Boot, findings: &[Finding]) {
    let column = |name: &str| rows[0].iter().position(|n| n == name).expect("a column");
    let (kind, gross, name) = (column("kind"), column("gross_s"), column("name"));
    for (what, expected) in stretches(boot, findings) {
        let of = rows.iter().filter(|r| r[kind] == what && !r[gross].is_empty());
        check_lengths(what, &of.map(|r| seconds(&r[gross])).collect::<Vec<_>>(), &expected);
    }
    let named = |what: &'static str| rows.iter().filter(move |r| r[kind] == what).map(move |r| &*r[name]);
    assert_eq!(named("unit").count(), boot.whole.units.len());
    assert_eq!(named("process").count(), boot.whole.processes.len());
    let application = rows.iter().find(|r| r[kind] == "application").map(|r| seconds(&r[column("end_s")]));
    let reached = boot.whole.application.as_ref().map(|a| a.at.as_secs_f64());
    assert!(application.zip(reached).map_or(application == reached, |(a, b)| (a - b).abs() < MICROSECOND));
    let of_log = ["initcall", "probe", "async"];
    let spans: Vec<&str> = rows.iter().filter(|r| of_log.contains(&r[kind].as_str())).map(|r| &*r[name]).collect();
    // A name that a spreadsheet would run has a guard in front.
    let expected: Vec<_> = boot.spans().iter().map(|s| escaped(&s.name)).collect();
    assert_eq!(spans.len(), expected.len());
    assert!(spans.iter().zip(&expected).all(|(s, e)| s == e || s.strip_prefix('\'') == Some(e)), "{spans:?}");
}

/// The times of JUnit's cases and of LAVA's signals, which are the same figures: the phases, then a case a rule.
pub fn results(xml: &str, signals: &str, boot: &Boot, findings: &[Finding]) {
    let document = roxmltree::Document::parse(xml).unwrap();
    let cases: Vec<_> = document.descendants().filter(|n| n.has_tag_name("testcase")).collect();
    let times = |class: &str| -> Vec<f64> {
        let of = cases.iter().filter(|c| c.attribute("classname") == Some(class));
        of.map(|c| seconds(c.attribute("time").expect("a time"))).collect()
    };
    // How long the last one is depends on when the capture was stopped.
    let complete = boot.phases.iter().filter(|p| p.name != PhaseName::UserSpace);
    let mut phases: Vec<Dur> = complete.map(|p| p.length()).collect();
    if boot.end.is_none() && phases.len() == boot.phases.len() {
        phases.pop();
    }
    check_lengths("phase", &times("bootline.phase"), &phases);
    check_lengths(
        "stage",
        &times("bootline.stage"),
        &boot.whole.complete_stages().iter().map(|s| s.length()).collect::<Vec<_>>(),
    );
    let application = cases.iter().find(|c| c.attribute("name") == Some("time-to-application"));
    let time = application.and_then(|c| c.attribute("time")).map(seconds);
    check_lengths("application", time.as_slice(), boot.whole.time_to_application().as_slice());
    let cost: Dur = findings.iter().map(|f| f.cost.best()).sum();
    let off = times("bootline.finding").iter().sum::<f64>() - cost.as_secs_f64();
    assert!(off.abs() <= MICROSECOND * findings.len() as f64, "findings: {off} s too much");
    let expected = test_suite(boot, findings, &super::source(0));
    assert_eq!(cases.len(), expected.cases.len());

    let measured: Vec<&str> = signals.lines().filter_map(|l| l.split_once(" MEASUREMENT=")).map(|(_, n)| n).collect();
    let timed: Vec<String> = cases.iter().filter_map(|c| c.attribute("time")).map(|t| format!("{t}>")).collect();
    assert_eq!(measured, timed);
    assert_eq!(signals.matches("TESTCASE ").count(), cases.len());
}

/// The JSON form, whose figures are exact.
pub fn json(text: &str, boot: &Boot) {
    let value: Value = serde_json::from_str(text).unwrap();
    let of = |list: &str| value["boots"][0][list].as_array().unwrap_or_else(|| panic!("no {list}")).clone();
    let sum = |list: &str, path: &str| of(list).iter().map(|v| v.pointer(path).unwrap().as_i64().unwrap()).sum::<i64>();
    let nanos = |all: Vec<Dur>| all.into_iter().map(Dur::as_nanos).sum::<i64>();
    assert_eq!(sum("gaps", "/length_ns"), nanos(boot.gaps().iter().map(|g| g.length).collect()));
    let whole = |field: &str| value.pointer(&format!("/boots/0/explained/whole/{field}")).and_then(Value::as_i64);
    assert_eq!(whole("length_ns"), boot.whole.length().map(Dur::as_nanos));
    assert_eq!(whole("application/at_ns"), boot.whole.application.as_ref().map(|a| a.at.as_nanos()));
    let finish = value["boots"][0]["systemd"]["finish_ns"].as_i64();
    assert_eq!(finish, boot.whole.manager_finish.map(Dur::as_nanos));
    assert_eq!(sum("waits", "/time_ns/best"), nanos(boot.waits.iter().map(|w| w.time.best()).collect()));
    for (list, length) in [
        ("spans", boot.spans().len()),
        ("async_waits", boot.async_waits.len()),
        ("services", boot.services.len()),
        ("units", boot.whole.units.len()),
        ("daemon_messages", boot.whole.daemon_messages.len()),
        ("backlog", boot.backlog().len()),
    ] {
        assert_eq!(of(list).len(), length, "{list}");
    }
    let ids: Vec<_> = of("records").iter().map(|r| r["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, boot.records.iter().map(|r| u64::from(r.id.0)).collect::<Vec<_>>());
}

/// The tables of phases and of findings: a row each.
pub fn markdown(text: &str, boot: &Boot, findings: &[Finding]) {
    let rows = |head: &str| {
        let table = text.lines().skip_while(|l| !l.starts_with(head)).skip(2);
        table.take_while(|l| l.starts_with('|')).count()
    };
    assert_eq!(rows("| phase |"), boot.phases.len(), "{text}");
    let is_whole = text.contains("Stages from");
    // Under its stages the table has their sum.
    assert_eq!(rows("| stage |"), if is_whole { boot.whole.stages.len() + 1 } else { 0 }, "{text}");
    assert!(
        is_whole || boot.whole.stages.is_empty() || boot.whole.sources.is_empty() && boot.whole.application.is_none()
    );
    assert_eq!(text.contains("The application ("), boot.whole.application.is_some(), "{text}");
    assert_eq!(rows("| cost |"), findings.len(), "{text}");
}
