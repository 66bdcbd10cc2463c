//! The question: the traveller, the legal steps and their costs.

use ikeru_core::{Choice, InputError, Setting, Settings, choices, input_error, settings};

use crate::cost::Costs;
use crate::map::{Heading, Terrain};

choices! {
    /// The rule for a diagonal step past a blocked corner.
    #[derive(Hash)]
    pub enum Corners {
        /// The step is always legal, even between two blocked cells: the article's rule.
        Allow = "allow",
        /// The step is legal if at least one of its two corner cells is free.
        OneSide = "one-side",
        /// The step is legal if both corner cells are free: the rule of the published scenarios.
        BothSides = "both-sides",
    }
}

/// The rules for legal steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepRules {
    /// True if diagonal steps are allowed.
    pub diagonal: bool,
    /// The corner rule for diagonal steps.
    pub corners: Corners,
}

impl StepRules {
    /// Returns whether a step in `direction` is legal; `free` returns whether the neighbour in a direction can be
    /// entered.
    #[inline]
    pub fn legal(self, direction: Heading, free: impl Fn(Heading) -> bool) -> bool {
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

/// The factor of each open terrain in hundredths; `None` if it cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Factors(pub [Option<u32>; 6]);

/// The largest factor, in hundredths.
const LARGEST_FACTOR: u32 = 100_000;

impl Factors {
    /// The cost of a step onto `terrain`, in hundredths of a step onto ground of factor 1.
    #[inline]
    pub fn of(&self, terrain: Terrain) -> Option<u32> {
        self.0.get(terrain.index()).copied().flatten()
    }

    fn of_unit(unit: Traveller) -> Self {
        const ON: Option<u32> = Some(100);
        const NO: Option<u32> = None;
        //   plain road swamp forest mountain sea
        Self(match unit {
            Traveller::Grid | Traveller::Tank => [ON, ON, ON, NO, NO, NO],
            Traveller::Infantry | Traveller::Person => [ON, ON, ON, ON, NO, NO],
            Traveller::Ship => [NO, NO, NO, NO, NO, ON],
            Traveller::Horse => [ON, ON, ON, Some(500), NO, NO],
        })
    }
}

choices! {
    /// The travellers: `grid` follows the published scenarios, the others follow the article.
    #[derive(Hash)]
    #[expect(missing_docs, reason = "each is the word for itself")]
    pub enum Traveller {
        Grid = "grid",
        Infantry = "infantry",
        Tank = "tank",
        Ship = "ship",
        Person = "person",
        Horse = "horse",
    }
}

/// The question without start and goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question {
    /// Legal steps.
    pub moves: StepRules,
    /// The costs of steps onto ground of factor 1.
    pub costs: Costs,
    /// The traveller.
    pub unit: Traveller,
    /// The factor of each terrain.
    pub factors: Factors,
}

impl Default for Question {
    fn default() -> Self {
        Self::of_unit(Traveller::Grid)
    }
}

choices! {
    /// The number of neighbours of a cell.
    enum Connectivity {
        Four = "4",
        Eight = "8",
    }
}

settings! {
    /// The settings of the question.
    pub const SETTINGS;
    pub(crate) START: Option<String> = "start", "x,y of the start, from 0 at the upper left";
    pub(crate) GOAL: Option<String> = "goal", "x,y of the goal, from 0 at the upper left";
    pub(crate) BUCKET: Option<u32> = "bucket", 0..=u32::MAX, "only the scenario's queries of this bucket";
    pub(crate) TENTH: Option<usize> = "tenth", 1..=10, "only this tenth of the scenario's rows, in the order of the file";
    CORNER: Option<Corners> = "corners", "corner cutting, whether a diagonal step may pass blocked corners: allow, one-side or both-sides (must be free; the default)";
    COSTS: Option<Costs> = "costs", "1.0 and 1.4 (tenths), or 1 and √2 (octile, the default)";
    CONNECTIVITY: Option<Connectivity> = "connectivity", "8 (the default), or 4: no diagonal steps";
    UNIT: Option<Traveller> = "unit", "who travels; by default grid";
    PLAIN: Option<String> = "plain", "factor of plain ground from 0 to 1000, or no";
    ROAD: Option<String> = "road", "factor of roads from 0 to 1000, or no";
    SWAMP: Option<String> = "swamp", "factor of swamp from 0 to 1000, or no";
    FOREST: Option<String> = "forest", "factor of forest from 0 to 1000, or no";
    MOUNTAIN: Option<String> = "mountain", "factor of mountains from 0 to 1000, or no";
    SEA: Option<String> = "sea", "factor of the sea from 0 to 1000, or no";
}

const FACTORS: [Setting<Option<String>>; 6] = [PLAIN, ROAD, SWAMP, FOREST, MOUNTAIN, SEA];

impl Question {
    /// The default question of a traveller.
    pub fn of_unit(unit: Traveller) -> Self {
        Self {
            moves: StepRules {
                diagonal: true,
                corners: Corners::BothSides,
            },
            costs: Costs::Octile,
            unit,
            factors: Factors::of_unit(unit),
        }
    }

