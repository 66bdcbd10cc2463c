//! The variants: one file and one line each.

mod beam;
mod combined;
mod greedy;
mod potential;
mod random;
mod template;
mod template_matrices;

use std::sync::Arc;

use ikeru_chain::AboveTop;
use ikeru_core::{
    Attempt, InputError, Prepared, Refusal, Score, Search, Settings, Solve, Variant, refuse,
    settings,
};

use super::Build;
use super::challenge::{Challenge, Goal, Played};
use crate::game::{End, Game, play};
use crate::matching::{Matcher, TemplateTarget};
use crate::policy::{Policy, PolicyWork};
use crate::repertoire::Repertoire;
use crate::templates::Template;
use crate::templates::weights::{self, NamedWeights};

/// Every variant, naive first.
pub static ALL: [Variant<Build>; 7] = [
    random::VARIANT,
    greedy::VARIANT,
    potential::VARIANT,
    template_matrices::VARIANT,
    template::VARIANT,
    combined::VARIANT,
    beam::VARIANT,
];

settings! {
    SEED: i64 = "policy_seed", 1, 0..=i64::MAX, "the seed of the policy's own chance";
    DEPTH: Option<usize> = "depth", 1..=4, "pieces to look ahead, none beyond the visible ones; default 3, or those visible";
    /// The weights by which leaves are compared.
    pub(crate) LEAF_WEIGHTS: Option<String> = "leaf_weights", "weights by which leaves are compared: learned, or learned-0, -10 or -20 for those after so many rounds (for stairs and for sandwich), or a file of lines NAME NUMBER; default: those of the question, which in any case decide when a template is completed";
}

/// The number of pieces to look ahead: by default the visible ones, at most three. A depth beyond the visible pieces
/// is refused.
fn depth(challenge: &Challenge, settings: &Settings) -> Result<usize, InputError> {
    match settings.get(&DEPTH)? {
        Some(depth) => within(challenge, depth),
        None => Ok(challenge.question.visible.min(3)),
    }
}

/// Refuses a depth beyond the visible pieces.
fn within(challenge: &Challenge, depth: usize) -> Result<usize, InputError> {
    let visible = challenge.question.visible;
    if depth > visible {
        refuse!(
            "depth={depth} is beyond the visible pieces, expected 1 to {visible} (visible={visible})"
        );
    }
    Ok(depth)
}

/// The templates of the question. Named templates that do not fit were refused when the question was
/// asked; here only the default ones can be too large for a board.
fn repertoire(challenge: &Challenge) -> Result<Repertoire, Refusal> {
    challenge
        .own_repertoire()
        .map_err(|error| Refusal::skip(error.message))
}

/// The templates of `repertoire` with the weights by which leaves are compared.
pub(super) fn leaves(
    challenge: &Challenge,
    repertoire: &Repertoire,
    settings: &Settings,
) -> Result<Vec<Template>, InputError> {
    let Some(name) = settings.get(&LEAF_WEIGHTS)? else {
        return Ok(repertoire.templates.clone());
    };
    let text = weights::text(&name, &challenge.question.templates)?;
    let weighted = repertoire.weighted(&NamedWeights::read(&text, &name)?);
    weighted.map_err(|error| InputError::new(error.in_file(&name)))
}

/// The same, compiled.
fn leaf_matcher(
    challenge: &Challenge,
    repertoire: &Repertoire,
    settings: &Settings,
) -> Result<Arc<Matcher>, InputError> {
    if settings.get(&LEAF_WEIGHTS)?.is_none() {
        return Ok(Arc::clone(&repertoire.matcher));
    }
    let leaves = leaves(challenge, repertoire, settings)?;
    Matcher::new(&leaves, challenge.size()).map(Arc::new)
}

/// Refuses games in which a puyo above the top row vanishes: for policies that place both puyos of a piece.
fn places_whole_pieces(challenge: &Challenge) -> Result<(), Refusal> {
    match challenge.record.above_top {
        AboveTop::Illegal => Ok(()),
        AboveTop::Vanish => Err(Refusal::skip("knows only above_top=illegal")),
    }
}

/// A policy as a solver of one challenge.
struct PolicySolver<'a> {
    challenge: &'a Challenge,
    policy: Box<dyn Policy>,
    /// The templates to complete, if that is the goal.
    target: Option<TemplateTarget>,
}

/// A solver that plays `challenge` with `policy`; `matcher` holds the templates if the policy has compiled them
/// already.
fn player(
    challenge: &Challenge,
    policy: Box<dyn Policy>,
    matcher: Option<Arc<Matcher>>,
) -> Prepared<'_, Build> {
    let target = match (challenge.question.goal, matcher) {
        (Goal::Chain, _) => None,
        (Goal::Template, Some(matcher)) => Some(matcher),
        (Goal::Template, None) => Some(challenge.own_repertoire()?.matcher),
    };
    let completion = challenge.question.completion;
    Ok(Box::new(PolicySolver {
        challenge,
        policy,
        target: target.map(|matcher| TemplateTarget::new(matcher, completion)),
    }))
}

impl Solve<Build> for PolicySolver<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Played> {
        let (challenge, rules) = (self.challenge, self.challenge.rules());
        let pieces = challenge.record.pieces.first(rules.moves + rules.visible);
        let mut work = PolicyWork::until(search.deadline);
        let start = challenge.record.start;
        let policy = &mut *self.policy;
        let game = play(
            policy,
            start,
            &pieces,
            &rules,
            self.target.as_ref(),
            &mut work,
        );
        work.count(&mut search.counters);
        let answer = Played {
            score: score(challenge, &game),
            placements: game.placements,
        };
        search.incumbent.improve(answer.score);
        if game.end == End::Stopped {
            Attempt::Timeout {
                best: Some(answer),
                bound: None,
            }
        } else {
            Attempt::unproven(answer)
        }
    }

    fn table_bytes(&self) -> u64 {
        self.policy.table_bytes()
    }
}

fn score(challenge: &Challenge, game: &Game) -> Score {
    match challenge.question.goal {
        Goal::Chain => Score::from(game.best.0.attack),
        Goal::Template if game.end == End::Completed => -(game.placements.len() as Score),
        Goal::Template => -(challenge.question.moves as Score + 1),
    }
}
