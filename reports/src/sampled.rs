//! The statistics of tables, plots and published figures, and the units of their samples.
//!
//! The units are instances: each of several instances counts once, with the median (or mean) of its rows, and intervals
//! are over the instances. The repeats of a single cell are the sample themselves. Failed rows count as described at
//! [`Rows::sample`]; other skipped rows have no value.

use std::str::FromStr;

use crate::error::{ReportError, Result};
use crate::records::Outcome;
use crate::rows::Rows;
use crate::statistics::interval::share;
use crate::statistics::sample::CensoredSample;
use crate::statistics::{Bound, Estimate, mean};

/// A statistic: a function from many numbers to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// The median over the instances.
    Median,
    /// The mean over the instances; a share if all values of the column are 0 or 1.
    Mean,
    /// The smallest value.
    Minimum,
    /// The largest value.
    Maximum,
    /// The sum.
    Sum,
    /// The share of solved rows among those that ran, or were hopeless.
    Solved,
    /// The share of values above a limit.
    Over(f64),
}

/// How a statistic is related to the values that it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatisticKind {
    /// It lies in the middle of them.
    Location,
    /// It is one of them.
    Extreme,
    /// It is a sum or a share: no value tells anything of it.
    Whole,
}

/// The names in an experiment; in addition to these there is `over:NUMBER`.
const NAMED: [(&str, Statistic); 6] = [
    ("median", Statistic::Median),
    ("mean", Statistic::Mean),
    ("minimum", Statistic::Minimum),
    ("maximum", Statistic::Maximum),
    ("sum", Statistic::Sum),
    ("solved", Statistic::Solved),
];

impl FromStr for Statistic {
    type Err = ReportError;

    fn from_str(text: &str) -> Result<Self> {
        let limit = text.strip_prefix("over:");
        let limit = limit.and_then(|limit| limit.parse().ok());
        let limit = limit.filter(|limit: &f64| limit.is_finite());
        let named = NAMED.into_iter().find(|(word, _)| *word == text);
        let named = named.map(|(_, statistic)| statistic);
        let known = named.or(limit.map(Self::Over));
        known.ok_or_else(|| ReportError::unknown("statistic", text, Self::words()))
    }
}

impl Statistic {
    /// The names of all statistics.
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(word, _)| *word).chain(["over:NUMBER"])
    }

    /// The statistic of `column` over `selection`; `None` if no row has a value.
    pub fn of(self, rows: &Rows, column: &str, selection: &[u32]) -> Option<Estimate> {
        let sample = || rows.sample(column, selection);
        match self {
            Self::Median => rows.medians(column, selection).median(),
            Self::Mean => mean_or_share(rows, column, selection),
            Self::Minimum => extreme(&sample(), f64::min, Bound::AtMost),
            Self::Maximum => extreme(&sample(), f64::max, Bound::AtLeast),
            Self::Sum => {
                let all = sample();
                all.values.first()?;
                let values = all.values.iter().copied();
                // Repeats of a cell count once; one without a value is as bad as the worst of the others.
                let worst = match all.bound {
                    Bound::AtMost => values.reduce(f64::min),
                    Bound::Either => None,
                    Bound::Exact | Bound::AtLeast => values.reduce(f64::max),
                };
                let cells = rows.group_by(&["cell", "instance_hash"], selection);
                let means = cells.iter().map(|own| rows.sample(column, own)).map(|own| {
                    let without = if own.missing > 0 { worst } else { Some(0.0) };
                    mean(&own.values).or(without)
                });
                Some(Estimate::bounded(means.sum::<Option<f64>>()?, all.bound))
            }
            Self::Solved => solved(rows, selection),
            Self::Over(limit) => {
                let above = |value| f64::from(u8::from(value > limit));
                share_over(rows, column, selection, above)
            }
        }
    }

    /// How the statistic is related to the values of the rows.
    pub fn kind(self, rows: &Rows, column: &str, selection: &[u32]) -> StatisticKind {
        match self {
            Self::Median => StatisticKind::Location,
            Self::Mean if !is_share(rows, column, selection) => StatisticKind::Location,
            Self::Minimum | Self::Maximum => StatisticKind::Extreme,
            Self::Mean | Self::Sum | Self::Solved | Self::Over(_) => StatisticKind::Whole,
        }
    }
}

