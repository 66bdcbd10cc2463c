//! Which variant has the better scores: a row for each variant, and a sentence for each pair with the baseline.
//!
//! A sample that failed, ran out of time without an answer or was hopeless counts as the worst score: 0 % of the best known, and
//! worse than any answer. The difference of a pair is that of the two scores on one question, divided by the larger of
//! their sizes, so that +1 % means the same on every instance; it is at most 100 %, as against a failure.

mod notes;
mod pairs;
mod words;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::Pairing;
use ikeru_bench_data::experiment::CommandProblem;
use ikeru_core::{Direction, Score};
use ikeru_statistics::interval::t_mean;
use ikeru_statistics::sample::{CensoredSample, Units};
use ikeru_statistics::{Estimate, mean};

use self::notes::{alike, caveats, further, turn};
pub use self::pairs::{ScorePair, pairs};
use super::{Analyzed, Finding, disputed_note, not_common};
use crate::charts::claim::decision;
use crate::error::Result;
use crate::factor::Factor;
use crate::row;
use crate::rows::{Rows, TIME};
use crate::sampled::{Statistic, comparable};
use crate::summary::baseline_label;
use crate::table::{Cell, Content, Table};
use crate::units::{self, Quantity};

/// The score as a share of the best: 1 for the best, 0 without an answer. `None` if a score is negative.
pub fn share(direction: Direction, own: Option<Score>, best: Score) -> Option<f64> {
    let Some(own) = own else {
        return Some(0.0);
    };
    if own == best {
        return Some(1.0);
    }
    let (above, below) = match direction {
        Direction::Minimize => (best, own),
        Direction::Maximize | Direction::Equal => (own, best),
    };
    (own >= 0 && best >= 0).then(|| above as f64 / below as f64)
}

/// The mean over the instances of the share of the best; `None` if a score is negative.
fn mean_share(
    rows: &Rows,
    selection: &[u32],
    bests: &BTreeMap<[&str; 2], Score>,
    direction: Direction,
) -> Option<Estimate> {
    let mut of_instances: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in selection {
        let [instance, question] = QUESTION.map(|name| rows.text(name, *row));
        let best = bests.get(&[instance, question]);
        let share = best.map_or(Some(0.0), |best| {
            share(direction, rows.confirmed(*row), *best)
        });
        of_instances.entry(instance).or_default().push(share?);
    }
    let means = of_instances.values().filter_map(|shares| mean(shares));
    let mean = t_mean(&means.collect::<Vec<_>>());
    mean.map(|mean| mean.map(|it| it.clamp(0.0, 1.0)))
}

/// The table of scores, and the sentence of the first pair.
pub(super) fn scores(of: Analyzed) -> Result<Finding> {
    let baseline = baseline_label(of.experiment);
    let pairs = baseline.map(|baseline| pairs(of.rows, of.selection, &baseline));
    let pairs = pairs.unwrap_or_default();
    Ok(Finding {
        answer: pairs
            .first()
            .map(|pair| sentence(pair, of.rows, of.selection)),
        ..table(of.rows, of.selection, of.experiment, &pairs).into()
    })
}

