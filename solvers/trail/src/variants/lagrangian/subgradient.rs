//! The subgradient method: Polyak's step with a step-halving rule.

use super::relaxation::{Relaxation, fill};
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{contains, edges_of};

/// The step-halving rule: iterations without a better bound after which the step factor is halved.
// PERF: 8 takes 1.15 times the T-joins of 12x12 boards, 1.0 of 5x7 to 10x10 boards (four factors, example `proofs`).
const HALVING_INTERVAL: u32 = 4;
/// The factors of the first step: while the order of factors is open, and when it is decided.
// PERF: they aim beyond the target, because the bound is not linear. With 1 for both and half of the previous
// direction, 5x7, 7x7 and 8x8 boards take 1.16 times the T-joins, 10x10 boards 1.06, and 12x12 boards 0.98. These boards were
// not used to choose the factors (example `proofs`).
const FIRST_STEP: [f32; 2] = [1.2, 1.4];
/// The weight of the previous direction in the next one.
const DEFLECTION: f32 = 0.35;

/// The state of the subgradient method at one node.
#[derive(Debug, Default)]
pub struct Subgradient {
    /// The lowest bound so far.
    pub lowest: i64,
    /// The coupling multipliers of the lowest bound; those of the cuts are stored with the cuts.
    pub multipliers: Vec<f32>,
    /// The factor of Polyak's step.
    step_factor: f32,
    /// Iterations since the lowest bound last fell or the step factor was halved.
    waited: u32,
    /// The last direction of the multipliers.
    direction: Vec<f32>,
    /// The slack of every cut.
    slacks: Vec<f32>,
}

impl Subgradient {
    /// Resets the state before the first bound of a node; `complete` is true if its order of factors is decided.
    pub fn renew(&mut self, edges: usize, complete: bool) {
        self.lowest = i64::MAX;
        (self.step_factor, self.waited) = (FIRST_STEP[usize::from(complete)], 0);
        fill(&mut self.direction, edges, 0.0);
    }

    /// Bytes of the state.
    pub fn bytes(&self) -> usize {
        let numbers = self.multipliers.len() + self.direction.len() + self.slacks.len();
        numbers * size_of::<f32>()
    }

    /// Records a bound; halves the step factor if the lowest bound has not fallen for `HALVING_INTERVAL` iterations.
    pub fn record<C>(&mut self, bound: i64, relaxation: &mut Relaxation<C>) {
        if bound < self.lowest {
            self.lowest = bound;
            self.waited = 0;
            self.multipliers.clone_from(&relaxation.multipliers);
            for cut in &mut relaxation.cuts {
                cut.at_lowest = cut.multiplier;
            }
            return;
        }
        self.waited += 1;
        if self.waited == HALVING_INTERVAL {
            self.waited = 0;
            self.step_factor *= 0.5;
        }
    }

    /// Takes Polyak's step along the deflected subgradient, the violations plus a part of the previous direction. A
    /// linear bound would fall from `excess` above the target to `1 − step_factor` of it. Returns false if the
    /// direction is zero.
    pub fn step<C: EdgeCost>(&mut self, relaxation: &mut Relaxation<C>, excess: f32) -> bool {
        let direction = self.direction.as_mut_slice();
        for change in &mut *direction {
            *change *= DEFLECTION;
        }
        if relaxation.is_coupled() {
            // PERF: most edges of the union are in one segment, and their direction does not change.
            for (joined, word) in relaxation.joined.iter().zip(0..) {
                let direction = &mut direction[64 * word..];
                let mut turn = |set: u64, by: f32| {
                    edges_of(&[set]).for_each(|edge| direction[usize::from(edge)] += by);
                };
                let mut left = *joined;
                for solution in relaxation.solutions() {
                    turn(solution[word] & !left, 1.0);
                    left &= !solution[word];
                }
                turn(left, -1.0);
            }
            for edge in relaxation.segments.iter().flat_map(|one| &one.passed) {
                direction[usize::from(*edge)] -= 1.0;
            }
            // The segment after an undirected edge has the multiplier with the other sign.
            for (segment, solution) in relaxation.segments.iter().zip(relaxation.solutions()) {
                if let Some(edge) = segment.undirected.filter(|edge| contains(solution, *edge)) {
                    direction[usize::from(edge)] -= 2.0;
                }
            }
        }
        self.measure_cuts(relaxation);
        let norm = squares(&self.direction) + squares(&self.slacks);
        if norm == 0.0 {
            return false;
        }
        let length = self.step_factor * excess / norm;
        let quarter = (C::LIMIT / 4) as f32;
        let highest = quarter / relaxation.multipliers.len() as f32;
        for (multiplier, change) in relaxation.multipliers.iter_mut().zip(&self.direction) {
            *multiplier = (*multiplier + length * change).clamp(-highest, highest);
        }
        let cuts = &mut relaxation.cuts;
        let crossed: usize = cuts.iter().map(|cut| cut.boundary.len() + 2).sum();
        let highest = quarter / crossed.max(1) as f32;
        for (cut, slack) in cuts.iter_mut().zip(&self.slacks) {
            cut.multiplier = (cut.multiplier - length * slack).clamp(0.0, highest);
        }
        true
    }

    /// The slack of every cut; a positive slack counts as 0 if the multiplier is 0 already.
    fn measure_cuts<C: EdgeCost>(&mut self, relaxation: &Relaxation<C>) {
        self.slacks.clear();
        self.slacks.extend(relaxation.cuts.iter().map(|cut| {
            let slack = cut.slack(relaxation.solution(cut.segment.into()));
            slack.min(if cut.multiplier == 0.0 { 0 } else { slack }) as f32
        }));
    }
}

/// The sum of the squares, as eight independent partial sums.
fn squares(numbers: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut add = |part: &[f32]| {
        let parts = sums.iter_mut().zip(part);
        parts.for_each(|(sum, number)| *sum += number * number);
    };
    eights.iter().for_each(|eight| add(eight));
    add(rest);
    sums.iter().sum()
}
