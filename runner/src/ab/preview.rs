//! One answer of both builds to every cell, before any clock: outcomes, scores and counters.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use ikeru_core::{Direction, Score};

use super::{BuildSide, Builds, Compared};
use crate::campaign::schedule::{Pick, Round, Schedule, Taken};
use crate::execute::{Outcome, Sample};
use crate::plan::{Program, Stage};
use crate::registry;
use ikeru_session::declared::Declared;

/// The answers of both builds to a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The builds that answer.
    pub answered: AnsweredBy,
    /// Differences between both answers: a score, a counter. One line each.
    pub changes: Vec<String>,
    /// True if the score of head is worse, or if both claim a proof and their scores differ. A problem of
    /// commands counts only the latter, because a heuristic is better on some instances and worse on others.
    pub is_worse: bool,
    /// The scores of base and head in a problem of commands whose scores are better one way, `None` for a failure. There
    /// are none if the referee failed.
    pub scores: Option<[Option<Score>; 2]>,
}

/// The number of times that both builds are asked where one of them failed: the failure may be chance.
pub const TRIES: usize = 5;

/// The builds that answer a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnsweredBy {
    /// Both; the cell can be timed.
    Both,
    /// Base alone, in every try, and how head ended: a regression.
    Base(String),
    /// One of them now and then: the failures of base and of head in [`TRIES`], and how one ended.
    NowAndThen([usize; 2], String),
    /// Head alone, and how base ended.
    Head(String),
    /// None, and how they ended.
    Neither(String),
    /// Nobody knows: the referee failed on one of them, and how.
    Unjudged(String),
    /// One of them does not know the variant or a setting.
    Unknown(BuildSide, String),
}

impl AnsweredBy {
    fn of([base, head]: [&Sample; 2], is_solved: impl Fn(&Sample) -> bool) -> Self {
        match (is_solved(base), is_solved(head)) {
            (true, true) => Self::Both,
            (true, false) => Self::Base(ended(head)),
            (false, true) => Self::Head(ended(base)),
            (false, false) => Self::Neither(match (ended(base), ended(head)) {
                (base, head) if base == head => base,
                (base, head) => format!("base {base}, head {head}"),
            }),
        }
    }

    fn alone(self) -> Preview {
        Preview {
            answered: self,
            changes: Vec::new(),
            is_worse: false,
            scores: None,
        }
    }
}

impl Preview {
    /// Compares the first sample of each build. Counters are compared if they repeat exactly. `takes_late`: an answer of a
    /// command at its limit counts, as it would prove nothing anyway.
    pub fn of(
        [base, head]: [&Sample; 2],
        direction: Direction,
        repeats_exactly: bool,
        (declared, takes_late): (Option<&Declared>, bool),
    ) -> Self {
        let is_solved =
            |sample: &Sample| sample.outcome == Outcome::Solved || (takes_late && is_late(sample));
        let is_judged = |sample: &&Sample| sample.outcome != Outcome::RefereeFailed;
        if let Some(unjudged) = [base, head].into_iter().find(|it| !is_judged(it)) {
            return AnsweredBy::Unjudged(ended(unjudged)).alone();
        }
        let score = |sample: &Sample| sample.score.filter(|_| is_solved(sample));
        let is_bet = declared.is_some() && direction != Direction::Equal;
        let scores = is_bet.then(|| [score(base), score(head)]);
        let answered = AnsweredBy::of([base, head], is_solved);
        if answered != AnsweredBy::Both {
            let mut alone = answered.alone();
            // Base ran out of time, and head has a wrong answer or no end.
            if head.outcome.is_serious() && base.outcome == Outcome::Timeout {
                alone.changes.push(format!("head {}", ended(head)));
                alone.is_worse = true;
            }
            return Self { scores, ..alone };
        }
        let mut changes = Vec::new();
        let mut is_worse = false;
        if let (Some(before), Some(now)) = (base.score, head.score)
            && before != now
        {
            let both_proven = base.proven && head.proven;
            is_worse = both_proven
                || direction == Direction::Equal
                || (declared.is_none() && direction.is_better(before, now));
            let proven = match both_proven {
                true => ", both claimed as proven",
                false => "",
            };
            let [before, now] = [before, now].map(|score| match declared {
                Some(declared) => declared.written(score),
                None => score.to_string(),
            });
            changes.push(format!("score {before} → {now}{proven}"));
        }
        if repeats_exactly {
            changes.extend(changed_counters(base, head));
        }
        Self {
            answered: AnsweredBy::Both,
            changes,
            is_worse,
            scores,
        }
    }
}

