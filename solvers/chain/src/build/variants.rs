//! The variants of `build`: every policy under its name.

use std::sync::Arc;

use ikeru_core::{
    Attempt, BoxedSolve, InputError, Refusal, Score, Search, Setting, Settings, Solve, Source,
    Variant,
};

use super::question::{Challenge, Goal};
use super::{Build, Played};
use crate::begin;
use crate::board::Size;
use crate::game::{self, Game, play};
use crate::placement::{Piece, Placement};
use crate::policy::beam::{Beam, BeamSize};
use crate::policy::combined::{Combined, SwitchRules};
use crate::policy::oracle::{self, complete_early};
use crate::policy::potential::{Potential, PotentialRules};
use crate::policy::simple::{Greedy, RandomPolicy};
use crate::policy::template::{Completion, Selection, TemplatePolicy};
use crate::policy::{Policy, Work};
use crate::repertoire::Repertoire;
use crate::templates::criterion::{Criterion, Threshold};

/// Every policy, naive first.
pub const VARIANTS: [Variant<Build>; 7] = [
    Variant {
        name: "random",
        about: "any legal placement",
        source: Source::Ours,
        exact: false,
        version: 1,
        settings: &[SEED],
        prepare: |challenge, settings, deadline| {
            begin(deadline)?;
            let seed = settings.int(&SEED, 0..=i64::MAX)?.unwrap_or_default() as u64;
            player(challenge, Box::new(RandomPolicy::new(seed)))
        },
    },
    Variant {
        name: "greedy",
        about: "the largest attack at once, else the lowest board",
        source: Source::Ours,
        exact: false,
        version: 1,
        settings: &[],
        prepare: |challenge, _, deadline| {
            begin(deadline)?;
            player(challenge, Box::new(Greedy))
        },
    },
    Variant {
        name: "potential",
        about: "potential maximization: towards the largest attack that the visible pieces can start",
        source: Source::Article {
            name: "Thesis",
            section: "4.2",
        },
        exact: false,
        version: 1,
        settings: &POTENTIAL,
        prepare: |challenge, settings, deadline| {
            begin(deadline)?;
            let rules = potential_rules(challenge, settings, PotentialRules::default())?;
            player(challenge, Box::new(Potential::new(size(challenge), rules)))
        },
    },
    Variant {
        name: "template",
        about: "towards the best match of a template by relation matrices",
        source: Source::Article {
            name: "Thesis",
            section: "3, 6.1",
        },
        exact: false,
        version: 2,
        settings: &[DEPTH, SELECTION],
        prepare: |challenge, settings, deadline| {
            begin(deadline)?;
            let completion = challenge.question.completion;
            let policy = template_policy(challenge, settings, completion)?;
            player(challenge, Box::new(policy))
        },
    },
    Variant {
        name: "combined",
        about: "templates until one stands but for its trigger, then potential maximization",
        source: Source::Article {
            name: "Thesis",
            section: "6.2",
        },
        exact: false,
        version: 1,
        settings: &COMBINED,
        prepare: |challenge, settings, deadline| {
            begin(deadline)?;
            let policy = combined(challenge, settings)?;
            player(challenge, Box::new(policy))
        },
    },
    Variant {
        name: "beam",
        about: "beam search over the visible pieces and random continuations",
        source: Source::Ours,
        exact: false,
        version: 3,
        settings: &[WIDTH, PLIES, CONTINUATIONS, SEED],
        prepare: |challenge, settings, deadline| {
            begin(deadline)?;
            let policy = beam(challenge, settings)?;
            player(challenge, Box::new(policy))
        },
    },
    Variant {
        name: "full-lookahead",
        about: "an oracle: a beam over the whole sequence, for the earliest completion of a template",
        source: Source::Ours,
        exact: false,
        version: 2,
        settings: &[ORACLE_WIDTH],
        prepare: |challenge, settings, deadline| {
            begin(deadline)?;
            if challenge.question.goal != Goal::Template {
                return Err(Refusal::skip("knows only the goal `template`"));
            }
            let width = settings.int(&ORACLE_WIDTH, 1..=1_000_000)?;
            let width = width.unwrap_or(10_000) as usize;
            let bytes = oracle::bytes(width, size(challenge));
            if bytes > MOST_ORACLE_BYTES {
                return Err(Refusal::skip(format!(
                    "a beam of {width} boards takes {bytes} bytes, at most {MOST_ORACLE_BYTES} are allowed"
                )));
            }
            Ok(Box::new(Oracle {
                challenge,
                repertoire: repertoire(challenge)?,
                width,
            }))
        },
    },
];

/// Memory of the oracle's beam.
const MOST_ORACLE_BYTES: usize = 2 << 30;

