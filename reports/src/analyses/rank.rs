//! Ranks the variants over all questions, one row per variant, each compared with the baseline.

mod values;

use std::collections::BTreeSet;
use std::time::Duration;

use ikeru_compare::comparison::{ComparedScope, Comparison, ComparisonDecision};
use ikeru_records::refuse;

use self::values::LabelValues;
use super::compare::{CompareTerms, compare_labels, forced, turns_note, words as words_of};
use super::{disputed_note, not_common};
use crate::error::Result;
use crate::records::Outcome;
use crate::row;
use crate::rows::{QUESTION, Rows};
use crate::run_file::RunFile;
use crate::statistics::portfolio::{Portfolio, par2};
use crate::table::{Cell, Content, Table};
use crate::units::{self, Quantity};

/// The smallest limit of the rows, in nanoseconds. If the file has none, the shortest time of a timeout; without
/// timeouts, the longer of the experiment's limit `said` and the longest solved time.
pub fn limit(rows: &Rows, selection: &[u32], said: Option<Duration>) -> f64 {
    let known = rows.numbers("limit_ns", selection);
    if let Some(least) = known.into_iter().reduce(f64::min) {
        return least;
    }
    let times = |outcome| rows.numbers("wall_ns", &rows.ended(selection, outcome));
    let stopped = times(Outcome::Timeout).into_iter().reduce(f64::min);
    let said = said.map_or(0.0, |limit| limit.as_nanos() as f64);
    let longest = || times(Outcome::Solved).into_iter().fold(said, f64::max);
    stopped.unwrap_or_else(longest)
}

/// The settings of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankTerms {
    /// The comparison with the baseline; a lower value must be better. Rows of different modes, bound policies or machines are ranked
    /// together by force, with a note.
    pub compared: CompareTerms,
    /// The label with which the others are compared.
    pub baseline: Option<String>,
    /// The limit in nanoseconds; PAR-2 counts an unanswered question as twice the limit.
    pub limit: f64,
}

/// Ranks the labels of `selection`, the rows of one experiment.
///
/// # Errors
/// Rows of different modes, bound policies or machines (unless forced), or no question that can be ranked.
pub fn rank((rows, run): (&Rows, &RunFile), selection: &[u32], terms: &RankTerms) -> Result<Table> {
    let selection = &*rows.without_placebo(selection);
    let mut caveats = caveats((rows, run), selection, &terms.compared)?;
    caveats.extend(disputed_note(rows, selection));
    let metric = &terms.compared.metric;
    let questions = questions(rows, selection, &terms.compared, &mut caveats);
    // For times, an unanswered question counts twice the limit, so that it has a ratio.
    let penalty = metric.is_time().then_some(2.0 * terms.limit);
    let values = LabelValues::of(rows, selection, &questions, (metric, penalty));
    let ranked = values.ranked(penalty);
    if ranked.is_empty() {
        let word = metric.word();
        refuse!("no question has a value of {word} above 0 from every variant");
    }
    let places = values.places(&ranked, penalty);
    let portfolio = Portfolio::of(&values.times_of_taken(), terms.limit);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| {
        let ((refuses, fall), (other, of_other)) = (places[*a], places[*b]);
        refuses.cmp(&other).then(fall.total_cmp(&of_other))
    });
    let labels = order.iter().map(|label| values.labels[*label].as_str());
    let against = against((rows, run), selection, labels, terms);

    let experiment = rows.text("experiment", selection[0]);
    let variants = units::plural(values.labels.len(), "variant");
    let title = format!("{experiment}: {variants} by {}", metric.title());
    let mut table = Table::new(title, "variant | solved");
    let head = against.as_ref().zip(terms.baseline.as_ref());
    table
        .heads
        .extend(head.map(|(_, label)| format!("against {label}")));
    if penalty.is_some() {
        let heads = ["PAR-2", "contribution"].map(str::to_owned);
        table.heads.extend(heads);
    }
    let quantity = metric.quantity();
    for (at, &label) in order.iter().enumerate() {
        let mut row = row![&values.labels[label], values.solved(rows, label)];
        row.extend(against.as_ref().map(|against| against.cells[at].clone()));
        if penalty.is_some() {
            row.extend(row![
                (par2(&values.taken(label), terms.limit), quantity),
                (portfolio.contributions[label], quantity)
            ]);
        }
        table.rows.push(row);
    }
    table
        .rows
        .push(virtual_best(&portfolio, against.is_some(), terms));
    let instances: BTreeSet<&String> = ranked.iter().map(|at| &values.instances[*at]).collect();
    let questions = values.instances.len();
    table.notes = explanation(ranked.len(), instances.len(), questions, terms);
    if let Some(against) = against {
        table.notes.extend(against.notes());
        table.comparisons = against.all;
    }
    if places.iter().any(|(refuses, _)| *refuses) {
        table.note("A variant that refuses questions, or was not asked, stands behind the others, with its values over the questions that it takes.".to_owned());
    }
    table.notes.extend(caveats);
    Ok(table)
}

