//! Instances of `build`, their questions and answers: the goal, what a policy sees, and the templates in play.

use std::sync::Arc;

use ikeru_chain::record::{GameRecord, Replay};
use ikeru_chain::{AboveTop, LossRule, Piece, Placement, Size};
use ikeru_core::{InputError, Score, SettingInfo, Settings, Wrong, choices, refuse, settings};

use super::variants::LEAF_WEIGHTS;
use crate::game::GameRules;
use crate::repertoire::Repertoire;
use crate::templates::criterion::{Completion, Threshold};
use crate::templates::truth::MidChain;
use crate::templates::weights::{self, PairWeight, WeightRule};
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
    /// The default question to `record`: 100 moves and 3 visible pieces, or fewer if fewer pieces are listed.
    pub fn new(record: GameRecord) -> Self {
        let moves = record.pieces.first(MOST_MOVES).len();
        Self {
            record,
            question: Question {
                goal: Goal::default(),
                visible: VISIBLE_PIECES.min(moves.max(1)),
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
        let weights = settings.value(LEAF_WEIGHTS.name()).map(ToString::to_string);
        let weights = weights.iter().flat_map(|name| {
            let sets = weights::SETS.iter();
            sets.filter_map(|set| weights::text(name, set).ok())
        });
        texts.chain(weights).collect::<Vec<_>>().join("\n")
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
    use ikeru_core::testing::settings;

    use super::*;
    use crate::templates::Border;

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
    fn game(text: &str) -> Challenge {
        Challenge::new(GameRecord::read_beginning(text).expect("a game"))
    }

    fn refused(game: &Challenge, words: &str) -> String {
        let refusal = game.ask(&settings(words)).err();
        refusal
            .unwrap_or_else(|| panic!("{words} is asked"))
            .message
    }

    #[test]
    fn each_setting_changes_its_part_of_the_question() {
        type Change = fn(&mut Challenge);
        let unasked = game("seed: 1\n");
        let changes: [(&str, Change); 14] = [
            ("", |_| ()),
            ("goal=template", |game| game.question.goal = Goal::Template),
            ("visible=8", |game| game.question.visible = 8),
            ("visible=1", |game| game.question.visible = 1),
            ("moves=1000", |game| game.question.moves = 1000),
            ("moves=1", |game| game.question.moves = 1),
            ("loss=entrance", |game| {
                game.record.loss = LossRule::Entrance;
            }),
            ("above_top=vanish", |game| {
                game.record.above_top = AboveTop::Vanish;
            }),
            ("templates=domino+stairs", |game| {
                game.question.templates = "domino+stairs".to_owned();
            }),
            ("border=hard", |game| {
                game.question.options.border = Border::Hard;
            }),
            ("pair_weight=minimum", |game| {
                game.question.options.pair_weight = PairWeight::Minimum;
            }),
            ("mid_chain=none", |game| {
                game.question.options.mid_chain = MidChain::None;
            }),
            ("weights=uniform", |game| {
                game.question.options.weight_rule = WeightRule::Uniform;
            }),
            ("completion=all", |game| {
                game.question.completion = Completion::All;
            }),
        ];
        for (words, change) in changes {
            let asked = unasked.ask(&settings(words)).expect("a question");
            let mut expected = unasked.clone();
            change(&mut expected);
            assert_eq!(asked.question, expected.question, "{words}");
            assert_eq!(asked.record, expected.record, "{words}");
            let rules = GameRules {
                visible: expected.question.visible,
                moves: expected.question.moves,
                colours: 4,
                loss: expected.record.loss,
                above_top: expected.record.above_top,
            };
            assert_eq!(asked.rules(), rules, "{words}");
        }
    }

    #[test]
    fn a_threshold_belongs_to_completion_by_the_match() {
        let unasked = game("seed: 1\n");
        let completion = |game: &Challenge, words: &str| {
            let asked = game.ask(&settings(words)).expect("a question");
            (asked.question.completion, asked)
        };
        let half = Completion::Match(Threshold::new(5000));
        let (found, asked) = completion(&unasked, "completion=match completion_match=0.5");
        assert_eq!(found, half);
        assert_eq!(completion(&asked, "goal=template").0, half, "it stays");
        let quarter = Completion::Match(Threshold::new(2500));
        assert_eq!(completion(&asked, "completion_match=0.25").0, quarter);
        let thesis = Completion::Match(Threshold::THESIS);
        assert_eq!(completion(&asked, "completion=match").0, thesis);
        assert_eq!(
            refused(&asked, "completion=all completion_match=0.5"),
            "setting `completion_match` is given, expected `completion=match` beside it"
        );
    }

    #[test]
    fn named_templates_and_those_of_the_goal_must_fit() {
        let wide = game("board: 7x13\nseed: 1\n");
        let fault =
            "template `stairs-1` is 6 wide and 7 high, expected exactly 7 wide and at most 13 high";
        assert!(refused(&wide, "goal=template").ends_with(fault));
        assert!(refused(&wide, "templates=stairs").ends_with(fault));
        assert!(wide.ask(&settings("goal=chain border=hard")).is_ok());
        let two = game("colours: 2\nseed: 1\n");
        assert!(refused(&two, "templates=stairs").contains("cannot be coloured with 2 colours"));
        assert!(two.own_repertoire().is_err() && two.repertoire().is_err());
        assert!(two.ask(&Settings::new()).is_ok());
    }

    #[test]
    fn no_more_is_asked_than_the_listed_pieces_allow() {
        let listed = game("pieces: RG BY RR GG\n");
        assert_eq!((listed.question.moves, listed.pieces().len()), (4, 4));
        let asked = listed.ask(&settings("moves=3 visible=4"));
        assert_eq!(asked.expect("a question").pieces(), listed.pieces()[..3]);
        for (words, most) in [("moves=5", 4), ("visible=5", 4)] {
            let (name, count) = words.split_once('=').expect("a setting");
            assert_eq!(
                refused(&listed, words),
                format!(
                    "setting `{name}` is {count}, expected at most {most}: no more pieces are listed"
                )
            );
        }
        assert!(game("pieces: RG\n").ask(&Settings::new()).is_ok());
        let endless = game("seed: 1\n");
        assert_eq!((endless.question.moves, endless.pieces().len()), (100, 100));
        assert_eq!(endless.question.visible, 3);
    }

    #[test]
    fn the_least_moves_follow_the_conditions_of_the_question() {
        let text = format!("pieces:{}\n", " RG BY".repeat(30));
        let asked = |words: &str| {
            let asked = game(&text).ask(&settings(words)).expect("a question");
            let repertoire = asked.repertoire().expect("templates");
            assert_eq!(
                asked.own_repertoire().map(|own| own.templates.len()),
                Ok(repertoire.templates.len())
            );
            asked.least_moves(&repertoire)
        };
        // 31 of 32 cells need 16 pieces. All groups of the domino have two cells, of which one may be empty, but 18
        // pieces have nine puyos of each colour.
        assert_eq!(asked("completion=standing"), Some(16));
        assert_eq!(asked("templates=domino"), Some(19));
        assert_eq!(asked("completion=all moves=15"), None);
        let started = game(&format!("{text}R.....\n"));
        let repertoire = started.repertoire().expect("templates");
        assert_eq!(started.least_moves(&repertoire), None, "not empty");
        assert_eq!(started.size(), Size::THESIS);
    }
}
