//! Instances of `build`, their questions and answers: the goal, what a policy sees, and the templates in play.

use std::sync::Arc;

use ikeru_chain::record::{GameRecord, Replay};
use ikeru_chain::{AboveTop, LossRule, Piece, Placement, Size};
use ikeru_core::{InputError, Score, SettingInfo, Settings, Wrong, choices, refuse, settings};

use crate::game::GameRules;
use crate::repertoire::Repertoire;
use crate::templates::criterion::{Completion, Threshold};
use crate::templates::truth::MidChain;
use crate::templates::weights::{PairWeight, WeightRule};
use crate::templates::{BORDER, TemplateOptions, sets};

/// A game as a policy played it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Played {
    /// The placement of each piece.
    pub placements: Vec<Placement>,
    /// The score that the policy claims.
    pub score: Score,
}

choices! {
    /// The goal of a game.
    #[derive(Default)]
    pub enum Goal {
        /// The chain with the largest attack; the score is that attack.
        #[default]
        Chain = "chain",
        /// A completed template in few moves; the score is minus the moves.
        Template = "template",
    }
}

/// The question.
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
    /// The files among them, with the text that was read when the question was asked.
    pub files: Vec<sets::File>,
    /// The options for making relation matrices of the templates.
    pub options: TemplateOptions,
    /// The conditions under which a template counts as completed.
    pub completion: Completion,
}

/// An instance: the start of a game, its pieces, and the question.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// The game before its first move.
    pub record: GameRecord,
    /// The question.
    pub question: Question,
}

/// Pieces that a policy sees by default.
const VISIBLE_PIECES: usize = 3;
/// Moves of a game by default.
const MOST_MOVES: usize = 100;

settings! {
    GOAL: Goal = "goal", "chain", "chain: the largest attack; template: a completed template in few moves";
    VISIBLE: usize = "visible", VISIBLE_PIECES, 1..=8, "pieces that a policy sees, the one to place included";
    MOVES: Option<usize> = "moves", 1..=1000, "the most pieces that may be placed; 100 or all that are listed, if not given";
    LOSS: Option<LossRule> = "loss", "when a game is lost: no-placement, or entrance (also when column 3, row 12 fills); default: as the instance says";
    ABOVE_TOP: Option<AboveTop> = "above_top", "a puyo that would land above the top row: illegal (the placement is) or vanish (it does); default: as the instance says";
    TEMPLATES: String = "templates", sets::DEFAULT, "template sets in play: stairs, sandwich, domino, a file *.txt (FILE.txt:WORD for names that begin with WORD), or several joined by +";
    COMPLETION: Completion = "completion", "one-missing", "a template is completed with: one-missing (before or after a chain), standing-or-firing, standing (one missing, after), all, match (at least completion_match)";
    COMPLETION_MATCH: f64 = "completion_match", Threshold::THESIS.value(), 0.0..=1.0, "the match that completes a template under completion=match";
    PAIR_WEIGHT: PairWeight = "pair_weight", "mean", "the weight of a pair from those of its labels";
    MID_CHAIN: MidChain = "mid_chain", "capitals", "labels that corrections by simulation look at: capitals, all (the border falls along), none";
    WEIGHTS: WeightRule = "weights", "thesis", "weights of labels: thesis (chapter 5), by-kind (its other reading: a capital has 100 only against capitals, 10 against the border) or uniform";
}

/// The settings of a question.
pub(super) const SETTINGS: &[SettingInfo] = settings![GOAL VISIBLE MOVES LOSS ABOVE_TOP TEMPLATES BORDER COMPLETION COMPLETION_MATCH PAIR_WEIGHT MID_CHAIN WEIGHTS];

impl Challenge {
    /// The default question to `record`: 100 moves, or fewer if fewer pieces are listed.
    pub fn new(record: GameRecord) -> Self {
        let moves = record.pieces.first(MOST_MOVES).len();
        Self {
            record,
            question: Question {
                goal: Goal::default(),
                visible: VISIBLE_PIECES,
                moves,
                templates: sets::DEFAULT.to_owned(),
                files: Vec::new(),
                options: TemplateOptions::default(),
                completion: Completion::default(),
            },
        }
    }

