//! Problems of commands: an experiment's file declares generator and referee; an instance is bytes, an
//! answer text.
//!
//! A declared problem implements the erased contract ([`AnyProblem`]), so that plan, executor, journal and report treat
//! it like any other. Its solvers are foreign ([`crate::execute::foreign`]); it has no variants of its own.
//!
//! | module | owns |
//! |---|---|
//! | `bytes` | bytes as text and back |
//! | `command` | one command: found, filled, carried out within a time limit |
//! | `judge` | the referee's verdict, read from its output |

pub(crate) mod bytes;
pub(crate) mod command;
mod judge;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use ikeru_bench_data::experiment::{CommandProblem, ScoreStream};
use ikeru_core::{
    AnyInstance, AnyProblem, AnySolver, Attempt, ContentHash, Deadline, Ended, Failure,
    GeneratorInfo, InputError, Judged, Measure, Outside, ProblemInfo, ProcessUse, Refereed,
    Refusal, Rejection, Score, Search, SettingInfo, SettingKind, Settings, VariantInfo, Wrong,
    refuse, unknown,
};
use ikeru_reports::records::bests::decimal;
use ikeru_reports::records::{Extra, Family};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use self::command::{Inputs, SideCommand};
use crate::execute::until_end::Trouble;
use crate::files::HashedFile;

/// What makes a declared problem: sent to the workers that ask its solvers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    /// The problem's name.
    pub name: String,
    /// The table `problem` of its experiment.
    pub problem: CommandProblem,
    /// The folder to which its commands are relative.
    pub folder: PathBuf,
}