/// The rows of `own` on the questions that every value of `side` has, among the rows that are equal in `within`; on the
/// instances if there is no such question, and all of these rows if there is no such instance. A solved row without a
/// value of `column` does not count, and neither does one on which the referee failed. Values next to each other are then
/// of the same questions, although further samples of one of them were taken.
pub fn comparable(
    rows: &Rows,
    own: &[u32],
    within: &[&str],
    side: &str,
    (statistic, column): (Statistic, &str),
) -> Vec<u32> {
    // A hopeless question has no time, but it was not solved.
    let is_of_solved = statistic == Statistic::Solved;
    let own = &*rows.without_placebo(own);
    let column = rows.compared(column, own);
    let is_asked = |row: &u32| match rows.outcome(*row) {
        _ if rows.is_hopeless(*row) => is_of_solved,
        Some(Outcome::Solved) => is_of_solved || rows.number(&column, *row).is_some(),
        // A refused question has no value to compare.
        Some(Outcome::Skipped) => is_of_solved || rows.is_failed(*row),
        _ => rows.counts(*row),
    };
    let mut kept = Vec::new();
    for group in rows.group_by(within, own) {
        let asked: Vec<u32> = group.iter().copied().filter(is_asked).collect();
        let sides = rows.distinct(side, &asked).len();
        // If a setting of the question is compared, no question has all sides.
        let units: [&[&str]; 2] = [&["instance_hash", "question"], &["instance_hash"]];
        let mut common = units.into_iter().map(|unit| {
            let mut common = rows.group_by(unit, &asked);
            common.retain(|own| rows.distinct(side, own).len() == sides);
            common.concat()
        });
        let common = common.find(|common| !common.is_empty());
        kept.extend(common.unwrap_or(group));
    }
    kept.sort_unstable();
    kept
}

/// Returns whether the column says yes or no: there are values, and every row of the problem has 0 or 1. A few rows of a
/// count or of a percentage may do so by chance.
pub fn is_share(rows: &Rows, column: &str, selection: &[u32]) -> bool {
    let all = |row: &u32| rows.with("problem", rows.text("problem", *row));
    let whole = || rows.numbers(column, &selection.first().map_or(Vec::new(), all));
    let own = rows.numbers(column, selection).into_iter();
    let mut values = own.chain(std::iter::once_with(whole).flatten()).peekable();
    let is_part = |value: f64| value == 0.0 || value == 1.0;
    !column.ends_with("_percent") && values.peek().is_some() && values.all(is_part)
}

/// The mean; a share if all values are 0 or 1.
fn mean_or_share(rows: &Rows, column: &str, selection: &[u32]) -> Option<Estimate> {
    if is_share(rows, column, selection) {
        return share_over(rows, column, selection, |value| value.clamp(0.0, 1.0));
    }
    rows.means(column, selection).mean()
}

/// The extreme value. Censored values whose bound is `far` make it a bound; others only if the extreme is censored.
fn extreme(sample: &CensoredSample, outer: fn(f64, f64) -> f64, far: Bound) -> Option<Estimate> {
    let value = sample.values.iter().copied().reduce(outer)?;
    let bound = match sample.bound == far {
        true => far,
        false => sample.bound_at(value),
    };
    Some(Estimate::bounded(value, bound))
}

