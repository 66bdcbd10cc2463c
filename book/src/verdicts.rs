//! Compares published figures with our measurements: the verdict on each figure.
//!
//! Our value is inside or outside the band that the figure's claim allows. If chance alone would rarely put it there,
//! the figure is *reproduced* or *differs*; otherwise it is *undecided*, and the reason says what would decide it.
//! The sampled figures of a page are decided together ([`decide`]). A figure whose parameters were tuned to match is
//! *calibrated*, never *reproduced*.

mod forms;
mod measured;

use std::path::Path;
use std::sync::OnceLock;

use ikeru_bench_data::published::{Claims, FixedVerdict, Ours};
use ikeru_bench_data::{Figure, Mode, PublishedSource, builtin};

use crate::printed_unit::{limit, range};
pub use measured::{Measured, measure};

use ikeru_records::Family;
use ikeru_records::ReportError;
use ikeru_records::rows::Rows;
use ikeru_records::units;
use ikeru_statistics::evidence::{Evidence, Lacking};
use ikeru_statistics::{Bound, Interval, hypothesis};

/// The verdict of our measurement on a published figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Our interval is wholly inside the claimed band.
    Reproduced,
    /// Our interval is wholly inside the claimed band, but something was tuned to achieve this.
    Calibrated,
    /// Our interval is wholly outside the band.
    Differs,
    /// Our interval contains an end of the band, or there is no interval.
    Undecided,
    /// The same, and the interval is narrower than a tenth of the band: the true value is close to the end of the band.
    OnTheEdge,
    /// The source is wrong, and our rows confirm the corrected value; or the text of the source contradicts itself.
    Erratum,
    /// The figure is for another machine or another input, or it cannot be rerun.
    NotComparable,
    /// This run has no row for the figure.
    NotMeasured,
}

impl Verdict {
    /// The name of the verdict.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Calibrated => "calibrated",
            Self::Differs => "differs",
            Self::Undecided => "undecided",
            Self::OnTheEdge => "on the edge",
            Self::Erratum => "erratum in the source",
            Self::NotComparable => "not comparable",
            Self::NotMeasured => "not measured in this run",
        }
    }

    /// The number of verdicts with its noun or verb: `2 differ`.
    pub fn counted(self, count: usize) -> String {
        let word = match (self, count) {
            (Self::Differs, 2..) => "differ",
            (Self::Erratum, 1) => "erratum",
            (Self::Erratum, _) => "errata",
            (Self::NotMeasured, _) => "not measured",
            _ => self.name(),
        };
        format!("{count} {word}")
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
    /// True if our measurement comes from the stored rows, because the run has none.
    pub is_stored: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// The probability of this verdict by chance alone; `None` if the verdict is not based on a sample.
    pub chance: Option<f64>,
    /// The distance of the sample from a decision; `None` if the figure is decided, or if no sample can decide it.
    pub lacking: Option<Lacking>,
    /// The interval that decides: the figure is decided if this interval is wholly inside or wholly outside the band.
    /// `None` if the verdict is not based on a sample.
    pub decides: Option<Interval>,
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
        let Self {
            figure,
            ours,
            verdict,
            ..
        } = self;
        let mut parts = Vec::new();
        if self.is_stored {
            parts.push(
                "Stored: of rows that were measured once (bench-data/reference), not of this run."
                    .to_owned(),
            );
        }
        if let (Some(ours), Verdict::Undecided) = (ours, verdict) {
            parts.push(format!(
                "Undecided with n = {}.",
                units::count(ours.sampled as u64)
            ));
            parts.extend(Some(self.what_would_decide(ours)).filter(|text| !text.is_empty()));
        }
        if let (Some(ours), Verdict::OnTheEdge) = (ours, verdict) {
            parts.push(format!(
                "With n = {} the interval is narrow and still holds the end of the band.",
                units::count(ours.sampled as u64)
            ));
        }
        if let Some(ours) = ours.as_ref().filter(|ours| ours.without > 0) {
            let rows = units::plural(ours.without, "solved row");
            parts.push(format!("Not in ours: {rows} without such a value."));
        }
        if let Some(chosen) = &figure.calibrated {
            parts.push(format!("Calibrated: {}.", chosen.trim_end_matches('.')));
        }
        if figure.verdict == Some(FixedVerdict::Checked) {
            parts.push("Arithmetic of the source, which a test computes again.".to_owned());
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
            if self.is_without_interval() {
                return "So few values give no interval; more would.".to_owned();
            }
            return "Its value lies so near to the end of the band that more samples will hardly decide it.".to_owned();
        };
        format!(
            "About n = {} would decide it.",
            units::rounded(samples as f64, 2)
        )
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
    fn is_on_the_edge(&self) -> bool {
        let interval = self.ours.as_ref().and_then(|ours| ours.estimate.interval);
        let (Some(interval), Some(band)) = (interval, self.compared_band()) else {
            return false;
        };
        let width = match only_end(band) {
            Some(end) => 0.2 * end.abs(),
            None => band[1] - band[0],
        };
        let mut ends = band.into_iter();
        ends.any(|end| interval.low <= end && end <= interval.high)
            && interval.high - interval.low < 0.1 * width
    }

    /// The interval of the values that are not rejected at `level`. The figure is decided if all of them are inside the
    /// band, or all outside.
    fn deciding_interval(&self, level: f64) -> Option<Interval> {
        let (ours, band) = self.ours.as_ref().zip(self.compared_band())?;
        let is_refuted =
            |is_above: bool, end: f64| chance_against(ours, band, is_above, end) <= level;
        let value = ours.estimate.value;
        let open = match ours.estimate.bound {
            Bound::Exact => [false, false],
            Bound::AtLeast => [false, true],
            Bound::AtMost => [true, false],
            Bound::Either => [true, true],
        };
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

/// Judges one figure by the rows of a run.
///
/// # Errors
/// A figure that names an unknown statistic or an impossible range.
pub fn judge<'a>(
    rows: &Rows,
    source: &'a PublishedSource,
    figure: &'a Figure,
) -> Result<JudgedFigure<'a>, ReportError> {
    let here = of_rows(rows, figure)?;
    let is_stored = here.is_none() && figure.verdict.is_none();
    let (rows, ours) = match is_stored {
        true => (stored()?, of_rows(stored()?, figure)?),
        false => (rows, here),
    };
    let (verdict, chance) = verdict(figure, ours.as_ref());
    let remark = ours
        .as_ref()
        .map(|ours| forms::remark(rows, figure, ours, verdict));
    Ok(JudgedFigure {
        source,
        figure,
        is_stored: is_stored && ours.is_some(),
        ours,
        verdict,
        chance,
        lacking: None,
        decides: None,
        seconds: figure
            .ours
            .as_ref()
            .map_or(Ok(0.0), |ours| seconds(rows, ours))?,
        remark: remark.transpose()?.unwrap_or_default(),
    })
}

