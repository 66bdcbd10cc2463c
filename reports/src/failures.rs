//! The failures of a run, worst first: wrong answers, those in dispute, crashes, then timeouts and skipped samples. The page and the terminal print the same text.

use std::collections::BTreeMap;
use std::fmt;

use crate::records::Outcome;
use crate::{Rows, units};

/// The failures of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// The number of samples for each outcome.
    pub counts: BTreeMap<Outcome, usize>,
    /// The number of solved samples of experiments without a referee.
    pub unconfirmed: usize,
    /// The number of solved samples whose answer came at the limit.
    pub late: usize,
    /// True if searches that were stopped, and that solved nothing, have an answer.
    pub has_stopped_answers: bool,
    /// The number of suspect samples, by their canary.
    pub suspect: usize,
    /// Solved samples with a doubtful time, grouped by experiment and label.
    pub doubtful: Vec<FailedSamples>,
    /// Samples without a confirmed answer, grouped by outcome, experiment, label and reason; worst first.
    pub groups: Vec<FailedSamples>,
}

/// Samples with the same outcome, experiment, label and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedSamples {
    /// The outcome.
    pub outcome: Outcome,
    /// The experiment.
    pub experiment: String,
    /// The variant's label.
    pub label: String,
    /// The reason.
    pub detail: String,
    /// The instance of the first row.
    pub instance: String,
    /// The number of instances.
    pub instances: usize,
    /// The number of rows.
    pub count: usize,
}

/// The outcomes of samples without a confirmed answer, worst first.
pub const WORST_FIRST: [Outcome; 9] = [
    Outcome::Wrong,
    Outcome::Disputed,
    Outcome::RefereeFailed,
    Outcome::Unchecked,
    Outcome::Crashed,
    Outcome::OutOfMemory,
    Outcome::NoAnswer,
    Outcome::Timeout,
    Outcome::Skipped,
];

impl Failures {
    /// Collects the failures of `rows`.
    pub fn of(rows: &Rows) -> Self {
        let all = rows.all();
        let mut counts = BTreeMap::new();
        for outcome in all.iter().filter_map(|row| rows.outcome(*row)) {
            *counts.entry(outcome).or_default() += 1;
        }
        let stopped = rows.ended(&all, Outcome::Timeout);
        let has_score = |row: &u32| !rows.text("score", *row).is_empty();
        let outcomes = WORST_FIRST.into_iter();
        let groups = outcomes.flat_map(|outcome| groups(rows, &all, outcome));
        Self {
            counts,
            unconfirmed: 0,
            late: all.iter().filter(|row| rows.is_late(**row)).count(),
            has_stopped_answers: stopped.iter().any(has_score),
            suspect: rows.suspect(&all),
            doubtful: doubtful(rows, &all),
            groups: groups.collect(),
        }
    }

    /// Counts the solved samples of an experiment as not confirmed: it has no referee.
    pub fn without_referee(&mut self, rows: &Rows, experiment: &str) {
        let own = rows.with("experiment", experiment);
        self.unconfirmed += rows.solved(&own).len();
    }