/// The rows that ran, grouped by instance, and the sample size. A hopeless question counts as one that was not solved.
pub fn ran(rows: &Rows, selection: &[u32]) -> (Vec<Vec<u32>>, usize) {
    let mut ran = selection.to_vec();
    let is_skipped = |row: u32| matches!(rows.outcome(row), Some(Outcome::Skipped) | None);
    ran.retain(|row| rows.counts(*row) && (!is_skipped(*row) || rows.is_hopeless(*row)));
    let instances = rows.group_by(&["instance_hash"], &ran);
    let sampled = match instances.as_slice() {
        [one] => one.len(),
        many => many.len(),
    };
    (instances, sampled)
}

fn solved(rows: &Rows, selection: &[u32]) -> Option<Estimate> {
    let of = |own: &Vec<u32>| rows.solved(own).len() as f64 / own.len() as f64;
    let (instances, sampled) = ran(rows, selection);
    let is_sample = instances.len() > 1 || rows.is_one_cell(&instances.concat());
    let shares: Vec<f64> = instances.iter().map(of).collect();
    let share = share(mean(&shares)?, sampled)?;
    let interval = share.interval.filter(|_| is_sample);
    Some(Estimate { interval, ..share })
}

/// The mean over the instances of the share of values for which `part` is 1 (and not 0). A failed run without a value is
/// worse than all values; where no side is worse, it makes the share uncertain.
fn share_over(
    rows: &Rows,
    column: &str,
    selection: &[u32],
    part: impl Fn(f64) -> f64,
) -> Option<Estimate> {
    let mut of_each = CensoredSample::default();
    for own in rows.instances(column, selection) {
        let parts: Vec<f64> = own.ranked().iter().map(|value| part(*value)).collect();
        // A stopped value is known if its part is the same at the limit and beyond.
        let is_same_to = |end| own.stopped_at.is_none_or(|at| part(at) == part(end));
        let is_known = match own.bound {
            Bound::Exact => true,
            Bound::AtLeast => is_same_to(f64::INFINITY),
            Bound::AtMost => is_same_to(f64::NEG_INFINITY),
            Bound::Either => false,
        };
        let bound = if is_known { Bound::Exact } else { own.bound };
        match mean(&parts) {
            Some(share) => of_each.push(share, bound),
            None if own.missing > 0 => of_each.push_missing(bound),
            None => {}
        }
    }
    let units = rows.means(column, selection);
    let mut share = share(mean(&of_each.values)?, units.sample.ranked().len())?;
    share.bound = of_each.bound;
    let [below, above] = share.bound.open_sides();
    if let Some(ends) = &mut share.interval {
        ends.low = if below { 0.0 } else { ends.low };
        ends.high = if above { 1.0 } else { ends.high };
    }
    Some(units.honest(share))
}

#[cfg(test)]
mod tests {
    use ikeru_core::Direction;

    use super::*;
    use crate::rows_of as rows;

    const TEXT: &str = "schema,outcome,wall_ns\n1,solved,10\n1,timeout,60\n1,timeout,60\n1,skipped,\n1,crashed,5\n1,solved,20\n1,timeout,60\n";

    fn of(statistic: &str, text: &str) -> Estimate {
        let rows = rows(text);
        let statistic: Statistic = statistic.parse().expect("a statistic");
        statistic.of(&rows, "wall_ns", &rows.all()).expect("values")
    }

    #[test]
    fn stopped_runs_count_at_their_limit_and_are_flagged() {
        let of = |statistic| of(statistic, TEXT);
        let bound = |statistic| (of(statistic).value, of(statistic).bound);
        assert_eq!(bound("median"), (60.0, Bound::AtLeast));
        assert_eq!(bound("minimum"), (10.0, Bound::Exact));
        assert_eq!(bound("maximum"), (60.0, Bound::AtLeast));
        // The crashed row and the refused row count as timeouts.
        let lines = TEXT.lines().enumerate();
        let of_cells = lines.map(|(at, line)| match at {
            0 => format!("{line},cell\n"),
            _ => format!("{line},c{at}\n"),
        });
        let sum = self::of("sum", &of_cells.collect::<String>());
        // The refused row is of a cell that never ran.
        assert_eq!((sum.value, sum.bound), (270.0, Bound::AtLeast));
        assert_eq!(of("over:15").value, 6.0 / 7.0);
        assert_eq!(
            [of("over:15").bound, of("over:60").bound],
            [Bound::Exact, Bound::AtLeast]
        );
        assert_eq!(of("solved").value, 2.0 / 6.0);
        assert!("middle".parse::<Statistic>().is_err());
    }

