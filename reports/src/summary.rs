//! Summaries of all cells, in the order of the experiments: `summary.csv`, and the summaries on the page.

use std::collections::HashMap;

use ikeru_bench_data::{Experiment, Pairing};
use ikeru_compare::LEVEL;
use ikeru_compare::center::EffectScale;
use ikeru_compare::decide::{Difference, Question, factor};
use ikeru_compare::pairing::{self, Pair, Side};

use crate::records::{Family, Outcome};
use crate::rows::{QUESTION, Rows, TIME, WAYS};
use crate::sampled::Statistic;
use crate::statistics::{Bound, Estimate};
use crate::whole::{CsvTable, number};

/// The summary of a cell: all repeats of one label on one instance with the same settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// A row of the cell, for the columns that are constant in a cell.
    pub row: u32,
    /// The rows of the cell.
    pub rows: Vec<u32>,
    /// The number of rows.
    pub n: usize,
    /// The number of solved rows.
    pub solved: usize,
    /// The number of timeouts.
    pub timeouts: usize,
    /// The number of failed rows, in words: `8 of 12 crashed`; empty if none failed.
    pub failed: String,
    /// The number of suspect samples, by their canary.
    pub suspect: usize,
    /// The column of the times: one clock for all cells of an experiment.
    pub clock: String,
    /// The median time of an answer in nanoseconds; a lower bound if timeouts determine it. `None` if at least half
    /// of the rows failed.
    pub time: Option<Estimate>,
    /// The baseline's time divided by this cell's, as in all comparisons of the two labels.
    pub speed_up: Option<Estimate>,
    /// The column of the times of the speed-up: CPU time where both sides have it.
    pub speed_up_clock: Option<String>,
    /// The median of the confirmed scores, including those of timeouts.
    pub score: Option<Estimate>,
    /// The median of the bounds: no answer can have a better score.
    pub bound: Option<f64>,
}

impl Summary {
    /// The outcome of the cell's samples, in few words.
    pub fn outcome(&self, rows: &Rows) -> String {
        match (self.solved, self.timeouts, self.n) {
            (solved, _, n) if solved == n => "solved".to_owned(),
            (_, stopped, n) if stopped == n => "stopped at the limit".to_owned(),
            _ if !self.failed.is_empty() => self.failed.clone(),
            (0, 0, _) => rows.text("outcome", self.row).to_owned(),
            (solved, _, n) => format!("{solved} of {n} solved"),
        }
    }
}

/// The columns of counters and measures.
pub fn measured(rows: &Rows) -> Vec<&str> {
    let measures = rows.family(Family::Measure);
    rows.family(Family::Counter).chain(measures).collect()
}

/// The summaries of all cells, sorted by experiment, instance, question and label, each in the order of
/// [`Rows::set_order`]. `experiments` determine the baselines; a cell of another experiment has no speed-up.
pub fn summarize(rows: &Rows, experiments: &[Experiment]) -> Vec<Summary> {
    let cells = cells(rows, experiments);
    let clocks = rows.group("experiment", &rows.all()).into_iter();
    let clocks = clocks.map(|(name, own)| (name, rows.compared(TIME, &own).into_owned()));
    let clocks: HashMap<String, String> = clocks.collect();
    let clock = |cell: &[u32]| {
        let known = clocks.get(rows.text("experiment", cell[0]));
        known.map_or(TIME, String::as_str)
    };
    cells
        .iter()
        .map(|own| {
            let cell = &own.rows;
            let outcome = |outcome| rows.ended(cell, outcome).len();
            let sample = rows.sample(clock(cell), cell);
            let against = own.against.as_ref();
            let speed_up = against.and_then(|against| against.speed_up(rows));
            Summary {
                row: cell[0],
                rows: cell.clone(),
                n: cell.len(),
                solved: outcome(Outcome::Solved),
                timeouts: outcome(Outcome::Timeout),
                suspect: rows.suspect(cell),
                failed: rows.failed_in_words(cell),
                clock: clock(cell).to_owned(),
                time: sample.median().filter(|_| !sample.failed_mostly()),
                speed_up_clock: against
                    .filter(|_| speed_up.is_some())
                    .map(|against| against.clock.clone()),
                speed_up,
                score: Statistic::Median.of(rows, "score", cell),
                // A proven score needs no bound, which other samples of the cell may have.
                bound: Statistic::Median
                    .of(rows, "bound", cell)
                    .map(|bound| bound.value)
                    .filter(|_| !cell.iter().any(|row| rows.text("exact", *row) == "true")),
            }
        })
        .collect()
}

