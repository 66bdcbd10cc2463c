//! What is asked of a map: who travels, what steps are legal, what they cost.

use ikeru_core::{InputError, Setting, Settings};

use crate::cost::Costs;
use crate::map::{Direction, Terrain};

/// Whether a diagonal step may pass a blocked corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Corners {
    /// Always, even between two blocked cells: the article's rule.
    Allow,
    /// If at least one of the two cells beside the step is free.
    OneSide,
    /// Only if both are free: the rule of the published scenarios.
    BothSides,
}

/// Which steps are legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Moves {
    /// Whether diagonal steps exist at all.
    pub diagonal: bool,
    /// What they need.
    pub corners: Corners,
}

impl Moves {
    /// Whether a step in `direction` is legal where `free` says whether the neighbour in a
    /// direction can be entered.
    #[must_use]
    pub fn legal(self, direction: Direction, free: impl Fn(Direction) -> bool) -> bool {
        if !free(direction) {
            return false;
        }
        if !direction.is_diagonal() {
            return true;
        }
        let (left, right) = (free(direction.turned(7)), free(direction.turned(1)));
        self.diagonal
            && match self.corners {
                Corners::Allow => true,
                Corners::OneSide => left || right,
                Corners::BothSides => left && right,
            }
    }
}

/// The factor of each open terrain in hundredths; `None` where it cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Factors(pub [Option<u32>; 6]);

/// The largest factor, in hundredths.
const LARGEST_FACTOR: u32 = 100_000;

impl Factors {
    /// What a step onto `terrain` costs, in hundredths of a step on plain ground.
    #[must_use]
    pub fn of(&self, terrain: Terrain) -> Option<u32> {
        self.0.get(terrain.index()).copied().flatten()
    }

    fn unit(name: &str) -> Self {
        const ON: Option<u32> = Some(100);
        const NO: Option<u32> = None;
        //   plain road swamp forest mountain sea
        Self(match name {
            "ship" => [NO, NO, NO, NO, NO, ON],
            "infantry" | "person" => [ON, ON, ON, ON, NO, NO],
            "horse" => [ON, ON, ON, Some(500), NO, NO],
            _ => [ON, ON, ON, NO, NO, NO],
        })
    }
}

/// The travellers: `grid` is the published scenarios' rule; infantry, tank and ship, person and
/// horse are the article's.
pub const UNITS: [&str; 6] = ["grid", "infantry", "tank", "ship", "person", "horse"];

/// Everything asked besides where from and where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question {
    /// Legal steps.
    pub moves: Moves,
    /// What a step costs on plain ground.
    pub costs: Costs,
    /// Who travels: one of [`UNITS`].
    pub unit: &'static str,
    /// The factor of each terrain.
    pub factors: Factors,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            moves: Moves {
                diagonal: true,
                corners: Corners::BothSides,
            },
            costs: Costs::Octile,
            unit: "grid",
            factors: Factors::unit("grid"),
        }
    }
}

const CORNERS: [(&str, Corners); 3] = [
    ("allow", Corners::Allow),
    ("one-side", Corners::OneSide),
    ("both-sides", Corners::BothSides),
];

const fn setting(name: &'static str, about: &'static str) -> Setting {
    Setting {
        name,
        default: "",
        about,
    }
}

/// Where from, of one query.
pub const START: Setting = setting("start", "x,y of the start, from 0 at the upper left");
/// Where to, of one query.
pub const GOAL: Setting = setting("goal", "x,y of the goal, from 0 at the upper left");
/// One bucket of a scenario.
pub const BUCKET: Setting = setting("bucket", "only the scenario's queries of this bucket");
/// A tenth of a scenario.
pub const TENTH: Setting = setting(
    "tenth",
    "only this tenth of the scenario's rows, 1 to 10 in the order of the file",
);
const COSTS: Setting = setting(
    "costs",
    "tenths (1.0 and 1.4) or octile (1 and √2, the default)",
);
const CORNER: Setting = setting(
    "corners",
    "blocked corners beside a diagonal step: allow, one-side or both-sides (must be free; the default)",
);
const CONNECTIVITY: Setting = setting("connectivity", "8 (the default), or 4: no diagonal steps");
const UNIT: Setting = setting(
    "unit",
    "who travels: grid (the default), infantry, tank, ship, person or horse",
);
const FACTOR: [Setting; 6] = [
    setting("plain", "factor of plain ground from 0 to 1000, or no"),
    setting("road", "factor of roads from 0 to 1000, or no"),
    setting("swamp", "factor of swamp from 0 to 1000, or no"),
    setting("forest", "factor of forest from 0 to 1000, or no"),
    setting("mountain", "factor of mountains from 0 to 1000, or no"),
    setting("sea", "factor of the sea from 0 to 1000, or no"),
];

