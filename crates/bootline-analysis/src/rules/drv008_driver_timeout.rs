// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::probe_remedies::{Probed, asynchronous_probes};
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv008,
    doc: "A driver waits for hardware that does not answer, and says so when its time is up: 10 s for a display's page flip or a \
          job of a GPU, 30 or 60 s for NVMe, 5 s for Intel's management engine, 0.2 to 1 s for a transfer on I2C. What the driver waits for is \
          missing, has no power or clock, or is described wrongly.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_millis(200);

/// What the words of a time-out contain; [`is_time_out`] decides.
const WORDS: [&str; 7] = ["imed out", "imeout", "TIMEOUT", "TIMEDOUT", "-110", "ready failed", "ret = -62"];

/// Words of a driver that something has not answered in time. Not those of one that says how long it would wait.
const SAID: [&str; 21] = [
    "timed out",
    "timeout waiting",
    "timeout while",
    "timeout during",
    "timeout in ",
    "timeout on ",
    "timeout sending",
    // nvme_timeout() and ata_exec_internal().
    "timeout, completion polled",
    "timeout, aborting",
    "timeout, disable controller",
    "qc timeout",
    // amdgpu_job_timedout().
    "timeout, signaled seq",
    "error -110",
    "(-110)",
    ": -110",
    "ret = -110",
    "-etimedout",
    // mei_hw_ready_wait() and mei_me_hw_start(): -ETIME.
    "wait hw ready failed",
    "hw_start failed ret = -62",
    "hw_reset failed ret = -62",
    "smbus timeout",
];

/// Nobody waits for these, or another rule names them.
const NOT: [&str; 12] = [
    "default",
    "initial",
    "watchdog",
    "wdt",
    "hung_task",
    "deferred probe",
    "crda",
    "bluetooth",
    "systemd",
    "nfs",
    "rpc",
    "command line",
];

/// Words of displays' and GPUs' drivers.
const DISPLAY: [&str; 10] =
    ["[drm", "amdgpu", "radeon", "nouveau", "i915", "panfrost", "etnaviv", "hdmi", "dsi", "panel"];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut silences = silence::ending_with(case, &WORDS, LEAST);
    silences.retain(|s| case.kernel(s.before).is_some_and(|r| is_time_out(r.text)));
    let is_display = |s: &Silence| {
        let text = case.kernel(s.before).map_or(String::new(), |r| r.text.to_ascii_lowercase());
        DISPLAY.iter().any(|word| text.contains(word))
    };
    let (displays, others): (Vec<Silence>, Vec<Silence>) = silences.into_iter().partition(is_display);
    let display = finding(case, &displays, "the display's driver", display_remedies());
    display.into_iter().chain(finding(case, &others, "a driver", other_remedies())).collect()
}

fn finding(case: &Case<'_>, silences: &[Silence], unnamed: &str, remedies: Vec<Remedy>) -> Option<Finding> {
    let longest = silences.iter().max_by_key(|s| s.net.best())?;
    let named = case.kernel(longest.before).and_then(|r| silence::subject(r.text));
    let device = named.filter(|n| !n.starts_with(['[', '(', ' ', '-'])).unwrap_or(unnamed);
    let took = seconds(silence::cost(silences).best());
    let title = match silences.len() {
        1 => format!("{device} waited {took} until a time-out"),
        n => format!("{n} waits that ended with a time-out took {took}, the longest for {device}"),
    };
    Some(silence::finding(case, RULE.id, silences, title, remedies))
}

fn is_time_out(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let ends = text.trim_end_matches(['.', '!', ' ']).ends_with("timeout");
    (ends || SAID.iter().any(|said| text.contains(said))) && !NOT.iter().any(|not| text.contains(not))
}

fn display_remedies() -> Vec<Remedy> {
    vec![
        Remedy::new(
            "make the driver log what it waits for, and mend that: firmware, power, the panel or the connector",
            vec![SystemChange::parameter("drm.debug", "0x1e"), SystemChange::parameter("log_buf_len", "4M")],
            "much output: read it from dmesg, not from the console",
            Risk::Low,
        ),
        Remedy::in_words(
            "build the display's driver as a module and load it once the application runs",
            Effort::Rebuild,
            "the display comes up later",
            Risk::Medium,
        ),
    ]
}

fn other_remedies() -> Vec<Remedy> {
    vec![
        Remedy::in_words(
            "find out why the device does not answer (power, clock, reset, interrupt, address), and disable it in the device tree or the firmware if it is not fitted",
            Effort::Rebuild,
            "a disabled device is not found",
            Risk::Medium,
        ),
        asynchronous_probes(
            "probe it next to other drivers",
            Probed::Drivers,
            "device names may change order",
            Risk::High,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::is_time_out;

    #[test]
    fn what_says_that_time_is_up() {
        for text in [
            "i2c_designware i2c_designware.5: controller timed out",
            "[drm:amdgpu_job_timedout] *ERROR* ring sdma0 timeout, signaled seq=0, emitted seq=2",
            "[drm:drm_atomic_helper_wait_for_flip_done] *ERROR* [CRTC:31:pipe A] flip_done timed out",
            "mei_me 0000:00:16.0: wait hw ready failed",
            "i801_smbus 0000:00:1f.4: SMBus Timeout!",
            "nvme nvme0: I/O tag 12 (100c) QID 0 timeout, completion polled",
            "acme-phy 1000.phy: failed to lock: -110",
            "(stk) :ldisc installation timeout",
        ] {
            assert!(is_time_out(text), "{text}");
        }
        for text in [
            "omap_wdt: OMAP Watchdog Timer Rev 0x01: initial timeout 60 sec",
            "widget-i2c 13200.i2c: bus speed 400 kHz, timeout 200 ms",
            "platform 14013000.dsi: deferred probe timeout, ignoring dependency",
            "cfg80211: Timeout while waiting for CRDA to reply, restoring regulatory settings",
            "Kernel command line: rootwait acme.timeout",
        ] {
            assert!(!is_time_out(text), "{text}");
        }
    }
}
