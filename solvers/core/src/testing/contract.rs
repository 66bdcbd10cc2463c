//! The clauses that every problem and variant must fulfil, and the search for violations.
//!
//! [`violations`] needs only an [`AnyProblem`]: the instances come from its generators, and the wrong answers are
//! corrupted right ones. It is meant for tests: it takes seconds.

use std::collections::BTreeMap;
use std::fmt;

use super::attack::wrong_refused;
use super::specimen::{self, Specimen};
use super::stops::{stop_heard, timeout_complete};
use super::subject::{AnsweredSpecimen, LIMIT, Subject, prepare};
use crate::{AnyProblem, Deadline, Ended, Measure, Refusal, Score, SettingInfo, Settings};

/// A condition that every problem must fulfil.
#[derive(Debug, Clone, Copy)]
pub struct Clause {
    /// A word for messages.
    pub name: &'static str,
    /// The condition in words.
    pub about: &'static str,
    check: fn(&Subject, &[AnsweredSpecimen], &mut Vec<String>),
}

/// A table of clauses, one a line: the check, its name, the condition.
macro_rules! clauses {
    ($($check:ident $name:literal: $about:literal;)+) => {
        &[$(Clause { name: $name, about: $about, check: $check }),+]
    };
}

/// Every clause.
pub const CLAUSES: &[Clause] = clauses! {
    declarations "declared": "names are words, none stands twice, defaults are of their kind";
    same_seed "same-seed": "a seed makes the same instance again";
    read_back "read-back": "an instance that was written is read as the same instance";
    takes "takes": "the default variant takes each generated instance, and each question to it that some variant takes; others take or skip it";
    right "right": "the referee accepts each answer, and exact variants agree";
    twice "twice": "a solver that is asked again gives the same answer with the same counters";
    columns "columns": "counters and measures are declared";
    answer_json "answer-json": "an answer that was written as JSON is read as the same answer";
    wrong_refused "wrong-refused": "the referee refuses corrupted answers, and none of them beats a proven one";
    stop_heard "stop-heard": "variants, preparations and the referee end soon after they are told to stop";
    timeout_complete "timeout-complete": "a timeout carries the best answer's score, a valid bound, and counters";
};

/// A clause that a problem breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The name of the clause.
    pub clause: &'static str,
    /// The problem, variant or generator that breaks the clause, the instance, and the fault.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.clause, self.what)
    }
}

/// Every violation of the contract by `problem`; `seed` chooses the instances.
pub fn violations(problem: &'static dyn AnyProblem, seed: u64) -> Vec<Violation> {
    let mut found = Vec::new();
    let subject = match Subject::new(problem, seed) {
        Ok(subject) => subject,
        Err(what) => {
            let clause = "takes";
            return vec![Violation { clause, what }];
        }
    };
    let answers = subject.answers();
    for clause in CLAUSES {
        let mut whats = Vec::new();
        (clause.check)(&subject, &answers, &mut whats);
        found.extend(whats.into_iter().map(|what| Violation {
            clause: clause.name,
            what: format!("{}: {what}", problem.name()),
        }));
    }
    found
}

fn declarations(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let problem = subject.problem;
    let is_word = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    let mut names = |what: &str, all: Vec<&'static str>| {
        for (index, name) in all.iter().enumerate() {
            if !is_word(name) {
                out.push(format!("the name of a {what} is no word: `{name}`"));
            }
            if all[..index].contains(name) {
                out.push(format!("two {what}s are called `{name}`"));
            }
        }
    };
    let settings = |all: &'static [SettingInfo]| all.iter().map(|setting| setting.name).collect();
    let measures = |all: &'static [Measure]| all.iter().map(|measure| measure.name).collect();
    names("problem", vec![problem.name()]);
    names("question's setting", settings(problem.settings()));
    names("counter", measures(problem.counters()));
    names("measure", measures(problem.measures()));
    let (variants, generators) = (problem.variants(), problem.generators());
    names("variant", variants.iter().map(|it| it.name).collect());
    names("generator", generators.iter().map(|it| it.name).collect());
    let mut tables = vec![problem.settings()];
    for variant in variants {
        names("method's setting", settings(variant.settings));
        tables.push(variant.settings);
    }
    for generator in generators {
        names("parameter", settings(generator.parameters));
        tables.push(generator.parameters);
    }
    for setting in tables.into_iter().flatten() {
        if let Some(Err(error)) = setting.default().map(|default| setting.check(&default)) {
            out.push(format!("a default: {error}"));
        }
    }
}

