//! Plays games of one player: a policy places the pieces of a sequence.

use ikeru_chain::{AboveTop, Board, Chain, LossRule, Piece, Placement, resolve};

use crate::matching::TemplateTarget;
use crate::policy::{Policy, PolicyWork, View};

/// The rules of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameRules {
    /// Pieces that a policy sees, the one to place included.
    pub visible: usize,
    /// Placements after which the game ends.
    pub moves: usize,
    /// Colours in the sequence.
    pub colours: usize,
    /// The rule for losing a game.
    pub loss: LossRule,
    /// The rule for puyos above the top row.
    pub above_top: AboveTop,
}

/// The reason why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The policy fired.
    Fired,
    /// A template was completed.
    Completed,
    /// The loss rule applied, or the policy found no legal placement.
    Lost,
    /// The limit of moves, or the end of the sequence.
    Over,
    /// The deadline passed.
    Stopped,
}

/// A game as played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The placement of each piece.
    pub placements: Vec<Placement>,
    /// The chain with the largest attack, and the move that started it, from 1.
    pub best: (Chain, usize),
    /// The reason why it ended.
    pub end: End,
}

/// Plays one game on `pieces` from `board`, until the policy fires or `target` is met. When the deadline of `work`
/// passes, the game ends at once and the late decision is not played.
pub fn play(
    policy: &mut dyn Policy,
    mut board: Board,
    pieces: &[Piece],
    rules: &GameRules,
    target: Option<&TemplateTarget>,
    work: &mut PolicyWork,
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
        if rules.loss.is_lost(&board, visible[0], rules.above_top) {
            game.end = End::Lost;
            break;
        }
        let view = View {
            board: &board,
            pieces: visible,
            turn,
            colours: rules.colours,
            above_top: rules.above_top,
        };
        let decision = policy.choose(&view, work);
        if work.check_deadline().is_err() {
            game.end = End::Stopped;
            break;
        }
        let Some(decision) = decision else {
            game.end = End::Lost;
            break;
        };
        game.placements.push(decision.placement);
        board.place_in_part(visible[0], decision.placement);
        let before = target.is_some_and(|target| target.is_met_before(&board));
        let chain = resolve(&mut board);
        if chain.attack > game.best.0.attack || chain.steps > 0 && game.best.0.steps == 0 {
            game.best = (chain, turn + 1);
        }
        if before || target.is_some_and(|target| target.is_met_after(&board)) {
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