/// Returns whether a command of a problem of commands gave its answer, which is a text, at its limit.
pub fn is_late(sample: &Sample) -> bool {
    let has_answer = sample.answer.is_some() && sample.score.is_some();
    sample.outcome == Outcome::Timeout && has_answer
}

/// The outcome of a sample, with its detail.
pub fn ended(sample: &Sample) -> String {
    match sample.detail.as_str() {
        "" => sample.outcome.name().to_owned(),
        detail => format!("{}: {detail}", sample.outcome.name()),
    }
}

fn changed_counters(base: &Sample, head: &Sample) -> Vec<String> {
    let of = |sample: &Sample, wanted: &str| {
        let mut all = sample.counters.iter();
        Some(all.find(|(name, _)| name == wanted)?.1)
    };
    let mut seen = BTreeSet::new();
    let names = base.counters.iter().chain(&head.counters);
    let names = names.filter(|(name, _)| seen.insert(name));
    let word = |count: Option<u64>| count.map_or("none".to_owned(), |count| count.to_string());
    let changed = names.filter_map(|(name, _)| {
        let (before, now) = (of(base, name), of(head, name));
        (before != now).then(|| format!("{name} {} → {}", word(before), word(now)))
    });
    changed.collect()
}

/// The schedule: each round has one cell, once by each build.
pub struct Previews<'a> {
    /// The builds.
    pub builds: &'a Builds,
    /// The cells before they are copied.
    pub cells: Vec<Compared<'a>>,
    /// The [`copies`](super::copies) of their stages.
    pub copies: &'a [Stage],
    /// The number of layouts, of which the first one is asked.
    pub layouts: usize,
    /// Called before each cell.
    pub seen: &'a dyn Fn(),
    /// The previews so far.
    pub previews: Vec<Preview>,
    /// The outcome of base in the first cell, if base crashed in every cell so far.
    pub base_fails: Option<String>,
    /// The preview of the present cell, with its tries so far: how each side answered.
    pub tried: Option<(Preview, Vec<AnsweredBy>)>,
}

impl Previews<'_> {
    /// The previews of all cells. A cell that was not reached has the preview "not asked".
    ///
    /// # Errors
    /// A cell that neither build knows, or a base that crashes in every cell.
    pub fn finish(mut self) -> Result<Vec<Preview>> {
        for (preview, cell) in self.previews.iter().zip(&self.cells) {
            if let AnsweredBy::Unknown(BuildSide::Base, why) = &preview.answered
                && self.unknown(cell, BuildSide::Head).is_some()
            {
                bail!("neither build can be asked: {why}");
            }
        }
        if let Some(why) = self.base_fails {
            let is_command = |compared: &Compared| compared.cell.solver.foreign().is_some();
            bail!(match self.cells.iter().all(is_command) {
                true => format!("base gives no answer to any cell: {why}"),
                false => format!(
                    "base gives no answer to any cell, {why}: it may be of a version that is asked otherwise. `ikeru compare` \
                     takes a run folder of each"
                ),
            });
        }
        let missing = || AnsweredBy::Neither("not asked".to_owned()).alone();
        self.previews.resize_with(self.cells.len(), missing);
        Ok(self.previews)
    }

    /// Takes the samples of a cell into account. Returns its preview, unless it is asked again.
    fn settled(&mut self, last: &[Taken]) -> Option<Preview> {
        let one = self.preview(&self.cells[self.previews.len()], last);
        let is_of_one = |it: &AnsweredBy| matches!(it, AnsweredBy::Base(_) | AnsweredBy::Head(_));
        let (first, mut tries) = match self.tried.take() {
            Some((first, tries)) => (first, tries),
            None if is_of_one(&one.answered) => (one.clone(), Vec::new()),
            None => return Some(one),
        };
        tries.push(one.answered);
        if tries.len() < TRIES {
            self.tried = Some((first, tries));
            return None;
        }
        let fails = |side: fn(&AnsweredBy) -> bool| tries.iter().filter(|it| side(it)).count();
        let head = fails(|it| matches!(it, AnsweredBy::Base(_) | AnsweredBy::Neither(_)));
        let base = fails(|it| matches!(it, AnsweredBy::Head(_) | AnsweredBy::Neither(_)));
        let answered = match (base, head, first.answered) {
            (0, TRIES, known) | (TRIES, 0, known) => known,
            (_, _, AnsweredBy::Base(why) | AnsweredBy::Head(why)) => {
                AnsweredBy::NowAndThen([base, head], why)
            }
            (_, _, other) => other,
        };
        Some(Preview { answered, ..first })
    }

    fn unknown(&self, cell: &Compared, side: BuildSide) -> Option<String> {
        let (stage, at) = cell.place;
        let copy = &self.copies[stage].cells[side.copy_of(at, (0, self.layouts))];
        self.builds.unknown(copy)
    }

    fn preview(&self, cell: &Compared, last: &[Taken]) -> Preview {
        for side in BuildSide::BOTH {
            if let Some(why) = self.unknown(cell, side) {
                return AnsweredBy::Unknown(side, why).alone();
            }
        }
        let Compared { stage, cell, .. } = cell;
        // The counters of threads that share their best score depend on timing.
        let repeats_exactly = cell.bound_policy.repeats_counters(cell.threads as usize);
        let direction = stage.problem.direction();
        let [base, head] = last else {
            return AnsweredBy::Neither("not asked".to_owned()).alone();
        };
        let declared = registry::declared(stage.problem.name());
        let both = [&base.sample, &head.sample];
        let is_exact = |program: &Program| program.foreign.exact;
        let takes_late = !cell.solver.foreign().is_some_and(is_exact);
        Preview::of(both, direction, repeats_exactly, (declared, takes_late))
    }
}

