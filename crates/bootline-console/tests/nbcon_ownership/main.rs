// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine, model-checked: all interleavings of two and three contexts keep the laws, and a machine with one rule
//! changed doesn't.
//!
//! Laws of each run, until a panic takes the console in an unsafe section: one context at a time is in an unsafe section;
//! records go out in order, none is torn, and one is repeated only by another context, which took the console over in its
//! middle. Always: the run ends, with a whole copy of every record on the line and counted as printed; so a panic gets the
//! console. An unsafe takeover may tear what is on the line at that moment; the panic begins it again. What the port itself
//! then loses (a FIFO that two contexts fill) isn't modelled.
mod model;
mod nbcon;
mod search;
mod transmitted;

use proptest::prelude::*;

use model::{Machine, SimulationSetup, State};
use nbcon::*;
use search::{Counterexample, SearchOutcome, Violation, search};

const KERNEL: Machine = Machine { direct, requested, hostile, release, set_unsafe };

const THREAD: (Prio, u8) = (Prio::Normal, 0);
const EMERGENCY: (Prio, u8) = (Prio::Emergency, 1);
const PANIC: (Prio, u8) = (Prio::Panic, 2);

type Contexts = &'static [(Prio, u8)];

const PAIRS: [Contexts; 5] = [
    &[THREAD, EMERGENCY],
    &[THREAD, PANIC],
    &[EMERGENCY, PANIC],
    // On one processor: the second interrupts the first.
    &[THREAD, (Prio::Emergency, 0)],
    &[THREAD, (Prio::Panic, 0)],
];

const TRIPLES: [Contexts; 4] = [
    &[THREAD, EMERGENCY, PANIC],
    &[THREAD, EMERGENCY, (Prio::Panic, 1)],
    &[THREAD, (Prio::Emergency, 0), PANIC],
    &[THREAD, EMERGENCY, (Prio::Panic, 0)],
];

fn setup(contexts: Contexts, backlog: u8, timeouts: u8, stops: bool) -> SimulationSetup {
    SimulationSetup { machine: KERNEL, backlog, contexts, timeouts, stops }
}

/// Searches all runs of all setups.
fn all(contexts: &[Contexts], backlogs: &[u8]) -> SearchOutcome<State> {
    let mut total = SearchOutcome { states: 0, ends: Vec::new() };
    let rules = [(0, true), (1, true), (0, false), (1, false)];
    for (&c, &backlog) in contexts.iter().flat_map(|c| backlogs.iter().map(move |b| (c, b))) {
        for (timeouts, stops) in rules {
            let found = search(&setup(c, backlog, timeouts, stops)).unwrap_or_else(|Counterexample { law, path }| {
                let tail: Vec<String> = path.iter().rev().take(30).rev().map(|s| format!("{s:?}")).collect();
                panic!("{c:?}, {backlog} waiting, {timeouts} time-outs, stops {stops}: {law:?}\n{}", tail.join("\n"))
            });
            total.states += found.states;
            total.ends.extend(found.ends);
        }
    }
    total
}

/// That the laws aren't kept for want of anything happening.
fn all_has_happened(ends: &[State]) {
    assert!(ends.iter().any(|s| s.wire.repeated != 0), "no record was ever repeated");
    assert!(ends.iter().any(|s| s.state.unsafe_takeover), "no console was ever taken in an unsafe section");
    assert!(ends.iter().any(|s| !s.state.unsafe_takeover && s.wire.repeated == 0), "no run went smoothly");
}

#[test]
fn two_contexts() {
    let found = all(&PAIRS, &[1, 2]);
    all_has_happened(&found.ends);
    assert_eq!((found.states, found.ends.len()), (83_625, 1_114), "docs/console-model.md has these");
}

#[test]
fn three_contexts() {
    let found = all(&TRIPLES, &[1]);
    all_has_happened(&found.ends);
    assert_eq!((found.states, found.ends.len()), (1_299_041, 18_779), "docs/console-model.md has these");
}

/// The laws that a machine breaks, the first of each setup.
fn broken_by(machine: Machine) -> Vec<Violation> {
    let setups = PAIRS.iter().chain(&TRIPLES).flat_map(|c| [(0, true), (1, false)].map(|(t, s)| setup(c, 1, t, s)));
    let mut broken: Vec<Violation> =
        setups.filter_map(|s| search(&SimulationSetup { machine, ..s }).err().map(|b| b.law)).collect();
    broken.sort();
    broken.dedup();
    broken
}

