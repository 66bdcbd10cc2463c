//! The problem `versus` as a [`Problem`].

use ikeru_chain::generate::{COLOURS, GUARANTEE};
use ikeru_chain::record::GameRecord;
use ikeru_chain::{Placement, Size, picture};
use ikeru_core::{
    Check, Choice, Deadline, Direction, Generator, InputError, Picture, Problem, ProblemInfo,
    Score, Settings, Variant, measures, read_json, refuse, settings,
};
use serde_json::{Value as Json, json};

use super::contest::{ABOVE_TOP, Contest, MatchMoves, OPPONENT, SHARED_PIECES, TURNS};
use super::duel::Duel;
use super::{Versus, referee, variants};
use crate::policy::PolicyWork;

const GENERATORS: [Generator<Versus>; 1] = [Generator {
    name: "versus.sequence",
    about: "empty boards and a random sequence for both",
    parameters: settings![COLOURS GUARANTEE],
    generate: |parameters, random| {
        let colours = parameters.get(&COLOURS)?;
        let record = GameRecord::beginning(Size::THESIS, random.bits(), colours);
        let guarantee = parameters.get(&GUARANTEE)?;
        Ok(Contest::new(record.with_guarantee(guarantee)))
    },
}];

impl Problem for Versus {
    const INFO: ProblemInfo = ProblemInfo {
        name: "versus",
        about: "Puyo: two policies in one match with garbage",
        direction: Direction::Maximize,
        settings: settings![OPPONENT TURNS ABOVE_TOP SHARED_PIECES],
        counters: PolicyWork::MEASURES,
        measures: measures! {
            higher win: "1 if the variant won";
            lower loss: "1 if the opponent won";
            neither draw: "1 if nobody won";
            neither turns_played: "turns of the match";
            higher attack_balance: "garbage that the variant sent minus what the opponent sent, before cancelling";
        },
        words: &[
            ("counter_simulations", "simulated placements"),
            ("measure_attack_balance", "garbage sent minus received"),
        ],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = &GENERATORS;
    type Instance = Contest;
    type Answer = MatchMoves;
    type Referee = Check<Self>;

    fn default_variant(instance: &Contest) -> &'static str {
        match instance.repertoire() {
            Ok(_) => "combined",
            Err(_) => "potential",
        }
    }
    fn read(text: &str) -> Result<Contest, InputError> {
        GameRecord::read_beginning(text).map(Contest::new)
    }
    fn write(instance: &Contest) -> String {
        instance.record.write()
    }
    fn ask(instance: &Contest, settings: &Settings) -> Result<Contest, InputError> {
        instance.ask(settings)
    }
    fn size(instance: &Contest) -> u64 {
        2 * instance.record.start.size().cells() as u64
    }

    fn referee(_: &Contest) -> Check<Self> {
        referee::check
    }

    fn score(answer: &MatchMoves) -> Option<Score> {
        Some(answer.score)
    }
    fn answer_json(_: &Contest, answer: &MatchMoves) -> Json {
        let of = |side: usize| -> Vec<Placement> {
            answer
                .placements
                .iter()
                .map(|placed| placed[side])
                .collect()
        };
        json!({ "result": answer.score, "placements": of(0), "opponent_placements": of(1) })
    }
    fn read_answer(_: &Contest, answer: &Json) -> Result<MatchMoves, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            result: Score,
            placements: Vec<Placement>,
            opponent_placements: Vec<Placement>,
        }
        let claim: Claim = read_json(answer)?;
        let (ours, theirs) = (claim.placements, claim.opponent_placements);
        if ours.len() != theirs.len() {
            refuse!(
                "{} `placements` beside {} `opponent_placements`",
                ours.len(),
                theirs.len()
            );
        }
        let turns = ours.into_iter().zip(theirs);
        Ok(MatchMoves {
            placements: turns.map(<[Placement; 2]>::from).collect(),
            score: claim.result,
            is_read: true,
        })
    }
    fn answer_text(instance: &Contest, answer: &MatchMoves) -> String {
        let result = match answer.score {
            1 => "won",
            0 => "drawn",
            _ => "lost",
        };
        let turns = answer.placements.len();
        format!(
            "{result} against {} after {turns} turns\n",
            instance.opponent.word()
        )
    }
    fn pictures(instance: &Contest, answer: &MatchMoves) -> Vec<Picture> {
        let mut frames = Vec::new();
        // An answer that cannot be replayed has frames up to its first illegal turn.
        let _ = referee::replay(instance, &answer.placements, Deadline::never(), |duel| {
            frames.push(frame(duel));
        });
        frames
    }
}

/// Both boards side by side.
fn frame(duel: &Duel) -> Picture {
    let [left, right] = duel.sides.map(|side| picture::board(&side.board, &[], ""));
    let gap = left.width / 3.0;
    let waiting = duel.sides.map(|side| side.pending);
    let caption = format!(
        "turn {}; garbage waiting: {} and {}",
        duel.turn, waiting[0], waiting[1]
    );
    let mut picture = Picture::new(left.width + gap + right.width, left.height, caption);
    picture.shapes = left.shapes;
    picture.shapes.extend(
        right
            .shapes
            .into_iter()
            .map(|shape| shape.moved(left.width + gap, 0.0)),
    );
    picture
}
