// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work on several items at the same time, whose results are taken in the order of the items.
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Number of results that the current item may queue before its worker waits.
const WAITING: usize = 4;

/// Bytes of queued results, over all items, above which the worker of a later item waits for its turn.
const BYTES_WAITING: usize = 32 << 20;

/// A result that takes memory while it is queued.
pub trait QueuedResult {
    /// Size in memory, in bytes.
    fn bytes(&self) -> usize;
}

/// Takes the results of an item.
pub struct Results<'s, R>(&'s mut dyn FnMut(R) -> bool);

impl<R> Results<'_, R> {
    /// Adds a result; false if nobody wants more.
    pub fn send(&mut self, result: R) -> bool {
        (self.0)(result)
    }
}

/// Works on all items, on all processors, and gives their results to `take`, which returns false to end it.
pub fn run<T: Sync, R: QueuedResult + Send>(
    items: &[T],
    work: impl Fn(&T, &mut Results<'_, R>) + Sync,
    take: impl FnMut(R) -> bool,
) {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if processors.min(items.len()) > 1 {
        at_the_same_time(items, processors, work, take)
    } else {
        one_by_one(items, work, take)
    }
}

/// Works on one item after the other.
pub fn one_by_one<T, R>(items: &[T], mut work: impl FnMut(&T, &mut Results<'_, R>), mut take: impl FnMut(R) -> bool) {
    let mut goes_on = true;
    for item in items {
        work(
            item,
            &mut Results(&mut |result| {
                goes_on = goes_on && take(result);
                goes_on
            }),
        );
        if !goes_on {
            return;
        }
    }
}

fn at_the_same_time<T: Sync, R: QueuedResult + Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T, &mut Results<'_, R>) + Sync,
    mut take: impl FnMut(R) -> bool,
) {
    let workers = workers.min(items.len());
    let queue = Queue::new(items.len(), workers);
    let (queue, work) = (&queue, &work);
    thread::scope(|scope| {
        // If `take` panics, too.
        let _ended = OnDrop(|| queue.change(|state| state.ended = true));
        for _ in 0..workers {
            scope.spawn(move || {
                let _gone = OnDrop(|| queue.change(|state| state.workers -= 1));
                while let Some(place) = queue.begin() {
                    let _done = OnDrop(|| queue.change(|state| state.items[place].is_done = true));
                    work(&items[place], &mut Results(&mut |result| queue.put(place, result)));
                }
            });
        }
        while let Some(result) = queue.next() {
            if !take(result) {
                return;
            }
        }
    });
}

/// Does something when it is dropped, also by a panic.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Results on their way from the workers to whoever takes them.
struct Queue<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

struct State<R> {
    items: Vec<Item<R>>,
    /// Items that were begun: the first ones.
    begun: usize,
    /// The item whose results are taken. Nothing but `take` makes it wait, and items are begun in order: so there is no deadlock.
    turn: usize,
    /// Bytes of all results that wait.
    bytes: usize,
    /// The taker has stopped.
    ended: bool,
    /// Number of workers still running.
    workers: usize,
}

struct Item<R> {
    waiting: VecDeque<R>,
    is_done: bool,
}

impl<R: QueuedResult> Queue<R> {
    fn new(items: usize, workers: usize) -> Queue<R> {
        let items = (0..items).map(|_| Item { waiting: VecDeque::new(), is_done: false }).collect();
        Queue {
            state: Mutex::new(State { items, begun: 0, turn: 0, bytes: 0, ended: false, workers }),
            changed: Condvar::new(),
        }
    }

    /// A poisoned lock is as good as any: no panic can leave the state inconsistent.
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State<R>)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn wait<'q>(&self, state: MutexGuard<'q, State<R>>) -> MutexGuard<'q, State<R>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item to be worked on.
    fn begin(&self) -> Option<usize> {
        let mut state = self.state();
        let place = state.begun;
        (place < state.items.len() && !state.ended).then(|| {
            state.begun += 1;
            place
        })
    }

    /// Adds a result of an item once there is room; false if nobody wants it.
    fn put(&self, place: usize, result: R) -> bool {
        let bytes = result.bytes();
        let mut state = self.state();
        while !state.ended && !state.has_room(place, bytes) {
            state = self.wait(state);
        }
        if state.ended {
            return false;
        }
        state.bytes += bytes;
        state.items[place].waiting.push_back(result);
        if state.turn == place {
            self.changed.notify_all();
        }
        true
    }

    /// The next result in order; None after the last one, or if no worker is left to make it.
    fn next(&self) -> Option<R> {
        let mut state = self.state();
        loop {
            let turn = state.turn;
            let item = state.items.get_mut(turn)?;
            if let Some(result) = item.waiting.pop_front() {
                state.bytes -= result.bytes();
                self.changed.notify_all();
                return Some(result);
            }
            if item.is_done {
                state.turn += 1;
                self.changed.notify_all();
            } else if state.workers == 0 {
                return None;
            } else {
                state = self.wait(state);
            }
        }
    }
}