/// The table of scores: one row for each variant, with a sentence for each pair as a note, and then the advice.
pub fn table(
    rows: &Rows,
    selection: &[u32],
    experiment: &Experiment,
    pairs: &[ScorePair],
) -> Table {
    let selection = &*rows.without_placebo(selection);
    let direction = selection.first().and_then(|row| rows.direction(*row));
    let direction = direction.unwrap_or(Direction::Equal);
    let less = match direction {
        Direction::Minimize => " (less is better)",
        Direction::Maximize | Direction::Equal => "",
    };
    let heads = format!(
        "variant | solved | mean score{less} | of the best known | best | best alone | failed | median time"
    );
    let mut table = Table::new("Scores", &heads);
    let shown = (Statistic::Solved, "score");
    let common = comparable(rows, selection, &[], "label", shown);
    let questions = asked(rows, &common);
    let bests = best_of_each(rows, selection, direction);
    let problem = experiment.problem.commands();
    let decimals = problem.map_or(0, |problem| problem.decimals);
    // A mean has one digit more than a score.
    let quantity = Quantity::Decimals(decimals as u8 + 1);
    for (label, mut own) in rows.group("label", selection) {
        own.retain(|row| rows.counts(*row) && common.binary_search(row).is_ok());
        let mut answered = own.clone();
        answered.retain(|row| rows.confirmed(*row).is_some());
        let mean = rows.means("score", &answered).mean();
        let shares = mean_share(rows, &own, &bests, direction);
        let at_limit = own.iter().filter(|row| rows.is_late(**row)).count();
        // A search that was stopped, or a command that would have proven its answer, has a score and has not solved the
        // question.
        let solved = rows.solved(&own).len();
        let stopped = answered.len().saturating_sub(solved);
        let late = match (at_limit, stopped) {
            (0, 0) => String::new(),
            (0, more) => format!("{} more stopped with an answer", units::count(more)),
            (late, _) => format!("{} of them at the limit", units::count(late)),
        };
        let solved = Cell::from(Content::Part(solved, own.len()));
        let [best, alone] = first_places(&questions, &label, direction);
        let time = median_time(rows, &own);
        table.rows.push(row![
            label,
            solved.with_detail(late),
            (mean.map(Estimate::bare), quantity),
            (shares, Quantity::Share),
            best,
            alone,
            own.len() - answered.len(),
            (time.map(Estimate::bare), Quantity::Time),
        ]);
    }
    let sentences = pairs.iter().map(|pair| sentence(pair, rows, selection));
    table.notes.extend(sentences);
    let turns = pairs.iter().filter_map(|pair| turn(pair, rows, selection));
    table.notes.extend(turns);
    let is_alike = |pair| alike(pair, rows, selection, experiment);
    table.notes.extend(pairs.iter().find_map(is_alike));
    let advice = match problem {
        _ if rows.distinct("seed", selection).is_empty() => "The instances are files: add some",
        Some(_) => {
            "`--until-decided` draws them within `--budget`; a longer budget, or a smaller `--margin`, draws more"
        }
        None => "A new run with `--draw N` draws N times as many instances",
    };
    table.notes.extend(further(pairs, advice));
    table.notes.extend(disputed_note(rows, selection));
    table.notes.extend(caveats(rows, &common, experiment));
    let mut left_out = selection.to_vec();
    left_out.retain(|row| common.binary_search(row).is_err());
    if !left_out.is_empty() {
        let samples = units::plural(left_out.len(), "sample");
        let count = format!("{samples} on instances");
        table.note(not_common(&count, rows, &left_out));
    }
    if problem.is_some_and(CommandProblem::is_unchecked) {
        table.note("Unchecked: the problem has no referee; scores are what the solvers say.");
    }
    table
}

/// The sentence of a pair. If all scores are equal, as those of exact solvers, it also compares the times.
fn sentence(pair: &ScorePair, rows: &Rows, selection: &[u32]) -> String {
    let said = pair.sentence();
    let time = || {
        let [base, own] = sides(pair, rows, selection);
        Factor::between(rows, TIME, [&own, &base], Pairing::Question)
    };
    match pair.is_equal().then(time).flatten() {
        Some(factor) => {
            let words = decision(&factor, true);
            // Without a difference, the table has the times.
            let words = words.split(": ").next().unwrap_or_default();
            format!("{said}; time: {words}")
        }
        None => said,
    }
}

/// The rows of the baseline and of the label of a pair.
fn sides(pair: &ScorePair, rows: &Rows, selection: &[u32]) -> [Vec<u32>; 2] {
    [&pair.baseline, &pair.label].map(|label| {
        let own = selection.iter().copied();
        own.filter(|row| rows.text("label", *row) == label)
            .collect()
    })
}

/// The median time over the instances; a hopeless question that was not asked has its limit.
fn median_time(rows: &Rows, own: &[u32]) -> Option<Estimate> {
    let instances = rows.group_by(&["instance_hash"], own);
    let of_instance = |own: &Vec<u32>| rows.sample_with_hopeless(TIME, own);
    let instances = instances.iter().map(of_instance).collect();
    Units::of(instances, rows.is_one_cell(own), CensoredSample::middle).median()
}

/// The columns of a question: another referee, or another setting of it, is another question of the instance.
const QUESTION: [&str; 2] = ["instance_hash", "question"];

/// The best score of each question: of this run, or the best known one of the instance.
fn best_of_each<'a>(
    rows: &'a Rows,
    selection: &[u32],
    direction: Direction,
) -> BTreeMap<[&'a str; 2], Score> {
    let mut bests = BTreeMap::new();
    for row in selection {
        for score in rows
            .confirmed(*row)
            .into_iter()
            .chain(rows.best_known(*row))
        {
            let question = QUESTION.map(|name| rows.text(name, *row));
            let best = bests.entry(question).or_insert(score);
            if direction.is_better(score, *best) {
                *best = score;
            }
        }
    }
    bests
}

