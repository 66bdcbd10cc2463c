//! The order of the labels in a ranking. Each instance counts once.

use std::collections::BTreeMap;

use super::values::LabelValues;
use crate::statistics::mean;

/// The values of the labels of a ranking. Each instance counts once.
pub(super) struct Standing {
    /// The logarithms of each label's values on each question, and last those of the virtual best; `None` where the
    /// label refuses the question.
    logs: Vec<Vec<Option<f64>>>,
    /// The questions of each instance.
    pub instances: Vec<Vec<usize>>,
}

impl Standing {
    pub fn of(values: &LabelValues, questions: &[usize], penalty: Option<f64>) -> Self {
        let mut logs = values.logs(questions, penalty);
        let best = (0..questions.len()).map(|at| {
            let taken = logs.iter().filter_map(|own| own[at]);
            taken.min_by(f64::total_cmp)
        });
        let best = best.collect();
        logs.push(best);
        let mut instances: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, question) in questions.iter().enumerate() {
            let own = instances.entry(&values.instances[*question]);
            own.or_default().push(at);
        }
        Self {
            instances: instances.into_values().collect(),
            logs,
        }
    }

    /// The index of the virtual best.
    fn best(&self) -> usize {
        self.logs.len() - 1
    }

    pub fn takes_all(&self, label: usize) -> bool {
        self.logs[label].iter().all(Option::is_some)
    }

    /// The labels in the order of their ratio to the best; labels that refuse questions are last.
    pub fn order(&self) -> Vec<usize> {
        let place = |label: &usize| {
            let falls = mean(&self.falls(*label, self.best()));
            (!self.takes_all(*label), falls.unwrap_or(f64::INFINITY))
        };
        let mut order: Vec<usize> = (0..self.best()).collect();
        order.sort_by(|a, b| {
            let ((a, fall), (b, other)) = (place(a), place(b));
            a.cmp(&b).then(fall.total_cmp(&other))
        });
        order
    }

    /// The mean difference of the logarithms of `label` and `to` on each instance, over the questions that both take.
    fn falls(&self, label: usize, to: usize) -> Vec<f64> {
        let fall = |at: &usize| Some(self.logs[label][*at]? - self.logs[to][*at]?);
        let of_instance = |own: &Vec<usize>| mean(&own.iter().filter_map(fall).collect::<Vec<_>>());
        self.instances.iter().filter_map(of_instance).collect()
    }
}
