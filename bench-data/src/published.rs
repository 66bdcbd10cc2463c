//! Figures printed in the articles, each with its place there and the rows that give our value.

use std::collections::BTreeMap;

use ikeru_core::Value;
use serde::Deserialize;

use crate::DataError;
use crate::experiment::{median, time_ns};
use crate::matrix::Values;

/// The published figures of one source: one file of `published/`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// A chapter of the page's first screen: a question, the source's claim, and the reason for the result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// The position among the sources, from 1.
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
}

/// The times of one question by the source's method and by the fastest variant, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedOfSource {
    /// The question in a few words.
    pub question: String,
    /// The rows of the source's method.
    pub from: Ours,
    /// The rows of the fastest variant.
    pub to: Ours,
}

/// Two variants that search one instance, and the counters that are shown.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideBySide {
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
}

/// The picture of a run that is shown on a card.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureOf {
    /// The experiment.
    pub experiment: String,
    /// The index of the frame, from 0; the last frame if there are fewer.
    #[serde(default)]
    pub frame: usize,
}

/// One measured number with its sentence.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// `source/what`, unique.
    pub id: String,
    /// The place in the source: section, table, figure.
    pub place: String,
    /// The claim, in our words.
    pub claim: String,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
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
    /// Several selections of rows, each at least as large as the one before: [`Ours::order`].
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

    /// What is expected in place of a number from which no band can be computed; `None` if all numbers are right.
    fn wrong_number(&self) -> Option<&'static str> {
        let is_number = |number: Option<f64>| number.is_none_or(|number| !number.is_nan());
        let [low, high] = self.band.unwrap_or([0.0; 2]);
        if !is_number(self.value) || !is_number(self.corrected) || low.is_nan() || high.is_nan() {
            return Some("`value`, `corrected` and `band` as numbers");
        }
        if !self.tolerance.is_none_or(|tolerance| tolerance >= 0.0) {
            return Some("a `tolerance` of 0 or more");
        }
        let divisor = self.ours.as_ref().and_then(|ours| ours.divide_by);
        if !divisor.is_none_or(|divisor| divisor > 0.0 && divisor.is_finite()) {
            return Some("a `divide_by` above 0");
        }
        (low > high).then_some("a `band` whose first end is the lower one")
    }

    /// The key that the form of the claim needs and the figure lacks, or the reverse.
    fn lacks(&self) -> Option<&'static str> {
        let ours = self.ours.as_ref()?;
        let is_order = self.claims == Claims::Order;
        match self.claims {
            Claims::Order if ours.order.len() < 2 => {
                Some("`order` with two or more selections, because the claim is an order")
            }
            _ if !is_order && !ours.order.is_empty() => {
                Some("claims = \"order\", because `order` is given")
            }
            Claims::Growth if ours.along.is_none() => {
                Some("`along`, because the claim is a growth")
            }
            _ if ours.form == FigureForm::Elo && ours.statistic != "mean" => {
                Some("statistic = \"mean\", because an Elo rating is of the mean of points")
            }
            _ if self.verdict.is_none() && self.band().is_none() && !is_order => {
                Some("a `value` or a `band` to compare with")
            }
            _ => None,
        }
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

/// The source of our value: one statistic over rows, a ratio of two selections, or a rate of growth.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// `median`, `mean`, `minimum`, `maximum`, `sum`, `solved` (share), `over:30` (share above).
    #[serde(default = "median")]
    pub statistic: String,
    /// The divisor that converts the statistic to the published unit (1e6 for ms).
    pub divide_by: Option<f64>,
    /// Divides the values by those of these rows, question by question: the geometric mean over the instances. If
    /// only the instances are equal, their means are divided; if none is equal, our value is the median of all
    /// quotients.
    pub relative_to: Option<Filter>,
    /// Adds the same statistic of these rows, if the source's value is a sum of two parts.
    pub plus: Option<Filter>,
    /// Subtracts the values of these rows, or their fitted rate, instance by instance; our value is the mean difference.
    pub minus: Option<Filter>,
    /// Selections of these rows in the claimed order, the smallest first. Our value is the ratio of the two
    /// neighbours that support the order least, question by question.
    #[serde(default)]
    pub order: Vec<Filter>,
    /// The column along which the values grow; our value is the fitted rate, averaged over the instances.
    pub along: Option<String>,
    /// The law that is fitted.
    #[serde(default)]
    pub growth: Growth,
    /// A console, instead of a column: our value is the modelled nanoseconds of one answer, of the slowest instance.
    /// The interval is the model's band.
    pub console: Option<String>,
    /// A console by whose modelled time of the same rows the time is divided. `relative_to` divides it by the median
    /// time of its rows on the machine of the run.
    pub relative_to_console: Option<String>,
    /// The form in which the source prints the statistic.
    #[serde(default, rename = "as")]
    pub form: FigureForm,
}

