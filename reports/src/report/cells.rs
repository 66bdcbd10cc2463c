//! The cells of one experiment as data for the page: the script draws any value of any solvers from them, and lists the
//! instances. Without the script the page has the first cells as a table.

use std::collections::HashMap;

use ikeru_bench_data::Experiment;
use ikeru_core::Direction;
use serde::Serialize;

use super::tables::CELL;
use crate::Rows;
use crate::charts::{Looks, SERIES, Wording, with_clock};
use crate::records::Family;
use crate::sampled::Statistic;
use crate::statistics::Estimate;
use crate::summary::{Summary, baseline_label, measured};
use crate::table::sign;
use crate::units::Quantity;

/// The largest number of instances on the page.
const MOST: usize = 20_000;

/// The cells of an experiment. Values are by question, and within it by solver.
#[derive(Debug, Serialize)]
struct CellData {
    /// The command that measures cells again if `--cell ID` is appended.
    again: String,
    solvers: Vec<String>,
    /// The series colour of each solver.
    colours: Vec<usize>,
    baseline: Option<usize>,
    /// Instances with the settings that differ.
    questions: Vec<String>,
    values: Vec<CellValues>,
    axes: Vec<CellValues>,
    /// The best known score of each question; empty if none is known.
    best: Vec<Option<f64>>,
    /// The index of the value that is a score.
    score: Option<usize>,
    /// The outcomes in words, the first is `solved`.
    outcomes: Vec<String>,
    outcome: Vec<Option<usize>>,
    /// The beginnings of the identities of the cells, eight characters each.
    ids: String,
}

/// The values of one column, by cell; or by question, if it is an axis.
#[derive(Debug, Default, Serialize)]
struct CellValues {
    name: String,
    unit: String,
    /// 1 if larger values are better, −1 if smaller ones are, 0 if neither is known.
    better: i8,
    of: Vec<Option<f64>>,
    /// A sign for each value: `≥`, `≤` or `≈` before one that stopped or failed samples determine, else a blank. Empty if
    /// there is no such value.
    #[serde(skip_serializing_if = "String::is_empty")]
    bounds: String,
}

/// The cells by question and solver.
struct CellGrid<'a> {
    rows: &'a Rows,
    solvers: Vec<String>,
    questions: Vec<(String, u32)>,
    cells: Vec<Option<&'a Summary>>,
}

/// The data as JSON for a page; `None` for fewer than two cells.
pub(super) fn data(
    rows: &Rows,
    cells: &[&Summary],
    experiment: &Experiment,
    (again, looks): (&str, &Looks),
) -> Option<String> {
    let grid = CellGrid::of(rows, cells);
    if cells.len() < 2 || grid.questions.is_empty() {
        return None;
    }
    let baseline = baseline_label(experiment);
    let mut solvers = grid.solvers.iter();
    let baseline = solvers.position(|name| Some(name) == baseline.as_ref());
    let problem = experiment.problem.commands();
    let scale = 10_f64.powf(problem.map_or(0.0, |problem| f64::from(problem.decimals)));
    let firsts: Vec<u32> = cells.iter().map(|cell| cell.row).collect();
    let wording = Wording::of(rows, &firsts);
    let (values, score) = values(&grid, cells[0], (scale, &wording));
    let best = |(_, row): &(String, u32)| rows.best_known(*row).map(|score| score as f64 / scale);
    let mut outcomes = vec!["solved".to_owned()];
    let outcome = grid.cells.iter().map(|cell| {
        let word = cell.as_ref()?.outcome(rows);
        let known = outcomes.iter().position(|known| *known == word);
        Some(known.unwrap_or_else(|| {
            outcomes.push(word);
            outcomes.len() - 1
        }))
    });
    let outcome = outcome.collect();
    let colour = |name: &String| {
        let own = looks.of(name.split(", ").next().unwrap_or(name)).colour;
        SERIES.iter().position(|known| *known == own).unwrap_or(0)
    };
    let data = CellData {
        again: again.to_owned(),
        colours: grid.solvers.iter().map(colour).collect(),
        baseline,
        questions: grid.questions.iter().map(|it| it.0.clone()).collect(),
        axes: grid.axes(&wording),
        best: grid.questions.iter().map(best).collect(),
        score,
        outcomes,
        outcome,
        ids: grid.ids(),
        values,
        solvers: grid.solvers,
    };
    let json = serde_json::to_string(&data).ok()?.replace('<', "\\u003c");
    Some(json)
}