/// Each is the kernel's machine with one rule changed.
#[test]
fn a_changed_rule_is_caught() {
    let check = |what: &str, machine, violation: &[Violation]| assert_eq!(broken_by(machine), violation, "{what}");
    let direct = |w: NbconState, c: &AcquireContext, p| nbcon::direct(NbconState { in_unsafe: false, ..w }, c, p);
    check("taken in an unsafe section", Machine { direct, ..KERNEL }, &[Violation::TwoOwners]);
    let requested = |w: NbconState, c: &AcquireContext, p| nbcon::requested(NbconState { prio: Prio::None, ..w }, c, p);
    check("handed over in an unsafe section", Machine { requested, ..KERNEL }, &[Violation::TwoOwners]);
    let release = |w: NbconState, c: &AcquireContext| NbconState { prio: Prio::None, ..nbcon::release(w, c) };
    check(
        "released by who doesn't own it",
        Machine { release, ..KERNEL },
        &[Violation::RepeatedByItself, Violation::Endless],
    );
    let set_unsafe = |w: NbconState, c: &AcquireContext, v| match nbcon::set_unsafe(w, c, v) {
        // The waiter finds its request gone, and nobody owns the console.
        (after, false) if after.prio == Prio::None => (NbconState { req_prio: Prio::None, ..after }, false),
        other => other,
    };
    check("given up to nobody", Machine { set_unsafe, ..KERNEL }, &[Violation::RepeatedByItself, Violation::Stuck]);
    let set_unsafe = |w: NbconState, c: &AcquireContext, v| (nbcon::set_unsafe(w, c, v).0, true);
    check(
        "an owner that doesn't look",
        Machine { set_unsafe, ..KERNEL },
        &[Violation::TwoOwners, Violation::OutOfOrder],
    );
    let release = |w: NbconState, _: &AcquireContext| w;
    check("never released", Machine { release, ..KERNEL }, &[Violation::Stuck, Violation::Endless]);
    let direct = |w: NbconState, c: &AcquireContext, p| nbcon::direct(NbconState { req_prio: Prio::None, ..w }, c, p);
    check("taken though reserved", Machine { direct, ..KERNEL }, &[Violation::RepeatedByItself, Violation::Stuck]);
    let hostile = |_: NbconState, _: &AcquireContext| Err(AcquireError::Denied);
    check("no hostile takeover", Machine { hostile, ..KERNEL }, &[Violation::Stuck]);
    let hostile =
        |w: NbconState, c: &AcquireContext| nbcon::hostile(w, c).map(|w| NbconState { unsafe_takeover: false, ..w });
    check(
        "a hostile takeover that leaves no mark",
        Machine { hostile, ..KERNEL },
        &[Violation::TwoOwners, Violation::Stuck],
    );
}

fn prio() -> impl Strategy<Value = Prio> {
    prop_oneof![Just(Prio::None), Just(Prio::Normal), Just(Prio::Emergency), Just(Prio::Panic)]
}

prop_compose! {
    fn state()(prio in prio(), req_prio in prio(), in_unsafe: bool, unsafe_takeover: bool, cpu in 0u8..3) -> NbconState {
        NbconState { prio, req_prio, in_unsafe, unsafe_takeover, cpu: Cpu(cpu) }
    }
}

prop_compose! {
    fn context()(
        prio in prio().prop_filter("nobody asks for nothing", |p| *p != Prio::None),
        cpu in 0u8..3,
        reacquires: bool,
        waits: bool,
        may_take_unsafe: bool,
    ) -> AcquireContext {
        AcquireContext { cpu: Cpu(cpu), prio, reacquires, waits, may_take_unsafe }
    }
}

proptest! {
    #[test]
    fn a_console_goes_up_in_priority(state in state(), ctx in context(), panic in prop::option::of((0u8..3).prop_map(Cpu))) {
        if let Ok(after) = direct(state, &ctx, panic) {
            prop_assert!(ctx.prio > state.prio && ctx.prio > state.req_prio && !state.in_unsafe);
            prop_assert!(ctx.owns(after) && after.req_prio == Prio::None);
        }
        if let Ok(after) = request(state, &ctx, panic) {
            let before = NbconState { req_prio: state.req_prio, ..after };
            prop_assert!(before == state && ctx.waits_in(after));
        }
    }

    #[test]
    fn only_the_owner_changes_what_it_owns(state in state(), ctx in context(), value: bool) {
        if !ctx.owns(state) {
            prop_assert_eq!(release(state, &ctx), state);
            prop_assert_eq!(set_unsafe(state, &ctx, value), (state, false));
        } else {
            prop_assert_eq!(release(state, &ctx).prio, Prio::None);
            // A request outlives its owner: the console stays reserved.
            prop_assert_eq!(release(state, &ctx).req_prio, state.req_prio);
        }
    }

    #[test]
    fn an_unsafe_takeover_is_never_forgotten(state in state(), ctx in context(), value: bool) {
        prop_assume!(state.unsafe_takeover);
        let after = [
            Some(release(state, &ctx)),
            Some(set_unsafe(state, &ctx, value).0),
            direct(state, &ctx, None).ok(),
            hostile(state, &ctx).ok(),
        ];
        prop_assert!(after.iter().flatten().all(|w| w.unsafe_takeover));
    }
}
