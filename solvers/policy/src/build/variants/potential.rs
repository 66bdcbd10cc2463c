//! `potential`: potential maximization, and its settings.

use ikeru_chain::begin;
use ikeru_core::{InputError, Setting, SettingInfo, Settings, Variant};

use super::{Build, Challenge, DEPTH, depth, player, thesis};
use crate::policy::expectation::Unseen;
use crate::policy::potential::{Potential, PotentialRules, PotentialValue};

pub const VARIANT: Variant<Build> = Variant {
    name: "potential",
    about: "potential maximization: towards the largest attack that the visible pieces can start",
    source: thesis("4.2"),
    exact: false,
    version: 1,
    settings: SETTINGS,
    prepare: |challenge, settings, deadline| {
        begin(deadline)?;
        let rules = potential_rules(challenge, settings, PotentialRules::default())?;
        player(
            challenge,
            Box::new(Potential::new(challenge.size(), rules)),
            None,
        )
    },
};

const SETTINGS: &[SettingInfo] = &[
    DEPTH.info(),
    PARTIAL.info(),
    FREE.info(),
    ENOUGH.info(),
    SHORTEST.info(),
    VALUE.info(),
    UNSEEN.info(),
];

pub const PARTIAL: Setting<Option<i64>> = Setting::optional_int(
    "partial",
    0..=19,
    "the longest chain cleared on the way; default 3",
);
pub const FREE: Setting<Option<i64>> = Setting::optional_int(
    "free",
    0..=120,
    "free cells below which a chain is fired; default 24, in combined 18",
);
pub const ENOUGH: Setting<Option<i64>> = Setting::optional_int(
    "enough",
    1..=30,
    "a chain so long is fired with any number of free cells; default 11, in combined 12",
);
pub const SHORTEST: Setting<i64> =
    Setting::int("shortest", 8, 1..=19, "the shortest chain worth firing");

pub const VALUE: Setting<PotentialValue> = Setting::choice(
    "value",
    "visible",
    "what a placement is worth: visible (the largest attack that the visible pieces can start after it) or any-colour (also that of chains that one or two puyos of any colour would start)",
);

pub const UNSEEN: Setting<Unseen> = Setting::choice(
    "unseen",
    "none",
    "how the piece after those looked ahead counts: none, or the attack that the best, the mean or the worst of its kinds would start",
);

/// The rules that `settings` give; those of `default` where they give none.
pub fn potential_rules(
    challenge: &Challenge,
    settings: &Settings,
    default: PotentialRules,
) -> Result<PotentialRules, InputError> {
    let number = |setting: &Setting<Option<i64>>, default: u32| {
        let given = settings.get(setting)?;
        Ok::<_, InputError>(given.map_or(default, |value| value as u32))
    };
    Ok(PotentialRules {
        depth: depth(challenge, settings)?,
        partial: number(&PARTIAL, default.partial)?,
        free: number(&FREE, default.free)?,
        enough: number(&ENOUGH, default.enough)?,
        chains: settings.get(&SHORTEST)? as u32,
        value: settings.get(&VALUE)?,
        unseen: settings.get(&UNSEEN)?,
        ..default
    })
}