    #[test]
    fn the_score_of_a_stopped_search_is_a_bound_on_the_side_that_is_better() {
        let mut rows = rows(
            "schema,problem,outcome,score,bound,measure_moves,counter_nodes\n\
             1,path,timeout,9,7,3,5\n1,trail,timeout,9,12,3,5\n1,unknown,timeout,9,12,3,5\n",
        );
        rows.set_directions([
            ("path", Direction::Minimize),
            ("trail", Direction::Maximize),
        ]);
        let bound = |column, row| {
            let score = Statistic::Median.of(&rows, column, &[row]);
            score.expect("a value").bound
        };
        assert_eq!(bound("score", 0), Bound::AtMost);
        assert_eq!(bound("score", 1), Bound::AtLeast);
        assert_eq!(bound("score", 2), Bound::Either);
        assert_eq!(bound("counter_nodes", 0), Bound::AtLeast);
        assert_eq!(bound("measure_moves", 0), Bound::Either);
        assert_eq!(bound("bound", 0), Bound::Exact);
    }

    #[test]
    fn instances_are_the_sample_and_rows_of_one_cell_where_there_is_one() {
        let text = |row: fn(u32) -> String| {
            let rows: String = (0..12).map(row).collect();
            format!("schema,outcome,instance_hash,cell,wall_ns\n{rows}")
        };
        let ends = |statistic: &str, text: &str| of(statistic, text).interval.is_some();
        // Twelve repeats of one cell; one row of each of twelve instances; three rows of each of four instances; twelve
        // questions on one instance.
        let repeats = text(|at| format!("1,solved,h,c,{at}\n"));
        let instances = text(|at| format!("1,solved,h{at},c{at},{at}\n"));
        let four = text(|at| format!("1,solved,h{},c{},{at}\n", at % 4, at % 4));
        let questions = text(|at| format!("1,solved,h,c{at},{at}\n"));
        for (text, median, others) in [
            (&repeats, true, true),
            (&instances, true, true),
            (&four, false, true),
            (&questions, false, false),
        ] {
            assert_eq!(ends("median", text), median, "{text}");
            for statistic in ["mean", "over:3", "solved"] {
                assert_eq!(ends(statistic, text), others, "{statistic}: {text}");
            }
        }
        // The median of the medians of (0, 4, 8), (1, 5, 9), (2, 6, 10) and (3, 7, 11).
        assert_eq!(of("median", &four).value, 5.5);
        let wide = of("over:3", &four).interval.expect("four instances");
        let narrow = of("over:3", &instances).interval.expect("twelve instances");
        assert!(wide.high - wide.low > 1.3 * (narrow.high - narrow.low));
    }

    #[test]
    fn a_failed_sample_is_on_the_worse_side_of_a_share() {
        let mut text = "schema,problem,outcome,instance_hash,score,measure_won\n".to_owned();
        for seed in 0..24 {
            text += &match seed {
                0..3 => format!("1,p,crashed,i{seed},,\n"),
                3..17 => format!("1,p,solved,i{seed},40,1\n"),
                _ => format!("1,p,solved,i{seed},20,0\n"),
            };
        }
        let mut rows = rows(&text);
        let mut share = |statistic: Statistic, column, direction| {
            rows.set_directions([("p", direction)]);
            let share = statistic.of(&rows, column, &rows.all()).expect("values");
            (share.value, share.bound, share.interval)
        };
        let over = Statistic::Over(30.0);
        let (most, bound, interval) = share(over, "score", Direction::Maximize);
        assert_eq!((most, bound), (14.0 / 24.0, Bound::Exact));
        assert_eq!(interval, super::share(most, 24).expect("a share").interval);
        let (least, ..) = share(over, "score", Direction::Minimize);
        assert_eq!(least, 17.0 / 24.0);
        for statistic in [over, Statistic::Mean] {
            let (_, bound, interval) = share(statistic, "measure_won", Direction::Maximize);
            assert_eq!(bound, Bound::Either);
            let ends = interval.expect("an interval");
            assert_eq!((ends.low, ends.high), (0.0, 1.0), "both ends are open");
        }
    }

