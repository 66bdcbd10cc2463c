//! Instances of `build` and their questions: the goal, what a policy sees, and the templates in play.

use std::sync::Arc;

use ikeru_chain::record::{GameRecord, Replay};
use ikeru_chain::{LossRule, Piece, Placement, Size};
use ikeru_core::{InputError, Setting, Settings, Wrong};

use crate::game::Rules;
use crate::repertoire::Repertoire;
use crate::templates::criterion::{Completion, Threshold};
use crate::templates::truth::MidChain;
use crate::templates::weights::{PairWeight, WeightRule};
use crate::templates::{Border, Options, sets};

/// The goal of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The chain with the largest attack; the score is that attack.
    #[default]
    Chain,
    /// A completed template in few moves; the score is minus the moves.
    Template,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The goal of the game.
    pub goal: Goal,
    /// Pieces that a policy sees.
    pub visible: usize,
    /// The most pieces that may be placed.
    pub moves: usize,
    /// Names of the template sets in play.
    pub templates: String,
    /// The files among them, as they were read when the question was asked.
    pub files: Vec<sets::File>,
    /// How relation matrices are made of them.
    pub options: Options,
    /// When a template counts as completed.
    pub completion: Completion,
}

/// An instance: where a game begins, its pieces, and the question.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// The game before its first move.
    pub record: GameRecord,
    /// What is asked.
    pub question: Question,
}

const GOAL: Setting = Setting {
    name: "goal",
    default: "chain",
    about: "chain: the largest attack; template: a completed template in few moves",
};
const VISIBLE: Setting = Setting {
    name: "visible",
    default: "3",
    about: "pieces that a policy sees, the one to place included, from 1 to 8",
};
const MOVES: Setting = Setting {
    name: "moves",
    default: "",
    about: "the most pieces that may be placed, from 1 to 1000; 100 or all that are listed, if not given",
};
const LOSS: Setting = Setting {
    name: "loss",
    default: "",
    about: "when a game is lost: no-placement, or entrance (also when column 3, row 12 fills); default: as the instance says",
};
const TEMPLATES: Setting = Setting {
    name: "templates",
    default: sets::DEFAULT,
    about: "template sets in play: stairs, sandwich, domino, a file *.txt (FILE.txt:WORD for names that begin with WORD), or several joined by +",
};
const BORDER: Setting = Setting {
    name: "border",
    default: "soft",
    about: "a border cell in the colour of the chain beside it: soft (counts against the match), none (left out), hard (rules the template out)",
};
const COMPLETION: Setting = Setting {
    name: "completion",
    default: "one-missing",
    about: "a template is completed with: one-missing (before or after a chain), standing-or-firing, standing (one missing, after), all, match (at least completion_match)",
};
const COMPLETION_MATCH: Setting = Setting {
    name: "completion_match",
    default: "0.95",
    about: "the match that completes a template under completion=match, from 0 to 1",
};
const PAIR_WEIGHT: Setting = Setting {
    name: "pair_weight",
    default: "mean",
    about: "the weight of a pair from those of its labels: mean or minimum",
};
const MID_CHAIN: Setting = Setting {
    name: "mid_chain",
    default: "capitals",
    about: "labels that corrections by simulation look at: capitals, all (the border falls along), none",
};
const WEIGHTS: Setting = Setting {
    name: "weights",
    default: "thesis",
    about: "weights of labels: thesis (chapter 5) or uniform",
};

/// Moves of a game unless told otherwise.
const MOST_MOVES: usize = 100;

/// The settings of a question.
pub(super) const SETTINGS: [Setting; 11] = [
    GOAL,
    VISIBLE,
    MOVES,
    LOSS,
    TEMPLATES,
    BORDER,
    COMPLETION,
    COMPLETION_MATCH,
    PAIR_WEIGHT,
    MID_CHAIN,
    WEIGHTS,
];

/// The value named in `settings`, if one is.
fn chosen<T: Copy>(
    settings: &Settings,
    setting: &Setting,
    names: &[&str],
    values: &[T],
) -> Result<Option<T>, InputError> {
    if settings.get(setting.name).is_none() {
        return Ok(None);
    }
    let name = settings.choice(setting, names)?;
    let index = name.and_then(|name| names.iter().position(|known| *known == name));
    Ok(index.map(|index| values[index]))
}

impl Challenge {
    /// The default question to `record`: 100 moves, or as many pieces as are listed.
    #[must_use]
    pub fn new(record: GameRecord) -> Self {
        let moves = record.pieces.first(MOST_MOVES).len();
        Self {
            record,
            question: Question {
                goal: Goal::default(),
                visible: 3,
                moves,
                templates: TEMPLATES.default.to_owned(),
                files: Vec::new(),
                options: Options::default(),
                completion: Completion::default(),
            },
        }
    }

