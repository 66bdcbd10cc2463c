//! The time budgets of an answer, and whether a modelled time meets them.

use ikeru_bench_data::experiment::{GuideAxis, GuideLine};
use ikeru_statistics::Estimate;

/// A time that an answer may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// The budget in words.
    pub name: &'static str,
    /// The shortest name, of a verdict.
    pub short: &'static str,
    /// The suffix of its columns in `throughput.csv`.
    pub column: &'static str,
    /// The time in nanoseconds.
    pub ns: f64,
}

/// One frame at 60 Hz, one at 30 Hz, and the delay that a player notices according to the article on Ikerukana.
pub const BUDGETS: [Budget; 3] = [
    budget("a frame at 60 Hz", ["60 fps", "60_hz"], 1e9 / 60.0),
    budget("a frame at 30 Hz", ["30 fps", "30_hz"], 1e9 / 30.0),
    budget("0.1 s", ["0.1 s", "100_ms"], 1e8),
];

const fn budget(name: &'static str, [short, column]: [&'static str; 2], ns: f64) -> Budget {
    Budget {
        name,
        short,
        column,
        ns,
    }
}

/// The budgets as lines across a chart of times.
pub fn guides() -> Vec<GuideLine> {
    let guide = |budget: Budget| GuideLine {
        axis: GuideAxis::Y,
        at: budget.ns,
        label: budget.short.to_owned(),
    };
    BUDGETS.map(guide).to_vec()
}

ikeru_core::names! {
    /// The verdict of a modelled time against a budget.
    #[derive(PartialOrd, Ord)]
    pub enum Manages {
        /// The tables do not fit in memory, so there is no time.
        DoesNotFit = "does not fit",
        /// The modelled time is too long.
        No = "no",
        /// The search was stopped before it was too long.
        Unknown = "unknown",
        /// The modelled time is within the budget, but the high end of its band is not.
        Likely = "likely",
        /// The high end of the band is within the budget.
        Sure = "sure",
    }
}

impl Manages {
    /// Compares a modelled time with a budget; `None` is a variant whose tables do not fit.
    pub fn within(budget: Budget, time: Option<Estimate>) -> Self {
        let Some(time) = time else {
            return Self::DoesNotFit;
        };
        let high = time.interval.map_or(time.value, |ends| ends.high);
        if high <= budget.ns {
            Self::Sure
        } else if time.value <= budget.ns {
            Self::Likely
        } else {
            Self::No
        }
    }
}

/// The verdicts within all of [`BUDGETS`] as one: the shortest that is sure, and the shortest that is likely.
pub fn verdict(manages: &[Manages; BUDGETS.len()]) -> (String, Manages) {
    let first = |wanted| manages.iter().position(|own| *own >= wanted);
    let short = |place: usize| BUDGETS[place].short;
    match (first(Manages::Likely), first(Manages::Sure)) {
        (Some(likely), Some(sure)) if likely == sure => (short(sure).to_owned(), Manages::Sure),
        (Some(likely), Some(sure)) => {
            let words = format!("{}, likely {}", short(sure), short(likely));
            (words, Manages::Likely)
        }
        (Some(likely), None) => (format!("likely {}", short(likely)), Manages::Likely),
        (None, _) => {
            let longest = manages[BUDGETS.len() - 1];
            (longest.name().to_owned(), longest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_decides() {
        let [frame, ..] = BUDGETS;
        for (low, mid, high, expected) in [
            (5e6, 8e6, 16e6, Manages::Sure),
            (5e6, 16e6, 17e6, Manages::Likely),
            (5e6, 17e6, 20e6, Manages::No),
        ] {
            let time = Some(Estimate::within(low, mid, high));
            assert_eq!(Manages::within(frame, time), expected);
        }
        assert_eq!(Manages::within(frame, None), Manages::DoesNotFit);
    }

    #[test]
    fn one_verdict_names_the_shortest_budget() {
        use Manages::{DoesNotFit, Likely, No, Sure};
        for (manages, expected) in [
            ([Sure, Sure, Sure], "60 fps"),
            ([Likely, Sure, Sure], "30 fps, likely 60 fps"),
            ([No, Likely, Likely], "likely 30 fps"),
            ([No, No, Sure], "0.1 s"),
            ([No, No, No], "no"),
            ([DoesNotFit; 3], "does not fit"),
        ] {
            assert_eq!(verdict(&manages).0, expected);
        }
    }
}
