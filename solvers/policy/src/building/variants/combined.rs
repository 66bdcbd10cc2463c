//! `combined`: templates, then potential maximization.

use std::sync::Arc;

use ikeru_core::{Variant, settings};

use super::potential::{ENOUGH, FREE, PARTIAL, SHORTEST, UNSEEN, VALUE, potential_rules};
use super::{Build, DEPTH, LEAF_WEIGHTS, leaf_matcher, player, repertoire, within};
use crate::policy::combined::{Combined, SwitchRules};
use crate::policy::potential::PotentialRules;
use crate::templates::criterion::{Criterion, Threshold};

pub const VARIANT: Variant<Build> = Variant {
    name: "combined",
    about: "templates until one stands but for its trigger, then potential maximization",
    source: "Thesis, 6.2",
    exact: false,
    version: 3,
    settings: settings![DEPTH PARTIAL FREE ENOUGH SHORTEST VALUE UNSEEN GIVE_UP SWITCH_MATCH TEMPLATE_DEPTH LEAF_WEIGHTS],
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
        let rules = potential_rules(challenge, settings, PotentialRules::EXTENDING)?;
        let default = SwitchRules::default();
        let built = match settings.get(&SWITCH_MATCH)? {
            Some(value) => Criterion::Above(Threshold::of(SWITCH_MATCH.name(), value)?),
            None => default.built,
        };
        let template_depth = settings.get(&TEMPLATE_DEPTH)?;
        let switch = SwitchRules {
            template_depth: template_depth
                .map(|depth| within(challenge, depth))
                .transpose()?,
            built,
            give_up: settings.get(&GIVE_UP)?,
            ..default
        };
        let repertoire = repertoire(challenge)?;
        let leaves = leaf_matcher(challenge, &repertoire, settings)?;
        let matcher = repertoire.matcher;
        let policy = Combined::new((Arc::clone(&matcher), leaves), rules, switch);
        player(challenge, Box::new(policy), Some(matcher))
    },
};

settings! {
    GIVE_UP: usize = "give_up", SwitchRules::GIVE_UP, 0..=1000, "templates are given up at this move";
    TEMPLATE_DEPTH: Option<usize> = "template_depth", 1..=4, "pieces that the templates look ahead, none beyond the visible ones; default: depth";
    SWITCH_MATCH: Option<f64> = "switch_match", 0.0..=1.0, "templates are left when a match exceeds this; default: when all capitals of one but one stand";
}
