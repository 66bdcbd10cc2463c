//! Searches over time: the rises of an incumbent, its gap to the best known score, and the time to a gap.
//!
//! The rises are in the column `rises` of `records.csv`; `anytime.csv` has a row for each rise that counts.

use std::path::Path;

use ikeru_core::Direction;

use crate::error::Result;
use crate::rows::Rows;
use crate::whole::{CsvTable, number};

/// The file of a run folder that has a row for each rise that counts.
pub const FILE: &str = "anytime.csv";

/// A better score, with its time and the worker that found it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedRise {
    /// The time since the start of the answer, in nanoseconds.
    pub after: f64,
    /// The score.
    pub score: f64,
    /// The worker, numbered by its first rise; `None` for the answer itself.
    pub worker: Option<u32>,
}

/// The scores of one sample over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// Its row.
    pub row: u32,
    /// The rises in the order of time, each better than the previous one.
    pub rises: Vec<LoggedRise>,
    /// The time until the answer, or until the limit, in nanoseconds; 0 of a sample that reached nothing.
    pub end: f64,
}

impl Trajectory {
    /// The trajectory of a sample: its rises that count, and its confirmed answer. A sample that failed, or whose question
    /// is hopeless, reached nothing; `None` for one that does not count.
    pub fn of(rows: &Rows, row: u32) -> Option<Self> {
        let has_time = rows.is_answered(row);
        let end = rows.number("wall_ns", row).filter(|_| has_time);
        let is_lost = rows.is_failed(row) || rows.is_hopeless(row);
        let end = end.or(is_lost.then_some(0.0))?;
        let mut rises = counted(rows, row);
        if let Some(score) = rows.confirmed(row).map(|score| score as f64)
            && rises.last().is_none_or(|last| last.score != score)
        {
            // The answer of a search without logged rises is found at the end.
            rises.push(LoggedRise {
                after: end,
                score,
                worker: None,
            });
        }
        Some(Self { row, rises, end })
    }

    /// The time until the gap was at most `target`, in nanoseconds; `None` if it never was.
    pub fn time_to(&self, target: f64, best: f64) -> Option<f64> {
        let mut rises = self.rises.iter();
        let first = rises.find(|rise| gap(rise.score, best) <= target);
        first.map(|rise| rise.after)
    }

    /// The mean gap from the start to `horizon` nanoseconds; the gap is 1 before the first score (the primal integral
    /// of Berthold 2013, divided by the horizon).
    pub fn primal_integral(&self, best: f64, horizon: f64) -> f64 {
        let (mut sum, mut at, mut now) = (0.0, 0.0, 1.0);
        for rise in &self.rises {
            let until = rise.after.min(horizon);
            sum += now * (until - at);
            (at, now) = (until, gap(rise.score, best));
        }
        (sum + now * (horizon - at)) / horizon
    }
}

/// The gap of a score to the best one, from 0 to 1: their difference divided by the larger absolute value.
pub fn gap(score: f64, best: f64) -> f64 {
    let larger = score.abs().max(best.abs());
    if larger == 0.0 || score.signum() * best.signum() < 0.0 {
        return if score == best { 0.0 } else { 1.0 };
    }
    ((score - best).abs() / larger).min(1.0)
}

/// The best last score of the trajectories; `None` without a score, or if all answers are equally good.
pub fn best_of(trajectories: &[Trajectory], direction: Direction) -> Option<f64> {
    let last = trajectories.iter();
    let last = last.filter_map(|one| Some(one.rises.last()?.score));
    let is_better = |score: f64, than: f64| direction.is_better(score as i64, than as i64);
    let better = |best, score| if is_better(score, best) { score } else { best };
    // If all answers are equally good, no score is better.
    let best = last.reduce(better);
    best.filter(|_| direction != Direction::Equal)
}

/// The logged rises up to the confirmed score: others are claims that no referee saw.
fn counted(rows: &Rows, row: u32) -> Vec<LoggedRise> {
    let Some(confirmed) = rows.confirmed(row) else {
        return Vec::new();
    };
    let direction = rows.direction(row).unwrap_or(Direction::Equal);
    let mut rises = read(rows.text("rises", row));
    rises.retain(|rise| !direction.is_better(rise.score as i64, confirmed));
    rises
}

/// Parses the column: `NANOSECONDS:SCORE@WORKER`, separated by blanks.
fn read(text: &str) -> Vec<LoggedRise> {
    let rise = |word: &str| {
        let (after, found) = word.split_once(':')?;
        let (score, worker) = found.split_once('@')?;
        Some(LoggedRise {
            after: after.parse().ok()?,
            score: score.parse().ok()?,
            worker: worker.parse().ok(),
        })
    };
    text.split(' ').filter_map(rise).collect()
}