fn caveats(
    (rows, run): (&Rows, &RunFile),
    selection: &[u32],
    terms: &CompareTerms,
) -> Result<Vec<String>> {
    let mut mixed = Vec::new();
    for (column, word, matters) in [
        ("mode", "modes", terms.metric.is_time()),
        ("bound_policy", "bound policies", true),
    ] {
        let values = rows.distinct(column, selection);
        if matters && values.len() > 1 {
            let values = values.join(" and ");
            mixed.push(format!("rows of the {word} {values} stand in one ranking"));
        }
    }
    if run.mixes_machines() && terms.metric.is_time() {
        mixed.push("rows of different machines stand in one ranking".to_owned());
    }
    let how = "choose with --where, or --force ranks nevertheless";
    forced(mixed, terms.force, how)
}

/// The rows by question. Times of several nodes are blocked by node: a question counts once for each node on which
/// every variant of the question has samples, and samples on other nodes are left out.
fn questions(
    rows: &Rows,
    selection: &[u32],
    terms: &CompareTerms,
    caveats: &mut Vec<String>,
) -> Vec<Vec<u32>> {
    let questions = asked_of_all(rows, selection, caveats);
    let all = questions.concat();
    if !terms.metric.is_time() || terms.force || rows.distinct("node", &all).len() < 2 {
        return questions;
    }
    let mut blocks = Vec::new();
    for question in questions {
        let labels = rows.distinct("label", &question).len();
        let of_nodes = rows.group_by(&["node"], &question).into_iter();
        blocks.extend(of_nodes.filter(|block| rows.distinct("label", block).len() == labels));
    }
    let left_out = all.len() - blocks.iter().map(Vec::len).sum::<usize>();
    let left_out = match left_out {
        0 => String::new(),
        _ => format!(
            "; {left_out} samples on nodes without all variants of their question are left out"
        ),
    };
    caveats.push(format!(
        "The rows were taken on several nodes: variants are compared on one node each{left_out}."
    ));
    blocks
}

/// The rows that count of the questions that every label was asked; of all questions if there is none of these.
fn asked_of_all(rows: &Rows, selection: &[u32], caveats: &mut Vec<String>) -> Vec<Vec<u32>> {
    let mut questions = rows.group_by(&QUESTION, selection);
    let all = questions.iter_mut();
    all.for_each(|own| own.retain(|row| rows.counts(*row)));
    let labels = rows.distinct("label", &questions.concat()).len();
    let is_common = |own: &Vec<u32>| !own.is_empty() && rows.distinct("label", own).len() == labels;
    let (common, mut others): (Vec<_>, Vec<_>) = questions.into_iter().partition(is_common);
    if common.is_empty() {
        caveats.push("No question was asked of every variant: each has its own.".to_owned());
        others.retain(|own| !own.is_empty());
        return others;
    }
    if !others.is_empty() {
        let left_out = units::plural(others.len(), "question");
        caveats.push(not_common(&left_out, rows, &others.concat()));
    }
    common
}

/// The comparisons of the labels with the baseline.
#[derive(Default)]
struct RankedAgainst {
    /// The cell of each label.
    cells: Vec<Cell>,
    /// The scopes of the cells.
    scopes: Vec<ComparedScope>,
    /// All comparisons.
    all: Vec<Comparison>,
    /// The labels of which the order turns by question.
    turns: Vec<String>,
}

impl RankedAgainst {
    /// The notes on the scope of the cells, unless they name it, and on labels of which the order turns.
    fn notes(&self) -> impl Iterator<Item = String> {
        let has = |scope| self.scopes.contains(&scope);
        let shown = match has(ComparedScope::Alike) {
            true => "A comparison without another scope",
            false => "The comparison",
        };
        let scope = has(ComparedScope::These).then(|| {
            format!(
                "{shown} is on these instances; `ikeru compare DIR:A :B` has instances like these."
            )
        });
        scope.into_iter().chain(turns_note(&self.turns))
    }
}

