// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an owner does, and how it learns that it is none any more.
use super::{AcquireContext, NbconState, Prio};

/// `nbcon_context_release`. A request stays, so that the console is reserved for who waits; who doesn't own changes nothing.
pub fn release(state: NbconState, ctx: &AcquireContext) -> NbconState {
    if !ctx.owns(state) {
        return state;
    }
    NbconState { prio: Prio::None, in_unsafe: state.in_unsafe || state.unsafe_takeover, ..state }
}

/// `nbcon_context_can_proceed`: whether the context still owns the console. In a safe section it gives it up to who waits.
fn can_proceed(state: NbconState, ctx: &AcquireContext) -> (NbconState, bool) {
    match () {
        () if !ctx.owns(state) => (state, false),
        () if state.req_prio == Prio::None || state.in_unsafe => (state, true),
        () => (release(state, ctx), false),
    }
}

/// `nbcon_enter_unsafe` and `nbcon_exit_unsafe` (`__nbcon_context_update_unsafe`), and whether the context still owns the
/// console. The kernel sets the bit and looks for a waiter in two steps; who comes between them finds a safe section of
/// a lower priority, and takes it as it would take the console that was given up.
pub fn set_unsafe(state: NbconState, ctx: &AcquireContext, value: bool) -> (NbconState, bool) {
    if !value && state.unsafe_takeover {
        return can_proceed(state, ctx);
    }
    match can_proceed(state, ctx) {
        (state, false) => (state, false),
        (state, true) => can_proceed(NbconState { in_unsafe: value, ..state }, ctx),
    }
}
