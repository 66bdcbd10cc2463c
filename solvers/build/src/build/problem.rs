//! The problem `build` as a [`Problem`].

use ikeru_chain::generate::{COLOURS, HEIGHT, WIDTH};
use ikeru_chain::record::GameRecord;
use ikeru_chain::{Placement, generate};
use ikeru_core::{
    Better, Checked, Deadline, Direction, Generator, InputError, Measure, Picture, Problem,
    Rejection, Score, Setting, Settings, Variant, read_json,
};
use serde_json::{Value as Json, json};

use super::challenge::{Challenge, Goal};
use super::referee::judge;
use super::{challenge, referee, variants};
use crate::policy::Work;

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

const GENERATORS: [Generator<Build>; 1] = [Generator {
    name: "build.sequence",
    about: "an empty board and a random sequence of pieces",
    parameters: &[COLOURS, WIDTH, HEIGHT],
    generate: |parameters, random| {
        let colours = generate::colours(parameters)?;
        let size = generate::board_size(parameters)?;
        Ok(Challenge::new(GameRecord::beginning(
            size,
            random.bits(),
            colours,
        )))
    },
}];

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
        &variants::ALL
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
        &challenge::SETTINGS
    }

    fn counters() -> &'static [Measure] {
        &Work::MEASURES
    }

    fn measures() -> &'static [Measure] {
        &MEASURES
    }

    fn read(text: &str) -> Result<Challenge, InputError> {
        GameRecord::read_beginning(text).map(Challenge::new)
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
        instance.size().cells() as u64
    }

    fn referee(
        instance: &Challenge,
        answer: &Played,
        deadline: Deadline,
    ) -> Result<Checked, Rejection> {
        referee::check(instance, answer, deadline)
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
        let record = instance.record.with(&answer.placements);
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
