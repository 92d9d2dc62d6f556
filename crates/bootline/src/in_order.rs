// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work on several items at the same time, whose results are taken in the order of the items.
use std::num::NonZeroUsize;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Results of an item that may wait for its turn; work on it then waits, too. This bounds the memory.
const WAITING: usize = 4;

/// Items for each processor that are begun before the first of them has been taken; their results wait in memory.
const AHEAD: usize = 2;

/// Takes the results of an item.
pub struct Results<'s, R>(&'s mut dyn FnMut(R) -> bool);

impl<R> Results<'_, R> {
    /// Adds a result; false if nobody wants more.
    pub fn send(&mut self, result: R) -> bool {
        (self.0)(result)
    }
}

/// Works on all items, on all processors, and gives their results to `take`, which returns false to end it.
pub fn run<T: Sync, R: Send>(items: &[T], work: impl Fn(&T, &mut Results<'_, R>) + Sync, take: impl FnMut(R) -> bool) {
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

fn at_the_same_time<T: Sync, R: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T, &mut Results<'_, R>) + Sync,
    mut take: impl FnMut(R) -> bool,
) {
    let (senders, receivers): (Vec<_>, Vec<_>) = items.iter().map(|_| sync_channel(WAITING)).unzip();
    // The workers' alone: if all of them panic, the results of what is left come to their ends.
    let queue = Arc::new(Mutex::new(items.iter().zip(senders)));
    let (begun, taken) = sync_channel(AHEAD * workers);
    let work = &work;
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            let (queue, begun) = (Arc::clone(&queue), begun.clone());
            scope.spawn(move || {
                // First the turn, then the item: whoever has the first item never waits for another's.
                while begun.send(()).is_ok() {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((item, sender)) = next else { return };
                    work(item, &mut Results(&mut |result| sender.send(result).is_ok()));
                }
            });
        }
        drop((queue, begun));
        for results in receivers {
            if !results.iter().all(&mut take) {
                // Before the results go: their worker must not begin another item.
                drop(taken);
                return;
            }
            if taken.recv().is_err() {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_come_in_the_order_of_the_items() {
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
    }

    #[test]
    fn whoever_wants_no_more_ends_it() {
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
    }

    #[test]
    fn items_that_wait_are_bounded() {
        let items: Vec<usize> = (0..100).collect();
        let (workers, begun, taken) = (4, AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |_: &usize, results: &mut Results<'_, ()>| {
            let begun = begun.fetch_add(1, Ordering::Relaxed) + 1;
            // Those being taken, those that wait, and one more that each worker holds.
            assert!(begun <= taken.load(Ordering::Relaxed) + (AHEAD + 1) * workers + 1);
            results.send(());
        };
        let take = |()| {
            thread::yield_now();
            taken.fetch_add(1, Ordering::Relaxed);
            true
        };
        at_the_same_time(&items, workers, work, take);
        assert_eq!(taken.into_inner(), items.len());
    }

    #[test]
    fn panics_of_all_workers_end_it() {
        let items = [0; 8];
        let work = |_: &i32, _: &mut Results<'_, ()>| panic!("an item that no worker survives");
        let run = || at_the_same_time(&items, 2, work, |()| true);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}
