//! Figures printed in the articles, each with its place there and the rows that give our value.

use std::collections::{BTreeMap, BTreeSet};

use ikeru_core::Value;
use serde::{Deserialize, Serialize};

use crate::DataError;
use crate::experiment::{check_name, median, time_ns};
use crate::matrix::Values;

/// The published figures of one source: one file of `published/`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSource {
    /// The source's short name.
    pub source: String,
    /// Author or title, and year, for the page.
    pub reference: String,
    /// The address of the source or of its author's program.
    pub link: Option<String>,
    /// Its chapter on the page.
    pub story: Option<Story>,
    /// The rules that its text leaves open.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// What the readings of its rules say together.
    #[serde(default)]
    pub together: String,
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// A rule that the text of a source leaves open, and its readings.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The rule, in our words.
    pub rule: String,
    /// The setting or parameter that is its reading.
    pub setting: String,
    /// The place in the source.
    pub place: String,
    /// The sentence that leaves it open, with a translation; or that there is none.
    pub text: String,
    /// The choice that the sentence leaves open.
    pub open: String,
    /// The readings that the text allows.
    pub readings: Vec<Value>,
    /// Readings that another sentence excludes.
    #[serde(default)]
    pub excluded: Vec<ExcludedReading>,
}

/// A reading that the text excludes.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExcludedReading {
    /// The reading.
    pub reading: Value,
    /// The sentence that excludes it.
    pub by: String,
}

/// A chapter of the page's first screen: a question, the source's claim, and the reason for the result.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// The position among the sources, from 1; without it after those that have one.
    #[serde(default = "last")]
    pub order: u32,
    /// The game or the subject, in a few words.
    pub about: String,
    /// The source's question in everyday words.
    pub question: String,
    /// The picture next to the question.
    pub picture: Option<PictureOf>,
    /// The identifier of the source's main figure.
    pub figure: String,
    /// Its claim in everyday words.
    pub quote: String,
    /// The reason for the result.
    pub why: String,
    /// The gain by a better algorithm.
    pub gain: Option<Headline>,
    /// The speed of its method, and of the fastest variant.
    pub speed: Option<SpeedOfSource>,
    /// Two searches that the page shows side by side.
    pub side_by_side: Option<SideBySide>,
    /// Its experiments in the order of the page; others follow.
    #[serde(default)]
    pub experiments: Vec<String>,
    /// Words of its subject for the glossary, each with its meaning.
    #[serde(default)]
    pub words: Vec<[String; 2]>,
}

fn last() -> u32 {
    u32::MAX
}

/// The times of one question by the source's method and by the fastest variant, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedOfSource {
    /// The question in a few words.
    pub question: String,
    /// The experiment that measures both.
    pub experiment: String,
    /// The column.
    #[serde(default = "time_ns")]
    pub column: String,
    /// The rows of the source's method.
    pub from: Filter,
    /// The rows of the fastest variant.
    pub to: Filter,
}

/// Two variants that search one instance, and the counters that are shown.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SideBySide {
    /// The experiment whose section shows it; without it, it stands in front of all.
    pub experiment: Option<String>,
    /// A sentence about the search.
    pub title: String,
    /// The generator of the instance.
    pub generator: String,
    /// Its seed.
    pub seed: u64,
    /// Its parameters.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// Settings of the question.
    #[serde(default)]
    pub settings: BTreeMap<String, Value>,
    /// The setting that grows from one step to the next; without it the steps are those of one search.
    pub along: Option<String>,
    /// The two variants, each as variant, counter, and the counter's unit in a few words.
    pub variants: [[String; 3]; 2],
    /// The settings of each of the two variants.
    #[serde(default)]
    pub methods: [BTreeMap<String, Value>; 2],
}

/// The picture of a run that is shown on a card.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PictureOf {
    /// The experiment.
    pub experiment: String,
    /// The index of the frame, from 0; the last frame if there are fewer.
    #[serde(default)]
    pub frame: usize,
}

