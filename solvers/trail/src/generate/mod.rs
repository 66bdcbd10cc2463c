//! Generators of boards: `trail.random` with a mix of operations, `trail.worst` with islands whose access costs about
//! as much as they add, and the article's example.
//!
//! Every parameter of `trail.random` that is not given comes from its preset. The presets are the article's boards;
//! other sizes have the mix of the article's 7×7 board.

use std::sync::Arc;

use ikeru_core::{
    Generator, InputError, Random, Settings, generators, input_error, refuse, settings,
};

use crate::TrailProblem;
use crate::format;
use crate::puzzle::{EdgeOperation, Puzzle, PuzzleBoard, check_size, edge_count};

mod mix;
mod worst;

use mix::{Mix, Preset};

/// Every generator.
pub const ALL: &[Generator<TrailProblem>] = generators! {
    "trail.random" (PRESET WIDTH HEIGHT PLUS MINUS PLUS_LOW PLUS_HIGH PLUS_SUM MINUS_LOW MINUS_HIGH FACTORS FACTOR_COUNT START GOAL) random,
        "a board with a mix of operations in random places, by default the article's";
    "trail.worst" (WIDTH HEIGHT FACTORS FACTOR_COUNT START GOAL) worst::generate,
        "a hard board: `+` edges in islands, and `-` edges between them that cost what an island is worth";
    "trail.example" () example, "the article's 3×3 example, the same for every seed";
};

/// The article's 3×3 example with a trail that scores 12. The article prints the board as a picture; its text gives
/// nine of the operations by two trails. The other three (`-1`, `-2`, `+5`: B–E, E–H and F–I) are taken from the sample
/// of the author's program, which is the same board.
const EXAMPLE: &str = "3 3\n+1 +2\n+4 -1 +1\n+3 *2\n*3 -2 +5\n-4 +1\n1 0 8\n5 0 3 6 7 8 12\n";

/// The longest side of a board that a generator makes.
const SIDE: usize = 64;
/// The largest number of a generated operation.
const NUMBER: i64 = 1_000_000;

settings! {
    PRESET: Option<Preset> = "preset", "size and mix of one of the article's boards (default: none, then width and height decide)";
    WIDTH: Option<usize> = "width", 1..=SIDE, "vertices in a row (default: the preset's, else 7)";
    HEIGHT: Option<usize> = "height", 1..=SIDE, "vertices in a column (default: the preset's, else the width)";
    PLUS: Option<String> = "plus", "`+` edges as a count, or with a decimal point as a share (default: all that is left)";
    MINUS: Option<String> = "minus", "`-` edges as a count, or with a decimal point as a share (default: all that is left, or the preset's share)";
    PLUS_LOW: i64 = "plus_low", 1, 0..=NUMBER, "least number of a `+`";
    PLUS_HIGH: Option<i64> = "plus_high", 0..=NUMBER, "greatest number of a `+` (default: the preset's, else 9)";
    PLUS_SUM: Option<i64> = "plus_sum", 0..=i64::MAX, "what all `+` add up to (default: as it falls, in the 7x7 preset 148)";
    MINUS_LOW: i64 = "minus_low", 1, 0..=NUMBER, "least number of a `-`";
    MINUS_HIGH: i64 = "minus_high", 2, 0..=NUMBER, "greatest number of a `-`";
    FACTORS: Option<String> = "factors", "the factors of the `×` edges as `2x2x3x3` (default: the preset's, else 2x2x3x3)";
    FACTOR_COUNT: Option<i64> = "factor_count", 0..=64, "instead of `factors`: so many `×` edges, each 2 or 3 by chance";
    START: usize = "start", 0, 0..=SIDE * SIDE - 1, "the start, a vertex number";
    GOAL: Option<usize> = "goal", 0..=SIDE * SIDE - 1, "the goal, a vertex number (default: the bottom right)";
}

fn example(_: &Settings, _: &mut Random) -> Result<Puzzle, InputError> {
    format::read(EXAMPLE)
}

fn random(settings: &Settings, random: &mut Random) -> Result<Puzzle, InputError> {
    let preset = settings.get(&PRESET)?;
    let (width, height) = size_of(settings, preset.map(|preset| preset.size))?;
    let edges = edge_count(width, height).unwrap_or(0);
    let mix = Mix::read(settings, preset, edges, random)?;
    let mut operations = mix.operations(random)?;
    random.shuffle(&mut operations);
    question(settings, PuzzleBoard::new(width, height, operations)?)
}

fn size_of(
    settings: &Settings,
    preset: Option<(usize, usize)>,
) -> Result<(usize, usize), InputError> {
    let (preset_width, preset_height) = preset.unzip();
    let width = settings.get(&WIDTH)?.or(preset_width).unwrap_or(7);
    let height = settings.get(&HEIGHT)?.or(preset_height).unwrap_or(width);
    check_size(width, height)?;
    Ok((width, height))
}

/// The `×` edges of a board.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FactorRule {
    /// This number of factors, each 2 or 3.
    Count(i64),
    /// These factors.
    These(&'static [i64]),
}

/// The article's 7×7.
const SEVEN: FactorRule = FactorRule::These(&[2, 2, 3, 3]);