/// Writes `anytime.csv`, if any sample has rises that count.
///
/// # Errors
/// A file that cannot be written.
pub fn write(folder: &Path, rows: &Rows) -> Result<()> {
    let mut all = rows.all();
    all.retain(|row| !counted(rows, *row).is_empty());
    if all.is_empty() {
        // A report before may have counted some.
        let _ = std::fs::remove_file(folder.join(FILE));
        return Ok(());
    }
    let kept = "experiment cell instance seed question label bound_policy threads repeat";
    let mut table = CsvTable::<(u32, LoggedRise)>::default();
    for name in kept.split(' ') {
        table = table.column(name, move |(row, _)| rows.text(name, *row));
    }
    let table = table
        .column("after_ns", |(_, rise)| rise.after)
        .column("score", |(_, rise)| rise.score)
        .column("worker", |(_, rise)| number(rise.worker.map(f64::from)));
    let found = all.into_iter().flat_map(|row| {
        let rises = counted(rows, row).into_iter();
        rises.map(move |rise| (row, rise))
    });
    table.write(&folder.join(FILE), found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;

    fn trajectory(rises: &[(f64, f64)], end: f64) -> Trajectory {
        let rise = |&(after, score): &(f64, f64)| LoggedRise {
            after,
            score,
            worker: Some(0),
        };
        Trajectory {
            row: 0,
            rises: rises.iter().map(rise).collect(),
            end,
        }
    }

    #[test]
    fn gaps_times_and_integrals_by_hand() {
        assert_eq!(
            [
                gap(90.0, 100.0),
                gap(100.0, 100.0),
                gap(-5.0, 5.0),
                gap(0.0, 0.0)
            ],
            [0.1, 0.0, 1.0, 0.0]
        );
        assert_eq!(gap(125.0, 100.0), 0.2, "of a problem that minimizes");
        let one = trajectory(&[(10.0, 50.0), (30.0, 90.0), (40.0, 100.0)], 80.0);
        let times = [0.6, 0.1, 0.0].map(|target| one.time_to(target, 100.0));
        assert_eq!(times, [Some(10.0), Some(30.0), Some(40.0)]);
        assert_eq!(one.time_to(0.1, 200.0), None);
        // 10 · 1 + 20 · 0.5 + 10 · 0.1 + 60 · 0, of 100.
        assert!((one.primal_integral(100.0, 100.0) - 0.21).abs() < 1e-12);
        // The last rises are after the horizon: 10 · 1 + 10 · 0.5, of 20.
        assert!((one.primal_integral(100.0, 20.0) - 0.75).abs() < 1e-12);
        assert_eq!(trajectory(&[], 5.0).primal_integral(1.0, 10.0), 1.0);
    }

    #[test]
    fn rises_that_no_referee_confirmed_do_not_count() {
        let mut rows = rows(
            "schema,experiment,problem,outcome,asked,wall_ns,score,rises\n3,e,trail,wrong,,90,,10:99@0\n\
             3,e,trail,crashed,,,,10:99@0\n3,e,trail,timeout,,80,,10:99@0\n3,e,trail,timeout,,50,7,10:5@0 20:99@0\n\
             3,e,trail,referee-failed,,5,,10:99@0\n3,e,trail,skipped,false,,,\n",
        );
        rows.set_directions([("trail", Direction::Maximize)]);
        let of = |row| {
            let found = Trajectory::of(&rows, row)?;
            let rises = found.rises.iter().map(|it| (it.after, it.score));
            Some((found.end, rises.collect::<Vec<_>>()))
        };
        let expected = [
            Some((0.0, vec![])),
            Some((0.0, vec![])),
            Some((80.0, vec![])),
            Some((50.0, vec![(10.0, 5.0), (50.0, 7.0)])),
            None,
            Some((0.0, vec![])),
        ];
        assert_eq!([0, 1, 2, 3, 4, 5].map(of), expected);
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &rows).expect("written");
        let text = std::fs::read_to_string(folder.path().join(FILE)).expect("read");
        assert!(text.lines().count() == 2 && !text.contains("99"), "{text}");
    }

    #[test]
    fn a_trajectory_is_read_from_its_row_and_ends_with_the_answer() {
        let rows = rows(
            "schema,experiment,problem,outcome,wall_ns,score,rises\n3,e,trail,solved,90,7,10:3@0 20:5@1\n\
             3,e,trail,timeout,50,5,10:5@0\n3,e,trail,solved,40,7,\n3,e,trail,crashed,,,\n",
        );
        let of = |row| Trajectory::of(&rows, row);
        let first = of(0).expect("a trajectory");
        let seen: Vec<_> = first
            .rises
            .iter()
            .map(|it| (it.after, it.score, it.worker))
            .collect();
        assert_eq!(
            seen,
            [
                (10.0, 3.0, Some(0)),
                (20.0, 5.0, Some(1)),
                (90.0, 7.0, None)
            ]
        );
        assert_eq!(of(1).expect("a trajectory").rises.len(), 1);
        assert_eq!(of(2).expect("a trajectory").rises[0].after, 40.0);
        assert!(of(3).is_some_and(|lost| lost.rises.is_empty()));
        let all = [of(0), of(1)].map(|it| it.expect("a trajectory"));
        assert_eq!(best_of(&all, Direction::Maximize), Some(7.0));
        assert_eq!(best_of(&all, Direction::Minimize), Some(5.0));
        assert_eq!(best_of(&all, Direction::Equal), None);
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &rows).expect("written");
        let text = std::fs::read_to_string(folder.path().join(FILE)).expect("read");
        assert_eq!(text.lines().count(), 4, "{text}");
    }
}
