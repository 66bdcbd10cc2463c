//! The savings of each switch between two variants: Shapley values over every combination of the switches.
//!
//! The rows hold one variant under every combination of settings. The effect of one switch depends on which others are
//! on; its Shapley value is the mean effect over all orders of switching. The parts of logarithms multiply to the whole
//! factor, and the parts of sums add up to the whole saving, exactly.

mod savings;

use ikeru_bench_data::Experiment;
use std::collections::HashMap;

use ikeru_bench_data::experiment::Analysis;

use self::savings::Savings;
use super::{Finding, parameter};
use crate::error::ReportError;
use crate::metric::Metric;
use crate::records::Family;

use crate::rows::Rows;
use crate::statistics::median;
use crate::statistics::shapley::{self, MOST};
use crate::table::Table;

/// The parameters of the analysis.
pub(super) const PARAMETERS: &[&str] = &["metric", "from", "to", "against", "variant"];

/// A setting whose value differs between the two variants.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Switch {
    name: String,
    off: String,
    on: String,
}

/// The values of one question under every combination; bit i of the index is 1 if switch i is on.
type Game = Vec<f64>;

/// `set.from` and `set.to` hold the settings of both ends (`a=1 b=x`), `set.metric` the metric, `set.against` and
/// `set.variant` the names of the ends.
pub(super) fn explain(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let metric = Metric::read(parameter(analysis, "metric", "time"), &[(rows, selection)])?;
    let switches = switches(
        parameter(analysis, "from", ""),
        parameter(analysis, "to", ""),
    )?;
    let (games, left_out) = games(rows, selection, &switches, &metric);
    let (against, variant) = (
        parameter(analysis, "against", "from"),
        parameter(analysis, "variant", "to"),
    );
    let title = format!("What saves {} from {against} to {variant}", metric.noun());
    if games.is_empty() {
        let mut table = Table::new(title, "");
        table.notes.push(format!(
            "No instance ended under all {} combinations; a longer limit or smaller instances may help.",
            1 << switches.len()
        ));
        return Ok(table.into());
    }
    let whole = Savings::of(&games);
    let chart = whole.chart(&title, &switches, &metric);
    let heads = "switch | off → on | times less | 95 % interval | share | saved | alone | last";
    let mut table = Table::new(title, heads);
    let saved = shapley::values(&whole.saved).unwrap_or_default();
    let own = switches.iter().zip(saved).enumerate();
    table.rows = own
        .map(|(at, (switch, saved))| whole.row(at, switch, saved, &metric))
        .collect();
    table.rows.push(whole.last_row(&metric));
    table.rows.extend(whole.pairs(&switches));
    table.notes = paragraphs(games.len(), left_out, switches.len());
    Ok(Finding {
        chart,
        ..table.into()
    })
}

fn paragraphs(games: usize, left_out: usize, switches: usize) -> Vec<String> {
    let mut said = vec![format!(
        "Shapley values over all {} combinations on {games} question{}: \"times less\" is of the logarithms (the parts multiply to the whole, shares are of its logarithm; the interval is Student's t over the instances), \"saved\" of the sums (the parts add up to the whole). \"Alone\" is what a switch does when all others are off, \"last\" when all others are on.",
        1_u64 << switches,
        if games == 1 { "" } else { "s" }
    )];
    said.push("A pair's factor is what both do together beyond what each does by itself (Shapley interaction index of the logarithms): above 1 they help each other, below 1 they cut the same.".to_owned());
    if left_out > 0 {
        said.push(format!(
            "{left_out} questions are left out: some combination did not end within the limit."
        ));
    }
    said
}

