//! The analyses that experiments and commands run. Each returns a table with notes.
//!
//! | module | answers |
//! |---|---|
//! | [`compare`] | which rows became faster or slower between two runs or two variants |
//! | [`rank`] | which variant is the best over all questions |
//! | [`growth`] | which scaling law relates one column to another |
//! | [`scores`] | which variant has the better scores |
//! | [`elo`] | which Elo difference a share of matches won corresponds to |

pub mod compare;
pub mod elo;
pub mod growth;
mod kind;
pub mod rank;
pub mod scores;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::{Analysis, SCORES};
use ikeru_core::Value;

pub use self::kind::{AnalysisKind, Analyzed, Finding};
use crate::additions::Additions;
use crate::error::{ReportError, Result};
use crate::records::Outcome;
use crate::rows::Rows;
use crate::units;

/// The kinds of this crate.
const KINDS: &[AnalysisKind] = &[
    AnalysisKind::new("growth", &["x", "y"], growth::growth),
    AnalysisKind::new("elo", &["win", "draw"], elo::elo),
    AnalysisKind::new(SCORES, &[], scores::scores),
];

/// A note on rows that are not compared, `count` questions or samples, with the failures among them.
fn not_common(count: &str, rows: &Rows, left_out: &[u32]) -> String {
    let failed = failed_by_label(rows, left_out).map(|said| format!("; there {said}"));
    let failed: String = failed.collect();
    format!(
        "{count} that not every variant was asked, or on which the referee failed: left out{failed}."
    )
}

/// A note on the answers in dispute; `None` if there is none.
fn disputed_note(rows: &Rows, own: &[u32]) -> Option<String> {
    let count = rows.ended(own, Outcome::Disputed).len();
    let answers = units::plural(count, "answer");
    (count > 0).then(|| format!("{answers} in dispute: left out."))
}

/// The failures of each label that has some, among the rows that were judged.
fn failed_by_label(rows: &Rows, own: &[u32]) -> impl Iterator<Item = String> {
    let judged = own.iter().copied().filter(|row| rows.counts(*row));
    let labels = rows.group("label", &judged.collect::<Vec<_>>()).into_iter();
    let failed = labels.map(|(label, own)| (label, rows.failed_in_words(&own)));
    let failed = failed.filter(|(_, said)| !said.is_empty());
    failed.map(|(label, said)| format!("{label}: {said}"))
}

/// The kind of an analysis: one of this crate or of [`Additions`].
fn kind(analysis: &Analysis) -> Result<AnalysisKind> {
    let all = || KINDS.iter().chain(Additions::get().analyses).copied();
    let known = all().find(|kind| kind.name == analysis.kind);
    let names = || all().map(|kind| kind.name);
    let unknown = || ReportError::unknown("analysis", &analysis.kind, names());
    known.ok_or_else(unknown)
}

/// Checks the kind of the analysis and the names of its parameters.
///
/// # Errors
/// An unknown kind or parameter; the message names the nearest known one.
pub fn check(analysis: &Analysis) -> Result<()> {
    let kind = kind(analysis)?;
    let known = || kind.parameters.iter().chain(kind.words).copied();
    let is_unknown = |name: &&String| !known().any(|known| known == *name);
    match analysis.set.keys().find(is_unknown) {
        Some(name) => Err(ReportError::unknown("parameter", name, known())),
        None => Ok(()),
    }
}

/// The columns that the analysis's parameters name, and the points of matches for Elo differences.
pub fn columns(analysis: &Analysis) -> impl Iterator<Item = &str> {
    let is_elo = analysis.kind == "elo" && !analysis.set.contains_key("win");
    let named = kind(analysis).map_or(&[][..], |kind| kind.parameters);
    named
        .iter()
        .filter_map(|name| match analysis.set.get(*name) {
            Some(Value::Text(column)) => Some(column.as_str()),
            _ => None,
        })
        .chain(is_elo.then_some(elo::WIN))
}

/// Runs the analysis over the rows of its experiment.
///
/// # Errors
/// An unknown kind or parameter, an impossible range in the selection, or an error of the analysis.
pub fn analyze(rows: &Rows, experiment: &Experiment, analysis: &Analysis) -> Result<Finding> {
    check(analysis)?;
    let of_experiment = rows.with("experiment", &experiment.name);
    let selection = rows.narrow(&of_experiment, &analysis.only)?;
    let mut finding = (kind(analysis)?.run)(Analyzed {
        rows,
        selection: &selection,
        analysis,
        experiment,
    })?;
    if let Some(title) = &analysis.title {
        finding.table.title.clone_from(title);
    }
    Ok(finding)
}

