//! The consoles that meet a budget: a claim about each modelled console, and its words.
//!
//! Home consoles and handhelds have separate claims: a handheld of 2004 is slower than a home console of 2001, so that
//! "from the PS2 on" holds within one kind at most.

use std::collections::BTreeMap;

use crate::facts::{Console, ConsoleKind};

use super::budget::{Budget, Manages};

/// A set of consoles of one kind, among those that have a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ConsoleGroup {
    /// All consoles of the kind.
    Every,
    /// The consoles launched in the year of the console at this index, or later.
    From(usize),
    /// The consoles at these indices.
    These(Vec<usize>),
}

impl ConsoleGroup {
    /// The shortest description that selects exactly `some` of `all`.
    fn of(some: &[usize], all: &[usize], consoles: &[Console]) -> Self {
        if some.len() > 1 {
            if some == all {
                return Self::Every;
            }
            let from = Self::From(some[0]);
            let is_some = |place: &usize| some.contains(place);
            if all
                .iter()
                .all(|place| from.holds(*place, consoles) == is_some(place))
            {
                return from;
            }
        }
        Self::These(some.to_vec())
    }

    fn holds(&self, place: usize, consoles: &[Console]) -> bool {
        match self {
            Self::Every => true,
            Self::From(first) => consoles[place].year >= consoles[*first].year,
            Self::These(places) => places.contains(&place),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::These(places) if places.is_empty())
    }

    fn words(&self, kind: ConsoleKind, consoles: &[Console]) -> String {
        let kind = kind.name();
        match self {
            Self::Every => format!("on every {kind}"),
            Self::From(first) => {
                let Console { name, year, .. } = &consoles[*first];
                format!("on {kind}s from the {name} ({year}) on")
            }
            Self::These(places) => {
                let names: Vec<&str> = places
                    .iter()
                    .map(|place| consoles[*place].name.as_str())
                    .collect();
                match &names[..] {
                    [] => format!("on no {kind}"),
                    [one] => format!("on the {one}"),
                    [most @ .., last] => format!("on the {} and {last}", most.join(", ")),
                }
            }
        }
    }
}

/// The maximum number of failing consoles that a title names.
const MOST_NAMED: usize = 3;

/// The claim about the consoles of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OfKind {
    kind: ConsoleKind,
    sure: ConsoleGroup,
    /// The consoles that are at least likely; only those that are likely if there are fewer than 3.
    likely: ConsoleGroup,
    not: Vec<usize>,
}

impl OfKind {
    fn of(
        verdicts: &BTreeMap<usize, Manages>,
        kind: ConsoleKind,
        consoles: &[Console],
    ) -> Option<Self> {
        let places = |is: &dyn Fn(Manages) -> bool| {
            let own = verdicts
                .iter()
                .filter(|(place, manages)| consoles[**place].kind == kind && is(**manages));
            own.map(|(place, _)| *place).collect::<Vec<usize>>()
        };
        let all = places(&|_| true);
        let likely = places(&|manages| manages == Manages::Likely);
        let group = |some: &[usize]| ConsoleGroup::of(some, &all, consoles);
        (!all.is_empty()).then(|| Self {
            kind,
            sure: group(&places(&|manages| manages == Manages::Sure)),
            // Up to two likely consoles are named. A larger group includes the sure ones.
            likely: if likely.len() < 3 {
                ConsoleGroup::These(likely)
            } else {
                group(&places(&|manages| manages >= Manages::Likely))
            },
            not: places(&|manages| manages < Manages::Likely),
        })
    }

    fn says(&self, place: usize, consoles: &[Console]) -> Manages {
        if self.sure.holds(place, consoles) {
            Manages::Sure
        } else if self.likely.holds(place, consoles) {
            Manages::Likely
        } else {
            Manages::No
        }
    }

    fn manages(&self) -> bool {
        !(self.sure.is_empty() && self.likely.is_empty())
    }

    fn words(&self, consoles: &[Console]) -> String {
        let words = |group: &ConsoleGroup| group.words(self.kind, consoles);
        let mut parts = Vec::new();
        if !self.sure.is_empty() || self.likely.is_empty() {
            parts.push(words(&self.sure));
        }
        if !self.likely.is_empty() {
            parts.push(format!("likely {}", words(&self.likely)));
        }
        // "Every", "from" and "no" imply that the other consoles fail; names alone do not.
        let is_named = |group: &ConsoleGroup| matches!(group, ConsoleGroup::These(_));
        if self.manages() && !self.not.is_empty() && is_named(&self.sure) && is_named(&self.likely)
        {
            parts.push(if self.not.len() > MOST_NAMED {
                format!("on no other {}", self.kind.name())
            } else {
                format!("not {}", words(&ConsoleGroup::These(self.not.clone())))
            });
        }
        parts.join(", ")
    }
}

/// The claim about one variant on the consoles that have a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleClaim {
    /// The variant's label.
    pub label: String,
    kinds: Vec<OfKind>,
}

impl ConsoleClaim {
    /// Makes the claim from the verdicts by console.
    pub fn of(label: &str, verdicts: &BTreeMap<usize, Manages>, consoles: &[Console]) -> Self {
        let of_kind = |kind| OfKind::of(verdicts, kind, consoles);
        Self {
            label: label.to_owned(),
            kinds: ConsoleKind::ALL.into_iter().filter_map(of_kind).collect(),
        }
    }

