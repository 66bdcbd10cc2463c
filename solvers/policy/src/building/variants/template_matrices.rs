//! `template-matrices`: templates compared leaf by leaf, as the thesis describes it.

use std::sync::Arc;

use ikeru_core::{Variant, settings};

use super::{Build, DEPTH, LEAF_WEIGHTS, depth, leaves, places_whole_pieces, player, repertoire};
use crate::policy::exhaustive::{ExhaustivePolicy, Representation};

pub const VARIANT: Variant<Build> = Variant {
    name: "template-matrices",
    about: "towards the best match of a template, the matrices of every leaf compared pair by pair",
    source: "Thesis, 2.2, 3.6",
    exact: false,
    version: 1,
    settings: settings![DEPTH REPRESENTATION LEAF_WEIGHTS],
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
        places_whole_pieces(challenge)?;
        let repertoire = repertoire(challenge)?;
        let matcher = Arc::clone(&repertoire.matcher);
        let leaves = leaves(challenge, &repertoire, settings)?;
        let policy = ExhaustivePolicy::new(
            repertoire,
            &leaves,
            settings.get(&REPRESENTATION)?,
            challenge.question.completion,
            (depth(challenge, settings)?, challenge.rules().colours),
        );
        let policy = policy.map_err(|error| ikeru_core::Refusal::skip(error.message))?;
        player(challenge, Box::new(policy), Some(matcher))
    },
};

settings! {
    REPRESENTATION: Representation = "representation", "relations", "how templates are written down: relations (matrices of pairs of cells), soft-relations (the same, and a violation only lowers the match, of capitals too) or colourings (one state for each proper colouring, the border left out)";
}