/// The settings that differ between `a=1 b=x` and `a=2 b=x`.
fn switches(from: &str, to: &str) -> Result<Vec<Switch>, ReportError> {
    let read = |text: &str| -> Vec<(String, String)> {
        let pairs = text
            .split_whitespace()
            .filter_map(|word| word.split_once('='));
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let to = read(to);
    let mut switches = Vec::new();
    for (name, off) in read(from) {
        let on = to.iter().find(|(known, _)| *known == name);
        if let Some((_, on)) = on.filter(|(_, on)| *on != off) {
            let on = on.clone();
            switches.push(Switch { name, off, on });
        }
    }
    if (1..=MOST).contains(&switches.len()) {
        return Ok(switches);
    }
    Err(ReportError::Question(format!(
        "explain: {} settings differ between `from` and `to`; expected 1 to {MOST}",
        switches.len()
    )))
}

/// The instance and the game of each question that ended under every combination, and the number of questions that did
/// not.
fn games(
    rows: &Rows,
    selection: &[u32],
    switches: &[Switch],
    metric: &Metric,
) -> (Vec<(String, Game)>, usize) {
    let names: Vec<String> = switches
        .iter()
        .map(|switch| Family::Method.column(&switch.name))
        .collect();
    let mut games = Vec::new();
    let questions = rows.by_question(selection);
    for question in &questions {
        let mut samples: HashMap<usize, Vec<u32>> = HashMap::new();
        for &row in question {
            let set = switches.iter().zip(&names).enumerate().try_fold(
                0,
                |set, (bit, (switch, name))| match rows.text(name, row) {
                    on if on == switch.on => Some(set | 1 << bit),
                    off if off == switch.off => Some(set),
                    _ => None,
                },
            );
            if let Some(set) = set {
                samples.entry(set).or_default().push(row);
            }
        }
        let value = |set: usize| {
            let sample = rows.sample(&metric.column(), samples.get(&set)?);
            median(&sample.values).filter(|_| sample.stopped_at.is_none())
        };
        let game: Option<Game> = (0..1 << switches.len()).map(value).collect();
        let instance = || rows.text("instance_hash", question[0]).to_owned();
        games.extend(game.map(|game| (instance(), game)));
    }
    let left_out = questions.len() - games.len();
    (games, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::Chart;
    use crate::rows_of as rows;

    /// Two switches: `a` divides by two, `b` by three, and both together by ten.
    fn found(outcome: &str) -> (Table, Option<Chart>) {
        let mut text = "schema,instance_hash,method_a,method_b,outcome,counter_nodes\n".to_owned();
        for (hash, nodes) in [("h", 300), ("i", 600)] {
            text += &format!("1,{hash},false,slow,solved,{nodes}\n");
            text += &format!("1,{hash},true,slow,solved,{}\n", nodes / 2);
            text += &format!("1,{hash},false,quick,solved,{}\n", nodes / 3);
            text += &format!("1,{hash},true,quick,{outcome},{}\n", nodes / 10);
        }
        let rows = rows(&text);
        let analysis: Analysis = toml::from_str(
            "kind='explain'\nset={metric='counter:nodes',from='a=false b=slow c=1',to='a=true b=quick c=1'}",
        )
        .expect("an analysis");
        let experiment = "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=['v']\ninstances=[{generator='g'}]";
        let experiment = Experiment::read("e.toml", experiment).expect("an experiment");
        let found = explain(&rows, &rows.all(), &analysis, &experiment).expect("a finding");
        (found.table, found.chart)
    }

    #[test]
    fn parts_multiply_and_add_up_to_the_whole() {
        let (table, chart) = found("solved");
        let column = |at: usize| -> Vec<String> {
            let cells = table.rows.iter().map(|row| row[at].to_string());
            cells.collect()
        };
        assert_eq!(column(0), ["a", "b", "all together", "a with b"]);
        // Alone 2×, last 10/3×: √(2 · 10/3) = 2.58; 3.87 the other; 10 together; beyond: 10/6.
        assert_eq!(column(2), ["2.58×", "3.87×", "10.0×", "1.67×"]);
        // Sums 900, 450, 300, 90: a saves (450 + 210) / 2, b saves (600 + 360) / 2.
        assert_eq!(column(5)[..3], ["330", "480", "810"]);
        assert_eq!(
            (column(6)[0].as_str(), column(7)[0].as_str()),
            ("2.00×", "3.33×")
        );
        let chart = chart.expect("a chart");
        assert_eq!(chart.title, "b saves most nodes: 3.87× of 10.0× in all");
        let bars = chart.panels[0].series.iter().map(|series| {
            let points = series.points.iter();
            points.map(|point| (100.0 * point.mid).round()).collect()
        });
        let bars: Vec<Vec<f64>> = bars.collect();
        assert_eq!(bars, [[200.0, 300.0], [258.0, 387.0], [333.0, 500.0]]);
    }

    #[test]
    fn where_nothing_ended_it_says_so() {
        let (table, chart) = found("timeout");
        assert!(table.heads.is_empty() && table.rows.is_empty() && chart.is_none());
        let said = &table.notes[0];
        assert!(said.contains("all 4 combinations"), "{said}");
    }
}