/// The factors of the `×` edges: a list, a count, or the default.
fn factors_of(
    settings: &Settings,
    default: FactorRule,
    random: &mut Random,
) -> Result<Vec<i64>, InputError> {
    let count = settings.get(&FACTOR_COUNT)?;
    let Some(text) = settings.get(&FACTORS)? else {
        return Ok(match count.map_or(default, FactorRule::Count) {
            FactorRule::Count(count) => (0..count).map(|_| random.between(2, 3)).collect(),
            FactorRule::These(factors) => factors.to_vec(),
        });
    };
    if count.is_some() {
        refuse!("settings `factors` and `factor_count` exclude each other");
    }
    let factor = |word: &str| word.trim().parse().ok().filter(|factor: &i64| *factor >= 0);
    let factors = text.split([',', 'x']).map(factor).collect::<Option<_>>();
    factors.ok_or_else(|| {
        input_error!("setting `factors` is `{text}`, expected whole numbers from 0 as `2x2x3x3`")
    })
}

fn question(settings: &Settings, board: PuzzleBoard) -> Result<Puzzle, InputError> {
    let last = board.vertex_count() - 1;
    let start = settings.get(&START.within(0..=last as i64))?;
    let goal = settings.get(&GOAL.within(0..=last as i64))?.unwrap_or(last);
    Puzzle::new(Arc::new(board), vec![start], goal)
}

/// `count` operations that add (`sign` 1) or subtract (`sign` -1) numbers from `low` to `high`.
fn additions(
    count: usize,
    sign: i64,
    low: i64,
    high: i64,
    random: &mut Random,
) -> Vec<EdgeOperation> {
    let number = |_| EdgeOperation::Add(sign * random.between(low, high));
    (0..count).map(number).collect()
}

#[cfg(test)]
mod tests {
    use ikeru_core::testing::settings;

    use super::*;

    fn make(name: &str, words: &str, seed: u64) -> Result<Puzzle, InputError> {
        let generator = ALL.iter().find(|generator| generator.name == name);
        let generator = generator.expect("a generator");
        (generator.generate)(&settings(words), &mut Random::new(name, seed))
    }

    fn sums(puzzle: &Puzzle) -> (usize, i64, usize, Vec<i64>) {
        let (mut plus, mut sum, mut minus, mut factors) = (0, 0, 0, Vec::new());
        for operation in puzzle.board().operations() {
            match *operation {
                EdgeOperation::Add(addend) if addend < 0 => minus += 1,
                EdgeOperation::Add(addend) => {
                    plus += 1;
                    sum += addend;
                }
                EdgeOperation::Multiply(factor) => factors.push(factor),
            }
        }
        factors.sort_unstable();
        (plus, sum, minus, factors)
    }

    #[test]
    fn a_seed_means_the_same_board_for_ever() {
        let random = make("trail.random", "width=3 factors=2", 1).expect("a board");
        let worst = make("trail.worst", "width=4 factors=2,3", 1).expect("a board");
        let text = |puzzle: &Puzzle| format::write(puzzle).replace('\n', " ");
        assert_eq!(
            text(&random),
            "3 3 -2 +5 -2 +2 +1 +2 +3 *2 -2 +3 +8 -2 1 0 8 "
        );
        assert_eq!(
            text(&worst),
            "4 4 +7 -7 +8 +7 +8 +9 +9 +7 -9 +8 -8 *3 -8 -9 +9 -8 +9 +7 +9 +8 +8 +8 *2 +7 1 0 15 "
        );
    }

    #[test]
    fn presets_have_the_articles_mixes() {
        for seed in 0..20 {
            let seven = make("trail.random", "preset=7x7", seed).expect("a board");
            assert_eq!(sums(&seven), (54, 148, 26, vec![2, 2, 3, 3]));
            for (preset, counts) in [
                ("5x6", (38, 10, 1)),
                ("5x7", (46, 9, 3)),
                ("6x6", (45, 10, 5)),
            ] {
                let board =
                    make("trail.random", &format!("preset={preset}"), seed).expect("a board");
                let (plus, _, minus, factors) = sums(&board);
                assert_eq!((plus, minus, factors.len()), counts, "{preset}");
            }
        }
    }

    #[test]
    fn counts_shares_and_sums_are_kept() {
        let words = "width=4 minus=0.5 factor_count=3 plus_sum=30";
        let (plus, sum, minus, factors) = sums(&make("trail.random", words, 3).expect("a board"));
        assert_eq!((plus, sum, minus, factors.len()), (9, 30, 12, 3));
        for seed in 0..9 {
            let words = "width=2 plus=1 factor_count=0 plus_sum=9";
            let one = make("trail.random", words, seed).expect("a board");
            assert_eq!(sums(&one), (1, 9, 3, vec![]));
        }
    }

    #[test]
    fn impossible_mixes_are_refused() {
        for (words, complaint) in [
            ("width=1 height=1", "at least two vertices"),
            ("width=2 factors=2,2,2,2,2", "the board has 4"),
            ("width=2 plus=9", "the board has 4"),
            ("plus=many", "expected a count, or a share from 0.0 to 1.0"),
            ("minus=1.5", "expected a count, or a share from 0.0 to 1.0"),
            ("factors=2,-3", "expected whole numbers"),
            ("factors=2 factor_count=3", "exclude each other"),
            ("plus_sum=1", "cannot add up to"),
            ("plus_low=5 plus_high=4", "expected a whole number"),
            ("minus_low=5", "expected a whole number from 5"),
            ("goal=49", "from 0 to 48"),
            ("preset=8x8", "one of"),
        ] {
            let error = make("trail.random", words, 1).expect_err(complaint);
            assert!(error.message.contains(complaint), "{error}");
        }
    }
}
