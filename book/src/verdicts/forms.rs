//! Forms of claims that are not decided by an interval and a band: an order of several selections, a claim about all
//! instances, and the existence of a witness; and the sentence that each form adds to the reason.

use ikeru_bench_data::Figure;
use ikeru_bench_data::published::{Claims, FigureKind, Ours};

use super::measured::Measured;
use super::{Lies, ONE_SIDED, Verdict};
use ikeru_records::Family;
use ikeru_records::Result;
use ikeru_records::rows::Rows;
use ikeru_records::units;
use ikeru_reports::sampled::StatisticKind;
use ikeru_statistics::interval::share;
use ikeru_statistics::{Bound, Interval, mean};

/// The position of a claim that is not judged by an interval; `None` for other claims.
pub(super) fn lies(figure: &Figure, ours: &Measured, [low, high]: [f64; 2]) -> Option<Lies> {
    let bound = ours.estimate.bound;
    let is_outside = |extent: Interval| extent.low < low || extent.high > high;
    let is_within = !is_outside(ours.extent);
    // A mean may be exact where the differences of the instances are not.
    let is_difference = figure.ours.iter().any(|ours| ours.is.is_difference());
    let is_known = match bound {
        Bound::Exact => true,
        // The values that a timeout leaves open are on the allowed side.
        Bound::AtLeast => high.is_infinite(),
        Bound::AtMost => low.is_infinite(),
        Bound::Either => false,
    };
    match figure.claims {
        // One solved row is a witness even if other rows failed; the absence of a witness proves nothing.
        Claims::Exists => {
            let is_shown = matches!(bound, Bound::Exact | Bound::AtLeast);
            let is_found = match ours.solved {
                Some(solved) => solved.high >= low,
                None => is_shown && ours.extent.high >= low,
            };
            Some(if is_found { Lies::Inside } else { Lies::Across })
        }
        // One solved row is a counterexample.
        Claims::ForAll if ours.solved.is_some_and(is_outside) => Some(Lies::Outside),
        Claims::Exact
            if ours.kind == StatisticKind::Location
                && !is_difference
                && ours.solved.is_some_and(is_outside) =>
        {
            Some(Lies::Outside)
        }
        Claims::ForAll if !is_known => Some(Lies::Across),
        Claims::ForAll if !is_within => Some(Lies::Outside),
        Claims::ForAll if ours.sampled >= ONE_SIDED => Some(Lies::Inside),
        Claims::ForAll => Some(Lies::Across),
        _ => None,
    }
}

/// The addition to the reason of a decided figure: the witness or counterexample with the command that solves it again;
/// or the number of tried instances, and the largest share of exceptions.
pub(super) fn remark(
    rows: &Rows,
    figure: &Figure,
    ours: &Measured,
    verdict: Verdict,
) -> Result<String> {
    let (Some(from), Some([low, high])) = (&figure.ours, figure.band()) else {
        return Ok(String::new());
    };
    let is_shown = matches!(
        verdict,
        Verdict::Reproduced | Verdict::Calibrated | Verdict::Erratum
    );
    let tried = units::plural(ours.sampled, "instance");
    let row = match (figure.claims, verdict) {
        (Claims::Exists, _) if is_shown => {
            let values = values(rows, from)?.into_iter();
            let largest = values.max_by(|one, other| one.1.total_cmp(&other.1));
            largest.map(|(row, _)| ("Witness", row))
        }
        (Claims::ForAll, Verdict::Differs) => {
            let mut values = values(rows, from)?.into_iter();
            let other = values.find(|(_, value)| !(low..=high).contains(value));
            other.map(|(row, _)| ("Counterexample", row))
        }
        (Claims::ForAll, _) if is_shown => {
            let most = share(0.0, ours.sampled).and_then(|share| share.interval);
            let most = 100.0 * most.map_or(1.0, |ends| ends.high);
            return Ok(format!(
                "Holds for all of {tried} tried; at most {} % are otherwise (Wilson).",
                units::number(most)
            ));
        }
        _ => None,
    };
    Ok(row.map_or(String::new(), |(word, row)| {
        let cell = rows.text("cell", row);
        if rows.is_of_commands(row) {
            return format!(
                "{word}: cell {cell}; the run's command with `--cell {cell}` solves it again."
            );
        }
        format!("{word}: cell {cell}; `{}`.", command(rows, row))
    }))
}

