// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a LAVA job's log says besides the console: when the device's first line came, and how long LAVA's actions took.
//!
//! ```text
//! - {"dt": "2026-04-24T16:37:21.964123", "lvl": "results", "msg": {"case": "login-action", "definition": "lava", "duration": "12.30", "result": "pass"}}
//! ```
//! Source: lava_dispatcher's `Action.run()` and `log_results` (lava_dispatcher/action.py), which give the duration in seconds as a text;
//! a test case's `measurement` has `units` (lava_dispatcher/actions/test/shell.py).
use std::io::{self, BufRead, Read};

use serde_json::{Map, Value};

use super::boot_metadata::Metadata;
use super::foreign_measure::Measure;
use super::instant;

/// Reads the results in a job's log.
#[derive(Clone, Copy, Debug)]
pub struct LavaResults;

/// The longest line that is read, in bytes: of a longer one only the beginning.
const LONGEST: u64 = 64 * 1024;
/// Most figures of one job.
const MOST: usize = 1_000;

impl LavaResults {
    /// What the log says. Lines that it does not know are no concern of this.
    ///
    /// # Errors
    /// Reading failed.
    pub fn read(mut log: impl BufRead) -> io::Result<Metadata> {
        let mut metadata = Metadata::default();
        let mut line = Vec::new();
        loop {
            line.clear();
            if log.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
                return Ok(metadata);
            }
            let is_wanted = metadata.start_time.is_none() || contains(&line, b"results");
            if !is_wanted || metadata.measures.len() >= MOST {
                continue;
            }
            let Some(entry) = entry(&line) else { continue };
            match entry.get("lvl").and_then(Value::as_str) {
                Some("target") if metadata.start_time.is_none() => {
                    let first = entry.get("dt").and_then(Value::as_str).and_then(instant::parse);
                    metadata.start_time = first.map(|us| (us, "lava"));
                }
                Some("results") => {
                    let message = entry.get("msg").and_then(Value::as_object);
                    metadata.measures.extend(message.and_then(measure));
                }
                _ => {}
            }
        }
    }
}

/// One line of the log: the dispatcher writes JSON's subset of YAML, with a YAML tag before some numbers.
fn entry(line: &[u8]) -> Option<Map<String, Value>> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let text = text.strip_prefix("- ").unwrap_or(text).trim_end_matches(',');
    if text.contains("!!") {
        return serde_json::from_str(&text.replace("!!float ", "").replace("!!int ", "")).ok();
    }
    serde_json::from_str(text).ok()
}

fn measure(result: &Map<String, Value>) -> Option<Measure> {
    let number = |name: &str| match result.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let text = |name: &str| result.get(name).and_then(Value::as_str);
    let (value, unit) = match number("measurement") {
        Some(value) => (value, text("units").map(unit)),
        None => (number("duration")?, Some("s".to_owned())),
    };
    let case = text("case")?;
    let name = match text("definition") {
        Some("lava") | None => case.to_owned(),
        Some(suite) => format!("{suite}/{case}"),
    };
    value.is_finite().then(|| Measure { source: "lava", clock: "lava".to_owned(), name, value, unit })
}

/// LAVA's tests name units as they like; the usual ones as UCUM.
fn unit(name: &str) -> String {
    match name {
        "seconds" | "second" | "sec" => "s",
        "milliseconds" | "msec" => "ms",
        "microseconds" | "usec" => "us",
        "bytes" => "By",
        other => other,
    }
    .to_owned()
}

fn contains(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|w| w == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_measurements_are_figures_of_lava() {
        let log = br#"
- {"dt": "2026-04-24T16:37:20.000000", "lvl": "info", "msg": "start: 1 deploy"}
- {"dt": "2026-04-24T16:37:21.500000", "lvl": "target", "msg": "U-Boot 2026.04"}
- {"dt": "2026-04-24T16:37:40.000000", "lvl": "results", "msg": {"case": "login-action", "definition": "lava", "duration": "12.30", "result": "pass"}}
- {"dt": "2026-04-24T16:37:41.000000", "lvl": "results", "msg": {"case": "boot", "definition": "0_timing", "measurement": !!float "3.5", "units": "seconds", "result": "pass"}}
- {"dt": "2026-04-24T16:37:41.000000", "lvl": "results", "msg": {"case": "job", "definition": "lava", "result": "pass"}}
- {"dt": "2026-04-24T16:37:41.000000", "lvl": "results", "msg": "cut of
"#;
        let metadata = LavaResults::read(&log[..]).unwrap();
        assert_eq!(metadata.start_time, Some((1_777_048_641_500_000, "lava")));
        let found: Vec<_> = metadata.measures.iter().map(|m| (m.name.as_str(), m.value, m.unit.as_deref())).collect();
        assert_eq!(found, [("login-action", 12.3, Some("s")), ("0_timing/boot", 3.5, Some("s"))]);
    }
}