/// One measured number with its sentence.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Headline {
    /// The text after the number, as in `times faster than the article's program`.
    pub says: String,
    /// The number's unit.
    #[serde(default)]
    pub unit: String,
    /// The rows that give the number.
    pub ours: Ours,
}

/// One published figure.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// `source/what`, unique.
    pub id: String,
    /// The place in the source: section, table, figure.
    pub place: String,
    /// The claim, in our words.
    pub claim: String,
    /// The fact that it states, `source/what`, if other figures state it too; by default its own identifier.
    fact: Option<String>,
    /// What our value says of the subject if it is below the band, and if it is above: `gains more than printed`.
    pub directions: Option<[String; 2]>,
    /// The value, if the claim is a number.
    pub value: Option<f64>,
    /// The source's wording, if it differs from the digits of the value: `8.80`, `nearly 100`. Empty if the source
    /// prints neither a number nor a word for it.
    pub printed: Option<String>,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// The rows that give our value; without them the claim is answered in `reason` alone.
    pub ours: Option<Ours>,
    /// The kind of claim.
    #[serde(default)]
    pub claims: Claims,
    /// The relative distance from the value within which a figure agrees; by default 0.1, and 0 for the claims
    /// `exact` and `for-all`.
    pub tolerance: Option<f64>,
    /// The two ends between which a figure agrees, if the source's words give a range: `[0.1, 0.8]`.
    pub band: Option<[f64; 2]>,
    /// The correct value, if the source is wrong: an erratum that our rows must confirm.
    pub corrected: Option<f64>,
    /// The choice that was adjusted until the figure agreed: agreement is then no reproduction.
    pub calibrated: Option<String>,
    /// A verdict that our measurement cannot change.
    pub verdict: Option<FixedVerdict>,
    /// The cause of a difference that was found: what was changed in whose program, and the result. It stands beside the
    /// verdict, which it does not change.
    pub explained: Option<String>,
    /// True if the source prints the value for another program or another game than ours: plots do not draw it.
    #[serde(default)]
    pub is_of_another: bool,
    /// A remark for every verdict.
    #[serde(default)]
    pub reason: String,
}

/// The form of a claim: the statement about a value, which determines the evidence that decides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claims {
    /// The value is in the band around this one.
    #[default]
    Equal,
    /// The source's own input was computed: nothing is sampled, and every row must agree.
    Exact,
    /// The value is at most this one: `within 0.1 s`.
    AtMost,
    /// The value is at least this one: `slower than` is a ratio of at least 1.
    AtLeast,
    /// Some row has at least this value: one refereed row is the witness.
    Exists,
    /// Every row that was tried has this value: one other row refutes it.
    ForAll,
    /// Several selections of rows, each at least as large as the one before: [`FigureKind::Order`].
    Order,
    /// An order of growth, as O(n²), which is an upper bound: the fitted rate is at most this one, within the tolerance.
    Growth,
}

impl Figure {
    /// The inclusive ends of the band that must contain our figure; `None` without a value. For an erratum the band is
    /// around the correct value, unless the figure gives a band.
    pub fn band(&self) -> Option<[f64; 2]> {
        // The ratio of neighbours in an order is at least 1.
        let neighbours = (self.claims == Claims::Order).then_some(1.0);
        let value = self.corrected.or(self.value).or(neighbours)?;
        let tolerance = match self.claims {
            Claims::Exact | Claims::ForAll => 0.0,
            _ => DEFAULT_TOLERANCE,
        };
        let rounding = 1e-9 * value.abs();
        let reach = value.abs() * self.tolerance.unwrap_or(tolerance) + rounding;
        Some(match (self.band, self.corrected, self.claims) {
            (Some(band), ..) => band,
            (None, Some(_), _) => [value - rounding, value + rounding],
            (None, None, Claims::AtMost) => [f64::NEG_INFINITY, value + rounding],
            (None, None, Claims::Growth) => [f64::NEG_INFINITY, value + reach],
            (None, None, Claims::AtLeast | Claims::Exists | Claims::Order) => {
                [value - rounding, f64::INFINITY]
            }
            (None, None, Claims::Equal | Claims::Exact | Claims::ForAll) => {
                [value - reach, value + reach]
            }
        })
    }

