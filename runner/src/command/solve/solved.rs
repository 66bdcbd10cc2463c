//! A sample with its answer, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use ikeru_core::{AnyInstance, AnyProblem, Score};
use ikeru_reports::units;
use serde_json::json;

use super::FOREIGN;
use crate::execute::{Outcome, Prepared, Sample};

/// A sample with its answer.
pub struct Solved<'a> {
    /// Its problem.
    pub problem: &'a dyn AnyProblem,
    /// The solver's name.
    pub variant: &'a str,
    /// The solver's sentence.
    pub about: &'a str,
    /// The sample.
    pub sample: &'a Sample,
    /// The solver with its answer.
    pub prepared: &'a Prepared<'a>,
}

/// A variant whose preparation took longer than its limit, as text or as JSON.
pub fn unprepared(
    problem: &dyn AnyProblem,
    variant: &str,
    instance: &dyn AnyInstance,
    as_json: bool,
) -> String {
    let outcome = Outcome::Timeout.name();
    if !as_json {
        return format!("{variant}: {outcome} before it was prepared\n");
    }
    let object = json!({
        "problem": problem.name(),
        "variant": variant,
        "instance": { "hash": instance.hash().to_string(), "size": instance.size() },
        "outcome": outcome,
        "referee": null,
    });
    format!("{object}\n")
}

impl Solved<'_> {
    /// `ok`, or the reason of the rejection; `None` if there was no answer to check.
    fn verdict(&self) -> Option<&str> {
        match self.sample.outcome {
            Outcome::Solved | Outcome::Timeout => self.prepared.solver.answer_text().map(|_| "ok"),
            _ => Some(&self.sample.detail),
        }
    }

    /// The referee's score if the answer holds, else the variant's own.
    fn score(&self) -> Option<Score> {
        match self.verdict() {
            Some("ok") => self.sample.score,
            _ => self.prepared.solver.claimed(),
        }
    }

    fn nanoseconds(time: Option<Duration>) -> u64 {
        u64::try_from(time.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
    }

    /// One JSON object on a line.
    pub fn json(&self, instance: &dyn AnyInstance) -> String {
        let sample = self.sample;
        let counters: BTreeMap<_, _> = sample.counters.iter().cloned().collect();
        let measures: BTreeMap<_, _> = sample.measures.iter().cloned().collect();
        let is_proven = sample.proven && sample.outcome == Outcome::Solved;
        let object = json!({
            "problem": self.problem.name(),
            "variant": self.variant,
            "instance": { "hash": instance.hash().to_string(), "size": instance.size() },
            "outcome": sample.outcome.name(),
            "score": self.score(),
            "bound": sample.bound,
            "exact": is_proven && self.variant != FOREIGN,
            "claimed": is_proven && self.variant == FOREIGN,
            "referee": self.verdict(),
            "prepare_ns": Self::nanoseconds(sample.prepare),
            "wall_ns": Self::nanoseconds(sample.batch),
            "table_bytes": sample.table_bytes,
            "counters": counters,
            "measures": measures,
            "answer": self.prepared.solver.answer_json(),
        });
        format!("{object}\n")
    }

    /// Lines of text.
    pub fn text(&self) -> String {
        let sample = self.sample;
        let answer = self.prepared.solver.answer_text();
        let mut text = answer.unwrap_or_else(|| "no answer yet".to_owned());
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name:<10} {value}");
        };
        let (problem, variant, about) = (self.problem.name(), self.variant, self.about);
        line("variant", &format!("{problem} {variant}: {about}"));
        line("outcome", sample.outcome.name());
        if let Some(score) = self.score() {
            let is_proven = sample.proven && sample.outcome == Outcome::Solved;
            // A referee checks one answer, and no proof.
            let proof = match (is_proven, variant == FOREIGN) {
                (false, _) => "",
                (true, false) => " (exact)",
                (true, true) => " (claimed)",
            };
            line("score", &format!("{score}{proof}"));
        }
        if let Some(bound) = sample.bound {
            line("bound", &bound.to_string());
        }
        if let Some(verdict) = self.verdict() {
            line("referee", verdict);
        }
        let time = |time| units::duration(Self::nanoseconds(time) as f64);
        let (answering, preparing) = (time(sample.batch), time(sample.prepare));
        let times = format!("{answering}, after {preparing} of preparation");
        line("time", &times);
        for (name, count) in &sample.counters {
            line("counter", &format!("{name} {count}"));
        }
        for (name, value) in &sample.measures {
            line("measure", &format!("{name} {value}"));
        }
        text
    }
}
