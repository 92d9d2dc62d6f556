// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel's critical path rests on, and how much of it the segments are that stand by themselves.
use std::collections::HashSet;

use crate::document::Text;
use crate::time_value::TimeValue;
use bootline_analysis::critical_path::{CriticalPath, PathBasis, Segment, SegmentKind};
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// What the segments that stand by themselves come to; `of` is whose they are.
pub(super) fn share_of_outstanding(critical_path: &CriticalPath, outstanding: &HashSet<usize>, of: &str) -> Text {
    let net = |s: &Segment| s.net();
    let all = critical_path.segments.iter().map(net).sum::<Dur>();
    let shown =
        critical_path.segments.iter().enumerate().filter(|(i, _)| outstanding.contains(i)).map(|(_, s)| net(s)).sum();
    Text::new()
        .words(format!("{} of {of} {} segments make up ", outstanding.len(), critical_path.segments.len()))
        .figure(TimeValue::exact(shown))
        .words(" of its ")
        .figure(TimeValue::exact(all))
        .words(" net of the console; the others are merged.")
}

/// What a path is derived from; `what` names it, as the sentence's subject.
pub(super) fn basis(boot: &Boot, critical_path: &CriticalPath, what: &str) -> String {
    let mut text = match critical_path.basis {
        PathBasis::AsyncCalls => format!("{what} is derived from initcalls, async calls and the waits for them."),
        PathBasis::Initcalls => {
            format!(
                "{what} is derived from initcalls and probes. Waits inside an initcall count as its work; `async.dyndbg=+p` on the command line shows waits for async calls."
            )
        }
        PathBasis::Records => {
            format!(
                "{what} is derived from records alone, and between two records nothing distinguishes work from waiting. \
                 `initcall_debug` on the command line names what ran."
            )
        }
    };
    let through =
        critical_path.segments.iter().any(|s| matches!(s.kind, SegmentKind::AsyncCall { .. } | SegmentKind::Initramfs));
    if through && boot.kernel.cpus == Some(1) {
        text += " With one CPU, a call that is not critical also takes CPU time from the path, so its slack is valid only if it sleeps.";
    }
    text
}
