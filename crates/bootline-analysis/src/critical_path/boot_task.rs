// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task's waits delay the boot.
use bootline_boot::{Boot, Span, SpanKind};
use bootline_capture::units::Dur;

/// init's task, and swapper's before it.
pub(super) const INIT: u32 = 1;

pub(super) fn of_init(span: &Span) -> bool {
    span.kind == SpanKind::Initcall && span.task.is_none_or(|t| t == INIT)
}

/// When init started, if the log continues after that.
pub(super) fn user_space(boot: &Boot) -> Option<Dur> {
    boot.milestones.init.and_then(|i| boot.timeline.stored(i))
}

/// Whether a task's waits delay the boot: in user space, modules are loaded by whichever process needs them.
pub(super) fn holds_up(task: u32, at: Dur, user_space: Option<Dur>) -> bool {
    task == INIT || user_space.is_some_and(|from| at >= from)
}
