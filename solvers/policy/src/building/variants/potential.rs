//! `potential`: potential maximization, and its settings.

use ikeru_core::{InputError, SettingInfo, Settings, Variant, settings};

use super::{Build, Challenge, DEPTH, depth, player};
use crate::policy::potential::{Potential, PotentialRules, PotentialValue, Unseen};

pub const VARIANT: Variant<Build> = Variant {
    name: "potential",
    about: "potential maximization: towards the largest attack that the visible pieces can start",
    source: "Thesis, 4.2",
    exact: false,
    version: 1,
    settings: SETTINGS,
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
        let rules = potential_rules(challenge, settings, PotentialRules::default())?;
        player(
            challenge,
            Box::new(Potential::new(challenge.size(), rules)),
            None,
        )
    },
};

const SETTINGS: &[SettingInfo] = settings![DEPTH PARTIAL FREE ENOUGH SHORTEST VALUE UNSEEN];

settings! {
    pub PARTIAL: Option<u32> = "partial", 0..=19, "the longest chain cleared on the way; default 3";
    pub FREE: Option<u32> = "free", 0..=120, "free cells below which a chain is fired; default 24, in combined 18";
    pub ENOUGH: Option<u32> = "enough", 1..=30, "a chain so long is fired with any number of free cells; default 11, in combined 12";
    pub SHORTEST: u32 = "shortest", 8, 1..=19, "the shortest chain worth firing";
    pub VALUE: PotentialValue = "value", "visible", "what a placement is worth: visible (the largest attack that the visible pieces can start after it) or any-colour (also that of chains that one or two puyos of any colour would start)";
    pub UNSEEN: Unseen = "unseen", "none", "how the piece after those looked ahead counts: none, or the attack that the best, the mean or the worst of its kinds would start";
}

/// `rules` with the values that `settings` give.
pub fn potential_rules(
    challenge: &Challenge,
    settings: &Settings,
    mut rules: PotentialRules,
) -> Result<PotentialRules, InputError> {
    rules.depth = depth(challenge, settings)?;
    settings.change(&PARTIAL, &mut rules.partial)?;
    settings.change(&FREE, &mut rules.free)?;
    settings.change(&ENOUGH, &mut rules.enough)?;
    rules.chains = settings.get(&SHORTEST)?;
    rules.value = settings.get(&VALUE)?;
    rules.unseen = settings.get(&UNSEEN)?;
    Ok(rules)
}
