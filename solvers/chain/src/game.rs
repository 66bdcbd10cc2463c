//! Games of one player: a policy, a sequence, a record of placements.

use crate::board::Board;
use crate::matching::Matcher;
use crate::placement::{LossRule, Piece, Placement};
use crate::policy::template::Completion;
use crate::policy::{Policy, View, Work};
use crate::simulate::{Chain, resolve};
use crate::templates::criterion::Criterion;

/// The rules of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Pieces that a policy sees, the one to place included.
    pub visible: usize,
    /// Placements after which the game ends.
    pub moves: usize,
    /// Colours in the sequence.
    pub colours: usize,
    /// When a game is lost.
    pub loss: LossRule,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The policy fired.
    Fired,
    /// A template was completed.
    Completed,
    /// No legal placement was left, or whatever the loss rule says.
    Lost,
    /// The limit of moves, or the end of the sequence.
    Over,
    /// The deadline passed.
    Stopped,
}

/// A game as played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Where each piece went.
    pub placements: Vec<Placement>,
    /// The chain with the largest attack, and the move that started it, from 1.
    pub best: (Chain, usize),
    /// How it ended.
    pub end: End,
}

/// What ends a game besides firing.
pub struct Goal<'a> {
    /// The templates to complete.
    pub matcher: &'a Matcher,
    /// When they count as completed.
    pub completion: Completion,
}

impl Goal<'_> {
    fn reached(&self, board: &Board, criterion: Option<Criterion>) -> bool {
        criterion.is_some_and(|criterion| self.matcher.completed(board, criterion) != 0)
    }
}

/// Plays one game on `pieces` from `board`; `stop` is asked after every decision. Where it says so the game ends
/// as it stands: a decision that was late counts for nothing.
pub fn play(
    policy: &mut dyn Policy,
    mut board: Board,
    pieces: &[Piece],
    rules: &Rules,
    goal: Option<&Goal>,
    work: &mut Work,
    mut stop: impl FnMut() -> bool,
) -> Game {
    policy.restart();
    let mut game = Game {
        placements: Vec::new(),
        best: (Chain::default(), 0),
        end: End::Over,
    };
    while game.placements.len() < rules.moves.min(pieces.len()) {
        let turn = game.placements.len();
        let visible = &pieces[turn..pieces.len().min(turn + rules.visible)];
        if rules.loss.is_lost(&board, visible[0]) {
            game.end = End::Lost;
            break;
        }
        let view = View {
            board: &board,
            pieces: visible,
            turn,
            colours: rules.colours,
        };
        let decision = policy.choose(&view, work);
        if stop() {
            game.end = End::Stopped;
            break;
        }
        let Some(decision) = decision else {
            game.end = End::Lost;
            break;
        };
        game.placements.push(decision.placement);
        board.place(visible[0], decision.placement);
        let before = goal.is_some_and(|goal| goal.reached(&board, goal.completion.before()));
        let chain = resolve(&mut board);
        if chain.attack > game.best.0.attack || chain.steps > 0 && game.best.0.steps == 0 {
            game.best = (chain, turn + 1);
        }
        if before || goal.is_some_and(|goal| goal.reached(&board, Some(goal.completion.after()))) {
            game.end = End::Completed;
            break;
        }
        if decision.fires {
            game.end = End::Fired;
            break;
        }
    }
    game
}