impl<R> State<R> {
    fn has_room(&self, place: usize, bytes: usize) -> bool {
        if place == self.turn { self.items[place].waiting.len() < WAITING } else { self.bytes + bytes <= BYTES_WAITING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    impl QueuedResult for (usize, usize) {
        fn bytes(&self) -> usize {
            BYTES_WAITING / 16
        }
    }

    impl QueuedResult for () {
        fn bytes(&self) -> usize {
            BYTES_WAITING / 16
        }
    }

    /// A queue that stands still is a failure, however loaded the machine is.
    const LONGEST: Duration = Duration::from_secs(120);

    /// Runs a test that stands still if the queue is wrong.
    fn within_the_time_limit(test: impl FnOnce() + Send + 'static) {
        let (tell, told) = std::sync::mpsc::channel();
        let running = thread::spawn(move || {
            test();
            _ = tell.send(());
        });
        match told.recv_timeout(LONGEST) {
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("the queue stands still"),
            _ => running.join().unwrap(),
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        within_the_time_limit(|| {
            let items: Vec<usize> = (0..50).collect();
            for workers in [1, 2, 3, 100] {
                let mut taken = Vec::new();
                // The first ones have the most results, more than may wait.
                let work = |item: &usize, results: &mut Results<'_, (usize, usize)>| {
                    assert!((0..60 - item).all(|n| results.send((*item, n))));
                };
                let take = |result| {
                    taken.push(result);
                    true
                };
                if workers == 1 {
                    one_by_one(&items, work, take)
                } else {
                    at_the_same_time(&items, workers, work, take)
                }
                let wanted: Vec<_> = items.iter().flat_map(|item| (0..60 - item).map(move |n| (*item, n))).collect();
                assert_eq!(taken, wanted, "{workers} workers");
            }
        });
    }

    #[test]
    fn whoever_wants_no_more_ends_it() {
        within_the_time_limit(|| {
            let items = [0; 50];
            for workers in [1, 2, 100] {
                let mut taken = 0;
                let begun = AtomicUsize::new(0);
                let work = |_: &i32, results: &mut Results<'_, ()>| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    while results.send(()) {}
                };
                let take = |()| {
                    taken += 1;
                    taken < 10
                };
                if workers == 1 {
                    one_by_one(&items, work, take)
                } else {
                    at_the_same_time(&items, workers, work, take)
                }
                assert_eq!(taken, 10);
                assert!(begun.load(Ordering::Relaxed) <= workers, "{workers} workers");
            }
        });
    }

    #[test]
    fn bytes_that_wait_are_bounded() {
        within_the_time_limit(|| {
            let items: Vec<usize> = (0..100).collect();
            let (workers, sent, taken) = (4, AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |item: &usize, results: &mut Results<'_, (usize, usize)>| {
                for n in 0..60 {
                    let sent = sent.fetch_add(1, Ordering::SeqCst) + 1;
                    // Those that wait, by bytes and those whose turn it is; one more that each worker holds, and the one being taken.
                    assert!(sent <= taken.load(Ordering::SeqCst) + 16 + WAITING + workers + 1);
                    results.send((*item, n));
                }
            };
            let take = |_| {
                thread::yield_now();
                taken.fetch_add(1, Ordering::SeqCst);
                true
            };
            at_the_same_time(&items, workers, work, take);
            assert_eq!(taken.into_inner(), 60 * items.len());
        });
    }

    #[test]
    fn an_item_is_worked_on_to_its_end_before_its_turn() {
        within_the_time_limit(|| {
            let (made, second_is_done) = std::sync::mpsc::channel();
            let second_is_done = Mutex::new(second_is_done);
            let work = |item: &usize, results: &mut Results<'_, (usize, usize)>| {
                if *item == 0 {
                    // Ends only if the second one does, all of whose results have to wait.
                    second_is_done.lock().unwrap().recv_timeout(LONGEST).unwrap();
                } else {
                    assert!((0..3 * WAITING).all(|n| results.send((*item, n))));
                    made.send(()).unwrap();
                }
            };
            let mut taken = 0;
            let take = |_| {
                taken += 1;
                true
            };
            at_the_same_time(&[0, 1], 2, work, take);
            assert_eq!(taken, 3 * WAITING);
        });
    }

    #[test]
    fn a_panic_of_whoever_takes_ends_it() {
        within_the_time_limit(|| {
            let work = |_: &i32, results: &mut Results<'_, ()>| while results.send(()) {};
            let run = || at_the_same_time(&[0; 8], 2, work, |()| panic!("a result that can't be shown"));
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        });
    }

    #[test]
    fn panics_of_all_workers_end_it() {
        within_the_time_limit(|| {
            let items = [0; 8];
            let work = |_: &i32, _: &mut Results<'_, ()>| panic!("an item that no worker survives");
            let run = || at_the_same_time(&items, 2, work, |()| true);
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        });
    }
}
