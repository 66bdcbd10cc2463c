//! The implementation of [`Problem`] for `deep`: its tables, its referee, its answers as text.

use ikeru_chain::Chain;
use ikeru_core::{
    Check, Checked, Choice, Deadline, Direction, Extras, Generator, InputError, Picture, Problem,
    ProblemInfo, Refereed, Rejection, Score, Settings, Variant, Wrong, measures, read_json,
    settings,
};
use serde_json::{Value as Json, json};

use crate::position::{DEPTH, Found, GENERATOR, OBJECTIVE, Objective, Position};
use crate::{Deep, variants};

impl Problem for Deep {
    const INFO: ProblemInfo = ProblemInfo {
        name: "deep",
        about: "The best Puyo chain that the next known pieces can set off, exactly.",
        direction: Direction::Maximize,
        settings: settings![OBJECTIVE DEPTH],
        counters: measures! {
            lower nodes: "Boards whose placements were tried.";
            lower simulations: "Placements simulated.";
            neither duplicates: "Placements left out because another one gives the same board.";
            neither table_hits: "Boards left out because they were searched before.";
            neither silent: "Placements of the last piece left out because nothing can vanish after them.";
            neither bound_cuts: "Boards left out because no chain from there can be better than the best one known.";
        },
        measures: measures! {
            higher chains: "Steps of the chain found.";
            higher attack: "Attack of the chain found, by formula 6.1.";
            lower moves: "Pieces placed until it fires.";
        },
        words: &[
            ("size", "stones on the board"),
            ("param_stones", "stones on the board"),
            ("counter_simulations", "simulated placements"),
            ("measure_attack", "garbage sent"),
        ],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = &[GENERATOR];
    const EXTRAS: Extras<Self> = Extras {
        known: Some(|_| None),
        ..Extras::NONE
    };
    type Instance = Position;
    type Answer = Found;
    type Referee = Check<Self>;

    fn default_variant(_: &Position) -> &'static str {
        "parallel"
    }

    fn read(text: &str) -> Result<Position, InputError> {
        Position::read(text)
    }

    fn write(instance: &Position) -> String {
        instance.write()
    }

    fn ask(instance: &Position, settings: &Settings) -> Result<Position, InputError> {
        instance.ask(settings)
    }

    fn size(instance: &Position) -> u64 {
        instance.pieces.len() as u64
    }

    fn referee(_: &Position) -> Check<Self> {
        check
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
        json!({
            "goal": instance.objective.word(),
            "value": answer.value,
            "chains": chain.steps,
            "cleared": chain.cleared,
            "attack": chain.attack,
            "placements": answer.placements,
        })
    }

    fn read_answer(_: &Position, answer: &Json) -> Result<Found, InputError> {
        read_json(answer)
    }

    fn answer_text(instance: &Position, answer: &Found) -> String {
        if answer.placements.is_empty() {
            // The referee knows no better one, which is no proof.
            return match instance.objective {
                Objective::Chains => "no chain found",
                Objective::Attack => "no attack found",
            }
            .to_owned();
        }
        let moves: Vec<String> = std::iter::zip(instance.pieces.iter(), &answer.placements)
            .map(|(piece, placement)| {
                let piece = instance.letters.written(&piece.to_string());
                format!("{piece} at {placement}")
            })
            .collect();
        let goal = instance.objective.word();
        format!("{goal} {}: {}", answer.value, moves.join(", "))
    }

    fn pictures(instance: &Position, answer: &Found) -> Vec<Picture> {
        instance
            .replay(answer)
            .map_or(Vec::new(), |replay| replay.pictures())
    }
}

/// Replays the placements; the last one must set off the claimed chain.
fn check(instance: &Position, answer: &Found, deadline: Deadline) -> Refereed {
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
    let value = instance.objective.value(chain);
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
