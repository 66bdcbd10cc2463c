//! `random`: any legal placement.

use ikeru_core::{OURS, Variant, settings};

use super::{Build, SEED, player};
use crate::policy::random::RandomPolicy;

pub const VARIANT: Variant<Build> = Variant {
    name: "random",
    about: "any legal placement",
    source: OURS,
    exact: false,
    version: 2,
    settings: settings![SEED],
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
        let seed = settings.get(&SEED)? as u64;
        player(
            challenge,
            Box::new(RandomPolicy::of_game(seed, &challenge.record)),
            None,
        )
    },
};