/// The distance of the bound from the score, as a share of the score; `None` if the score is 0.
pub fn gap(score: Option<f64>, bound: Option<f64>) -> Option<f64> {
    let (score, bound) = (score?, bound?);
    (score != 0.0).then(|| ((bound - score) / score).abs())
}

/// The rows of a cell, and its pair with the baseline.
#[derive(Debug)]
pub(crate) struct SummaryCell {
    pub(crate) rows: Vec<u32>,
    /// `None` if the baseline has no row of the question.
    pub(crate) against: Option<AgainstLabel>,
}

/// The rows of the baseline that are paired with a cell's.
#[derive(Debug)]
pub(crate) struct AgainstLabel {
    /// The rows of the baseline and those of the cell; on each machine, if there are several.
    pub(crate) pairs: Vec<Pair>,
    /// True if the baseline has several settings under one label.
    pub(crate) is_of_several: bool,
    /// The column of the times: that which both labels have.
    clock: String,
    /// True if the cell is the baseline's.
    pub(crate) is_itself: bool,
}

impl AgainstLabel {
    /// The rows of the baseline, and those of the cell.
    pub(crate) fn sides(&self) -> [Vec<u32>; 2] {
        let pairs = self.pairs.iter();
        [
            pairs.clone().flat_map(|pair| pair.a.clone()).collect(),
            pairs.flat_map(|pair| pair.b.clone()).collect(),
        ]
    }

    /// The baseline's time divided by the cell's; `None` if timeouts determine the cell's, or if at least half of the baseline
    /// failed.
    fn speed_up(&self, rows: &Rows) -> Option<Estimate> {
        let [base, own] = self
            .sides()
            .map(|own| rows.sample_with_hopeless(&self.clock, &own));
        if own.median_is_bound() || base.failed_mostly() {
            return None;
        }
        let question = |pair| Question::of(pair, [rows; 2], false, &self.clock);
        let instance = [self.pairs.iter().map(question).collect()];
        let found = Difference::of(&[&instance], EffectScale::Logarithm, LEVEL)?;
        Some(match self.is_itself {
            true => Estimate::exact(1.0),
            false => found.these.estimate.map(factor),
        })
    }
}

/// All cells, sorted by experiment and instance in the order of [`Rows::set_order`], then by question, then by label in the
/// order of [`Rows::set_order`]. Each is compared with the rows of the baseline's label with which its label's are paired.
pub(crate) fn cells(rows: &Rows, experiments: &[Experiment]) -> Vec<SummaryCell> {
    let mut by = vec!["experiment", "instance", "size", "seed", "instance_hash"];
    by.extend(rows.family(Family::Setting));
    by.extend(QUESTION.iter().filter(|name| **name != "instance_hash"));
    by.extend(["label", "variant"]);
    by.extend(rows.family(Family::Method));
    let key = |row: u32| -> Vec<&str> { by.iter().map(|name| rows.text(name, row)).collect() };
    let cell = |rows| SummaryCell {
        rows,
        against: None,
    };
    let cells = rows.group_by(&by, &rows.all()).into_iter().map(cell);
    let mut cells: Vec<SummaryCell> = cells.collect();
    let places = cells.iter().enumerate();
    let places: HashMap<Vec<&str>, usize> =
        places.map(|(at, cell)| (key(cell.rows[0]), at)).collect();
    for experiment in experiments {
        let labels = rows.group("label", &rows.with("experiment", &experiment.name));
        let name = baseline_label(experiment);
        let Some((baseline, base)) = labels.iter().find(|(it, _)| Some(it) == name.as_ref()) else {
            continue;
        };
        for (label, own) in &labels {
            let [a, b] = [base, own].map(|own| Side { rows, own });
            let clock = pairing::shared_column(TIME, [a, b]);
            let columns = pairing::columns_of_times(Pairing::Question, a, b);
            let joined = pairing::join(a, b, &columns).instances;
            for pair in joined.into_iter().flatten() {
                let of_base = rows.group_by(&by, &pair.a).len();
                for own in rows.group_by(&by, &pair.b) {
                    let Some(at) = places.get(&key(own[0])) else {
                        continue;
                    };
                    let is_itself = label == baseline;
                    let a = if is_itself { &own } else { &pair.a };
                    let against = cells[*at].against.get_or_insert_with(|| AgainstLabel {
                        pairs: Vec::new(),
                        is_of_several: of_base > 1,
                        clock: clock.clone().into_owned(),
                        is_itself,
                    });
                    against.pairs.push(Pair {
                        a: a.clone(),
                        b: own,
                    });
                }
            }
        }
    }
    cells
}