/// A problem of commands whose programs were found.
#[derive(Debug, Clone, Copy)]
pub struct Declared(&'static FoundProblem);

#[derive(Debug)]
struct FoundProblem {
    declaration: Declaration,
    info: ProblemInfo,
    generator: Option<(SideCommand, GeneratorInfo)>,
    referee: Option<SideCommand>,
    draw: Option<SideCommand>,
    /// The identity of the commands that judge: part of a sample's identity.
    content: String,
    /// The stream that had the score, as its code, to which [`SETTLED`] is added; 0 before the first.
    seen: AtomicU8,
    /// The files of these commands and of the generator.
    files: Vec<HashedFile>,
}

/// Added to the code of a stream that does not change any more.
const SETTLED: u8 = 2;

/// The time that a generator may take.
const GENERATION: Duration = Duration::from_secs(60);
/// The time that a picture may take.
const DRAWING: Duration = Duration::from_secs(10);

impl Declared {
    /// Finds the programs of a declaration. The problem lasts as long as the program: there are a few of them.
    ///
    /// # Errors
    /// A program that is not there, or a file that cannot be read.
    pub fn find(declaration: Declaration) -> Result<&'static Self> {
        let (name, problem) = (&declaration.name, &declaration.problem);
        let program = |what: &str, words: &[String]| -> Result<Option<SideCommand>> {
            if words.is_empty() {
                return Ok(None);
            }
            SideCommand::find(&format!("{what} of {name}"), words, &declaration.folder).map(Some)
        };
        let generator = program("generate", &problem.generate)?;
        let referee = program("referee", &problem.referee)?;
        let tester = program("tester", &problem.tester)?;
        let draw = program("draw", &problem.draw)?;
        let column = |about| {
            move |name: &str| SettingInfo {
                name: name.to_owned().leak(),
                about,
                kind: SettingKind::Text { default: None },
            }
        };
        let parameters = problem.parameters().into_iter();
        let parameters = parameters.map(column("parameter of the generator's command"));
        let features = problem.features.iter().map(String::as_str);
        let features = features.map(column("printed by the generator's command"));
        let parameters = &*parameters.chain(features).collect::<Vec<_>>().leak();
        let generator = generator.map(|aside| {
            let info = GeneratorInfo {
                name: format!("{name}.generate").leak(),
                about: "the command `generate` of the experiment",
                parameters,
            };
            (aside, info)
        });
        let measures = problem.measures.iter().map(|measure| Measure {
            name: measure.clone().leak(),
            about: "measured by the referee's command",
            better: ikeru_core::Better::Neither,
        });
        let info = ProblemInfo {
            name: name.clone().leak(),
            about: "a problem of commands",
            direction: problem.direction,
            settings: &[],
            counters: &[],
            measures: measures.collect::<Vec<_>>().leak(),
            words: &[("size", "bytes of the instance")],
            batch: None,
        };
        let (content, mut files) = judges(&declaration, [&referee, &tester])?;
        let commands = generator.iter().map(|(aside, _)| aside);
        let commands = commands.chain(&referee).chain(&tester);
        files.extend(commands.flat_map(|aside| aside.0.files.clone()));
        let found = Box::leak(Box::new(FoundProblem {
            info,
            content,
            seen: AtomicU8::new(0),
            files,
            generator,
            referee,
            draw,
            declaration,
        }));
        Ok(Box::leak(Box::new(Self(found))))
    }

    /// What the problem was made of.
    pub fn declaration(&self) -> &'static Declaration {
        &self.0.declaration
    }

    /// The stream of the score: the one that the problem names, or that of the first samples once it is settled.
    pub fn score_from(&self) -> Option<ScoreStream> {
        let problem = &self.0.declaration.problem;
        let seen = self.0.seen.load(Ordering::SeqCst);
        let seen = seen.checked_sub(SETTLED).and_then(ScoreStream::of_code);
        problem.score_from.or(seen)
    }

    /// The stream that had the score of the last answer that was judged here.
    pub fn seen(&self) -> Option<ScoreStream> {
        ScoreStream::of_code(self.0.seen.load(Ordering::SeqCst))
    }

    /// Keeps the stream that a worker saw. Until it is settled, the output goes before standard error, where a solver that
    /// a tester starts may write too.
    pub fn keep_seen(&self, seen: ScoreStream) {
        self.0.seen.fetch_max(seen as u8, Ordering::SeqCst);
    }

    /// From now on the score is on the stream that was seen.
    pub fn settle(&self) {
        if let Some(seen) = self.seen() {
            self.0.seen.store(seen as u8 + SETTLED, Ordering::SeqCst);
        }
    }

    /// Returns whether the stream of the score is still to be seen.
    pub fn lacks_score_from(&self) -> bool {
        let problem = &self.0.declaration.problem;
        let is_open = self.score_from().is_none() && self.seen() != Some(ScoreStream::Output);
        problem.score.is_some() && !problem.is_unchecked() && is_open
    }

    /// Refuses files of generator and referee whose content has changed since they were read.
    ///
    /// # Errors
    /// Names the file.
    pub fn check_files(&self) -> Result<()> {
        self.files().iter().try_for_each(HashedFile::check)
    }

    /// The files of generator and referee.
    pub fn files(&self) -> &[HashedFile] {
        &self.0.files
    }

    /// Returns whether answers have pictures.
    pub fn draws(&self) -> bool {
        self.0.draw.is_some()
    }

    /// The picture of an answer, as SVG.
    ///
    /// # Errors
    /// The command failed, or printed no SVG.
    pub fn draw(&self, instance: &dyn AnyInstance, answer: &str) -> Result<String> {
        let draw = self.0.draw.as_ref().context("no command draws")?;
        let bytes = instance.bytes();
        let inputs = Inputs {
            instance: Some(&bytes),
            answer: Some(answer),
            ..Inputs::default()
        };
        let spoken = draw.carry_out(&inputs, Deadline::after(DRAWING))?;
        spoken.succeeded()?;
        let output = spoken.text();
        let begin = output.find("<svg").context("printed no SVG")?;
        Ok(output[begin..].trim_end().to_owned())
    }

    /// A score with its decimal digits: `12.50`.
    pub fn written(&self, score: Score) -> String {
        decimal(score, self.0.declaration.problem.decimals)
    }

    /// The columns of features in the first line of instances.
    pub fn line_features(&self) -> impl Iterator<Item = Extra> {
        let names = self.0.declaration.problem.named_in_line();
        names.map(|name| Extra::new(Family::Parameter, name, "in the first line of the instance"))
    }

    fn hold(
        self,
        bytes: Vec<u8>,
        mut features: Settings,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        let pattern = self.0.declaration.problem.first_line.as_deref();
        let line = bytes
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        for part in pattern.unwrap_or_default().split_whitespace() {
            let name = part
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'));
            match (name, words.next()) {
                (Some(name), Some(word)) => {
                    let value = command::feature(name, word);
                    features.set(name, value.map_err(|why| InputError::new(why.to_string()))?);
                }
                (None, Some(word)) if [word, "_"].contains(&part) => {}
                _ => refuse!("its first line is `{line:.80}`; `first_line` expects `{part}` there"),
            }
        }
        Ok(Box::new(DeclaredInstance {
            problem: self.0,
            bytes,
            features,
        }))
    }
}