/// The scores of each label on one question, `None` for a sample without one.
type Answers<'a> = BTreeMap<&'a str, Vec<Option<Score>>>;

/// The answers to each question.
fn asked<'a>(rows: &'a Rows, own: &[u32]) -> Vec<Answers<'a>> {
    let answers = |own: Vec<u32>| {
        let mut answers = Answers::new();
        for row in own.iter().filter(|row| rows.counts(**row)) {
            let of_label = answers.entry(rows.text("label", *row));
            of_label.or_default().push(rows.confirmed(*row));
        }
        answers
    };
    let questions = rows.group_by(&["question"], own);
    questions.into_iter().map(answers).collect()
}

/// The number of questions on which no other label is better, and of those on which every other label is worse. A label has
/// the mean of its repeats and of the ways to run it; one without an answer is worse than any.
fn first_places(questions: &[Answers], label: &str, direction: Direction) -> [usize; 2] {
    let mut places = [0, 0];
    for answers in questions {
        let own = answers.get(label).map_or(&[][..], Vec::as_slice);
        if own.iter().any(Option::is_some) {
            let others = answers.iter().filter(|(other, _)| **other != label);
            let others: Vec<Ordering> = others.map(|(_, it)| order(it, own, direction)).collect();
            places[0] += usize::from(others.iter().all(|it| it.is_le()));
            places[1] += usize::from(others.iter().all(|it| it.is_lt()));
        }
    }
    places
}

/// Which of two labels' repeats are better: those with fewer failures, then those with the better mean.
fn order(a: &[Option<Score>], b: &[Option<Score>], direction: Direction) -> Ordering {
    let count = |own: &[Option<Score>]| own.len() as i128;
    let answered = |own: &[Option<Score>]| own.iter().flatten().count() as i128;
    let sum = |own: &[Option<Score>]| own.iter().flatten().map(|it| i128::from(*it)).sum::<i128>();
    let more = (answered(a) * count(b)).cmp(&(answered(b) * count(a)));
    // As integers: `f64` does not distinguish all scores above 2⁵³.
    let larger = (sum(a) * answered(b)).cmp(&(sum(b) * answered(a)));
    more.then(match direction {
        Direction::Minimize => larger.reverse(),
        Direction::Maximize => larger,
        Direction::Equal => Ordering::Equal,
    })
}

#[cfg(test)]
mod tests {
    use ikeru_compare::pairing::Side;

    use super::*;
    use crate::records::bests::BestKnown;

