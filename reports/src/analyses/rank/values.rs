//! The values of each label on each question, and the questions that it refuses.

use std::collections::BTreeMap;

use crate::metric::Metric;
use crate::rows::{QUESTION, Rows};
use crate::statistics::portfolio::Time;
use crate::statistics::{mean, median};
use crate::table::Cell;
use crate::units::Quantity;

/// Each label's value on each question.
pub(super) struct LabelValues {
    pub(super) labels: Vec<String>,
    /// `[label][question]`.
    pub(super) times: Vec<Vec<Time>>,
    /// The questions that a label refuses or was not asked, `[label][question]`.
    pub(super) refused: Vec<Vec<bool>>,
    /// The instance of each question.
    pub(super) instances: Vec<String>,
    /// Rows of each label.
    pub(super) rows: Vec<Vec<u32>>,
}

impl LabelValues {
    pub(super) fn of(
        rows: &Rows,
        selection: &[u32],
        questions: &[Vec<u32>],
        (metric, penalty): (&Metric, Option<f64>),
    ) -> Self {
        let labels = rows.distinct("label", selection);
        let hash = |question: &Vec<u32>| rows.text("instance_hash", question[0]).to_owned();
        let mut values = Self {
            times: vec![vec![None; questions.len()]; labels.len()],
            refused: vec![vec![true; questions.len()]; labels.len()],
            instances: questions.iter().map(hash).collect(),
            rows: vec![Vec::new(); labels.len()],
            labels,
        };
        for (question, all) in questions.iter().enumerate() {
            for own in rows.group_by(&["label"], all) {
                let label = rows.text("label", own[0]);
                let Some(place) = values.labels.iter().position(|known| known == label) else {
                    continue;
                };
                let sample = rows.sample(&metric.column(), &own);
                let with_penalty = || penalised(rows, &metric.column(), &own, penalty?);
                values.times[place][question] = sample.answered().or_else(with_penalty);
                values.refused[place][question] = is_refused(rows, &own);
                values.rows[place].extend(own);
            }
        }
        values
    }

    /// The questions that can be ranked: with a penalty those that some variant answered, else those that every variant
    /// answered. Questions with a value of 0 are left out.
    pub(super) fn ranked(&self, penalty: Option<f64>) -> Vec<usize> {
        let questions = self.times.first().map_or(0, Vec::len);
        let is_ranked = |question: &usize| {
            let mut values = self.times.iter().map(|values| values[*question]);
            // A counter of 0 has no ratio.
            match penalty {
                Some(_) => values.clone().any(|v| v.is_some()) && values.all(|v| v != Some(0.0)),
                None => values.all(|value| value.is_some_and(|value| value > 0.0)),
            }
        };
        (0..questions).filter(is_ranked).collect()
    }

    /// For each label, whether it refuses one of these questions, and the mean distance of its logarithms from the best, where each
    /// instance counts once.
    pub(super) fn places(&self, questions: &[usize], penalty: Option<f64>) -> Vec<(bool, f64)> {
        let labels = 0..self.labels.len();
        let log = |label: usize, at: usize| {
            let value = self.times[label][at].or(penalty).unwrap_or(1.0);
            (!self.refused[label][at]).then(|| value.ln())
        };
        let best = |at: usize| {
            let taken = labels.clone().filter_map(|label| log(label, at));
            taken.min_by(f64::total_cmp)
        };
        let mut instances: BTreeMap<&str, Vec<(usize, Option<f64>)>> = BTreeMap::new();
        for at in questions {
            let own = instances.entry(&self.instances[*at]).or_default();
            own.push((*at, best(*at)));
        }
        let place = |label: usize| {
            let fall = |(at, best): &(usize, Option<f64>)| Some(log(label, *at)? - (*best)?);
            let of_instance =
                |own: &Vec<_>| mean(&own.iter().filter_map(fall).collect::<Vec<f64>>());
            let falls: Vec<f64> = instances.values().filter_map(of_instance).collect();
            let refuses = questions.iter().any(|at| self.refused[label][*at]);
            (refuses, mean(&falls).unwrap_or(f64::INFINITY))
        };
        labels.clone().map(place).collect()
    }

    /// The times of a label on the questions that it takes.
    pub(super) fn taken(&self, label: usize) -> Vec<Time> {
        let times = self.times[label].iter().zip(&self.refused[label]);
        let taken = times.filter(|(_, is_refused)| !**is_refused);
        taken.map(|(time, _)| *time).collect()
    }

    /// The times on the questions that a label takes, `[label][question]`.
    pub(super) fn times_of_taken(&self) -> Vec<Vec<Time>> {
        let mut taken: Vec<usize> = (0..self.instances.len()).collect();
        taken.retain(|at| self.refused.iter().any(|own| !own[*at]));
        let of = |own: &Vec<Time>| taken.iter().map(|at| own[*at]).collect();
        self.times.iter().map(of).collect()
    }

    /// The share of samples solved, or for a variant that refuses questions the number of questions that it takes.
    pub(super) fn solved(&self, rows: &Rows, label: usize) -> Cell {
        let questions = rows.group_by(&QUESTION, &self.rows[label]);
        let taken = questions.iter().filter(|own| !is_refused(rows, own));
        let answered = taken.count();
        if answered < questions.len() {
            return format!("answers {answered} of {}", questions.len()).into();
        }
        // A question skipped as hopeless was not solved.
        let instances = rows.group_by(&["instance_hash"], &self.rows[label]);
        let of = |own: &Vec<u32>| rows.solved(own).len() as f64 / own.len() as f64;
        let share = mean(&instances.iter().map(of).collect::<Vec<_>>());
        let share = Cell::from((share, Quantity::Share));
        match rows.failed_in_words(&self.rows[label]).as_str() {
            "" => share,
            failed => share.with_detail(failed),
        }
    }
}

/// The median of a question's samples, some of which were solved: each of the others has the time `penalty`.
fn penalised(rows: &Rows, column: &str, own: &[u32], penalty: f64) -> Time {
    let mut times = rows.numbers(column, &rows.solved(own));
    if times.is_empty() {
        return None;
    }
    times.resize(own.len(), penalty);
    median(&times)
}

/// Returns whether a variant refuses the question of its samples `own`. A hopeless question that was not asked is not
/// refused.
fn is_refused(rows: &Rows, own: &[u32]) -> bool {
    own.iter().all(|row| rows.is_refusal(*row))
}
