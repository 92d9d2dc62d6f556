// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which row a span is drawn in, so that no two in a row overlap.
//!
//! The thread that boots the kernel has rows of its own, and so have the threads that worked longest beside it. Async calls
//! run on whatever worker is free: their thread says nothing, and they share rows, packed. So do the threads that are left.
//! What encloses what on a thread is [`Boot::lanes`]'; here whole stacks are moved, never torn.
use std::collections::HashMap;

use bootline_boot::{Boot, Slice, SpanKind, Track};
use bootline_capture::units::Dur;

/// The thread that runs `kernel_init`.
const BOOT_THREAD: u32 = 1;

/// Number of other threads that get rows of their own.
const OWN_THREADS: usize = 4;

/// Rows of one group. A hostile log may nest deeply; deeper spans are counted, not drawn.
const MOST_ROWS: usize = 48;

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowGroup {
    pub title: String,
    pub rows: usize,
    /// Number of spans in it without a row.
    pub not_drawn: usize,
}

/// Where a span is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowPosition {
    pub group: usize,
    pub row: usize,
}

/// The groups from top to bottom, and each span's position; none for a span without a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SpanRows {
    pub groups: Vec<RowGroup>,
    pub of: Vec<Option<RowPosition>>,
}

/// A span that nothing on its track encloses, and the spans within it.
struct SpanStack<'b> {
    task: u32,
    kind: SpanKind,
    slices: &'b [Slice],
}

impl SpanStack<'_> {
    fn from(&self) -> Dur {
        self.slices[0].from
    }
    fn to(&self) -> Dur {
        self.slices[0].to
    }
    fn height(&self) -> usize {
        self.slices.iter().map(|b| b.depth + 1).max().unwrap_or(0)
    }
}

/// A boot's spans in rows.
pub(super) fn stacks(boot: &Boot) -> SpanRows {
    let tracks = boot.tracks();
    let mut stacks: Vec<SpanStack<'_>> = tracks.iter().flat_map(|track| cut(boot, track)).collect();
    stacks.sort_by_key(SpanStack::from);
    let groups = RowGroups::of(&stacks);
    let mut free: Vec<Vec<Dur>> = vec![Vec::new(); groups.titles.len()];
    let mut not_drawn = vec![0; groups.titles.len()];
    let mut of = vec![None; boot.spans().len()];
    for stack in &stacks {
        let group = groups.holding(stack);
        let Some(base) = place(&mut free[group], stack) else {
            not_drawn[group] += stack.slices.len();
            continue;
        };
        for bar in stack.slices {
            let row = base + bar.depth;
            if row < MOST_ROWS {
                of[bar.span] = Some(RowPosition { group, row });
            } else {
                not_drawn[group] += 1;
            }
        }
    }
    let group = |(n, title): (usize, String)| RowGroup { title, rows: free[n].len(), not_drawn: not_drawn[n] };
    SpanRows { groups: groups.titles.into_iter().enumerate().map(group).collect(), of }
}

/// A track's stacks, in order.
fn cut<'b>(boot: &Boot, track: &'b Track) -> Vec<SpanStack<'b>> {
    let mut stacks = Vec::new();
    for slices in track.slices.chunk_by(|_, next| next.depth > 0) {
        stacks.push(SpanStack { task: track.task, kind: boot.spans()[slices[0].span].kind, slices });
    }
    stacks
}

/// The first row from which all rows that a stack needs are free.
fn place(free: &mut Vec<Dur>, stack: &SpanStack<'_>) -> Option<usize> {
    let height = stack.height().min(MOST_ROWS);
    let from = stack.from();
    let fits =
        |base: &usize| (*base..base + height).all(|row| free.get(row).is_none_or(|free_from| *free_from <= from));
    let base = (0..=MOST_ROWS - height).find(fits)?;
    if free.len() < base + height {
        free.resize(base + height, from);
    }
    free[base..base + height].fill(stack.to());
    Some(base)
}

/// The groups that stacks belong to.
struct RowGroups {
    titles: Vec<String>,
    boot: Option<usize>,
    threads: HashMap<u32, usize>,
    others: Option<usize>,
    async_calls: Option<usize>,
}

impl RowGroups {
    fn of(stacks: &[SpanStack<'_>]) -> RowGroups {
        let mut time: HashMap<u32, Dur> = HashMap::new();
        let (mut boots, mut any_async) = (false, false);
        for stack in stacks {
            match (stack.kind, stack.task) {
                (SpanKind::Async, _) => any_async = true,
                (_, BOOT_THREAD) => boots = true,
                (_, task) => *time.entry(task).or_default() += stack.to() - stack.from(),
            }
        }
        let mut longest: Vec<(u32, Dur)> = time.into_iter().collect();
        longest.sort_unstable_by_key(|(task, time)| (std::cmp::Reverse(*time), *task));
        let others = longest.len().saturating_sub(OWN_THREADS);
        longest.truncate(OWN_THREADS);
        longest.sort_unstable_by_key(|(task, _)| *task);
        let mut titles = Vec::new();
        let mut add = |title: String| {
            titles.push(title);
            titles.len() - 1
        };
        let boot = boots.then(|| add("boot thread".to_owned()));
        let threads = longest.iter().map(|(task, _)| (*task, add(format!("thread {task}")))).collect();
        let others = (others > 0).then(|| add(format!("{others} more threads")));
        let async_calls = any_async.then(|| add("async".to_owned()));
        RowGroups { titles, boot, threads, others, async_calls }
    }

    fn holding(&self, stack: &SpanStack<'_>) -> usize {
        let group = match (stack.kind, stack.task) {
            (SpanKind::Async, _) => self.async_calls,
            (_, BOOT_THREAD) => self.boot,
            (_, task) => self.threads.get(&task).copied().or(self.others),
        };
        group.expect("each stack was counted when the groups were made")
    }
}
