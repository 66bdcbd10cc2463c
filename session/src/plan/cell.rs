//! One cell, and the identities of its samples.

use std::sync::Arc;

use ikeru_core::{BoundPolicy, ContentHash, Settings, Value};
use ikeru_reports::records::Family;

use super::{LabelledSolver, PlannedInstance, Solver, Stage};

/// One (instance, question, variant, method, policy, threads) of an experiment.
#[derive(Clone)]
pub struct Cell {
    /// The identity of its content.
    pub id: ContentHash,
    /// The identity of the question on this instance: equal for all variants that answer it.
    pub asked: ContentHash,
    /// The instance.
    pub input: Arc<PlannedInstance>,
    /// Settings of the question.
    pub question: Settings,
    /// Settings of the method.
    pub method: Settings,
    /// The variant or the foreign solver.
    pub solver: Solver,
    /// The name of the variant in tables.
    pub label: String,
    /// The policy by which parallel workers share their best score.
    pub bound_policy: BoundPolicy,
    /// The number of threads, at least 1.
    pub threads: u32,
    /// The number of the copy, if a cell is compared with itself under two builds.
    pub copy: usize,
    /// The number of the layout of the builds' code, from 1, if they have several.
    pub layout: Option<u32>,
}

/// An identity that another one and a number make.
fn with_number(id: ContentHash, number: u32) -> ContentHash {
    ContentHash::of(&[id.to_string().as_bytes(), &number.to_le_bytes()])
}

impl Cell {
    /// A cell of `stage`: an instance, a variant with its label, question and method, bound policy and threads.
    pub(super) fn new(
        stage: &Stage,
        input: &Arc<PlannedInstance>,
        LabelledSolver { solver, label, .. }: &LabelledSolver,
        (question, method): (Settings, Settings),
        (bound_policy, threads): (BoundPolicy, u32),
    ) -> Self {
        let [of_input, of_question, of_method] = [
            input.hash.to_string(),
            question.to_string() + &stage.problem.content(&question),
            method.to_string() + &stage.problem.content(&method) + solver.content(),
        ];
        let id = ContentHash::of(&[
            stage.problem.name().as_bytes(),
            of_input.as_bytes(),
            solver.name().as_bytes(),
            &solver.version().to_le_bytes(),
            of_question.as_bytes(),
            of_method.as_bytes(),
            bound_policy.name().as_bytes(),
            &threads.to_le_bytes(),
            stage.mode.name().as_bytes(),
        ]);
        Self {
            id,
            asked: ContentHash::of(&[of_input.as_bytes(), of_question.as_bytes()]),
            input: Arc::clone(input),
            question,
            method,
            solver: solver.clone(),
            label: label.clone(),
            bound_policy,
            threads,
            copy: 0,
            layout: None,
        }
    }

    /// A copy of the cell with another identity and label, made from `name`.
    pub(super) fn copied(&self, copy: usize, name: &str, layout: Option<u32>) -> Self {
        let id = ContentHash::of(&[self.id.to_string().as_bytes(), name.as_bytes()]);
        Self {
            id: layout.map_or(id, |layout| with_number(id, layout)),
            label: format!("{}@{name}", self.label),
            copy,
            layout,
            ..self.clone()
        }
    }

    /// The identity of one sample.
    pub fn sample(&self, repeat: u32) -> ContentHash {
        with_number(self.id, repeat)
    }

    /// The identity of a sample that replaces an earlier one; attempt 0 is the sample itself.
    pub fn again(&self, repeat: u32, attempt: u32) -> ContentHash {
        match (self.sample(repeat), attempt) {
            (first, 0) => first,
            (first, _) => with_number(first, attempt),
        }
    }

    /// The numeric value of a column along which cells may become hopeless.
    pub fn along(&self, column: &str) -> Option<f64> {
        match column {
            "size" => Some(self.input.size as f64),
            _ => self.value(column)?.to_string().parse().ok(),
        }
    }

    /// The setting or the parameter that `column` holds.
    pub fn value(&self, column: &str) -> Option<&Value> {
        match Family::of(column)? {
            (Family::Setting, name) => self.question.value(name),
            (Family::Method, name) => self.method.value(name),
            (Family::Parameter, name) => self.input.parameters.value(name),
            _ => None,
        }
    }
}