/// The settings of the question.
pub const SETTINGS: &[Setting] = &[
    START,
    GOAL,
    BUCKET,
    TENTH,
    CORNER,
    COSTS,
    CONNECTIVITY,
    UNIT,
    FACTOR[0],
    FACTOR[1],
    FACTOR[2],
    FACTOR[3],
    FACTOR[4],
    FACTOR[5],
];

impl Question {
    /// The same question changed by `settings`.
    ///
    /// # Errors
    /// When a value is none that its setting knows.
    pub fn with(mut self, settings: &Settings) -> Result<Self, InputError> {
        if let Some(name) = settings.choice(&CORNER, &CORNERS.map(|(name, _)| name))? {
            for (_, corners) in CORNERS.iter().filter(|(known, _)| *known == name) {
                self.moves.corners = *corners;
            }
        }
        if let Some(costs) = settings.choice(&COSTS, &["tenths", "octile"])? {
            self.costs = match costs {
                "tenths" => Costs::Tenths,
                _ => Costs::Octile,
            };
        }
        if let Some(connectivity) = settings.choice(&CONNECTIVITY, &["4", "8"])? {
            self.moves.diagonal = connectivity == "8";
        }
        if let Some(unit) = settings.choice(&UNIT, &UNITS)? {
            for known in UNITS.iter().filter(|known| **known == unit) {
                self.unit = known;
                self.factors = Factors::unit(known);
            }
        }
        for (terrain, setting) in Terrain::OPEN.into_iter().zip(&FACTOR) {
            if let Some(typed) = settings.text(setting) {
                self.factors.0[terrain.index()] = factor(setting, &typed)?;
            }
        }
        Ok(self)
    }

    /// What differs from the default, as `key=value` words; empty where nothing does.
    #[must_use]
    pub fn words(&self) -> String {
        let usual = Self::default();
        let mut words = Vec::new();
        if self.moves.corners != usual.moves.corners {
            for (name, _) in CORNERS.iter().filter(|(_, c)| *c == self.moves.corners) {
                words.push(format!("corners={name}"));
            }
        }
        if self.costs != usual.costs {
            words.push(format!("costs={}", self.costs.name()));
        }
        if !self.moves.diagonal {
            words.push("connectivity=4".to_owned());
        }
        if self.unit != usual.unit {
            words.push(format!("unit={}", self.unit));
        }
        let unit = Factors::unit(self.unit);
        for terrain in Terrain::OPEN {
            let factor = self.factors.of(terrain);
            if factor != unit.of(terrain) {
                let value = factor.map_or("no".to_owned(), |f| (f64::from(f) / 100.0).to_string());
                words.push(format!("{}={value}", terrain.name()));
            }
        }
        words.join(" ")
    }

    /// Whether the published lengths of a scenario answer this question: octile costs, no cut
    /// corners, a traveller for whom all open ground is alike.
    #[must_use]
    pub fn is_published_rule(&self) -> bool {
        *self == Self::default()
    }
}

fn factor(setting: &Setting, typed: &str) -> Result<Option<u32>, InputError> {
    if typed == "no" {
        return Ok(None);
    }
    let refuse = |expected: &str| {
        InputError::new(format!(
            "setting `{}` is `{typed}`, expected {expected}",
            setting.name
        ))
    };
    let largest = LARGEST_FACTOR / 100;
    let value: f64 = typed
        .parse()
        .ok()
        .filter(|value: &f64| (0.0..=f64::from(largest)).contains(value))
        .ok_or_else(|| refuse(&format!("a factor from 0 to {largest}, or no")))?;
    let hundredths = (value * 100.0).round();
    if (value * 100.0 - hundredths).abs() > 1e-6 {
        return Err(refuse("at most two decimals"));
    }
    Ok(Some(hundredths as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::Value;

    fn asked(words: &str) -> Result<Question, InputError> {
        let settings = words
            .split(' ')
            .filter_map(|word| word.split_once('='))
            .map(|(key, value)| (key, Value::parse(value)))
            .collect();
        Question::default().with(&settings)
    }

    #[test]
    fn words_and_question_are_the_same_thing() {
        for words in [
            "",
            "corners=allow costs=tenths",
            "corners=one-side connectivity=4 unit=horse",
            "unit=person road=0.5 forest=no sea=2.25",
        ] {
            assert_eq!(asked(words).expect("a question").words(), words);
        }
    }

    #[test]
    fn factors_that_are_none_are_refused() {
        for bad in [
            "forest=-1",
            "forest=nan",
            "forest=inf",
            "forest=1001",
            "forest=0.001",
        ] {
            let error = asked(bad).expect_err("no factor");
            assert!(error.message.contains("setting `forest`"), "{error}");
        }
    }
}
