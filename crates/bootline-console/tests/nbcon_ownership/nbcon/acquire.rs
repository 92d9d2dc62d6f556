// SPDX-License-Identifier: MIT OR Apache-2.0
//! The three ways to get a console, in the order in which `nbcon_context_try_acquire` tries them.
use super::{Context, Cpu, Prio, Refused, Word};

/// `nbcon_context_try_acquire_direct`: a console that is free, or whose owner has a lower priority and is in a safe
/// section. That owner isn't asked; it sees its loss when it next enters an unsafe section.
///
/// # Errors
/// `Denied`, or `Busy`: ask for a handover.
pub fn direct(word: Word, ctx: &Context, panic: Option<Cpu>) -> Result<Word, Refused> {
    // A context that panic interrupted may put its port in order, unless the console was taken in an unsafe section.
    if ctx.panic_elsewhere(panic) && (!ctx.reacquires || word.unsafe_takeover) {
        return Err(Refused::Denied);
    }
    if ctx.prio <= word.prio || ctx.prio <= word.req_prio {
        return Err(Refused::Denied);
    }
    if word.in_unsafe {
        return Err(Refused::Busy);
    }
    Ok(owned(word, ctx))
}

/// The first half of `nbcon_context_try_acquire_handover`: the request, which the owner sees on leaving its unsafe section.
///
/// # Errors
/// `Denied`; `Busy` where waiting can't help; `Changed` where a direct attempt might now do.
pub fn request(word: Word, ctx: &Context, panic: Option<Cpu>) -> Result<Word, Refused> {
    if ctx.panic_elsewhere(panic) {
        return Err(Refused::Denied);
    }
    if direct(word, ctx, panic) != Err(Refused::Busy) {
        return Err(Refused::Changed);
    }
    // The owner can't run while it is waited for on its own processor.
    if word.cpu == ctx.cpu || word.unsafe_takeover || !ctx.waits {
        return Err(Refused::Busy);
    }
    Ok(Word { req_prio: ctx.prio, ..word })
}

/// `nbcon_context_try_acquire_requested`: one look of the wait.
///
/// # Errors
/// `Busy`: wait on. `Denied`: the request is to be withdrawn.
pub fn requested(word: Word, ctx: &Context, panic: Option<Cpu>) -> Result<Word, Refused> {
    if ctx.panic_elsewhere(panic) || !ctx.waits_in(word) {
        return Err(Refused::Denied);
    }
    if word.prio != Prio::None {
        return Err(Refused::Busy);
    }
    Ok(owned(word, ctx))
}

/// What became of a request that its maker gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withdrawn {
    /// The owner had just left: the console is the waiter's.
    Acquired(Word),
    /// Somebody of a higher priority took its place; nothing to remove.
    Replaced,
    /// It is removed.
    Removed(Word),
}

/// The end of `nbcon_context_try_acquire_handover` after a time-out or a refusal.
pub fn withdraw(word: Word, ctx: &Context, panic: Option<Cpu>) -> Withdrawn {
    if !ctx.waits_in(word) {
        return Withdrawn::Replaced;
    }
    match requested(word, ctx, panic) {
        Ok(word) => Withdrawn::Acquired(word),
        Err(_) => Withdrawn::Removed(Word { req_prio: Prio::None, ..word }),
    }
}

/// `nbcon_context_try_acquire_hostile`: the owner in its unsafe section keeps running, and two contexts are at the port.
///
/// # Errors
/// `Denied` to all but the end of a panic.
pub fn hostile(word: Word, ctx: &Context) -> Result<Word, Refused> {
    if !ctx.may_take_unsafe || ctx.prio != Prio::Panic {
        return Err(Refused::Denied);
    }
    Ok(Word {
        prio: ctx.prio,
        cpu: ctx.cpu,
        in_unsafe: word.in_unsafe || word.unsafe_takeover,
        unsafe_takeover: word.unsafe_takeover || word.in_unsafe,
        req_prio: word.req_prio,
    })
}

fn owned(word: Word, ctx: &Context) -> Word {
    Word { prio: ctx.prio, req_prio: Prio::None, in_unsafe: word.unsafe_takeover, cpu: ctx.cpu, ..word }
}
