//! A problem of commands: a generator or files, a direction, and a referee, all in one experiment's file.
//!
//! Its solvers are the commands of the experiment's variants ([`Protocol::Text`](super::Protocol)): an answer is any
//! text. This module reads and checks the table `problem`; it starts no command.

use std::collections::BTreeSet;

use ikeru_core::{Direction, Score};
use serde::{Deserialize, Deserializer, Serialize};

use super::variants::{NameOrTable, filled, is_word, parts};

/// The problem of an experiment: a registered one by its name, or one of commands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ProblemEntry {
    /// `problem = "reach"`
    Name(String),
    /// `[problem]`
    Commands(Box<CommandProblem>),
}

impl ProblemEntry {
    /// The problem's name. A problem of commands has the name of its experiment.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Commands(problem) => &problem.name,
        }
    }

    /// The problem of commands, if it is one.
    pub fn commands(&self) -> Option<&CommandProblem> {
        match self {
            Self::Name(_) => None,
            Self::Commands(problem) => Some(problem),
        }
    }
}

impl<'de> Deserialize<'de> for ProblemEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let expected = "the name of a problem, or a table with `direction` and its commands";
        let commands = |problem| Self::Commands(Box::new(problem));
        from.deserialize_any(NameOrTable(expected, Self::Name, commands))
    }
}

/// The table `problem`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandProblem {
    /// The name of its experiment, set when the file is read.
    #[serde(skip)]
    pub name: String,
    /// Which way a score is better.
    pub direction: Direction,
    /// The number of decimal digits of scores: 0 for whole numbers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub decimals: u32,
    /// A command that builds generator, referee and tester, once before the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepare: Vec<String>,
    /// The generator: prints an instance, or writes it into the file `{instance}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generate: Vec<String>,
    /// The names of the features of an instance, which the generator prints on standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// The first line of each instance, whose words are features: `{n} {m}`; `_` is any word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<String>,
    /// The referee: reads `{instance}` and `{answer}`, prints the score or why the answer is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub referee: Vec<String>,
    /// The form of the referee's verdict.
    #[serde(default)]
    pub verdict: VerdictForm,
    /// The line that holds the score, as `Score = {score}`: of the referee, of the tester, or without both of the
    /// solver itself.
    pub score: Option<String>,
    /// The stream with the score; by default that of the first sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_from: Option<ScoreStream>,
    /// A score below this is none: the answer is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// A program that starts the solver, as interactive contests have it; the word `{command}` becomes the solver's
    /// words. Its output holds the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tester: Vec<String>,
    /// A command that prints a picture of `{instance}` and `{answer}` as SVG.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draw: Vec<String>,
    /// The names of the measures that the referee reports besides the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<String>,
    /// More files on which generator, referee and tester depend.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The feature whose values are the independent units: instances with one value are compared as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

fn is_zero(decimals: &u32) -> bool {
    *decimals == 0
}

/// The form of a referee's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictForm {
    /// Its last line is `{"score": 12}`, with `measures` if it has some, or `{"wrong": "why"}`.
    #[default]
    Json,
    /// Kattis' output validator: exit code 42 accepts, 43 rejects; `score.txt` in the feedback folder has the score.
    Kattis,
}

/// The stream of a referee, a tester or a solver that has its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreStream {
    /// Its standard error.
    Error = 1,
    /// Its output.
    Output = 2,
}

impl ScoreStream {
    /// The stream with this number.
    pub fn of_code(code: u8) -> Option<Self> {
        [Self::Error, Self::Output]
            .into_iter()
            .find(|it| *it as u8 == code)
    }
}

/// The most decimal digits of a score: with nine of them, scores reach half a billion.
const MOST_DECIMALS: u32 = 9;

/// The placeholders of a problem's commands.
const GENERATOR: &[&str] = &["seed", "instance"];
const REFEREE: &[&str] = &["instance", "answer", "feedback"];
const TESTER: &[&str] = &["instance", "command"];
const DRAWING: &[&str] = &["instance", "answer"];

/// The prefix of a generator's parameter in a placeholder.
const PARAMETER: &str = "param:";

/// The place of the score in a pattern.
pub const SCORE: &str = "{score}";

