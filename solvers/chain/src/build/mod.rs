//! The problem `build`: place the pieces of a sequence, to fire a large chain or to complete a template.
//!
//! An answer is the list of placements. The referee plays them again with its own simulator and
//! matches templates by matrices.
//!
//! | module | owns |
//! |---|---|
//! | [`question`] | instances, and the settings of a question |
//! | [`variants`] | the policies by name, with their settings |

pub mod question;
pub mod variants;

use ikeru_core::{
    Better, Checked, Deadline, Direction, Generator, InputError, Measure, Picture, Problem, Random,
    Rejection, Score, Setting, Settings, Variant, Wrong, read_json,
};
use serde_json::{Value as Json, json};

use self::question::{Challenge, Goal};
use crate::board::{Board, PuyoColour, Size};
use crate::placement::{LossRule, Placement};
use crate::policy::Work;
use crate::record::{GameRecord, Pieces, Replay};
use crate::referee::Firing;
use crate::templates::criterion::Criterion;

/// The problem `build`.
#[derive(Debug, Clone, Copy)]
pub struct Build;

/// A game as a policy played it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Where each piece went.
    pub placements: Vec<Placement>,
    /// The score that the policy claims.
    pub score: Score,
}

const COLOURS: Setting = Setting {
    name: "colours",
    default: "4",
    about: "colours of the pieces, from 2 to 6",
};
const WIDTH: Setting = Setting {
    name: "width",
    default: "6",
    about: "columns of the board, from 2 to 8",
};
const HEIGHT: Setting = Setting {
    name: "height",
    default: "13",
    about: "rows of the board, from 2 to 15",
};

const GENERATORS: [Generator<Build>; 1] = [Generator {
    name: "build.sequence",
    about: "an empty board and a random sequence of pieces",
    parameters: &[COLOURS, WIDTH, HEIGHT],
    generate: |parameters, random| {
        let number = |setting, range| {
            parameters
                .int(setting, range)
                .map(|value| value.unwrap_or_default() as usize)
        };
        let colours = number(&COLOURS, 2..=PuyoColour::COUNT as i64)?;
        let size = Size::new(
            number(&WIDTH, 2..=Size::MAX_WIDTH as i64)?,
            number(&HEIGHT, 2..=Size::MAX_HEIGHT as i64)?,
        )?;
        Ok(sequence_challenge(colours, size, random))
    },
}];

fn sequence_challenge(colours: usize, size: Size, random: &mut Random) -> Challenge {
    Challenge::new(GameRecord {
        start: Board::empty(size),
        pieces: Pieces::Seed {
            seed: random.bits(),
            colours,
        },
        loss: LossRule::default(),
        placements: Vec::new(),
    })
}

const MEASURES: [Measure; 11] = [
    Measure {
        name: "chains",
        about: "steps of the chain with the largest attack",
        better: Better::Higher,
    },
    Measure {
        name: "attack",
        about: "its attack, garbage puyos by formula 6.1",
        better: Better::Higher,
    },
    Measure {
        name: "moves",
        about: "the move that fired it, from 1",
        better: Better::Neither,
    },
    Measure {
        name: "below_8",
        about: "1 if it has fewer than 8 steps",
        better: Better::Lower,
    },
    Measure {
        name: "placed",
        about: "pieces placed in all",
        better: Better::Neither,
    },
    Measure {
        name: "lost",
        about: "1 if the game was lost",
        better: Better::Lower,
    },
    Measure {
        name: "completed",
        about: "1 if a template was completed; only where that is the goal",
        better: Better::Higher,
    },
    Measure {
        name: "moves_to_completion",
        about: "moves until a template was completed; only if one was",
        better: Better::Lower,
    },
    Measure {
        name: "over_30",
        about: "1 if no template was completed within 30 moves; only where that is the goal",
        better: Better::Lower,
    },
    Measure {
        name: "least_moves",
        about: "a lower bound on moves_to_completion that holds for any play of the sequence",
        better: Better::Neither,
    },
    Measure {
        name: "regret_at_most",
        about: "moves_to_completion minus least_moves: no play of the sequence saves more",
        better: Better::Lower,
    },
];

impl Problem for Build {
    const NAME: &'static str = "build";
    const ABOUT: &'static str =
        "Puyo: place a sequence of pieces, for a large chain or towards a template";
    const DIRECTION: Direction = Direction::Maximize;
    type Instance = Challenge;
    type Answer = Played;

