//! The problem `versus`: two policies on the same sequence, one match.
//!
//! The variant is the first player, the setting `opponent` the second. The referee plays all placements
//! again by the rules of [`duel`], with its own simulator.

pub mod duel;
mod player;
mod tactics;

use ikeru_core::{
    Attempt, Better, BoxedSolve, Checked, Deadline, Direction, Generator, InputError, Measure,
    Picture, Prepare, Problem, Refusal, Rejection, Score, Search, Setting, Settings, Source,
    Variant, Wrong, read_json,
};
use serde_json::{Value as Json, json};

use self::duel::{Duel, Verdict};
use self::player::Player;
use self::tactics::TACTICS;
use crate::begin;
use crate::board::{Board, Size};
use crate::build::question::Challenge;
use crate::drawing;
use crate::placement::{LossRule, Piece, Placement};
use crate::policy::Work;
use crate::record::{GameRecord, Pieces};
use crate::referee::Firing;

/// The problem `versus`.
#[derive(Debug, Clone, Copy)]
pub struct Versus;

/// A match to play: the sequence, and the seed of the columns that garbage falls in.
#[derive(Debug, Clone)]
pub struct Match {
    challenge: Challenge,
    turns: usize,
    opponent: String,
}

/// A match as played: the placements of both, turn by turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    placements: Vec<[Placement; 2]>,
    score: Score,
}

const OPPONENT: Setting = Setting {
    name: "opponent",
    default: "potential",
    about: "the second player: random, greedy, potential or combined",
};
const TURNS: Setting = Setting {
    name: "turns",
    default: "",
    about: "turns after which the match is a draw, from 1 to 1000; 300 or all pieces that are listed, if not given",
};

impl Match {
    /// A match of `seed` in `colours` colours on empty boards.
    #[must_use]
    pub fn new(seed: u64, colours: usize) -> Self {
        Self::from_challenge(Challenge::new(GameRecord {
            start: Board::empty(Size::THESIS),
            pieces: Pieces::Seed { seed, colours },
            loss: LossRule::default(),
            placements: Vec::new(),
        }))
    }