fn same_seed(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for generator in subject.problem.generators() {
        let text = || {
            let made = specimen::small(subject.problem, &generator, subject.seed);
            made.map(|specimen| specimen.instance.text())
        };
        if text() != text() {
            out.push(format!("{}: two instances of one seed", generator.name));
        }
    }
}

fn read_back(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for Specimen { name, instance } in subject.all() {
        let text = instance.text();
        match subject.problem.read(&text) {
            Err(error) => out.push(format!("{name}: its own text is refused: {error}")),
            Ok(read) if read.text() != text || read.hash() != instance.hash() => {
                out.push(format!("{name}: is read back as another instance"));
            }
            Ok(_) => {}
        }
    }
}

fn takes(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for Specimen { name, instance } in subject.all() {
        let default = instance.default_variant();
        for variant in subject.problem.variants() {
            let ready = instance.prepare(variant.name, &Settings::new(), Deadline::after(LIMIT));
            let is_broken = match &ready {
                Ok(_) | Err(Refusal::Timeout) => false,
                Err(Refusal::Skip(_)) => variant.name == default,
                Err(Refusal::Input(_)) => true,
            };
            if let (true, Err(refusal)) = (is_broken, ready) {
                out.push(format!("{} refuses {name}: {refusal}", variant.name));
            }
        }
    }
}

fn right(_: &Subject, answers: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let mut proven: BTreeMap<String, (String, Option<Score>)> = BTreeMap::new();
    for answered in answers {
        let AnsweredSpecimen { who, solver, .. } = answered;
        match solver.referee(Deadline::never()) {
            None => out.push(format!("{who}: solved without an answer")),
            Some(Err(rejection)) => out.push(format!("{who}: {rejection}")),
            Some(Ok(_)) if answered.is_exact && !solver.proven() => {
                out.push(format!(
                    "{who}: declared exact, and its answer has no proof"
                ));
            }
            Some(Ok(checked)) if solver.proven() => {
                let first = proven
                    .entry(answered.specimen.name.clone())
                    .or_insert_with(|| (who.clone(), checked.score));
                if first.1 != checked.score {
                    let (other, score) = first;
                    out.push(format!("{who}: {:?}, {other}: {score:?}", checked.score));
                }
            }
            Some(Ok(_)) => {}
        }
    }
}

fn twice(subject: &Subject, answers: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for specimen in &subject.small {
        for variant in subject.problem.variants() {
            let who = format!("{} on {}", variant.name, specimen.name);
            // Two searches that are stopped at the limit have nothing to compare.
            let is_answered = answers.iter().any(|answered| answered.who == who);
            let ready = is_answered.then(|| prepare(specimen.instance.as_ref(), &variant));
            let Some(mut solver) = ready.flatten() else {
                continue;
            };
            let mut once = || {
                let counters = subject.solve(solver.as_mut(), Deadline::after(LIMIT));
                (solver.ended(), solver.answer_json(), counters)
            };
            let (first, second) = (once(), once());
            let solved = |attempt: &(Option<Ended>, _, _)| attempt.0 == Some(Ended::Solved);
            if solved(&first) && solved(&second) && first != second {
                out.push(format!("{who}: {first:?}, then {second:?}"));
            }
        }
    }
}

fn columns(subject: &Subject, answers: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let is_in = |all: &[Measure], name: &str| all.iter().any(|measure| measure.name == name);
    for answered in answers {
        let who = &answered.who;
        for (name, _) in &answered.counters {
            if !is_in(subject.problem.counters(), name) {
                out.push(format!("{who}: the counter `{name}` is not declared"));
            }
        }
        let Some(Ok(checked)) = answered.solver.referee(Deadline::never()) else {
            continue;
        };
        for (name, _) in &checked.measures {
            if !is_in(subject.problem.measures(), name) {
                out.push(format!("{who}: the measure `{name}` is not declared"));
            }
        }
    }
}

fn answer_json(_: &Subject, answers: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for answered in answers {
        let who = &answered.who;
        let Some(json) = answered.solver.answer_json() else {
            continue;
        };
        match answered.specimen.instance.judge(&json, Deadline::never()) {
            Err(error) => out.push(format!("{who}: its own JSON is refused: {error}")),
            Ok(judged) if judged.answer != json => {
                out.push(format!("{who}: {json} is read as {}", judged.answer));
            }
            Ok(judged) => {
                if let Err(rejection) = judged.verdict {
                    out.push(format!("{who}: once read, {rejection}"));
                }
            }
        }
    }
}
