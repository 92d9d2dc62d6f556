// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `critical-chain` says would make a boot shorter, against the same boot with that shortened
//! (experiments/critical-chain.toml asks the same of many boots).
use std::path::{Path, PathBuf};

use bootline_testkit::isolated;
use serde_json::Value;

/// An async probe of 6 s decides when the module is loaded; an initcall of 2 s runs beside it.
const LONG: &str = "x86-7.2-115200-async";
/// The same with a probe of 2 s.
const SHORT: &str = "x86-7.2-115200-async-shorter";

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

/// The chain up to the marker, which the lab's init writes when the module is loaded.
fn critical_path(name: &str) -> Value {
    let out = isolated(env!("CARGO_BIN_EXE_bootline"))
        .args(["critical-chain", "--json", "--marker", "modules-loaded"])
        .arg(case(name).join("boot.cap"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut document: Value = serde_json::from_slice(&out.stdout).unwrap();
    document["boots"][0]["critical_path"].take()
}

fn ns(v: &Value) -> f64 {
    v.as_i64().unwrap() as f64
}

/// How long init took to load the module, by the host's clock.
fn loading(name: &str) -> f64 {
    let truth: Value = serde_json::from_slice(&std::fs::read(case(name).join("truth.json")).unwrap()).unwrap();
    ns(&truth["loaded_ns"]) - ns(&truth["init_ns"])
}

#[test]
fn what_the_chain_says_a_shorter_probe_saves_is_saved() {
    let critical_path = critical_path(LONG);
    let segments = critical_path["segments"].as_array().unwrap();
    let probe =
        segments.iter().filter(|s| s["kind"] == "async-call").max_by_key(|s| s["max_saving_ns"].as_i64()).unwrap();
    assert_eq!(probe["name"], "__driver_attach_async_helper");
    let effect = ns(&probe["max_saving_ns"]);
    let saved = loading(LONG) - loading(SHORT);
    assert!((effect / saved - 1.0).abs() < 0.1, "effect {effect} ns, saved {saved} ns");
    // Nothing that the chain goes through in user space was longer.
    let length = |s: &Value| ns(&s["end_ns"]) - ns(&s["start_ns"]);
    assert!(segments.iter().all(|s| s == probe || s["kind"] == "console-flush" || length(s) < length(probe)));
}

#[test]
fn the_initcall_is_beside_the_probe_with_its_slack() {
    let critical_path = critical_path(LONG);
    let beside = critical_path["non_critical"].as_array().unwrap();
    let initcall = beside.iter().find(|b| b["name"] == "delay_probe_init").expect("the module's initcall is beside");
    let (length, slack) = (ns(&initcall["end_ns"]) - ns(&initcall["start_ns"]), ns(&initcall["slack_ns"]));
    // 2 s in one that has 6: all but the time until its probe began.
    assert!((slack / length - 2.0).abs() < 0.2, "length {length} ns, slack {slack} ns");
    assert!(
        critical_path["segments"]
            .as_array()
            .unwrap()
            .iter()
            .all(|s| s["name"] != "delay_probe_init" || length > 20.0 * (ns(&s["end_ns"]) - ns(&s["start_ns"])))
    );
}

/// The kernel's own async probes, of which none decided: the chain to init goes through initcalls.
#[test]
fn async_probes_that_nobody_waited_for_are_beside() {
    let out = isolated(env!("CARGO_BIN_EXE_bootline"))
        .args(["critical-chain", "--json"])
        .arg(case(LONG).join("boot.cap"))
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    let critical_path = &document["boots"][0]["critical_path"];
    assert_eq!(critical_path["basis"], "async-calls");
    let calls = critical_path["non_critical"].as_array().unwrap().iter().filter(|b| b["kind"] == "async");
    assert!(calls.clone().count() > 10);
    assert!(calls.clone().any(|b| b["name"] == "do_populate_rootfs"));
}
