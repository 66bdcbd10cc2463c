//! The problem `build` as a [`Problem`].

use ikeru_chain::generate::{COLOURS, GUARANTEE, HEIGHT, WIDTH, board_size};
use ikeru_chain::record::GameRecord;
use ikeru_core::{
    Deadline, Direction, Extras, Generator, InputError, Picture, Problem, ProblemInfo, Score,
    Settings, Variant, measures, read_json, settings,
};
use serde_json::{Value as Json, json};

use super::challenge::{Challenge, Goal, Played};
use super::referee::Judge;
use super::{Build, challenge, picture, variants};
use crate::policy::PolicyWork;

const GENERATORS: [Generator<Build>; 1] = [Generator {
    name: "build.sequence",
    about: "an empty board and a random sequence of pieces",
    parameters: settings![COLOURS WIDTH HEIGHT GUARANTEE],
    generate: |parameters, random| {
        let colours = parameters.get(&COLOURS)?;
        let size = board_size(parameters)?;
        let record = GameRecord::beginning(size, random.bits(), colours);
        let guarantee = parameters.get(&GUARANTEE)?;
        Ok(Challenge::new(record.with_guarantee(guarantee)))
    },
}];

impl Problem for Build {
    const INFO: ProblemInfo = ProblemInfo {
        name: "build",
        about: "Puyo: place a sequence of pieces, for a large chain or towards a template",
        direction: Direction::Maximize,
        settings: challenge::SETTINGS,
        counters: PolicyWork::MEASURES,
        measures: measures! {
            higher chains: "steps of the chain with the largest attack";
            higher attack: "its attack, garbage puyos by formula 6.1";
            higher points: "its points in the arcade game";
            neither surplus: "its puyos beyond four in each step, summed over the steps";
            neither moves: "the move that fired it, from 1";
            lower below_8: "1 if it has fewer than 8 steps";
            neither placed: "pieces placed in all";
            lower lost: "1 if the game was lost";
            higher completed: "1 if a template was completed; only where that is the goal";
            neither built: "1 if a template was completed on the way; only where a chain is the goal";
            neither templates: "templates of the question; only where one of them is the goal";
            lower one_set_from: "the move from which at most one of several sets still matches the board; only if that came";
            neither stays_dead: "share of the placements, over the templates that no longer match the board, after which they still do not; only with several sets, and if there was such a template";
            lower moves_to_completion: "moves until a template was completed; only if one was";
            lower over_30: "1 if no template was completed within 30 moves; only where that is the goal";
            neither least_moves: "a lower bound on moves_to_completion that holds for any play of the sequence";
            lower regret_at_most: "moves_to_completion minus least_moves: no play of the sequence saves more";
        },
        words: &[
            ("counter_simulations", "simulated placements"),
            ("measure_attack", "garbage sent"),
            ("measure_least_moves", "least moves of any play"),
        ],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = &GENERATORS;
    const EXTRAS: Extras<Self> = Extras {
        content: Challenge::content,
        recorded: picture::template,
        ..Extras::NONE
    };
    type Instance = Challenge;
    type Answer = Played;
    type Referee = Judge;

    fn default_variant(instance: &Challenge) -> &'static str {
        match instance.question.goal {
            Goal::Chain if instance.repertoire().is_ok() => "combined",
            // The default templates do not fit a board of this size.
            Goal::Chain => "potential",
            Goal::Template => "template",
        }
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

    fn size(instance: &Challenge) -> u64 {
        instance.size().cells() as u64
    }

    fn referee(_: &Challenge) -> Judge {
        Judge::default()
    }

    fn score(answer: &Played) -> Option<Score> {
        Some(answer.score)
    }

    fn answer_json(instance: &Challenge, answer: &Played) -> Json {
        let mut json = json!({ "placements": answer.placements, "score": answer.score });
        if let Ok(replay) = instance.replay(&answer.placements)
            && let Ok(checked) = Judge::default().measure(instance, &replay, Deadline::never())
        {
            for (name, value) in checked.measures {
                json[name] = json!(value);
            }
        }
        json
    }

    fn read_answer(_: &Challenge, answer: &Json) -> Result<Played, InputError> {
        read_json(answer)
    }

    fn answer_text(instance: &Challenge, answer: &Played) -> String {
        let record = instance.record.with(&answer.placements);
        let mut text = record.write();
        if let Ok(replay) = record.replay()
            && let Ok(checked) = Judge::default().measure(instance, &replay, Deadline::never())
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
