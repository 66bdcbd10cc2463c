use std::time::Duration;

use super::*;
use ikeru_core::Direction;
use ikeru_statistics::Bound;

use crate::bests::BestKnown;
use crate::{Columns, Record, Sample};

fn rows(text: &str) -> Rows {
    Rows::of_table(text)
}

const SMALL: &str = "schema,label,setting_steps,wall_ns\n1,memo,48,20\n1,flat,8,\n1,memo,8,7\n";

#[test]
fn values_come_back_as_they_were_written() {
    let rows = rows(SMALL);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows.text("label", 2), "memo");
    assert_eq!(rows.number("wall_ns", 0), Some(20.0));
    assert_eq!(rows.number("wall_ns/setting_steps", 2), Some(7.0 / 8.0));
    assert_eq!(rows.number("wall_ns/setting_steps", 1), None);
    let ratios = Rows::of_table("counter_a,counter_b\n5,0\n5,1\n");
    let ratio = |row| ratios.number("counter_a/counter_b", row);
    assert_eq!([ratio(0), ratio(1)], [None, Some(5.0)]);
    assert_eq!(
        Rows::of_table("counter_a\n5\n").numbers("counter_a", &[0]),
        [5.0]
    );
    assert_eq!(rows.number("wall_ns", 1), None);
    assert_eq!(rows.text("wall_ns", 2), "7");
    assert_eq!(rows.text("nothing", 2), "");
    assert_eq!(rows.distinct("label", &rows.all()), ["flat", "memo"]);
    assert_eq!(rows.distinct("setting_steps", &rows.all()), ["8", "48"]);
    assert_eq!(
        rows.group_by(&["label"], &rows.all()),
        [vec![1], vec![0, 2]]
    );
}

#[test]
fn times_are_those_of_whole_batches() {
    let rows =
        rows("schema,wall_ns,batch_ns,iterations\n1,76,1000,13\n1,76,,13\n1,,1000,13\n1,76,0,0\n");
    assert_eq!(rows.number("wall_ns", 0), Some(1000.0 / 13.0));
    assert_eq!(rows.numbers("wall_ns", &rows.all())[1..], [76.0, 76.0]);
    assert_eq!(rows.number("wall_ns", 2), None);
}

#[test]
fn a_search_without_an_answer_in_time_counts_in_what_is_of_its_answer() {
    let mut rows = rows(
        "schema,problem,outcome,score,measure_moves,counter_nodes,counter_looks\n\
         1,reach,solved,7,3,5,5\n1,reach,timeout,,,9,\n",
    );
    let columns = ["score", "measure_moves", "counter_nodes", "counter_looks"];
    let missing = |rows: &Rows| columns.map(|column| rows.sample(column, &rows.all()).missing);
    assert_eq!(missing(&rows), [1, 1, 0, 0]);
    // What a command counts is printed with its answer.
    rows.set_digits([("reach".to_owned(), 0)].into());
    assert_eq!(missing(&rows), [1, 1, 0, 1]);
}

#[test]
fn a_stopped_search_has_no_more_time_than_its_limit() {
    let rows = rows(
        "schema,outcome,threads,mode,wall_ns,cpu_ns,limit_ns\n1,timeout,1,isolated,900,,300\n\
         1,timeout,1,isolated,290,250,300\n1,timeout,1,isolated,,,300\n1,solved,1,isolated,310,,300\n",
    );
    let times = |column| [0, 1, 2, 3].map(|row| rows.number(column, row));
    assert_eq!(times(TIME), [Some(300.0), Some(250.0), None, Some(310.0)]);
    assert_eq!(
        times("wall_ns"),
        [Some(300.0), Some(290.0), None, Some(310.0)]
    );
}

