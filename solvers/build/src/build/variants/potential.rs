//! `potential`: potential maximization, and its settings.

use ikeru_chain::begin;
use ikeru_core::{InputError, Setting, Settings, Variant};

use super::{Build, Challenge, DEPTH, depth, player, thesis};
use crate::policy::potential::{Potential, PotentialRules};

pub const VARIANT: Variant<Build> = Variant {
    name: "potential",
    about: "potential maximization: towards the largest attack that the visible pieces can start",
    source: thesis("4.2"),
    exact: false,
    version: 1,
    settings: &[DEPTH, PARTIAL, FREE, ENOUGH, SHORTEST],
    prepare: |challenge, settings, deadline| {
        begin(deadline)?;
        let rules = potential_rules(challenge, settings, PotentialRules::default())?;
        player(challenge, Box::new(Potential::new(challenge.size(), rules)))
    },
};

pub const PARTIAL: Setting = Setting {
    name: "partial",
    default: "",
    about: "the longest chain cleared on the way, from 0 to 19; default 3",
};
pub const FREE: Setting = Setting {
    name: "free",
    default: "",
    about: "free cells below which a chain is fired, from 0 to 120; default 24, in combined 18",
};
pub const ENOUGH: Setting = Setting {
    name: "enough",
    default: "",
    about: "a chain so long is fired with any number of free cells, from 1 to 30; default 11, in combined 12",
};
pub const SHORTEST: Setting = Setting {
    name: "shortest",
    default: "8",
    about: "the shortest chain worth firing, from 1 to 19",
};

pub fn potential_rules(
    challenge: &Challenge,
    settings: &Settings,
    default: PotentialRules,
) -> Result<PotentialRules, InputError> {
    let number = |setting, range, default| {
        Ok::<u32, InputError>(
            settings
                .int(setting, range)?
                .map_or(default, |value| value as u32),
        )
    };
    Ok(PotentialRules {
        depth: depth(challenge, settings)?,
        partial: number(&PARTIAL, 0..=19, default.partial)?,
        free: number(&FREE, 0..=120, default.free)?,
        enough: number(&ENOUGH, 1..=30, default.enough)?,
        chains: number(&SHORTEST, 1..=19, default.chains)?,
        ..default
    })
}
