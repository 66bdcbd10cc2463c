//! Type-erased problems, so that a runner needs no type of any solver crate.
//!
//! [`erase`] registers a [`Problem`] as a `&'static dyn` [`AnyProblem`]. An `AnyProblem` makes an `AnyInstance`, which
//! makes an `AnySolver`. A solver keeps its last attempt, so that a tight timing loop costs one virtual call and no
//! allocation per answer.

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use serde_json::Value as Json;

use crate::claims::contradiction;
use crate::{
    Attempt, BoxedSolve, Checked, ContentHash, Deadline, Direction, Failure, Generator,
    GeneratorInfo, InputError, Measure, Outside, Picture, Problem, ProblemInfo, ProcessUse, Proof,
    Random, Referee, Refusal, Rejection, Score, Search, SettingInfo, Settings, Variant,
    VariantInfo, Verified, Wrong, unknown,
};

/// A problem without its types.
pub trait AnyProblem: Sync {
    /// The problem's names and tables.
    fn info(&self) -> &'static ProblemInfo;
    /// See [`Problem::VARIANTS`]; naive first.
    fn variants(&self) -> Vec<VariantInfo>;
    /// See [`Problem::GENERATORS`].
    fn generators(&self) -> Vec<GeneratorInfo>;
    /// See [`Problem::read`].
    ///
    /// # Errors
    /// Names the line and what was expected.
    fn read(&self, text: &str) -> Result<Box<dyn AnyInstance>, InputError>;
    /// See [`Problem::read_with`].
    ///
    /// # Errors
    /// Names the line and what was expected, or the file that cannot be opened.
    fn read_with(
        &self,
        text: &str,
        _open: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        self.read(text)
    }
    /// See [`Extras::aliases`](crate::Extras::aliases).
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// Returns whether several processes can search together for an answer of the variant.
    fn is_in_teams(&self, _variant: &str) -> bool {
        false
    }
    /// The content of the files that `settings` name: part of a sample's identity.
    fn content(&self, settings: &Settings) -> String;
    /// See [`Problem::show`].
    ///
    /// # Errors
    /// An unknown set or stage, a text that cannot be read, or a problem without stages.
    fn show(&self, name: &str, text: Option<&str>, stage: &str) -> Result<String, InputError>;
    /// Checks a certificate.
    ///
    /// # Errors
    /// The line at which it fails; or a problem without certificates.
    fn verify(&self, text: &str) -> Result<Verified, InputError>;
    /// Makes the instance of a seed.
    ///
    /// # Errors
    /// An unknown generator or parameter, or a parameter outside its range.
    fn generate(
        &self,
        generator: &str,
        parameters: &Settings,
        seed: u64,
    ) -> Result<Box<dyn AnyInstance>, InputError>;

    /// The word on the command line.
    fn name(&self) -> &'static str {
        self.info().name
    }
    /// Which way a score is better.
    fn direction(&self) -> Direction {
        self.info().direction
    }
    /// The settings of the question.
    fn settings(&self) -> &'static [SettingInfo] {
        self.info().settings
    }
    /// Every counter of its variants.
    fn counters(&self) -> &'static [Measure] {
        self.info().counters
    }
    /// Every measure of its referee.
    fn measures(&self) -> &'static [Measure] {
        self.info().measures
    }

    /// The variant called `name`, or for which `name` is an alias.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    fn variant(&self, name: &str) -> Result<VariantInfo, InputError>;
}

/// The variant of `P` called `name`, or for which `name` is an alias.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn variant<P: Problem>(name: &str) -> Result<&'static Variant<P>, InputError> {
    let mut aliases = P::EXTRAS.aliases.iter();
    let alias = aliases.find(|(alias, _)| *alias == name);
    let meant = alias.map_or(name, |(_, variant)| variant);
    let mut variants = P::VARIANTS.iter();
    let found = variants.find(|variant| variant.name == meant);
    found.ok_or_else(|| {
        let what = format!("variant of {}", P::INFO.name);
        unknown(&what, name, P::VARIANTS.iter().map(|known| known.name))
    })
}

