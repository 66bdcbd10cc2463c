//! A figure with our measurement and its verdict, and what is said of them.

use ikeru_bench_data::published::{Claims, FixedVerdict};
use ikeru_bench_data::{Experiment, Figure, PublishedSource};
use ikeru_records::units;
use ikeru_statistics::{Bound, Interval};

use crate::evidence::Lacking;

use super::{HARDLY, Measured, Readings, Verdict, chance_against, only_end};
use crate::printed_unit::{limit, range};

/// What was measured once and is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredKind {
    /// Rows of long searches, for figures that the run does not measure.
    Rows,
    /// Games, for figures that the games of the run leave open.
    Games,
}

impl StoredKind {
    /// What is said before the reason in `figures.csv`; a page has the badge *stored*.
    pub fn words(self) -> &'static str {
        match self {
            Self::Rows => {
                "Stored: of rows that were measured once (bench-data/reference), not of this run."
            }
            Self::Games => {
                "Stored: of games that were played once (bench-data/reference/games), more than in this run; games of \
                 both are the same."
            }
        }
    }
}

/// A published figure, our measurement, and the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedFigure<'a> {
    /// The source that contains the figure.
    pub source: &'a PublishedSource,
    /// The figure.
    pub figure: &'a Figure,
    /// Our measurement, if this run or the stored rows have one.
    pub ours: Option<Measured>,
    /// Where our measurement comes from if not from this run.
    pub stored: Option<StoredKind>,
    /// The verdict.
    pub verdict: Verdict,
    /// The probability of this verdict by chance alone; `None` if the verdict is not based on a sample.
    pub chance: Option<f64>,
    /// The distance of the sample from a decision; `None` if the figure is decided, or if no sample can decide it.
    pub lacking: Option<Lacking>,
    /// Its readings, if its rules are open.
    pub readings: Option<Readings>,
    /// The interval that decides: the figure is decided if this interval is wholly inside or wholly outside the band.
    /// `None` if the verdict is not based on a sample.
    pub decides: Option<Interval>,
    /// The experiment that measures it, or else one of the run or of the built-in ones that names it among its answers.
    pub experiment: String,
    /// The unit of the sample: `instance`, or `sample` of a single one.
    pub sampled: &'static str,
    /// The measuring time of its rows in seconds.
    pub seconds: f64,
    /// The addition to the reason for this form of claim: a witness, a counterexample, or the number of tried
    /// instances.
    pub remark: String,
}

