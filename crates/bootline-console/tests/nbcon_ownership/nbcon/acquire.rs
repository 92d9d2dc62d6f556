// SPDX-License-Identifier: MIT OR Apache-2.0
//! The three ways to get a console, in the order in which `nbcon_context_try_acquire` tries them.
use super::{AcquireContext, AcquireError, Cpu, NbconState, Prio};

/// `nbcon_context_try_acquire_direct`: a console that is free, or whose owner has a lower priority and is in a safe
/// section. That owner isn't asked; it sees its loss when it next enters an unsafe section.
///
/// # Errors
/// `Denied`, or `Busy`: ask for a handover.
pub fn direct(state: NbconState, ctx: &AcquireContext, panic: Option<Cpu>) -> Result<NbconState, AcquireError> {
    // A context that panic interrupted may put its port in order, unless the console was taken in an unsafe section.
    if ctx.panic_elsewhere(panic) && (!ctx.reacquires || state.unsafe_takeover) {
        return Err(AcquireError::Denied);
    }
    if ctx.prio <= state.prio || ctx.prio <= state.req_prio {
        return Err(AcquireError::Denied);
    }
    if state.in_unsafe {
        return Err(AcquireError::Busy);
    }
    Ok(owned(state, ctx))
}

/// The first half of `nbcon_context_try_acquire_handover`: the request, which the owner sees on leaving its unsafe section.
///
/// # Errors
/// `Denied`; `Busy` where waiting can't help; `Changed` where a direct attempt might now do.
pub fn request(state: NbconState, ctx: &AcquireContext, panic: Option<Cpu>) -> Result<NbconState, AcquireError> {
    if ctx.panic_elsewhere(panic) {
        return Err(AcquireError::Denied);
    }
    if direct(state, ctx, panic) != Err(AcquireError::Busy) {
        return Err(AcquireError::Changed);
    }
    // The owner can't run while it is waited for on its own processor.
    if state.cpu == ctx.cpu || state.unsafe_takeover || !ctx.waits {
        return Err(AcquireError::Busy);
    }
    Ok(NbconState { req_prio: ctx.prio, ..state })
}

/// `nbcon_context_try_acquire_requested`: one look of the wait.
///
/// # Errors
/// `Busy`: wait on. `Denied`: the request is to be withdrawn.
pub fn requested(state: NbconState, ctx: &AcquireContext, panic: Option<Cpu>) -> Result<NbconState, AcquireError> {
    if ctx.panic_elsewhere(panic) || !ctx.waits_in(state) {
        return Err(AcquireError::Denied);
    }
    if state.prio != Prio::None {
        return Err(AcquireError::Busy);
    }
    Ok(owned(state, ctx))
}

/// What became of a request that its maker gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawOutcome {
    /// The owner had just left: the console is the waiter's.
    Acquired(NbconState),
    /// Somebody of a higher priority took its place; nothing to remove.
    Replaced,
    /// It is removed.
    Removed(NbconState),
}

/// The end of `nbcon_context_try_acquire_handover` after a time-out or a refusal.
pub fn withdraw(state: NbconState, ctx: &AcquireContext, panic: Option<Cpu>) -> WithdrawOutcome {
    if !ctx.waits_in(state) {
        return WithdrawOutcome::Replaced;
    }
    match requested(state, ctx, panic) {
        Ok(state) => WithdrawOutcome::Acquired(state),
        Err(_) => WithdrawOutcome::Removed(NbconState { req_prio: Prio::None, ..state }),
    }
}

/// `nbcon_context_try_acquire_hostile`: the owner in its unsafe section keeps running, and two contexts are at the port.
///
/// # Errors
/// `Denied` to all but the end of a panic.
pub fn hostile(state: NbconState, ctx: &AcquireContext) -> Result<NbconState, AcquireError> {
    if !ctx.may_take_unsafe || ctx.prio != Prio::Panic {
        return Err(AcquireError::Denied);
    }
    Ok(NbconState {
        prio: ctx.prio,
        cpu: ctx.cpu,
        in_unsafe: state.in_unsafe || state.unsafe_takeover,
        unsafe_takeover: state.unsafe_takeover || state.in_unsafe,
        req_prio: state.req_prio,
    })
}

fn owned(state: NbconState, ctx: &AcquireContext) -> NbconState {
    NbconState { prio: ctx.prio, req_prio: Prio::None, in_unsafe: state.unsafe_takeover, cpu: ctx.cpu, ..state }
}