    /// The same game with the question that `settings` change.
    ///
    /// # Errors
    /// An unknown value, or a template set that does not fit.
    pub fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        let question = &mut asked.question;
        settings.change(&GOAL, &mut question.goal)?;
        settings.change(&VISIBLE, &mut question.visible)?;
        settings.change(&MOVES, &mut question.moves)?;
        for (name, count) in [
            (VISIBLE.name(), question.visible),
            (MOVES.name(), question.moves),
        ] {
            asked.record.check_listed(name, count)?;
        }
        let templates = settings.given(&TEMPLATES)?;
        let named = templates.is_some();
        if let Some(templates) = templates {
            question.files = sets::files(&templates)?;
            question.templates = templates;
        }
        let options = &mut question.options;
        settings.change(&BORDER, &mut options.border)?;
        settings.change(&PAIR_WEIGHT, &mut options.pair_weight)?;
        settings.change(&MID_CHAIN, &mut options.mid_chain)?;
        settings.change(&WEIGHTS, &mut options.weight_rule)?;
        settings.change(&COMPLETION, &mut question.completion)?;
        if let Some(value) = settings.given(&COMPLETION_MATCH)? {
            let Completion::Match(threshold) = &mut question.completion else {
                refuse!(
                    "setting `completion_match` is given, expected `completion=match` beside it"
                );
            };
            *threshold = Threshold::of(COMPLETION_MATCH.name(), value)?;
        }
        settings.change(&LOSS, &mut asked.record.loss)?;
        settings.change(&ABOVE_TOP, &mut asked.record.above_top)?;
        if asked.question.goal == Goal::Template || named {
            asked.repertoire()?;
        }
        Ok(asked)
    }

    /// The templates in play, for the question and the referee.
    ///
    /// # Errors
    /// If they do not fit the board.
    pub fn repertoire(&self) -> Result<Arc<Repertoire>, InputError> {
        let (asked, colours) = (&self.question, self.record.colours());
        let (names, files) = (&asked.templates, &asked.files);
        Repertoire::shared(names, files, self.size(), asked.options, colours)
    }

    /// The templates in play, built anew for a solver.
    ///
    /// # Errors
    /// If they do not fit the board.
    pub fn own_repertoire(&self) -> Result<Repertoire, InputError> {
        let (asked, colours) = (&self.question, self.record.colours());
        let (names, files) = (&asked.templates, &asked.files);
        Repertoire::named(names, files, self.size(), asked.options, colours)
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.record.start.size()
    }

    /// The pieces that may be placed.
    pub fn pieces(&self) -> Vec<Piece> {
        self.record.pieces.first(self.question.moves)
    }

    /// A lower bound on the moves that complete a template of `repertoire`; `None` if the start board is not empty,
    /// because its puyos would have to be counted.
    pub fn least_moves(&self, repertoire: &Repertoire) -> Option<usize> {
        let criterion = self.question.completion.after();
        match self.record.start.stones() {
            0 => repertoire.least_moves(&self.pieces(), criterion),
            _ => None,
        }
    }

    /// The text of the files that `settings` name.
    pub fn content(settings: &Settings) -> String {
        let names = settings.value(TEMPLATES.name()).map(ToString::to_string);
        // A file that cannot be read is refused when the question is asked.
        let files = names.and_then(|names| sets::files(&names).ok());
        let texts = files.into_iter().flatten().map(|(_, text)| text);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The rules of the game.
    pub fn rules(&self) -> GameRules {
        GameRules {
            visible: self.question.visible,
            moves: self.question.moves,
            colours: self.record.colours(),
            loss: self.record.loss,
            above_top: self.record.above_top,
        }
    }

    /// Plays `placements` with the referee's simulator.
    ///
    /// # Errors
    /// Names the first illegal placement.
    pub fn replay(&self, placements: &[Placement]) -> Result<Replay, Wrong> {
        let record = self.record.with(placements);
        record
            .replay()
            .map_err(|illegal| Wrong(illegal.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_defaults_are_those_of_an_unasked_question() {
        let unasked = Challenge::new(GameRecord::beginning(Size::THESIS, 1, 4));
        let declared = Settings::new().with_defaults(SETTINGS);
        let declared = declared
            .iter()
            .filter(|(name, _)| *name != COMPLETION_MATCH.name());
        let settings: Settings = declared
            .map(|(name, value)| (name, value.clone()))
            .collect();
        let asked = unasked.ask(&settings).expect("the defaults fit");
        assert_eq!(asked.question, unasked.question);
    }
}