    /// The claim's verdict for a console; `None` if the claim does not cover the console's kind.
    pub fn says(&self, place: usize, consoles: &[Console]) -> Option<Manages> {
        let kind = consoles[place].kind;
        let of_kind = self.kinds.iter().find(|one| one.kind == kind)?;
        Some(of_kind.says(place, consoles))
    }

    fn words(&self, consoles: &[Console]) -> String {
        if !self.kinds.iter().any(OfKind::manages) {
            return format!("{} on none", self.label);
        }
        let kinds: Vec<String> = self.kinds.iter().map(|one| one.words(consoles)).collect();
        format!("{} {}", self.label, kinds.join(", "))
    }
}

/// The claims as one sentence, for a title.
pub fn sentence(claims: &[ConsoleClaim], budget: Budget, consoles: &[Console]) -> String {
    let words: Vec<String> = claims.iter().map(|claim| claim.words(consoles)).collect();
    format!("Modelled within {}: {}", budget.name, words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::BUDGETS;
    use crate::facts::Consoles;
    use ikeru_core::Random;

    fn consoles() -> Vec<Console> {
        Consoles::built_in().expect("the facts read").consoles
    }

    /// The verdicts by the consoles' names; consoles that are not named fail.
    fn verdicts(consoles: &[Console], sure: &[&str], likely: &[&str]) -> BTreeMap<usize, Manages> {
        let modelled = consoles.iter().enumerate();
        let modelled =
            modelled.filter(|(_, one)| one.model.is_some() && one.placement_of.is_none());
        let verdict = |name: &str| {
            if sure.contains(&name) {
                Manages::Sure
            } else if likely.contains(&name) {
                Manages::Likely
            } else {
                Manages::No
            }
        };
        modelled
            .map(|(place, console)| (place, verdict(&console.name)))
            .collect()
    }

    #[test]
    fn a_sentence_names_who_manages_and_who_does_not() {
        let consoles = consoles();
        let late = ["Xbox 360", "PS3", "Wii U", "Switch"];
        let homes = ["PS1", "N64", "PS2", "GameCube", "Wii"];
        let every: Vec<&str> = homes.iter().chain(&late).copied().collect();
        for (sure, likely, expected) in [
            (
                &late[..],
                &["GameCube", "Wii"][..],
                "on the Xbox 360, PS3, Wii U and Switch, likely on the GameCube and Wii, not on the PS1, N64 and PS2, \
                 on no handheld",
            ),
            (
                &[&every[..], &["DS", "PSP", "PSP at 333 MHz", "3DS"]].concat(),
                &[],
                "on every home console, on handhelds from the DS (2004) on",
            ),
            (
                &[&late[..], &["PSP"]].concat(),
                &["Wii", "PS2", "GameCube"],
                "on the Xbox 360, PS3, Wii U and Switch, likely on home consoles from the PS2 (2000) on, on the PSP, \
                 on no other handheld",
            ),
            (&[], &[], "on none"),
            (
                &["Switch", "PSP"],
                &["PS3"],
                "on the Switch, likely on the PS3, on no other home console, on the PSP, on no other handheld",
            ),
            (&[], &every, "likely on every home console, on no handheld"),
        ] {
            let claim = ConsoleClaim::of("memo", &verdicts(&consoles, sure, likely), &consoles);
            let words = sentence(&[claim], BUDGETS[0], &consoles);
            assert_eq!(
                words,
                format!("Modelled within a frame at 60 Hz: memo {expected}")
            );
        }
    }

    #[test]
    fn a_claim_says_of_every_console_what_its_row_says() {
        let consoles = consoles();
        let modelled: Vec<usize> = verdicts(&consoles, &[], &[]).into_keys().collect();
        let mut random = Random::new("a test of claims", 1);
        let mut shapes = std::collections::HashSet::new();
        for trial in 0..3000 {
            // Later consoles more often meet the budget, so that the claims "from" and "every" occur too.
            let mut threshold = || random.below(2 + 2 * modelled.len() as u64);
            let (sure, likely) = (threshold(), threshold());
            let is_noisy = trial % 2 == 0;
            let mut verdict = |at: usize| {
                let noise = if is_noisy { random.below(9) } else { 0 };
                let place = at as u64 + noise;
                if place >= sure {
                    Manages::Sure
                } else if place >= likely {
                    Manages::Likely
                } else if noise == 1 {
                    Manages::DoesNotFit
                } else {
                    Manages::No
                }
            };
            let own = modelled.iter().enumerate();
            let own: BTreeMap<usize, Manages> =
                own.map(|(at, place)| (*place, verdict(at))).collect();
            let claim = ConsoleClaim::of("x", &own, &consoles);
            for (place, manages) in &own {
                let expected = (*manages).max(Manages::No);
                assert_eq!(claim.says(*place, &consoles), Some(expected), "{own:?}");
            }
            for one in &claim.kinds {
                shapes.insert(std::mem::discriminant(&one.sure));
            }
        }
        assert_eq!(shapes.len(), 3, "every form of a claim came up");
    }
}
