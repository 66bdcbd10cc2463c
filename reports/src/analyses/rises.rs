//! One question's searches, find by find: when the best score rose, and which worker raised it. Under a shared bound every
//! find prunes the search of all workers from then on, under a private one only its finder's.

use std::collections::BTreeMap;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::Finding;
use crate::anytime::Trajectory;
use crate::charts::{self, Chart, Looks, Panel, Point, Series};
use crate::error::ReportError;
use crate::row;
use crate::rows::Rows;
use crate::statistics::Estimate;
use crate::table::Table;
use crate::units::Quantity;

/// One search per variant, bound policy and number of threads: that with the most finds.
type Searches = BTreeMap<(String, String, String), Trajectory>;

/// One row and one panel per variant, bound policy and number of threads, all of the question whose searches have the most
/// finds.
pub(super) fn rises(
    rows: &Rows,
    selection: &[u32],
    _: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let searches = searches(rows, selection);
    let heads = "variant | bound policy | threads | finds | by worker | first score | after | best score | after";
    let mut table = Table::new("Who raised the best score, and when", heads);
    for ((label, policy, threads), search) in &searches {
        let mut workers: BTreeMap<u32, usize> = BTreeMap::new();
        for worker in search.rises.iter().filter_map(|rise| rise.worker) {
            *workers.entry(worker).or_default() += 1;
        }
        let by_worker = workers
            .iter()
            .map(|(worker, finds)| format!("{worker}: {finds}"));
        let mut row = row![
            label,
            policy,
            threads,
            workers.values().sum::<usize>(),
            by_worker.collect::<Vec<_>>().join(", "),
        ];
        for rise in [search.rises.first(), search.rises.last()] {
            let score = rise.map(|rise| Estimate::plain(rise.score));
            let after = rise.map(|rise| Estimate::plain(rise.after));
            row.extend(row![(score, Quantity::Count), (after, Quantity::Time)]);
        }
        table.rows.push(row);
    }
    let asked = searches
        .values()
        .next()
        .map(|search| rows.text("instance", search.row));
    table.notes.push(match asked {
        Some(instance) => format!(
            "Of the question with the most finds, {instance}, the search with the most of them each. Workers are numbered by their first find."
        ),
        None => "No rises were logged: run with --anytime.".to_owned(),
    });
    Ok(Finding {
        chart: chart(&searches),
        ..table.into()
    })
}

fn finds(search: &Trajectory) -> usize {
    search
        .rises
        .iter()
        .filter(|rise| rise.worker.is_some())
        .count()
}

/// The searches of the question with the most finds.
fn searches(rows: &Rows, selection: &[u32]) -> Searches {
    let of = |own: &Vec<u32>| {
        let mut searches = Searches::new();
        for search in own.iter().filter_map(|row| Trajectory::of(rows, *row)) {
            let text = |column| rows.text(column, search.row).to_owned();
            let key = (text("label"), text("bound_policy"), text("threads"));
            let has_more = |known: &Trajectory| finds(&search) > finds(known);
            if finds(&search) > 0 && searches.get(&key).is_none_or(has_more) {
                searches.insert(key, search);
            }
        }
        searches
    };
    let questions = rows.group_by(&["experiment", "question"], selection);
    let all = questions.iter().map(of);
    // Of several with as many, the first.
    all.reduce(|best, next| {
        let count = |searches: &Searches| searches.values().map(finds).sum::<usize>();
        if count(&next) > count(&best) {
            next
        } else {
            best
        }
    })
    .unwrap_or_default()
}

fn chart(searches: &Searches) -> Option<Chart> {
    let worker = |number: u32| format!("worker {number}");
    let rises = || searches.values().flat_map(|search| &search.rises);
    let mut workers: Vec<u32> = rises().filter_map(|rise| rise.worker).collect();
    workers.sort_unstable();
    workers.dedup();
    let names: Vec<String> = workers.iter().map(|number| worker(*number)).collect();
    let looks = Looks::new(names.iter().map(String::as_str), None);
    let panel = |((label, policy, threads), search): (&(String, String, String), &Trajectory)| {
        let series = workers.iter().zip(&names).map(|(number, name)| {
            let own = search
                .rises
                .iter()
                .filter(|rise| rise.worker == Some(*number));
            let point =
                |rise: &crate::anytime::Rise| Point::of(rise.after, Estimate::plain(rise.score));
            Series {
                name: name.clone(),
                look: looks.of(name),
                points: own.map(point).collect(),
                fit: None,
                same: Vec::new(),
                summary: None,
            }
        });
        Panel {
            title: format!("{label}, best score {policy}, threads: {threads}"),
            series: series.filter(|series| !series.points.is_empty()).collect(),
            ..Panel::default()
        }
    };
    let panels: Vec<Panel> = searches.iter().map(panel).collect();
    if panels.is_empty() {
        return None;
    }
    Some(charts::finds_over_time(
        "Who raised the best score".to_owned(),
        "a dot for each find of one search; the line is the best score of all its workers"
            .to_owned(),
        panels,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;
    use crate::table::Form;

    #[test]
    fn the_search_with_the_most_finds_is_told_with_its_finders() {
        let head = "schema,experiment,problem,instance,question,label,bound_policy,threads,outcome,wall_ns,score,rises\n";
        let row = |question: &str, policy: &str, rises: &str| {
            format!("3,e,trail,i-{question},{question},a,{policy},2,solved,100,9,{rises}\n")
        };
        let text = [
            head.to_owned(),
            row("q1", "shared", "10:9@0"),
            row("q2", "shared", "10:5@0 20:7@1 30:9@0"),
            row("q2", "shared", "10:5@0 20:9@1"),
            row("q2", "private", "15:9@0"),
        ]
        .concat();
        let mut rows = rows(&text);
        rows.set_directions([("trail", ikeru_core::Direction::Maximize)]);
        let experiment = Experiment::read(
            "e.toml",
            "name='e'\ntitle='t'\nabout='a'\nproblem='trail'\nvariants=['a']\ninstances=[{generator='g'}]",
        )
        .expect("an experiment");
        let analysis = Analysis {
            kind: "rises".to_owned(),
            title: None,
            set: BTreeMap::new(),
            only: BTreeMap::new(),
        };
        let found = rises(&rows, &rows.all(), &analysis, &experiment).expect("a finding");
        let csv = found.table.to(Form::Csv);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[1..],
            [
                "a,private,2,1,0: 1,9,15,9,15",
                "a,shared,2,3,\"0: 2, 1: 1\",5,10,9,30"
            ]
        );
        assert!(found.table.notes[0].contains("i-q2"));
        let chart = found.chart.expect("a chart");
        let shared = &chart.panels[1];
        let finds: Vec<(&str, usize)> = shared
            .series
            .iter()
            .map(|series| (series.name.as_str(), series.points.len()))
            .collect();
        assert_eq!(finds, [("worker 0", 2), ("worker 1", 1)]);
    }
}
