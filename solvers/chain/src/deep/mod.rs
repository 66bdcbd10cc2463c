//! The problem `deep`: the exact best chain within the next few known pieces.
//!
//! The value of an instance is the most attack (or the most steps) that a single chain can have
//! which one of the next `depth` pieces sets off, whatever vanishes before it. The witness is the
//! list of placements up to the one that fires.
//!
//! | module | owns |
//! |---|---|
//! | [`search`] | the depth-first search, each idea a const parameter |
//! | [`bound`] | what no chain of the puyos at hand can exceed |
//! | [`table`] | boards already searched |
//! | [`trigger`] | which placements of the last piece can set anything off |
//! | [`parallel`] | the same search by several threads |
//! | [`variants`] | the ladder from enumeration to the parallel search |

pub mod bound;
pub mod parallel;
pub mod search;
pub mod table;
pub mod trigger;
pub mod variants;

use std::sync::Arc;

use ikeru_core::{
    Better, Checked, Deadline, Direction, Generator, InputError, Measure, Picture, Problem, Random,
    Rejection, Score, Setting, Settings, Variant, Wrong, read_json,
};
use serde_json::{Value as Json, json};

use crate::board::Board;
use crate::format::{Sections, numbered, write_field, write_pieces};
use crate::generate;
use crate::placement::{LossRule, Piece, Placement};
use crate::record::{GameRecord, Pieces, Replay};
use crate::referee::Firing;
use crate::sequence::Sequence;
use crate::simulate::Chain;
use crate::simulation::{COLOURS, HEIGHT, WIDTH, read_colours, read_size};

/// The problem `deep`.
#[derive(Debug, Clone, Copy)]
pub struct Deep;

/// A stable field, the pieces to come, and what is looked for.
#[derive(Debug, Clone)]
pub struct Position {
    /// The board, with no group of four on it.
    pub field: Board,
    /// The pieces to come.
    pub pieces: Arc<[Piece]>,
    /// How many of them may be placed.
    pub depth: usize,
    /// What is best.
    pub goal: Goal,
}

/// What makes one chain better than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// More steps.
    Chains,
    /// More attack by formula 6.1.
    Attack,
}

impl Goal {
    const NAMES: [&'static str; 2] = ["chains", "attack"];

    /// The value of a chain.
    #[inline]
    #[must_use]
    pub fn value(self, chain: Chain) -> Score {
        Score::from(match self {
            Self::Chains => chain.steps,
            Self::Attack => chain.attack,
        })
    }
}

/// The best chain found: the last of these placements sets it off. No placements if nothing can
/// vanish.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Steps or attack.
    pub value: Score,
    /// Where the pieces go, in order.
    pub placements: Vec<Placement>,
}

const GOAL: Setting = Setting {
    name: "goal",
    default: "attack",
    about: "what is best: the chains (steps) or the attack of a single chain",
};
const DEPTH: Setting = Setting {
    name: "depth",
    default: "",
    about: "how many of the known pieces may be placed, from 1; all if not given",
};
const STONES: Setting = Setting {
    name: "stones",
    default: "30",
    about: "puyos on the board, from 0",
};
const PIECES: Setting = Setting {
    name: "pieces",
    default: "4",
    about: "known pieces, from 1 to 16",
};

impl Position {
    fn new(field: Board, pieces: Vec<Piece>) -> Self {
        Self {
            field,
            depth: pieces.len(),
            pieces: pieces.into(),
            goal: Goal::Attack,
        }
    }

    fn replay(&self, answer: &Found) -> Result<Replay, Wrong> {
        let record = GameRecord {
            start: self.field,
            pieces: Pieces::Listed(self.pieces.to_vec()),
            loss: LossRule::NoPlacement,
            placements: answer.placements.clone(),
        };
        record
            .replay()
            .map_err(|illegal| Wrong(illegal.to_string()))
    }
}

impl Problem for Deep {
    const NAME: &'static str = "deep";
    const ABOUT: &'static str =
        "The best Puyo chain that the next known pieces can set off, exactly.";
    const DIRECTION: Direction = Direction::Maximize;
    type Instance = Position;
    type Answer = Found;