impl CommandProblem {
    /// The names of the generator's parameters, each once.
    pub fn parameters(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.generate.iter().flat_map(|word| parts(word));
        let names = all.filter_map(|part| part.err()?.strip_prefix(PARAMETER));
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// The names of the features in the first line of an instance.
    pub fn named_in_line(&self) -> impl Iterator<Item = &str> {
        let words = self
            .first_line
            .iter()
            .flat_map(|line| line.split_whitespace());
        words.filter_map(|word| word.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Returns whether the score is only what the solver says of itself.
    pub fn is_unchecked(&self) -> bool {
        self.referee.is_empty() && self.tester.is_empty()
    }

    /// Returns whether a score, in units of its last digit, is none by `least`.
    pub fn is_none(&self, score: Score) -> bool {
        let unit = 10_f64.powi(self.decimals.cast_signed());
        self.least
            .is_some_and(|least| (score as f64) < least * unit)
    }

    /// Returns whether an output validator has placeholders, and thus no further arguments, but no feedback folder.
    fn lacks_feedback(&self) -> bool {
        let names = |part| self.referee.iter().any(|word| word.contains(part));
        self.verdict == VerdictForm::Kattis && names("{") && !names("{feedback}")
    }

    /// Refuses placeholders that a command does not have.
    fn check_placeholders(&self) -> Result<(), (String, String)> {
        for (key, words, known) in [
            ("generate", &self.generate, GENERATOR),
            ("referee", &self.referee, REFEREE),
            ("tester", &self.tester, TESTER),
            ("draw", &self.draw, DRAWING),
        ] {
            let names = words.iter().flat_map(|word| parts(word));
            for name in names.filter_map(Result::err) {
                let is_parameter = key == "generate" && name.starts_with(PARAMETER);
                if !(is_parameter || known.contains(&name)) {
                    let known = known.iter().map(|name| format!("{{{name}}}"));
                    let known = known.collect::<Vec<_>>().join(", ");
                    let more = match key {
                        "generate" => " or {param:NAME}",
                        _ => "",
                    };
                    let message = format!(
                        "unknown placeholder `{{{name}}}` in `{key}`; expected {known}{more}"
                    );
                    return Err((format!("{{{name}}}"), message));
                }
            }
        }
        Ok(())
    }

    /// Refuses contradictory keys. The error is a word to look for in the file, and what was expected.
    pub(super) fn check(&self) -> Result<(), (String, String)> {
        let refuse = |word: &str, message: String| Err((word.to_owned(), message));
        self.check_placeholders()?;
        if self.lacks_feedback() {
            let message = "`referee` has placeholders, but no {feedback}; expected none: an output validator gets instance, judge's answer and feedback folder after its words";
            return refuse("verdict", message.to_owned());
        }
        if !self.tester.is_empty() && !self.tester.iter().any(|word| word == "{command}") {
            let message = "`tester` does not start the solver; expected the word {command}";
            return refuse("tester", message.to_owned());
        }
        if !(self.tester.is_empty() || self.referee.is_empty()) {
            let message = "`tester` and `referee` both judge; expected one of them";
            return refuse("tester", message.to_owned());
        }
        let mut features = self
            .features
            .iter()
            .map(String::as_str)
            .chain(self.named_in_line());
        if let Some(name) = &self.cluster
            && !features.any(|it| it == name)
        {
            let message =
                format!("`cluster` is `{name}`; expected one of `features` or of `first_line`");
            return refuse("cluster", message);
        }
        match &self.score {
            Some(pattern) if pattern.matches(SCORE).count() != 1 => {
                let message = format!("`score` is `{pattern}`; expected one {SCORE} in it");
                return refuse("score", message);
            }
            None if self.is_unchecked() || !self.tester.is_empty() => {
                let message = "nothing gives a score; expected `referee`, or the pattern `score` of a printed line such as \"Score = {score}\"";
                return refuse("[problem]", message.to_owned());
            }
            None if self.score_from.is_some() => {
                let message = "`score_from` says where the pattern `score` is looked for; expected the key `score`";
                return refuse("score_from", message.to_owned());
            }
            _ => {}
        }
        if self.least.is_some_and(|least| !least.is_finite()) {
            let message = "`least` is no number; expected the smallest score of a legal answer";
            return refuse("least", message.to_owned());
        }
        if self.decimals > MOST_DECIMALS {
            let decimals = self.decimals;
            let message = format!("`decimals` is {decimals}; expected at most {MOST_DECIMALS}");
            return refuse("decimals", message);
        }
        let named = self.measures.iter().chain(&self.features);
        let mut names = named.map(String::as_str).chain(self.named_in_line());
        if let Some(name) = names.find(|name| !is_word(name)) {
            let message = format!("the name `{name}`: expected lower case letters, digits and `_`");
            return refuse(name, message);
        }
        if self.generate.is_empty() && !self.features.is_empty() {
            let message = "the generator prints `features`; expected the key `generate`";
            return refuse("features", message.to_owned());
        }
        let features = self.features.iter().map(String::as_str);
        let mut features = features.chain(self.named_in_line());
        if let Some(name) = features.find(|name| self.parameters().contains(name)) {
            let message =
                format!("`{name}` is a parameter of the generator too; expected another name");
            return refuse("features", message);
        }
        Ok(())
    }

    /// The words of a command with each placeholder replaced by its `value`.
    pub fn filled(words: &[String], value: impl Fn(&str) -> String) -> Vec<String> {
        words.iter().map(|word| filled(word, &value)).collect()
    }

    /// The words of the tester, with those of the solver's `command`.
    pub fn started_by_tester(&self, command: &[String]) -> Vec<String> {
        let words = self.tester.iter().map(|word| match word.as_str() {
            "{command}" => command,
            _ => std::slice::from_ref(word),
        });
        words.flatten().cloned().collect()
    }

    /// The name of the parameter in a placeholder of the generator.
    pub fn parameter(placeholder: &str) -> Option<&str> {
        placeholder.strip_prefix(PARAMETER)
    }
}

#[cfg(test)]
mod tests {
    use crate::Experiment;

    const GOOD: &str = "name = 'knapsack'\ntitle = 't'\nvariants = [{ name = 'a', command = ['./a'] }]\n\
        [problem]\ndirection = 'maximize'\ngenerate = ['make', '{seed}', '-n{param:items}']\nreferee = ['judge', '{instance}', '{answer}']\n\
        [[instances]]\nseeds = { from = 1, to = 3 }\nset = { items = [5, 6] }\n";

    #[test]
    fn a_problem_of_commands_is_read_and_written() {
        let experiment = Experiment::read("k.toml", GOOD).expect("it reads");
        let problem = experiment.problem.commands().expect("commands");
        assert_eq!(experiment.problem.name(), "knapsack");
        assert_eq!(problem.parameters(), ["items"]);
        assert_eq!(
            experiment.instances[0].generator.as_deref(),
            Some("knapsack.generate")
        );
        let again = Experiment::read("k.toml", &experiment.text().expect("TOML"));
        assert_eq!(again.expect("it reads back"), experiment);
    }

    #[test]
    fn variants_of_the_full_scale_are_completed_too() {
        let full = "[full]\nvariants = [{ name = 'b', command = ['./b'] }]\n";
        let read = |text: &str| Experiment::read("k.toml", text);
        let experiment = read(&(GOOD.to_owned() + full)).expect("it reads");
        let completed = GOOD.replace("'a', command = ['./a']", "'b', command = ['./b']");
        let alone = read(&completed).expect("it reads");
        assert_eq!(experiment.at_full_scale().variants, alone.variants);
        let names = GOOD.to_owned() + "[full]\nvariants = ['b']\n";
        let error = read(&names).expect_err("no command").to_string();
        assert!(error.contains("`b` has no command"), "{error}");
    }

    #[test]
    fn mistakes_name_the_line_and_what_was_expected() {
        for (from, to, line, expected) in [
            ("{seed}", "{sed}", 6, "unknown placeholder `{sed}`"),
            (
                "{answer}",
                "{param:x}",
                7,
                "expected {instance}, {answer}, {feedback}",
            ),
            (
                "referee =",
                "verdict = 'kattis'\nreferee =",
                7,
                "an output validator gets instance, judge's answer and feedback folder after its words",
            ),
            ("maximize", "biggest", 5, "unknown value `biggest`"),
            ("referee = [", "refree = [", 7, "unknown key `refree`"),
            (
                "referee =",
                "decimals = 20\nreferee =",
                7,
                "expected at most 9",
            ),
            (
                "referee = ['judge', '{instance}', '{answer}']\n",
                "",
                4,
                "nothing gives a score",
            ),
            (
                "referee =",
                "measures = ['A b']\nreferee =",
                7,
                "expected lower case letters",
            ),
            (
                "referee =",
                "score = 'Score'\nreferee =",
                7,
                "expected one {score}",
            ),
            (
                "generate = ['make', '{seed}', '-n{param:items}']\n",
                "",
                4,
                "`generate` is missing",
            ),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD);
            let error = Experiment::read("k.toml", &text).expect_err(to).to_string();
            assert!(error.contains(&format!("k.toml:{line}")), "{to}: {error}");
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
