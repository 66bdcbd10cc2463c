//! The referee: counts routes by the recurrence of the non-backtracking matrix over vertices, modulo 2⁶⁴ and modulo
//! the prime 2⁶¹ − 1.
//!
//! With adjacency matrix A and degrees D, the routes of k steps by their last vertex obey
//! `p₀ = e(start)`, `p₁ = A·p₀`, `p₂ = A·p₁ − D·p₀`, `p_{k+1} = A·p_k − (D − I)·p_{k−1}`.
//!
//! Remainders need memory proportional to the map, for routes of any length. A number below 2⁶⁴ is checked exactly.
//! The lowest 64 bits of a larger number are checked exactly, and a wrong higher part is accepted with probability
//! 2⁻⁶¹.

use ikeru_core::{Deadline, Rejection, Wrong};

use super::natural::Natural;
use super::words_needed;
use crate::instance::Instance;

/// The Mersenne prime 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// A number modulo 2⁶⁴ and modulo [`PRIME`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Remainders {
    word: u64,
    prime: u64,
}

impl Remainders {
    fn of(number: &Natural) -> Self {
        let words = number.words();
        // 2⁶⁴ is 8 modulo the prime.
        let prime = words.iter().rev().fold(0_u128, |rest, word| {
            (rest * 8 + u128::from(*word)) % u128::from(PRIME)
        });
        Self {
            word: words.first().copied().unwrap_or(0),
            prime: prime as u64,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            word: self.word.wrapping_add(other.word),
            prime: (self.prime + other.prime) % PRIME,
        }
    }

    fn less(self, factor: u64, other: Self) -> Self {
        let product = u128::from(factor) * u128::from(other.prime) % u128::from(PRIME);
        Self {
            word: self.word.wrapping_sub(factor.wrapping_mul(other.word)),
            prime: (self.prime + PRIME - product as u64) % PRIME,
        }
    }
}

/// Checks the number of routes.
///
/// # Errors
/// Names the claimed number and the true one; [`Rejection::Timeout`] if the deadline passes first.
pub fn check(instance: &Instance, claimed: &Natural, deadline: Deadline) -> Result<(), Rejection> {
    let truth = routes(instance, deadline).ok_or(Rejection::Timeout)?;
    if Remainders::of(claimed) == truth && claimed.words().len() <= words_needed(instance) {
        return Ok(());
    }
    let there_are = if words_needed(instance) == 1 {
        truth.word.to_string()
    } else {
        format!(
            "{} modulo 2^61 - 1 and {} modulo 2^64",
            truth.prime, truth.word
        )
    };
    Err(Wrong(format!("{claimed} routes claimed, there are {there_are}")).into())
}

/// The number of routes; `None` if the deadline passes first.
fn routes(instance: &Instance, deadline: Deadline) -> Option<Remainders> {
    let graph = instance.map.graph.without(&instance.question.blocked);
    let mut ticker = deadline.ticker(1 << 14);
    let mut now = vec![Remainders::default(); graph.vertices()];
    let (mut before, mut next) = (now.clone(), now.clone());
    now[instance.start(0) as usize] = Remainders { word: 1, prime: 1 };
    for step in 0..instance.question.steps {
        for vertex in graph.all() {
            if ticker.passed() {
                return None;
            }
            let arriving = graph.neighbours(vertex).iter();
            let arriving = arriving.map(|other| now[*other as usize]);
            let arriving = arriving.fold(Remainders::default(), Remainders::plus);
            // A U-turn needs a step before it; only the first step had all exits.
            let degree = graph.degree(vertex) as u64;
            let returning = degree - u64::from(step >= 2 && degree > 0);
            next[vertex as usize] = arriving.less(returning, before[vertex as usize]);
        }
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    Some(
        now.into_iter()
            .fold(Remainders::default(), Remainders::plus),
    )
}
