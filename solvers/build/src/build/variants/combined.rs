//! `combined`: templates, then potential maximization.

use std::sync::Arc;

use ikeru_chain::begin;
use ikeru_core::{Setting, Variant};

use super::potential::{ENOUGH, FREE, PARTIAL, SHORTEST, potential_rules};
use super::{Build, DEPTH, player, repertoire, thesis};
use crate::policy::combined::{Combined, SwitchRules};
use crate::policy::potential::PotentialRules;
use crate::templates::criterion::{Criterion, Threshold};

pub const VARIANT: Variant<Build> = Variant {
    name: "combined",
    about: "templates until one stands but for its trigger, then potential maximization",
    source: thesis("6.2"),
    exact: false,
    version: 1,
    settings: &[
        DEPTH,
        PARTIAL,
        FREE,
        ENOUGH,
        SHORTEST,
        GIVE_UP,
        SWITCH_MATCH,
    ],
    prepare: |challenge, settings, deadline| {
        begin(deadline)?;
        let rules = potential_rules(challenge, settings, PotentialRules::EXTENDING)?;
        let default = SwitchRules::default();
        let built = Threshold::of(settings, &SWITCH_MATCH)?.map(Criterion::Above);
        let give_up = settings.int(&GIVE_UP, 0..=1000)?;
        let switch = SwitchRules {
            built: built.unwrap_or(default.built),
            give_up: give_up.map_or(default.give_up, |turn| turn as usize),
            ..default
        };
        let matcher = Arc::clone(&repertoire(challenge)?.matcher);
        player(challenge, Box::new(Combined::new(matcher, rules, switch)))
    },
};

const GIVE_UP: Setting = Setting {
    name: "give_up",
    default: "34",
    about: "templates are given up at this move, from 0 to 1000",
};
const SWITCH_MATCH: Setting = Setting {
    name: "switch_match",
    default: "",
    about: "templates are left when a match exceeds this, from 0 to 1; default: when all capitals of one but one stand",
};
