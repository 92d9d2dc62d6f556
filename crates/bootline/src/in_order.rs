// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work on several items at the same time, whose results are taken in the order of the items.
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Results of an item that may wait for its turn; work on it then waits, too. This bounds the memory.
const WAITING: usize = 4;

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
    type End<R> = Mutex<Option<SyncSender<R>>>;
    let channel = |_: &T| {
        let (sender, receiver) = sync_channel(WAITING);
        (Mutex::new(Some(sender)), receiver)
    };
    let (senders, receivers): (Vec<End<R>>, Vec<Receiver<R>>) = items.iter().map(channel).unzip();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(item), Some(sender)) = (items.get(at), senders.get(at)) else { return };
                    let Some(sender) = sender.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
                    work(item, &mut Results(&mut |result| sender.send(result).is_ok()));
                }
            });
        }
        // The first item's worker never waits for another's, so all come to their ends.
        let goes_on = receivers.iter().all(|results| results.iter().all(&mut take));
        if !goes_on {
            next.store(items.len(), Ordering::Relaxed);
        }
        // Whoever still works learns here that nobody wants more.
        drop(receivers);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