const WIDTH: Setting = Setting {
    name: "width",
    default: "36",
    about: "boards that the beam keeps at each ply, from 1 to 100000",
};
const PLIES: Setting = Setting {
    name: "plies",
    default: "6",
    about: "pieces that the beam looks ahead, the visible ones included, from 1 to 40",
};
const CONTINUATIONS: Setting = Setting {
    name: "continuations",
    default: "4",
    about: "random continuations of the visible pieces, from 1 to 1000",
};
const ORACLE_WIDTH: Setting = Setting {
    name: "oracle_width",
    default: "10000",
    about: "boards that the oracle keeps at each ply, equal shares for the templates, from 1 to 1000000",
};

const SEED: Setting = Setting {
    name: "policy_seed",
    default: "1",
    about: "the seed of the policy's own chance, from 0",
};
const DEPTH: Setting = Setting {
    name: "depth",
    default: "",
    about: "pieces to look ahead, from 1 to 4, none beyond the visible ones; default 3, or those visible",
};
const SELECTION: Setting = Setting {
    name: "selection",
    default: "a",
    about: "the value of a leaf: a best match, b most templates without violation, c their mean match, d a soft maximum of their matches, e the best of the first set that has one, f a best match less what the columns furthest behind lack",
};
const PARTIAL: Setting = Setting {
    name: "partial",
    default: "",
    about: "the longest chain cleared on the way, from 0 to 19; default 3",
};
const FREE: Setting = Setting {
    name: "free",
    default: "",
    about: "free cells below which a chain is fired, from 0 to 120; default 24, in combined 18",
};
const ENOUGH: Setting = Setting {
    name: "enough",
    default: "",
    about: "a chain so long is fired with any number of free cells, from 1 to 30; default 11, in combined 12",
};
const SHORTEST: Setting = Setting {
    name: "shortest",
    default: "8",
    about: "the shortest chain worth firing, from 1 to 19",
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

const POTENTIAL: [Setting; 5] = [DEPTH, PARTIAL, FREE, ENOUGH, SHORTEST];
const COMBINED: [Setting; 7] = [
    DEPTH,
    PARTIAL,
    FREE,
    ENOUGH,
    SHORTEST,
    GIVE_UP,
    SWITCH_MATCH,
];

fn size(challenge: &Challenge) -> Size {
    challenge.record.start.size()
}

/// How far to look ahead. Left to itself a policy looks as far as it sees, up to three pieces; who
/// asks for more than it sees is told so.
fn depth(challenge: &Challenge, settings: &Settings) -> Result<usize, InputError> {
    let visible = challenge.question.visible;
    let Some(depth) = settings.int(&DEPTH, 1..=4)? else {
        return Ok(visible.min(3));
    };
    let depth = depth as usize;
    if depth > visible {
        return Err(InputError::new(format!(
            "depth={depth} is beyond the visible pieces, expected 1 to {visible} (visible={visible})"
        )));
    }
    Ok(depth)
}

fn potential_rules(
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

/// The templates of the question. A person who names templates that do not fit is told so when the
/// question is asked; here only the default ones can be too large for a board.
fn repertoire(challenge: &Challenge) -> Result<Arc<Repertoire>, Refusal> {
    challenge
        .repertoire()
        .map_err(|error| Refusal::skip(error.message))
}

fn template_policy(
    challenge: &Challenge,
    settings: &Settings,
    completion: Completion,
) -> Result<TemplatePolicy, Refusal> {
    let repertoire = repertoire(challenge)?;
    let chosen = settings.choice(&SELECTION, &Selection::NAMES)?;
    let index = Selection::NAMES
        .iter()
        .position(|name| Some(*name) == chosen);
    let selection = index.map_or(Selection::Best, |index| Selection::ALL[index]);
    let matcher = Arc::clone(&repertoire.matcher);
    let depth = depth(challenge, settings)?;
    let policy = TemplatePolicy::new(matcher, depth, selection, completion);
    Ok(match selection {
        Selection::InOrder => policy.in_order(repertoire.sets.clone()),
        _ => policy,
    })
}

/// The combined policy with its settings.
pub(crate) fn combined(challenge: &Challenge, settings: &Settings) -> Result<Combined, Refusal> {
    // Completed by firing is no use here: the chain is to grow.
    let templates = template_policy(challenge, &settings.only(&[DEPTH]), Completion::Standing)?;
    let rules = potential_rules(challenge, settings, PotentialRules::EXTENDING)?;
    let give_up = settings.int(&GIVE_UP, 0..=1000)?.unwrap_or(34) as usize;
    let default = SwitchRules::default();
    let built = Threshold::of(settings, &SWITCH_MATCH)?.map(Criterion::Above);
    let switch = SwitchRules {
        built: built.unwrap_or(default.built),
        give_up,
        ..default
    };
    let matcher = Arc::clone(&repertoire(challenge)?.matcher);
    Ok(Combined::new(
        matcher,
        templates,
        Potential::new(size(challenge), rules),
        switch,
    ))
}

/// The beam with its settings.
pub(crate) fn beam(challenge: &Challenge, settings: &Settings) -> Result<Beam, InputError> {
    let number = |setting, range| {
        Ok::<_, InputError>(settings.int(setting, range)?.unwrap_or_default() as usize)
    };
    let beam = BeamSize {
        width: number(&WIDTH, 1..=100_000)?,
        depth: number(&PLIES, 1..=40)?,
        continuations: number(&CONTINUATIONS, 1..=1000)?,
    };
    let seed = settings.int(&SEED, 0..=i64::MAX)?.unwrap_or_default() as u64;
    Ok(Beam::new(size(challenge), beam, seed))
}

/// The oracle at a sequence.
struct Oracle<'a> {
    challenge: &'a Challenge,
    repertoire: Arc<Repertoire>,
    width: usize,
}

impl Oracle<'_> {
    /// The earliest completion that beams from narrow to wide find, until one takes `least` moves;
    /// and whether the time was over before.
    fn widen(
        &self,
        pieces: &[Piece],
        least: Option<usize>,
        work: &mut Work,
        search: &Search,
    ) -> (Option<Vec<Placement>>, bool) {
        let goal = game::Goal {
            matcher: &self.repertoire.matcher,
            completion: self.challenge.question.completion,
        };
        let record = &self.challenge.record;
        let mut best: Option<Vec<Placement>> = None;
        let mut stopped = false;
        let mut stop = || {
            stopped |= search.deadline.passed();
            stopped
        };
        for width in widening(self.width) {
            // Only what is earlier than the best is of use.
            let most = best.as_ref().map_or(pieces.len(), |best| best.len() - 1);
            if least.is_some_and(|least| most < least) || stop() {
                break;
            }
            let (loss, start, pieces) = (record.loss, record.start, &pieces[..most]);
            let found = complete_early(&goal, loss, start, pieces, width, work, &mut stop);
            if let Some(found) = found {
                search.incumbent.raise(-(found.len() as Score));
                best = Some(found);
            }
        }
        (best, stopped)
    }
}

