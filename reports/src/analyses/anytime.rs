//! Anytime analysis: the time that searches need to come near the best score, and the workers that found the rises.

use std::collections::BTreeMap;

use super::{Analyzed, Finding, failed_by_label, varying};
use crate::anytime::{Trajectory, best_of};
use crate::error::Result;
use crate::row;
use crate::rows::Rows;
use crate::sampled::{Statistic, comparable};
use crate::statistics::interval;
use crate::statistics::{Estimate, mean, median};
use crate::table::Table;
use crate::units::Quantity;

/// The target gaps to the best score, as fractions.
const TARGETS: [f64; 4] = [0.10, 0.05, 0.01, 0.0];

/// The searches of one question with the best score that any of them reached.
struct Searches {
    searches: Vec<Trajectory>,
    best: f64,
    /// The longest of the searches, in nanoseconds.
    horizon: f64,
}

/// The results of the searches of one label with its settings, bound policy and number of threads.
#[derive(Default)]
struct Told {
    /// The searches of each instance: the times in nanoseconds at which they reached each target.
    times: BTreeMap<String, Vec<[Option<f64>; TARGETS.len()]>>,
    /// The primal integrals of the searches of each instance.
    integrals: BTreeMap<String, Vec<f64>>,
    /// Rises by the worker that found them.
    workers: BTreeMap<u32, usize>,
}

impl Told {
    /// The median time to a target, if more than half of the sample reached it, and the share that reached it. The
    /// sample is the instances, each with the median and the share of its searches, or the searches of the only one. Who
    /// did not reach it needs longer than all who did.
    fn reached(&self, target: usize) -> (Option<Estimate>, Option<Estimate>) {
        let never = f64::INFINITY;
        let of = |searches: &[[Option<f64>; TARGETS.len()]]| {
            let times = searches.iter().map(|it| it[target].unwrap_or(never));
            let times: Vec<f64> = times.collect();
            let share = times.iter().filter(|time| time.is_finite()).count() as f64;
            let time = median(&times).filter(|time| time.is_finite());
            (time.unwrap_or(never), share / times.len() as f64)
        };
        let size = if self.times.len() == 1 { 1 } else { usize::MAX };
        let cells = self.times.values();
        let units = cells.flat_map(|searches| searches.chunks(size));
        let (times, shares): (Vec<f64>, Vec<f64>) = units.map(of).unzip();
        let time = interval::median(&times).filter(|time| time.value.is_finite());
        let share = mean(&shares).and_then(|found| interval::share(found, shares.len()));
        (time, share)
    }

    /// The mean over the instances of the mean primal integral of their searches.
    fn integral(&self) -> Option<f64> {
        let means = self.integrals.values().filter_map(|own| mean(own));
        mean(&means.collect::<Vec<_>>())
    }
}

/// One row per label with its settings, bound policy and number of threads: the median time to each gap, the share of
/// searches that reached the best score, the primal integral, and the rises by worker.
pub(super) fn anytime(of: Analyzed) -> Result<Finding> {
    let (rows, shown) = (of.rows, (Statistic::Solved, "score"));
    let selection = &comparable(rows, of.selection, &[], "label", shown);
    let races = races(rows, selection);
    let told = told(rows, selection, &races);
    let heads = "variant | bound policy | threads | within 10 % | within 5 % | within 1 % | the best score | share that found the best | primal integral | rises by worker";
    let mut table = Table::new("How fast good answers come", heads);
    for ((label, policy, threads), told) in &told {
        let time = |target: usize| (told.reached(target).0, Quantity::Time);
        let workers = told.workers.iter();
        let workers = workers.map(|(worker, rises)| format!("{worker}: {rises}"));
        table.rows.push(row![
            label,
            policy,
            threads,
            time(0),
            time(1),
            time(2),
            time(3),
            (told.reached(TARGETS.len() - 1).1, Quantity::Share),
            (told.integral().map(Estimate::plain), Quantity::Real),
            workers.collect::<Vec<_>>().join(", "),
        ]);
    }
    table.note(format!(
        "Of {} questions with a score that rises. A gap is the distance to the best score that any search of the question reached, by the larger of both. Times are medians over the instances, each with the median of its searches, told where more than half reached the gap; the others count as slower than all that did. The primal integral is the mean gap until the longest search of the question ended, 1 before the first score; its mean counts each instance once. A rise beyond the score that the referee confirmed does not count, and a failed sample reached nothing. Workers are numbered by their first rise.",
        races.len()
    ));
    if races.is_empty() {
        table.note("No rises of confirmed answers were logged: run with --anytime.");
    }
    let failed: Vec<String> = failed_by_label(rows, &rows.without_placebo(of.selection)).collect();
    if !failed.is_empty() {
        table.note(format!("Failed: {}.", failed.join("; ")));
    }
    Ok(table.into())
}

