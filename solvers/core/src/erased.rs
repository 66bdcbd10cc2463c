//! Any problem behind one interface, so that a runner needs no type of any solver crate.
//!
//! [`erase`] turns a [`Problem`] into a `&'static dyn` [`AnyProblem`]: the one line that registers it.
//! The chain is `AnyProblem` → `AnyInstance` → `AnySolver`; a solver keeps its last attempt, so that
//! a tight timing loop pays one virtual call and no boxing per answer.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZero;
use std::str::FromStr;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::{
    Attempt, Checked, Deadline, Direction, InputError, Lattice, Measure, Picture, Problem, Random,
    Refusal, Rejection, Score, Search, Setting, Settings, Solve, Source, Variant, Wrong, nearest,
};

/// The first 128 bits of a SHA-256, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(u128);

impl ContentHash {
    /// The hash of `parts`, each preceded by its length, so that no two lists run together.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let digest = hasher.finalize();
        Self(
            digest
                .iter()
                .take(16)
                .fold(0, |hash, byte| hash << 8 | u128::from(*byte)),
        )
    }
}

impl ContentHash {
    /// Which of `parts` equal parts of all hashes this one lies in, from 0.
    #[must_use]
    pub fn part_of(self, parts: NonZero<u32>) -> u32 {
        (self.0 % u128::from(parts.get())) as u32
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // PERF: every row of a run has four of them; formatting them by `{:032x}` was 5 % of a row's cost.
        let digit = |at: usize| b"0123456789abcdef"[(self.0 >> (124 - 4 * at)) as usize & 15];
        let digits: [u8; 32] = std::array::from_fn(digit);
        f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for ContentHash {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let wrong = || {
            InputError::new(format!(
                "`{text}` is no content hash (32 hexadecimal digits)"
            ))
        };
        if text.len() != 32 {
            return Err(wrong());
        }
        u128::from_str_radix(text, 16)
            .map(Self)
            .map_err(|_| wrong())
    }
}

/// What is known of a variant without its types.
#[derive(Debug, Clone, Copy)]
pub struct VariantInfo {
    /// The word on the command line.
    pub name: &'static str,
    /// One sentence: the idea.
    pub about: &'static str,
    /// Where the idea comes from.
    pub source: Source,
    /// Whether a solved answer is proven.
    pub exact: bool,
    /// Part of a sample's identity.
    pub version: u32,
    /// Settings of the method.
    pub settings: &'static [Setting],
}

/// What is known of a generator without its types.
#[derive(Debug, Clone, Copy)]
pub struct GeneratorInfo {
    /// `problem.kind`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Setting],
}

/// A problem without its types.
pub trait AnyProblem: Sync {
    /// See [`Problem::NAME`].
    fn name(&self) -> &'static str;
    /// See [`Problem::ABOUT`].
    fn about(&self) -> &'static str;
    /// See [`Problem::DIRECTION`].
    fn direction(&self) -> Direction;
    /// See [`Problem::variants`]; naive first.
    fn variants(&self) -> Vec<VariantInfo>;
    /// See [`Problem::generators`].
    fn generators(&self) -> Vec<GeneratorInfo>;
    /// See [`Problem::settings`].
    fn settings(&self) -> &'static [Setting];
    /// See [`Problem::counters`].
    fn counters(&self) -> &'static [Measure];
    /// See [`Problem::lattices`].
    fn lattices(&self) -> &'static [Lattice];
    /// See [`Problem::measures`].
    fn measures(&self) -> &'static [Measure];
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
        open: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Box<dyn AnyInstance>, InputError>;
    /// The content of the files that `settings` name: part of a sample's identity.
    fn content(&self, settings: &Settings) -> String;
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

    /// The variant called `name`.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    fn variant(&self, name: &str) -> Result<VariantInfo, InputError> {
        let variants = self.variants();
        variants
            .iter()
            .find(|variant| variant.name == name)
            .copied()
            .ok_or_else(|| {
                unknown(
                    "variant",
                    self.name(),
                    name,
                    variants.iter().map(|variant| variant.name),
                )
            })
    }
}

/// An instance with its question, without its type.
pub trait AnyInstance: Send + Sync {
    /// The instance's file text.
    fn text(&self) -> String;
    /// The identity of the instance's content, question left out.
    fn hash(&self) -> ContentHash;
    /// See [`Problem::size`].
    fn size(&self) -> u64;
    /// See [`Problem::default_variant`].
    fn default_variant(&self) -> &'static str;
    /// The same input with another question.
    ///
    /// # Errors
    /// When a setting does not fit this instance.
    fn ask(&self, settings: &Settings) -> Result<Box<dyn AnyInstance>, InputError>;
    /// Reads an answer of this instance from JSON and lets the referee check it by `deadline`.
    ///
    /// # Errors
    /// When the JSON is no answer of this problem: names the key and what was expected.
    fn judge(&self, answer: &Json, deadline: Deadline) -> Result<Judged, InputError>;
    /// A solver, with everything done that is done once per instance, by `deadline`.
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
}