/// The solved rows of our side with their values in the published unit. A ratio divides each value by the mean of the
/// other side on the same instance, a difference subtracts it, and a sum adds it.
fn values(rows: &Rows, ours: &Ours) -> Result<Vec<(u32, f64)>> {
    let of_experiment = rows.with("experiment", &ours.experiment);
    let solved = |only| {
        rows.narrow(&of_experiment, only)
            .map(|own| rows.solved(&own))
    };
    let other = ours.is.other().map(solved).transpose()?;
    let other = other.map(|other| rows.group("instance_hash", &other));
    let value = |row: u32| {
        let own = rows.number(&ours.column, row)?;
        let beside = |other: &[(String, Vec<u32>)]| {
            let instance = rows.text("instance_hash", row);
            let (_, same) = other.iter().find(|(known, _)| known == instance)?;
            mean(&rows.numbers(&ours.column, same))
        };
        let value = match (&ours.is, &other) {
            (_, None) => own,
            (FigureKind::RatioTo(_), Some(other)) => own / beside(other)?,
            (FigureKind::Sum { .. }, Some(other)) => own + beside(other)?,
            (_, Some(other)) => own - beside(other)?,
        };
        Some((row, value / ours.divide_by.unwrap_or(1.0)))
    };
    Ok(solved(&ours.only)?.into_iter().filter_map(value).collect())
}

/// The command that solves a row's question again.
fn command(rows: &Rows, row: u32) -> String {
    let set = |families: &[Family]| {
        let columns = families.iter().flat_map(|family| rows.family(*family));
        let words = columns.map(|column| rows.described([column], row));
        words
            .filter(|word| !word.is_empty())
            .map(|word| format!(" --set {word}"))
            .collect::<String>()
    };
    let (generator, instance) = (rows.text("generator", row), rows.text("instance", row));
    let (begin, file) = match generator {
        "" => (String::new(), instance),
        _ => {
            let seed = rows.text("seed", row);
            let parameters = set(&[Family::Parameter]);
            let begin = format!("ikeru generate {generator} --seed {seed}{parameters} | ");
            (begin, "-")
        }
    };
    let (problem, variant) = (rows.text("problem", row), rows.text("variant", row));
    let settings = set(&[Family::Setting, Family::Method]);
    format!("{begin}ikeru solve {problem} {file} --variant {variant}{settings}")
}

#[cfg(test)]
mod tests {
    use ikeru_bench_data::PublishedSource;

    use super::super::judge;
    use super::*;
    use crate::rows_of as rows;

    /// The verdict on a figure by rows with `columns`, and its reason.
    fn judged(columns: &str, lines: &[String], figure: &str) -> (Verdict, String) {
        let figure = format!(
            "source='s'\nreference='r'\n[[figures]]\nid='s/x'\nplace='p'\nclaim='c'\n{figure}"
        );
        let source = PublishedSource::read("s.toml", &figure).expect("a source");
        let text = format!("schema,experiment,outcome,{columns}\n{}", lines.concat());
        let judged = judge(&rows(&text), &source, &source.figures[0]).expect("a good figure");
        (judged.verdict, judged.reason())
    }

    #[test]
    fn an_order_needs_each_of_its_neighbours() {
        let order = "claims='order'\nours={experiment='e',column='counter_nodes',\
            is.order=[{label='a'},{label='b'},{label='c'}]}";
        let verdict = |boards: u32, nodes: [fn(u32) -> u32; 3]| {
            let mut lines = Vec::new();
            for board in 0..boards {
                for (label, nodes) in ["a", "b", "c"].iter().zip(nodes) {
                    lines.push(format!("1,e,solved,{label},h{board},{}\n", nodes(board)));
                }
            }
            judged("label,instance_hash,counter_nodes", &lines, order).0
        };
        let rising: [fn(u32) -> u32; 3] = [|at| 100 + at, |at| 200 + 2 * at, |at| 300 + at];
        assert_eq!(verdict(6, rising), Verdict::Reproduced);
        let [a, b, c] = rising;
        // The first pair is in order and the second is not.
        assert_eq!(verdict(6, [a, c, b]), Verdict::Differs);
        assert_eq!(verdict(6, [b, a, c]), Verdict::Differs);
        let about_b: fn(u32) -> u32 = |at| 200 + 2 * at + 30 * (at % 2);
        let near_b: fn(u32) -> u32 = |at| 200 + 2 * at + 30 * ((at + 1) % 2);
        assert_eq!(verdict(6, [a, about_b, near_b]), Verdict::Undecided);
        // A refuted pair takes precedence over an open one.
        assert_eq!(verdict(6, [about_b, near_b, a]), Verdict::Differs);
        // Equal ratios have no interval and refute nothing.
        assert_eq!(
            verdict(6, [a, |at| 200 + 2 * at, |at| 150 + at]),
            Verdict::Differs
        );
    }