/// The comparison of each label with the baseline; `None` without a baseline.
fn against<'a>(
    (rows, run): (&Rows, &RunFile),
    selection: &[u32],
    labels: impl Iterator<Item = &'a str>,
    terms: &RankTerms,
) -> Option<RankedAgainst> {
    let baseline = terms.baseline.as_ref()?;
    let decided = words_of(&terms.compared);
    let mut against = RankedAgainst::default();
    for label in labels {
        if label == baseline {
            against.cells.push("baseline".into());
            continue;
        }
        let found = compare_labels((rows, run), selection, [baseline, label], &terms.compared);
        against.cells.push(match found {
            Ok(found) => {
                against.turns.extend(found.turns);
                let rows = found.table.comparisons;
                // Without repeats the instances are the only sample.
                let has_interval = |row: &Comparison| row.is_of_all() && row.has_interval();
                let at = rows.iter().position(has_interval).unwrap_or(0);
                let shown = rows[at].clone();
                against.scopes.push(shown.scope);
                against.all.extend(rows);
                let mut said = decided.decision(&shown);
                if shown.scope == ComparedScope::Alike {
                    said += &format!(" {}", shown.scope.place(0));
                }
                Content::Compared(said, Box::new(shown)).into()
            }
            Err(_) => ComparisonDecision::NotComparable.name().into(),
        });
    }
    Some(against)
}

fn virtual_best(portfolio: &Portfolio, has_baseline: bool, terms: &RankTerms) -> Vec<Cell> {
    let answered = portfolio.best.iter().flatten().count() as f64;
    let share = answered / portfolio.best.len().max(1) as f64;
    let mut row = row!["(virtual best)", (share, Quantity::Share)];
    row.extend(has_baseline.then_some(Cell::EMPTY));
    let metric = &terms.compared.metric;
    if metric.is_time() {
        let quantity = metric.quantity();
        row.push((par2(&portfolio.best, terms.limit), quantity).into());
        row.push(Cell::EMPTY);
    }
    row
}

