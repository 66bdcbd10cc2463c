//! The erased interface over the types of a [`Problem`].

use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;

use super::{AnyInstance, AnyProblem, AnySolver, Ended, Judged};
use crate::claims::contradiction;
use crate::{
    Attempt, BoxedSolve, Checked, ContentHash, Deadline, Failure, Generator, GeneratorInfo,
    Incumbent, InputError, Outside, Picture, Problem, ProblemInfo, Proof, Random, Referee,
    Refereed, Refusal, Rejection, Score, Search, Settings, Variant, VariantInfo, Wrong, unknown,
};

/// The variant of `P` called `name`.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn variant<P: Problem>(name: &str) -> Result<&'static Variant<P>, InputError> {
    let mut variants = P::VARIANTS.iter();
    let found = variants.find(|variant| variant.name == name);
    found.ok_or_else(|| {
        let what = format!("variant of {}", P::INFO.name);
        unknown(&what, name, P::VARIANTS.iter().map(|known| known.name))
    })
}

/// Registers a problem without its types: `erase::<Reach>()`.
pub fn erase<P: Problem>() -> &'static dyn AnyProblem {
    // Zero-sized: the box takes no memory.
    Box::leak(Box::new(Erased::<P>(PhantomData)))
}

struct Erased<P>(PhantomData<fn() -> P>);

impl<P: Problem> AnyProblem for Erased<P> {
    fn info(&self) -> &'static ProblemInfo {
        const { &P::INFO }
    }
    fn variants(&self) -> Vec<VariantInfo> {
        P::VARIANTS.iter().map(Variant::info).collect()
    }
    fn generators(&self) -> Vec<GeneratorInfo> {
        P::GENERATORS.iter().map(Generator::info).collect()
    }
    fn read(&self, text: &str) -> Result<Box<dyn AnyInstance>, InputError> {
        P::read(text).map(hold::<P>)
    }
    fn read_with(
        &self,
        text: &str,
        open: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        (P::EXTRAS.read_with)(text, open).map(hold::<P>)
    }
    fn variant(&self, name: &str) -> Result<VariantInfo, InputError> {
        variant::<P>(name).map(Variant::info)
    }
    fn content(&self, settings: &Settings) -> String {
        (P::EXTRAS.content)(settings)
    }
    fn generate(
        &self,
        name: &str,
        parameters: &Settings,
        seed: u64,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        let generator = P::GENERATORS
            .iter()
            .find(|generator| generator.name == name)
            .ok_or_else(|| {
                let what = format!("generator of {}", P::INFO.name);
                unknown(&what, name, P::GENERATORS.iter().map(|known| known.name))
            })?;
        parameters.check(&format!("generator {name}"), &[generator.parameters])?;
        (generator.generate)(parameters, &mut Random::new(name, seed)).map(hold::<P>)
    }
}

fn hold<P: Problem>(instance: P::Instance) -> Box<dyn AnyInstance> {
    let referee = P::referee(&instance);
    Box::new(Held::<P> {
        instance,
        referee,
        accepted: Mutex::new(None),
        rival: OnceLock::new(),
    })
}

struct Held<P: Problem> {
    instance: P::Instance,
    referee: P::Referee,
    /// The last answer that the referee accepted. An equal answer is not checked again, because a check takes far
    /// longer than the answers of the fast variants.
    accepted: Mutex<Option<(P::Answer, Checked)>>,
    /// The score that refutes claims of a worse optimum.
    rival: OnceLock<Option<Score>>,
}

/// The time of the default variant for an answer that may refute a claim.
const MOMENT: Duration = Duration::from_millis(200);

