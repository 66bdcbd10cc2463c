//! Compares published figures with our measurements: the verdict on each figure.
//!
//! Our value is inside or outside the band that the figure's claim allows. If chance alone would rarely put it there,
//! the figure is *reproduced* or *differs*; otherwise it is *undecided*, and the reason says what would decide it.
//! The sampled figures of a page are decided together (`decide`). A figure whose parameters were tuned to match is
//! *calibrated*, never *reproduced*.

mod forms;
mod games;
mod judged;
mod measured;
mod readings;

use std::path::Path;
use std::sync::OnceLock;

use ikeru_bench_data::published::{Claims, FigureKind, FixedVerdict, Ours};
use ikeru_bench_data::{Figure, Mode, PublishedSource, builtin};
use ikeru_records::rows::Rows;
use ikeru_records::{Family, Result};
use ikeru_reports::sampled::StatisticKind;
use ikeru_statistics::{Bound, Interval};

use crate::evidence::{Evidence, Lacking, holm};

pub use self::games::decide_with_games;
pub use self::judged::{JudgedFigure, StoredKind};
pub use self::measured::{Measured, measure, ratio};
pub use self::readings::{Readings, decide_by_readings};

ikeru_core::names! {
    /// The verdict of our measurement on a published figure.
    #[derive(PartialOrd, Ord)]
    pub enum Verdict {
        /// Our interval is wholly inside the claimed band.
        Reproduced = "reproduced",
        /// Our interval is wholly inside the claimed band, but something was tuned to achieve this.
        Calibrated = "calibrated",
        /// Our interval is wholly outside the band.
        Differs = "differs",
        /// It differs under some readings of a rule that the text leaves open, and not under others.
        OpenRule = "open rule",
        /// Our interval contains an end of the band, or there is no interval.
        Undecided = "undecided",
        /// The same, and the interval is narrower than a tenth of the band: the true value is close to the end of the
        /// band.
        OnTheEdge = "on the edge",
        /// The source is wrong, and our rows confirm the corrected value; or the text of the source contradicts itself.
        Erratum = "erratum in the source",
        /// The figure is for another machine or another input, or it cannot be rerun.
        NotComparable = "not comparable",
        /// This run has no row for the figure.
        NotMeasured = "not measured in this run",
    }
}

impl Verdict {
    /// The number of facts with this verdict, with its noun or verb: `2 facts differ`.
    pub fn counted(self, count: usize) -> String {
        let word = match (self, count) {
            (Self::Differs, 1) => "fact differs",
            (Self::Differs, _) => "facts differ",
            (Self::OpenRule, 1) => "depends on an open rule",
            (Self::OpenRule, _) => "depend on an open rule",
            (Self::Erratum, 1) => "erratum",
            (Self::Erratum, _) => "errata",
            (Self::NotMeasured, _) => "not measured",
            _ => self.name(),
        };
        format!("{count} {word}")
    }
}

/// Judges one figure by the rows of a run.
///
/// # Errors
/// A figure that names an unknown statistic or an impossible range.
pub fn judge<'a>(
    rows: &Rows,
    source: &'a PublishedSource,
    figure: &'a Figure,
) -> Result<JudgedFigure<'a>> {
    let here = of_rows(rows, figure)?;
    if here.is_none() && figure.verdict.is_none() {
        let ours = of_rows(stored()?, figure)?;
        if ours.is_some() {
            return judged_by(stored()?, source, figure, ours, Some(StoredKind::Rows));
        }
    }
    let mut judged = judged_by(rows, source, figure, here, None)?;
    if judged.verdict == Verdict::NotMeasured {
        judged.remark = missed(rows, figure).unwrap_or_default();
    }
    Ok(judged)
}

/// Judges a figure by our measurement, which is of `rows`.
fn judged_by<'a>(
    rows: &Rows,
    source: &'a PublishedSource,
    figure: &'a Figure,
    ours: Option<Measured>,
    stored: Option<StoredKind>,
) -> Result<JudgedFigure<'a>> {
    let (verdict, chance) = verdict(figure, ours.as_ref());
    let remark = ours
        .as_ref()
        .map(|ours| forms::remark(rows, figure, ours, verdict));
    // Stored games have no times.
    let from = figure.ours.as_ref();
    let timed = from.filter(|_| stored != Some(StoredKind::Games));
    let seconds = timed.map(|ours| seconds(rows, ours));
    let own = from.map(|ours| rows_of(rows, ours)).transpose()?;
    let instances = own.map_or(0, |own| rows.distinct("instance_hash", &own).len());
    Ok(JudgedFigure {
        source,
        figure,
        stored,
        ours,
        verdict,
        chance,
        lacking: None,
        readings: None,
        decides: None,
        experiment: from.map_or(String::new(), |ours| ours.experiment.clone()),
        sampled: if instances > 1 { "instance" } else { "sample" },
        seconds: seconds.transpose()?.unwrap_or(0.0),
        remark: remark.transpose()?.unwrap_or_default(),
    })
}

