// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C and similar signals, for verbs that must finish cleanly.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bootline_input::{Exit, Failure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Set by the first signal, once signals are handled.
static CANCEL: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Sets the returned flag on the first signal; a second one ends the process. The flag is the same for all callers: a verb handles
/// signals from its start, and what it calls asks again.
pub fn cancel_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    if let Some(cancel) = CANCEL.get() {
        return Ok(Arc::clone(cancel));
    }
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_default(signal, Arc::clone(&cancel))
            .and_then(|_| flag::register(signal, Arc::clone(&cancel)))
            .map_err(|e| Failure::new(Exit::LAB, format!("can't handle signals: {e}")))?;
    }
    Ok(Arc::clone(CANCEL.get_or_init(|| cancel)))
}

/// The failure of a verb, or that it was interrupted: a signal also ends the programs that it has started, which then fail.
pub fn or_interrupted(failure: Failure) -> Failure {
    let interrupted = CANCEL.get().is_some_and(|cancel| cancel.load(Ordering::SeqCst));
    if interrupted { Failure::new(Exit::LAB, "interrupted") } else { failure }
}