impl<P: Problem> AnyInstance for Held<P> {
    fn text(&self) -> String {
        P::write(&self.instance)
    }
    fn bytes(&self) -> Vec<u8> {
        (P::EXTRAS.asked)(&self.instance).into_bytes()
    }
    fn hash(&self) -> ContentHash {
        ContentHash::of(&[P::INFO.name.as_bytes(), self.text().as_bytes()])
    }
    fn size(&self) -> u64 {
        P::size(&self.instance)
    }
    fn default_variant(&self) -> &'static str {
        P::default_variant(&self.instance)
    }
    fn recorded(&self, variant: &str, settings: &Settings) -> Vec<Picture> {
        (P::EXTRAS.recorded)(&self.instance, variant, settings)
    }
    fn ask(&self, settings: &Settings) -> Result<Box<dyn AnyInstance>, InputError> {
        P::ask(&self.instance, settings).map(hold::<P>)
    }
    fn judge(&self, answer: &Json, deadline: Deadline) -> Result<Judged, InputError> {
        let claims = answer;
        let answer = P::read_answer(&self.instance, claims)?;
        Ok(Judged {
            answer: P::answer_json(&self.instance, &answer),
            verdict: self.verdict_on_claims(&answer, Some(claims), deadline),
        })
    }
    fn prepare<'a>(
        &'a self,
        name: &str,
        settings: &Settings,
        deadline: Deadline,
    ) -> Result<Box<dyn AnySolver + 'a>, Refusal> {
        let variant = variant::<P>(name)?;
        let solver = (variant.prepare)(&self.instance, settings, deadline)?;
        Ok(self.solver(Solver::Variant(solver)))
    }
    fn answered_by<'a>(&'a self, outside: Box<dyn Outside + 'a>) -> Box<dyn AnySolver + 'a> {
        self.solver(Solver::Outside(outside))
    }
}

impl<P: Problem> Held<P> {
    fn solver<'a>(&'a self, solver: Solver<'a, P>) -> Box<dyn AnySolver + 'a> {
        Box::new(PreparedSolver {
            held: self,
            solver,
            last: None,
            claims: None,
        })
    }

    /// The referee's verdict on an answer. An answer equal to the last accepted one is not checked again.
    fn verdict(&self, answer: &P::Answer, deadline: Deadline) -> Refereed {
        // A check that panicked has left the previously accepted answer in place.
        let accepted = || self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, checked)) = accepted().as_ref()
            && known == answer
        {
            return Ok(checked.clone());
        }
        let checked = self.check(answer, deadline)?;
        *accepted() = Some((answer.clone(), checked.clone()));
        Ok(checked)
    }

    /// The same for an answer from outside; its claims must follow from its witness.
    fn verdict_on_claims(
        &self,
        answer: &P::Answer,
        claims: Option<&Json>,
        deadline: Deadline,
    ) -> Refereed {
        let checked = self.verdict(answer, deadline)?;
        let written = || P::answer_json(&self.instance, answer);
        match claims.and_then(|claims| contradiction(claims, &written())) {
            Some(why) => Err(Wrong(why).into()),
            None => Ok(checked),
        }
    }

    /// The best score of a confirmed answer that is known without the solver: see [`Extras::known`](crate::Extras::known).
    fn rival(&self) -> Option<Score> {
        let find = || {
            let own = (P::EXTRAS.known?)(&self.instance);
            let known = variant::<P>(P::default_variant(&self.instance)).ok();
            let found = known.and_then(|known| {
                let settings = Settings::new().with_defaults(known.settings);
                let deadline = Deadline::after(MOMENT);
                let mut solver = (known.prepare)(&self.instance, &settings, deadline).ok()?;
                let incumbent = Incumbent::new(P::INFO.direction);
                let search = Search::new(&incumbent);
                let attempt = solver.solve(&mut Search { deadline, ..search });
                attempt.answer().cloned()
            });
            let score = |answer| self.check(&answer, Deadline::after(MOMENT)).ok()?.score;
            let scores = own.into_iter().chain(found).filter_map(score);
            scores.reduce(|a, b| {
                if P::INFO.direction.is_better(b, a) {
                    b
                } else {
                    a
                }
            })
        };
        *self.rival.get_or_init(find)
    }

    /// The referee's verdict on an answer; an answer that claims a wrong score is wrong.
    fn check(&self, answer: &P::Answer, deadline: Deadline) -> Refereed {
        let claimed = P::score(answer);
        let word =
            |score: Option<Score>| score.map_or("no score".to_owned(), |score| score.to_string());
        let truth = match self.referee.check(&self.instance, answer, deadline) {
            Ok(checked) if claimed.is_none() || claimed == checked.score => return Ok(checked),
            Ok(checked) => word(checked.score),
            Err(Rejection::Wrong(wrong)) => wrong.to_string(),
            Err(rejection) => return Err(rejection),
        };
        Err(Wrong(format!("claimed {}; referee: {truth}", word(claimed))).into())
    }
}