impl Ours {
    /// The selections of rows that contribute to the value.
    pub fn filters(&self) -> Vec<Filter> {
        let within = |order: &Filter| {
            let both = self.only.iter().chain(order);
            let both = both.map(|(column, values)| (column.clone(), values.clone()));
            both.collect()
        };
        if !self.order.is_empty() {
            return self.order.iter().map(within).collect();
        }
        let others = [&self.relative_to, &self.plus, &self.minus];
        let others = others.into_iter().flatten();
        [&self.only].into_iter().chain(others).cloned().collect()
    }

    /// Two given keys that exclude each other.
    fn contradiction(&self) -> Option<[&'static str; 2]> {
        let ways = [
            ("statistic", self.statistic != median()),
            ("relative_to", self.relative_to.is_some()),
            ("plus", self.plus.is_some()),
            ("minus", self.minus.is_some()),
            ("order", !self.order.is_empty()),
            ("along", self.along.is_some()),
            ("console", self.console.is_some()),
        ];
        let asked = ways.into_iter().filter(|(_, asked)| *asked);
        match asked.map(|(way, _)| way).collect::<Vec<_>>()[..] {
            [] | [_] | ["minus", "along"] | ["relative_to", "console"] | ["statistic", "plus"] => {
                None
            }
            [one, other, ..] => Some([one, other]),
        }
    }
}

/// A rate of growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// b of y = a·xᵇ
    #[default]
    Power,
    /// b of y = a·bˣ
    Exponential,
}

/// A form in which a source prints a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureForm {
    /// The statistic itself.
    #[default]
    Plain,
    /// A share of wins as a difference in Elo rating.
    Elo,
}

/// A verdict that no measurement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
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
        let source: Self =
            toml::from_str(text).map_err(|error| DataError::from_toml(file, text, &error))?;
        let wrong = |figure: &Figure, what: String| {
            let message = format!("{}: {what}", figure.id);
            DataError::new(file, message).at(&figure.id, text)
        };
        for figure in &source.figures {
            if let Some([one, other]) = figure.ours.as_ref().and_then(Ours::contradiction) {
                return Err(wrong(
                    figure,
                    format!("`{one}` and `{other}` exclude each other"),
                ));
            }
            if let Some(expected) = figure.lacks().or_else(|| figure.wrong_number()) {
                return Err(wrong(figure, format!("expected {expected}")));
            }
        }
        Ok(source)
    }
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
    fn one_way_to_our_value_is_enough() {
        let text = |way: &str| {
            format!(
                "source = \"S\"\nreference = \"R\"\n\n[[figures]]\nid = \"s/one\"\nplace = \"p\"\nclaim = \"c\"\n\
                value = 1\nours = {{ experiment = \"e\", plus = {{ label = \"a\" }}{way} }}\n"
            )
        };
        PublishedSource::read("s.toml", &text("")).expect("a sum alone");
        let error = PublishedSource::read("s.toml", &text(", along = \"size\""));
        assert_eq!(
            error.expect_err("a sum and a rate").to_string(),
            "s.toml:5: s/one: `plus` and `along` exclude each other"
        );
        let of_statistic = |way| text(way).replace("plus", "statistic = \"sum\", plus");
        PublishedSource::read("s.toml", &of_statistic("")).expect("a sum of sums");
        // A ratio is always of medians.
        let ratio = of_statistic("").replace("plus", "relative_to");
        let error = PublishedSource::read("s.toml", &ratio).expect_err("a ratio of sums");
        let words = "`statistic` and `relative_to` exclude each other";
        assert!(error.to_string().ends_with(words), "{error}");
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
        let two = ", order = [{ label = \"a\" }, { label = \"b\" }]";
        for (claims, ours, expected) in [
            ("order", "", "`order` with two or more"),
            (
                "order",
                ", order = [{ label = \"a\" }]",
                "`order` with two or more",
            ),
            ("equal", two, "claims = \"order\""),
            ("growth", "", "`along`"),
            ("equal", ", as = \"elo\"", "statistic = \"mean\""),
        ] {
            let error = read(claims, ours).expect_err(claims);
            assert!(error.starts_with("s.toml:5: s/one: expected"), "{error}");
            assert!(error.contains(expected), "{error}");
        }
        let band = |claims: &str, ours: &str| {
            let source = read(claims, ours).expect(claims);
            source.figures[0].band().expect("a band")
        };
        let [low, high] = band("growth", ", along = \"size\"");
        assert!(low.is_infinite() && (high - 2.2).abs() < 1e-6, "{high}");
        assert!(band("order", two)[1].is_infinite());
        for claims in ["exact", "for-all"] {
            let [low, high] = band(claims, "");
            assert!(low < 2.0 && high > 2.0 && high - low < 1e-8, "{claims}");
        }
    }
}