/// What keeps rows of the figure's experiment from measuring it; `None` if there are no such rows.
fn missed(rows: &Rows, figure: &Figure) -> Option<String> {
    let ours = figure.ours.as_ref()?;
    let ran = rows.with("experiment", &ours.experiment);
    if ran.is_empty() {
        return None;
    }
    let only = ours.only.keys().map(String::as_str);
    let mut columns = ours.column.split('/').chain(only);
    let unknown = columns.find(|column| !rows.has(column));
    let lacks = match (unknown, &ours.is) {
        (Some(unknown), _) => format!("column `{unknown}`"),
        (None, FigureKind::RatioTo(_) | FigureKind::Order(_)) => {
            "ratio: a side has no solved row, or is negative or alone 0 on an instance".to_owned()
        }
        (None, FigureKind::Elo) => format!("share of points from 0 to 1 in `{}`", ours.column),
        (None, FigureKind::Rate { along, .. }) => {
            format!("instance with solved rows at three values of `{along}`")
        }
        (None, _) => "solved row that the figure selects".to_owned(),
    };
    Some(format!("The run has {}, but no {lacks}.", ours.experiment))
}

/// Our measurement of a figure by `rows`; `None` if it has no row, or if nothing measures the figure.
fn of_rows(rows: &Rows, figure: &Figure) -> Result<Option<Measured>> {
    let ours = figure.ours.as_ref().map(|ours| measure(rows, ours));
    Ok(ours.transpose()?.flatten())
}

/// Rows of long searches that were measured once: they judge the figures that a run does not measure.
fn stored() -> Result<&'static Rows> {
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
pub fn rows_of(rows: &Rows, ours: &Ours) -> Result<Vec<u32>> {
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
fn seconds(rows: &Rows, ours: &Ours) -> Result<f64> {
    let is_result = |column: &str| {
        let family = Family::of(column).map(|(family, _)| family);
        matches!(family, Some(Family::Counter | Family::Measure))
    };
    // The cost is that of the smaller number of instances on every side.
    let (mut each, mut instances) = (0.0, usize::MAX);
    let of_experiment = rows.with("experiment", &ours.experiment);
    for mut filter in ours.filters() {
        filter.retain(|column, _| !is_result(column));
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
/// [`LEVEL`] (Holm 1979), even if the page is judged `looks` times while its samples grow. The stored games of a figure
/// are one look more.
fn decide(figures: &mut [JudgedFigure], looks: u32) {
    let looks_at = |one: &JudgedFigure| f64::from(looks + u32::from(games::are_of(one)));
    let of_page = |one: &JudgedFigure| Some((one.chance? * looks_at(one)).min(1.0));
    let chances: Vec<f64> = figures.iter().filter_map(of_page).collect();
    let together = holm(&chances);
    let open = together.iter().filter(|chance| **chance > LEVEL).count();
    let sampled = figures.iter_mut().filter(|one| one.chance.is_some());
    for ((one, chance), together) in sampled.zip(&chances).zip(together) {
        // Holm's level for this figure: LEVEL divided by the number of figures that are not decided before it.
        let smaller = chances.iter().filter(|other| *other < chance);
        let before = smaller.count().min(chances.len() - open);
        let level = LEVEL / (chances.len() - before).max(1) as f64 / looks_at(one);
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
        let level = LEVEL / open.max(1) as f64 / looks_at(one);
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
pub const HARDLY: f64 = 1000.0;

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
    // Only of a location the single rows are compared.
    let extent = match ours.kind {
        StatisticKind::Location => ours.extent,
        StatisticKind::Extreme | StatisticKind::Whole => Interval::around(estimate.value, 0.0),
    };
    let is_far = ours.kind != StatisticKind::Whole && is_far(extent, band);
    let is_exact = figure.claims == Claims::Exact || is_far;
    // The rows of an erratum show the corrected value; without sampling, it has no interval.
    let is_shown = figure.corrected.is_some() && estimate.interval.is_none();
    let interval = match estimate.interval {
        _ if is_exact || is_shown => extent,
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
mod tests;