/// A number with five digits unless it is whole.
fn short(value: f64) -> f64 {
    if value.fract() == 0.0 {
        return value;
    }
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// The values of the cells: scores, times, counters and measures. Also returns the index of the scores.
fn values(
    grid: &CellGrid,
    first: &Summary,
    (scale, wording): (f64, &Wording),
) -> (Vec<CellValues>, Option<usize>) {
    let direction = grid.rows.direction(first.row);
    let is_minimized = direction == Some(Direction::Minimize);
    let scored = grid.cells.iter().flatten().any(|cell| cell.score.is_some());
    let mut values = Vec::new();
    if scored && direction.is_some() {
        values.push(CellValues {
            name: "score".to_owned(),
            // The number of decimal digits of the problem's scores.
            unit: format!(".{}", scale.log10().round()),
            better: if is_minimized { -1 } else { 1 },
            ..grid.all(|cell| cell.score, |score| score)
        });
    }
    let score = (!values.is_empty()).then_some(0);
    values.push(CellValues {
        name: with_clock("median time", &first.clock),
        unit: "ns".to_owned(),
        better: -1,
        ..grid.all(|cell| cell.time, short)
    });
    for column in measured(grid.rows) {
        let median = |cell: &Summary| Statistic::Median.of(grid.rows, column, &cell.rows);
        let all = grid.all(median, short);
        if all.of.iter().any(Option::is_some) {
            let mut name = wording.column(column);
            let is_twin = |other: &&str| *other != column && wording.column(other) == name;
            if Family::Counter.holds(column) && measured(grid.rows).iter().any(is_twin) {
                name += " (counter)";
            }
            values.push(CellValues { name, ..all });
        }
    }
    (values, score)
}

impl<'a> CellGrid<'a> {
    fn of(rows: &'a Rows, cells: &[&'a Summary]) -> Self {
        let firsts: Vec<u32> = cells.iter().map(|cell| cell.row).collect();
        let (methods, settings): (Vec<&str>, Vec<&str>) = rows
            .varying(&[], &firsts)
            .into_iter()
            .partition(|name| name.starts_with(Family::Method.name()));
        let (mut solvers, mut questions) = (Vec::new(), Vec::new());
        let (mut of_solver, mut of_question) = (HashMap::new(), HashMap::new());
        let said = |first: &str, names: &[&str], row: u32| {
            let known = names.iter().filter(|name| !rows.text(name, row).is_empty());
            let words = known.map(|name| {
                let bare = name.split_once('_').map_or(*name, |(_, bare)| bare);
                format!(", {bare} {}", rows.text(name, row))
            });
            first.to_owned() + &words.collect::<String>()
        };
        let mut placed = Vec::new();
        for cell in cells {
            let solver = said(rows.text("label", cell.row), &methods, cell.row);
            let question = said(rows.text("instance", cell.row), &settings, cell.row);
            let key = (rows.text("question", cell.row), question.clone());
            let question = *of_question.entry(key).or_insert_with(|| {
                questions.push((question, cell.row));
                questions.len() - 1
            });
            let solver = *of_solver.entry(solver.clone()).or_insert_with(|| {
                solvers.push(solver);
                solvers.len() - 1
            });
            placed.push((question, solver, *cell));
        }
        questions.truncate(MOST);
        let mut all = vec![None; questions.len() * solvers.len()];
        for (question, solver, cell) in placed {
            if question < MOST {
                all[question * solvers.len() + solver] = Some(cell);
            }
        }
        Self {
            rows,
            solvers,
            questions,
            cells: all,
        }
    }

    /// A value of each cell, its number as `shown`.
    fn all(
        &self,
        value: impl Fn(&Summary) -> Option<Estimate>,
        shown: fn(f64) -> f64,
    ) -> CellValues {
        let cells = self.cells.iter();
        let of = |cell: &Option<&Summary>| cell.as_ref().and_then(|cell| value(cell));
        let all: Vec<Option<Estimate>> = cells.map(of).collect();
        // Every value has one character.
        let bound = |one: &Option<Estimate>| match one.map_or("", |one| sign(one.bound)) {
            "" => " ",
            sign => sign,
        };
        let bounds: String = all.iter().map(bound).collect();
        let number = |one: &Option<Estimate>| Some(shown(one.as_ref()?.value));
        CellValues {
            of: all.iter().map(number).collect(),
            bounds: bounds.trim_end().to_owned(),
            ..CellValues::default()
        }
    }

    fn ids(&self) -> String {
        let id = |cell: &Option<&Summary>| {
            let id = cell.map_or("", |cell| self.rows.text("cell", cell.row));
            format!("{:-<CELL$}", id.get(..CELL).unwrap_or(id))
        };
        self.cells.iter().map(id).collect()
    }

    /// The columns of numbers that differ between questions.
    fn axes(&self, wording: &Wording) -> Vec<CellValues> {
        let families = [Family::Setting, Family::Parameter].into_iter();
        let names = families.flat_map(|family| self.rows.family(family));
        let axis = |column: &str| {
            let number = |(_, row): &(String, u32)| self.rows.number(column, *row);
            let of: Vec<Option<f64>> = self.questions.iter().map(number).collect();
            let known: Vec<f64> = of.iter().flatten().copied().collect();
            let differs = known.iter().any(|value| *value != known[0]);
            differs.then(|| CellValues {
                name: wording.column(column),
                unit: Quantity::of_column(column).unit().to_owned(),
                of,
                ..CellValues::default()
            })
        };
        // The script takes the first axis that has few values: a parameter says more than the size that it makes.
        names.chain(["size", "seed"]).filter_map(axis).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment_of;
    use crate::summary::summarize;

    #[test]
    fn values_are_by_question_and_solver_and_each_cell_has_its_identity() {
        let mut text = "schema,experiment,problem,cell,instance,instance_hash,question,size,label,outcome,wall_ns\n".to_owned();
        for (size, time) in [(10, 1000), (20, 4000)] {
            for (label, times, outcome) in [("a", 1, "solved"), ("b", 2, "crashed")] {
                let time = times * time;
                text += &format!(
                    "1,e,p,{label}{size}0000000,<i{size}>,h{size},q{size},{size},{label},{outcome},{time}\n"
                );
            }
        }
        let rows = crate::rows_of(&text);
        let experiment = experiment_of("'a','b'", "");
        let all = summarize(&rows, std::slice::from_ref(&experiment));
        let cells: Vec<&Summary> = all.iter().collect();
        let looks = Looks::new(["a", "b"], Some("a"));
        let json = data(&rows, &cells, &experiment, ("ikeru run e", &looks)).expect("data");
        assert!(!json.contains('<'), "no tag can begin: {json}");
        let data: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(data["solvers"], serde_json::json!(["a", "b"]));
        assert_eq!(
            data["values"][0]["of"],
            serde_json::json!([1000.0, null, 4000.0, null])
        );
        assert_eq!(data["outcome"], serde_json::json!([0, 1, 0, 1]));
        assert_eq!(data["axes"][0]["of"], serde_json::json!([10.0, 20.0]));
        assert_eq!(data["ids"], "a1000000b1000000a2000000b2000000");
    }
}