    /// The expected content, if no band can be computed from a number, or if our value does not suit the form of the claim;
    /// `None` if all is right.
    fn expected(&self) -> Option<&'static str> {
        let ours = self.ours.as_ref();
        let [low, high] = self.band.unwrap_or([0.0; 2]);
        let mut numbers = [low, high]
            .into_iter()
            .chain(self.value)
            .chain(self.corrected);
        let (tolerance, divisor) = (self.tolerance, ours.and_then(|ours| ours.divide_by));
        Some(match (self.claims, ours.map(|ours| &ours.is)) {
            _ if numbers.any(f64::is_nan) => "`value`, `corrected` and `band` as numbers",
            _ if self.value.is_some_and(f64::is_infinite) => "a finite `value`",
            _ if low > high => "a `band` whose first end is the lower one",
            _ if !tolerance.is_none_or(|tolerance| tolerance >= 0.0 && tolerance.is_finite()) => {
                "a `tolerance` of 0 or more"
            }
            _ if !divisor.is_none_or(|divisor| divisor > 0.0 && divisor.is_finite()) => {
                "a `divide_by` above 0"
            }
            (_, Some(FigureKind::ConsoleRatio(both))) if both.len() != 2 => {
                "`is.console_ratio` with two consoles"
            }
            (Claims::Order, Some(FigureKind::Order(order))) if order.len() > 1 => return None,
            (Claims::Order, Some(_)) => {
                "`is.order` with two or more selections, because the claim is an order"
            }
            (_, Some(FigureKind::Order(_))) => "claims = \"order\", because `is.order` is given",
            (Claims::Growth, Some(kind)) if !matches!(kind, FigureKind::Rate { .. }) => {
                "`is.rate`, because the claim is a growth"
            }
            (_, Some(_)) if self.verdict.is_none() && self.band().is_none() => {
                "a `value` or a `band` to compare with"
            }
            _ => return None,
        })
    }

    /// The fact that the figure states: figures of one fact count once.
    pub fn fact(&self) -> &str {
        self.fact.as_deref().unwrap_or(&self.id)
    }

    /// The value as the source prints it; empty without one.
    pub fn as_printed(&self) -> String {
        let value = self.value.map(|value| value.to_string());
        self.printed.clone().or(value).unwrap_or_default()
    }
}

/// The default relative distance within which a figure agrees.
const DEFAULT_TOLERANCE: f64 = 0.1;

/// Rows whose columns have these values, or one of several.
pub type Filter = BTreeMap<String, Values>;

/// The source of our value: the rows of an experiment, and what is computed from them.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ours {
    /// The experiment that measures it.
    pub experiment: String,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where")]
    pub only: Filter,
    /// The column.
    #[serde(default = "time_ns")]
    pub column: String,
    /// The divisor that converts our value to the published unit (1e6 for ms).
    pub divide_by: Option<f64>,
    /// The kind of our value; the median without this key.
    #[serde(default = "FigureKind::median")]
    pub is: FigureKind,
}