impl Schedule for Previews<'_> {
    fn next(&mut self, last: &[Taken]) -> Option<Round> {
        if !last.is_empty() {
            let fails = |taken: &&Taken| taken.sample.outcome == Outcome::Crashed;
            let fails = last.first().filter(fails).map(|base| ended(&base.sample));
            if self.previews.is_empty() || fails.is_none() {
                self.base_fails = fails;
            }
            if let Some(preview) = self.settled(last) {
                self.previews.push(preview);
                (self.seen)();
            }
        }
        let attempt = self.tried.as_ref().map_or(0, |(_, tries)| tries.len());
        let (stage, at) = self.cells.get(self.previews.len())?.place;
        let picks = BuildSide::BOTH.map(|side| Pick {
            stage,
            cell: side.copy_of(at, (0, self.layouts)),
            repeat: 0,
            attempt: attempt as u32,
            follows: false,
        });
        Some(Round {
            picks: picks.to_vec(),
            is_extra: attempt > 0,
            ..Round::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_said_before_any_clock() {
        let counted = |score, proven, nodes| Sample {
            score: Some(score),
            proven,
            counters: vec![("nodes".into(), nodes)],
            outcome: Outcome::Solved,
            ..Sample::default()
        };
        let preview =
            |base, head| Preview::of([&base, &head], Direction::Maximize, true, (None, true));
        let same = preview(counted(5, true, 9), counted(5, true, 9));
        assert_eq!(
            (same.answered, same.changes.len(), same.is_worse),
            (AnsweredBy::Both, 0, false)
        );
        let more = preview(counted(5, true, 9), counted(5, true, 12));
        assert_eq!(
            (more.changes, more.is_worse),
            (vec!["nodes 9 → 12".to_owned()], false)
        );
        assert!(preview(counted(5, false, 9), counted(4, false, 9)).is_worse);
        assert!(!preview(counted(5, false, 9), counted(6, false, 9)).is_worse);
        assert!(
            preview(counted(5, true, 9), counted(6, true, 9)).is_worse,
            "one of them is wrong"
        );
        let (before, now) = (counted(5, true, 9), counted(5, true, 12));
        let chance = Preview::of([&before, &now], Direction::Maximize, false, (None, true));
        assert_eq!(chance.changes, Vec::<String>::new());
        let crashed = Sample::failed(Outcome::Crashed, "gone");
        let lost = preview(counted(5, true, 9), crashed);
        assert_eq!(lost.answered, AnsweredBy::Base("crashed: gone".to_owned()));
        let crashed = Sample::failed(Outcome::Crashed, "gone");
        let gained = preview(crashed, counted(5, true, 9));
        assert_eq!(
            gained.answered,
            AnsweredBy::Head("crashed: gone".to_owned())
        );
    }
}