#[test]
fn times_are_cpu_times_on_one_thread_and_wall_times_on_several() {
    let rows = rows(
        "schema,threads,mode,wall_ns,cpu_ns,counter_nodes,outcome\n1,1,isolated,500,100,10,solved\n\
         1,1,isolated,100,103,10,solved\n1,2,isolated,500,700,10,solved\n1,1,isolated,500,,10,solved\n\
         1,1,isolated,,,10,crashed\n1,1,contended,500,100,10,solved\n",
    );
    let times = [0, 1, 2, 3, 4, 5].map(|row| rows.number(TIME, row));
    let [cpu, wall] = [Some(100.0), Some(500.0)];
    assert_eq!(times, [cpu, cpu, wall, wall, None, wall]);
    assert_eq!(rows.number("time_ns/counter_nodes", 0), Some(10.0));
    assert!(
        !rows.columns().any(|column| column == TIME),
        "no file has it"
    );
    let quotient = "time_ns/counter_nodes";
    assert_eq!(rows.compared(quotient, &[0, 1]), quotient);
    // Rows with several threads, without CPU time, and in contended mode.
    for other in [2, 3, 5] {
        assert_eq!(
            rows.compared(quotient, &[0, other]),
            "wall_ns/counter_nodes"
        );
    }
    assert_eq!(rows.compared("counter_nodes", &[0, 2]), "counter_nodes");
}

#[test]
fn cpu_time_far_above_wall_time_is_the_work_of_other_threads() {
    assert!(has_other_threads(1e6, 1.4e6));
    for (wall, cpu) in [(1e6, 1.2e6), (1e5, 1.9e5), (1e6, 0.9e6)] {
        assert!(!has_other_threads(wall, cpu), "{wall} {cpu}");
    }
    // The difference is that of all answers of a sample.
    let text = "threads,mode,wall_ns,cpu_ns,iterations\n1,isolated,50000,100000,10\n\
                1,isolated,50000,100000,1\n1,isolated,500000,600000,10\n1,isolated,90000,150000,\n\
                1,isolated,500,0,1\n1,isolated,0.9,0.8,1\n";
    let times = [1e5, 5e4, 5e5, 9e4, 500.0, 0.8].map(Some);
    let rows = rows(text);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|row| rows.number(TIME, row)), times);
}

#[test]
fn the_clock_is_that_of_the_solved_rows_or_else_of_the_stopped_ones() {
    let text = "outcome,threads,mode,wall_ns,cpu_ns\nsolved,1,isolated,9,8\n\
                timeout,2,isolated,9,8\ntimeout,1,isolated,9,8\ncrashed,2,isolated,9,8\n";
    let timed = rows(text);
    for (selection, column) in [
        (&[0, 1][..], TIME),
        (&[0, 3], TIME),
        (&[2, 3], TIME),
        (&[1, 2], "wall_ns"),
    ] {
        assert_eq!(timed.compared(TIME, selection), column, "{selection:?}");
    }
    let untimed = rows("label\na\n");
    assert!(!untimed.has(TIME));
    assert_eq!(untimed.compared(TIME, &[0]), TIME);
}

#[test]
fn filters_let_through_what_they_name() {
    let rows = rows(SMALL);
    let only = |column: &str, text: &str| {
        let only = BTreeMap::from([(column.to_owned(), Values::parse(text))]);
        rows.select(&only).expect("a good filter")
    };
    assert_eq!(only("setting_steps", "8"), [1, 2]);
    assert_eq!(only("setting_steps", "8.0,48"), [0, 1, 2]);
    assert_eq!(only("label", "memo"), [0, 2]);
    assert!(only("nothing", "memo").is_empty());
    assert_eq!(rows.with("label", "memo"), [0, 2]);
    assert_eq!(rows.with("wall_ns", ""), [1], "rows without a value");
    assert!(rows.with("label", "none").is_empty() && rows.with("nothing", "").is_empty());
    assert!(rows.some("label", "memo") && !rows.some("label", "none"));
    let flags = Rows::of_table("exact,asked\ntrue,\nfalse,false\n");
    let exact = |text| {
        let only = BTreeMap::from([("exact".to_owned(), Values::parse(text))]);
        flags.select(&only).expect("a good filter")
    };
    assert_eq!([exact("true"), exact("false")], [[0], [1]]);
    assert!(!flags.is_empty() && Rows::of_table("exact\n").is_empty());
}

#[test]
fn words_come_in_the_order_that_is_given() {
    let mut rows = rows(SMALL);
    rows.set_order("label", ["none", "flat", "memo"]);
    rows.set_order("nothing", ["memo"]);
    assert_eq!(rows.distinct("label", &rows.all()), ["flat", "memo"]);
    let mut all = rows.all();
    let order = rows.comparing(&["label", "setting_steps"]);
    all.sort_by(|a, b| order(*a, *b));
    assert_eq!(all, [1, 2, 0]);
}