/// The kinds of our value.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FigureKind {
    /// `median`, `mean`, `minimum`, `maximum`, `sum`, `solved` (share), `over:30` (share above).
    Statistic(String),
    /// The mean of the points of matches, as a difference in Elo rating.
    Elo,
    /// The values divided by those of these rows, question by question: the geometric mean over the instances. If
    /// only the instances are equal, their means are divided; if none is equal, our value is the median of all
    /// quotients.
    RatioTo(Filter),
    /// The values less those of these rows, instance by instance: the mean difference.
    DifferenceTo(Filter),
    /// A sum of two parts, if the source's value is one.
    Sum {
        /// The rows of the other part.
        with: Filter,
        /// The statistic of either part.
        #[serde(default = "median")]
        statistic: String,
    },
    /// Selections of the rows in the claimed order, the smallest first: the ratio of the two neighbours that support the
    /// order least, question by question.
    Order(Vec<Filter>),
    /// The fitted rate of growth, averaged over the instances.
    Rate {
        /// The column along which the values grow.
        along: String,
        /// The law that is fitted.
        #[serde(default)]
        law: Growth,
        /// Subtracts the rate of these rows, instance by instance.
        minus: Option<Filter>,
    },
    /// The modelled nanoseconds of one answer on a console, of the slowest instance. The interval is the model's band.
    Console(String),
    /// The modelled time on the first of two consoles divided by that on the second.
    ConsoleRatio(Vec<String>),
    /// The modelled time on a console divided by the median time of the same rows on the machine of the run.
    ConsoleToHere(String),
}

impl FigureKind {
    /// The rows with which those of the figure are compared, or to which they are added.
    pub fn other(&self) -> Option<&Filter> {
        match self {
            Self::RatioTo(other) | Self::DifferenceTo(other) => Some(other),
            Self::Sum { with, .. } => Some(with),
            Self::Rate { minus, .. } => minus.as_ref(),
            _ => None,
        }
    }

    /// Returns whether our value is a mean difference of two selections.
    pub fn is_difference(&self) -> bool {
        matches!(self, Self::DifferenceTo(_))
    }

    fn median() -> Self {
        Self::Statistic(median())
    }
}

impl Ours {
    /// The selections of rows that contribute to the value.
    pub fn filters(&self) -> Vec<Filter> {
        let within = |order: &Filter| self.only.clone().into_iter().chain(order.clone()).collect();
        let both = [&self.only].into_iter().chain(self.is.other()).cloned();
        match &self.is {
            FigureKind::Order(order) => order.iter().map(within).collect(),
            _ => both.collect(),
        }
    }
}

/// A rate of growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// b of y = a·xᵇ
    #[default]
    Power,
    /// b of y = a·bˣ
    Exponential,
}

/// A verdict that no measurement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixedVerdict {
    /// The source contradicts itself in words, which no row can measure; `reason` shows the contradiction.
    Erratum,
    /// Arithmetic of the source, which was checked and is right: it needs no row, and a test computes it again.
    Checked,
    /// Another machine, another input, or an experiment that cannot be rerun; `reason` says which.
    NotComparable,
}

impl PublishedSource {
    /// The source's word, with which the identifiers of its figures begin.
    pub fn word(&self) -> &str {
        let first = self.figures.first();
        first.map_or("", |figure| figure.id.split('/').next().unwrap_or(""))
    }

    /// Reads one file; `file` is its name in errors.
    ///
    /// # Errors
    /// Names the file, the line and the expected content.
    pub fn read(file: &str, text: &str) -> Result<Self, DataError> {
        let source: Self = toml::from_str(text).map_err(|error| {
            let mut error = DataError::from_toml(file, text, &error);
            if let Some(id) = error.line.and_then(|line| id_at(text, line)) {
                error.message = format!("{id}: {}", error.message);
            }
            error
        })?;
        source.check(file, text)?;
        Ok(source)
    }

    /// Refuses a word that is no name of a page, a repeated identifier, and figures that cannot be judged.
    ///
    /// # Errors
    /// Names the file, the line and the expected content.
    pub(crate) fn check(&self, file: &str, text: &str) -> Result<(), DataError> {
        let word = self.word();
        check_name(word).map_err(|message| DataError::new(file, message).at(word, text))?;
        let mut known = BTreeSet::new();
        for figure in &self.figures {
            let id = &figure.id;
            let message = match figure.expected() {
                Some(expected) => format!("{id}: expected {expected}"),
                None if !known.insert(id) => {
                    format!("the figure `{id}` stands twice; expected another id")
                }
                None => continue,
            };
            return Err(DataError::new(file, message).at(id, text));
        }
        Ok(())
    }
}

