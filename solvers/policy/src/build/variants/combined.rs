//! `combined`: templates, then potential maximization.

use std::sync::Arc;

use ikeru_chain::begin;
use ikeru_core::{Setting, Variant};

use super::potential::{ENOUGH, FREE, PARTIAL, SHORTEST, UNSEEN, VALUE, potential_rules};
use super::{Build, DEPTH, player, repertoire, thesis};
use crate::policy::combined::{Combined, SwitchRules};
use crate::policy::potential::PotentialRules;
use crate::templates::criterion::{Criterion, Threshold};

pub const VARIANT: Variant<Build> = Variant {
    name: "combined",
    about: "templates until one stands but for its trigger, then potential maximization",
    source: thesis("6.2"),
    exact: false,
    version: 2,
    settings: &[
        DEPTH.info(),
        PARTIAL.info(),
        FREE.info(),
        ENOUGH.info(),
        SHORTEST.info(),
        VALUE.info(),
        UNSEEN.info(),
        GIVE_UP.info(),
        SWITCH_MATCH.info(),
    ],
    prepare: |challenge, settings, deadline| {
        begin(deadline)?;
        let rules = potential_rules(challenge, settings, PotentialRules::EXTENDING)?;
        let default = SwitchRules::default();
        let built = match settings.get(&SWITCH_MATCH)? {
            Some(value) => Criterion::Above(Threshold::of(SWITCH_MATCH.name(), value)?),
            None => default.built,
        };
        let switch = SwitchRules {
            built,
            give_up: settings.get(&GIVE_UP)?,
            ..default
        };
        let matcher = repertoire(challenge)?.matcher;
        let policy = Combined::new(Arc::clone(&matcher), rules, switch);
        player(challenge, Box::new(policy), Some(matcher))
    },
};

const GIVE_UP: Setting<usize> = Setting::count(
    "give_up",
    SwitchRules::GIVE_UP,
    0..=1000,
    "templates are given up at this move",
);
const SWITCH_MATCH: Setting<Option<f64>> = Setting::optional_float(
    "switch_match",
    0.0..=1.0,
    "templates are left when a match exceeds this; default: when all capitals of one but one stand",
);