    fn from_challenge(challenge: Challenge) -> Self {
        Self {
            challenge,
            turns: 300,
            opponent: OPPONENT.default.to_owned(),
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        let visible = self.challenge.question.visible;
        self.challenge.record.pieces.first(self.turns + visible)
    }

    fn duel(&self) -> Duel {
        let seed = match self.challenge.record.pieces {
            Pieces::Seed { seed, .. } => seed,
            Pieces::Listed(_) => 0,
        };
        Duel::new(
            self.challenge.record.start,
            self.challenge.record.loss,
            seed,
        )
    }
}

const fn variant(
    name: &'static str,
    about: &'static str,
    source: Source,
    settings: &'static [Setting],
    prepare: Prepare<Versus>,
) -> Variant<Versus> {
    Variant {
        name,
        about,
        source,
        exact: false,
        version: 2,
        settings,
        prepare,
    }
}

const THESIS: Source = Source::Article {
    name: "Thesis",
    section: "6.2",
};

static VARIANTS: [Variant<Versus>; 4] = [
    variant(
        "random",
        "any legal placement",
        Source::Ours,
        &[],
        |game, settings, deadline| prepare(game, "random", settings, deadline),
    ),
    variant(
        "greedy",
        "the largest attack at once",
        Source::Ours,
        &[],
        |game, settings, deadline| prepare(game, "greedy", settings, deadline),
    ),
    variant(
        "potential",
        "potential maximization",
        THESIS,
        &TACTICS,
        |game, settings, deadline| prepare(game, "potential", settings, deadline),
    ),
    variant(
        "combined",
        "templates, then potential maximization",
        THESIS,
        &TACTICS,
        |game, settings, deadline| prepare(game, "combined", settings, deadline),
    ),
];

fn prepare<'a>(
    game: &'a Match,
    name: &str,
    settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Versus>, Refusal> {
    begin(deadline)?;
    let mut players = [
        Player::named(name, 0, &game.challenge, settings)?,
        Player::named(&game.opponent, 1, &game.challenge, &Settings::new())?,
    ];
    Ok(Box::new(move |search: &mut Search| {
        let mut work = Work::until(search.deadline);
        let played = play(game, &mut players, &mut work, search);
        work.count(&mut search.counters);
        match played {
            Some(played) => {
                search.incumbent.raise(played.score);
                Attempt::Solved(played)
            }
            None => Attempt::Timeout {
                best: None,
                bound: None,
            },
        }
    }))
}

fn play(
    game: &Match,
    players: &mut [Player; 2],
    work: &mut Work,
    search: &Search,
) -> Option<Played> {
    let pieces = game.pieces();
    let visible = game.challenge.question.visible;
    let mut duel = game.duel();
    let mut placements = Vec::new();
    players.iter_mut().for_each(Player::restart);
    for turn in 0..game.turns.min(pieces.len()) {
        if let Some(verdict) = duel.verdict(pieces[turn]) {
            return Some(Played {
                placements,
                score: score(verdict),
            });
        }
        let shown = &pieces[turn..pieces.len().min(turn + visible)];
        let colours = game.challenge.colours();
        let first = players[0].choose(&duel, 0, shown, colours, work);
        let second = players[1].choose(&duel, 1, shown, colours, work);
        // A late decision is none.
        if search.deadline.passed() {
            return None;
        }
        let (Some(first), Some(second)) = (first, second) else {
            break;
        };
        duel.play(pieces[turn], [first, second], |board| work.resolve(board));
        placements.push([first, second]);
    }
    Some(Played {
        placements,
        score: score(Verdict::Draw),
    })
}

fn score(verdict: Verdict) -> Score {
    match verdict {
        Verdict::Won(0) => 1,
        Verdict::Won(_) => -1,
        Verdict::Draw => 0,
    }
}

/// Plays a match again with the referee's simulator; `see` gets the boards after every turn.
fn replay(
    game: &Match,
    placements: &[[Placement; 2]],
    deadline: Deadline,
    mut see: impl FnMut(&Duel),
) -> Result<(Duel, Verdict), Rejection> {
    let pieces = game.pieces();
    let mut duel = game.duel();
    for (turn, placed) in placements.iter().enumerate() {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        let illegal = |why: &str| Rejection::from(Wrong(format!("turn {}: {why}", turn + 1)));
        let piece = *pieces
            .get(turn)
            .ok_or_else(|| illegal("there are no more pieces"))?;
        if duel.verdict(piece).is_some() {
            return Err(illegal("the match was over before"));
        }
        for (side, placement) in duel.sides.iter().zip(placed) {
            if !placement.is_legal(&side.board) {
                return Err(illegal(&format!("{placement} is no legal placement")));
            }
        }
        duel.play(piece, *placed, |board| {
            let firing = Firing::of(board);
            *board = firing.rest;
            firing.chain()
        });
        see(&duel);
    }
    let next = pieces.get(placements.len());
    let verdict = next.and_then(|&piece| duel.verdict(piece));
    match verdict {
        Some(verdict) => Ok((duel, verdict)),
        None if placements.len() < game.turns.min(pieces.len()) => {
            Err(Wrong("the match is not over".to_owned()).into())
        }
        None => Ok((duel, Verdict::Draw)),
    }
}

static GENERATORS: [Generator<Versus>; 1] = [Generator {
    name: "versus.sequence",
    about: "empty boards and a random sequence for both",
    parameters: &[Setting {
        name: "colours",
        default: "4",
        about: "colours of the pieces, from 2 to 6",
    }],
    generate: |parameters, random| {
        let colours = parameters
            .int(&GENERATORS[0].parameters[0], 2..=6)?
            .unwrap_or(4);
        Ok(Match::new(random.bits(), colours as usize))
    },
}];

const MEASURES: [Measure; 5] = [
    Measure {
        name: "win",
        about: "1 if the variant won",
        better: Better::Higher,
    },
    Measure {
        name: "loss",
        about: "1 if the opponent won",
        better: Better::Lower,
    },
    Measure {
        name: "draw",
        about: "1 if nobody won",
        better: Better::Neither,
    },
    Measure {
        name: "turns_played",
        about: "turns of the match",
        better: Better::Neither,
    },
    Measure {
        name: "attack_balance",
        about: "garbage that the variant sent minus what the opponent sent, before cancelling",
        better: Better::Higher,
    },
];

static SETTINGS: [Setting; 2] = [OPPONENT, TURNS];

impl Problem for Versus {
    const NAME: &'static str = "versus";
    const ABOUT: &'static str = "Puyo: two policies on the same sequence, one match with garbage";
    const DIRECTION: Direction = Direction::Maximize;
    type Instance = Match;
    type Answer = Played;