/// The identifier of the figure to which a line belongs, counted from 1.
fn id_at(text: &str, line: usize) -> Option<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_head = |line: &&str| line.starts_with('[') && !line.starts_with("[figures.");
    let begin = lines.iter().take(line).rposition(is_head)?;
    let own = lines[begin + 1..].iter().take_while(|line| !is_head(line));
    let mut ids = own.filter_map(|line| line.strip_prefix("id")?.trim_start().strip_prefix('='));
    let id = ids
        .next()
        .filter(|_| lines[begin].starts_with("[[figures]]"))?;
    id.split(['\'', '"']).nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_a_band_are_refused() {
        let read = |more: &str| {
            let text = format!(
                "source = 's'\nreference = 'r'\n[[figures]]\nid = 's/a'\nplace = 'p'\nclaim = 'c'\n{more}\n\
                 ours = {{ experiment = 'e', column = 'wall_ns' }}\n"
            );
            PublishedSource::read("own.toml", &text).map_err(|error| error.to_string())
        };
        assert!(read("value = 2").is_ok(), "{:?}", read("value = 2"));
        for (more, expected) in [
            ("", "a `value` or a `band` to compare with"),
            ("value = nan", "`value`, `corrected` and `band` as numbers"),
            ("value = 2\nband = [nan, 3.0]", "as numbers"),
            ("value = 2\nband = [3.0, 1.0]", "first end is the lower one"),
            ("value = 2\ntolerance = -1.0", "a `tolerance` of 0 or more"),
            (
                "value = 1\n[figures.ours]\nexperiment = 'e'\ndivide_by = 0\n[[figures]]\nid = 's/b'\nplace = 'p'\nclaim = 'c'",
                "a `divide_by` above 0",
            ),
        ] {
            let told = read(more).expect_err(more);
            assert!(
                told.contains(expected) && told.contains("own.toml:"),
                "{told}"
            );
        }
    }

    #[test]
    fn an_error_names_the_figure_of_its_line() {
        let text = "[story]\n[[figures]]\nplace = 'p'\n  id = 's/one' # mine\n[figures.ours]\nis = 3\n\n[[figures]]\nclaim = 'c'\n\
            [[figures]]\nid='s/two'\n";
        let ids = [1, 2, 3, 6, 7, 8, 9, 10, 11].map(|line| id_at(text, line));
        let [one, two] = [Some("s/one"), Some("s/two")];
        assert_eq!(ids, [None, one, one, one, one, None, None, two, two]);
    }

    #[test]
    fn our_value_is_one_thing() {
        let read = |ours: &str| {
            let text = format!(
                "source = 's'\nreference = 'r'\n\n[[figures]]\nid = 's/one'\nplace = 'p'\nclaim = 'c'\nvalue = 1\n\
                ours = {{ experiment = 'e', {ours} }}\n"
            );
            let source = PublishedSource::read("s.toml", &text);
            source.map(|source| source.figures[0].ours.clone().expect("ours").is)
        };
        let other: Filter = toml::from_str("label = 'a'").expect("a filter");
        let sum = |statistic: &str| FigureKind::Sum {
            with: other.clone(),
            statistic: statistic.to_owned(),
        };
        let rate = |law, minus| FigureKind::Rate {
            along: "size".to_owned(),
            law,
            minus,
        };
        for (ours, is) in [
            ("", FigureKind::median()),
            ("is = 'elo'", FigureKind::Elo),
            (
                "is.ratio_to = { label = 'a' }",
                FigureKind::RatioTo(other.clone()),
            ),
            (
                "is.difference_to = { label = 'a' }",
                FigureKind::DifferenceTo(other.clone()),
            ),
            ("is.sum = { with = { label = 'a' } }", sum("median")),
            (
                "is.sum = { with = { label = 'a' }, statistic = 'sum' }",
                sum("sum"),
            ),
            ("is.rate = { along = 'size' }", rate(Growth::Power, None)),
            (
                "is.rate = { along = 'size', law = 'exponential', minus = { label = 'a' } }",
                rate(Growth::Exponential, Some(other.clone())),
            ),
            (
                "is.console_ratio = ['DS', 'PS2']",
                FigureKind::ConsoleRatio(["DS", "PS2"].map(str::to_owned).to_vec()),
            ),
        ] {
            assert_eq!(read(ours), Ok(is), "{ours}");
        }
        let kinds = "expected one of `statistic`, `elo`, `ratio_to`, `difference_to`, `sum`, `order`, `rate`, \
            `console`, `console_ratio`, `console_to_here`";
        for (ours, expected) in [
            (
                "relative_to = { label = 'a' }",
                "unknown key `relative_to`, expected one of `experiment`, `where`, `column`, `divide_by`, `is`",
            ),
            ("wher = { label = 'a' }", "did you mean `where`?"),
            (
                "is.ratio = { label = 'a' }",
                &format!("unknown value `ratio`, {kinds}"),
            ),
            ("is = 'median'", &format!("unknown value `median`, {kinds}")),
            (
                "is = 'rate'",
                "found a word alone, expected a key with its value",
            ),
            ("is = {}", "expected one key, found 0 elements"),
            (
                "is.statistic = 'sum', is.elo = {}",
                "expected one key, more than 1 element",
            ),
            (
                "is.statistic = 3",
                "found the number `3`, expected a string",
            ),
            ("is.sum = { statistic = 'sum' }", "missing key `with`"),
            (
                "is.rate = { minus = { label = 'a' } }",
                "missing key `along`",
            ),
            (
                "is.rate = { along = 'size', growth = 'power' }",
                "unknown key growth, available keys: along, law, minus",
            ),
            (
                "is.rate = { along = 'size', law = 'linear' }",
                "expected `power` or `exponential`",
            ),
        ] {
            let error = read(ours).expect_err(ours).to_string();
            assert!(
                error.starts_with("s.toml:9: s/one: ") && error.contains(expected),
                "{error}"
            );
        }
        for ours in ["['DS']", "['DS', 'PS2', 'GBA']"] {
            let error = read(&format!("is.console_ratio = {ours}")).expect_err(ours);
            let error = error.to_string();
            assert!(
                error.ends_with("expected `is.console_ratio` with two consoles"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_form_needs_its_rows() {
        let read = |claims: &str, ours: &str| {
            let text = format!(
                "source = \"S\"\nreference = \"R\"\n\n[[figures]]\nid = \"s/one\"\nplace = \"p\"\nclaim = \"c\"\nvalue = 2\n\
                claims = \"{claims}\"\nours = {{ experiment = \"e\"{ours} }}\n"
            );
            PublishedSource::read("s.toml", &text).map_err(|error| error.to_string())
        };
        let two = ", is.order = [{ label = \"a\" }, { label = \"b\" }]";
        for (claims, ours, expected) in [
            ("order", "", "`is.order` with two or more"),
            (
                "order",
                ", is.order = [{ label = \"a\" }]",
                "`is.order` with two or more",
            ),
            ("equal", two, "claims = \"order\""),
            ("growth", "", "`is.rate`"),
        ] {
            let error = read(claims, ours).expect_err(claims);
            assert!(error.starts_with("s.toml:5: s/one: expected"), "{error}");
            assert!(error.contains(expected), "{error}");
        }
        let band = |claims: &str, ours: &str| {
            let source = read(claims, ours).expect(claims);
            source.figures[0].band().expect("a band")
        };
        let [low, high] = band("growth", ", is.rate = { along = \"size\" }");
        assert!(low.is_infinite() && (high - 2.2).abs() < 1e-6, "{high}");
        assert!(band("order", two)[1].is_infinite());
        for claims in ["exact", "for-all"] {
            let [low, high] = band(claims, "");
            assert!(low < 2.0 && high > 2.0 && high - low < 1e-8, "{claims}");
        }
    }
}