impl JudgedFigure<'_> {
    /// The text next to the verdict: sample size and what would decide an open figure, rows left out, remark, tuned
    /// parameters, and the source's reason.
    pub fn reason(&self) -> String {
        let (figure, ours, verdict) = (self.figure, &self.ours, self.verdict);
        let mut parts = Vec::new();
        if let (Some(ours), Verdict::Undecided) = (ours, verdict) {
            let sampled = units::plural(ours.sampled, self.sampled);
            parts.push(format!("Undecided with {sampled}."));
            parts.extend(Some(self.what_would_decide(ours)).filter(|text| !text.is_empty()));
        }
        if let (Some(ours), Verdict::OnTheEdge) = (ours, verdict) {
            parts.push(format!(
                "With {} the interval is narrow and still holds the end of the band.",
                units::plural(ours.sampled, self.sampled)
            ));
        }
        if let Some(ours) = ours.as_ref().filter(|ours| ours.without > 0) {
            let is_difference = figure.ours.iter().any(|ours| ours.is.is_difference());
            let what = ["solved row", "instance"][usize::from(is_difference)];
            let left_out = units::plural(ours.without, what);
            parts.push(format!("Not in ours: {left_out} without such a value."));
        }
        let calibrated = figure.calibrated.as_ref();
        if let Some(chosen) = calibrated.filter(|_| verdict != Verdict::OpenRule) {
            parts.push(format!("Calibrated: {}.", chosen.trim_end_matches('.')));
        }
        if figure.verdict == Some(FixedVerdict::Checked) {
            parts.push("A test computes it again.".to_owned());
        }
        parts.extend(sentence(&figure.reason));
        parts.extend(Some(self.remark.clone()).filter(|remark| !remark.is_empty()));
        parts.join(" ")
    }

    /// The cause of a difference as a sentence; empty without one, or where nothing differs.
    pub fn explained(&self) -> String {
        let explained = self.figure.explained.as_deref();
        let differs = self.verdict != Verdict::Reproduced && self.verdict != Verdict::Calibrated;
        let explained = explained.filter(|_| differs).and_then(sentence);
        explained.unwrap_or_default()
    }

    /// The side of the band on which our value is, in words, or the range over the readings of an open rule; empty for other verdicts.
    pub fn direction(&self) -> String {
        if let (Verdict::OpenRule, Some(readings)) = (self.verdict, &self.readings) {
            return format!(
                "{} by the reading",
                readings.range_in_words(&self.figure.unit)
            );
        }
        let value = self.ours.as_ref().map(|ours| ours.estimate.value);
        let differs = self.verdict == Verdict::Differs;
        let (Some(value), Some([low, high]), true) = (value, self.compared_band(), differs) else {
            return String::new();
        };
        let side = usize::from(value > high);
        match &self.figure.directions {
            Some(words) => words[side].clone(),
            None if value >= low && value <= high => String::new(),
            None => format!("{} than printed", ["less", "more"][side]),
        }
    }

    /// Describes what would decide an open figure.
    fn what_would_decide(&self, ours: &Measured) -> String {
        let fixed = match self.figure.claims {
            _ if ours.is_modelled => {
                "No sample decides it: the band of the model holds an end of the figure's band; a measurement on the \
                 console would."
            }
            Claims::Exists => "No row of those tried is a witness.",
            _ => "",
        };
        if self.lacking.is_none() {
            return fixed.to_owned();
        }
        let Some((samples, _)) = self.needs() else {
            if ours.estimate.bound != Bound::Exact {
                return "Stopped or failed samples leave it open: a longer limit may decide it, more samples cannot.".to_owned();
            }
            if self.is_without_interval() {
                return "There is no interval: the values are too few or all equal, or it is a sum or an extreme.".to_owned();
            }
            return format!(
                "It would need more than {} times as many.",
                units::count(HARDLY as usize)
            );
        };
        format!(
            "About {} {}s would decide it.",
            units::rounded(samples as f64, 2),
            self.sampled
        )
    }

    /// Returns whether one of these experiments measures or answers it.
    pub fn is_of(&self, experiments: &[Experiment]) -> bool {
        experiments.iter().any(|one| one.name == self.experiment)
    }

    /// Returns whether there is an estimate of ours that has no interval.
    pub fn is_without_interval(&self) -> bool {
        let ours = self.ours.as_ref();
        ours.is_some_and(|ours| ours.estimate.interval.is_none())
    }

    /// The approximate numbers of samples and of seconds that would decide an open figure; `None` if it is not open,
    /// or if the sample would have to grow more than 1,000-fold.
    pub fn needs(&self) -> Option<(u64, f64)> {
        let growth = self.lacking.map(Lacking::growth);
        let growth = growth.filter(|growth| *growth <= HARDLY)?;
        let sampled = self.ours.as_ref().map_or(1, |ours| ours.sampled.max(1));
        let samples = (sampled as f64 * growth).ceil() as u64;
        Some((samples, self.seconds * (growth - 1.0)))
    }

    /// Returns whether the interval contains an end of the band and is narrower than a tenth of the band. A band with
    /// one end counts as 10 % to either side of this end.
    pub(super) fn is_on_the_edge(&self) -> bool {
        let interval = self.ours.as_ref().and_then(|ours| ours.estimate.interval);
        let (Some(interval), Some(band)) = (interval, self.compared_band()) else {
            return false;
        };
        let width = only_end(band).map_or(band[1] - band[0], |end| 0.2 * end.abs());
        let mut ends = band.into_iter();
        ends.any(|end| interval.low <= end && end <= interval.high)
            && interval.high - interval.low < 0.1 * width
    }

    /// The interval of the values that are not rejected at `level`. The figure is decided if all of them are inside the
    /// band, or all outside.
    pub(super) fn deciding_interval(&self, level: f64) -> Option<Interval> {
        let (ours, band) = self.ours.as_ref().zip(self.compared_band())?;
        let is_refuted =
            |is_above: bool, end: f64| chance_against(ours, band, is_above, end) <= level;
        let value = ours.estimate.value;
        let open = ours.estimate.bound.open_sides();
        let end = |is_above: bool| -> f64 {
            let sign = if is_above { -1.0 } else { 1.0 };
            let unit = value.abs().max(1e-12);
            let Some(far) = (0..60)
                .map(|power| value + sign * unit * 1e-3 * 2_f64.powi(power))
                .find(|end| is_refuted(is_above, *end))
            else {
                return sign * f64::INFINITY;
            };
            let (mut near, mut far) = (value, far);
            for _ in 0..60 {
                let middle = 0.5 * (near + far);
                match is_refuted(is_above, middle) {
                    true => far = middle,
                    false => near = middle,
                }
            }
            far
        };
        Some(Interval {
            low: if open[0] {
                f64::NEG_INFINITY
            } else {
                end(true)
            },
            high: if open[1] { f64::INFINITY } else { end(false) },
        })
    }

    /// The ends of the band; `None` if the figure is not compared.
    pub fn compared_band(&self) -> Option<[f64; 2]> {
        let is_compared = self.figure.verdict.is_none() && self.figure.ours.is_some();
        self.figure.band().filter(|_| is_compared)
    }

    /// The band as text: `9.9 … 12.1`, `at most 100`; empty if the figure is not compared.
    pub fn band(&self) -> String {
        let Some([low, high]) = self.compared_band() else {
            return String::new();
        };
        let unit = &self.figure.unit;
        match (low.is_finite(), high.is_finite()) {
            (true, true) if high - low <= 1e-8 * high.abs() => {
                format!("exactly {}", limit((low + high) / 2.0, unit))
            }
            (true, true) => range(low, high, unit),
            (true, false) => format!("at least {}", limit(low, unit)),
            (false, _) => format!("at most {}", limit(high, unit)),
        }
    }
}

/// `text` with a capital letter and a full stop; `None` if it is empty.
fn sentence(text: &str) -> Option<String> {
    let mut letters = text.trim_end_matches('.').chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).chain(['.']).collect())
}