    /// The number of samples with this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.counts.get(&outcome).copied().unwrap_or(0)
    }

    /// Returns whether at least one answer is wrong or in dispute.
    pub fn has_wrong_answers(&self) -> bool {
        self.count(Outcome::Wrong) + self.count(Outcome::Disputed) > 0
    }

    /// The number of samples that crashed or ran out of memory.
    pub fn broken(&self) -> usize {
        self.count(Outcome::Crashed) + self.count(Outcome::OutOfMemory)
    }

    /// The number of failed samples of one experiment with such an outcome.
    fn samples(&self, experiment: &str, is: impl Fn(Outcome) -> bool) -> usize {
        let mut own: Vec<&FailedSamples> = self.groups.iter().collect();
        own.retain(|group| group.experiment == experiment && is(group.outcome));
        own.into_iter().map(|group| group.count).sum()
    }

    /// The number of serious failures of one experiment: wrong and unchecked answers, those in dispute, crashes, and
    /// samples out of memory.
    pub fn alarms(&self, experiment: &str) -> usize {
        let is_alarm = |outcome: Outcome| outcome.is_serious() || outcome == Outcome::Disputed;
        self.samples(experiment, is_alarm)
    }

    /// The number of samples of all experiments whose answers are wrong, in dispute or not checked, or that failed.
    pub fn alarms_of_all(&self) -> usize {
        let serious = self.counts.iter().filter(|(outcome, _)| is_told(**outcome));
        serious.map(|(_, count)| count).sum()
    }

    /// The number of timeouts of one experiment.
    pub fn stopped(&self, experiment: &str) -> usize {
        self.samples(experiment, |outcome| outcome == Outcome::Timeout)
    }

    /// A sentence about an experiment without a solved sample; `None` for other experiments.
    pub fn nothing_solved(&self, experiment: &str, rows: &Rows) -> Option<String> {
        let own = rows.with("experiment", experiment);
        if own.is_empty() || !rows.solved(&own).is_empty() {
            return None;
        }
        let counts = WORST_FIRST.into_iter().filter_map(|outcome| {
            let count = rows.ended(&own, outcome).len();
            (count > 0).then(|| format!("{} {}", units::count(count), outcome.name()))
        });
        let counts: Vec<String> = counts.collect();
        let samples = units::plural(own.len(), "sample");
        let counts = counts.join(", ");
        Some(format!("Nothing was solved: of {samples} {counts}."))
    }

    /// Returns whether there are samples and none of them is solved.
    pub fn is_without_solution(&self) -> bool {
        !self.counts.is_empty() && self.count(Outcome::Solved) == 0
    }

    /// Advice for a run without a solved sample that has timeouts.
    pub fn advice(&self) -> Option<&'static str> {
        let is_stopped = self.is_without_solution() && self.count(Outcome::Timeout) > 0;
        let advice = "Nothing was solved within the limit: raise `limit`, here or with --limit.";
        is_stopped.then_some(advice)
    }

    /// The failures as text for a terminal: serious failures, answers in dispute by label, and
    /// doubtful times, each in at most `most` lines, then the [`sentence`](Self::sentence).
    pub fn in_lines(&self, most: usize) -> String {
        let mut lines: Vec<String> = Vec::new();
        let told = self.groups.iter().filter(|group| is_told(group.outcome));
        let (disputed, broken): (Vec<_>, Vec<_>) = told
            .cloned()
            .partition(|group| group.outcome == Outcome::Disputed);
        for all in [broken, by_label(disputed), self.doubtful.clone()] {
            lines.extend(all.iter().take(most).map(FailedSamples::to_string));
            if all.len() > most {
                lines.push(format!("… and {} more on the page", all.len() - most));
            }
        }
        lines.push(self.sentence());
        lines.join("\n") + "\n"
    }

    /// A summary of the failures in one or two sentences.
    pub fn sentence(&self) -> String {
        if self.counts.is_empty() {
            return "No sample: nothing was measured.".to_owned();
        }
        let count = |outcome| units::count(self.count(outcome));
        let some = |count: usize, what: &str| (count > 0).then(|| units::plural(count, what));
        let answers = |outcome| some(self.count(outcome), "answer");
        let bad = [
            answers(Outcome::Wrong).map(|it| format!("{it} wrong")),
            answers(Outcome::Disputed).map(|it| format!("{it} in dispute and left out")),
            some(self.broken(), "sample").map(|it| format!("{it} crashed or out of memory")),
            answers(Outcome::Unchecked)
                .map(|it| format!("{it} that the referee could not check in time")),
            answers(Outcome::RefereeFailed).map(|it| format!("the referee failed on {it}")),
        ];
        let bad: Vec<String> = bad.into_iter().flatten().collect();
        let solved = units::plural(self.count(Outcome::Solved), "sample");
        let late = match self.late {
            0 => String::new(),
            late => format!(" ({} of them at the limit)", units::count(late)),
        };
        let (stopped, skipped) = (count(Outcome::Timeout), count(Outcome::Skipped));
        let all = self.count(Outcome::Solved);
        let is_all = self.counts.values().sum::<usize>() == all;
        let confirmed = match all.saturating_sub(self.unconfirmed) {
            0 if all > 0 => "without a referee".to_owned(),
            confirmed if confirmed < all => {
                let confirmed = units::count(confirmed);
                format!("{confirmed} of them confirmed by the referee")
            }
            _ if is_all => "all confirmed by the referee".to_owned(),
            _ => "confirmed by the referee".to_owned(),
        };
        let there = match (self.late, self.has_stopped_answers) {
            (1.., false) => "there without an answer",
            _ => "at their limit",
        };
        let none = match self.count(Outcome::NoAnswer) {
            0 => String::new(),
            none => format!("{} without an answer, ", units::count(none)),
        };
        let counts = match is_all {
            true => format!("{solved}{late}, {confirmed}."),
            false => format!(
                "{solved} solved{late}, {confirmed}, {stopped} stopped {there}, {none}{skipped} skipped."
            ),
        };
        let doubts = self.doubts();
        match bad.is_empty() {
            true => format!(
                "{counts} No wrong answer, no disagreement between exact variants, no crash.{doubts}"
            ),
            false => format!("{}. {counts}{doubts}", bad.join(", ")),
        }
    }

    /// Sentences about the samples with a doubtful time, and the suspect samples.
    fn doubts(&self) -> String {
        let mut text = String::new();
        let doubtful = self.doubtful.iter().map(|group| group.count).sum();
        if doubtful > 0 {
            let doubtful = units::plural(doubtful, "sample");
            text += &format!(" {doubtful} with a doubtful time (column detail).");
        }
        if self.suspect > 0 {
            let verb = if self.suspect == 1 { "was" } else { "were" };
            let suspect = units::plural(self.suspect, "sample");
            text += &format!(
                " {suspect} {verb} taken while the machine was not as usual (column canary); `--resume` with more `--repeats` takes further ones."
            );
        }
        text
    }
}