/// An instance with its question, without its type.
pub trait AnyInstance: Send + Sync {
    /// The instance's file text.
    fn text(&self) -> String;
    /// The content of the instance's file, where that may be more than text.
    fn bytes(&self) -> Vec<u8> {
        self.text().into_bytes()
    }
    /// The identity of the instance: the hash of the problem's name and of [`text`](AnyInstance::text).
    fn hash(&self) -> ContentHash;
    /// See [`Problem::size`].
    fn size(&self) -> u64;
    /// The features that the generator's command printed; they become columns like its parameters.
    fn features(&self) -> Settings {
        Settings::new()
    }
    /// See [`Problem::default_variant`].
    fn default_variant(&self) -> &'static str;
    /// The same input with another question.
    ///
    /// # Errors
    /// When a setting does not fit this instance.
    fn ask(&self, settings: &Settings) -> Result<Box<dyn AnyInstance>, InputError>;
    /// See [`Problem::without_answers`].
    fn without_answers(self: Box<Self>) -> Box<dyn AnyInstance>;
    /// See [`Problem::recorded`].
    fn recorded(&self, _variant: &str) -> Vec<Picture> {
        Vec::new()
    }
    /// Reads an answer of this instance from JSON and lets the referee check it by `deadline`.
    ///
    /// # Errors
    /// When the JSON is not an answer to this problem: names the key and what was expected.
    fn judge(&self, answer: &Json, deadline: Deadline) -> Result<Judged, InputError>;
    /// A solver of the variant, prepared for this instance by `deadline`.
    ///
    /// # Errors
    /// An unknown variant or a setting that does not fit; or the variant cannot take this instance;
    /// or the deadline passed.
    fn prepare<'a>(
        &'a self,
        variant: &str,
        settings: &Settings,
        deadline: Deadline,
    ) -> Result<Box<dyn AnySolver + 'a>, Refusal>;
    /// A solver whose attempts come from `outside`. The problem reads its answers and the referee checks them.
    fn answered_by<'a>(&'a self, outside: Box<dyn Outside + 'a>) -> Box<dyn AnySolver + 'a>;
}

/// An answer read from JSON, with the referee's verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The answer that was read, written as JSON again.
    pub answer: Json,
    /// The referee's verdict; [`Rejection::Wrong`] also if a claim of the answer does not follow from its witness.
    pub verdict: Result<Checked, Rejection>,
}

/// The end of a solver's last attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The attempt is complete. [`AnySolver::proven`] returns whether the answer is claimed to be proven.
    Solved,
    /// The deadline passed first, or the memory that the variant allows itself was full.
    Timeout {
        /// No answer can be better than this; `None` if no bound is known.
        bound: Option<Score>,
    },
    /// A solver outside of this program gave no answer that could be read.
    Failed(Failure),
}

impl Ended {
    /// The end of an attempt.
    pub fn of<A>(attempt: &Result<Attempt<A>, Failure>) -> Self {
        match attempt {
            Ok(Attempt::Solved { .. }) => Self::Solved,
            Ok(Attempt::Timeout { bound, .. }) => Self::Timeout { bound: *bound },
            Err(failure) => Self::Failed(failure.clone()),
        }
    }
}