/// The label of the baseline of an experiment's speed-ups; `None` if the experiment names no baseline and its first
/// variant is `*`.
pub fn baseline_label(experiment: &Experiment) -> Option<String> {
    let first = || Some(experiment.variant_specs().ok()?.into_iter().next()?.label);
    let named = || first().filter(|label| label != "*");
    experiment.baseline.clone().or_else(named)
}

/// The clock of a column of times: `cpu` or `wall`.
pub(crate) fn clock_word(column: &str) -> String {
    let word = column.strip_suffix("_ns").unwrap_or(column);
    word.replace("time", "cpu")
}

/// The columns of `summary.csv`.
pub fn table(rows: &Rows) -> CsvTable<'_, &Summary> {
    let words = "experiment problem instance instance_hash size label variant";
    let mut table = CsvTable::default();
    for name in words.split(' ').chain(WAYS).chain(rows.settings()) {
        table = table.column(name, move |one: &&Summary| rows.text(name, one.row));
    }
    let is_at_least = |time: Estimate| time.bound == Bound::AtLeast;
    table = table
        .column("n", |one| one.n)
        .column("solved", |one| one.solved)
        .column("timeouts", |one| one.timeouts)
        .column("failed", |one| &one.failed)
        .column("suspect", |one| one.suspect)
        .column("clock", |one| clock_word(&one.clock))
        .estimate("median_ns", |one| one.time)
        .column("at_least", move |one| one.time.is_some_and(is_at_least))
        .estimate("speed_up", |one| one.speed_up)
        .column("speed_up_clock", |one| {
            one.speed_up_clock
                .as_deref()
                .map(clock_word)
                .unwrap_or_default()
        })
        .column("score", |one| number(one.score.map(|score| score.value)))
        .column("bound", |one| number(one.bound))
        .column("gap", |one| {
            number(gap(one.score.map(|score| score.value), one.bound))
        });
    for name in measured(rows) {
        let of_cell = move |one: &&Summary| {
            // PERF: most counters do not scatter.
            if one.solved == one.n
                && let Some(value) = rows.common(name, &one.rows)
            {
                return number(value);
            }
            let median = Statistic::Median.of(rows, name, &one.rows);
            // No column marks a median that timeouts or failures decide.
            number(
                median
                    .filter(|it| it.bound == Bound::Exact)
                    .map(|it| it.value),
            )
        };
        table = table.column(format!("median_{name}"), of_cell);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment_of;
    use crate::rows_of as rows;

    #[test]
    fn a_cell_is_compared_with_the_baseline_of_its_question() {
        let experiment = experiment_of("'slow','fast'", "");
        let mut rows = rows(
            "schema,experiment,instance_hash,question,label,setting_steps,outcome,score,wall_ns,counter_nodes\n\
             1,e,h,q3,fast,3,solved,3,30,5\n1,e,h,q1,fast,1,solved,3,10,5\n1,e,h,q1,slow,1,solved,3,100,7\n\
             1,e,h,q2,slow,2,timeout,2,900,7\n1,e,h,q1,slow,1,solved,3,100,7\n1,e,h,q2,fast,2,solved,3,30,5\n",
        );
        rows.set_order("label", ["slow", "fast"]);
        let summaries = summarize(&rows, &[experiment]);
        let faster: Vec<_> = summaries
            .iter()
            .map(|cell| cell.speed_up.map(|faster| (faster.value, faster.bound)))
            .collect();
        let expected = [
            Some((1.0, Bound::Exact)),
            Some((10.0, Bound::Exact)),
            None,
            Some((30.0, Bound::AtLeast)),
            None,
        ];
        assert_eq!(faster, expected);
        assert_eq!(summaries[0].n, 2);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("summary.csv");
        table(&rows).write(&path, &summaries).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text.lines().count(), 6);
        // A speed-up of ten from two samples and one sample, without an interval.
        assert!(text.contains(",10,,,wall,3,,,5"), "{text}");
        assert!(text.contains(",100,,,false,1,1,1,wall,3,"), "{text}");
    }

    #[test]
    fn a_median_that_failures_or_stops_decide_is_not_that_of_the_others() {
        let medians = |lost: &str, count: usize| {
            let head =
                "schema,experiment,cell,instance_hash,label,outcome,counter_nodes,measure_steps\n";
            let told = "1,e,c,h,a,solved,3,4\n".repeat(10 - count);
            let rows = rows(&format!("{head}{told}{}", lost.repeat(count)));
            let mut text = csv::Writer::from_writer(Vec::new());
            let summaries = summarize(&rows, &[]);
            table(&rows).fill(&mut text, &summaries).expect("written");
            let text = String::from_utf8(text.into_inner().expect("whole")).expect("text");
            let fields = |line: usize| text.lines().nth(line).expect("a line").split(',');
            let field = |name: &str| {
                let at = fields(0).position(|own| own == name).expect(name);
                fields(1).nth(at).unwrap_or_default().to_owned()
            };
            ["median_counter_nodes", "median_measure_steps"].map(field)
        };
        for lost in ["1,e,c,h,a,crashed,,\n", "1,e,c,h,a,timeout,,\n"] {
            assert_eq!(medians(lost, 0), ["3", "4"], "{lost}");
            assert_eq!(medians(lost, 4)[0], "3", "{lost}");
            assert_eq!(medians(lost, 6), ["", ""], "{lost}");
        }
    }

    #[test]
    fn a_baseline_with_settings_under_one_label_has_all_of_them() {
        let experiment = experiment_of(
            "{name='a',label='a',set={w=[1,2]}},{name='b',set={w=[2]}},'c'",
            "",
        );
        let mut text = "schema,experiment,instance_hash,question,label,method_w,mode,session,round,outcome,wall_ns,batch_ns,iterations\n".to_owned();
        for round in 0..12 {
            for (label, width, time) in [
                ("a", "1", 20),
                ("a", "2", 80),
                ("b", "2", 40),
                ("c", "", 40),
            ] {
                text +=
                    &format!("1,e,h,q,{label},{width},isolated,1,{round},solved,{time},{time},1\n");
            }
        }
        let (rows, experiments) = (rows(&text), [experiment]);
        let summaries = summarize(&rows, &experiments);
        let faster = summaries
            .iter()
            .map(|cell| cell.speed_up.map(|it| it.value));
        assert_eq!(faster.collect::<Vec<_>>(), [Some(1.0); 4]);
        let decided = crate::decisions::comparisons(&rows, &experiments);
        let decided: Vec<_> = decided.iter().collect();
        let said = decided
            .iter()
            .map(|one| (one.label.as_str(), one.row().decision.name()));
        assert_eq!(
            said.collect::<Vec<_>>(),
            [("b", "undecided"), ("c", "undecided")]
        );
        let table = crate::decisions_table(&decided, 9);
        assert!(table.notes[1].starts_with("b is not compared where a has several settings"));
    }

    #[test]
    fn the_default_baseline_is_the_first_label() {
        for (variants, expected) in [
            ("{name='a',set={w=[1,2]}},'b'", Some("a w=1")),
            ("{name='a',label='a {w}',set={w=[1,2]}}", Some("a 1")),
            ("'a','b'", Some("a")),
            ("'*'", None),
        ] {
            assert_eq!(
                baseline_label(&experiment_of(variants, "")).as_deref(),
                expected
            );
        }
    }

    #[test]
    fn six_samples_have_an_interval_and_five_have_none() {
        for (count, columns) in [(5, ",3,,,"), (6, ",3.5,1,6,")] {
            let mut text = "schema,experiment,instance_hash,label,outcome,wall_ns\n".to_owned();
            (1..=count).for_each(|time| text += &format!("1,e,h,a,solved,{time}\n"));
            let rows = rows(&text);
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("summary.csv");
            let summaries = summarize(&rows, &[]);
            table(&rows).write(&path, &summaries).expect("written");
            let written = std::fs::read_to_string(&path).expect("read");
            assert!(written.contains(columns), "{written}");
        }
    }

    #[test]
    fn a_gap_is_a_share_of_the_best_score() {
        assert_eq!(gap(Some(200.0), Some(250.0)), Some(0.25));
        assert_eq!(gap(Some(-200.0), Some(-150.0)), Some(0.25));
        assert_eq!(gap(Some(0.0), Some(5.0)), None);
        assert_eq!(gap(Some(3.0), None), None);
    }
}