/// The source of a prepared solver's attempts.
enum Solver<'a, P: Problem> {
    Variant(BoxedSolve<'a, P>),
    Outside(Box<dyn Outside + 'a>),
}

struct PreparedSolver<'a, P: Problem> {
    held: &'a Held<P>,
    solver: Solver<'a, P>,
    last: Option<Result<Attempt<P::Answer>, Failure>>,
    /// The last answer from outside, in its original JSON.
    claims: Option<Json>,
}

impl<P: Problem> PreparedSolver<'_, P> {
    fn outside(&self) -> Option<&dyn Outside> {
        match &self.solver {
            Solver::Variant(_) => None,
            Solver::Outside(outside) => Some(outside.as_ref()),
        }
    }

    fn answer(&self) -> Option<&P::Answer> {
        self.last.as_ref()?.as_ref().ok()?.answer()
    }
}

impl<P: Problem> AnySolver for PreparedSolver<'_, P> {
    fn solve(&mut self, search: &mut Search) {
        self.last = Some(match &mut self.solver {
            Solver::Variant(solver) => Ok(solver.solve(search)),
            Solver::Outside(outside) => outside.solve(search).and_then(|attempt| {
                let read = read::<P>(&self.held.instance, &attempt);
                self.claims = attempt.answer().cloned();
                read
            }),
        });
    }
    fn bound(&self) -> Option<Score> {
        self.outside()?.bound()
    }
    fn last_words(&self) -> Option<String> {
        self.outside()?.last_words()
    }
    fn ended(&self) -> Option<Ended> {
        self.last.as_ref().map(Ended::of)
    }
    fn referee(&self, deadline: Deadline) -> Option<Refereed> {
        let (answer, claims) = (self.answer()?, self.claims.as_ref());
        let verdict = self.held.verdict_on_claims(answer, claims, deadline);
        let Some(outside) = self.outside() else {
            return Some(verdict);
        };
        Some(verdict.and_then(|checked| {
            let proven = checked.score.filter(|_| self.proven());
            let Some(claim) = proven.or(outside.bound()) else {
                return Ok(checked);
            };
            match self.held.rival() {
                Some(rival) if P::INFO.direction.is_better(rival, claim) => Err(Wrong(format!(
                    "claims that no answer is better than {claim}; one of {rival} is known"
                ))
                .into()),
                _ => Ok(checked),
            }
        }))
    }
    fn proven(&self) -> bool {
        matches!(&self.last, Some(Ok(attempt)) if attempt.is_proven())
    }
    fn claimed(&self) -> Option<Score> {
        self.answer().and_then(P::score)
    }
    fn answer_json(&self) -> Option<Json> {
        Some(P::answer_json(&self.held.instance, self.answer()?))
    }
    fn answer_text(&self) -> Option<String> {
        Some(P::answer_text(&self.held.instance, self.answer()?))
    }
    fn pictures(&self) -> Vec<Picture> {
        self.answer().map_or(Vec::new(), |answer| {
            P::pictures(&self.held.instance, answer)
        })
    }
    fn table_bytes(&self) -> u64 {
        match &self.solver {
            Solver::Variant(solver) => solver.table_bytes(),
            Solver::Outside(_) => 0,
        }
    }
}

/// Reads the answer of an attempt from outside.
fn read<P: Problem>(
    instance: &P::Instance,
    attempt: &Attempt<Json>,
) -> Result<Attempt<P::Answer>, Failure> {
    let read = |answer: &Json, is_proven: bool| {
        let admit = |mut answer| (P::EXTRAS.admit)(&mut answer, is_proven).map(|()| answer);
        let answer = P::read_answer(instance, answer).and_then(admit);
        answer.map_err(|error| Failure::Wrong(format!("no answer of {}: {error}", P::INFO.name)))
    };
    Ok(match attempt {
        Attempt::Solved { answer, proof } => Attempt::Solved {
            answer: read(answer, *proof == Proof::Proven)?,
            proof: *proof,
        },
        Attempt::Timeout { best, bound } => Attempt::Timeout {
            best: best.as_ref().map(|best| read(best, false)).transpose()?,
            bound: *bound,
        },
    })
}