    #[test]
    fn a_failed_sample_of_a_sum_is_as_bad_as_the_worst() {
        let mut rows = rows(
            "schema,problem,cell,instance_hash,outcome,score\n1,p,c1,h1,solved,20\n1,p,c2,h2,solved,100\n1,p,c3,h3,crashed,\n",
        );
        for (direction, expected) in [
            (Direction::Maximize, (140.0, Bound::AtMost)),
            (Direction::Minimize, (220.0, Bound::AtLeast)),
        ] {
            rows.set_directions([("p", direction)]);
            let sum = Statistic::Sum.of(&rows, "score", &rows.all());
            assert_eq!(sum.map(|sum| (sum.value, sum.bound)), Some(expected));
        }
    }

    #[test]
    fn what_is_compared_has_a_value_on_the_same_instances_and_was_judged() {
        let text = "schema,cell,label,instance_hash,outcome,counter_n\n\
             1,ah1,a,h1,solved,8\n1,ah2,a,h2,solved,\n1,ah3,a,h3,referee-failed,\n1,ah4,a,h4,crashed,\n\
             1,bh1,b,h1,solved,9\n1,bh2,b,h2,solved,1\n1,bh3,b,h3,solved,1\n1,bh4,b,h4,solved,7\n\
             1,ah5,a,h5,skipped,\n1,bh5,b,h5,solved,7\n";
        let rows = rows(text);
        let kept = |statistic| {
            let kept = comparable(&rows, &rows.all(), &[], "label", (statistic, "counter_n"));
            rows.distinct("instance_hash", &kept)
        };
        assert_eq!(kept(Statistic::Median), ["h1", "h4"]);
        assert_eq!(kept(Statistic::Solved), ["h1", "h2", "h4", "h5"]);
        let solved = Statistic::Solved.of(&rows, "score", &rows.with("label", "a"));
        assert_eq!(solved.map(|share| share.value), Some(2.0 / 3.0));
    }

    #[test]
    fn a_sum_has_every_cell_once_and_the_placebo_decides_nothing() {
        let text = "schema,label,cell,instance_hash,outcome,score\n1,v@base,c1,h1,solved,4\n1,v@base,c1,h1,solved,4\n\
             1,v@base,c2,h2,solved,6\n1,v@head,c3,h1,crashed,\n1,v@head,c4,h2,solved,7\n1,v@base again,c5,h2,solved,6\n";
        let rows = rows(text);
        let sum = Statistic::Sum.of(&rows, "score", &rows.with("label", "v@base"));
        assert_eq!(sum.map(|sum| sum.value), Some(10.0));
        // The placebo was not asked of h1, on which head crashed.
        let shown = (Statistic::Solved, "score");
        let kept = comparable(&rows, &rows.all(), &[], "label", shown);
        assert_eq!(rows.distinct("label", &kept), ["v@base", "v@head"]);
        assert_eq!(rows.ended(&kept, Outcome::Crashed).len(), 1);
    }

