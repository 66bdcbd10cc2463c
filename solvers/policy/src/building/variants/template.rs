//! `template`: relation matrices, and the selection among them.

use std::sync::Arc;

use ikeru_core::{Variant, settings};

use super::{Build, DEPTH, LEAF_WEIGHTS, depth, leaf_matcher, player, repertoire};
use crate::matching::TemplateTarget;
use crate::policy::selection::SelectionRule;
use crate::policy::template::{DeadTemplates, TemplatePolicy};

pub const VARIANT: Variant<Build> = Variant {
    name: "template",
    about: "towards the best match of a template by relation matrices",
    source: "Thesis, 3, 6.1",
    exact: false,
    version: 4,
    settings: settings![DEPTH SELECTION DEAD LEAF_WEIGHTS],
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
        let repertoire = repertoire(challenge)?;
        let selection = settings.get(&SELECTION)?;
        let leaves = leaf_matcher(challenge, &repertoire, settings)?;
        let matcher = repertoire.matcher;
        let target = TemplateTarget::new(Arc::clone(&matcher), challenge.question.completion);
        let target = target.with_leaves(leaves);
        let policy = TemplatePolicy::new(target, depth(challenge, settings)?, selection);
        let policy = policy.with_dead(settings.get(&DEAD)?);
        let policy = match selection {
            SelectionRule::FirstSet => policy.in_order(repertoire.sets),
            _ => policy,
        };
        player(challenge, Box::new(policy), Some(matcher))
    },
};

settings! {
    DEAD: DeadTemplates = "dead", "repaired", "templates that are violated at a node of the search: repaired (a clear below it may repair them) or inherited (they stay violated below it)";
    SELECTION: SelectionRule = "selection", "best", "the value of a leaf: best (or a) the best match, count (b) the templates without violation, count-best the same and among equally many the best match, mean (c) their mean match, log-sum-exp (d) a soft maximum of their matches, first-set (e) the best match of the first set that has one, column-deficit (f) the best match less a part of its column deficit";
}