#[test]
fn an_order_that_is_given_goes_before_the_natural_one() {
    let mut rows = rows("label\na\nb\nc\nd\n");
    let sorted = |rows: &Rows| {
        let mut all = rows.all();
        let order = rows.comparing(&["label"]);
        all.sort_by(|a, b| order(*a, *b));
        all
    };
    assert_eq!(sorted(&rows), [0, 1, 2, 3]);
    rows.set_order("label", ["c", "d"]);
    // The words of an earlier call keep their place.
    rows.set_order("label", ["a", "c"]);
    assert_eq!(rows.distinct("label", &rows.all()), ["c", "d", "a", "b"]);
    assert_eq!(sorted(&rows), [2, 3, 0, 1]);
}

#[test]
fn numbers_are_sorted_by_value_and_stand_before_words() {
    let rows = rows("label,param_x\na,0.5\na,0.25\na,-1\na,none\na,1e3\na,\n");
    let mut all = rows.all();
    let order = rows.comparing(&["param_x"]);
    all.sort_by(|a, b| order(*a, *b));
    assert_eq!(all[..4], [2, 1, 0, 4]);
    let numbers = rows.distinct("param_x", &[0, 1, 2, 4]);
    assert_eq!(numbers, ["-1", "0.25", "0.5", "1e3"]);
    let groups = rows.group("param_x", &rows.all());
    assert_eq!(groups.iter().map(|(_, rows)| rows.len()).sum::<usize>(), 5);
}

#[test]
fn rows_are_grouped_alike_by_few_and_by_many_values() {
    // The pairs of two columns of 300 words do not fit into a table.
    let number = 300;
    let words = |row: usize| (row * 7 % number, row % (number - 1));
    let mut text = "label,instance,threads,mode\n".to_owned();
    for row in 0..2 * number {
        let (label, instance) = words(row);
        text += &format!("l{label},i{instance},{},\n", row % 2);
    }
    let rows = rows(&text);
    for columns in [
        &["label", "instance"][..],
        &["threads", "label"],
        &["threads", "mode", "nothing"],
    ] {
        let groups = rows.group_by(columns, &rows.all());
        let of = |row: u32| {
            columns
                .iter()
                .map(|name| rows.text(name, row))
                .collect::<Vec<_>>()
        };
        let mut known = std::collections::HashMap::<_, Vec<u32>>::new();
        for row in rows.all() {
            known.entry(of(row)).or_default().push(row);
        }
        assert_eq!(groups.len(), known.len(), "{columns:?}");
        for group in groups {
            assert_eq!(known.get(&of(group[0])), Some(&group), "{columns:?}");
        }
    }
    assert!(rows.group_by(&["label"], &[]).is_empty());
}

#[test]
fn a_later_attempt_stands_in_for_an_earlier_one() {
    let rows = rows(
        "schema,cell,repeat,wall_ns,attempt,canary\n1,a,0,50,0,1.500\n1,a,1,20,0,1.000\n\
         1,b,0,9,0,1.001\n1,a,0,21,1,1.300\n1,a,0,22,2,0.998\n",
    );
    assert_eq!((rows.len(), rows.all()), (5, vec![1, 2, 4]));
    assert_eq!(rows.with("cell", "a"), [1, 4]);
    assert_eq!(
        (rows.suspect(&rows.all()), rows.suspect(&[0, 1, 3])),
        (0, 2)
    );
    assert_eq!(rows.numbers("wall_ns", &rows.all()), [20.0, 9.0, 22.0]);
}