    #[test]
    fn what_is_compared_has_the_same_questions_or_else_the_same_instances() {
        let text = "schema,label,instance_hash,question,setting_steps,outcome,counter_n\n\
             1,a,h1,q1,1,solved,8\n1,a,h1,q2,2,solved,90\n1,b,h1,q1,1,solved,9\n1,a,h2,q3,1,solved,5\n";
        let rows = rows(text);
        let kept = |side| {
            let shown = (Statistic::Mean, "counter_n");
            rows.distinct(
                "question",
                &comparable(&rows, &rows.all(), &[], side, shown),
            )
        };
        assert_eq!(kept("label"), ["q1"]);
        assert_eq!(kept("setting_steps"), ["q1", "q2"]);
    }

    #[test]
    fn a_hopeless_question_has_no_time_and_was_not_solved() {
        // `slow` answers the two small ones; the large ones are hopeless after its timeout.
        let mut text = "schema,label,instance_hash,outcome,asked,detail,wall_ns\n".to_owned();
        for size in 1..=8 {
            text += &format!("1,fast,h{size},solved,true,,{size}0\n");
            text += &match size {
                1 | 2 => format!("1,slow,h{size},solved,true,,{size}5\n"),
                3 => format!("1,slow,h{size},timeout,true,,90\n"),
                _ => format!("1,slow,h{size},skipped,false,hopeless,\n"),
            };
        }
        let rows = rows(&text);
        let of = |statistic| {
            let kept = comparable(&rows, &rows.all(), &[], "label", (statistic, "wall_ns"));
            rows.group("label", &kept)
                .into_iter()
                .map(|(_, own)| statistic.of(&rows, "wall_ns", &own).expect("a value").value)
                .collect::<Vec<f64>>()
        };
        // Of the three common instances, and of all.
        assert_eq!(of(Statistic::Median), [20.0, 25.0]);
        assert_eq!(of(Statistic::Solved), [1.0, 0.25]);
    }

    #[test]
    fn the_mean_of_zeros_and_ones_is_a_share() {
        let text =
            "schema,outcome,instance_hash,wall_ns\n1,solved,a,1\n1,solved,b,1\n1,solved,c,1\n";
        let lost = of("mean", text).interval.expect("Wilson's");
        assert!(
            lost.high == 1.0 && (lost.low - 0.4385).abs() < 1e-4,
            "{lost:?}"
        );
    }

    #[test]
    fn a_column_without_a_value_is_no_share() {
        let lost = "schema,problem,outcome,instance_hash,score,measure_won\n1,p,crashed,a,,\n1,p,crashed,b,,\n";
        let mut rows = rows(&(lost.to_owned() + "1,other,solved,c,7,1\n"));
        for direction in [Direction::Maximize, Direction::Minimize] {
            rows.set_directions([("p", direction)]);
            for column in ["score", "measure_won", "counter_n"] {
                let mean = Statistic::Mean.of(&rows, column, &rows.with("problem", "p"));
                assert_eq!(mean, None, "{column}");
            }
        }
        // A lost match is a match, if the column has values elsewhere.
        let played = self::rows(&(lost.replace("measure", "counter") + "1,p,solved,c,7,1\n"));
        let mean = Statistic::Mean.of(&played, "counter_won", &[0, 1]);
        assert!(mean.is_some_and(|mean| mean.value == 1.0), "{mean:?}");
    }

    #[test]
    fn a_count_or_a_percentage_that_is_constant_is_no_share() {
        let rows = rows(
            "schema,problem,outcome,instance_hash,label,measure_templates,measure_lost,measure_excess_percent\n\
             1,build,solved,a,domino,1,1,0\n1,build,solved,b,domino,1,1,0\n1,build,solved,a,stairs,10,0,0\n\
             1,versus,solved,a,other,1,7,0\n",
        );
        let domino = rows.with("label", "domino");
        for (column, is_share) in [
            ("measure_templates", false),
            ("measure_excess_percent", false),
            ("measure_lost", true),
        ] {
            let mean = Statistic::Mean.of(&rows, column, &domino).expect("values");
            assert_eq!(mean.interval.is_some(), is_share, "{column}");
        }
    }
}