    fn variants() -> &'static [Variant<Self>] {
        variants::VARIANTS
    }

    fn default_variant(_: &Position) -> &'static str {
        "parallel"
    }

    fn generators() -> &'static [Generator<Self>] {
        &[Generator {
            name: "deep.random",
            about: "A stable field of random puyos, and random pieces.",
            parameters: &[STONES, PIECES, COLOURS, WIDTH, HEIGHT],
            generate: random_position,
        }]
    }

    fn settings() -> &'static [Setting] {
        &[GOAL, DEPTH]
    }

    fn counters() -> &'static [Measure] {
        COUNTERS
    }

    fn measures() -> &'static [Measure] {
        &[
            Measure {
                name: "chains",
                about: "Steps of the chain found.",
                better: Better::Higher,
            },
            Measure {
                name: "attack",
                about: "Attack of the chain found, by formula 6.1.",
                better: Better::Higher,
            },
            Measure {
                name: "moves",
                about: "Pieces placed until it fires.",
                better: Better::Lower,
            },
        ]
    }

    fn read(text: &str) -> Result<Position, InputError> {
        let sections = Sections::of(numbered(text), &["pieces"])?;
        sections.check_keys(&["board", "pieces"])?;
        let field = sections.field()?;
        let steps = Firing::of(&field).steps.len();
        if steps > 0 {
            return Err(InputError::new(format!(
                "the field fires a chain of {steps} as it stands, expected a stable one"
            )));
        }
        let entry = sections.entry("pieces")?.ok_or_else(|| {
            InputError::new("no `pieces:`, expected the known pieces as in `pieces: RG BB`")
        })?;
        let pieces = sections.pieces(entry)?;
        if pieces.is_empty() {
            return Err(InputError::at(
                entry.line,
                "no pieces, expected at least one",
            ));
        }
        Ok(Position::new(field, pieces))
    }

    fn write(instance: &Position) -> String {
        let pieces = write_pieces(&instance.pieces);
        format!("{}pieces: {pieces}\n", write_field(&instance.field))
    }

    fn ask(instance: &Position, settings: &Settings) -> Result<Position, InputError> {
        let mut asked = instance.clone();
        if settings.get(GOAL.name).is_some() {
            let name = settings.choice(&GOAL, &Goal::NAMES)?;
            asked.goal = if name == Some("chains") {
                Goal::Chains
            } else {
                Goal::Attack
            };
        }
        if let Some(depth) = settings.int(&DEPTH, 1..=i64::MAX)? {
            let known = instance.pieces.len();
            asked.depth = usize::try_from(depth).unwrap_or(usize::MAX);
            if asked.depth > known {
                return Err(InputError::new(format!(
                    "setting `depth` is {depth}, expected at most {known}: no more pieces are known"
                )));
            }
        }
        Ok(asked)
    }

    fn size(instance: &Position) -> u64 {
        instance.pieces.len() as u64
    }

    fn referee(
        instance: &Position,
        answer: &Found,
        deadline: Deadline,
    ) -> Result<Checked, Rejection> {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        let moves = answer.placements.len();
        if moves > instance.depth {
            return Err(Wrong(format!("{moves} placements, allowed {}", instance.depth)).into());
        }
        let replay = instance.replay(answer)?;
        let chain = replay
            .moves
            .last()
            .map_or(Chain::default(), |last| last.chain);
        let value = instance.goal.value(chain);
        if value != answer.value {
            return Err(Wrong(format!(
                "claimed {}, the last placement gives {value}",
                answer.value
            ))
            .into());
        }
        Ok(Checked {
            score: Some(value),
            measures: vec![
                ("chains", f64::from(chain.steps)),
                ("attack", f64::from(chain.attack)),
                ("moves", moves as f64),
            ],
        })
    }

    fn score(answer: &Found) -> Option<Score> {
        Some(answer.value)
    }

    fn answer_json(instance: &Position, answer: &Found) -> Json {
        let last = instance
            .replay(answer)
            .ok()
            .and_then(|replay| replay.moves.last().copied());
        let chain = last.map_or(Chain::default(), |last| last.chain);
        let placements: Vec<String> = answer.placements.iter().map(ToString::to_string).collect();
        json!({
            "goal": Goal::NAMES[instance.goal as usize],
            "value": answer.value,
            "chains": chain.steps,
            "cleared": chain.cleared,
            "attack": chain.attack,
            "placements": placements,
        })
    }

    fn read_answer(_: &Position, answer: &Json) -> Result<Found, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            value: Score,
            placements: Vec<String>,
        }
        let Claim { value, placements } = read_json(answer)?;
        let placements = placements.iter().map(|word| word.parse());
        Ok(Found {
            value,
            placements: placements.collect::<Result<_, _>>()?,
        })
    }

    fn answer_text(instance: &Position, answer: &Found) -> String {
        if answer.placements.is_empty() {
            return match instance.goal {
                Goal::Chains => "nothing can vanish",
                Goal::Attack => "no chain has any attack",
            }
            .to_owned();
        }
        let moves: Vec<String> = std::iter::zip(instance.pieces.iter(), &answer.placements)
            .map(|(piece, placement)| format!("{piece} at {placement}"))
            .collect();
        let goal = Goal::NAMES[instance.goal as usize];
        format!("{goal} {}: {}", answer.value, moves.join(", "))
    }

    fn pictures(instance: &Position, answer: &Found) -> Vec<Picture> {
        instance
            .replay(answer)
            .map_or(Vec::new(), |replay| replay.pictures())
    }
}

const COUNTERS: &[Measure] = &[
    Measure {
        name: "nodes",
        about: "Boards whose placements were tried.",
        better: Better::Lower,
    },
    Measure {
        name: "simulations",
        about: "Placements simulated.",
        better: Better::Lower,
    },
    Measure {
        name: "duplicates",
        about: "Placements left out because another one gives the same board.",
        better: Better::Neither,
    },
    Measure {
        name: "table_hits",
        about: "Boards left out because they were searched before.",
        better: Better::Neither,
    },
    Measure {
        name: "silent",
        about: "Placements of the last piece left out because nothing can vanish after them.",
        better: Better::Neither,
    },
    Measure {
        name: "bound_cuts",
        about: "Boards left out because no chain from there can be better than the best one known.",
        better: Better::Neither,
    },
];

fn random_position(parameters: &Settings, random: &mut Random) -> Result<Position, InputError> {
    let size = read_size(parameters)?;
    let colours = read_colours(parameters)?;
    let stones = parameters
        .int(&STONES, 0..=size.cells() as i64)?
        .unwrap_or(0) as usize;
    let pieces = parameters.int(&PIECES, 1..=16)?.unwrap_or(1) as usize;
    let field = generate::stable_field(random, size, stones, colours)?;
    let sequence = Sequence::from_random(random.clone(), colours);
    Ok(Position::new(field, sequence.take(pieces).collect()))
}
