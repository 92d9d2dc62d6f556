// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who owns an nbcon console: the kernel's rules as a state machine.
//!
//! Read from kernel/printk/nbcon.c (6.12.107, 7.2.13, 7.3.4: the same rules; kdb's exception of the newer ones is left
//! out). A console's state is one atomic word. The kernel changes it by compare-and-exchange and decides again when that fails;
//! so each function here is one atomic step: the word in, the word or the refusal out. Policy (whom to ask, how long
//! to wait, what is unsafe) is the caller's, as there.
//!
//! The tests run all interleavings of a printing thread, an emergency and a panic over these steps.
mod acquire;
mod owner;

pub use acquire::{WithdrawOutcome, direct, hostile, request, requested, withdraw};
pub use owner::{release, set_unsafe};

/// A processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cpu(pub u8);

/// `enum nbcon_prio`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prio {
    /// Nobody.
    #[default]
    None,
    /// The printing thread, and drivers that touch the port for other reasons.
    Normal,
    /// A WARN, an oops that may be survived, a stall report.
    Emergency,
    /// panic().
    Panic,
}

/// `struct nbcon_state`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NbconState {
    /// Of the owner; none: the console is free.
    pub prio: Prio,
    /// Of who waits for a handover; the console stays reserved for it.
    pub req_prio: Prio,
    /// The owner is in the middle of something that nobody may interrupt.
    pub in_unsafe: bool,
    /// Somebody did all the same, once; the console stays unsafe.
    pub unsafe_takeover: bool,
    /// Where the owner runs.
    pub cpu: Cpu,
}

/// `struct nbcon_context`: who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AcquireContext {
    /// Where it runs.
    pub cpu: Cpu,
    /// On whose behalf.
    pub prio: Prio,
    /// It owned the console and wants it back to leave the port in order (`nbcon_reacquire_nobuf`).
    pub reacquires: bool,
    /// It is willing to wait for a handover (`spinwait_max_us`).
    pub waits: bool,
    /// It may take the console from an owner in an unsafe section: the last attempt of a panic.
    pub may_take_unsafe: bool,
}

impl AcquireContext {
    pub fn panic_elsewhere(&self, panic: Option<Cpu>) -> bool {
        panic.is_some_and(|cpu| cpu != self.cpu)
    }

    /// `nbcon_owner_matches`
    pub fn owns(&self, state: NbconState) -> bool {
        state.prio == self.prio && state.cpu == self.cpu
    }

    /// `nbcon_waiter_matches`
    pub fn waits_in(&self, state: NbconState) -> bool {
        state.req_prio == self.prio
    }
}

/// Why a step didn't give the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcquireError {
    /// -EPERM: somebody of the same or a higher priority, or a panic elsewhere.
    Denied,
    /// -EBUSY: the owner is in an unsafe section; another way of acquiring may do.
    Busy,
    /// -EAGAIN: the word changed; begin again.
    Changed,
}
