// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reader of Chrome's trace events, strict.
use std::collections::BTreeMap;

use serde_json::Value;

use super::Told;

/// The trace, checked for all that its format demands.
pub fn told(text: &[u8]) -> Told {
    let trace: Value = serde_json::from_slice(text).expect("JSON");
    let mut told = Told::default();
    let mut names: BTreeMap<(u64, u64), String> = BTreeMap::new();
    let mut running: BTreeMap<(u64, u64), Vec<(u64, String)>> = BTreeMap::new();
    for e in trace["traceEvents"].as_array().unwrap() {
        let number = |key: &str| e[key].as_u64().unwrap_or_else(|| panic!("no {key} in {e}"));
        let pid = number("pid");
        // Microseconds with three decimals; a float keeps them up to some days.
        let at = || (e["ts"].as_f64().unwrap() * 1_000.0).round() as u64;
        let text = |key: &str| e[key].as_str().unwrap_or_else(|| panic!("no {key} in {e}")).to_owned();
        let track = || (pid, names[&(pid, number("tid"))].clone());
        match e["ph"].as_str().unwrap() {
            "M" if text("name") == "thread_name" => {
                let name = e["args"]["name"].as_str().unwrap().to_owned();
                assert_eq!(names.insert((pid, number("tid")), name), None, "a thread is named twice");
            }
            "M" => assert!(text("name").ends_with("_sort_index") || text("name") == "process_name"),
            "B" => running.entry((pid, number("tid"))).or_default().push((at(), text("name"))),
            "E" => {
                let (from, name) =
                    running.get_mut(&(pid, number("tid"))).and_then(Vec::pop).expect("an end of nothing");
                told.slices.entry(track()).or_default().push((from, at().checked_sub(from).unwrap(), name));
            }
            "i" => told.instants.entry(track()).or_default().push((at(), text("name"))),
            kind @ ("s" | "f") => {
                let around = running.get(&(pid, number("tid"))).and_then(|all| all.last());
                let (from, name) = around.expect("a flow outside of any slice").clone();
                // What it leaves lasts that long; what it reaches begins there.
                assert!(kind == "s" && at() >= from || kind == "f" && at() == from && text("bp") == "e", "{e}");
                assert_eq!((text("name"), text("cat")), ("released".to_owned(), "flow".to_owned()));
                told.flow(number("id"), kind == "s", (track(), from, name));
            }
            "C" => {
                let args = e["args"].as_object().unwrap();
                assert_eq!(args.len(), 1);
                let seconds = args.get("s").map(|s| (s.as_f64().unwrap() * 1e9).round() as i64);
                let value = seconds.unwrap_or_else(|| args.values().next().unwrap().as_i64().unwrap());
                told.counts.entry((pid, text("name"))).or_default().push((at(), value));
            }
            other => panic!("a phase `{other}`"),
        }
    }
    assert!(running.values().all(Vec::is_empty), "something never ends");
    told
}