    /// The same game with the question that `settings` change.
    ///
    /// # Errors
    /// A value that is not there to choose, a template set that does not fit.
    pub fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        let question = &mut asked.question;
        let goal = chosen(
            settings,
            &GOAL,
            &["chain", "template"],
            &[Goal::Chain, Goal::Template],
        )?;
        question.goal = goal.unwrap_or(question.goal);
        let number = |setting: &Setting, range, before: usize| match settings.get(setting.name) {
            None => Ok(before),
            Some(_) => Ok(settings
                .int(setting, range)?
                .map_or(before, |value| value as usize)),
        };
        question.visible = number(&VISIBLE, 1..=8, question.visible)?;
        question.moves = number(&MOVES, 1..=1000, question.moves)?;
        for (name, count) in [
            (VISIBLE.name, question.visible),
            (MOVES.name, question.moves),
        ] {
            let known = asked.record.pieces.first(count).len();
            if known < count {
                return Err(InputError::new(format!(
                    "setting `{name}` is {count}, expected at most {known}: no more pieces are listed"
                )));
            }
        }
        if let Some(templates) = settings.get(TEMPLATES.name) {
            question.templates = templates.to_string();
            question.files = sets::files(&question.templates)?;
        }
        let options = &mut question.options;
        let border = chosen(settings, &BORDER, &Border::NAMES, &Border::ALL)?;
        options.border = border.unwrap_or(options.border);
        let pair_weight = chosen(settings, &PAIR_WEIGHT, &PairWeight::NAMES, &PairWeight::ALL)?;
        options.pair_weight = pair_weight.unwrap_or(options.pair_weight);
        let mid_chain = chosen(settings, &MID_CHAIN, &MidChain::NAMES, &MidChain::ALL)?;
        options.mid_chain = mid_chain.unwrap_or(options.mid_chain);
        let rule = chosen(settings, &WEIGHTS, &WeightRule::NAMES, &WeightRule::ALL)?;
        options.weight_rule = rule.unwrap_or(options.weight_rule);
        let completion = chosen(settings, &COMPLETION, &Completion::NAMES, &Completion::ALL)?;
        question.completion = completion.unwrap_or(question.completion);
        if settings.get(COMPLETION_MATCH.name).is_some()
            && let Some(threshold) = Threshold::of(settings, &COMPLETION_MATCH)?
        {
            if !matches!(question.completion, Completion::Match(_)) {
                return Err(InputError::new(
                    "setting `completion_match` is given, expected `completion=match` beside it",
                ));
            }
            question.completion = Completion::Match(threshold);
        }
        let losses = [LossRule::NoPlacement, LossRule::Entrance];
        let loss = chosen(settings, &LOSS, &LossRule::NAMES, &losses)?;
        asked.record.loss = loss.unwrap_or(asked.record.loss);
        if asked.question.goal == Goal::Template || settings.get(TEMPLATES.name).is_some() {
            asked.repertoire()?;
        }
        Ok(asked)
    }

    /// The templates in play.
    ///
    /// # Errors
    /// When they do not fit the board.
    pub fn repertoire(&self) -> Result<Arc<Repertoire>, InputError> {
        let question = &self.question;
        Repertoire::named(
            &question.templates,
            &question.files,
            self.size(),
            question.options,
            self.record.colours(),
        )
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> Size {
        self.record.start.size()
    }

    /// The pieces that may be placed.
    #[must_use]
    pub fn pieces(&self) -> Vec<Piece> {
        self.record.pieces.first(self.question.moves)
    }

    /// A lower bound on the moves that complete a template of `repertoire`; none if puyos stand
    /// already, which would have to be counted in.
    #[must_use]
    pub fn least_moves(&self, repertoire: &Repertoire) -> Option<usize> {
        let criterion = self.question.completion.after();
        let empty = self.record.start.stones() == 0;
        let least = empty.then(|| repertoire.least_moves(&self.pieces(), criterion));
        least.flatten()
    }

    /// The text of the files that `settings` name.
    #[must_use]
    pub fn content(settings: &Settings) -> String {
        let names = settings.get(TEMPLATES.name).map(ToString::to_string);
        // A file that cannot be read is refused where the question is asked.
        let files = names.and_then(|names| sets::files(&names).ok());
        let texts = files.into_iter().flatten().map(|(_, text)| text);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The rules of the game.
    #[must_use]
    pub fn rules(&self) -> Rules {
        Rules {
            visible: self.question.visible,
            moves: self.question.moves,
            colours: self.record.colours(),
            loss: self.record.loss,
        }
    }

    /// Plays `placements` with the referee's simulator.
    ///
    /// # Errors
    /// The first illegal one.
    pub fn replay(&self, placements: &[Placement]) -> Result<Replay, Wrong> {
        let record = self.record.with(placements);
        record
            .replay()
            .map_err(|illegal| Wrong(illegal.to_string()))
    }
}