    #[test]
    fn one_counterexample_refutes_what_is_said_of_all() {
        let all = "value=1\nclaims='for-all'\nours={experiment='e',column='measure_win',where={measure_lead={from=30,to=99}}}";
        let verdict = |games: usize, lost: Option<usize>| {
            let game = |at| {
                let win = u8::from(Some(at) != lost);
                format!("1,e,solved,h{at},c{at},build,v,40,{win}\n")
            };
            // The claim does not cover a game with a small lead.
            let mut lines: Vec<String> = (0..games).map(game).collect();
            lines.push("1,e,solved,h,c,build,v,3,0\n".to_owned());
            let columns = "instance_hash,cell,problem,variant,measure_lead,measure_win";
            judged(columns, &lines, all)
        };
        let (kept, reason) = verdict(60, None);
        assert_eq!(kept, Verdict::Reproduced);
        assert!(
            reason.contains("60\u{202f}instances tried; at most 6.02 %"),
            "{reason}"
        );
        let (few, reason) = verdict(4, None);
        assert_eq!(few, Verdict::Undecided);
        assert!(!reason.contains("Holds for all"), "{reason}");
        let (refuted, reason) = verdict(60, Some(7));
        assert_eq!(refuted, Verdict::Differs);
        assert!(
            reason.starts_with("Counterexample: cell c7; `ikeru solve"),
            "{reason}"
        );
        assert_eq!(verdict(3, Some(1)).0, Verdict::Differs);
    }

    #[test]
    fn a_difference_is_refuted_beside_a_failed_row() {
        let all = "value=7\nband=[5,9]\nclaims='for-all'\nours={experiment='e',column='counter_nodes',where={label='a'},is.difference_to={label='b'}}";
        let verdict = |broken: &str| {
            let lines = |at: u32| {
                let outcome = if at == 3 { broken } else { "solved" };
                let less = if at == 5 { 0 } else { 7 };
                [
                    format!("1,e,solved,a,h{at},c{at},reach,memo,{}\n", 10 + at),
                    format!(
                        "1,e,{outcome},b,h{at},d{at},reach,memo,{}\n",
                        10 + at - less
                    ),
                ]
            };
            let lines: Vec<String> = (0..8).flat_map(lines).collect();
            judged(
                "label,instance_hash,cell,problem,variant,counter_nodes",
                &lines,
                all,
            )
        };
        for broken in ["solved", "crashed"] {
            let (verdict, reason) = verdict(broken);
            assert_eq!(verdict, Verdict::Differs, "{broken}");
            assert!(reason.contains("Counterexample: cell c5;"), "{reason}");
        }
    }

    #[test]
    fn a_witness_is_named_with_its_command() {
        let columns = "cell,problem,generator,seed,instance,instance_hash,variant,param_width,setting_steps,method_tie,measure_errors";
        let line = |seed: u32, errors: u32| {
            format!(
                "1,e,solved,c{seed},reach,reach.rail,{seed},m,h{seed},brute,9,48,low,{errors}\n"
            )
        };
        let exists = "value=1\nclaims='exists'\nours={experiment='e',column='measure_errors',is.statistic='maximum'}";
        let (verdict, reason) = judged(columns, &[line(1, 0), line(2, 3), line(3, 1)], exists);
        assert_eq!(verdict, Verdict::Reproduced);
        assert_eq!(
            reason,
            "Witness: cell c2; `ikeru generate reach.rail --seed 2 --set width=9 | \
            ikeru solve reach - --variant brute --set steps=48 --set tie=low`."
        );
        let (verdict, reason) = judged(columns, &[line(1, 0)], exists);
        assert_eq!(verdict, Verdict::Undecided);
        assert!(!reason.contains("Witness"), "{reason}");
        assert!(reason.contains("No row of those tried"), "{reason}");
    }

    #[test]
    fn an_order_of_growth_is_an_upper_bound() {
        let growth = "value=2\nclaims='growth'\nours={experiment='e',column='counter_nodes',is.rate={along='size'}}";
        let verdict = |power: i32| {
            let lines = |map: u32| {
                [10, 20, 40].map(|size: u32| {
                    let nodes = f64::from(size).powi(power) * f64::from(map + 1);
                    format!("1,e,solved,h{map},{size},{nodes}\n")
                })
            };
            let lines: Vec<String> = (0..5).flat_map(lines).collect();
            judged("instance_hash,size,counter_nodes", &lines, growth).0
        };
        assert_eq!(
            [1, 2, 3].map(verdict),
            [Verdict::Reproduced, Verdict::Reproduced, Verdict::Differs]
        );
    }
}