/// An answer that came from outside, as the referee sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The answer as it was understood, written as JSON again.
    pub answer: Json,
    /// What the referee says: [`Rejection::Wrong`] also where the answer claims another score.
    pub verdict: Result<Checked, Rejection>,
}

/// How the last attempt of a solver ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Done; proven if the variant is exact.
    Solved,
    /// The deadline passed first; `bound` limits what any answer could reach.
    Timeout {
        /// No answer can be better than this, if something is known.
        bound: Option<Score>,
    },
}

/// A prepared solver without its types. The methods after `solve` speak of its last attempt.
pub trait AnySolver: Send {
    /// Answers once, keeping the attempt and dropping the one before.
    fn solve(&mut self, search: &mut Search);
    /// How the last attempt ended; `None` before the first.
    fn ended(&self) -> Option<Ended>;
    /// What the referee says of the last answer by `deadline`; `None` if there is no answer.
    fn referee(&self, deadline: Deadline) -> Option<Result<Checked, Rejection>>;
    /// Whether the last answer is claimed to be proven: solved, by an exact variant whose settings
    /// keep the proof.
    fn proven(&self) -> bool;
    /// The score that the variant claims for its last answer.
    fn claimed(&self) -> Option<Score>;
    /// The last answer as JSON; `None` if there is none.
    fn answer_json(&self) -> Option<Json>;
    /// The last answer for a person.
    fn answer_text(&self) -> Option<String>;
    /// Pictures of the last answer.
    fn pictures(&self) -> Vec<Picture>;
    /// Bytes that the preparation keeps.
    fn table_bytes(&self) -> u64;
}

/// The line that registers a problem: `erase::<Reach>()`.
#[must_use]
pub fn erase<P: Problem>() -> &'static dyn AnyProblem {
    // Zero-sized: the box takes no memory.
    Box::leak(Box::new(Erased::<P>(PhantomData)))
}

struct Erased<P>(PhantomData<fn() -> P>);

impl<P: Problem> AnyProblem for Erased<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }
    fn about(&self) -> &'static str {
        P::ABOUT
    }
    fn direction(&self) -> Direction {
        P::DIRECTION
    }
    fn variants(&self) -> Vec<VariantInfo> {
        P::variants().iter().map(info).collect()
    }
    fn generators(&self) -> Vec<GeneratorInfo> {
        let info = |generator: &crate::Generator<P>| GeneratorInfo {
            name: generator.name,
            about: generator.about,
            parameters: generator.parameters,
        };
        P::generators().iter().map(info).collect()
    }
    fn settings(&self) -> &'static [Setting] {
        P::settings()
    }
    fn counters(&self) -> &'static [Measure] {
        P::counters()
    }
    fn lattices(&self) -> &'static [Lattice] {
        P::lattices()
    }
    fn measures(&self) -> &'static [Measure] {
        P::measures()
    }
    fn read(&self, text: &str) -> Result<Box<dyn AnyInstance>, InputError> {
        P::read(text).map(hold::<P>)
    }
    fn read_with(
        &self,
        text: &str,
        open: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        P::read_with(text, open).map(hold::<P>)
    }
    fn content(&self, settings: &Settings) -> String {
        P::content(settings)
    }
    fn generate(
        &self,
        name: &str,
        parameters: &Settings,
        seed: u64,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        let all = P::generators();
        let generator = all
            .iter()
            .find(|generator| generator.name == name)
            .ok_or_else(|| {
                unknown(
                    "generator",
                    P::NAME,
                    name,
                    all.iter().map(|generator| generator.name),
                )
            })?;
        parameters.check(&format!("generator {name}"), &[generator.parameters])?;
        (generator.generate)(parameters, &mut Random::new(name, seed)).map(hold::<P>)
    }
}

fn info<P: Problem>(variant: &Variant<P>) -> VariantInfo {
    VariantInfo {
        name: variant.name,
        about: variant.about,
        source: variant.source,
        exact: variant.exact,
        version: variant.version,
        settings: variant.settings,
    }
}