#[test]
fn a_second_attempt_of_one_side_alone_decides_nothing() {
    let head = "schema,experiment,question,cell,label,repeat,session,attempt,outcome\n";
    let first = "1,e,q,a,a,0,1,0,crashed\n1,e,q,b,b,0,1,0,solved\n";
    let sides = |lines: &str| {
        let rows = Rows::of_table(&format!("{head}{first}{lines}"));
        let [a, b] = ["a", "b"].map(|label| rows.with("label", label));
        let common = rows.without_lone_attempts(&a, (&rows, &b));
        (a, common, rows.lone_attempts())
    };
    assert_eq!(sides(""), (vec![0], vec![0], 0));
    let lone = "1,e,q,a,a,0,2,1,solved\n";
    assert_eq!(sides(lone), (vec![2], vec![0], 1));
    let both = format!("{lone}1,e,q,b,b,0,2,1,solved\n");
    assert_eq!(sides(&both), (vec![2], vec![2], 0));
    // A variant that came later had its first attempt as late.
    let later = format!(
        "{head}{}",
        "1,e,q,a,a,0,1,0,crashed\n1,e,q,a,a,0,2,1,solved\n1,e,q,b,b,0,3,0,solved\n"
    );
    let rows = Rows::of_table(&later);
    assert_eq!(rows.without_lone_attempts(&[1], (&rows, &[2])), [1]);
    assert_eq!(rows.lone_attempts(), 0);
}

#[test]
fn a_skipped_attempt_stands_in_for_no_solved_sample() {
    let rows = rows(
        "schema,cell,repeat,outcome,wall_ns,attempt\n1,a,0,solved,50,0\n1,a,0,skipped,,1\n\
         1,b,0,skipped,,0\n1,b,0,skipped,,1\n",
    );
    assert_eq!(rows.all(), [0, 3]);
}

#[test]
fn a_field_that_is_no_number_is_refused_with_its_line() {
    let columns = Columns::new([]);
    let record = Record {
        taken: Sample {
            batch: Some(Duration::from_nanos(246_913)),
            iterations: 2,
            ..Sample::default()
        },
        ..Record::default()
    };
    let text = columns.header_line() + &columns.line(&record);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("records.csv");
    std::fs::write(&path, text.replace("123456.5", "fast")).expect("written");
    let error = Rows::read(&path).expect_err("no number").to_string();
    let words = "records.csv:2: wall_ns: `fast` is no number";
    assert!(error.contains(words), "{error}");
    std::fs::write(&path, text.replace("123456.5", "-5")).expect("written");
    let error = Rows::read(&path).expect_err("no time").to_string();
    let words = "records.csv:2: wall_ns: `-5` is below 0; expected a time";
    assert!(error.contains(words), "{error}");
    std::fs::write(&path, text).expect("written");
    let rows = Rows::read(&path).expect("a number");
    assert_eq!(rows.number("wall_ns", 0), Some(123_456.5));
}

#[test]
fn scores_of_commands_have_their_digits_and_a_late_answer_is_solved() {
    let mut rows = Rows::of_table(
        "problem,outcome,score,limit_ns\ntour,solved,602,5\ntour,timeout,1005,5\ntour,timeout,,5\nreach,timeout,7,5\n",
    );
    rows.set_digits([("tour".to_owned(), 2)].into());
    assert_eq!(rows.numbers("score", &rows.all()), [6.02, 10.05, 7.0]);
    assert_eq!(rows.number("score", 0), Some(6.02));
    assert_eq!(rows.text("score", 0), "6.02");
    assert_eq!([rows.score(0), rows.score(2)], [Some(602), None]);
    assert_eq!(rows.distinct("score", &rows.all()), ["6.02", "7", "10.05"]);
    let outcomes: Vec<Option<Outcome>> = (0..4).map(|row| rows.outcome(row)).collect();
    let [solved, late] = [Some(Outcome::Solved), Some(Outcome::Timeout)];
    assert_eq!(outcomes, [solved, solved, late, late]);
    assert!(rows.is_late(1) && !rows.is_late(0));
    let quantity = |row: u32| rows.quantity("score", &[row]);
    assert_eq!(quantity(0).word(1048.5), "1,048.500");
    assert_eq!(quantity(0).spoken(1048.5), "1,048.5");
    assert_eq!(quantity(3).word(1048.0), "1,048");
    // It would have been a proof.
    let mut exact =
        Rows::of_table("problem,variant,outcome,score\ntour,a,timeout,5\ntour,b,timeout,5\n");
    exact.set_digits([("tour".to_owned(), 0)].into());
    exact.set_exact(&[("tour".to_owned(), "a".to_owned())].into());
    assert_eq!([0, 1].map(|row| exact.outcome(row)), [late, solved]);
}