impl FailedSamples {
    /// The first instance, and the number of further ones.
    pub fn place(&self) -> String {
        match self.instances {
            0 | 1 => self.instance.clone(),
            more => format!("{} and {} more", self.instance, more - 1),
        }
    }
}

impl fmt::Display for FailedSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.outcome {
            Outcome::Solved => "doubtful time",
            other => other.name(),
        };
        let (experiment, label, place) = (&self.experiment, &self.label, self.place());
        let count = units::plural(self.count, "sample");
        write!(f, "{what}: {experiment}, {label} on {place}, {count}")?;
        match self.detail.as_str() {
            "" => Ok(()),
            detail => write!(f, ": {detail}"),
        }
    }
}

fn is_told(outcome: Outcome) -> bool {
    outcome.is_serious() || matches!(outcome, Outcome::RefereeFailed | Outcome::Disputed)
}

/// The wrong answers among `rows`, and those in dispute: a line for each label, with its first reason.
pub fn wrong_answers(rows: &Rows, selection: &[u32]) -> Vec<String> {
    let outcomes = [Outcome::Wrong, Outcome::Disputed].into_iter();
    let found = outcomes.flat_map(|outcome| by_label(groups(rows, selection, outcome)));
    found.map(|group| group.to_string()).collect()
}

/// The rows with this outcome, grouped by experiment, label and reason.
fn groups(rows: &Rows, all: &[u32], outcome: Outcome) -> Vec<FailedSamples> {
    let failed = rows.ended(all, outcome);
    let groups = rows.group_by(&["experiment", "label", "detail"], &failed);
    let group = |group: &Vec<u32>| {
        let text = |column| rows.text(column, group[0]).to_owned();
        FailedSamples {
            outcome,
            experiment: text("experiment"),
            label: text("label"),
            detail: text("detail"),
            instance: text("instance"),
            instances: rows.group_by(&["instance_hash"], group).len(),
            count: group.len(),
        }
    };
    groups.iter().map(group).collect()
}