/// A prepared solver without its types. The methods after `certify` are about its last attempt.
pub trait AnySolver: Send {
    /// Answers once; the attempt replaces the previous one.
    fn solve(&mut self, search: &mut Search);
    /// The same with a certificate of optimality, if the variant can write one and the answer is proven.
    fn certify(&mut self, search: &mut Search) -> Option<String>;
    /// The end of the last attempt; `None` before the first attempt.
    fn ended(&self) -> Option<Ended>;
    /// The referee's verdict on the last answer, reached by `deadline`; `None` if there is no answer.
    fn referee(&self, deadline: Deadline) -> Option<Result<Checked, Rejection>>;
    /// Returns whether the last attempt is solved and its answer is claimed to be proven.
    fn proven(&self) -> bool;
    /// The score that the variant claims for its last answer.
    fn claimed(&self) -> Option<Score> {
        None
    }
    /// The last answer as JSON; `None` if there is none.
    fn answer_json(&self) -> Option<Json>;
    /// The last answer for a person.
    fn answer_text(&self) -> Option<String>;
    /// Pictures of the last answer.
    fn pictures(&self) -> Vec<Picture> {
        Vec::new()
    }
    /// See [`Solve::table_bytes`](crate::Solve::table_bytes); 0 for a solver outside of this program.
    fn table_bytes(&self) -> u64 {
        0
    }
    /// The last answer, if any text may be one: such answers are kept.
    fn text_answer(&self) -> Option<String> {
        None
    }
    /// See [`Outside::last_words`].
    fn last_words(&self) -> Option<String> {
        None
    }
    /// See [`Outside::used`].
    fn used(&self) -> ProcessUse {
        ProcessUse::default()
    }
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
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        P::EXTRAS.aliases
    }
    fn is_in_teams(&self, variant: &str) -> bool {
        P::EXTRAS.in_teams.contains(&variant)
    }
    fn content(&self, settings: &Settings) -> String {
        (P::EXTRAS.content)(settings)
    }
    fn show(&self, name: &str, text: Option<&str>, stage: &str) -> Result<String, InputError> {
        (P::EXTRAS.show)(name, text, stage)
    }
    fn verify(&self, text: &str) -> Result<Verified, InputError> {
        (P::EXTRAS.verify)(text)
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
    })
}

struct Held<P: Problem> {
    instance: P::Instance,
    referee: P::Referee,
    /// The last answer that the referee accepted. An equal answer is not checked again, because a check takes far
    /// longer than the answers of the fast variants.
    accepted: Mutex<Option<(P::Answer, Checked)>>,
}

impl<P: Problem> AnyInstance for Held<P> {
    fn text(&self) -> String {
        P::write(&self.instance)
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
    fn recorded(&self, variant: &str) -> Vec<Picture> {
        (P::EXTRAS.recorded)(&self.instance, variant)
    }
    fn without_answers(self: Box<Self>) -> Box<dyn AnyInstance> {
        hold::<P>((P::EXTRAS.without_answers)(self.instance))
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
        Ok(Box::new(PreparedSolver::<'a, P> {
            held: self,
            solver: Solver::Variant(solver),
            last: None,
            claims: None,
        }))
    }
    fn answered_by<'a>(&'a self, outside: Box<dyn Outside + 'a>) -> Box<dyn AnySolver + 'a> {
        Box::new(PreparedSolver::<'a, P> {
            held: self,
            solver: Solver::Outside(outside),
            last: None,
            claims: None,
        })
    }
}

impl<P: Problem> Held<P> {
    /// The referee's verdict on an answer. An answer equal to the last accepted one is not checked again.
    fn verdict(&self, answer: &P::Answer, deadline: Deadline) -> Result<Checked, Rejection> {
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
    ) -> Result<Checked, Rejection> {
        let checked = self.verdict(answer, deadline)?;
        let written = || P::answer_json(&self.instance, answer);
        match claims.and_then(|claims| contradiction(claims, &written())) {
            Some(why) => Err(Wrong(why).into()),
            None => Ok(checked),
        }
    }

    /// The referee's verdict on an answer; an answer that claims a wrong score is wrong.
    fn check(&self, answer: &P::Answer, deadline: Deadline) -> Result<Checked, Rejection> {
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
    fn last_words(&self) -> Option<String> {
        match &self.solver {
            Solver::Variant(_) => None,
            Solver::Outside(outside) => outside.last_words(),
        }
    }
    fn certify(&mut self, search: &mut Search) -> Option<String> {
        let Solver::Variant(solver) = &mut self.solver else {
            self.solve(search);
            return None;
        };
        let (attempt, certificate) = solver.certify(search);
        self.last = Some(Ok(attempt));
        certificate
    }
    fn ended(&self) -> Option<Ended> {
        self.last.as_ref().map(Ended::of)
    }
    fn referee(&self, deadline: Deadline) -> Option<Result<Checked, Rejection>> {
        let (answer, claims) = (self.answer()?, self.claims.as_ref());
        Some(self.held.verdict_on_claims(answer, claims, deadline))
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
        let mut answer = P::read_answer(instance, answer)
            .map_err(|error| Failure::Wrong(format!("no answer of {}: {error}", P::INFO.name)))?;
        if !is_proven {
            (P::EXTRAS.disclaim)(&mut answer);
        }
        Ok(answer)
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