fn unknown<'a>(
    what: &str,
    problem: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> InputError {
    let hint = nearest(name, known.clone())
        .map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    let list = known.collect::<Vec<_>>().join(", ");
    InputError::new(format!(
        "{problem} has no {what} `{name}`{hint} (it has: {list})"
    ))
}

fn hold<P: Problem>(instance: P::Instance) -> Box<dyn AnyInstance> {
    Box::new(Held::<P>(instance))
}

struct Held<P: Problem>(P::Instance);

impl<P: Problem> AnyInstance for Held<P> {
    fn text(&self) -> String {
        P::write(&self.0)
    }
    fn hash(&self) -> ContentHash {
        ContentHash::of(&[P::NAME.as_bytes(), self.text().as_bytes()])
    }
    fn size(&self) -> u64 {
        P::size(&self.0)
    }
    fn default_variant(&self) -> &'static str {
        P::default_variant(&self.0)
    }
    fn ask(&self, settings: &Settings) -> Result<Box<dyn AnyInstance>, InputError> {
        P::ask(&self.0, settings).map(hold::<P>)
    }
    fn judge(&self, answer: &Json, deadline: Deadline) -> Result<Judged, InputError> {
        let answer = P::read_answer(&self.0, answer)?;
        Ok(Judged {
            answer: P::answer_json(&self.0, &answer),
            verdict: verdict::<P>(&self.0, &answer, deadline),
        })
    }
    fn prepare<'a>(
        &'a self,
        name: &str,
        settings: &Settings,
        deadline: Deadline,
    ) -> Result<Box<dyn AnySolver + 'a>, Refusal> {
        let all = P::variants();
        let variant = all
            .iter()
            .find(|variant| variant.name == name)
            .ok_or_else(|| {
                unknown(
                    "variant",
                    P::NAME,
                    name,
                    all.iter().map(|variant| variant.name),
                )
            })?;
        let solver = (variant.prepare)(&self.0, settings, deadline)?;
        Ok(Box::new(Prepared::<'a, P> {
            instance: &self.0,
            exact: variant.exact,
            solver,
            last: None,
        }))
    }
}

/// The referee's verdict on an answer: another score than the claimed one is wrong too.
fn verdict<P: Problem>(
    instance: &P::Instance,
    answer: &P::Answer,
    deadline: Deadline,
) -> Result<Checked, Rejection> {
    let claimed = P::score(answer);
    let word =
        |score: Option<Score>| score.map_or("no score".to_owned(), |score| score.to_string());
    let truth = match P::referee(instance, answer, deadline) {
        Ok(checked) if claimed.is_none() || claimed == checked.score => return Ok(checked),
        Ok(checked) => word(checked.score),
        Err(Rejection::Wrong(wrong)) => wrong.to_string(),
        Err(Rejection::Timeout) => return Err(Rejection::Timeout),
    };
    Err(Wrong(format!("claimed {}; referee: {truth}", word(claimed))).into())
}

struct Prepared<'a, P: Problem> {
    instance: &'a P::Instance,
    exact: bool,
    solver: Box<dyn Solve<P> + Send + 'a>,
    last: Option<Attempt<P::Answer>>,
}

impl<P: Problem> Prepared<'_, P> {
    fn answer(&self) -> Option<&P::Answer> {
        self.last.as_ref().and_then(Attempt::answer)
    }
}

impl<P: Problem> AnySolver for Prepared<'_, P> {
    fn solve(&mut self, search: &mut Search) {
        self.last = Some(self.solver.solve(search));
    }
    fn ended(&self) -> Option<Ended> {
        Some(match self.last.as_ref()? {
            Attempt::Solved(_) => Ended::Solved,
            Attempt::Timeout { bound, .. } => Ended::Timeout { bound: *bound },
        })
    }
    fn referee(&self, deadline: Deadline) -> Option<Result<Checked, Rejection>> {
        Some(verdict::<P>(self.instance, self.answer()?, deadline))
    }
    fn proven(&self) -> bool {
        match &self.last {
            Some(Attempt::Solved(answer)) => self.exact && P::proven(answer),
            _ => false,
        }
    }
    fn claimed(&self) -> Option<Score> {
        self.answer().and_then(P::score)
    }
    fn answer_json(&self) -> Option<Json> {
        Some(P::answer_json(self.instance, self.answer()?))
    }
    fn answer_text(&self) -> Option<String> {
        Some(P::answer_text(self.instance, self.answer()?))
    }
    fn pictures(&self) -> Vec<Picture> {
        self.answer()
            .map_or(Vec::new(), |answer| P::pictures(self.instance, answer))
    }
    fn table_bytes(&self) -> u64 {
        self.solver.table_bytes()
    }
}