    fn run(direction: Direction) -> (Rows, Experiment) {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score,wall_ns\n"
                .to_owned();
        for seed in 0..30 {
            let (a, b) = (100 + seed % 7, 110 + seed % 7);
            text += &format!("1,e,p,i{seed},q{seed},a,0,solved,{a},1000\n");
            match seed {
                0 => text += "1,e,p,i0,q0,b,0,crashed,,1000\n",
                1 => text += "1,e,p,i1,q1,b,0,referee-failed,,1000\n",
                _ => text += &format!("1,e,p,i{seed},q{seed},b,0,solved,{b},2000\n"),
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", direction)]);
        rows.bests.improve(BestKnown {
            instance: "i5".to_owned(),
            direction,
            score: 210,
            decimals: 0,
            variant: String::new(),
            date: String::new(),
            answer: String::new(),
        });
        let experiment = Experiment::read(
            "e.toml",
            "name='e'\ntitle='t'\nproblem='p'\nvariants=['a','b']\ninstances=[{generator='g'}]\n[[analyses]]\nkind='scores'",
        );
        (rows, experiment.expect("an experiment"))
    }

    fn scored(rows: &Rows, experiment: &Experiment) -> Finding {
        let found = scores(Analyzed {
            rows,
            selection: &rows.all(),
            analysis: &experiment.analyses[0],
            experiment,
        });
        found.expect("a table")
    }

    #[test]
    fn a_better_variant_is_decided_and_its_failure_counts() {
        let (rows, experiment) = run(Direction::Maximize);
        let found = scored(&rows, &experiment);
        let text = |row: usize| -> Vec<String> {
            found.table.rows[row]
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(text(1)[1], "28 of 29");
        // Best on all but the crash; the question that the referee did not judge is left out.
        assert_eq!(text(1)[4..7], ["28", "28", "1"]);
        assert_eq!(text(0)[4..7], ["1", "1", "0"]);
        let note = &found.answer.expect("a pair").replace('\u{202f}', " ");
        // 28 pairs of about +9 %, and one of −100 %; the pair without a verdict is left out.
        assert!(
            note.starts_with("b against a: +5.1 % (−2.6 … +13)"),
            "{note}"
        );
        assert!(
            note.contains("29 pairs, better on 28, worse on 1: undecided; these pairs would"),
            "{note}"
        );
        let (rows, experiment) = run(Direction::Minimize);
        let found = scored(&rows, &experiment);
        let answer = found.answer.expect("a pair");
        assert!(answer.ends_with("decided, worse"), "{answer}");
    }

    #[test]
    fn a_hopeless_question_counts_as_a_failure_and_one_that_the_referee_failed_on_not() {
        let mut text = "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score,wall_ns,limit_ns,asked,detail\n".to_owned();
        for seed in 0..30 {
            let of = format!("1,e,p,i{seed},q{seed}");
            text += &format!("{of},b,0,solved,100,1000,9000,,\n");
            text += &match seed {
                0 => format!("{of},a,0,referee-failed,,,9000,,\n"),
                1..=9 => format!("{of},a,0,solved,100,1000,9000,,\n"),
                _ => format!("{of},a,0,skipped,,,9000,false,hopeless: over its limit\n"),
            };
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        let (_, experiment) = run(Direction::Maximize);
        let pairs = pairs(&rows, &rows.all(), "a");
        assert_eq!(pairs[0].scores.differences().len(), 29);
        assert_eq!(pairs[0].count(|it| it > 0.0), 20);
        let table = table(&rows, &rows.all(), &experiment, &pairs);
        let of_a: Vec<String> = table.rows[0].iter().map(ToString::to_string).collect();
        assert_eq!([&of_a[1], &of_a[6]], ["9 of 29", "20"]);
        assert!(
            of_a[7].starts_with('≥') && of_a[7].contains('9'),
            "{of_a:?}"
        );
    }

    /// Rows of `a` and `b`, one for each `(question, threads, repeat, score of a, score of b)`.
    pub(super) fn rows_of(lines: &[(usize, u32, u32, i64, i64)]) -> Rows {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,threads,repeat,outcome,score\n"
                .to_owned();
        for (question, threads, repeat, a, b) in lines {
            let of = format!("1,e,p,i{question},q{question}");
            text += &format!("{of},a,{threads},{repeat},solved,{a}\n");
            text += &format!("{of},b,{threads},{repeat},solved,{b}\n");
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        rows
    }

    #[test]
    fn the_best_variant_is_the_answer_and_the_advice_is_last() {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score\n"
                .to_owned();
        for seed in 0..4 {
            for (label, score) in [("a", 100), ("b", 101), ("c", 120)] {
                text += &format!("1,e,p,i{seed},q{seed},{label},0,solved,{score}\n");
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        let (_, experiment) = run(Direction::Maximize);
        let found = scored(&rows, &experiment);
        let notes = found.table.notes;
        let begins = notes.iter().map(|note| &note[..9]).collect::<Vec<_>>();
        assert_eq!(begins, ["c against", "b against", "Undecided"]);
        assert_eq!(found.answer.as_ref(), notes.first());
    }

    #[test]
    fn further_samples_of_one_variant_change_no_mean_of_the_other_instances() {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score\n"
                .to_owned();
        for seed in 1..=9 {
            text += &format!("1,e,p,i{seed},q{seed},a,0,solved,{}\n", 100 * seed);
            text += &format!("1,e,p,i{seed},q{seed},b,0,solved,{}\n", 100 * seed + 1);
        }
        let told = |text: &str| {
            let mut rows = crate::rows_of(text);
            rows.set_directions([("p", Direction::Maximize)]);
            let (_, experiment) = run(Direction::Maximize);
            let table = table(&rows, &rows.all(), &experiment, &[]);
            let words = |row: &Vec<Cell>| [2, 4, 5].map(|at| row[at].to_string());
            (
                table.rows.iter().map(words).collect::<Vec<_>>(),
                table.notes,
            )
        };
        let (rows, notes) = told(&text);
        assert_eq!(rows[0], ["500.0", "0", "0"]);
        assert_eq!(rows[1], ["501.0", "9", "9"]);
        for repeat in 1..=10 {
            text += &format!("1,e,p,i9,q9,a,{repeat},solved,900\n");
        }
        // An instance that only `a` has is left out, with its failure.
        text += "1,e,p,i10,q10,a,0,solved,9000\n1,e,p,i10,q10,a,1,crashed,\n";
        let (more, said) = told(&text);
        assert_eq!((rows, notes.len()), (more, said.len() - 1));
        assert_eq!(
            said.last().map(String::as_str),
            Some(
                "2\u{202f}samples on instances that not every variant was asked, or on which the referee failed: \
                 left out; there a: 1 of 2 crashed."
            )
        );
    }

    #[test]
    fn an_order_that_turns_with_a_feature_is_told() {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score,param_n\n"
                .to_owned();
        for seed in 0..60 {
            let better = if seed < 30 { 90 } else { 120 } + seed % 3;
            for (label, score) in [("a", 100), ("b", better)] {
                text += &format!("1,e,p,i{seed},q{seed},{label},0,solved,{score},{seed}\n");
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        let told = |rows: &Rows| turn(&pairs(rows, &rows.all(), "a")[0], rows, &rows.all());
        assert_eq!(
            told(&rows).expect("a turn"),
            "b against a turns with n: decided, worse below 30; decided, better from 30 on."
        );
        let same = text
            .replace(",120,", ",90,")
            .replace(",121,", ",91,")
            .replace(",122,", ",92,");
        let mut rows = crate::rows_of(&same);
        rows.set_directions([("p", Direction::Maximize)]);
        assert_eq!(told(&rows), None);
    }

    #[test]
    fn instances_of_one_kind_that_agree_are_one_unit_if_declared() {
        let (_, experiment) = run(Direction::Maximize);
        let mut text = "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score,param_kind\n".to_owned();
        for seed in 0..40 {
            let better = [108, 95, 107, 106][seed / 10] + seed as i64 % 3;
            for (label, score) in [("a", 100), ("b", better)] {
                text += &format!(
                    "1,e,p,i{seed},q{seed},{label},0,solved,{score},k{}\n",
                    seed / 10
                );
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        let told = |rows: &Rows| {
            let pair = pairs(rows, &rows.all(), "a").remove(0);
            (
                pair.scores.differences().len(),
                alike(&pair, rows, &rows.all(), &experiment),
            )
        };
        let (pairs, warning) = told(&rows);
        assert_eq!(pairs, 40);
        assert!(warning.expect("a warning").contains("`cluster = \"kind\"`"));
        rows.clusters = [("p".to_owned(), "param_kind".to_owned())].into();
        assert_eq!(told(&rows), (4, None));
    }

    #[test]
    fn repeats_of_an_instance_are_one_share_of_the_best() {
        let lines = |repeats: u32| {
            let of = move |question: usize| {
                (0..repeats)
                    .map(move |repeat| (question, 1, repeat, 25 * (question as i64 + 1), 100))
            };
            (0..4).flat_map(of).collect::<Vec<_>>()
        };
        let share = |repeats| {
            let rows = rows_of(&lines(repeats));
            let bests = best_of_each(&rows, &rows.all(), Direction::Maximize);
            mean_share(&rows, &rows.with("label", "a"), &bests, Direction::Maximize)
        };
        assert_eq!(share(1), share(16));
    }

    #[test]
    fn an_undecided_pair_says_how_many_more_are_needed() {
        let few = |labels: &[&str], step: i64| {
            let mut text =
                "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score\n"
                    .to_owned();
            for seed in 0..4 {
                for (place, label) in labels.iter().enumerate() {
                    let score = 100 + step * place as i64;
                    text += &format!("1,e,p,i{seed},q{seed},{label},0,solved,{score}\n");
                }
            }
            let mut rows = crate::rows_of(&text);
            rows.set_directions([("p", Direction::Maximize)]);
            further(&pairs(&rows, &rows.all(), "a"), "Add some")
        };
        let note = few(&["a", "b"], 1).expect("a note");
        let expected = "need, if further pairs are like these, about 5 more pairs";
        assert!(
            note.contains(expected) && note.contains(" for b."),
            "{note}"
        );
        assert!(!note.contains("share the level"), "{note}");
        let note = few(&["a", "b", "c", "d"], 1).expect("a note");
        assert!(
            note.contains(" for c and so on. Add some. 3 comparisons share the level of 5 %"),
            "{note}"
        );
        assert_eq!(few(&["a", "b"], 0), None);
        // Further pairs decide nothing if no question was solved.
        let unsolved = rows_of(&[(0, 1, 0, 1, 1), (1, 1, 0, 1, 2)]);
        let none = unsolved.with("label", "none");
        let sides = [&none, &none].map(|own| Side {
            rows: &unsolved,
            own,
        });
        let pair = ScorePair::between(["a", "b"].map(str::to_owned), sides, 0.05);
        assert_eq!(further(&[pair], "Add some"), None);
    }
}