fn explanation(
    ranked: usize,
    instances: usize,
    questions: usize,
    terms: &RankTerms,
) -> Vec<String> {
    let instances = units::plural(instances, "instance");
    let over =
        format!("Ranked by geometric means over {ranked} of {questions} questions to {instances}");
    let mut said = Vec::new();
    let metric = &terms.compared.metric;
    if metric.is_time() {
        let limit = metric.quantity().word(terms.limit);
        said.push(format!(
            "{over} of median times; a stopped or failed sample counts twice the limit of {limit}; a question that nobody answered is left out. PAR-2 is the mean time with the same penalty over all questions."
        ));
        said.push("The virtual best solver takes the fastest variant of each question; a variant's contribution is what its PAR-2 would grow by without the variant.".to_owned());
    } else {
        said.push(format!(
            "{over}, those that every variant answered with a value above 0."
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::rows_of as rows;
    use crate::table::Form;
    use ikeru_core::Better;

    fn rank(rows: &Rows, selection: &[u32], terms: &RankTerms) -> Result<Table> {
        super::rank((rows, &RunFile::default()), selection, terms)
    }

    fn terms(metric: Metric) -> RankTerms {
        RankTerms {
            compared: CompareTerms::of(metric, Better::Lower),
            baseline: Some("slow".to_owned()),
            limit: 1000.0,
        }
    }

    /// `fast` is the best on every question but the last, which only `slow` answers.
    fn text() -> String {
        let mut text = "schema,experiment,label,instance_hash,bound_policy,mode,method_width,outcome,wall_ns,counter_nodes\n".to_owned();
        for question in 1..=10 {
            let row = |label, width, outcome, time| {
                format!("1,e,{label},h{question},shared,isolated,{width},{outcome},{time},{time}\n")
            };
            let time = 10 * question;
            text += &row("slow", 1, "solved", 4 * time);
            text += &if question == 10 {
                row("fast", 2, "timeout", 1000)
            } else {
                row("fast", 2, "solved", time)
            };
        }
        text
    }

    #[test]
    fn the_best_stands_first_and_unanswered_questions_count_twice() {
        let rows = rows(&text());
        let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
        let column = |name: &str| {
            let at = table.heads.iter().position(|head| head == name);
            let at = at.expect(name);
            let word = |row: &Vec<Cell>| row[at].to_string().replace('\u{202f}', " ");
            table.rows.iter().map(word).collect::<Vec<_>>()
        };
        assert_eq!(column("variant"), ["fast", "slow", "(virtual best)"]);
        // `slow` takes four times as long on nine questions; `fast` was stopped on one, which leaves an end open.
        assert!(column("against slow")[0].starts_with("undecided"));
        assert_eq!(column("solved"), ["90 %", "100 %", "100 %"]);
        let par2 = ["245 ns", "220 ns", "85 ns"];
        assert_eq!(column("PAR-2"), par2);
    }

    #[test]
    fn a_question_of_which_half_of_the_samples_were_solved_is_answered() {
        let half = "1,e,fast,h10,shared,isolated,2,solved,100,100\n";
        let rows = rows(&(text() + half));
        let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
        let words = |row: &Vec<Cell>| row.iter().map(ToString::to_string).collect::<Vec<_>>();
        let fast = words(&table.rows[0]);
        // The median of 100 ns and of twice the limit of 1 µs, and nine questions of 10 to 90 ns.
        assert_eq!([&fast[0], &fast[3]], ["fast", "150\u{202f}ns"]);
        assert_eq!(fast[1], "95\u{202f}%");
    }

    #[test]
    fn a_question_on_which_the_referee_failed_counts_for_no_label() {
        let judged = text().replace("timeout,1000,1000", "referee-failed,10,10");
        let rows = rows(&judged);
        let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
        let words = |row: &Vec<Cell>| row.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut lines = table.rows.iter().map(words);
        let fast = lines.find(|words| words[0] == "fast").expect("a line");
        let factor = "4× faster on instances like these";
        assert_eq!(fast[1..3], ["100\u{202f}%", factor], "{fast:?}");
        // The cell names its scope, and no note contradicts it.
        assert!(!table.notes.join(" ").contains("is on these instances"));
        let csv = table.to(Form::Csv);
        let heads = ",against slow,against slow low,against slow high,against slow scope,against slow decision,";
        assert!(csv.contains(heads), "{csv}");
        let [fast, slow] = [",4,,,instances like these,better,", ",,,,,baseline,"];
        assert!(csv.contains(fast) && csv.contains(slow), "{csv}");
        // It is no refusal, and it counts for no other label.
        assert_eq!(words(&table.rows[0])[0], "fast");
        let notes = table.notes.join(" ");
        assert!(!notes.contains("refuses") && notes.contains("1\u{202f}question that not"));
        assert!(notes.contains("over 9 of 9"), "{notes}");
    }

    #[test]
    fn a_question_that_nobody_took_counts_for_no_portfolio() {
        let head = text().replace("mode,", "mode,asked,detail,");
        let shown = |outcome: &str| {
            let rows = head.replace(",isolated,", ",isolated,,,");
            let lost = |line: &str| match line.contains(",h10,") {
                true => line.split(",isolated").next().expect("a line").to_owned() + outcome,
                false => line.to_owned(),
            };
            let rows = rows.lines().map(lost).collect::<Vec<_>>().join("\n") + "\n";
            let rows = self::rows(&rows);
            let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
            let best = table.rows.last().expect("the virtual best");
            [1, 3].map(|at| best[at].to_string().replace('\u{202f}', " "))
        };
        for outcome in [
            ",isolated,,,1,referee-failed,10,10",
            ",isolated,,,1,skipped,,",
        ] {
            // The mean of 10, 20 … 90.
            assert_eq!(shown(outcome), ["100 %", "50 ns"], "{outcome}");
        }
    }

    #[test]
    fn questions_that_one_label_was_not_asked_are_left_out() {
        let asked = text() + "1,e,slow,h11,shared,isolated,1,solved,5,5\n";
        let rows = rows(&asked);
        let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
        let one = crate::rows_of(&text());
        let before = rank(&one, &one.all(), &terms(Metric::Wall)).expect("ranked");
        assert_eq!(table.rows, before.rows);
        let note = table.notes.last().expect("a note");
        assert_eq!(
            note,
            "1\u{202f}question that not every variant was asked, or on which the referee failed: left out."
        );
        // Without a common question, nothing counts as a timeout.
        let apart = asked.replace("fast,h", "fast,g");
        let rows = crate::rows_of(&apart);
        let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
        let solved: Vec<String> = table.rows.iter().map(|row| row[1].to_string()).collect();
        assert!(
            solved.iter().all(|it| !it.is_empty()) && solved.len() == 3,
            "{solved:?}"
        );
        assert!(
            table
                .notes
                .last()
                .is_some_and(|it| it.starts_with("No question was asked of every"))
        );
    }

    /// The rows of [`text`] on the nodes that `node` gives to each label and question.
    fn on_nodes(node: impl Fn(&str, u32) -> &'static str) -> Rows {
        with_nodes(&text(), node)
    }

    fn with_nodes(text: &str, node: impl Fn(&str, u32) -> &'static str) -> Rows {
        let mut lines = text.lines();
        let mut all = format!("{},node\n", lines.next().expect("a header"));
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            let question = fields[3][1..].parse().expect("a number");
            all += &format!("{line},{}\n", node(fields[2], question));
        }
        rows(&all)
    }

    #[test]
    fn times_of_several_nodes_are_compared_on_one_node_each() {
        let ranked = |rows: &Rows, metric| rank(rows, &rows.all(), &terms(metric)).expect("ranked");
        let note = |table: &Table| {
            let mut notes = table.notes.iter();
            notes.find(|note| note.contains("several nodes")).cloned()
        };
        let paired = on_nodes(|_, question| if question < 5 { "n1" } else { "n2" });
        let table = ranked(&paired, Metric::Wall);
        assert!(note(&table).is_some_and(|note| note.ends_with("on one node each.")));
        let one = rows(&text());
        assert_eq!(table.rows, ranked(&one, Metric::Wall).rows);
        assert_eq!(note(&ranked(&one, Metric::Wall)), None);
        // The variants answered question 3 on different nodes: it is left out.
        let apart = on_nodes(|label, question| {
            if question == 3 && label == "fast" {
                "n2"
            } else {
                "n1"
            }
        });
        let table = ranked(&apart, Metric::Wall);
        assert!(note(&table).is_some_and(|note| note.contains("2 samples on nodes without")));
        assert!(table.notes[0].contains("9 of 9"), "{table:?}");
        // Only samples of common questions can lack a variant on their node.
        let without = text().replace("1,e,fast,h4,shared,isolated,2,solved,40,40\n", "");
        let table = ranked(
            &with_nodes(
                &without,
                |_, question| if question < 5 { "n1" } else { "n2" },
            ),
            Metric::Wall,
        );
        assert!(
            note(&table).is_some_and(|note| note.ends_with("on one node each.")),
            "{table:?}"
        );
        // Counters are the same everywhere.
        assert_eq!(
            note(&ranked(&apart, Metric::Counter("nodes".to_owned()))),
            None
        );
    }

    #[test]
    fn counters_are_ranked_where_everybody_answered() {
        let rows = rows(&text());
        let table = rank(
            &rows,
            &rows.all(),
            &terms(Metric::Counter("nodes".to_owned())),
        );
        let table = table.expect("ranked");
        assert!(table.notes[0].contains("9 of 10"), "{table:?}");
    }

    #[test]
    fn a_refused_question_is_no_penalty() {
        let refusing = text().replace(",isolated,2,timeout,1000,1000", ",isolated,2,skipped,,");
        let rows = rows(&refusing);
        let table = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
        let word = |row: usize, name: &str| {
            let at = table.heads.iter().position(|head| head == name);
            let word = table.rows[row][at.expect(name)].to_string();
            word.replace('\u{202f}', " ")
        };
        // A variant that is fast on the questions that it takes is ranked behind a variant that takes all.
        assert_eq!([word(0, "variant"), word(1, "variant")], ["slow", "fast"]);
        assert_eq!(word(1, "solved"), "answers 9 of 10");
        assert_eq!(word(0, "against slow"), "baseline");
        assert_eq!(word(1, "PAR-2"), "50 ns");
        assert!(
            table
                .notes
                .iter()
                .any(|note| note.contains("refuses questions"))
        );
    }

    #[test]
    fn a_hopeless_question_counts_as_a_timeout() {
        let text = text();
        let skipped = text.replace(",isolated,2,timeout,1000,1000", ",isolated,2,skipped,,");
        let mut lines = skipped.lines().map(str::to_owned);
        let head = lines.next().expect("a header") + ",asked\n";
        let told = |line: String| match line.contains("skipped") {
            true => line + ",false\n",
            false => line + ",\n",
        };
        let hopeless = rows(&(head + &lines.map(told).collect::<String>()));
        let stopped = rows(&text);
        let means = |rows: &Rows| {
            let table = rank(rows, &rows.all(), &terms(Metric::Wall)).expect("ranked");
            let at = table.heads.iter().position(|head| head == "solved");
            let solved = at.expect("a column");
            let all = table.rows.iter().map(|row| row[solved].line());
            all.collect::<Vec<_>>()
        };
        assert_eq!(means(&hopeless), means(&stopped));
    }

    #[test]
    fn different_bound_policies_are_refused_unless_forced() {
        let rows = rows(&text().replace("h1,shared", "h1,private"));
        let error = rank(&rows, &rows.all(), &terms(Metric::Wall)).expect_err("refused");
        assert!(error.to_string().contains("private and shared"), "{error}");
        let mut forced = terms(Metric::Wall);
        forced.compared.force = true;
        let table = rank(&rows, &rows.all(), &forced).expect("forced");
        assert!(table.notes.iter().any(|said| said.starts_with("FORCED")));
    }
}