    /// The same question changed by `settings`.
    ///
    /// # Errors
    /// If a setting has an unknown value.
    pub fn with(mut self, settings: &Settings) -> Result<Self, InputError> {
        settings.change(&CORNER, &mut self.moves.corners)?;
        settings.change(&COSTS, &mut self.costs)?;
        if let Some(connectivity) = settings.get(&CONNECTIVITY)? {
            self.moves.diagonal = connectivity == Connectivity::Eight;
        }
        if let Some(unit) = settings.get(&UNIT)? {
            self.unit = unit;
            self.factors = Factors::of_unit(unit);
        }
        for (terrain, setting) in Terrain::OPEN.into_iter().zip(&FACTORS) {
            if let Some(typed) = settings.get(setting)? {
                self.factors.0[terrain.index()] = factor(setting.name(), &typed)?;
            }
        }
        Ok(self)
    }

    /// The differences from the default as `key=value` words; empty if there are none.
    pub fn words(&self) -> String {
        let usual = Self::default();
        let mut words = Vec::new();
        if self.moves.corners != usual.moves.corners {
            words.push(format!("corners={}", self.moves.corners.word()));
        }
        if self.costs != usual.costs {
            words.push(format!("costs={}", self.costs.word()));
        }
        if !self.moves.diagonal {
            words.push("connectivity=4".to_owned());
        }
        if self.unit != usual.unit {
            words.push(format!("unit={}", self.unit.word()));
        }
        let unit = Factors::of_unit(self.unit);
        for terrain in Terrain::OPEN {
            let factor = self.factors.of(terrain);
            if factor != unit.of(terrain) {
                let value = factor.map_or("no".to_owned(), |f| (f64::from(f) / 100.0).to_string());
                words.push(format!("{}={value}", terrain.name()));
            }
        }
        words.join(" ")
    }

    /// Returns whether the published lengths of a scenario answer this question, which must be the default: octile
    /// costs, both corners free, and the factors of `grid`.
    pub fn is_published_rule(&self) -> bool {
        *self == Self::default()
    }
}

fn factor(name: &str, typed: &str) -> Result<Option<u32>, InputError> {
    if typed == "no" {
        return Ok(None);
    }
    let refuse =
        |expected: &str| input_error!("setting `{name}` is `{typed}`, expected {expected}");
    let largest = LARGEST_FACTOR / 100;
    let value: f64 = typed
        .parse()
        .ok()
        .filter(|value: &f64| (0.0..=f64::from(largest)).contains(value))
        .ok_or_else(|| refuse(&format!("a factor from 0 to {largest}, or no")))?;
    let hundredths = (value * 100.0).round();
    if (value * 100.0 - hundredths).abs() > 1e-12 * hundredths.max(1.0) {
        return Err(refuse("at most two decimals"));
    }
    Ok(Some(hundredths as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::testing::settings;

    fn asked(words: &str) -> Result<Question, InputError> {
        Question::default().with(&settings(words))
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