    fn variants() -> &'static [Variant<Self>] {
        &VARIANTS
    }
    fn default_variant(instance: &Match) -> &'static str {
        match instance.challenge.repertoire() {
            Ok(_) => "combined",
            Err(_) => "potential",
        }
    }
    fn generators() -> &'static [Generator<Self>] {
        &GENERATORS
    }
    fn settings() -> &'static [Setting] {
        &SETTINGS
    }
    fn counters() -> &'static [Measure] {
        &Work::MEASURES
    }
    fn measures() -> &'static [Measure] {
        &MEASURES
    }

    fn read(text: &str) -> Result<Match, InputError> {
        crate::build::Build::read(text).map(Match::from_challenge)
    }
    fn write(instance: &Match) -> String {
        instance.challenge.record.write()
    }
    fn ask(instance: &Match, settings: &Settings) -> Result<Match, InputError> {
        let mut asked = instance.clone();
        if settings.get(OPPONENT.name).is_some() {
            let names: Vec<&str> = VARIANTS.iter().map(|variant| variant.name).collect();
            let name = settings.choice(&OPPONENT, &names)?;
            asked.opponent = name.unwrap_or(OPPONENT.default).to_owned();
        }
        if settings.get(TURNS.name).is_some() {
            let turns = settings.int(&TURNS, 1..=1000)?;
            asked.turns = turns.map_or(asked.turns, |turns| turns as usize);
            let listed = asked.challenge.record.pieces.first(asked.turns).len();
            if listed < asked.turns {
                return Err(InputError::new(format!(
                    "setting `turns` is {}, expected at most {listed}: no more pieces are listed",
                    asked.turns
                )));
            }
        }
        Ok(asked)
    }
    fn size(instance: &Match) -> u64 {
        2 * instance.challenge.record.start.size().cells() as u64
    }

    fn referee(
        instance: &Match,
        answer: &Played,
        deadline: Deadline,
    ) -> Result<Checked, Rejection> {
        let (duel, verdict) = replay(instance, &answer.placements, deadline, |_| ())?;
        let found = score(verdict);
        if found != answer.score {
            let claimed = answer.score;
            return Err(Wrong(format!(
                "claimed a result of {claimed}, the match has {found}"
            ))
            .into());
        }
        let flag = |holds: bool| f64::from(u8::from(holds));
        let [first, second] = duel.sides.map(|side| f64::from(side.attack));
        Ok(Checked {
            score: Some(found),
            measures: vec![
                ("win", flag(verdict == Verdict::Won(0))),
                ("loss", flag(verdict == Verdict::Won(1))),
                ("draw", flag(verdict == Verdict::Draw)),
                ("turns_played", duel.turn as f64),
                ("attack_balance", first - second),
            ],
        })
    }

    fn score(answer: &Played) -> Option<Score> {
        Some(answer.score)
    }
    fn answer_json(_: &Match, answer: &Played) -> Json {
        let of = |side: usize| -> Vec<String> {
            answer
                .placements
                .iter()
                .map(|placed| placed[side].to_string())
                .collect()
        };
        json!({ "result": answer.score, "placements": of(0), "opponent_placements": of(1) })
    }
    fn read_answer(_: &Match, answer: &Json) -> Result<Played, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            result: Score,
            placements: Vec<String>,
            opponent_placements: Vec<String>,
        }
        let claim: Claim = read_json(answer)?;
        let (ours, theirs) = (claim.placements, claim.opponent_placements);
        if ours.len() != theirs.len() {
            return Err(InputError::new(format!(
                "{} `placements` beside {} `opponent_placements`",
                ours.len(),
                theirs.len()
            )));
        }
        let turns = ours.iter().zip(&theirs);
        let placements = turns.map(|(ours, theirs)| Ok([ours.parse()?, theirs.parse()?]));
        Ok(Played {
            placements: placements.collect::<Result<_, InputError>>()?,
            score: claim.result,
        })
    }
    fn answer_text(instance: &Match, answer: &Played) -> String {
        let result = match answer.score {
            1 => "won",
            0 => "drawn",
            _ => "lost",
        };
        let turns = answer.placements.len();
        format!(
            "{result} against {} after {turns} turns\n",
            instance.opponent
        )
    }
    fn pictures(instance: &Match, answer: &Played) -> Vec<Picture> {
        let mut frames = Vec::new();
        // An answer that cannot be replayed has the frames up to there.
        let _ = replay(instance, &answer.placements, Deadline::never(), |duel| {
            frames.push(frame(duel));
        });
        frames
    }
}

/// Both boards side by side.
fn frame(duel: &Duel) -> Picture {
    let [left, right] = duel.sides.map(|side| drawing::board(&side.board, &[], ""));
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
