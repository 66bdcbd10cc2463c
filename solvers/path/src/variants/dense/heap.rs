//! `heap` and `dijkstra`: A* on dense arrays with a 4-ary heap of packed keys.

use std::sync::Arc;

use ikeru_core::{Deadline, OURS, Settings, Variant, choices, settings};

use super::astar::{AStar, OpenEntry, OpenQueue};
use super::board::DenseMap;
use crate::GridPath;
use crate::instance::Instance;
use crate::variants::batch::solver;
use crate::variants::finder::{Prepared, SCALED_H};

settings! {
    TIE: Tie = "tie", "low-h", "among equal f take the lowest h (low-h), the first queued (first-in), the last (last-in), or any (random: always the same one of a question)";
}

/// `heap`.
pub const HEAP: Variant<GridPath> = Variant {
    name: "heap",
    about: "A* on dense arrays: one byte of neighbours and eight of cost per cell, a 4-ary heap of packed keys, canonical steps on uniform ground",
    source: OURS,
    exact: true,
    version: 4,
    settings: settings![TIE SCALED_H],
    prepare: prepare_heap,
};

/// `dijkstra`.
pub const DIJKSTRA: Variant<GridPath> = Variant {
    name: "dijkstra",
    about: "the same arrays and heap without a heuristic: what the estimate of the rest is worth",
    source: "Dijkstra 1959, A note on two problems in connexion with graphs",
    exact: true,
    version: 4,
    settings: &[],
    prepare: prepare_dijkstra,
};

fn prepare_heap<'a>(
    instance: &'a Instance,
    settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a> {
    let board = Arc::new(DenseMap::new(instance, settings.get(&SCALED_H)?, deadline)?);
    let tie = settings.get(&TIE)?;
    Ok(solver(instance, move || AStar::new(&board, Heap::new(tie))))
}

fn prepare_dijkstra<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let mut board = DenseMap::new(instance, true, deadline)?;
    board.scale.h_straight = 0;
    board.scale.h_diagonal = 0;
    let board = Arc::new(board);
    Ok(solver(instance, move || {
        AStar::new(&board, Heap::new(Tie::LowH))
    }))
}

choices! {
    /// The tie-break between equal estimates.
    enum Tie {
        LowH = "low-h",
        FirstIn = "first-in",
        LastIn = "last-in",
        Random = "random",
    }
}

/// A 4-ary heap: half the levels of a binary heap, and four children in one cache line.
struct Heap {
    /// The keys `f << 32 | tie` with their entries, least first.
    entries: Vec<(u64, OpenEntry)>,
    tie: Tie,
    queued: u32,
}

const CHILDREN: usize = 4;

impl Heap {
    fn new(tie: Tie) -> Self {
        Self {
            entries: Vec::new(),
            tie,
            queued: 0,
        }
    }

    /// Moves the hole at the root down to the place of `entry`.
    fn sink(&mut self, entry: (u64, OpenEntry)) {
        let entries = self.entries.as_mut_slice();
        let mut hole = 0;
        loop {
            let first = CHILDREN * hole + 1;
            let end = (first + CHILDREN).min(entries.len());
            let Some(least) = (first..end).min_by_key(|child| entries[*child].0) else {
                break;
            };
            if entries[least].0 >= entry.0 {
                break;
            }
            entries[hole] = entries[least];
            hole = least;
        }
        entries[hole] = entry;
    }
}

/// A pseudo-random permutation of 32-bit numbers: the final steps of MurmurHash3.
fn scrambled(number: u32) -> u32 {
    let number = (number ^ number >> 16).wrapping_mul(0x85eb_ca6b);
    let number = (number ^ number >> 13).wrapping_mul(0xc2b2_ae35);
    number ^ number >> 16
}

impl OpenQueue for Heap {
    fn clear(&mut self, _f: u32) {
        self.entries.clear();
        self.queued = 0;
    }

    #[inline]
    fn push(&mut self, f: u32, h: u32, entry: OpenEntry) {
        self.queued = self.queued.wrapping_add(1);
        let tie = match self.tie {
            Tie::LowH => h,
            Tie::FirstIn => self.queued,
            Tie::LastIn => !self.queued,
            Tie::Random => scrambled(self.queued),
        };
        let new = (u64::from(f) << 32 | u64::from(tie), entry);
        let mut hole = self.entries.len();
        self.entries.push(new);
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if self.entries[parent].0 <= new.0 {
                break;
            }
            self.entries[hole] = self.entries[parent];
            hole = parent;
        }
        self.entries[hole] = new;
    }

    #[inline]
    fn pop(&mut self, best: u32) -> Option<OpenEntry> {
        let &(key, entry) = self.entries.first()?;
        if key >> 32 >= u64::from(best) {
            return None;
        }
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.sink(last);
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::Random;

    #[test]
    fn entries_come_out_in_order() {
        let mut random = Random::new("heap order", 1);
        let mut heap = Heap::new(Tie::LowH);
        let mut keys: Vec<(u32, u32)> = (0..500)
            .map(|_| (random.below(40) as u32, random.below(40) as u32))
            .collect();
        for (f, h) in &keys {
            heap.push(*f, *h, OpenEntry { place: *f, g: *h });
        }
        keys.sort_unstable();
        let popped = std::iter::from_fn(|| heap.pop(u32::MAX));
        let order: Vec<(u32, u32)> = popped.map(|entry| (entry.place, entry.g)).collect();
        assert_eq!(order, keys);
    }
}
