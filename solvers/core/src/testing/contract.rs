//! The clauses that hold for every problem and variant, and who breaks them.
//!
//! [`violations`] needs nothing but an [`AnyProblem`]: instances come from its generators, wrong answers
//! from its own right ones. It is meant for tests: solving goes on for seconds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::corrupt::corrupted;
use super::specimen::{self, Specimen};
use super::subject::{AnsweredSpecimen, LIMIT, Subject, prepare};
use crate::{
    AnyInstance, AnyProblem, AnySolver, Deadline, Direction, Ended, Measure, Random, Refusal,
    Rejection, Score, SettingInfo, Settings, VariantInfo,
};

/// Corrupted answers of each right one.
const CORRUPTED: usize = 16;

/// Instances with wide parameters of each generator whose certificates are verified.
const WIDE: u64 = 12;

/// A stop that is heard later than this is not heard in time; wide, since test machines are busy.
const HEARD_WITHIN: Duration = Duration::from_secs(2);

/// Something that must hold.
#[derive(Debug, Clone, Copy)]
pub struct Clause {
    /// A word for messages.
    pub name: &'static str,
    /// What must hold.
    pub about: &'static str,
    check: fn(&Subject, &[AnsweredSpecimen], &mut Vec<String>),
}

/// Every clause.
pub const CLAUSES: &[Clause] = &[
    Clause {
        name: "declared",
        about: "names are words, none stands twice, lattices and aliases name variants that exist, defaults are of their kind",
        check: declarations,
    },
    Clause {
        name: "same-seed",
        about: "a seed makes the same instance again",
        check: same_seed,
    },
    Clause {
        name: "read-back",
        about: "an instance that was written is read as the same instance",
        check: read_back,
    },
    Clause {
        name: "takes",
        about: "the default variant takes whatever a generator makes; others take or skip it",
        check: takes,
    },
    Clause {
        name: "right",
        about: "the referee accepts each answer, and exact variants agree",
        check: right,
    },
    Clause {
        name: "twice",
        about: "a solver that is asked again gives the same answer with the same counters",
        check: twice,
    },
    Clause {
        name: "columns",
        about: "counters and measures are declared",
        check: columns,
    },
    Clause {
        name: "answer-json",
        about: "an answer that was written as JSON is read as the same answer",
        check: answer_json,
    },
    Clause {
        name: "wrong-refused",
        about: "the referee refuses corrupted answers, and none of them beats a proven one",
        check: wrong_refused,
    },
    Clause {
        name: "stop-heard",
        about: "variants, preparations and the referee end soon after they are told to stop",
        check: stop_heard,
    },
    Clause {
        name: "timeout-complete",
        about: "a timeout carries the best answer's score, a valid bound, and counters",
        check: timeout_complete,
    },
    Clause {
        name: "verified",
        about: "a certificate that a variant wrote proves its answer's score, also where numbers are large",
        check: verified,
    },
];

/// A clause that a problem breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The clause's word.
    pub clause: &'static str,
    /// Who breaks it, on what, and how.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.clause, self.what)
    }
}

