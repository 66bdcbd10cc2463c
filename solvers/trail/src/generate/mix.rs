//! The number of operations of each kind on a board, from counts, shares or the article's presets.

use ikeru_core::{Choice, InputError, Random, Setting, Settings, input_error, refuse};

use super::{
    FactorRule, MINUS, MINUS_HIGH, MINUS_LOW, NUMBER, PLUS, PLUS_HIGH, PLUS_LOW, PLUS_SUM, SEVEN,
    additions, factors_of,
};
use crate::puzzle::EdgeOperation;

/// One of the article's boards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Width and height in vertices.
    pub size: (usize, usize),
    factors: FactorRule,
    /// The number of `-` edges.
    minus: usize,
    /// The greatest number of a `+`.
    plus_high: i64,
    /// The sum of all `+`, if it is known.
    plus_sum: Option<i64>,
}

/// The rows of the article's table, and its 7×7 board with the bound 5364. The article does not give the 26 edges of
/// that board that are neither `+` nor `×`. They become `-1` and `-2`, as on the article's other boards.
impl Choice for Preset {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("5x6", row((5, 6), 1, 10)),
        ("5x7", row((5, 7), 3, 9)),
        ("6x6", row((6, 6), 5, 10)),
        (
            "7x7",
            Self {
                plus_high: 5,
                plus_sum: Some(148),
                factors: SEVEN,
                ..row((7, 7), 4, 26)
            },
        ),
    ];
}

const fn row(size: (usize, usize), factor_count: i64, minus: usize) -> Preset {
    Preset {
        size,
        factors: FactorRule::Count(factor_count),
        minus,
        plus_high: 9,
        plus_sum: None,
    }
}

/// The share of `-` edges on boards without a preset: 26 of 84 edges, as on the article's 7×7 board.
const MINUS_SHARE: f64 = 26.0 / 84.0;

/// The numbers and ranges of a board's operations.
pub struct Mix {
    plus: usize,
    plus_range: (i64, i64),
    plus_sum: Option<i64>,
    minus: usize,
    minus_range: (i64, i64),
    factors: Vec<i64>,
}

impl Mix {
    /// The mix for a board of `edges` edges, from the settings or else from the preset.
    pub fn read(
        settings: &Settings,
        preset: Option<Preset>,
        edges: usize,
        random: &mut Random,
    ) -> Result<Self, InputError> {
        let factors = factors_of(
            settings,
            preset.map_or(SEVEN, |preset| preset.factors),
            random,
        )?;
        let rest = edges.saturating_sub(factors.len());
        let plus = count_of(settings, &PLUS, edges)?;
        let minus = match (count_of(settings, &MINUS, edges)?, plus, preset) {
            (Some(minus), _, _) => minus,
            (None, Some(plus), _) => rest.saturating_sub(plus),
            (None, None, Some(preset)) => preset.minus.min(rest),
            (None, None, None) => ((edges as f64 * MINUS_SHARE).round() as usize).min(rest),
        };
        let plus = plus.unwrap_or(rest.saturating_sub(minus));
        if plus + minus + factors.len() != edges {
            refuse!(
                "{plus} `+`, {minus} `-` and {} `×` are {} operations, the board has {edges}",
                factors.len(),
                plus + minus + factors.len()
            );
        }
        let preset_sum = preset.and_then(|preset| preset.plus_sum);
        let high = preset.map_or(9, |preset| preset.plus_high);
        let plus_low = settings.get(&PLUS_LOW)?;
        let plus_high = settings.get(&PLUS_HIGH.within(plus_low..=NUMBER))?;
        let minus_low = settings.get(&MINUS_LOW)?;
        Ok(Self {
            plus,
            plus_range: (plus_low, plus_high.unwrap_or(high.max(plus_low))),
            plus_sum: settings.get(&PLUS_SUM)?.or(preset_sum),
            minus,
            minus_range: (
                minus_low,
                settings.get(&MINUS_HIGH.within(minus_low..=NUMBER))?,
            ),
            factors,
        })
    }

    /// The operations, before they are shuffled.
    pub fn operations(&self, random: &mut Random) -> Result<Vec<EdgeOperation>, InputError> {
        let (low, high) = self.plus_range;
        let mut operations = additions(self.plus, 1, low, high, random);
        if let Some(sum) = self.plus_sum {
            self.move_to_sum(&mut operations, sum, random)?;
        }
        let (low, high) = self.minus_range;
        operations.extend(additions(self.minus, -1, low, high, random));
        operations.extend(
            self.factors
                .iter()
                .map(|factor| EdgeOperation::Multiply(*factor)),
        );
        Ok(operations)
    }

    /// Raises or lowers randomly chosen numbers within their range until their sum is `sum`.
    fn move_to_sum(
        &self,
        operations: &mut [EdgeOperation],
        sum: i64,
        random: &mut Random,
    ) -> Result<(), InputError> {
        let (low, high) = self.plus_range;
        let count = self.plus as i64;
        if !(count * low..=count * high).contains(&sum) {
            refuse!("{count} `+` from {low} to {high} cannot add up to {sum}");
        }
        let addend = |operation: &EdgeOperation| operation.affine().1;
        let mut missing = sum - operations.iter().map(addend).sum::<i64>();
        while missing != 0 {
            let place = random.index(operations.len());
            let before = addend(&operations[place]);
            // Long steps while much is missing, single steps at the end.
            let most = missing.abs();
            let step = (missing / count + missing.signum()).clamp(-most, most);
            let after = (before + step).clamp(low, high);
            operations[place] = EdgeOperation::Add(after);
            missing -= after - before;
        }
        Ok(())
    }
}

/// The count that the setting gives, directly or as a share of `edges`.
fn count_of(
    settings: &Settings,
    setting: &Setting<Option<String>>,
    edges: usize,
) -> Result<Option<usize>, InputError> {
    let Some(text) = settings.get(setting)? else {
        return Ok(None);
    };
    let share = || {
        text.parse()
            .ok()
            .filter(|share: &f64| (0.0..=1.0).contains(share))
    };
    let count = text.parse::<u32>().ok().map(|count| count as usize);
    let count = count.or_else(|| share().map(|share| (edges as f64 * share).round() as usize));
    count.map(Some).ok_or_else(|| {
        input_error!(
            "setting `{}` is `{text}`, expected a count, or a share from 0.0 to 1.0",
            setting.name()
        )
    })
}
