//! The referee: replays the placements with its own simulator and decides by matrices when a template is completed.

use std::sync::{Arc, OnceLock};

use ikeru_chain::firing::Firing;
use ikeru_chain::points::points;
use ikeru_chain::record::{RecordedMove, Replay};
use ikeru_chain::{Board, resolve};
use ikeru_core::{Checked, Deadline, InputError, Referee, Refereed, Rejection, Score, Wrong};

use super::Build;
use super::challenge::{Challenge, Goal, Played};
use crate::matching::Constraints;
use crate::repertoire::Repertoire;

/// The referee of one challenge. It builds the templates at the first answer that it measures.
#[derive(Default)]
pub struct Judge(OnceLock<Result<Arc<Repertoire>, InputError>>);

impl Referee<Build> for Judge {
    fn check(&self, instance: &Challenge, answer: &Played, deadline: Deadline) -> Refereed {
        let (count, limit) = (answer.placements.len(), instance.question.moves);
        if count > limit {
            return Err(Wrong(format!("{count} placements, at most {limit} are allowed")).into());
        }
        let replay = instance.replay(&answer.placements)?;
        let checked = self.measure(instance, &replay, deadline)?;
        match checked.score {
            Some(score) if score != answer.score => {
                let claimed = answer.score;
                let why = format!("claimed a score of {claimed}, the game has {score}");
                Err(Wrong(why).into())
            }
            _ => Ok(checked),
        }
    }
}

impl Judge {
    /// The score of a game and everything measured on it.
    pub(super) fn measure(
        &self,
        instance: &Challenge,
        replay: &Replay,
        deadline: Deadline,
    ) -> Refereed {
        let largest = replay.largest();
        let (move_number, chain) =
            largest.map_or_else(Default::default, |(number, played)| (number, played.chain));
        let points = largest.map_or(0, |(_, played)| points(&Firing::of(&played.placed)));
        let mut measures = vec![
            ("chains", f64::from(chain.steps)),
            ("attack", f64::from(chain.attack)),
            ("points", points as f64),
            (
                "surplus",
                f64::from(chain.cleared) - 4.0 * f64::from(chain.steps),
            ),
            ("moves", move_number as f64),
            ("below_8", flag(chain.steps < 8)),
            ("placed", replay.moves.len() as f64),
            ("lost", flag(replay.lost)),
        ];
        let repertoire = self.0.get_or_init(|| instance.repertoire()).as_ref();
        let score = match instance.question.goal {
            Goal::Chain => {
                if let Ok(repertoire) = repertoire {
                    let built = moves_to_completion(instance, repertoire, replay, deadline)?;
                    measures.push(("built", flag(built.is_some())));
                }
                Score::from(chain.attack)
            }
            Goal::Template => {
                let repertoire = repertoire.map_err(|error| Wrong(error.message.clone()))?;
                measures.push(("templates", repertoire.templates.len() as f64));
                if repertoire.sets.len() > 1 {
                    measures.extend(matching(instance, repertoire, replay));
                }
                let moves = moves_to_completion(instance, repertoire, replay, deadline)?;
                measures.push(("completed", flag(moves.is_some())));
                measures.extend(moves.map(|moves| ("moves_to_completion", moves as f64)));
                measures.push(("over_30", flag(moves.is_none_or(|moves| moves > 30))));
                let least = instance.least_moves(repertoire);
                measures.extend(least.map(|moves| ("least_moves", moves as f64)));
                let regret = moves
                    .zip(least)
                    .map(|(moves, least)| moves as f64 - least as f64);
                measures.extend(regret.map(|regret| ("regret_at_most", regret)));
                -(moves.unwrap_or(instance.question.moves + 1) as Score)
            }
        };
        Ok(Checked {
            score: Some(score),
            measures,
        })
    }
}