/// Our measurement of a figure by `rows`; `None` if it has no row, or if nothing measures the figure.
fn of_rows(rows: &Rows, figure: &Figure) -> Result<Option<Measured>, ReportError> {
    let ours = figure.ours.as_ref().map(|ours| measure(rows, ours));
    Ok(ours.transpose()?.flatten())
}

/// Rows of long searches that were measured once: they judge the figures that a run does not measure.
fn stored() -> Result<&'static Rows, ReportError> {
    static STORED: OnceLock<Rows> = OnceLock::new();
    if let Some(rows) = STORED.get() {
        return Ok(rows);
    }
    let path = Path::new("bench-data/reference/rows.csv");
    let rows = Rows::read_text(builtin::STORED_ROWS, path)?;
    Ok(STORED.get_or_init(|| rows))
}

/// The rows that a figure is computed from.
///
/// # Errors
/// An impossible range.
pub fn rows_of(rows: &Rows, ours: &Ours) -> Result<Vec<u32>, ReportError> {
    let of_experiment = rows.with("experiment", &ours.experiment);
    let mut own = Vec::new();
    for filter in ours.filters() {
        own.extend(rows.narrow(&of_experiment, &filter)?);
    }
    own.sort_unstable();
    own.dedup();
    Ok(own)
}

/// The overhead of an isolated sample in seconds: warm-up, canary, first answers of new solvers, journal.
const BETWEEN: f64 = 0.01;

/// The measuring time of a figure's sample in seconds. Filters on results (counters, measures) are ignored: all rows
/// had to be measured to find those that pass.
fn seconds(rows: &Rows, ours: &Ours) -> Result<f64, ReportError> {
    let is_result = |column: &str| {
        let family = Family::of(column).map(|(family, _)| family);
        matches!(family, Some(Family::Counter | Family::Measure))
    };
    let mut tried = ours.clone();
    let others = [&mut tried.relative_to, &mut tried.plus, &mut tried.minus];
    let filters = others.into_iter().flatten().chain(&mut tried.order);
    for filter in filters.chain([&mut tried.only]) {
        filter.retain(|column, _| !is_result(column));
    }
    // The cost is that of the smaller number of instances on every side.
    let (mut each, mut instances) = (0.0, usize::MAX);
    let of_experiment = rows.with("experiment", &tried.experiment);
    for filter in tried.filters() {
        let own = rows.narrow(&of_experiment, &filter)?;
        let count = rows.distinct("instance_hash", &own).len();
        let times = ["batch_ns", "prepare_ns"].map(|column| rows.numbers(column, &own));
        let taken = times.into_iter().flatten().sum::<f64>() / 1e9;
        let is_isolated = |row: &&u32| rows.text("mode", **row) == Mode::Isolated.name();
        let isolated = own.iter().filter(is_isolated).count();
        each += (taken + BETWEEN * isolated as f64) / count.max(1) as f64;
        instances = instances.min(count);
    }
    Ok(each * instances as f64)
}

/// The probability that at least one sampled verdict of a page is wrong.
pub const LEVEL: f64 = 0.05;