#[test]
fn a_search_without_an_answer_in_time_is_worse_than_every_score() {
    let mut rows = Rows::of_table(
        "problem,outcome,score,wall_ns\ntour,solved,350,1\ntour,timeout,,9\nreach,solved,350,1\nreach,timeout,,9\n",
    );
    rows.set_digits([("tour".to_owned(), 0)].into());
    rows.set_directions([
        ("tour", Direction::Minimize),
        ("reach", Direction::Minimize),
    ]);
    let sample = |problem: &str| rows.sample("score", &rows.with("problem", problem));
    for problem in ["tour", "reach"] {
        let sample = sample(problem);
        assert_eq!((sample.missing, sample.bound), (1, Bound::AtLeast));
    }
}

#[test]
fn a_failed_sample_is_worse_than_every_value() {
    let mut rows = Rows::of_table(
        "experiment,cell,problem,outcome,asked,counter_nodes,measure_moves,score,limit_ns,wall_ns\n\
         e,a,p,solved,,5,3,7,90,20\ne,a,p,crashed,,,,,90,\ne,a,p,skipped,true,,,,,\n\
         e,b,p,skipped,true,,,,,\ne,b,p,skipped,false,,,,,\ne,c,p,out-of-memory,,,,,,\n\
         e,c,p,timeout,,,,7,90,90\ne,c,p,referee-failed,,,,,,\n",
    );
    // The refusal of a cell that also ran is a failure; a cell that never ran has none.
    let failed: Vec<u32> = rows
        .all()
        .into_iter()
        .filter(|row| rows.is_failed(*row))
        .collect();
    assert_eq!(failed, [1, 2, 5]);
    assert_eq!(rows.failed_in_words(&[0, 1]), "1 of 2 crashed");
    let words = "1 out of memory, 1 crashed, 1 refused of 8";
    assert_eq!(rows.failed_in_words(&rows.all()), words);
    assert_eq!(rows.failed_in_words(&[0, 3, 4, 6, 7]), "");
    let bounds = |column: &str, row| {
        let sample = rows.sample(column, &[row]);
        (sample.missing, sample.bound)
    };
    assert_eq!(bounds("counter_nodes", 1), (1, Bound::AtLeast));
    assert_eq!(bounds("measure_moves", 1), (1, Bound::Either));
    for unmeasured in [3, 4, 6, 7] {
        assert_eq!(bounds("measure_moves", unmeasured).0, 0, "{unmeasured}");
    }
    // Its time is the limit, or the longest time of the file.
    assert_eq!([rows.limit(1), rows.limit(5)], [Some(90.0); 2]);
    assert_eq!(rows.sample("wall_ns", &[0, 1]).missing, 0);
    assert!(rows.is_one_cell(&[0, 1, 2]) && !rows.is_one_cell(&[0, 3]));
    rows.set_directions([("p", Direction::Maximize)]);
    assert_eq!(rows.sample("score", &[0, 1]).bound, Bound::AtMost);
}

#[test]
fn values_of_searches_that_share_bounds_or_are_commands_do_not_repeat() {
    let mut rows = Rows::of_table(
        "variant,threads,bound_policy,counter_nodes,score,wall_ns\na,1,shared,5,5,5\n\
         a,2,shared,5,5,5\na,2,private,5,5,5\nb,1,private,5,5,5\n",
    );
    rows.commands = ["b".to_owned()].into();
    let repeats = |column: &str| [0, 1, 2, 3].map(|row| rows.repeats_exactly(column, &[row]));
    for column in ["score", "counter_nodes", "counter_nodes/score"] {
        assert_eq!(repeats(column), [true, false, true, false], "{column}");
    }
    for column in ["wall_ns", "counter_nodes/wall_ns", "setting_steps"] {
        assert_eq!(repeats(column), [false; 4], "{column}");
    }
    assert!(!rows.repeats_exactly("score", &[0, 1]));
}

