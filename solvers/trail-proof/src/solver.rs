//! A search whose nodes are recorded, as a solver that leaves a certificate of its answer.

use std::sync::{Arc, Mutex, PoisonError};

use ikeru_core::{AnyInstance, AnySolver, Attempt, Failure, Outside, Problem, Search};
use ikeru_trail::variants::lagrangian;
use ikeru_trail::variants::lagrangian::record::Records;
use ikeru_trail::{Answer, Puzzle, TrailProblem};
use serde_json::Value as Json;

use crate::write;

/// The place in which a solver leaves the certificate of its last answer; `None` if that answer has none.
pub type Certificate = Mutex<Option<String>>;

/// A solver of `instance` that answers as the variant `name` does and leaves the certificate of a proven answer in
/// `certificate`. `None` if the variant writes no certificates or does not take the instance.
pub fn solver<'a>(
    instance: &'a dyn AnyInstance,
    name: &str,
    certificate: &'a Certificate,
) -> Option<Box<dyn AnySolver + 'a>> {
    let is_parallel = name == lagrangian::PARALLEL.name;
    if !is_parallel && name != lagrangian::VARIANT.name {
        return None;
    }
    let puzzle = TrailProblem::read(&instance.text()).ok()?;
    lagrangian::takes(&puzzle).then(|| {
        instance.answered_by(Box::new(CertifiedSearch {
            puzzle,
            is_parallel,
            certificate,
        }))
    })
}

struct CertifiedSearch<'a> {
    puzzle: Puzzle,
    is_parallel: bool,
    certificate: &'a Certificate,
}

impl Outside for CertifiedSearch<'_> {
    fn solve(&mut self, search: &mut Search) -> Result<Attempt<Json>, Failure> {
        let records = Arc::new(Records::default());
        let solver = lagrangian::recording(&self.puzzle, self.is_parallel, Arc::clone(&records));
        let mut solver = solver.map_err(|refusal| Failure::Skipped(refusal.to_string()))?;
        let attempt = solver.solve(search);
        let nodes = records.lock().unwrap_or_else(PoisonError::into_inner);
        let json = |answer: Answer| TrailProblem::answer_json(&self.puzzle, &answer);
        let (certificate, attempt) = match attempt {
            Attempt::Solved { answer, proof } => (
                write::certificate(&self.puzzle, &nodes, &answer),
                Attempt::Solved {
                    answer: json(answer),
                    proof,
                },
            ),
            Attempt::Timeout { best, bound } => (
                None,
                Attempt::Timeout {
                    best: best.map(json),
                    bound,
                },
            ),
        };
        let place = self.certificate.lock();
        *place.unwrap_or_else(PoisonError::into_inner) = certificate;
        Ok(attempt)
    }
}