/// Decides the figures of one page together: at least one sampled verdict is wrong with a probability of at most
/// [`LEVEL`] (Holm 1979), even if the page is judged `looks` times while its samples grow.
pub fn decide(figures: &mut [&mut JudgedFigure], looks: u32) {
    let of_page = |chance: f64| (chance * f64::from(looks)).min(1.0);
    let chances: Vec<f64> = figures
        .iter()
        .filter_map(|one| one.chance)
        .map(of_page)
        .collect();
    let together = hypothesis::holm(&chances);
    let open = together.iter().filter(|chance| **chance > LEVEL).count();
    let sampled = figures.iter_mut().filter(|one| one.chance.is_some());
    for ((one, chance), together) in sampled.zip(&chances).zip(together) {
        // Holm's level for this figure: LEVEL divided by the number of figures that are not decided before it.
        let before = chances
            .iter()
            .filter(|other| *other < chance)
            .count()
            .min(chances.len() - open);
        let level = LEVEL / (chances.len() - before).max(1) as f64 / f64::from(looks);
        one.decides = one.deciding_interval(level);
        if together <= LEVEL {
            continue;
        }
        one.verdict = if one.is_on_the_edge() {
            Verdict::OnTheEdge
        } else {
            Verdict::Undecided
        };
        // The open figures share the level.
        let level = LEVEL / open.max(1) as f64 / f64::from(looks);
        one.lacking = one.chance.map(|chance| Lacking { chance, level });
    }
}

/// The verdict on one figure alone, and the probability of it by chance alone.
fn verdict(figure: &Figure, ours: Option<&Measured>) -> (Verdict, Option<f64>) {
    let (band, ours) = match (figure.verdict, figure.band(), ours) {
        (Some(FixedVerdict::Erratum), ..) => return (Verdict::Erratum, None),
        (Some(FixedVerdict::Checked), ..) => return (Verdict::Reproduced, None),
        (Some(FixedVerdict::NotComparable), ..) => return (Verdict::NotComparable, None),
        (None, Some(band), Some(ours)) => (band, ours),
        (None, ..) if figure.ours.is_some() => return (Verdict::NotMeasured, None),
        (None, ..) => return (Verdict::NotComparable, None),
    };
    let (lies, chance) = match without_sampling(figure, ours, band) {
        Some(lies) => (lies, None),
        None => by_sample(ours, band),
    };
    let verdict = match (lies, &figure.calibrated) {
        (Lies::Inside, _) if figure.corrected.is_some() => Verdict::Erratum,
        (Lies::Inside, Some(_)) => Verdict::Calibrated,
        (Lies::Inside, None) => Verdict::Reproduced,
        (Lies::Outside, _) => Verdict::Differs,
        (Lies::Across, _) => Verdict::Undecided,
    };
    (verdict, chance)
}

/// A sample that would have to grow by more than this factor is not suggested.
const HARDLY: f64 = 1000.0;

/// The minimum number of instances that support a claim about all instances.
const ONE_SIDED: usize = 5;

/// A single sample decides if it exceeds the end of the band by this factor.
const FAR: f64 = 10.0;

/// The position of our interval relative to the band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lies {
    Inside,
    Across,
    Outside,
}

/// The position of a value that is not based on a sample: a witness, the source's own input, a model, an order of
/// magnitude. `None` for a sampled value.
fn without_sampling(figure: &Figure, ours: &Measured, band: [f64; 2]) -> Option<Lies> {
    let estimate = ours.estimate;
    if let Some(lies) = forms::lies(figure, ours, band) {
        return Some(lies);
    }
    let is_exact = figure.claims == Claims::Exact || is_far(ours.extent, band);
    // The rows of an erratum show the corrected value; without sampling, it has no interval.
    let is_shown = figure.corrected.is_some() && estimate.interval.is_none();
    let interval = match estimate.interval {
        _ if is_exact || is_shown => ours.extent,
        Some(interval) if ours.is_modelled || interval.low == interval.high => interval,
        _ => return None,
    };
    Some(lies(interval, estimate.bound, band))
}

fn lies(interval: Interval, bound: Bound, [low, high]: [f64; 2]) -> Lies {
    // An end that timeouts leave open is infinite.
    let (below, above) = match bound {
        Bound::Exact => (interval.low, interval.high),
        Bound::AtLeast => (interval.low, f64::INFINITY),
        Bound::AtMost => (f64::NEG_INFINITY, interval.high),
        Bound::Either => return Lies::Across,
    };
    if below >= low && above <= high {
        Lies::Inside
    } else if above < low || below > high {
        Lies::Outside
    } else {
        Lies::Across
    }
}

/// Returns whether all samples are beyond the only end of a band by the factor [`FAR`].
fn is_far(extent: Interval, band: [f64; 2]) -> bool {
    only_end(band)
        .is_some_and(|end| end > 0.0 && (extent.low >= FAR * end || extent.high <= end / FAR))
}

/// The finite end of a one-sided band; `None` for other bands.
fn only_end([low, high]: [f64; 2]) -> Option<f64> {
    match (low.is_finite(), high.is_finite()) {
        (true, false) => Some(low),
        (false, true) => Some(high),
        _ => None,
    }
}

/// The position of the estimate relative to the band, or `Across` if its probability by chance alone is above 5 %; and
/// this probability.
fn by_sample(ours: &Measured, band: [f64; 2]) -> (Lies, Option<f64>) {
    let value = ours.estimate.value;
    let [low, high] = band;
    let side = if value < low || value > high {
        Lies::Outside
    } else {
        Lies::Inside
    };
    let against = |is_above: bool, end: f64| chance_against(ours, band, is_above, end);
    // An estimate inside the band is tested against both ends, one outside against the nearer end.
    let chance = match side {
        Lies::Inside => against(true, low).max(against(false, high)),
        _ if value < low => against(false, low),
        _ => against(true, high),
    };
    let decided = if chance <= LEVEL { side } else { Lies::Across };
    (decided, Some(chance.min(1.0)))
}

