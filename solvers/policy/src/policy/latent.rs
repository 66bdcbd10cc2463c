//! The evaluation of a board by its best latent chain, by the board that this chain leaves, and by the shape of the
//! board.
//!
//! A chain is latent if one or two puyos of one colour, dropped on one column, complete a group and so start it. The
//! dropped puyos vanish with the group, so the chain depends only on the group. Each group is fired once, even if it
//! can be completed in several columns.

use ikeru_chain::simulate::{LatentChain, Simulator, Trigger};
use ikeru_chain::{Board, Chain};

use super::PolicyWork;

/// The heuristic value of a chain of N steps: the attack of N groups of four. More puyos in a step would raise the
/// attack, but they could not be used to lengthen the chain.
pub(super) fn heuristic_value(chain: Chain) -> u32 {
    3 * chain.steps * chain.steps.saturating_sub(1)
}

/// The heuristic value that a latent chain loses if it needs a second puyo.
const MISSING_COST: u32 = 4;
/// Shape points for each point of [`heuristic_value`].
pub(super) const SHAPE: i32 = 16;
/// Shape points for each pair of equal neighbours.
const CONTACT: i32 = 16;
/// Shape points for each such pair on the board that the latent chain leaves: the chain may be extended there.
const CONTACT_LEFT: i32 = 40;
/// The shape points lost for each unit of [`unevenness`].
const UNEVEN: i32 = 12;
/// The rows by which the columns at the walls should exceed the mean height.
const WALL: i32 = 2;

/// Evaluates boards. The latent chains of several boards are simulated together.
///
/// PERF: with chains fired one by one and triggers found by portable code, a game of `beam` takes 1.33 times as long
/// (CPU time, two games of 36x6x4, interleaved).
#[derive(Default)]
pub(super) struct Evaluator {
    /// The boards to evaluate.
    pub(super) boards: Vec<Board>,
    triggers: Vec<Trigger>,
    /// The chain of each trigger.
    fired: Vec<LatentChain>,
}

impl Evaluator {
    /// The evaluations of the boards in a game of the first `colours` colours, in shape points.
    pub(super) fn evaluate(
        &mut self,
        colours: usize,
        work: &mut PolicyWork,
    ) -> impl Iterator<Item = i32> {
        let simulator = Simulator::fastest();
        self.triggers.clear();
        (simulator.triggers)(&self.boards, colours, &mut self.triggers);
        work.chains += self.triggers.len() as u64;
        (simulator.fire_each)(&self.boards, &self.triggers, &mut self.fired);
        let mut fired = self.triggers.iter().zip(&self.fired).peekable();
        (0..).zip(&self.boards).map(move |(at, board)| {
            let (mut best, mut left) = (0, board.planes());
            while let Some((trigger, latent)) = fired.next_if(|(trigger, _)| trigger.board == at) {
                let value = heuristic_value(latent.chain);
                let value = value.saturating_sub(MISSING_COST * (trigger.missing - 1));
                if value > best {
                    (best, left) = (value, &latent.left);
                }
            }
            let left = match best {
                0 => 0,
                _ => CONTACT_LEFT * (simulator.contacts)(left) as i32,
            };
            SHAPE * best as i32 + CONTACT * (simulator.contacts)(board.planes()) as i32 + left
                - UNEVEN * unevenness(board)
        })
    }
}

/// The largest attack that one or two puyos of any of the first `colours` colours, dropped on one column, start on
/// `board`.
pub(super) fn largest_attack(board: &Board, colours: usize, work: &mut PolicyWork) -> u32 {
    let mut found = Vec::new();
    let simulator = Simulator::fastest();
    (simulator.triggers)(std::slice::from_ref(board), colours, &mut found);
    work.chains += found.len() as u64;
    let attacks = found
        .iter()
        .map(|trigger| (simulator.fire)(board, trigger.group).1.attack);
    attacks.max().unwrap_or(0)
}

/// The sum over the columns of the squared difference between actual and desired height.
fn unevenness(board: &Board) -> i32 {
    let heights = &board.heights()[..board.size().width()];
    let mean = heights.iter().map(|&h| i32::from(h)).sum::<i32>() / heights.len() as i32;
    let last = heights.len() - 1;
    let squares = heights.iter().enumerate().map(|(column, &height)| {
        let wall = if column == 0 || column == last {
            WALL
        } else {
            0
        };
        (i32::from(height) - mean - wall).pow(2)
    });
    squares.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latent_chain_and_what_it_leaves_raise_the_evaluation() {
        let value = |text: &str| {
            let board = ikeru_chain::format::read_field(text).expect("a field");
            let (mut evaluator, mut work) = (Evaluator::default(), PolicyWork::default());
            evaluator.boards.push(board);
            let mut values = evaluator.evaluate(4, &mut work);
            values.next().expect("a value")
        };
        let two_steps = value("G.....\nRRR...\nGGG...\n");
        let one_step = value("Y.....\nRRR...\nGGG...\n");
        assert!(two_steps > one_step, "{two_steps} and {one_step}");
        let joined = value("G.....\nRRR...\nGGG.BB\n");
        let apart = value("G.....\nRRR...\nGGG.BY\n");
        assert_eq!(joined - apart, CONTACT + CONTACT_LEFT);
    }
}