#[test]
fn what_a_row_leaves_out_is_the_default_of_its_problem_or_generator() {
    let mut rows = Rows::of_table(
        "problem,generator,seed,instance_hash,setting_steps,param_items,method_width\n\
         p,g,1,x,8,,\np,g,1,y,,,\np,file,,x,,,\nq,g,1,z,,3,\n",
    );
    let map = |pairs: &[(&str, &str)]| {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs
            .iter()
            .map(owned)
            .collect::<BTreeMap<String, String>>()
    };
    rows.defaults = [
        ("p".to_owned(), map(&[("steps", "48"), ("items", "9")])),
        ("g".to_owned(), map(&[("items", "20")])),
    ]
    .into();
    let asked = |column: &str| [0, 1, 2, 3].map(|row| rows.asked(column, row));
    assert_eq!(asked("setting_steps"), ["8", "48", "", ""]);
    assert_eq!(asked("param_items"), ["20", "20", "", "3"]);
    assert_eq!(asked("method_width"), [""; 4]);
    rows.set_directions([("p", Direction::Maximize)]);
    rows.bests.improve(best("x", 7, ""));
    let best = [0, 1, 2].map(|row| rows.best_known(row));
    assert_eq!(best, [Some(7), None, Some(7)]);
    // The number of questions is in a column that the problem names.
    rows.batches = map(&[("q", "param_items"), ("p", "nothing")]);
    assert_eq!([0, 3].map(|row| rows.questions(row)), [1, 3]);
    assert!(rows.has_batches());
    rows.batches = map(&[("q", "nothing")]);
    assert!(!rows.has_batches());
    rows.words = [("p".to_owned(), map(&[("score", "moves")]))].into();
    let words = [("p", "score"), ("p", "size"), ("q", "score")];
    assert_eq!(
        words.map(|(problem, column)| rows.word(problem, column)),
        [Some("moves"), None, None]
    );
}

#[test]
fn what_the_run_did_not_ask_is_no_refusal() {
    let rows = Rows::of_table(
        "outcome,asked,detail\nsolved,true,\nskipped,true,too large\nskipped,false,a smaller one failed\n\
         referee-failed,true,\n",
    );
    let of = |is: fn(&Rows, u32) -> bool| [0, 1, 2, 3].map(|row| is(&rows, row));
    assert_eq!(of(Rows::is_refusal), [false, true, false, false]);
    assert_eq!(of(Rows::is_hopeless), [false, false, true, false]);
    assert_eq!(of(Rows::counts), [true, true, true, false]);
}

#[test]
fn a_value_of_a_stopped_search_is_a_bound_where_it_could_only_grow() {
    let mut rows = Rows::of_table(
        "problem,outcome,score,wall_ns,counter_nodes,measure_moves,size\n\
         up,timeout,3,90,7,4,5\ndown,timeout,3,90,7,4,5\nequal,timeout,3,90,7,4,5\n",
    );
    rows.set_directions([
        ("up", Direction::Maximize),
        ("down", Direction::Minimize),
        ("equal", Direction::Equal),
    ]);
    let bounds = |column: &str| [0, 1, 2].map(|row| rows.bound_when_stopped(column, row));
    let [least, most, either, exact] = [Bound::AtLeast, Bound::AtMost, Bound::Either, Bound::Exact];
    assert_eq!(bounds("score"), [least, most, either]);
    for (column, bound) in [
        (TIME, least),
        ("wall_ns", least),
        ("counter_nodes", least),
        ("measure_moves", either),
        ("size", exact),
        ("wall_ns/size", least),
        ("size/counter_nodes", most),
        ("wall_ns/counter_nodes", either),
    ] {
        assert_eq!(bounds(column), [bound; 3], "{column}");
        let sample = rows.sample(column, &[0]);
        assert_eq!((sample.values.len(), sample.bound), (1, bound), "{column}");
    }
    // The first row of a file may be late too.
    rows.set_digits([("up".to_owned(), 1)].into());
    assert_eq!([0, 1].map(|row| rows.is_late(row)), [true, false]);
    assert_eq!(rows.sample("score", &[0]).bound, exact);
}

fn best(instance: &str, score: i64, answer: &str) -> BestKnown {
    BestKnown {
        instance: instance.to_owned(),
        direction: Direction::Maximize,
        score,
        decimals: 0,
        variant: "v".to_owned(),
        date: String::new(),
        answer: answer.to_owned(),
    }
}