/// The samples solved within their limit that have a detail, with one entry per label: their details contain times and
/// therefore differ.
fn doubtful(rows: &Rows, all: &[u32]) -> Vec<FailedSamples> {
    let mut in_time = all.to_vec();
    in_time.retain(|row| !rows.is_late(*row));
    let mut doubtful = groups(rows, &in_time, Outcome::Solved);
    doubtful.retain(|group| !group.detail.is_empty());
    by_label(doubtful)
}

/// One group for each label, with the first reason.
fn by_label(mut groups: Vec<FailedSamples>) -> Vec<FailedSamples> {
    groups.dedup_by(|next, first| {
        let is_same = next.experiment == first.experiment && next.label == first.label;
        if is_same {
            first.count += next.count;
            first.instances = first.instances.max(next.instances);
        }
        is_same
    });
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;

    #[test]
    fn an_answer_at_the_limit_is_no_doubtful_time() {
        let mut rows = rows(
            "schema,problem,outcome,label,score,detail\n1,p,timeout,a,5,its standard error: failed/a.txt\n1,p,solved,b,5,the first took long\n",
        );
        rows.set_digits([("p".to_owned(), 0)].into());
        let failures = Failures::of(&rows);
        let labels = failures.doubtful.iter().map(|group| group.label.as_str());
        assert_eq!(labels.collect::<Vec<_>>(), ["b"]);
        assert_eq!(failures.count(Outcome::Solved), 2);
        let said = failures.sentence().replace('\u{202f}', " ");
        assert!(
            said.starts_with("2 samples (1 of them at the limit), all confirmed"),
            "{said}"
        );
    }

    #[test]
    fn the_worst_comes_first_and_equal_failures_are_one() {
        let rows = rows(
            "schema,outcome,label,instance_hash,detail\n1,timeout,a,h,\n1,solved,a,h,\n1,wrong,b,h,no trail\n1,timeout,a,g,\n",
        );
        let failures = Failures::of(&rows);
        let seen: Vec<_> = failures
            .groups
            .iter()
            .map(|failure| (failure.outcome.name(), failure.count, failure.instances))
            .collect();
        assert_eq!(seen, [("wrong", 1, 1), ("timeout", 2, 2)]);
        assert!(failures.has_wrong_answers());
        let sentence = failures.sentence().replace('\u{202f}', " ");
        assert_eq!(failures.advice(), None);
        let stopped = crate::rows_of("schema,outcome,label\n1,timeout,a\n1,skipped,b\n");
        assert!(
            Failures::of(&stopped)
                .advice()
                .is_some_and(|said| said.contains("raise `limit`"))
        );
        let none = crate::rows_of("schema,outcome,label\n");
        let nothing = Failures::of(&none);
        assert_eq!(nothing.sentence(), "No sample: nothing was measured.");
        assert!(!nothing.is_without_solution());
        let solved = crate::rows_of("schema,outcome,label\n1,solved,a\n1,solved,b\n");
        let all = Failures::of(&solved).sentence().replace('\u{202f}', " ");
        assert!(
            all.starts_with("2 samples, all confirmed by the referee."),
            "{all}"
        );
        assert!(
            sentence.starts_with("1 answer wrong. 1 sample solved"),
            "{sentence}"
        );
    }

    #[test]
    fn an_experiment_without_a_solved_sample_says_so() {
        let rows = rows(
            "schema,experiment,outcome,label\n1,a,timeout,x\n1,a,wrong,y\n1,a,timeout,y\n1,b,solved,x\n1,b,wrong,y\n",
        );
        let failures = Failures::of(&rows);
        let said = |name| failures.nothing_solved(name, &rows);
        let words = said("a").map(|said| said.replace('\u{202f}', " "));
        let expected = "Nothing was solved: of 3 samples 1 wrong, 2 timeout.";
        assert_eq!(words.as_deref(), Some(expected));
        assert_eq!((said("b"), said("c")), (None, None));
        assert!(!failures.is_without_solution());
    }
}
