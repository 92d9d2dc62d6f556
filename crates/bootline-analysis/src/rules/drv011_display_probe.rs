// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv011,
    doc: "The display's driver starts: it loads firmware, asks each connector for a display (reading its EDID, training its link), and draws \
          a console on a frame buffer. Each step waits for hardware. Few devices need a text console on their display, and a driver \
          in a module can wait until the application runs.",
    place: TimelinePlace::Evidence,
    check,
};

/// Least time together, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(150), 0.02);
/// A shorter silence is not counted, and a longer one is another's, or a time-out.
const PIECE: (Dur, Dur) = (Dur::from_millis(10), Dur::from_secs(5));
/// More silences than a display's start has; a log may be hostile.
const MOST: usize = 200;

/// What shows that a console is drawn on the display.
const CONSOLE: &str = "switching to colour frame buffer";

/// Records of DRM and of the frame buffer's console contain one of these: "[drm] Initialized ..." since 2.4, "i915 0000:00:02.0: [drm] ..."
/// since 5.5, "fb0: ...drmfb frame buffer device".
const WORDS: [&str; 4] = ["[drm", "drmfb", "frame buffer device", CONSOLE];

fn check(case: &Case<'_>) -> Vec<Finding> {
    // With initcall_debug the driver's probe is known, and may wait for other things than a display.
    if !case.boot.spans().is_empty() {
        return Vec::new();
    }
    let is_display = |i: usize| case.kernel(i).is_some_and(|r| WORDS.iter().any(|w| r.text.contains(w)));
    let mut silences: Vec<Silence> = silence::ending_with(case, &WORDS, PIECE.0);
    // Before its first record the driver may not have run, and between two of its own no other driver logged anything.
    silences.retain(|s| is_display(s.after) && s.net.best() <= PIECE.1);
    silences.sort_by_key(|s| std::cmp::Reverse(s.net.best()));
    silences.truncate(MOST);
    silences.sort_by_key(|s| s.after);
    let cost = silence::cost(&silences).best();
    let Some(longest) = silences.iter().max_by_key(|s| s.net.best()) else { return Vec::new() };
    if cost < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let title = format!(
        "the display's driver waited or worked for {}, as far as the log shows; the longest time, {}, was before record {}",
        seconds(cost),
        seconds(longest.net.best()),
        case.kernel(longest.before).map_or_else(String::new, |r| r.id.to_string()),
    );
    let mut remedies = vec![Remedy::in_words(
        "build the display's driver as a module and load it in parallel with the application's start",
        Effort::Rebuild,
        "the display stays dark, or as the boot loader left it, until then",
        Risk::Medium,
    )];
    if case.find(CONSOLE).next().is_some() {
        remedies.push(Remedy::new(
            "draw no text console",
            vec![SystemChange::parameter("drm_kms_helper.fbdev_emulation", "0")],
            "no /dev/fb0 and no kernel messages on the display",
            Risk::Low,
        ));
    }
    remedies.push(Remedy::new(
        "take the display's EDID from a file instead of reading it",
        vec![SystemChange::open_parameter("drm.edid_firmware", "connector:file, such as HDMI-A-1:edid/panel.bin")],
        "another display may show nothing; the file must be in the initramfs or in the kernel (from 4.15 on)",
        Risk::Medium,
    ));
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
