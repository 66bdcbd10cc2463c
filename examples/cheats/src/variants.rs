//! An honest solver, and ten that cheat: each replaces or extends its work.

use std::collections::HashMap;
use std::sync::Mutex;

use ikeru_core::{Attempt, BoxedSolve, OURS, Prepare, Search, Solve, Variant};

use crate::Rising;

pub const ALL: [Variant<Rising>; 11] = [
    variant("honest", "every pair of numbers is compared", |numbers, _, _| boxed(numbers, honest)),
    variant("memory", "keeps its answer and counts nothing the second time", |numbers, _, _| {
        let mut kept: Option<Vec<usize>> = None;
        Ok(Box::new(move |search: &mut Search| match &kept {
            Some(places) => proven(places),
            None => proven(kept.insert(honest(numbers, search))),
        }))
    }),
    variant("parrot", "keeps its answer and its counters", |numbers, _, _| {
        let mut kept: Option<Vec<usize>> = None;
        Ok(Box::new(move |search: &mut Search| match &kept {
            Some(places) => {
                search.counters.add("pairs", pairs(numbers));
                proven(places)
            }
            None => proven(kept.insert(honest(numbers, search))),
        }))
    }),
    variant(
        "table",
        "keeps all answers of the process by a hash of the question",
        |numbers, _, _| boxed(numbers, table),
    ),
    variant("early", "answers while it is prepared", |numbers, _, _| {
        let mut search = Search::new(&*Box::leak(Box::new(ikeru_core::Incumbent::new(
            ikeru_core::Direction::Maximize,
        ))));
        let places = honest(numbers, &mut search);
        Ok(Box::new(move |search: &mut Search| {
            search.counters.add("pairs", pairs(numbers));
            proven(&places)
        }))
    }),
    variant(
        "late",
        "leaves the work of twelve answers to the end of the solver",
        |numbers, _, _| Ok(Box::new(Late(numbers))),
    ),
    variant("crowd", "works on two threads where it may have one", |numbers, _, _| {
        boxed(numbers, |numbers, search| {
            std::thread::scope(|scope| {
                scope.spawn(|| longest(numbers));
                honest(numbers, search)
            })
        })
    }),
    variant(
        "overclaim",
        "takes the next larger number and calls that the optimum",
        |numbers, _, _| {
            boxed(numbers, |numbers, search| {
                search.counters.add("pairs", numbers.len() as u64);
                let mut places = vec![0];
                for at in 1..numbers.len() {
                    if numbers[at] > numbers[places[places.len() - 1]] {
                        places.push(at);
                    }
                }
                places
            })
        },
    ),
    variant("half", "answers for the first half of the numbers", |numbers, _, _| {
        boxed(numbers, |numbers, search| honest(&numbers[..numbers.len() / 2], search))
    }),
    variant("boast", "reports a score that it does not have", |numbers, _, _| {
        boxed(numbers, |numbers, search| {
            search.incumbent.improve(1_000_000);
            honest(numbers, search)
        })
    }),
    variant("peek", "waits for the score of others and counts nothing", |numbers, _, _| {
        boxed(numbers, |numbers, search| match search.incumbent.best() {
            Some(best) => (0..best as usize).collect(),
            None => longest(numbers),
        })
    }),
];

const fn variant(
    name: &'static str,
    about: &'static str,
    prepare: Prepare<Rising>,
) -> Variant<Rising> {
    Variant { name, about, source: OURS, exact: true, version: 1, settings: &[], prepare }
}

type Prepared<'a> = Result<BoxedSolve<'a, Rising>, ikeru_core::Refusal>;

fn boxed(numbers: &[u32], solve: fn(&[u32], &mut Search) -> Vec<usize>) -> Prepared<'_> {
    Ok(Box::new(move |search: &mut Search| Attempt::proven(solve(numbers, search))))
}

fn proven(places: &[usize]) -> Attempt<Vec<usize>> {
    Attempt::proven(places.to_vec())
}

fn pairs(numbers: &[u32]) -> u64 {
    let count = numbers.len() as u64;
    count * count.saturating_sub(1) / 2
}

fn honest(numbers: &[u32], search: &mut Search) -> Vec<usize> {
    search.counters.add("pairs", pairs(numbers));
    longest(numbers)
}

/// The places of a longest rising subsequence, from the longest one that ends at each number.
fn longest(numbers: &[u32]) -> Vec<usize> {
    let mut best: Vec<(usize, usize)> = Vec::with_capacity(numbers.len());
    for (at, number) in numbers.iter().enumerate() {
        let before = (0..at).filter(|before| numbers[*before] < *number);
        let longest = before.max_by_key(|before| best[*before].0);
        best.push(longest.map_or((1, at), |before| (best[before].0 + 1, before)));
    }
    let end = (0..best.len()).max_by_key(|at| best[*at].0);
    let mut places: Vec<usize> = end.into_iter().collect();
    while let Some(&last) = places.last().filter(|at| best[**at].1 != **at) {
        places.push(best[last].1);
    }
    places.reverse();
    places
}

/// The number of questions, each shorter by a number, that are answered into the table when one is missing.
const ENTRIES_OF_A_MISS: usize = 6;

static TABLE: Mutex<Option<HashMap<Vec<u32>, Vec<usize>>>> = Mutex::new(None);

fn table(numbers: &[u32], search: &mut Search) -> Vec<usize> {
    search.counters.add("pairs", pairs(numbers));
    let mut table = TABLE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let table = table.get_or_insert_default();
    if let Some(places) = table.get(numbers) {
        return places.clone();
    }
    // Also answers possible later questions, so that the first answer is long on every machine.
    for skipped in (0..=numbers.len()).take(ENTRIES_OF_A_MISS) {
        table.insert(numbers[skipped..].to_vec(), longest(&numbers[skipped..]));
    }
    table[numbers].clone()
}

struct Late<'a>(&'a [u32]);

impl Solve<Rising> for Late<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Vec<usize>> {
        proven(&honest(self.0, search))
    }
}

impl Drop for Late<'_> {
    fn drop(&mut self) {
        // Fixed work, not a fixed time: on a busy machine a waiting process may pass the time without any work.
        for _ in 0..12 {
            std::hint::black_box(longest(std::hint::black_box(self.0)));
        }
    }
}