/// The number, from 1, of the first move that completes a template of `repertoire`.
fn moves_to_completion(
    instance: &Challenge,
    repertoire: &Repertoire,
    replay: &Replay,
    deadline: Deadline,
) -> Result<Option<usize>, Rejection> {
    let completion = instance.question.completion;
    let complete = |board: &Board, criterion| repertoire.completed(board, criterion);
    for (number, played) in (1..).zip(&replay.moves) {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        let before = completion.before();
        if before.is_some_and(|criterion| complete(&played.placed, criterion))
            || complete(&played.after, completion.after())
        {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Measures which templates the boards of a game violate: `one_set_from` and `stays_dead`.
fn matching(
    instance: &Challenge,
    repertoire: &Repertoire,
    replay: &Replay,
) -> Vec<(&'static str, f64)> {
    let matcher = &repertoire.matcher;
    let colours = instance.record.colours();
    let alive = |board: &Board| Constraints::of(matcher, board, colours).alive;
    let is_one = |played: &RecordedMove| {
        let sets = repertoire.sets.iter();
        let left = alive(&played.after);
        sets.filter(|set| left & **set != 0).count() <= 1
    };
    let one_set_from = (1..).zip(&replay.moves).find(|(_, played)| is_one(played));
    let above_top = instance.record.above_top;
    let (mut children, mut dead_children) = (0, 0);
    for played in &replay.moves {
        let dead = matcher.all() & !alive(&played.before);
        for placement in above_top.placements(played.piece, &played.before) {
            let mut below = played.before;
            below.place_in_part(played.piece, placement);
            resolve(&mut below);
            children += dead.count_ones();
            dead_children += (dead & !alive(&below)).count_ones();
        }
    }
    let stays_dead = (children > 0).then(|| f64::from(dead_children) / f64::from(children));
    let one_set_from = one_set_from.map(|(number, _)| ("one_set_from", f64::from(number)));
    let stays_dead = stays_dead.map(|share| ("stays_dead", share));
    one_set_from.into_iter().chain(stays_dead).collect()
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use ikeru_chain::format::write_field;
    use ikeru_chain::{Cell, PuyoColour, Size};
    use ikeru_core::Problem;
    use ikeru_core::testing::settings;

    use super::*;
    use crate::templates::criterion::{Completion, Threshold};
    use crate::templates::{Border, TemplateOptions, colouring};

    fn asked(text: &str, question: &str) -> Challenge {
        let game = Build::read(text).expect("a game");
        Build::ask(&game, &settings(question)).expect("a question")
    }

    /// The game of `text`, whose goal is one of the templates `drawings`, each of them a set.
    fn aimed(text: &str, drawings: &[&str]) -> Challenge {
        let mut game = asked(text, "");
        let paths = (1..=drawings.len()).map(|number| format!("{number}.txt"));
        let paths: Vec<String> = paths.collect();
        game.question.goal = Goal::Template;
        game.question.templates = paths.join("+");
        let texts = drawings.iter().map(|text| (*text).to_owned());
        game.question.files = paths.into_iter().zip(texts).collect();
        game
    }

    fn judged(game: &Challenge, words: &str, score: Score) -> Refereed {
        let words = words.split_whitespace();
        let answer = Played {
            placements: words.map(|word| word.parse().expect("placed")).collect(),
            score,
        };
        Judge::default().check(game, &answer, Deadline::never())
    }

    /// The score and the measures that the referee computes. The claimed score does not matter.
    fn found(game: &Challenge, words: &str) -> (Score, Vec<(&'static str, f64)>) {
        let words = words.split_whitespace();
        let placements: Vec<_> = words.map(|word| word.parse().expect("placed")).collect();
        let replay = game.replay(&placements).expect("a legal game");
        let checked = Judge::default().measure(game, &replay, Deadline::never());
        let checked = checked.expect("measures");
        (checked.score.expect("a score"), checked.measures)
    }

    fn measured(game: &Challenge, words: &str, name: &str) -> Option<f64> {
        let (_, measures) = found(game, words);
        let mut named = measures.iter().filter(|(known, _)| *known == name);
        named.next().map(|(_, value)| *value)
    }

    fn refused(refereed: Refereed) -> String {
        match refereed {
            Err(Rejection::Wrong(Wrong(why))) => why,
            other => panic!("expected a wrong answer: {other:?}"),
        }
    }

    const FLAT: &str = "# flat\nAAAA..\n";
    const TALL: &str = "# tall\n.....A\n.....A\n.....A\n.....A\n";
    /// Pieces of a chain of two, followed by a chain of one.
    const TWO_STEPS: &str = "pieces: RR RG GG GY RB YY YB\n";
    /// Four reds vanish, and a green falls next to three greens.
    const TWO_STEPS_PLACED: &str = "2U 2U 3U 3U 1U 3U 3U";

    #[test]
    fn the_measures_of_a_chain_of_two_are_those_computed_by_hand() {
        let game = asked(TWO_STEPS, "");
        let mut expected = vec![
            ("chains", 2.0),
            ("attack", 6.0),
            // 40, and 40 times the bonus 8 of the second step.
            ("points", 360.0),
            ("surplus", 0.0),
            ("moves", 5.0),
            ("below_8", 1.0),
            ("placed", 7.0),
            ("lost", 0.0),
        ];
        expected.push(("built", 0.0));
        let checked = judged(&game, TWO_STEPS_PLACED, 6).expect("a right answer");
        assert_eq!((checked.score, checked.measures), (Some(6), expected));
    }

    #[test]
    fn one_change_of_a_right_answer_is_refused_with_its_reason() {
        let game = asked(TWO_STEPS, "");
        for claimed in [5, 7, 0, -6] {
            assert_eq!(
                refused(judged(&game, TWO_STEPS_PLACED, claimed)),
                format!("claimed a score of {claimed}, the game has 6")
            );
        }
        for (words, why) in [
            // The red lands next to no red.
            (
                "2U 2U 3U 3U 5U 3U 3U",
                "claimed a score of 6, the game has 0",
            ),
            (
                "2U 2U 3U 3U 1U 3U 3U 6U",
                "8 placements, at most 7 are allowed",
            ),
            ("2U 2U 3U 3U", "claimed a score of 6, the game has 0"),
            (
                "2U 2U 3U 3U 7U 3U 3U",
                "move 5 (7U) is illegal: it is outside the board",
            ),
            (
                "2U 2U 3U 3U 6R 3U 3U",
                "move 5 (6R) is illegal: it is outside the board",
            ),
        ] {
            assert_eq!(refused(judged(&game, words, 6)), why, "{words}");
        }
        let shorter = asked(TWO_STEPS, "moves=5");
        assert!(judged(&shorter, "2U 2U 3U 3U 1U", 6).is_ok());
        assert_eq!(
            refused(judged(&shorter, "2U 2U 3U 3U 1U 3U", 6)),
            "6 placements, at most 5 are allowed"
        );
        let high = asked("pieces: RG BY RG BY RG BY RG\n", "");
        assert!(judged(&high, "1U 1U 1U 1U 1U 1U 2U", 0).is_ok());
        assert_eq!(
            refused(judged(&high, "1U 1U 1U 1U 1U 1U 1U", 0)),
            "move 7 (1U) is illegal: it does not fit under the top row"
        );
    }

    #[test]
    fn a_game_is_lost_only_if_a_next_piece_does_not_fit() {
        let full = "board: 2x2\npieces: RG BY RG\n";
        assert_eq!(
            measured(&asked(full, ""), "1U 2U", "lost"),
            Some(1.0),
            "no cell is free for the third piece"
        );
        assert_eq!(measured(&asked(full, ""), "1U", "lost"), Some(0.0));
        let game = asked(full, "");
        assert_eq!(
            refused(judged(&game, "1U 2U 1U", 0)),
            "move 3 (1U) is illegal: the game was lost before"
        );
    }

    #[test]
    fn the_first_of_several_chains_with_the_largest_attack_counts() {
        let game = asked("pieces: RR RR YB RR RR RR RR RR RR\n", "");
        let value = |words: &str, name: &str| measured(&game, words, name);
        // Four reds vanish twice: the attack of both chains is 0.
        let twice = "1U 2U 6U 1U 2U";
        assert_eq!(value(twice, "chains"), Some(1.0));
        assert_eq!(value(twice, "attack"), Some(0.0));
        assert_eq!(value(twice, "points"), Some(40.0));
        assert_eq!(value(twice, "moves"), Some(2.0));
        // A later chain of six has an attack of 2.
        let later = "1U 2U 6U 1U 3U 2U";
        assert_eq!(value(later, "moves"), Some(6.0));
        assert_eq!(value(later, "attack"), Some(2.0));
        assert_eq!(value(later, "points"), Some(10.0 * 6.0 * 3.0));
        // Without a chain, no move fired one.
        assert_eq!(found(&game, "1U").0, 0);
        for name in ["chains", "attack", "points", "moves", "lost"] {
            assert_eq!(value("1U", name), Some(0.0), "{name}");
        }
        assert_eq!(value("1U", "below_8"), Some(1.0));
        assert_eq!(value("", "placed"), Some(0.0));
    }

    /// A start board with the chain of the first template of the stairs, without its trigger and without the groups
    /// from number `groups` on, and the game in which one move fires it.
    fn stairs_before_the_trigger(groups: usize) -> (Challenge, String) {
        let repertoire = asked("colours: 4\nseed: 1\n", "").repertoire();
        let repertoire = repertoire.expect("the stairs");
        let template = &repertoire.templates[0];
        let mut colours = Vec::new();
        let _ = colouring::for_each_colouring(template, 4, &mut |colouring| {
            colours = colouring.to_vec();
            ControlFlow::Break(())
        });
        let colour = |index: usize| PuyoColour::new(index).expect("a colour");
        let trigger = template.trigger().expect("a trigger");
        let mut board = Board::empty(Size::THESIS);
        for cell in template.capital_cells().filter(|&cell| cell != trigger) {
            let label = template.labels.label(cell).expect("a capital");
            if label < groups {
                let puyo = Cell::Puyo(colour(colours[label]));
                board.set(cell % 6, cell / 6, puyo);
            }
        }
        // The child is of a fifth colour, so that it joins no group.
        let piece = format!("{}P", colour(colours[0]).letter());
        let text = format!("pieces: {piece} {piece} {piece}\n{}", write_field(&board));
        (asked(&text, ""), format!("{}U", trigger % 6 + 1))
    }

    #[test]
    fn a_chain_of_eight_is_not_below_eight_and_is_built() {
        let (game, trigger) = stairs_before_the_trigger(8);
        let (score, measures) = found(&game, &trigger);
        assert_eq!(score, 3 * 8 * 7);
        let bonuses = [1, 8, 16, 32, 64, 96, 128, 160];
        for expected in [
            ("chains", 8.0),
            ("points", 40.0 * f64::from(bonuses.iter().sum::<i32>())),
            ("below_8", 0.0),
            ("built", 1.0),
        ] {
            assert!(measures.contains(&expected), "{expected:?}: {measures:?}");
        }
        // The chain is built, though it is not fired; a cell next to it is none of it.
        assert_eq!(measured(&game, "6U", "built"), Some(1.0));
        assert_eq!(measured(&game, "", "built"), Some(0.0), "no move");
        let (game, trigger) = stairs_before_the_trigger(7);
        let (score, measures) = found(&game, &trigger);
        assert_eq!(score, 3 * 7 * 6);
        for expected in [("chains", 7.0), ("below_8", 1.0), ("built", 0.0)] {
            assert!(measures.contains(&expected), "{expected:?}: {measures:?}");
        }
    }

    #[test]
    fn whether_a_template_was_built_is_measured_only_where_the_templates_fit() {
        let wide = asked("board: 7x13\npieces: RR RR RR\n", "");
        assert_eq!(measured(&wide, "1U 2U", "built"), None);
        assert_eq!(found(&wide, "1U 2U").0, 0);
        let mut wide = aimed("board: 7x13\npieces: RR RR RR\n", &[FLAT]);
        let why = refused(judged(&wide, "1U 2U", -4));
        assert!(why.contains("expected exactly 7 wide"), "{why}");
        wide.question.goal = Goal::Chain;
        assert!(judged(&wide, "1U 2U", 0).is_ok());
    }

    #[test]
    fn the_measures_of_a_completed_template_are_those_computed_by_hand() {
        let game = aimed("pieces: RR RG RB RR\n", &[FLAT]);
        let all = |words: &str| {
            let (score, mut measures) = found(&game, words);
            (score, measures.split_off(8))
        };
        let completed = |moves: f64| {
            vec![
                ("templates", 1.0),
                ("completed", 1.0),
                ("moves_to_completion", moves),
                ("over_30", 0.0),
                // Three reds are among the first two pieces.
                ("least_moves", 2.0),
                ("regret_at_most", moves - 2.0),
            ]
        };
        assert_eq!(all("1R 3U"), (-2, completed(2.0)));
        assert_eq!(all("1R 5U 3U"), (-3, completed(3.0)));
        // Moves after the first completion change nothing.
        assert_eq!(all("1R 3U 6U 5U"), (-2, completed(2.0)));
        let open = vec![
            ("templates", 1.0),
            ("completed", 0.0),
            ("over_30", 1.0),
            ("least_moves", 2.0),
        ];
        assert_eq!(all("1R 5U"), (-5, open), "one move more than are allowed");
        for claimed in [-4, -2, 3, 0] {
            assert_eq!(
                refused(judged(&game, "1R 5U 3U", claimed)),
                format!("claimed a score of {claimed}, the game has -3")
            );
        }
        assert!(judged(&game, "1R 5U 3U", -3).is_ok());
        // The bound holds only for an empty board.
        let mut started = aimed("R.....\npieces: RR RG RB RR\n", &[FLAT]);
        assert_eq!(measured(&started, "2R 6U", "least_moves"), None);
        assert_eq!(measured(&started, "2R 6U", "regret_at_most"), None);
        assert_eq!(
            measured(&started, "2R 6U", "moves_to_completion"),
            Some(1.0)
        );
        // Two sets with a template each.
        started.question.files[0].1 += "\n# tall\n.....A\n.....A\n.....A\n.....A\n";
        assert_eq!(measured(&started, "2R 6U", "templates"), Some(2.0));
        assert_eq!(measured(&started, "2R 6U", "stays_dead"), None, "one set");
    }

    #[test]
    fn a_template_that_needs_31_moves_is_over_30() {
        let game = aimed(&format!("pieces:{}\n", " RR".repeat(40)), &[FLAT]);
        // Two pieces in column 6 vanish.
        for (waiting, over) in [(27, 0.0), (28, 0.0), (29, 1.0)] {
            let words = format!("{}1R 3R", "6U ".repeat(waiting));
            let moves = waiting as f64 + 2.0;
            let (score, measures) = found(&game, &words);
            assert_eq!(score, -(waiting as Score) - 2);
            for expected in [
                ("moves_to_completion", moves),
                ("over_30", over),
                ("least_moves", 2.0),
                ("regret_at_most", moves - 2.0),
            ] {
                assert!(measures.contains(&expected), "{expected:?}: {measures:?}");
            }
        }
    }

    #[test]
    fn each_condition_of_completion_is_met_by_its_own_boards() {
        let mut game = aimed("pieces: RR RR RG RG\n", &[FLAT]);
        game.question.options = TemplateOptions {
            border: Border::None,
            ..TemplateOptions::default()
        };
        // The fourth red fires; three reds stand; a green is in the place of the fourth; two reds stand.
        let games = ["1R 3R", "1R 6U 3U", "1R 6U 3R", "1R"];
        let match_of = |parts| Completion::Match(Threshold::new(parts));
        for (completion, completes) in [
            (Completion::OneMissing, [true, true, false, false]),
            (Completion::StandingOrFiring, [true, true, false, false]),
            (Completion::Standing, [false, true, false, false]),
            (Completion::All, [true, false, false, false]),
            // The weights of all pairs of the four cells are equal: three cells match by 9/16, two by 4/16.
            (match_of(10_000), [true, false, false, false]),
            (match_of(5626), [true, false, false, false]),
            (match_of(5625), [true, true, false, false]),
            (match_of(2501), [true, true, false, false]),
            (match_of(2500), [true, true, true, true]),
        ] {
            game.question.completion = completion;
            let found = games.map(|words| measured(&game, words, "completed") == Some(1.0));
            assert_eq!(found, completes, "{completion:?}");
        }
    }

    #[test]
    fn the_share_of_placements_after_which_a_template_stays_dead_is_counted() {
        let measures = |game: &Challenge, words: &str| {
            ["one_set_from", "stays_dead"].map(|name| measured(game, words, name))
        };
        let game = aimed("pieces: GG GR GB\n", &[FLAT, TALL]);
        // The second move puts a red beside a green, and both colours are in cells of A. Of 22 placements of the third
        // piece, three let four greens vanish so that only one colour is left.
        let found = measures(&game, "2U 2L 6U");
        assert_eq!(found, [Some(2.0), Some(19.0 / 22.0)]);
        assert_eq!(measures(&game, "2U 2L 1U"), found, "repaired");
        assert_eq!(measures(&game, "2U 2L"), [Some(2.0), None]);
        assert_eq!(measures(&game, "2U"), [None, None]);
        // Two of the 22 placements are illegal on a board of four rows. If puyos vanish above the top row, both are
        // legal, and the green of one of them lets the greens vanish.
        for (rule, share) in [("illegal", 17.0 / 20.0), ("vanish", 18.0 / 22.0)] {
            let text = format!("board: 6x4\nabove_top: {rule}\npieces: GG GR GB\n");
            let low = aimed(&text, &[FLAT, TALL]);
            assert_eq!(measures(&low, "2U 2L 6U"), [Some(2.0), Some(share)]);
        }
        // A start board that violates a template.
        let started = aimed(".G....\n.G....\nRG....\npieces: GB GB GB\n", &[FLAT, TALL]);
        assert_eq!(measures(&started, "6U"), [Some(1.0), Some(19.0 / 22.0)]);
        // A template of each set is violated: no set is left.
        let none = aimed("pieces: GG RY RY\n", &[FLAT, TALL]);
        assert_eq!(measures(&none, "1U 6U 5U"), [Some(2.0), Some(1.0)]);
        let [from, share] = measures(&none, "1R 3R");
        assert_eq!((from, share), (Some(2.0), None));
    }

    #[test]
    fn the_referee_stops_at_its_deadline_before_the_next_move() {
        let stop = AtomicBool::new(true);
        let passed = Deadline::never().or_stop(&stop);
        let game = aimed("pieces: RR RG RG\n", &[FLAT]);
        let check = |words: &str, score| {
            let words = words.split_whitespace();
            let answer = Played {
                placements: words.map(|word| word.parse().expect("placed")).collect(),
                score,
            };
            Judge::default().check(&game, &answer, passed)
        };
        assert_eq!(check("1R 3U", -2), Err(Rejection::Timeout));
        assert!(check("", -4).is_ok(), "there is no move to examine");
    }
}