/// The identity of all that decides a verdict: commands, files, and how the score is read.
fn judges(
    of: &Declaration,
    commands: [&Option<SideCommand>; 2],
) -> Result<(String, Vec<HashedFile>)> {
    let problem = &of.problem;
    let (score, verdict) = (&problem.score, problem.verdict);
    let mut parts = vec![format!("{score:?} {verdict:?} {}", problem.decimals)];
    // Problems without these keys keep the identity that they had.
    parts.extend(problem.score_from.map(|from| format!("{from:?}")));
    parts.extend(problem.least.map(|least| format!("least {least}")));
    let commands = commands.into_iter().flatten();
    parts.extend(commands.map(|aside| aside.0.content.clone()));
    let mut hashed = Vec::new();
    for file in &problem.files {
        let (file, content) = HashedFile::read(of.folder.join(file))?;
        parts.push(ContentHash::of(&[&content]).to_string());
        hashed.push(file);
    }
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    Ok((ContentHash::of(&parts).to_string(), hashed))
}

impl AnyProblem for Declared {
    fn info(&self) -> &'static ProblemInfo {
        &self.0.info
    }
    fn variants(&self) -> Vec<VariantInfo> {
        Vec::new()
    }
    fn generators(&self) -> Vec<GeneratorInfo> {
        self.0.generator.iter().map(|(_, info)| *info).collect()
    }
    fn read(&self, text: &str) -> Result<Box<dyn AnyInstance>, InputError> {
        self.hold(bytes::bytes_of(text), Settings::new())
    }
    fn content(&self, _: &Settings) -> String {
        self.0.content.clone()
    }
    fn generate(
        &self,
        name: &str,
        parameters: &Settings,
        seed: u64,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        let generator = self.0.generator.as_ref();
        let Some((aside, info)) = generator.filter(|(_, info)| info.name == name) else {
            let known = self.generators().into_iter().map(|info| info.name);
            return Err(unknown("generator", name, known));
        };
        let problem = &self.0.declaration.problem;
        let asked = &info.parameters[..info.parameters.len() - problem.features.len()];
        let named =
            |error: InputError| error.message + "; a parameter is a {param:NAME} of `generate`";
        let known = parameters.check("the generator", &[asked]);
        known.map_err(|error| InputError::new(named(error)))?;
        let mut names = asked.iter().map(|info| info.name);
        if let Some(name) = names.find(|name| parameters.value(name).is_none()) {
            refuse!("the generator needs `{name}`; expected it in `set` beside the seeds");
        }
        let inputs = Inputs {
            seed: Some(seed),
            parameters: Some(parameters),
            ..Inputs::default()
        };
        let made = aside.carry_out(&inputs, Deadline::after(GENERATION));
        let checked = self.check_files();
        checked.map_err(|error| InputError::new(error.to_string()))?;
        let made = made.and_then(|spoken| {
            let bytes = spoken.instance()?;
            Ok((bytes, spoken.features(&problem.features)?))
        });
        let made = made.map_err(|why| InputError::new(format!("the generator {why}")))?;
        self.hold(made.0, made.1)
    }
    fn variant(&self, name: &str) -> Result<VariantInfo, InputError> {
        let problem = self.name();
        refuse!(
            "`{problem}` is a problem of commands and has no variant `{name}`; expected a command"
        )
    }
}

/// An instance of a declared problem.
#[derive(Debug, Clone)]
struct DeclaredInstance {
    problem: &'static FoundProblem,
    bytes: Vec<u8>,
    features: Settings,
}

impl AnyInstance for DeclaredInstance {
    fn text(&self) -> String {
        bytes::text_of(&self.bytes).into_owned()
    }
    fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
    fn hash(&self) -> ContentHash {
        ContentHash::of(&[self.problem.info.name.as_bytes(), &self.bytes])
    }
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn features(&self) -> Settings {
        self.features.clone()
    }
    fn default_variant(&self) -> &'static str {
        ""
    }
    fn ask(&self, settings: &Settings) -> Result<Box<dyn AnyInstance>, InputError> {
        settings.check(self.problem.info.name, &[])?;
        Ok(Box::new(self.clone()))
    }
    fn judge(&self, answer: &Json, deadline: Deadline) -> Result<Judged, InputError> {
        Ok(Judged {
            answer: answer.clone(),
            verdict: self.verdict(answer, deadline),
        })
    }
    fn prepare<'a>(
        &'a self,
        variant: &str,
        _: &Settings,
        _: Deadline,
    ) -> Result<Box<dyn AnySolver + 'a>, Refusal> {
        let error = Declared(self.problem).variant(variant).err();
        Err(error.map_or(Refusal::Timeout, Refusal::Input))
    }
    fn answered_by<'a>(&'a self, outside: Box<dyn Outside + 'a>) -> Box<dyn AnySolver + 'a> {
        Box::new(TextSolver {
            instance: self,
            outside,
            last: None,
        })
    }
}