    fn variants() -> &'static [Variant<Self>] {
        &variants::VARIANTS
    }

    fn default_variant(instance: &Challenge) -> &'static str {
        match instance.question.goal {
            Goal::Chain if instance.repertoire().is_ok() => "combined",
            // No template is drawn for a board of this size.
            Goal::Chain => "potential",
            Goal::Template => "template",
        }
    }

    fn generators() -> &'static [Generator<Self>] {
        &GENERATORS
    }

    fn settings() -> &'static [Setting] {
        &question::SETTINGS
    }

    fn counters() -> &'static [Measure] {
        &Work::MEASURES
    }

    fn measures() -> &'static [Measure] {
        &MEASURES
    }

    fn read(text: &str) -> Result<Challenge, InputError> {
        let record = GameRecord::read(text)?;
        let steps = Firing::of(&record.start).steps.len();
        if steps > 0 {
            return Err(InputError::new(format!(
                "the field fires a chain of {steps} as it stands, expected a stable one"
            )));
        }
        if record.placements.is_empty() {
            Ok(Challenge::new(record))
        } else {
            Err(InputError::new(
                "a game with moves, expected its beginning: a field, `seed:` or `pieces:`",
            ))
        }
    }

    fn write(instance: &Challenge) -> String {
        instance.record.write()
    }

    fn ask(instance: &Challenge, settings: &Settings) -> Result<Challenge, InputError> {
        instance.ask(settings)
    }

    fn content(settings: &Settings) -> String {
        Challenge::content(settings)
    }

    fn size(instance: &Challenge) -> u64 {
        instance.record.start.size().cells() as u64
    }

    fn referee(
        instance: &Challenge,
        answer: &Played,
        deadline: Deadline,
    ) -> Result<Checked, Rejection> {
        let limit = instance.question.moves;
        if answer.placements.len() > limit {
            let count = answer.placements.len();
            return Err(Wrong(format!("{count} placements, at most {limit} are allowed")).into());
        }
        let replay = instance.replay(&answer.placements)?;
        let checked = judge(instance, &replay, deadline)?;
        match checked.score {
            Some(score) if score != answer.score => {
                let claimed = answer.score;
                Err(Wrong(format!(
                    "claimed a score of {claimed}, the game has {score}"
                ))
                .into())
            }
            _ => Ok(checked),
        }
    }

    fn score(answer: &Played) -> Option<Score> {
        Some(answer.score)
    }

    fn answer_json(instance: &Challenge, answer: &Played) -> Json {
        let placements: Vec<String> = answer.placements.iter().map(ToString::to_string).collect();
        let mut json = json!({ "placements": placements, "score": answer.score });
        if let Ok(replay) = instance.replay(&answer.placements)
            && let Ok(checked) = judge(instance, &replay, Deadline::never())
        {
            for (name, value) in checked.measures {
                json[name] = json!(value);
            }
        }
        json
    }

    fn read_answer(_: &Challenge, answer: &Json) -> Result<Played, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            placements: Vec<String>,
            score: Score,
        }
        let Claim { placements, score } = read_json(answer)?;
        let placements = placements.iter().map(|word| word.parse());
        Ok(Played {
            placements: placements.collect::<Result<_, _>>()?,
            score,
        })
    }

    fn answer_text(instance: &Challenge, answer: &Played) -> String {
        let record = GameRecord {
            placements: answer.placements.clone(),
            ..instance.record.clone()
        };
        let mut text = record.write();
        if let Ok(replay) = record.replay()
            && let Ok(checked) = judge(instance, &replay, Deadline::never())
        {
            for (name, value) in checked.measures {
                text += &format!("# {name}: {value}\n");
            }
        }
        text
    }

    fn pictures(instance: &Challenge, answer: &Played) -> Vec<Picture> {
        instance
            .replay(&answer.placements)
            .map_or(Vec::new(), |replay| replay.pictures())
    }
}

/// The score of a game and everything measured on it.
fn judge(instance: &Challenge, replay: &Replay, deadline: Deadline) -> Result<Checked, Rejection> {
    let question = &instance.question;
    let (move_number, chain) = replay.largest().unwrap_or_default();
    let flag = |holds: bool| f64::from(u8::from(holds));
    let mut measures = vec![
        ("chains", f64::from(chain.steps)),
        ("attack", f64::from(chain.attack)),
        ("moves", move_number as f64),
        ("below_8", flag(chain.steps < 8)),
        ("placed", replay.moves.len() as f64),
        ("lost", flag(replay.lost)),
    ];
    let score = match question.goal {
        Goal::Chain => Score::from(chain.attack),
        Goal::Template => {
            let repertoire = instance
                .repertoire()
                .map_err(|error| Wrong(error.message))?;
            let completion = question.completion;
            let complete = |board: &Board, criterion: Option<Criterion>| {
                criterion.is_some_and(|criterion| repertoire.completed(board, criterion))
            };
            let mut moves = None;
            for (number, played) in (1..).zip(&replay.moves) {
                if deadline.passed() {
                    return Err(Rejection::Timeout);
                }
                if complete(&played.placed, completion.before())
                    || complete(&played.after, Some(completion.after()))
                {
                    moves = Some(number);
                    break;
                }
            }
            measures.push(("completed", flag(moves.is_some())));
            measures.extend(moves.map(|moves| ("moves_to_completion", moves as f64)));
            measures.push(("over_30", flag(moves.is_none_or(|moves| moves > 30))));
            let pieces = instance.record.pieces.first(question.moves);
            // Puyos that stand already would have to be counted in: no bound for such starts.
            let empty = instance.record.start.stones() == 0;
            let least = repertoire.least_moves(&pieces, completion.after());
            let least = least.filter(|_| empty);
            measures.extend(least.map(|moves| ("least_moves", moves as f64)));
            let regret = moves
                .zip(least)
                .map(|(moves, least)| moves as f64 - least as f64);
            measures.extend(regret.map(|regret| ("regret_at_most", regret)));
            -(moves.unwrap_or(question.moves + 1) as Score)
        }
    };
    Ok(Checked {
        score: Some(score),
        measures,
    })
}