/// Every way in which `problem` breaks the contract; `seed` chooses the instances.
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
    let mut faults = Vec::new();
    let mut names = |what: &str, all: Vec<&'static str>| {
        for (index, name) in all.iter().enumerate() {
            if !is_word(name) {
                faults.push(format!("the name of a {what} is no word: `{name}`"));
            }
            if all[..index].contains(name) {
                faults.push(format!("two {what}s are called `{name}`"));
            }
        }
    };
    let settings = |all: &'static [SettingInfo]| all.iter().map(|setting| setting.name).collect();
    let measures = |all: &'static [Measure]| all.iter().map(|measure| measure.name).collect();
    names("problem", vec![problem.name()]);
    names("question's setting", settings(problem.settings()));
    names("counter", measures(problem.counters()));
    names("measure", measures(problem.measures()));
    names(
        "variant",
        problem
            .variants()
            .iter()
            .map(|variant| variant.name)
            .collect(),
    );
    names(
        "generator",
        problem
            .generators()
            .iter()
            .map(|generator| generator.name)
            .collect(),
    );
    let mut tables = vec![problem.settings()];
    for variant in problem.variants() {
        names("method's setting", settings(variant.settings));
        tables.push(variant.settings);
    }
    for generator in problem.generators() {
        names("parameter", settings(generator.parameters));
        tables.push(generator.parameters);
    }
    out.append(&mut faults);
    for setting in tables.into_iter().flatten() {
        if let Some(Err(error)) = setting.default().map(|default| setting.check(&default)) {
            out.push(format!("a default: {error}"));
        }
    }
    for (alias, _) in problem.aliases() {
        if let Err(error) = problem.variant(alias) {
            out.push(format!("an alias: {error}"));
        }
    }
    for lattice in problem.lattices() {
        let members = lattice.members.iter().map(|member| member.variant);
        for name in members.chain([lattice.variant]) {
            if let Err(error) = problem.variant(name) {
                out.push(format!("a lattice: {error}"));
            }
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

fn twice(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for specimen in &subject.small {
        for variant in subject.problem.variants() {
            let who = format!("{} on {}", variant.name, specimen.name);
            let Some(mut solver) = prepare(specimen.instance.as_ref(), &variant) else {
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

fn wrong_refused(subject: &Subject, answers: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let random = &mut Random::new("corrupted answers", subject.seed);
    let (mut tried, mut refused) = (0_u32, 0_u32);
    for answered in answers {
        let Some(json) = answered.solver.answer_json() else {
            continue;
        };
        let is_proven = answered.solver.proven();
        let best = answered.solver.claimed();
        for _ in 0..CORRUPTED {
            let Some(changed) = corrupted(&json, random) else {
                break;
            };
            match attack(answered.specimen.instance.as_ref(), &json, &changed) {
                Attack::WithoutEffect => {}
                Attack::Refused => {
                    tried += 1;
                    refused += 1;
                }
                Attack::Accepted(score) => {
                    tried += 1;
                    if is_proven && is_better(subject.problem.direction(), score, best) {
                        let who = &answered.who;
                        out.push(format!(
                            "{who}: the proven {best:?} is beaten by {score:?}: {changed}"
                        ));
                    }
                }
            }
        }
    }
    if tried == 0 {
        out.push("no answer could be corrupted".to_owned());
    } else if refused * 2 < tried {
        out.push(format!(
            "only {refused} of {tried} corrupted answers are refused"
        ));
    }
}

enum Attack {
    /// What was changed claims nothing.
    WithoutEffect,
    Refused,
    /// Another right answer, with its score.
    Accepted(Option<Score>),
}

fn attack(instance: &dyn AnyInstance, json: &Json, changed: &Json) -> Attack {
    let Ok(judged) = instance.judge(changed, Deadline::never()) else {
        return Attack::Refused;
    };
    if judged.answer == *json {
        return Attack::WithoutEffect;
    }
    match judged.verdict {
        Err(Rejection::Wrong(_) | Rejection::Timeout) => Attack::Refused,
        Ok(checked) => Attack::Accepted(checked.score),
    }
}

/// Whether `score` cannot be if `best` is proven.
fn is_better(direction: Direction, score: Option<Score>, best: Option<Score>) -> bool {
    match (direction, score, best) {
        (Direction::Equal, score, best) => score != best,
        (direction, Some(score), Some(best)) => direction.is_better(score, best),
        (_, None, None) => false,
        // An answer where there is none, or none where there is one.
        (_, Some(_), None) | (_, None, Some(_)) => true,
    }
}

fn stop_heard(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let stop = AtomicBool::new(true);
    let stopped = || Deadline::never().or_stop(&stop);
    for Specimen { name, instance } in subject.all() {
        for variant in subject.problem.variants() {
            let who = format!("{} on {name}", variant.name);
            let started = Instant::now();
            drop(instance.prepare(variant.name, &Settings::new(), stopped()));
            if started.elapsed() > HEARD_WITHIN {
                out.push(format!("{who}: prepared for {:?}", started.elapsed()));
            }
            let Some(mut solver) = prepare(instance.as_ref(), &variant) else {
                continue;
            };
            let started = Instant::now();
            subject.solve(solver.as_mut(), stopped());
            if started.elapsed() > HEARD_WITHIN {
                out.push(format!("{who}: searched for {:?}", started.elapsed()));
            }
            let started = Instant::now();
            drop(solver.referee(stopped()));
            if started.elapsed() > HEARD_WITHIN {
                out.push(format!("{who}: refereed for {:?}", started.elapsed()));
            }
        }
    }
}

fn timeout_complete(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for Specimen { name, instance } in subject.all() {
        let mut bounds: Vec<(String, Score)> = Vec::new();
        let mut best: Option<Score> = None;
        for variant in subject.problem.variants() {
            let who = format!("{} on {name}", variant.name);
            let Some(mut solver) = prepare(instance.as_ref(), &variant) else {
                continue;
            };
            let stopped = subject.solve_until_stopped(solver.as_mut());
            let Some(Ended::Timeout { bound }) = solver.ended() else {
                best = better(
                    subject.problem.direction(),
                    best,
                    confirmed(solver.as_ref()),
                );
                continue;
            };
            bounds.extend(bound.map(|bound| (who.clone(), bound)));
            if let Some(Err(rejection)) = solver.referee(Deadline::never()) {
                out.push(format!("{who}: its best when stopped: {rejection}"));
            }
            best = better(
                subject.problem.direction(),
                best,
                confirmed(solver.as_ref()),
            );
            if !subject.problem.counters().is_empty() && stopped.is_empty() {
                out.push(format!("{who}: a timeout without counters"));
            }
        }
        for (who, bound) in bounds {
            if best
                .is_some_and(|best| is_better(subject.problem.direction(), Some(best), Some(bound)))
            {
                out.push(format!("{who}: the bound {bound} is beaten by {best:?}"));
            }
        }
    }
}

fn verified(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let mut writers = Vec::new();
    for variant in subject.problem.variants() {
        let specimens = subject.small.iter();
        let written = specimens.filter(|&specimen| certifies(subject, specimen, &variant, out));
        if written.count() > 0 {
            writers.push(variant);
        }
    }
    if writers.is_empty() {
        return;
    }
    for generator in subject.problem.generators() {
        for number in 0..WIDE {
            let Ok(wide) = specimen::wide(subject.problem, &generator, subject.seed + number)
            else {
                continue;
            };
            for variant in &writers {
                certifies(subject, &wide, variant, out);
            }
        }
    }
}

/// Whether the variant wrote a certificate of its answer; `out` gets what is wrong with it.
fn certifies(
    subject: &Subject,
    Specimen { name, instance }: &Specimen,
    variant: &VariantInfo,
    out: &mut Vec<String>,
) -> bool {
    let Some(mut solver) = prepare(instance.as_ref(), variant) else {
        return false;
    };
    let Some(text) = subject.certify(solver.as_mut(), Deadline::after(LIMIT)) else {
        return false;
    };
    let who = format!("{} on {name}", variant.name);
    match subject.problem.verify(&text) {
        Err(error) => out.push(format!("{who}: its own certificate is refused: {error}")),
        Ok(verified) if verified.score != solver.claimed() => out.push(format!(
            "{who}: its certificate proves {:?} of {:?}",
            verified.score,
            solver.claimed()
        )),
        Ok(verified) if verified.instance != instance.text() => {
            out.push(format!("{who}: its certificate is about another instance"));
        }
        Ok(_) => {}
    }
    true
}

/// The score of the last answer, as the referee sees it.
fn confirmed(solver: &dyn AnySolver) -> Option<Score> {
    solver.referee(Deadline::never())?.ok()?.score
}

fn better(direction: Direction, one: Option<Score>, other: Option<Score>) -> Option<Score> {
    match direction {
        Direction::Minimize => one.into_iter().chain(other).min(),
        Direction::Maximize | Direction::Equal => one.into_iter().chain(other).max(),
    }
}
