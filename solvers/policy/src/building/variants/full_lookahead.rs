//! `full-lookahead`: the oracle, which knows the whole sequence.

use ikeru_chain::{Piece, Placement};
use ikeru_core::{Attempt, OURS, Score, Search, Solve, Variant, settings, skip};

use super::{Build, Challenge, Goal, Played, places_whole_pieces, repertoire};
use crate::matching::TemplateTarget;
use crate::policy::oracle::complete_early;
use crate::policy::{DeadlinePassed, PolicyWork, oracle};

pub const VARIANT: Variant<Build> = Variant {
    name: "full-lookahead",
    about: "an oracle: a beam over the whole sequence, for the earliest completion of a template",
    source: OURS,
    exact: false,
    version: 3,
    settings: settings![ORACLE_WIDTH],
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
        places_whole_pieces(challenge)?;
        if challenge.question.goal != Goal::Template {
            skip!("knows only the goal `template`");
        }
        let width = settings.get(&ORACLE_WIDTH)?;
        let bytes = oracle::bytes(width, challenge.size());
        if bytes > MOST_ORACLE_BYTES {
            skip!(
                "a beam of {width} boards takes {bytes} bytes, at most {MOST_ORACLE_BYTES} are allowed"
            );
        }
        let repertoire = repertoire(challenge)?;
        Ok(Box::new(Oracle {
            challenge,
            least: challenge.least_moves(&repertoire),
            target: TemplateTarget::new(repertoire.matcher, challenge.question.completion),
            width,
        }))
    },
};

/// The most bytes of the oracle's beam.
const MOST_ORACLE_BYTES: usize = 2 << 30;

settings! {
    ORACLE_WIDTH: usize = "oracle_width", 10_000, 1..=1_000_000, "boards that the oracle keeps at each ply, equal shares for the templates";
}

/// The oracle as a solver of one challenge.
struct Oracle<'a> {
    challenge: &'a Challenge,
    target: TemplateTarget,
    /// A lower bound on the moves.
    least: Option<usize>,
    width: usize,
}

impl Oracle<'_> {
    /// Searches for earlier completions with wider and wider beams, until one takes `least` moves.
    fn widen(
        &self,
        pieces: &[Piece],
        least: Option<usize>,
        best: &mut Option<Vec<Placement>>,
        work: &mut PolicyWork,
        search: &Search,
    ) -> Result<(), DeadlinePassed> {
        let record = &self.challenge.record;
        for width in widening(self.width) {
            // Only a completion that is earlier than the best one helps.
            let most = best.as_ref().map_or(pieces.len(), |best| best.len() - 1);
            if least.is_some_and(|least| most < least) {
                break;
            }
            let pieces = &pieces[..most];
            let found = complete_early(&self.target, record, pieces, width, work)?;
            if let Some(found) = found {
                search.incumbent.improve(-(found.len() as Score));
                *best = Some(found);
            }
        }
        Ok(())
    }
}

impl Solve<Build> for Oracle<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Played> {
        let pieces = self.challenge.pieces();
        let least = self.least;
        let mut work = PolicyWork::until(search.deadline);
        let mut best = None;
        let stopped = self
            .widen(&pieces, least, &mut best, &mut work, search)
            .is_err();
        work.count(&mut search.counters);
        let played = best.map(|placements| Played {
            score: -(placements.len() as Score),
            placements,
        });
        match played {
            Some(played) if !stopped => Attempt::unproven(played),
            best => Attempt::Timeout {
                best,
                bound: least.map(|moves| -(moves as Score)),
            },
        }
    }
}

/// Beam widths up to `width`, narrowest first: a narrow beam finds most optima, and the lower bound proves them.
fn widening(width: usize) -> impl Iterator<Item = usize> {
    let narrower = [100, 10].map(|part| width / part);
    let narrower = narrower.into_iter().filter(|&width| width > 0);
    narrower.chain([width])
}