/// The text of an answer and what its process wrote on standard error, as JSON; `is_cut` if the process was stopped and did
/// not end by itself, perhaps within a line.
pub fn spoken_answer(text: &str, said: &str, is_cut: bool) -> Json {
    json!({ "text": text, "said": said, "is_cut": is_cut })
}

/// The parts of a spoken answer; an answer from a file is its text alone.
fn parts(answer: &Json) -> (&str, &str) {
    let part = |key: &str| answer.get(key).and_then(Json::as_str);
    match answer.as_str() {
        Some(text) => (text, ""),
        None => (
            part("text").unwrap_or_default(),
            part("said").unwrap_or_default(),
        ),
    }
}

impl DeclaredInstance {
    /// The verdict on an answer. What a process had printed when it was stopped is an answer only if it is complete and the
    /// referee accepts it.
    fn verdict(&self, answer: &Json, deadline: Deadline) -> Refereed {
        if answer.get("is_cut") != Some(&Json::Bool(true)) {
            return self.verdict_of(answer, deadline);
        }
        let none = |why: &str| Err(Rejection::NoAnswer(format!("stopped at its limit: {why}")));
        let (text, said) = parts(answer);
        let is_torn = |text: &str| !(text.is_empty() || text.ends_with('\n'));
        let problem = &self.problem.declaration.problem;
        if !problem.tester.is_empty() {
            return none("its tester had not ended");
        }
        if is_torn(text) || (problem.referee.is_empty() && is_torn(said)) {
            return none("its last line is not complete");
        }
        match self.verdict_of(answer, deadline) {
            Err(rejection) if !matches!(rejection, Rejection::Harness(_)) => {
                none(&rejection.to_string())
            }
            verdict => verdict,
        }
    }

    /// The verdict of the referee, or the score that the solver or its tester printed.
    fn verdict_of(&self, answer: &Json, deadline: Deadline) -> Refereed {
        let (text, said) = parts(answer);
        let problem = &self.problem.declaration.problem;
        let from = &self.problem.seen;
        let Some(referee) = &self.problem.referee else {
            return judge::printed_by_solver(problem, from, [text, said]);
        };
        let inputs = Inputs {
            instance: Some(&self.bytes),
            answer: Some(text),
            is_validator: judge::is_validator(problem),
            ..Inputs::default()
        };
        let verdict = match referee.carry_out(&inputs, deadline) {
            Ok(spoken) => judge::verdict(problem, self.problem.info.measures, from, &spoken),
            Err(Trouble::Late) => Err(Rejection::Timeout),
            Err(trouble @ Trouble::Harness(_)) => {
                Err(Rejection::Harness(format!("the referee {trouble}")))
            }
            Err(trouble) => Err(Rejection::Broken(format!("the referee {trouble}"))),
        };
        match verdict {
            Err(Rejection::Broken(why)) if text.trim().is_empty() => {
                Err(Wrong(format!("the answer is empty, and {why}")).into())
            }
            verdict => verdict,
        }
    }
}

/// A solver of a declared problem.
struct TextSolver<'a> {
    instance: &'a DeclaredInstance,
    outside: Box<dyn Outside + 'a>,
    last: Option<Result<Attempt<Json>, Failure>>,
}

impl TextSolver<'_> {
    fn answer(&self) -> Option<&Json> {
        self.last.as_ref()?.as_ref().ok()?.answer()
    }
}

impl AnySolver for TextSolver<'_> {
    fn solve(&mut self, search: &mut Search) {
        self.last = Some(self.outside.solve(search));
    }
    fn ended(&self) -> Option<Ended> {
        self.last.as_ref().map(Ended::of)
    }
    fn referee(&self, deadline: Deadline) -> Option<Refereed> {
        Some(self.instance.verdict(self.answer()?, deadline))
    }
    fn proven(&self) -> bool {
        matches!(&self.last, Some(Ok(attempt)) if attempt.is_proven())
    }
    fn answer_json(&self) -> Option<Json> {
        Some(Json::from(parts(self.answer()?).0))
    }
    fn answer_text(&self) -> Option<String> {
        Some(parts(self.answer()?).0.to_owned())
    }
    fn text_answer(&self) -> Option<String> {
        self.answer_text()
    }
    fn bound(&self) -> Option<Score> {
        self.outside.bound()
    }
    fn last_words(&self) -> Option<String> {
        self.outside.last_words()
    }
    fn used(&self) -> ProcessUse {
        self.outside.used()
    }
}