/// A parameter of the analysis as text, or `default`.
fn parameter<'a>(analysis: &'a Analysis, name: &str, default: &'a str) -> &'a str {
    match analysis.set.get(name) {
        Some(Value::Text(text)) => text,
        _ => default,
    }
}

/// The columns of generator, ways to run and settings that have more than one value in `selection`, without `except`.
fn varying<'a>(rows: &'a Rows, selection: &[u32], except: &str) -> Vec<&'a str> {
    let mut names = rows.varying(&["generator"], selection);
    names.retain(|name| *name != except);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment_of;
    use crate::rows_of as rows;
    use crate::table::Cell;

    /// The text of the cells of an analysis's table, with ordinary spaces.
    fn found(kind: &str, text: &str) -> Vec<Vec<String>> {
        let asked = format!("[[analyses]]\nkind='{kind}'");
        let experiment = experiment_of("'slow','fast'", &asked);
        let found = analyze(&rows(text), &experiment, &experiment.analyses[0]).expect("a finding");
        let word = |cell: &Cell| cell.to_string().replace('\u{202f}', " ");
        let rows = found.table.rows.iter();
        rows.map(|row| row.iter().map(word).collect()).collect()
    }

    #[test]
    fn growth_finds_the_law_and_leaves_timeouts_out() {
        let mut text = "schema,experiment,label,size,outcome,wall_ns\n".to_owned();
        for steps in 1..10 {
            text += &format!("1,e,slow,{steps},solved,{}\n", 3.0 * 2.0_f64.powi(steps));
            let cube = 5.0 * f64::from(steps).powi(3);
            text += &format!("1,e,fast,{steps},solved,{cube}\n");
        }
        text += "1,e,slow,10,timeout,1\n1,e,other,1,solved,5\n";
        let found = found("growth", &text);
        let cells = |row: usize| [2, 3, 6, 8].map(|column| found[row][column].as_str());
        assert_eq!(cells(0), ["9", "0", "∝ x^3.00", "2 of 2"], "{found:?}");
        assert_eq!(cells(1), ["1", "0", "fewer than 5 sizes", ""], "{found:?}");
        assert_eq!(cells(2), ["9", "1", "∝ 2.00^x", "2 of 2"], "{found:?}");
    }

    #[test]
    fn the_laws_of_a_table_have_one_clock() {
        let mut text = "schema,experiment,label,threads,size,outcome,wall_ns,cpu_ns\n".to_owned();
        for size in 1..9_i32 {
            let square = size * size;
            text += &format!("1,e,fast,1,{size},solved,{square},{size}\n");
            text += &format!("1,e,slow,1,{size},solved,{square},\n");
        }
        let found = found("growth", &text);
        let laws: Vec<&str> = found.iter().map(|row| &*row[6]).collect();
        assert_eq!(laws, ["∝ x^2.00"; 2]);
    }

    #[test]
    fn points_of_matches_are_shares() {
        for (won, drawn) in [("350", ""), ("1", "1"), ("-1", "")] {
            let text = "schema,experiment,label,outcome,measure_win,measure_draw\n";
            let rows = rows(&format!("{text}1,e,fast,solved,{won},{drawn}\n"));
            let points = elo::share_of_points(&rows, ["measure_win", elo::DRAW], &rows.all());
            let error = points.expect_err("no share").to_string();
            assert!(error.contains("`measure_win` is no share"), "{error}");
        }
        // A match in which the player crashed or was stopped is lost.
        let mut text = "schema,experiment,label,outcome,measure_win,measure_draw\n".to_owned();
        text += &"1,e,fast,solved,0,1\n".repeat(2);
        text += &"1,e,fast,crashed,,\n1,e,fast,timeout,,\n".repeat(2);
        let row = &found("elo", &text)[0];
        assert_eq!([&*row[1], &*row[2]], ["6", "16.7 %"], "{row:?}");
    }

    #[test]
    fn each_number_of_threads_has_its_law() {
        let mut text = "schema,experiment,label,threads,size,outcome,counter_nodes\n".to_owned();
        for size in 4..12_i32 {
            for threads in 1..=2 {
                text += &format!("1,e,fast,{threads},{size},solved,{}\n", size.pow(threads));
            }
        }
        let text = text.replace("counter_nodes", "wall_ns");
        let laws = |text: &str| -> Vec<[String; 2]> {
            let found = found("growth", text).into_iter();
            found.map(|row| [row[1].clone(), row[6].clone()]).collect()
        };
        let expected = [["threads=1", "∝ x^1.00"], ["threads=2", "∝ x^2.00"]];
        assert_eq!(laws(&text), expected);
        // The same for a parameter of the generator. One that follows from the size is no other law.
        let text = text.replace("threads,size", "param_k,size");
        let expected = [["k=1", "∝ x^1.00"], ["k=2", "∝ x^2.00"]];
        assert_eq!(laws(&text), expected);
        let mut text = "schema,experiment,label,param_width,size,outcome,wall_ns\n".to_owned();
        for width in 2..9_i32 {
            text += &format!("1,e,fast,{width},{},solved,{width}\n", width * width);
        }
        assert_eq!(laws(&text), [["", "∝ x^0.50"]]);
    }

    #[test]
    fn a_parameter_has_laws_of_its_own_although_one_value_has_a_single_size() {
        let mut text = "schema,experiment,label,param_k,size,outcome,wall_ns\n".to_owned();
        for size in 1..9_i32 {
            text += &format!(
                "1,e,fast,1,{size},solved,{}\n1,e,fast,2,{size},solved,{}\n",
                10 * size,
                10 * size * size
            );
        }
        text += "1,e,fast,3,1,solved,10\n";
        let found = found("growth", &text);
        let laws: Vec<[&str; 2]> = found.iter().map(|row| [&*row[1], &*row[6]]).collect();
        let expected = [
            ["k=1", "∝ x^1.00"],
            ["k=2", "∝ x^2.00"],
            ["k=3", "fewer than 5 sizes"],
        ];
        assert_eq!(laws, expected);
    }

    #[test]
    fn growth_leaves_sizes_out_of_which_most_samples_failed() {
        for column in ["wall_ns", "counter_nodes", "measure_moves"] {
            let mut text =
                format!("schema,experiment,label,size,instance_hash,outcome,limit_ns,{column}\n");
            for size in 1..10 {
                for sample in 0..5 {
                    let is_lost = size == 9 && sample < 3;
                    let (outcome, value) = if is_lost {
                        ("crashed", String::new())
                    } else {
                        ("solved", (10 * size).to_string())
                    };
                    text += &format!("1,e,fast,{size},{size}-{sample},{outcome},1000000,{value}\n");
                }
            }
            let text = match column {
                "wall_ns" => text.replace("crashed,1000000,", "crashed,1000000,1"),
                _ => text,
            };
            let asked = format!("[[analyses]]\nkind='growth'\nset={{y='{column}'}}");
            let experiment = experiment_of("'fast'", &asked);
            let found = analyze(&rows(&text), &experiment, &experiment.analyses[0]);
            let row = &found.expect("a finding").table.rows[0];
            assert_eq!([2, 3].map(|at| row[at].to_string()), ["8", "1"], "{column}");
            // A size without a logarithm is left out too.
            let zeros = text.replace(",10\n", ",0\n");
            let found = analyze(&rows(&zeros), &experiment, &experiment.analyses[0]);
            let row = &found.expect("a finding").table.rows[0];
            assert_eq!([2, 3].map(|at| row[at].to_string()), ["7", "2"], "{column}");
        }
    }

    #[test]
    fn elo_answers() {
        let elo = found(
            "elo",
            "schema,experiment,label,outcome,measure_win\n1,e,fast,solved,1\n1,e,fast,solved,1\n1,e,fast,solved,1\n1,e,fast,solved,0\n",
        );
        // 400·log10(3) = 190.8
        assert_eq!(elo[0][3], "191");
    }

    #[test]
    fn a_drawn_match_is_half_a_point() {
        let match_of = |label: &str, match_number: usize, [win, draw]: [u8; 2]| {
            format!("1,e,{label},{match_number},{match_number},solved,{win},{draw}\n")
        };
        let mut text =
            "schema,experiment,label,instance_hash,cell,outcome,measure_win,measure_draw\n"
                .to_owned();
        for number in 0..12 {
            text += &match_of("equal", number, [0, 1]);
            text += &match_of("worse", number, [0, (number % 2) as u8]);
            text += &match_of(
                "better",
                number,
                [(number % 2) as u8, (number % 2 == 0) as u8],
            );
        }
        let elo = found("elo", &text);
        let of = |row: usize| [1, 2, 3].map(|column| elo[row][column].as_str());
        assert_eq!(of(0), ["12", "75 %", "191"], "{elo:?}");
        assert_eq!(of(1), ["12", "50 %", "0.00"], "{elo:?}");
        assert_eq!(of(2), ["12", "25 %", "−191"], "{elo:?}");
        // Twelve draws do not prove that the sides are equal.
        assert_eq!(elo[1][4], "−187 … 187");
    }
}