impl Solve<Build> for Oracle<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Played> {
        let (record, question) = (&self.challenge.record, &self.challenge.question);
        let pieces = record.pieces.first(question.moves);
        let criterion = question.completion.after();
        let least = self.repertoire.least_moves(&pieces, criterion);
        // Puyos that stand already would have to be counted in: no bound for such starts.
        let least = least.filter(|_| record.start.stones() == 0);
        let mut work = Work::default();
        let (best, stopped) = self.widen(&pieces, least, &mut work, search);
        work.count(&mut search.counters);
        let played = best.map(|placements| Played {
            score: -(placements.len() as Score),
            placements,
        });
        match played {
            Some(played) if !stopped => Attempt::Solved(played),
            best => Attempt::Timeout {
                best,
                bound: least.map(|moves| -(moves as Score)),
            },
        }
    }
}

/// Beams from narrow to `width`: most optima are found, and proven by the lower bound, by a narrow one.
fn widening(width: usize) -> impl Iterator<Item = usize> {
    let narrower = [100, 10].map(|part| width / part);
    let narrower = narrower.into_iter().filter(|&width| width > 0);
    narrower.chain([width])
}

/// A policy at a game.
struct Player<'a> {
    challenge: &'a Challenge,
    policy: Box<dyn Policy>,
    repertoire: Option<Arc<Repertoire>>,
}

fn player(
    challenge: &Challenge,
    policy: Box<dyn Policy>,
) -> Result<BoxedSolve<'_, Build>, Refusal> {
    let goal = challenge.question.goal;
    let repertoire = (goal == Goal::Template)
        .then(|| challenge.repertoire())
        .transpose()?;
    Ok(Box::new(Player {
        challenge,
        policy,
        repertoire,
    }))
}

impl Solve<Build> for Player<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Played> {
        let challenge = self.challenge;
        let pieces = challenge
            .record
            .pieces
            .first(challenge.question.moves + challenge.question.visible);
        let goal = self.repertoire.as_ref().map(|repertoire| game::Goal {
            matcher: &repertoire.matcher,
            completion: challenge.question.completion,
        });
        let mut work = Work::until(search.deadline);
        let deadline = search.deadline;
        let (start, rules) = (challenge.record.start, challenge.rules());
        let policy = &mut *self.policy;
        let game = play(
            policy,
            start,
            &pieces,
            &rules,
            goal.as_ref(),
            &mut work,
            || deadline.passed(),
        );
        work.count(&mut search.counters);
        let answer = Played {
            score: score(challenge, &game),
            placements: game.placements,
        };
        search.incumbent.raise(answer.score);
        if game.end == game::End::Stopped {
            Attempt::Timeout {
                best: Some(answer),
                bound: None,
            }
        } else {
            Attempt::Solved(answer)
        }
    }

    fn table_bytes(&self) -> u64 {
        self.policy.table_bytes()
    }
}

fn score(challenge: &Challenge, game: &Game) -> Score {
    match challenge.question.goal {
        Goal::Chain => Score::from(game.best.0.attack),
        Goal::Template if game.end == game::End::Completed => -(game.placements.len() as Score),
        Goal::Template => -(challenge.question.moves as Score + 1),
    }
}
