//! `avoid-holder` and `met-anybody`: the two cheap rules for the god that the article describes and rejects.
//!
//! Each is the memoized search with one half of the handover rule. *The holder's square does not exist*: once player
//! 0 has taken the god, it keeps it, so that the rule misses vertices where player 0 has handed it on again (an inner
//! approximation). *Was anybody met?*: once player 0 has handed the god on, it never gets it back, so that the rule
//! claims vertices where player 0 has taken it back (an outer approximation). The set of reachable vertices is exact.

use ikeru_core::{Refusal, Variant, skip};

use super::memo_flat::MemoFlat;
use super::{PerStart, begin};
use crate::Reach;
use crate::answer::Approximation;
use crate::graph::Vertex;
use crate::instance::{Instance, Question};

/// The rule for a player 0 without the god.
pub const AVOID_HOLDER: Variant<Reach> = Variant {
    name: "avoid-holder",
    about: "only walks that never meet the god's holder end god-free: misses those that hand the god on again",
    source: SECTION_WITHOUT,
    exact: false,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        refuse(instance, |holder| holder > 0, "is held by somebody else")?;
        let kernel = MemoFlat::new(instance, taken_over, Approximation::Inner);
        Ok(PerStart::new(instance, kernel))
    },
};

/// The rule for a player 0 with the god.
pub const MET_ANYBODY: Variant<Reach> = Variant {
    name: "met-anybody",
    about: "every walk that meets anybody ends god-free: also those that take the god back",
    source: SECTION_WITH,
    exact: false,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        refuse(instance, |holder| holder == 0, "is held by player 0")?;
        let kernel = MemoFlat::new(instance, handed_on, Approximation::Outer);
        Ok(PerStart::new(instance, kernel))
    },
};

const SECTION_WITHOUT: &str =
    "Ikerukana, ways to end without the god, when not holding it (貧乏神がついていない場合)";
const SECTION_WITH: &str =
    "Ikerukana, ways to end without the god, when holding it (貧乏神持ちの場合)";

/// The handover rule of `avoid-holder`: a player 0 that meets the holder keeps the god.
fn taken_over(question: &Question, vertex: Vertex, holder: usize) -> usize {
    match holder {
        0 => 0,
        other => question.handed_over(vertex, other),
    }
}

/// The handover rule of `met-anybody`: a player 0 that has handed the god on never gets it back.
fn handed_on(question: &Question, vertex: Vertex, holder: usize) -> usize {
    match holder {
        0 => question.handed_over(vertex, 0),
        other => other,
    }
}

/// Refuses questions to which the rule does not apply.
fn refuse(instance: &Instance, is_for: fn(usize) -> bool, expected: &str) -> Result<(), Refusal> {
    let question = &instance.question;
    if !question.holder().is_some_and(is_for) {
        skip!("the rule is for questions where the god {expected}");
    }
    if question.target.is_some() {
        skip!("the rule gives no route to a target");
    }
    Ok(())
}