/// The questions for which at least one search logged a rise with its worker.
fn races(rows: &Rows, selection: &[u32]) -> Vec<Searches> {
    let race = |own: Vec<u32>| {
        let searches = own.iter().filter_map(|row| Trajectory::of(rows, *row));
        let searches: Vec<Trajectory> = searches.collect();
        let mut rises = searches.iter().flat_map(|one| &one.rises);
        let is_logged = rises.any(|rise| rise.worker.is_some());
        let best = best_of(&searches, rows.direction(*own.first()?)?).filter(|_| is_logged)?;
        let horizon = searches.iter().map(|one| one.end).fold(0.0, f64::max);
        Some(Searches {
            searches,
            best,
            horizon,
        })
    };
    let questions = rows.group_by(&["experiment", "question"], selection);
    questions.into_iter().filter_map(race).collect()
}

/// Collects the results of the searches by label with the settings of the method, bound policy and threads.
fn told(
    rows: &Rows,
    selection: &[u32],
    races: &[Searches],
) -> BTreeMap<(String, String, String), Told> {
    let mut all: BTreeMap<_, Told> = BTreeMap::new();
    let mut apart = varying(rows, selection, "");
    apart.retain(|name| name.starts_with("method_"));
    for race in races {
        for search in &race.searches {
            let text = |column| rows.text(column, search.row).to_owned();
            let settings = rows.described(apart.iter().copied(), search.row);
            let label = format!("{} {settings}", text("label"))
                .trim_end()
                .to_owned();
            let key = (label, text("bound_policy"), text("threads"));
            let told = all.entry(key).or_default();
            let searches = told.times.entry(text("instance_hash")).or_default();
            searches.push(TARGETS.map(|target| search.time_to(target, race.best)));
            let integral = search.primal_integral(race.best, race.horizon);
            let integrals = told.integrals.entry(text("instance_hash")).or_default();
            integrals.push(integral);
            for worker in search.rises.iter().filter_map(|rise| rise.worker) {
                *told.workers.entry(worker).or_default() += 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use ikeru_bench_data::Experiment;
    use ikeru_bench_data::experiment::Analysis;

    use super::*;
    use crate::rows_of as rows;
    use crate::table::Form;

    /// The table of the rows of a problem that maximizes.
    fn table(text: &str) -> Table {
        let mut rows = rows(text);
        rows.set_directions([("trail", ikeru_core::Direction::Maximize)]);
        let experiment = Experiment::read(
            "e.toml",
            "name='e'\ntitle='t'\nabout='a'\nproblem='trail'\nvariants=['fast','slow']\ninstances=[{generator='g'}]",
        )
        .expect("an experiment");
        let analysis = Analysis {
            kind: "anytime".to_owned(),
            title: None,
            set: BTreeMap::new(),
            only: BTreeMap::new(),
        };
        let found = anytime(Analyzed {
            rows: &rows,
            selection: &rows.all(),
            analysis: &analysis,
            experiment: &experiment,
        });
        found.expect("a finding").table
    }

    #[test]
    fn times_to_targets_and_finders_are_told() {
        let mut text = "schema,experiment,problem,question,label,bound_policy,threads,outcome,wall_ns,score,rises\n".to_owned();
        for question in 0..8 {
            text +=
                &format!("3,e,trail,q{question},fast,shared,2,solved,100,100,10:95@0 20:100@1\n");
            text += &format!("3,e,trail,q{question},slow,private,1,timeout,1000,90,500:90@0\n");
        }
        let csv = table(&text).to(Form::Csv);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3, "{csv}");
        // The gaps of 10 % and 5 % are reached after 10 ns, the best score after 20 ns; each worker found 8 rises.
        assert!(lines[1].starts_with("fast,shared,2,10,"), "{csv}");
        assert!(lines[1].contains("0: 8, 1: 8"), "{csv}");
        // A score of 90 of 100 is within 10 %, but not within 5 %.
        assert!(lines[2].starts_with("slow,private,1,500,"), "{csv}");
    }

    #[test]
    fn failed_samples_reach_nothing_and_each_instance_counts_once() {
        let mut text =
            "schema,experiment,problem,question,instance_hash,label,outcome,wall_ns,score,rises\n"
                .to_owned();
        text += "3,e,trail,a,a,fast,solved,100,50,50:50@0\n";
        text += &"3,e,trail,b,b,fast,solved,100,50,100:50@0\n".repeat(3);
        text += "3,e,trail,a,a,slow,solved,100,50,100:50@0\n3,e,trail,b,b,slow,wrong,90,,1:99@0\n";
        text += &"3,e,trail,b,b,slow,crashed,,,1:99@0\n".repeat(3);
        let table = table(&text);
        let cells = |row: usize| [7, 8].map(|column| table.rows[row][column].to_string());
        let [[fast, integral], [slow, lost]] = [cells(0), cells(1)];
        // 0.5 and 1, each once.
        assert!(
            fast.starts_with("100") && integral.starts_with("0.75"),
            "{table:?}"
        );
        assert!(slow.starts_with("50") && lost.starts_with('1'), "{table:?}");
        let notes = table.notes.join(" ");
        assert!(
            notes.contains("Failed: slow: 3 crashed, 1 wrong of 5."),
            "{notes}"
        );
    }

    #[test]
    fn repeats_on_two_instances_are_two_instances() {
        let of = |searches: Vec<Vec<f64>>| {
            let times = searches.into_iter().enumerate().map(|(instance, own)| {
                let reached = |time: f64| Some(time).filter(|time| time.is_finite());
                let own = own.into_iter().map(|time| [reached(time); TARGETS.len()]);
                (format!("i{instance}"), own.collect())
            });
            let told = Told {
                times: times.collect(),
                ..Told::default()
            };
            told.reached(0)
        };
        let repeats: Vec<f64> = (1..=15).map(f64::from).collect();
        let (time, share) = of(vec![repeats.clone(); 2]);
        let (time, share) = (time.expect("a median"), share.expect("a share"));
        assert_eq!((time.value, time.interval), (8.0, None));
        assert_eq!(share, interval::share(1.0, 2).expect("two instances"));
        // The repeats on one instance are a sample of repeats.
        let (time, share) = of(vec![repeats]);
        assert!(time.is_some_and(|time| time.interval.is_some()));
        assert_eq!(share, interval::share(1.0, 15));
        // Who did not reach it is slower than all who did, among instances and among the searches of one.
        let never = f64::INFINITY;
        let all = [1.0, 2.0, 3.0, 4.0, never, never, never];
        let median = |searches| of(searches).0.map(|time| time.value);
        assert_eq!(median(all.map(|time| vec![time]).to_vec()), Some(4.0));
        assert_eq!(median(vec![all.to_vec(); 2]), Some(4.0));
        assert_eq!(median(vec![all[1..].to_vec(); 2]), None);
        assert_eq!(
            median(vec![vec![1.0], vec![2.0], vec![never; 3]]),
            Some(2.0)
        );
    }
}
