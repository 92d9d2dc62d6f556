// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C and similar signals, for verbs that must finish cleanly.
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bootline_input::{Exit, Failure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Sets the returned flag on the first signal; a second one ends the process.
pub fn cancel_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_default(signal, Arc::clone(&cancel))
            .and_then(|_| flag::register(signal, Arc::clone(&cancel)))
            .map_err(|e| Failure::new(Exit::LAB, format!("can't handle signals: {e}")))?;
    }
    Ok(cancel)
}