/// The p value of an estimate above `end` (or below it) if the true value is `end`, which may be an end of `band`.
fn chance_against(ours: &Measured, band: [f64; 2], is_above: bool, end: f64) -> f64 {
    if !end.is_finite() {
        return 0.0;
    }
    let chance = ours.chance(is_above, end);
    let has_one_end = only_end(band).is_some();
    // The test is two-sided, except the sign test of a one-sided band.
    let is_signs = matches!(ours.evidence, Some(Evidence::Median(_))) && has_one_end;
    let by_value = if is_signs { chance } else { 2.0 * chance };
    let by_signs = if has_one_end {
        ours.chance_of_signs(end)
    } else {
        1.0
    };
    match (&ours.evidence, by_signs < 1.0) {
        (None, true) => by_signs,
        (Some(Evidence::Mean { .. }), true) => by_value.min(2.0 * by_signs),
        _ => by_value,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ikeru_statistics::Estimate;

    use super::*;
    use crate::rows_of as rows;

    #[test]
    fn stored_rows_judge_what_a_run_does_not_measure() {
        let sources = builtin::published().expect("published figures read");
        let figures = sources
            .iter()
            .flat_map(|source| source.figures.iter().map(move |figure| (source, figure)));
        let of_boards = figures.filter(|(_, figure)| {
            figure
                .ours
                .as_ref()
                .is_some_and(|ours| ours.experiment == "challeran-boards")
        });
        let rows = rows(&text());
        let mut judged = 0;
        for (source, figure) in of_boards {
            let found = judge(&rows, source, figure).expect("judged");
            assert!(found.is_stored, "{}", figure.id);
            assert!(
                matches!(found.verdict, Verdict::Reproduced | Verdict::Differs),
                "{}: {:?}",
                figure.id,
                found.verdict
            );
            judged += 1;
        }
        assert!(judged > 20, "{judged}");
    }

    /// Twenty instances with times of about 1 ms for `a` and 2 ms for `b`, and one timeout of `c`.
    fn text() -> String {
        let mut text =
            "schema,experiment,cell,label,instance_hash,outcome,wall_ns,size,measure_win\n"
                .to_owned();
        for number in 0..20 {
            let time = 1_000_000 + 2_000 * number;
            for (label, factor) in [("a", 1), ("b", 2)] {
                let win = if number == 0 {
                    String::new()
                } else {
                    (number % 4).min(1).to_string()
                };
                text += &format!(
                    "1,e,{label}{number},{label},h{number},solved,{},{},{win}\n",
                    time * factor,
                    number + 1
                );
            }
        }
        text + "1,e,c0,c,h0,timeout,9000000,1,\n1,other,o,a,h0,solved,7,1,\n"
    }

    fn figure(text: &str) -> PublishedSource {
        let text = format!(
            "source='s'\nreference='r'\n[[figures]]\nid='s/x'\nplace='p'\nclaim='c'\n{text}"
        );
        PublishedSource::read("s.toml", &text).expect("a source")
    }

    fn judged(figure_text: &str) -> Verdict {
        let source = figure(figure_text);
        let rows = rows(&text());
        let judged = judge(&rows, &source, &source.figures[0]);
        judged.expect("a good figure").verdict
    }

    const A: &str = "ours={experiment='e',where={label='a'},divide_by=1e6}";

    #[test]
    fn the_interval_inside_the_band_reproduces_across_it_decides_nothing_and_outside_it_differs() {
        assert_eq!(judged(&format!("value=1.05\n{A}")), Verdict::Reproduced);
        // The end of the band, 1.02, is inside the interval.
        assert_eq!(
            judged(&format!("value=1.0\ntolerance=0.02\n{A}")),
            Verdict::Undecided
        );
        assert_eq!(judged(&format!("value=1.2\n{A}")), Verdict::Differs);
        assert_eq!(
            judged("value=2\nours={experiment='gone'}"),
            Verdict::NotMeasured
        );
        assert_eq!(judged("value=2"), Verdict::NotComparable);
        let one = "ours={experiment='other',where={label='a'}}";
        assert_eq!(
            judged(&format!("value=7\n{one}")),
            Verdict::Undecided,
            "one sample"
        );
        assert_eq!(
            judged(&format!("value=7\nclaims='exact'\n{one}")),
            Verdict::Reproduced
        );
        assert_eq!(
            judged(&format!("value=8\nclaims='exact'\n{one}")),
            Verdict::Differs
        );
    }

    #[test]
    fn the_interval_that_is_drawn_is_the_verdict() {
        let rows = rows(&text());
        let mut seen = BTreeMap::new();
        for statistic in ["median", "mean"] {
            for claims in ["equal", "at-most", "at-least"] {
                let figures: String = (0..40)
                    .map(|at| {
                        let value = 0.97 + 0.004 * f64::from(at);
                        format!(
                            "[[figures]]\nid='s/{at}'\nplace='p'\nclaim='c'\nvalue={value}\nclaims='{claims}'\n\
                             ours={{experiment='e',where={{label='a'}},divide_by=1e6,statistic='{statistic}'}}\n"
                        )
                    })
                    .collect();
                let source = format!("source='s'\nreference='r'\n{figures}");
                let source = PublishedSource::read("s.toml", &source).expect("a source");
                for looks in [1, 10] {
                    let judged = source
                        .figures
                        .iter()
                        .map(|figure| judge(&rows, &source, figure));
                    let mut judged: Vec<JudgedFigure> =
                        judged.collect::<Result<_, _>>().expect("good figures");
                    decide(&mut judged.iter_mut().collect::<Vec<_>>(), looks);
                    for one in judged.iter().filter(|one| one.decides.is_some()) {
                        let (ends, band) = one.decides.zip(one.compared_band()).expect("both");
                        let place = lies(ends, Bound::Exact, band);
                        let drawn = match place {
                            Lies::Inside => Verdict::Reproduced,
                            Lies::Outside => Verdict::Differs,
                            Lies::Across if one.verdict == Verdict::OnTheEdge => Verdict::OnTheEdge,
                            Lies::Across => Verdict::Undecided,
                        };
                        assert_eq!(one.verdict, drawn, "{statistic} {claims} {ends:?} {band:?}");
                        *seen.entry(one.verdict).or_insert(0) += 1;
                    }
                }
            }
        }
        assert!(seen.len() > 2, "{seen:?}");
    }

    #[test]
    fn one_sided_claims_need_one_side() {
        for (claims, value, expected) in [
            ("at-most", 100.0, Verdict::Reproduced),
            ("at-most", 0.5, Verdict::Differs),
            ("at-most", 1.02, Verdict::Undecided),
            ("at-least", 0.5, Verdict::Reproduced),
            ("at-least", 2.0, Verdict::Differs),
        ] {
            let text = format!("value={value}\nclaims='{claims}'\n{A}");
            assert_eq!(judged(&text), expected, "{claims} {value}");
        }
        // Five samples on one side decide; four do not.
        for (most, expected) in [(5, Verdict::Reproduced), (4, Verdict::Undecided)] {
            let ours = format!(
                "ours={{experiment='e',where={{label='a',size={{from=1,to={most}}}}},divide_by=1e6}}"
            );
            assert_eq!(
                judged(&format!("value=2\nclaims='at-most'\n{ours}")),
                expected,
                "{most}"
            );
        }
        // A timeout at 9 ms is at least 9 ms: it refutes "at most 5", confirms "at least 5", and leaves "exactly 9"
        // open.
        let c = "ours={experiment='e',where={label='c'},divide_by=1e6}";
        assert_eq!(
            judged(&format!("value=5\nclaims='exact'\nband=[-inf,5.0]\n{c}")),
            Verdict::Differs
        );
        assert_eq!(
            judged(&format!("value=5\nclaims='exact'\nband=[5.0,inf]\n{c}")),
            Verdict::Reproduced
        );
        assert_eq!(
            judged(&format!("value=9\nclaims='exact'\n{c}")),
            Verdict::Undecided
        );
    }

    /// The verdict on a figure by the given rows, and the measurement.
    fn judged_of(rows_text: &str, figure_text: &str) -> (Verdict, Option<Measured>) {
        let source = figure(figure_text);
        let rows = rows(rows_text);
        let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
        (judged.verdict, judged.ours)
    }

    #[test]
    fn other_processes_change_no_verdict_of_one_thread() {
        // The same work. On the loaded machine, the wall time of the long answers is five times as long; the short
        // answers fit into a time slice.
        let verdict = |stretch: u32| {
            let mut text =
                "schema,experiment,threads,label,instance_hash,outcome,wall_ns,cpu_ns\n".to_owned();
            for map in 0..8 {
                let (long, short) = (1_000_000, 10_000 + 10 * map);
                let wall = long * stretch;
                text += &format!("1,e,1,long,h{map},solved,{wall},{long}\n");
                text += &format!("1,e,1,short,h{map},solved,{short},{short}\n");
            }
            let figure = "value=100\ntolerance=0.1\nours={experiment='e',where={label='long'},relative_to={label='short'}}";
            judged_of(&text, figure).0
        };
        assert_eq!([1, 5].map(verdict), [Verdict::Reproduced; 2]);
    }

    #[test]
    fn without_a_pair_and_without_an_interval_nothing_is_decided() {
        // The sides have different maps: two independent samples without a significant difference.
        let ratio = |count: usize| {
            let mut text = "schema,experiment,label,instance_hash,outcome,wall_ns\n".to_owned();
            for at in 0..count {
                text += &format!("1,e,a,a{at},solved,{}\n", 100 + 7 * at);
                text += &format!("1,e,b,b{at},solved,{}\n", 102 + 7 * at);
            }
            let figure = "value=1.0\nclaims='at-most'\nours={experiment='e',where={label='a'},relative_to={label='b'}}";
            judged_of(&text, figure)
        };
        for count in [3, 5, 6] {
            let (verdict, ours) = ratio(count);
            assert_eq!(verdict, Verdict::Undecided, "{count} maps a side: {ours:?}");
        }
        let six = ratio(6).1.expect("rows").estimate.interval;
        let six = six.expect("six on each side have an interval");
        assert!(six.low < 1.0 && six.high > 1.0, "{six:?}");
    }

    #[test]
    fn five_pairs_on_one_side_decide_where_the_interval_of_their_mean_does_not() {
        // On two of the maps the start is walled in: the t interval of the logarithms contains 1.
        let text = |factors: &[f64]| {
            let mut text =
                "schema,experiment,label,instance_hash,outcome,counter_arcs\n".to_owned();
            for (at, factor) in factors.iter().enumerate() {
                text += &format!("1,e,free,h{at},solved,100000\n");
                text += &format!("1,e,blocked,h{at},solved,{}\n", 100_000.0 * factor);
            }
            text
        };
        let figure = "value=1.0\nclaims='at-least'\nours={experiment='e',column='counter_arcs',where={label='blocked'},relative_to={label='free'}}";
        let walled_in = [0.8, 0.7, 0.9, 0.0006, 0.8, 0.0009, 0.9, 0.7];
        let (verdict, ours) = judged_of(&text(&walled_in), figure);
        let ends = ours.and_then(|ours| ours.estimate.interval).expect("eight");
        assert!(ends.high > 1.0, "{ends:?}");
        assert_eq!(verdict, Verdict::Differs);
        assert_eq!(
            judged_of(&text(&walled_in[..4]), figure).0,
            Verdict::Undecided
        );
        // One sample suffices if it is beyond the value by a factor of ten.
        assert_eq!(judged_of(&text(&[0.0006]), figure).0, Verdict::Differs);
        assert_eq!(judged_of(&text(&[0.5]), figure).0, Verdict::Undecided);
        let two = figure.replace("value=1.0", "value=2.0");
        assert_eq!(judged_of(&text(&[20.5]), &two).0, Verdict::Reproduced);
        assert_eq!(judged_of(&text(&[19.0]), &two).0, Verdict::Undecided);
    }

    #[test]
    fn one_witness_shows_that_something_exists() {
        let figure = "value=1.0\nclaims='exists'\nours={experiment='e',column='measure_errors',statistic='maximum'}";
        let text = |errors: &[u32]| {
            let mut text =
                "schema,experiment,label,instance_hash,outcome,measure_errors\n".to_owned();
            for (at, errors) in errors.iter().enumerate() {
                text += &format!("1,e,a,h{at},solved,{errors}\n");
            }
            text
        };
        assert_eq!(judged_of(&text(&[0, 0, 3]), figure).0, Verdict::Reproduced);
        // No witness was found, which does not refute the claim.
        assert_eq!(judged_of(&text(&[0; 40]), figure).0, Verdict::Undecided);
        // A row that the referee rejected is no witness.
        let wrong = text(&[0, 3]).replace("h1,solved", "h1,wrong");
        assert_eq!(judged_of(&wrong, figure).0, Verdict::Undecided);
    }

    #[test]
    fn what_was_tuned_is_calibrated_and_an_erratum_is_measured() {
        assert_eq!(
            judged(&format!("value=1.05\ncalibrated='a rule'\n{A}")),
            Verdict::Calibrated
        );
        assert_eq!(
            judged(&format!("value=1.2\ncalibrated='a rule'\n{A}")),
            Verdict::Differs
        );
        let one = "ours={experiment='other',where={label='a'}}";
        assert_eq!(
            judged(&format!("value=8\ncorrected=7\n{one}")),
            Verdict::Erratum
        );
        assert_eq!(
            judged(&format!("value=8\ncorrected=6\n{one}")),
            Verdict::Differs
        );
        assert_eq!(judged("value=8\nverdict='erratum'"), Verdict::Erratum);
        assert_eq!(judged("value=8\nverdict='checked'"), Verdict::Reproduced);
    }

    #[test]
    fn a_reason_may_begin_with_any_letter_and_a_cause_stands_only_beside_a_difference() {
        let reason = |reason: &str, more: &str| {
            let source = figure(&format!("value=8\nreason='{reason}'\n{more}"));
            let rows = rows(&text());
            let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
            (judged.reason(), judged.explained())
        };
        assert_eq!(reason("änderung", "").0, "Änderung.");
        assert_eq!(reason("ω(n) holds.", "").0, "Ω(n) holds.");
        assert_eq!(reason("「一番」 is said", "").0, "「一番」 is said.");
        assert_eq!(reason("", "").0, "");
        let checked = reason("2 · 4", "verdict='checked'").0;
        assert_eq!(
            checked,
            "Arithmetic of the source, which a test computes again. 2 · 4."
        );
        let one = "ours={experiment='other',where={label='a'}}";
        let because = "explained='by a slip'\nclaims='exact'";
        let differs = reason("r", &format!("{because}\n{one}")).1;
        assert_eq!(differs, "By a slip.");
        let agrees = format!("band=[7.0,7.0]\n{because}\n{one}");
        assert_eq!(reason("r", &agrees).1, "");
    }

    #[test]
    fn ratios_are_paired_and_rates_are_fitted() {
        let ratio = "ours={experiment='e',where={label='b'},relative_to={label='a'}}";
        assert_eq!(
            judged(&format!("value=2\nclaims='exact'\n{ratio}")),
            Verdict::Reproduced
        );
        let rate = "ours={experiment='e',where={label='a'},along='size'}";
        assert_eq!(
            judged(&format!("value=1\n{rate}")),
            Verdict::NotMeasured,
            "one size each"
        );
        // For each instance `b` is above `a`; the filter `other` selects no row, so nothing is compared.
        let above = "claims='at-least'\nours={experiment='e',where={label='b'},minus={label='a'}}";
        assert_eq!(judged(&format!("value=0\n{above}")), Verdict::Reproduced);
        let stopped = "ours={experiment='e',where={label='c'},minus={label='other'}}";
        assert_eq!(judged(&format!("value=0\n{stopped}")), Verdict::NotMeasured);
        // The time of `c` was stopped, so the difference is open.
        let open = "claims='at-least'\nours={experiment='e',where={label='c'},minus={label='a'}}";
        assert_eq!(judged(&format!("value=0\n{open}")), Verdict::Undecided);
        // The sum of the times 7 and 7.
        let sum = "ours={experiment='other',where={label='a'},plus={label='a'}}";
        assert_eq!(
            judged(&format!("value=14\nclaims='exact'\n{sum}")),
            Verdict::Reproduced
        );
    }

    #[test]
    fn two_questions_to_one_instance_are_paired_by_it() {
        // The games' sizes differ by a factor of up to 243. The search with both sets takes 0.6 of the two separate
        // searches in each game.
        let mut text =
            "schema,experiment,label,instance_hash,setting_sets,outcome,counter_nodes\n".to_owned();
        for game in 0..6 {
            let unit = 100 * 3_u32.pow(game);
            for (label, part) in [("one", 8), ("other", 12), ("both", 12)] {
                text += &format!("1,e,{label},h{game},{label},solved,{}\n", unit * part);
            }
        }
        let figure = "value=0.6\nours={experiment='e',column='counter_nodes',divide_by=2,\
            where={label='both'},relative_to={label=['one','other']}}";
        let (verdict, ours) = judged_of(&text, figure);
        let ours = ours.expect("rows");
        assert_eq!((ours.sampled, ours.estimate.value), (6, 0.6));
        assert_eq!(verdict, Verdict::Undecided, "equal ratios have no interval");
        // A game without nodes has no ratio.
        let zero = format!("{text}1,e,one,h9,one,solved,5\n1,e,both,h9,both,solved,0\n");
        assert_eq!(judged_of(&zero, figure).1.map(|ours| ours.sampled), Some(6));
        let noisy = text.replace(",both,solved,1200", ",both,solved,1250");
        assert_eq!(judged_of(&noisy, figure).0, Verdict::Reproduced);
    }

    #[test]
    fn rows_without_a_value_are_counted() {
        let source = figure(
            "value=0.75\nreason='as it is'\nours={experiment='e',where={label='a'},column='measure_win',statistic='mean'}",
        );
        let rows = rows(&text());
        let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
        let ours = judged.ours.as_ref().expect("rows");
        assert_eq!((ours.sampled, ours.without), (19, 1));
        assert_eq!(judged.verdict, Verdict::Undecided);
        assert_eq!(
            judged.reason(),
            "Undecided with n = 19. Not in ours: 1\u{202f}solved row without such a value. As it is."
        );
        assert_eq!(judged.band(), "0.675 … 0.825");
    }

    #[test]
    fn a_modelled_time_is_judged_by_its_band() {
        let text = "schema,experiment,problem,label,variant,variant_version,instance_hash,question,outcome,threads,size,\
            setting_steps,setting_god,counter_states,counter_arcs,counter_pairs,counter_cells,measure_edges,measure_reachable,measure_steps\n\
            1,e,reach,memo,memo,2,h,q,solved,1,900,48,false,28314,77864,810000,176400,1124,450,0\n";
        let rows = rows(text);
        let judged = |ours: &str, rest: &str| {
            let source = figure(&format!("{rest}\nours={{experiment='e',{ours}}}"));
            let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
            let interval = judged.ours.and_then(|ours| ours.estimate.interval);
            (judged.verdict, interval)
        };
        let ms = "console='PS2',divide_by=1e6";
        let (verdict, band) = judged(ms, "value=1000.0\nclaims='at-most'");
        let band = band.expect("the model's band");
        assert_eq!(verdict, Verdict::Reproduced);
        assert!(band.low > 20.0 && band.high < 150.0, "{band:?}");
        let inside = (band.low + band.high) / 2.0;
        let across = format!("value={inside}\nclaims='at-least'");
        assert_eq!(judged(ms, &across).0, Verdict::Undecided);
        assert_eq!(judged(ms, "value=1000.0").0, Verdict::Differs);
        // The DS is slower than the PS2.
        let ratio = "console='DS',relative_to_console='PS2'";
        let (verdict, ratio) = judged(ratio, "value=1.0\nclaims='at-least'");
        assert_eq!(verdict, Verdict::Reproduced);
        let ds = judged("console='DS',divide_by=1e6", "value=1.0").1;
        let (ratio, ds) = ratio.zip(ds).expect("two bands");
        assert!((ratio.low / (ds.low / band.high) - 1.0).abs() < 1e-9);
        assert!((ratio.high / (ds.high / band.low) - 1.0).abs() < 1e-9);
        assert_eq!(
            judged("console='SNES'", "value=1.0").0,
            Verdict::NotMeasured
        );
        // Tables with a million pairs do not fit into the memory of a GBA.
        assert_eq!(judged("console='GBA'", "value=1.0").0, Verdict::NotMeasured);
    }

    /// Our measurement by rows of the experiment `e` with a label, an instance, an outcome, a size and a counter.
    fn measured(lines: &str, ours: &str) -> Measured {
        let text = format!("schema,experiment,label,instance_hash,outcome,size,counter_n\n{lines}");
        let ours = format!("ours={{experiment='e',column='counter_n',{ours}}}");
        judged_of(&text, &format!("value=1\n{ours}"))
            .1
            .expect("rows")
    }

    fn line(label: &str, instance: u32, size: u32, value: u32) -> String {
        format!("1,e,{label},h{instance},solved,{size},{value}\n")
    }

    #[test]
    fn differences_sums_and_rates_by_hand() {
        // b less a: 9, 18, 27 and 46; the fifth instance has no a.
        let values = [(0, 1, 10), (1, 2, 20), (2, 3, 30), (3, 4, 50)];
        let pair = |(at, a, b)| line("a", at, 1, a) + &line("b", at, 1, b);
        let lines = values.map(pair).concat() + &line("b", 4, 1, 7);
        let minus = "where={label='b'},minus={label='a'}";
        let found = measured(&lines, minus);
        let bound = Bound::Exact;
        assert_eq!((found.estimate.value, found.estimate.bound), (25.0, bound));
        assert_eq!((found.sampled, found.without), (4, 1));
        let crashed = measured(&(lines + "1,e,b,h0,crashed,1,\n"), minus);
        assert_eq!(crashed.estimate.bound, Bound::Either);
        // The interval of a median of eight values reaches from the first to the last.
        let pair = |at| line("a", at, 1, 1 + at) + &line("b", at, 1, 10 + 10 * at);
        let lines: String = (0..8).map(pair).collect();
        let unknown = "1,e,a,h8,solved,1,\n1,e,b,h8,solved,1,\n";
        let found = measured(&(lines + unknown), "where={label='a'},plus={label='b'}");
        let ends = Estimate::within(11.0, 49.5, 88.0);
        assert_eq!((found.estimate, found.without), (ends, 2));
        // Powers 3 and 2 less powers 1 and 1.
        let curve = |label, at, power| {
            [2, 4, 8]
                .map(|size: u32| line(label, at, size, size.pow(power)))
                .concat()
        };
        let lines = curve("b", 0, 3) + &curve("b", 1, 2) + &curve("a", 0, 1) + &curve("a", 1, 1);
        let found = measured(&lines, "where={label='b'},minus={label='a'},along='size'");
        assert!((found.estimate.value - 1.5).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn signs_count_where_no_timeout_leaves_them_open() {
        let rows = rows(&text());
        let source = figure(&format!("value=1.2\n{A}"));
        let judged = judge(&rows, &source, &source.figures[0]).expect("a figure");
        let (all, mut ours) = (0.5_f64.powi(20), judged.ours.expect("rows"));
        let Interval { low, high } = ours.extent;
        let mut signs = |bound| {
            ours.estimate.bound = bound;
            [0.9, low, high, 2.0].map(|end| ours.chance_of_signs(end))
        };
        assert_eq!(signs(Bound::Exact), [all; 4]);
        assert_eq!(signs(Bound::AtLeast), [all, all, 1.0, 1.0]);
        assert_eq!(signs(Bound::AtMost), [1.0, 1.0, all, all]);
    }

    #[test]
    fn a_narrow_interval_around_an_end_of_the_band_is_on_the_edge() {
        let rows = rows(&text());
        let on_edge = |claim: &str, low: f64, high: f64| {
            let source = figure(&format!("{claim}\n{A}"));
            let mut judged = judge(&rows, &source, &source.figures[0]).expect("a figure");
            judged.ours.as_mut().expect("rows").estimate = Estimate::within(low, low, high);
            judged.is_on_the_edge()
        };
        // A tenth of the band is 0.1; with one end at 2, it is 0.04.
        let band = "value=1.5\nband=[1.0,2.0]";
        let ends = [(0.96, 1.05), (1.95, 2.04), (0.95, 1.06), (1.2, 1.25)];
        assert_eq!(
            ends.map(|(low, high)| on_edge(band, low, high)),
            [true, true, false, false]
        );
        let most = "value=2.0\nclaims='at-most'";
        assert_eq!(
            [1.99, 1.97].map(|low| on_edge(most, low, 2.02)),
            [true, false]
        );
    }

    #[test]
    fn open_figures_share_the_level() {
        let rows = rows(&text());
        let one = |id: u32, value: f64, tolerance: f64| {
            format!(
                "[[figures]]\nid='s/{id}'\nplace='p'\nclaim='c'\nvalue={value}\ntolerance={tolerance}\n{A}\n"
            )
        };
        let text = one(0, 1.0, 0.02) + &one(1, 1.0, 0.022) + &one(2, 1.2, 0.02);
        let text = format!("source='s'\nreference='r'\n{text}");
        let source = PublishedSource::read("s.toml", &text).expect("a source");
        let judge = |at: usize| judge(&rows, &source, &source.figures[at]).expect("a figure");
        let mut all = [0, 1, 2].map(judge);
        decide(&mut all.each_mut(), 2);
        let levels = [0, 1, 2].map(|at| all[at].lacking.map(|lacking| lacking.level));
        assert_eq!(levels, [Some(LEVEL / 4.0), Some(LEVEL / 4.0), None]);
        for (one, level) in all.iter().zip([LEVEL / 4.0, LEVEL / 4.0, LEVEL / 6.0]) {
            assert_eq!(one.decides, one.deciding_interval(level));
        }
    }
}