/// The label, the outcome and the detail of the rows with a detail, after claims were judged.
fn judged(text: &str, change: impl Fn(&mut Rows)) -> Vec<String> {
    let head = "schema,problem,label,variant,question,instance_hash,setting_s,outcome,exact,score,bound,detail\n";
    let mut rows = rows(&format!("{head}{text}"));
    rows.set_directions([("p", Direction::Maximize), ("s", Direction::Equal)]);
    rows.commands = ["s".to_owned()].into();
    change(&mut rows);
    rows.judge_claims();
    let mut told = rows.all();
    told.retain(|row| !rows.text("detail", *row).is_empty());
    let said = |row: u32| {
        let [label, word, why] = ["label", "outcome", "detail"].map(|it| rows.text(it, row));
        let outcome = rows.outcome(row).expect("an outcome");
        assert_eq!(outcome.name(), word);
        assert_eq!(rows.confirmed(row), None);
        assert_eq!(rows.is_failed(row), outcome == Outcome::Wrong);
        assert_eq!(rows.counts(row), outcome == Outcome::Wrong);
        format!("{label} {word}: {why}")
    };
    told.into_iter().map(said).collect()
}

#[test]
fn a_confirmed_better_answer_refutes_a_proof() {
    let text = "1,p,a,p,q,i,,solved,true,9007199254740992,,\n\
         1,p,b,p,q,i,,timeout,false,9007199254740993,,\n1,p,c,p,q,i,,solved,false,1,,\n\
         1,p,d,p,q,i,,timeout,false,1,2,\n1,p,e,p,q,i,,solved,true,9007199254740993,,\n\
         1,p,f,p,q,i,,solved,true,,,\n1,p,a,p,r,i,,solved,true,1,,\n1,p,g,p,,i,,solved,true,1,,\n";
    let better = "b has 9007199254740993, confirmed";
    let claims = "wrong: claims that no answer is better than";
    let expected = [
        format!("a {claims} 9007199254740992; {better}"),
        format!("d {claims} 2; {better}"),
        format!("f wrong: claims that there is no answer; {better}"),
    ];
    assert_eq!(judged(text, |_| ()), expected);
    // Judged again, nothing changes.
    assert_eq!(judged(text, Rows::judge_claims), expected);
    // Without claims nothing is judged, and equal claims agree.
    assert!(judged(&text.replace("true", "false").replace(",2,", ",,"), |_| ()).is_empty());
    assert!(
        judged(
            &text
                .replace("true,9007199254740992", "true,9007199254740993")
                .replace(",2,", ",,")
                .replace("true,,", "false,,"),
            |_| ()
        )
        .is_empty()
    );
}

#[test]
fn where_nobody_is_shown_to_be_wrong_answers_are_in_dispute() {
    let equal = "1,s,a,s,q,i,,solved,false,1,,\n1,s,b,s,q,i,,solved,false,2,,\n\
         1,s,c,s,q,i,,timeout,false,,,\n1,s,a,s,r,j,,solved,false,1,,\n";
    let expected = ["a in-dispute: a: 1; b: 2", "b in-dispute: a: 1; b: 2"];
    assert_eq!(judged(equal, |_| ()), expected);
    let claims = "a in-dispute: claims that no answer is better than";
    let pair = "1,p,a,p,q,i,,solved,true,500,,\n1,p,b,p,q,i,,solved,false,501,,\n";
    // Without a referee the better score may be the false one.
    let unrefereed = judged(pair, |rows| rows.unrefereed = ["p".to_owned()].into());
    let why = "claims that no answer is better than 500";
    let expected = [
        format!("a in-dispute: {why}; b has 501, not confirmed"),
        format!("b in-dispute: a {why}"),
    ];
    assert_eq!(unrefereed, expected);
    // The last decimal digit is rounded.
    let rounded = judged(pair, |rows| rows.set_digits([("p".to_owned(), 2)].into()));
    assert_eq!(
        rounded,
        [format!("{claims} 5.00; b has 5.01, which may be rounding")]
    );
    let known = |answer: &'static str| {
        let one = "1,p,a,p,q,i,,solved,true,500,,\n1,p,b,p,r,i,5,solved,true,500,,\n";
        judged(one, move |rows| {
            rows.bests.improve(best("i", 502, answer));
        })
    };
    assert_eq!(
        known(""),
        [format!("{claims} 500; bests.csv has 502, not confirmed")]
    );
    let refuted =
        "a wrong: claims that no answer is better than 500; bests.csv has 502, with its answer";
    assert_eq!(known("ff"), [refuted]);
}
