// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an owner does, and how it learns that it is none any more.
use super::{Context, Prio, Word};

/// `nbcon_context_release`. A request stays, so that the console is reserved for who waits; who doesn't own changes nothing.
pub fn release(word: Word, ctx: &Context) -> Word {
    if !ctx.owns(word) {
        return word;
    }
    Word { prio: Prio::None, in_unsafe: word.in_unsafe || word.unsafe_takeover, ..word }
}

/// `nbcon_context_can_proceed`: whether the context still owns the console. In a safe section it gives it up to who waits.
fn can_proceed(word: Word, ctx: &Context) -> (Word, bool) {
    match () {
        () if !ctx.owns(word) => (word, false),
        () if word.req_prio == Prio::None || word.in_unsafe => (word, true),
        () => (release(word, ctx), false),
    }
}

/// `nbcon_enter_unsafe` and `nbcon_exit_unsafe` (`__nbcon_context_update_unsafe`), and whether the context still owns the
/// console. The kernel sets the bit and looks for a waiter in two steps; who comes between them finds a safe section of
/// a lower priority, and takes it as it would take the console that was given up.
pub fn set_unsafe(word: Word, ctx: &Context, value: bool) -> (Word, bool) {
    if !value && word.unsafe_takeover {
        return can_proceed(word, ctx);
    }
    match can_proceed(word, ctx) {
        (word, false) => (word, false),
        (word, true) => can_proceed(Word { in_unsafe: value, ..word }, ctx),
    }
}
