//! Instances and answers: a position with its objective, and the best chain found.

use std::sync::Arc;

use ikeru_chain::firing::check_stable;
use ikeru_chain::format::{Alphabet, Sections, numbered, write_field, write_pieces};
use ikeru_chain::generate::{COLOURS, HEIGHT, WIDTH};
use ikeru_chain::record::{GameRecord, Pieces, Replay};
use ikeru_chain::{
    AboveTop, Board, Chain, LossRule, Piece, PieceSequence, Placement, Size, generate,
};
use ikeru_core::{
    Generator, InputError, Random, Score, Settings, Wrong, choices, refuse, settings,
};

use crate::Deep;

/// A stable field, the pieces to come, and the objective.
#[derive(Debug, Clone)]
pub struct Position {
    /// The board, with no group of four on it.
    pub field: Board,
    /// The pieces to come.
    pub pieces: Arc<[Piece]>,
    /// The number of pieces that may be placed.
    pub depth: usize,
    /// The objective by which chains are compared.
    pub objective: Objective,
    /// The letters of the file, which answers use too.
    pub letters: Alphabet,
}

choices! {
    /// The measure by which one chain is better than another.
    pub enum Objective {
        /// More steps.
        Chains = "chains",
        /// More attack by formula 6.1.
        Attack = "attack",
    }
}

impl Objective {
    /// The value of a chain.
    #[inline]
    pub fn value(self, chain: Chain) -> Score {
        Score::from(match self {
            Self::Chains => chain.steps,
            Self::Attack => chain.attack,
        })
    }
}

/// The best chain found; the last of the placements sets it off. There are no placements if no chain has a value
/// above 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize)]
pub struct Found {
    /// The steps or the attack of the chain.
    pub value: Score,
    /// The placements of the pieces, in order.
    pub placements: Vec<Placement>,
}

settings! {
    pub(crate) OBJECTIVE: Objective = "goal", "attack", "what is best: the chains (steps) or the attack of a single chain";
    pub(crate) DEPTH: Option<i64> = "depth", 1..=i64::MAX, "how many of the known pieces may be placed; all if not given";
    STONES: usize = "stones", 30, 0..=Size::MAX_WIDTH * Size::MAX_HEIGHT, "puyos on the board";
    PIECES: usize = "pieces", 4, 1..=16, "known pieces";
}

impl Position {
    fn new(field: Board, pieces: Vec<Piece>) -> Self {
        Self {
            field,
            depth: pieces.len(),
            pieces: pieces.into(),
            objective: Objective::Attack,
            letters: Alphabet::default(),
        }
    }

    pub(crate) fn read(text: &str) -> Result<Self, InputError> {
        let sections = Sections::of(numbered(text), &["pieces"])?;
        sections.check_keys(&["board", "pieces"])?;
        let field = sections.field()?;
        check_stable(&field)?;
        let entry = sections.entry("pieces")?.ok_or_else(|| {
            InputError::new("no `pieces:`, expected the known pieces as in `pieces: RG BB`")
        })?;
        let pieces = sections.pieces(entry)?;
        if pieces.is_empty() {
            refuse!(entry.line, "no pieces, expected at least one");
        }
        Ok(Self {
            letters: sections.alphabet(),
            ..Self::new(field, pieces)
        })
    }

    pub(crate) fn write(&self) -> String {
        let pieces = self.letters.written(&write_pieces(&self.pieces));
        let field = self.letters.written(&write_field(&self.field));
        format!("{field}pieces: {pieces}\n")
    }

    pub(crate) fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        settings.change(&OBJECTIVE, &mut asked.objective)?;
        if let Some(depth) = settings.get(&DEPTH)? {
            let known = self.pieces.len();
            asked.depth = usize::try_from(depth).unwrap_or(usize::MAX);
            if asked.depth > known {
                refuse!(
                    "setting `depth` is {depth}, expected at most {known}: no more pieces are known"
                );
            }
        }
        Ok(asked)
    }

    /// Replays `answer` by the rules of games.
    pub(crate) fn replay(&self, answer: &Found) -> Result<Replay, Wrong> {
        let record = GameRecord {
            start: self.field,
            pieces: Pieces::Listed(self.pieces.to_vec()),
            loss: LossRule::NoPlacement,
            above_top: AboveTop::Illegal,
            placements: answer.placements.clone(),
            letters: self.letters,
        };
        record
            .replay()
            .map_err(|illegal| Wrong(illegal.to_string()))
    }
}

pub(crate) const GENERATOR: Generator<Deep> = Generator {
    name: "deep.random",
    about: "A stable field of random puyos, and random pieces.",
    parameters: settings![STONES PIECES COLOURS WIDTH HEIGHT],
    generate: random_position,
};

fn random_position(parameters: &Settings, random: &mut Random) -> Result<Position, InputError> {
    let size = generate::board_size(parameters)?;
    let colours = parameters.get(&COLOURS)?;
    let stones = parameters.get(&STONES.within(0..=size.cells() as i64))?;
    let pieces = parameters.get(&PIECES)?;
    let field = generate::stable_field(random, size, stones, colours)?;
    let sequence = PieceSequence::from_random(random.clone(), colours);
    Ok(Position::new(field, sequence.take(pieces).collect()))
}
