mod simulated;

use std::collections::BTreeMap;

use ikeru_core::Random;

use super::*;
use crate::metric::Metric;
use crate::rows::Rows;
use crate::rows_of as rows;
use crate::run_file::{RanExperiment, RunFile};

const HEADER: &str = "schema,problem,experiment,label,variant,instance,instance_hash,seed,mode,bound_policy,threads,setting_steps,outcome,score,wall_ns,counter_nodes\n";

/// One row of a small run.
struct Line<'a> {
    label: &'a str,
    instance: u32,
    steps: u32,
    outcome: &'a str,
    time: f64,
    nodes: u32,
}

fn line(label: &str, instance: u32, time: f64) -> String {
    text(&Line {
        label,
        instance,
        steps: 1,
        outcome: "solved",
        time,
        nodes: 10,
    })
}

fn text(line: &Line) -> String {
    let Line {
        label,
        instance,
        steps,
        outcome,
        time,
        nodes,
    } = line;
    format!(
        "1,reach,e,{label},{label},grid,h{instance},{instance},isolated,shared,1,{steps},{outcome},7,{time},{nodes}\n"
    )
}

fn terms(metric: Metric) -> CompareTerms {
    CompareTerms {
        bound: 0.05,
        force: false,
        better: match metric {
            Metric::Wall | Metric::Cpu | Metric::ProcessCpu | Metric::Counter(_) => Better::Lower,
            Metric::Measure(_) | Metric::Score => Better::Higher,
        },
        metric,
    }
}

fn machine(cpu: &str) -> RunFile {
    RunFile {
        machine: BTreeMap::from([("cpu".to_owned(), cpu.to_owned())]),
        ..RunFile::default()
    }
}

fn side<'a>(
    name: &str,
    rows: &'a Rows,
    run: &'a RunFile,
    variant: Option<&str>,
) -> ComparedSide<'a> {
    let variant = variant.map(str::to_owned);
    ComparedSide::new(name.to_owned(), (rows, run), rows.all(), variant).expect("a side")
}

fn compared(a: &str, b: &str, terms: &CompareTerms) -> Result<Comparison> {
    let (a, b) = (rows(&format!("{HEADER}{a}")), rows(&format!("{HEADER}{b}")));
    let run = machine("one");
    compare(
        &side("a", &a, &run, None),
        &side("b", &b, &run, None),
        terms,
    )
}

/// Ten repeats on each instance, scattered by a hundredth.
fn run(label: &str, instances: u32, factor: f64) -> String {
    let mut random = Random::new("compare", 1);
    let mut text = String::new();
    for instance in 0..instances {
        for _ in 0..10 {
            let time = 1e6 * f64::from(instance + 1) * (1.0 + 0.01 * random.unit());
            text += &line(label, instance, factor * time);
        }
    }
    text
}

/// The text of a row's cell in the column `head`, with ordinary spaces.
fn field(table: &Table, row: usize, head: &str) -> String {
    let at = table.heads.iter().position(|name| name == head);
    table.rows[row][at.expect(head)]
        .to_string()
        .replace('\u{202f}', " ")
}

const HERE: &str = "on these instances";
const ALIKE: &str = "on instances like these";

#[test]
fn an_answer_that_was_not_judged_is_no_other_question() {
    let all = run("memo", 3, 1.0);
    let unjudged = text(&Line {
        label: "memo",
        instance: 3,
        steps: 1,
        outcome: "referee-failed",
        time: 1e6,
        nodes: 10,
    });
    let [whole, broken] = [line("memo", 3, 1e6), unjudged].map(|last| all.clone() + &last);
    for (a, b) in [(&whole, &broken), (&broken, &whole)] {
        let found = compared(a, b, &terms(Metric::Wall)).expect("comparable");
        assert!(found.regressions.is_empty(), "{:?}", found.regressions);
        let said = found.table.notes.join(" ").replace('\u{202f}', " ");
        assert!(said.contains("The referee failed on 1 answer of"), "{said}");
    }
    let error = compared(&whole, &all, &terms(Metric::Wall)).map(|_| ());
    assert!(error.is_err(), "one side has no such question");
}

#[test]
fn a_slower_run_is_a_regression_and_the_same_run_is_none() {
    for (instances, alike) in [(1, "cannot tell"), (8, "slower")] {
        let before = run("memo", instances, 1.0);
        let after = |factor| {
            let after = run("memo", instances, factor);
            compared(&before, &after, &terms(Metric::Wall)).expect("compared")
        };
        let slower = after(1.2);
        assert_eq!(field(&slower.table, 0, HERE), "slower by more than 5 %");
        assert_eq!(field(&slower.table, 0, ALIKE), alike);
        assert_eq!((slower.regressions.len(), slower.undecidable), (1, None));
        assert_eq!(field(&after(0.8).table, 0, HERE), "faster");
        assert_eq!(field(&after(1.02).table, 0, HERE), "same within 5 %");
        let same = compared(&before, &before, &terms(Metric::Wall)).expect("compared");
        assert!(same.regressions.is_empty());
        assert_eq!(field(&same.table, 0, HERE), "same within 5 %");
    }
}

#[test]
fn repeats_decide_on_these_instances_and_not_on_others() {
    // Six boards, on which B is six times faster and slower by turns, five repeats each.
    let five = |factor: fn(u32) -> f64| -> String {
        let mut random = Random::new("compare-five", 1);
        let mut time = |instance| {
            let time = 1e6 * factor(instance) * (1.0 + 0.01 * random.unit());
            line("layers", instance, time)
        };
        (0..30).map(|at| time(at % 6)).collect()
    };
    let before = five(|_| 1.0);
    let faster = compared(&before, &five(|_| 1.0 / 6.0), &terms(Metric::Wall));
    let faster = faster.expect("compared").table;
    assert_eq!(
        [HERE, ALIKE].map(|head| field(&faster, 0, head)),
        ["faster", "faster"]
    );
    let uneven = |at: u32| [0.1, 0.1, 0.2, 0.2, 1.3, 2.9][at as usize];
    let uneven = compared(&before, &five(uneven), &terms(Metric::Wall)).expect("compared");
    assert_eq!(field(&uneven.table, 0, HERE), "faster");
    assert_eq!(field(&uneven.table, 0, ALIKE), "cannot tell");
}

#[test]
fn a_gate_that_could_not_fire_says_what_to_run() {
    let few = |factor: f64, repeats: u32| -> String {
        (0..repeats)
            .map(|at| line("memo", 1, factor * (100.0 + f64::from(at))))
            .collect()
    };
    let found = compared(&few(1.0, 3), &few(9.0, 3), &terms(Metric::Wall)).expect("compared");
    assert!(found.regressions.is_empty());
    assert_eq!(field(&found.table, 0, HERE), "cannot tell");
    let why = found.undecidable.expect("three and three samples");
    assert!(
        why.contains("p that so few samples can reach is 0.100"),
        "{why}"
    );
    assert!(
        why.ends_with("run both sides with --repeats 4 or more"),
        "{why}"
    );
    let found = compared(&few(1.0, 4), &few(9.0, 4), &terms(Metric::Wall)).expect("compared");
    assert_eq!((found.regressions.len(), found.undecidable), (1, None));
    let one = compared(&few(1.0, 1), &few(1.0, 1), &terms(Metric::Wall)).expect("compared");
    assert_eq!(
        field(&one.table, 0, HERE),
        "cannot tell",
        "one sample a side"
    );
    let said = one.table.notes.join("\n");
    assert!(
        said.contains("1 of 1 rows cannot be decided") || said.contains("no test"),
        "{said}"
    );
}

#[test]
fn the_built_in_table_decides_a_slowdown_of_a_fifth() {
    let table = ikeru_bench_data::builtin::experiment("ikerukana-table").expect("built in");
    let repeats = table.run.repeats();
    let mut random = Random::new("compare-table", 1);
    // Six variants answer two questions on each of three maps; the times scatter by a tenth with a long tail.
    let mut side = |slowed: &str| -> String {
        let mut text = String::new();
        for label in [
            "memo",
            "memo-flat",
            "arrivals",
            "bitboard",
            "slots",
            "batch",
        ] {
            for cell in 0..6 {
                for _ in 0..repeats {
                    let noise = 1.0 + 0.1 * random.unit() - 0.05 * random.unit().max(1e-9).ln();
                    let time = 1e5 * noise * if label == slowed { 1.2 } else { 1.0 };
                    text += &text_of(label, cell / 2, cell % 2, time);
                }
            }
        }
        text
    };
    let found = compared(&side(""), &side("bitboard"), &terms(Metric::Wall)).expect("compared");
    assert_eq!(
        found.regressions,
        ["bitboard on grid"],
        "{}",
        found.table.lines()
    );
    assert_eq!(field(&found.table, 0, "instances"), "3");
}

fn text_of(label: &str, instance: u32, steps: u32, time: f64) -> String {
    text(&Line {
        label,
        instance,
        steps,
        outcome: "solved",
        time,
        nodes: 10,
    })
}

#[test]
fn a_regression_needs_the_near_end_beyond_the_bound() {
    let before = run("memo", 8, 1.0);
    let after = run("memo", 8, 1.08);
    let small = compared(&before, &after, &terms(Metric::Wall)).expect("compared");
    assert_eq!(small.regressions.len(), 1);
    let wide = CompareTerms {
        bound: 0.1,
        ..terms(Metric::Wall)
    };
    let wide = compared(&before, &after, &wide).expect("compared");
    assert!(wide.regressions.is_empty());
}

#[test]
fn counters_that_do_not_scatter_need_no_test() {
    let nodes = |nodes| {
        text(&Line {
            label: "memo",
            instance: 1,
            steps: 1,
            outcome: "solved",
            time: 5.0,
            nodes,
        })
    };
    let metric = || terms(Metric::Counter("nodes".to_owned()));
    let more = compared(&nodes(10), &nodes(11), &metric()).expect("compared");
    assert_eq!(field(&more.table, 0, "p (Holm)"), "exact");
    assert_eq!(field(&more.table, 0, HERE), "more by more than 5 %");
    assert_eq!((more.regressions.len(), more.undecidable), (1, None));
    for (a, b, word) in [
        (10, 10, "equal"),
        (0, 0, "equal"),
        (100, 102, "more"),
        (100, 80, "fewer"),
    ] {
        let found = compared(&nodes(a), &nodes(b), &metric()).expect("compared");
        assert_eq!(field(&found.table, 0, HERE), word);
        assert!(found.regressions.is_empty());
    }
    // Two workers with a shared best score may have different counters each time: one sample is no fact.
    let parallel = |count| nodes(count).replace(",shared,1,", ",shared,2,");
    let found = compared(&parallel(10), &parallel(11), &metric()).expect("compared");
    assert_eq!(field(&found.table, 0, HERE), "cannot tell");
}

#[test]
fn a_metric_is_worse_on_the_side_that_its_problem_says() {
    let scores = |factor: u32| -> String {
        let row = |at: u32| {
            line("memo", at % 4, 5.0).replace(",7,", &format!(",{},", factor * (100 + at)))
        };
        (0..40).map(row).collect()
    };
    for (better, fewer, more) in [
        (Better::Higher, "worse by more than 5 %", "better"),
        (Better::Lower, "better", "worse by more than 5 %"),
        (Better::Neither, "lower", "higher"),
    ] {
        let terms = CompareTerms {
            better,
            ..terms(Metric::Score)
        };
        let found = |a, b| compared(&scores(a), &scores(b), &terms).expect("compared");
        for (found, word) in [(found(2, 1), fewer), (found(1, 2), more)] {
            assert_eq!(field(&found.table, 0, HERE), word);
            assert_eq!(found.regressions.len(), usize::from(word.contains("5 %")));
            assert_eq!(found.undecidable.is_some(), better == Better::Neither);
        }
    }
}

#[test]
fn instances_with_too_few_samples_each_are_judged_together() {
    let run = |factor: f64, repeats: u32| -> String {
        let of = |instance: u32| {
            let time = factor * 1e6 * f64::from(instance + 1);
            let one = line("memo", instance, time).replace("grid", &format!("map{instance}"));
            one.repeat(repeats as usize)
        };
        (0..8).map(of).collect()
    };
    let compared = |metric, repeats| {
        let (before, after) = (run(1.0, repeats), run(1.2, repeats));
        compared(&before, &after, &terms(metric)).expect("compared")
    };
    let found = compared(Metric::Wall, 1);
    assert_eq!(found.table.rows.len(), 1);
    let of = |head| field(&found.table, 0, head);
    assert_eq!([of("instance"), of("samples")], ["8 instances", "8 and 8"]);
    assert_eq!([of(HERE), of(ALIKE)], ["slower by more than 5 %", "slower"]);
    assert_eq!(found.regressions, ["memo on 8 instances"]);
    // The smallest p of five repeats is 2/252, times eight rows more than 5 %.
    let found = compared(Metric::Wall, 5);
    assert_eq!(found.regressions, ["memo on 8 instances"]);
    // With more repeats, or counters that repeat by contract, each instance is a row.
    assert_eq!(compared(Metric::Wall, 6).table.rows.len(), 8);
    let counted = compared(Metric::Counter("nodes".to_owned()), 1);
    assert_eq!(counted.table.rows.len(), 8);
    assert_eq!(field(&counted.table, 0, HERE), "equal");
}

#[test]
fn many_names_of_instances_with_one_sample_each_are_one_row() {
    let of = |instance: u32| {
        let name = format!("map{instance}");
        line("memo", instance, 1e6).replace("grid", &name)
    };
    let one: String = (0..20_000).map(of).collect();
    let found = compared(&one, &one, &terms(Metric::Wall)).expect("compared");
    assert_eq!(field(&found.table, 0, "instance"), "20000 instances");
}

#[test]
fn one_sample_of_a_command_is_no_fact() {
    let scores = |more: u32| -> String {
        let of = |at: u32| line("memo", at, 5.0).replace(",7,", &format!(",{},", 100 + at + more));
        (0..5).map(of).collect()
    };
    let run = machine("one");
    let word = |commands: &[&str]| {
        let [a, b] = [1, 0].map(|more| {
            let mut rows = rows(&format!("{HEADER}{}", scores(more)));
            rows.commands = commands.iter().map(|name| (*name).to_owned()).collect();
            rows
        });
        let sides = (side("a", &a, &run, None), side("b", &b, &run, None));
        let found = compare(&sides.0, &sides.1, &terms(Metric::Score)).expect("compared");
        field(&found.table, 0, HERE)
    };
    assert_eq!([word(&[]), word(&["memo"])], ["worse", "cannot tell"]);
}

#[test]
fn equal_repeats_of_a_search_that_promises_nothing_are_a_fact_if_they_are_many() {
    // Two workers share a best score.
    let side = |nodes: &[Vec<u32>]| -> String {
        let of = |(instance, nodes): (u32, &Vec<u32>)| -> Vec<String> {
            let line = |nodes: &u32| Line {
                label: "memo",
                instance,
                steps: 1,
                outcome: "solved",
                time: 5.0,
                nodes: *nodes,
            };
            let own = format!(",grid{instance},");
            let lines = nodes
                .iter()
                .map(|nodes| text(&line(nodes)).replace(",grid,", &own));
            lines
                .map(|line| line.replace(",shared,1,", ",shared,2,"))
                .collect()
        };
        (0..).zip(nodes).flat_map(of).collect()
    };
    let words = |a: &[Vec<u32>], b: &[Vec<u32>]| -> Vec<String> {
        let terms = terms(Metric::Counter("nodes".to_owned()));
        let found = compared(&side(a), &side(b), &terms).expect("compared");
        let rows = 0..found.table.rows.len();
        rows.map(|row| field(&found.table, row, HERE)).collect()
    };
    let of = |values: &[u32], repeats: usize| -> Vec<Vec<u32>> {
        values.iter().map(|value| vec![*value; repeats]).collect()
    };
    let [open, more, fewer] = ["cannot tell", "more by more than 5 %", "fewer"];
    assert_eq!(words(&of(&[10], 2), &of(&[20], 2)), [open]);
    assert_eq!(words(&of(&[10], 3), &of(&[20], 3)), [more]);
    let three = |repeats: usize| (of(&[10, 10, 10], repeats), of(&[20, 20, 5], repeats));
    let (a, b) = three(3);
    assert_eq!(words(&a, &b), [more, more, fewer]);
    let (mut a, b) = three(3);
    a[0][0] = 11;
    assert_eq!(words(&a, &b), [open], "a question scatters");
    // Five repeats of three questions, of which one scatters in one sample: the others are facts.
    let mut mixed = of(&[10, 10, 10], 5);
    mixed[0][0] = 11;
    assert_eq!(words(&mixed, &of(&[10, 20, 5], 5)), [open, more, fewer]);
}

#[test]
fn two_variants_of_one_run_are_paired_by_question() {
    // The run asked `memo` one instance more.
    let text = format!("{HEADER}{}{}", run("memo", 9, 1.0), run("flat", 8, 0.5));
    let (rows, run) = (rows(&text), machine("one"));
    let sides = (
        side("a", &rows, &run, Some("memo")),
        side("b", &rows, &run, Some("flat")),
    );
    let found = compare(&sides.0, &sides.1, &terms(Metric::Wall)).expect("compared");
    let field = |head| field(&found.table, 0, head);
    assert_eq!([field("variant"), field("instances")], ["memo → flat", "8"]);
    assert_eq!([field("samples"), field("B ÷ A")], ["80 and 80", "0.500×"]);
    assert_eq!([field(HERE), field(ALIKE)], ["faster", "faster"]);
    let notes = found.table.notes.join("\n");
    assert!(notes.contains("1 cells only in A"), "{notes}");
    let error = ComparedSide::new(
        "a".to_owned(),
        (&rows, &run),
        rows.all(),
        Some("mem".to_owned()),
    );
    let error = error.expect_err("unknown").to_string();
    assert!(error.contains("did you mean `memo`?"), "{error}");
}

/// The run with a separate cell for each label and instance; only the cell of `memo` contains `version`.
fn with_cells(text: &str, version: u32) -> Rows {
    let mut lines = HEADER.replace('\n', ",cell\n");
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let version = if fields[3] == "memo" { version } else { 1 };
        lines += &format!("{line},{}-{version}-{}\n", fields[3], fields[6]);
    }
    rows(&lines)
}

#[test]
fn what_did_not_change_tells_that_the_machine_did() {
    let both = |memo, other| run("memo", 3, memo) + &run("bitboard", 3, other);
    let run = machine("one");
    let compared = |after: String, version: u32, metric: Metric| {
        let (a, b) = (with_cells(&both(1.0, 1.0), 1), with_cells(&after, version));
        let sides = [("a", &a), ("b", &b)].map(|(name, rows)| side(name, rows, &run, None));
        compare(&sides[0], &sides[1], &terms(metric)).expect("compared")
    };
    let verdicts = |comparison: &Comparison| [0, 1].map(|row| field(&comparison.table, row, HERE));
    // The machine changed: the change of the program is not decided.
    let moved = compared(both(1.9, 1.9), 2, Metric::Wall);
    assert_eq!(verdicts(&moved), ["slower by more than 5 %", "withheld"]);
    let notes = moved.table.notes.join(" ");
    assert!(
        notes.contains("bitboard on grid has the same version and program on both sides"),
        "{notes}"
    );
    assert!(moved.regressions.is_empty() && moved.undecidable.is_some());
    // The machine did not change: the change of the program is decided.
    let changed = compared(both(1.9, 1.0), 2, Metric::Wall);
    assert_eq!(
        verdicts(&changed),
        ["same within 5 %", "slower by more than 5 %"]
    );
    // No program was changed, so no decision is withheld; a note says that the machine changed.
    let same = compared(both(1.9, 1.0), 1, Metric::Wall);
    assert_eq!(
        verdicts(&same),
        ["same within 5 %", "slower by more than 5 %"]
    );
    assert!(
        same.table
            .notes
            .join(" ")
            .contains("memo on grid has the same version")
    );
}

#[test]
fn what_may_not_be_compared_is_refused_or_labelled() {
    let before = run("memo", 2, 1.0);
    let run_of = |text: &str| rows(&format!("{HEADER}{text}"));
    let one = machine("one");
    let two = machine("two");
    let forced = CompareTerms {
        force: true,
        ..terms(Metric::Wall)
    };
    for (other, machine, hint) in [
        (
            before.replace("isolated", "contended"),
            &one,
            "mode differs",
        ),
        (
            before.replace("shared", "private"),
            &one,
            "bound policy differs",
        ),
        (
            before.clone(),
            &two,
            "machine (cpu) differs: A has one, B has two",
        ),
        (
            run("memo", 3, 1.0),
            &one,
            "questions or variants differ: 0 cells only in A, 1 only in B",
        ),
    ] {
        let (a, b) = (run_of(&before), run_of(&other));
        let sides = (side("a", &a, &one, None), side("b", &b, machine, None));
        let error = compare(&sides.0, &sides.1, &terms(Metric::Wall))
            .expect_err(hint)
            .to_string();
        assert!(error.contains(hint) && error.contains("--force"), "{error}");
        let found = compare(&sides.0, &sides.1, &forced).expect("forced");
        let said = found.table.notes.join("\n");
        assert!(said.contains(&format!("FORCED: {hint}")), "{said}");
    }
    // Without a common question there is nothing to compare.
    for (other, why) in [
        (before.replace(",h", ",other"), "with the same seeds"),
        (
            before
                .replace("memo,grid", "bitboard,grid")
                .replace("e,memo", "e,bitboard"),
            "referee differ",
        ),
    ] {
        let (a, b) = (run_of(&before), run_of(&other));
        let sides = (side("a", &a, &one, None), side("b", &b, &one, None));
        for terms in [&terms(Metric::Wall), &forced] {
            let error = compare(&sides.0, &sides.1, terms).expect_err("refused");
            let said = error.to_string();
            assert!(said.contains("no question stands on both sides"), "{said}");
            assert!(said.ends_with(why), "{said}");
        }
    }
    // Counters are the same on every machine and in every mode.
    let (a, b) = (
        run_of(&before),
        run_of(&before.replace("isolated", "contended")),
    );
    let sides = (side("a", &a, &one, None), side("b", &b, &two, None));
    compare(
        &sides.0,
        &sides.1,
        &terms(Metric::Counter("nodes".to_owned())),
    )
    .expect("compared");
}

#[test]
fn what_was_stopped_or_failed_is_said() {
    let with = |outcome, time| {
        text(&Line {
            label: "memo",
            instance: 1,
            steps: 2,
            outcome,
            time,
            nodes: 1,
        })
    };
    let before = run("memo", 1, 1.0) + &with("solved", 10.0);
    let crashed = run("memo", 1, 1.0) + &with("crashed", 1.0);
    let found = compared(&before, &crashed, &terms(Metric::Wall)).expect("compared");
    assert!(
        found.regressions[0].ends_with("1 of 1 crashed, none before"),
        "{:?}",
        found.regressions
    );
    let found = compared(&crashed, &before, &terms(Metric::Wall)).expect("compared");
    assert!(found.regressions.is_empty(), "solved now is no loss");
    let stopped = run("memo", 1, 1.0) + &with("timeout", 1e4);
    let found = compared(&before, &stopped, &terms(Metric::Wall)).expect("compared");
    assert!(field(&found.table, 0, "B ÷ A").starts_with('≥'));
    assert!(found.regressions[0].ends_with("was solved, now timeout"));
    let found = compared(&stopped, &stopped, &terms(Metric::Wall)).expect("compared");
    let said = found.table.notes.join("\n");
    assert!(said.contains("has timeouts on both sides"), "{said}");
}

/// Five repeats of one question; the first `failed` of them have the outcome `outcome`.
fn with_failures(outcome: &'static str, failed: usize) -> String {
    let row = |at: usize| {
        text(&Line {
            label: "memo",
            instance: 1,
            steps: 1,
            outcome: if at < failed { outcome } else { "solved" },
            time: 1e6 + at as f64,
            nodes: 7,
        })
    };
    (0..5).map(row).collect()
}

#[test]
fn a_failed_sample_is_no_absent_sample() {
    let metrics = [
        Metric::Wall,
        Metric::Counter("nodes".to_owned()),
        Metric::Score,
    ];
    for metric in metrics {
        for outcome in ["crashed", "wrong", "out-of-memory", "unchecked", "skipped"] {
            for failed in 1..=5 {
                let of = |failed| with_failures(outcome, failed);
                let place = format!("{metric:?}, {failed} of 5 {outcome}");
                let found = compared(&of(0), &of(failed), &terms(metric.clone())).expect(&place);
                let gone = failed == 5 && outcome == "skipped";
                assert!(!found.regressions.is_empty(), "{place}");
                assert_eq!(found.wrong, if outcome == "wrong" { failed } else { 0 });
                let said = format!("{:?}", found.table);
                assert!(gone || said.contains("of 5 "), "{place}: {said}");
                let back = compared(&of(failed), &of(0), &terms(metric.clone())).expect(&place);
                assert!(
                    back.regressions.is_empty(),
                    "{place}: {:?}",
                    back.regressions
                );
            }
        }
    }
    // Both sides fail samples: one more failure may be chance, but the gate does not pass.
    let found = compared(
        &with_failures("crashed", 1),
        &with_failures("crashed", 2),
        &terms(Metric::Wall),
    )
    .expect("compared");
    assert!(found.regressions.is_empty() && found.undecidable.is_some());
    // One and five of five are a regression (p = 6/252), unless they are the worst of three such questions.
    let is_regression = |more: u32| {
        let side = |failed: usize| {
            let others = (2..2 + more).map(|at| {
                let other = with_failures("crashed", 1 + failed / 5);
                other.replace(",h1,1,", &format!(",h{at},{at},"))
            });
            with_failures("crashed", failed) + &others.collect::<String>()
        };
        let found = compared(&side(1), &side(5), &terms(Metric::Wall)).expect("compared");
        !found.regressions.is_empty()
    };
    assert_eq!([0, 1, 2].map(is_regression), [true, true, false]);
}

#[test]
fn a_stopped_sample_without_a_value_is_no_absent_sample() {
    // A process that is ended at its limit prints neither a score nor a counter.
    let of = |outcome, failed| {
        let text = with_failures(outcome, failed);
        let silent = |line: &str| match line.split_once(",timeout,7,") {
            Some((before, _)) => format!("{before},timeout,,2000000,\n"),
            None => format!("{line}\n"),
        };
        text.lines().map(silent).collect::<String>()
    };
    for metric in [Metric::Counter("nodes".to_owned()), Metric::Score] {
        // One of two questions is left out: all of its stops are compared by one test, and chance may stop a few.
        let other = with_failures("solved", 0).replace(",h1,1,", ",h2,2,");
        for stopped in 1..=5 {
            let place = format!("{metric:?}, {stopped} of 5");
            let [whole, cut] = [0, stopped].map(|stopped| of("timeout", stopped) + &other);
            let found = compared(&whole, &cut, &terms(metric.clone())).expect(&place);
            let lost = found.regressions.join("; ");
            match stopped {
                5 => assert!(lost.contains("now timeout"), "{place}: {lost}"),
                4 => assert!(
                    lost.contains("4 of 10 samples were stopped"),
                    "{place}: {lost}"
                ),
                _ => assert!(
                    found
                        .table
                        .notes
                        .join(" ")
                        .contains("topped without a value"),
                    "{place}"
                ),
            }
            let back = compared(&cut, &whole, &terms(metric.clone())).expect(&place);
            assert!(
                back.regressions.is_empty(),
                "{place}: {:?}",
                back.regressions
            );
        }
        // One stopped sample does not hide what the others say.
        let more = of("timeout", 0)
            .replace(",7,", ",3,")
            .replace(",7\n", ",700\n");
        let found = compared(&of("timeout", 1), &more, &terms(metric.clone())).expect("compared");
        assert_eq!(found.regressions.len(), 1, "{metric:?}: {:?}", found.table);
        // B solves nothing: a failed sample of A does not excuse that.
        let found = compared(&of("crashed", 1), &of("timeout", 5), &terms(metric.clone()));
        let found = found.expect("compared");
        assert_eq!(found.regressions.len(), 1, "{:?}", found.table.notes);
        // A gate that compared nothing does not pass.
        let found = compared(&of("crashed", 3), &of("crashed", 0), &terms(metric));
        let found = found.expect("compared");
        assert!(found.regressions.is_empty());
        let why = found.undecidable.expect("no row");
        assert!(why.contains("no question was compared"), "{why}");
    }
}

#[test]
fn no_gate_passes_where_answers_were_lost() {
    // 1,000 pairs of runs of three questions with some failed samples.
    let mut random = Random::new("lost", 1);
    let (mut passed, mut stopped) = (0, 0);
    for _ in 0..1_000 {
        let (mut before, mut after) = (String::new(), String::new());
        let mut lost = false;
        for instance in 0..3 {
            let mut failures = [0, 0];
            for repeat in 0..8 {
                for (side, text) in [&mut before, &mut after].into_iter().enumerate() {
                    let fails = random.chance(if instance == 0 { 0.2 } else { 0.01 });
                    failures[side] += usize::from(fails);
                    *text += &self::text(&Line {
                        label: "memo",
                        instance,
                        steps: 1,
                        outcome: if fails { "crashed" } else { "solved" },
                        time: 1e6 + f64::from(repeat) + random.unit(),
                        nodes: 7,
                    });
                }
            }
            lost |= failures[1] > failures[0];
        }
        let found = compared(&before, &after, &terms(Metric::Wall));
        let passes = found.is_ok_and(|found| {
            found.regressions.is_empty() && found.undecidable.is_none() && found.wrong == 0
        });
        assert!(!(passes && lost), "{before}\n{after}");
        passed += usize::from(passes);
        stopped += usize::from(!passes);
    }
    println!("{passed} passed, {stopped} did not");
    assert!(passed > 300, "{passed}: a gate that never passes");
}

#[test]
fn zero_is_a_value() {
    let counted = |nodes: u32| -> String {
        let row = |_| {
            text(&Line {
                label: "memo",
                instance: 1,
                steps: 1,
                outcome: "solved",
                time: 1e6,
                nodes,
            })
        };
        (0..5).map(row).collect()
    };
    let metric = || terms(Metric::Counter("nodes".to_owned()));
    let found = compared(&counted(0), &counted(5), &metric()).expect("compared");
    assert_eq!(field(&found.table, 0, HERE), "more by more than 5 %");
    assert_eq!(field(&found.table, 0, "B − A"), "5");
    assert_eq!(found.regressions.len(), 1);
    let found = compared(&counted(5), &counted(0), &metric()).expect("compared");
    assert_eq!(
        (
            field(&found.table, 0, HERE).as_str(),
            found.regressions.len()
        ),
        ("fewer", 0)
    );
    let found = compared(&counted(0), &counted(0), &metric()).expect("compared");
    assert_eq!(field(&found.table, 0, HERE), "equal");
    assert_eq!((found.regressions.len(), found.undecidable), (0, None));
    // Another row has a ratio.
    let both = |a, b| counted(a) + &counted(b).replace("memo", "bitboard");
    let found = compared(&both(0, 4), &both(5, 8), &metric()).expect("compared");
    let effects = ["B − A", "B ÷ A"];
    let of = |row: usize| effects.map(|head| field(&found.table, row, head));
    let [one, other] = [0, 1].map(of);
    let by_ratio = usize::from(one[0].is_empty() || one[0] == "–");
    assert_eq!([&one, &other][by_ratio][0], "5", "{one:?} {other:?}");
    assert_eq!([&other, &one][by_ratio][1], "2.00×", "{one:?} {other:?}");
    // Scores below and above zero: 40 − (−10).
    let scored = |score: i32, spread: i32| -> String {
        let rows = counted(7).lines().map(str::to_owned).collect::<Vec<_>>();
        let rows = rows.iter().zip(0..).map(|(row, at)| {
            row.replace("solved,7,", &format!("solved,{},", score + spread * at)) + "\n"
        });
        rows.collect()
    };
    let found = compared(&scored(40, 0), &scored(-10, 0), &terms(Metric::Score)).expect("compared");
    assert_eq!(field(&found.table, 0, "B − A"), "−50");
    assert_eq!(found.regressions.len(), 1);
    let found = compared(&scored(40, 1), &scored(-10, 1), &terms(Metric::Score)).expect("compared");
    assert_eq!(field(&found.table, 0, HERE), "worse by more than 5 %");
    let found = compared(&scored(-10, 1), &scored(40, 1), &terms(Metric::Score)).expect("compared");
    assert_eq!(
        (
            field(&found.table, 0, HERE).as_str(),
            found.regressions.len()
        ),
        ("better", 0)
    );
}

#[test]
fn stopped_sides_are_facts_on_one_side_only() {
    let ten = |outcome, time: f64| -> String {
        let row = |at: u32| {
            text(&Line {
                label: "memo",
                instance: 1,
                steps: 1,
                outcome,
                time: time * (1.0 + 1e-4 * f64::from(at)),
                nodes: 1,
            })
        };
        (0..10).map(row).collect()
    };
    let second = 1e9;
    let found = |a: String, b: String| {
        let found = compared(&a, &b, &terms(Metric::Wall)).expect("compared");
        let said = found.table.notes.join("\n");
        let word = field(&found.table, 0, HERE).to_owned();
        (word, found.regressions.len(), said)
    };
    // A stopped after 1 s, B solved in 5 s under another limit.
    let (word, regressions, said) = found(ten("timeout", second), ten("solved", 5.0 * second));
    assert_eq!((word.as_str(), regressions), ("cannot tell", 0), "{said}");
    assert!(said.contains("no loss and no gain"), "{said}");
    // A stopped after 60 s, B solved in 5 s.
    let (word, regressions, said) =
        found(ten("timeout", 60.0 * second), ten("solved", 5.0 * second));
    assert_eq!((word.as_str(), regressions), ("faster", 0), "{said}");
    assert!(said.contains("B does better: memo on grid"), "{said}");
    // A solved in 5 s, B stopped after 60 s, and after 1 s.
    let (word, regressions, said) =
        found(ten("solved", 5.0 * second), ten("timeout", 60.0 * second));
    assert_eq!(
        (word.as_str(), regressions),
        ("slower by more than 5 %", 2),
        "{said}"
    );
    let (word, regressions, said) = found(ten("solved", 5.0 * second), ten("timeout", second));
    assert_eq!((word.as_str(), regressions), ("cannot tell", 0), "{said}");
}

#[test]
fn limits_that_differ_are_shown() {
    let limited = |limit: &str| RunFile {
        experiments: vec![RanExperiment {
            name: "e".to_owned(),
            text: format!(
                "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=['memo']\ninstances=[{{generator='g'}}]\n[run]\nlimit='{limit}'"
            ),
        }],
        ..machine("one")
    };
    let rows = rows(&format!("{HEADER}{}", run("memo", 1, 1.0)));
    let (a, b) = (limited("1s"), limited("60s"));
    let said = |b: &RunFile| {
        let sides = (side("a", &rows, &a, None), side("b", &rows, b, None));
        let found = compare(&sides.0, &sides.1, &terms(Metric::Wall)).expect("compared");
        found.table.notes.join("\n").replace('\u{202f}', " ")
    };
    assert!(
        said(&b).contains("Limit differs: A has 1 s, B has 60 s."),
        "{}",
        said(&b)
    );
    assert!(!said(&a).contains("Limit"));
}

#[test]
fn times_of_several_nodes_are_paired_on_one_node() {
    // Two variants on two instances; on n2 everything takes three times as long.
    let on = |label: &str, factor: f64, node: &dyn Fn(u32) -> &'static str| {
        let mut text = String::new();
        for instance in 1..=2_u32 {
            for repeat in 0..10_u32 {
                let node = node(instance * 100 + repeat);
                let slow = if node == "n2" { 3.0 } else { 1.0 };
                let time = factor * slow * (1e6 + 1e3 * f64::from(repeat));
                text += &format!("{},{node}\n", line(label, instance, time).trim_end());
            }
        }
        text
    };
    let both = |a: &str, b: &str, terms: &CompareTerms| {
        let rows = rows(&format!("{},node\n{a}{b}", HEADER.trim_end()));
        let run = machine("one");
        compare(
            &side("run:slow", &rows, &run, Some("slow")),
            &side("run:fast", &rows, &run, Some("fast")),
            terms,
        )
    };
    let by_instance = |at: u32| if at < 200 { "n1" } else { "n2" };
    let paired = both(
        &on("slow", 2.0, &by_instance),
        &on("fast", 1.0, &by_instance),
        &terms(Metric::Wall),
    );
    let table = paired.expect("compared").table;
    assert!(
        table
            .notes
            .iter()
            .any(|note| note.ends_with("both sides of a pair are from one node."))
    );
    // A requeue moved half of one variant's repeats to the other node: those have no partner, the others have one.
    let requeued = |at: u32| if (105..110).contains(&at) { "n2" } else { "n1" };
    let slow = on("slow", 2.0, &|_| "n1");
    let apart = both(&slow, &on("fast", 1.0, &requeued), &terms(Metric::Wall));
    let table = apart.expect("compared").table;
    assert!(
        table
            .notes
            .iter()
            .any(|note| note.contains("1 cells whose other side is on another node")),
        "{:?}",
        table.notes
    );
    assert_eq!(field(&table, 0, HERE), "faster");
    // If no pair is on one node, nothing can be compared.
    let error = both(&slow, &on("fast", 1.0, &|_| "n2"), &terms(Metric::Wall));
    assert!(error.is_err_and(|error| error.to_string().contains("questions or variants differ")));
    // Counters are the same on every node.
    let counters = both(
        &slow,
        &on("fast", 1.0, &|_| "n2"),
        &terms(Metric::Counter("nodes".to_owned())),
    );
    assert!(counters.is_ok());
}

#[test]
fn scores_of_opposite_directions_are_not_compared() {
    use ikeru_core::Direction::{Maximize, Minimize};
    let of = |direction| {
        let mut rows = rows(&format!("{HEADER}{}", run("memo", 3, 1.0)));
        rows.set_directions([("reach", direction)]);
        rows
    };
    let (a, b, run) = (of(Maximize), of(Minimize), machine("one"));
    let found = |b: &Rows, metric| {
        let sides = (side("a", &a, &run, None), side("b", b, &run, None));
        compare(&sides.0, &sides.1, &terms(metric))
    };
    let error = found(&b, Metric::Score).expect_err("refused").to_string();
    let hint = "direction differs: A has maximize, B has minimize";
    assert!(error.contains(hint), "{error}");
    assert!(found(&b, Metric::Wall).is_ok() && found(&of(Maximize), Metric::Score).is_ok());
}

/// The bound of a score is a part of A's score, whether the repeats make it a fact or a test.
#[test]
fn bounds_of_scores_are_parts_of_a() {
    let scores = |score: u32, repeats: u32| -> String {
        let of = |at: u32| line("memo", at % 20, 5.0).replace(",7,", &format!(",{score},"));
        (0..20 * repeats).map(of).collect()
    };
    for (b, percent, expected) in [(905, 10, 0), (899, 10, 1), (951, 5, 0), (949, 5, 1)] {
        for repeats in [1, 2, 5] {
            let terms = CompareTerms {
                bound: f64::from(percent) / 100.0,
                ..terms(Metric::Score)
            };
            let found = compared(&scores(1000, repeats), &scores(b, repeats), &terms);
            let regressions = found.expect("compared").regressions;
            assert_eq!(regressions.len(), expected, "{b} {percent} {regressions:?}");
        }
    }
}

#[test]
fn counters_exactly_at_the_bound_are_not_beyond_it() {
    let nodes = |nodes| line("memo", 1, 5.0).replace(",10\n", &format!(",{nodes}\n"));
    for thousandths in 1..200 {
        for (more, expected) in [(0, 0), (1, 1)] {
            let terms = CompareTerms {
                bound: f64::from(thousandths) / 1000.0,
                ..terms(Metric::Counter("nodes".to_owned()))
            };
            let found = compared(&nodes(1000), &nodes(1000 + thousandths + more), &terms);
            let found = found.expect("compared").regressions.len();
            assert_eq!(found, expected, "{thousandths}");
        }
    }
}

/// Two labels of one run, of which one has several settings: each sample counts once.
#[test]
fn the_settings_of_a_label_are_one_sample() {
    let mut random = Random::new("compare-settings", 1);
    let mut decided = 0;
    for _ in 0..200 {
        let mut text = HEADER.replace('\n', ",method_width\n");
        for _ in 0..8 {
            for cell in 0..9 {
                let (label, width) = if cell == 8 {
                    ("flat", String::new())
                } else {
                    ("memo", cell.to_string())
                };
                let time = 1e6 * (1.0 + 0.1 * random.unit() - 0.05 * random.unit().max(1e-9).ln());
                text += &format!("{},{width}\n", line(label, 1, time).trim_end());
            }
        }
        let (rows, run) = (rows(&text), machine("one"));
        let sides = ["memo", "flat"].map(|name| side(name, &rows, &run, Some(name)));
        let found = compare(&sides[0], &sides[1], &terms(Metric::Wall)).expect("compared");
        assert_eq!(field(&found.table, 0, "samples"), "64 and 8");
        let word = field(&found.table, 0, HERE);
        decided += usize::from(["slower", "faster"].iter().any(|it| word.starts_with(it)));
    }
    assert!(decided <= 16, "{decided}");
}

#[test]
fn what_one_setting_lost_is_named() {
    let cell = |label: &str, width: &str, outcome, time: f64| {
        let line = text(&Line {
            label,
            instance: 1,
            steps: 1,
            outcome,
            time,
            nodes: 1,
        });
        format!("{},{width}\n", line.trim_end())
    };
    let both = [
        cell("memo", "", "solved", 10.0),
        cell("flat", "1", "solved", 10.0),
        cell("flat", "2", "timeout", 100.0),
    ];
    let text = HEADER.replace('\n', ",method_width\n") + &both.concat();
    let (rows, run) = (rows(&text), machine("one"));
    let sides = ["memo", "flat"].map(|name| side(name, &rows, &run, Some(name)));
    let found = compare(&sides[0], &sides[1], &terms(Metric::Wall)).expect("compared");
    assert_eq!(
        found.regressions,
        ["memo → flat on grid seed=1 width=2 was solved, now timeout"]
    );
}

/// An answer that comes after the limit took the limit; who had the same limit was not stopped sooner.
#[test]
fn an_answer_after_the_limit_is_lost_by_who_has_none() {
    for [first, second] in [[1004.0, 1001.0], [1001.0, 1004.0]] {
        let side = |outcome, time| {
            let line = text(&Line {
                label: "memo",
                instance: 1,
                steps: 1,
                outcome,
                time,
                nodes: 1,
            });
            line.trim_end().to_owned() + ",1000\n"
        };
        let header = HEADER.replace('\n', ",limit_ns\n");
        let mut a = rows(&(header.clone() + &side("timeout", first)));
        a.set_digits([("reach".to_owned(), 0)].into());
        let b = rows(&(header + &side("timeout", second).replace(",7,", ",,")));
        let run = machine("one");
        let sides = (
            self::side("a", &a, &run, None),
            self::side("b", &b, &run, None),
        );
        let found = compare(&sides.0, &sides.1, &terms(Metric::Wall)).expect("compared");
        assert_eq!(found.regressions.len(), 1, "{:?}", found.table.notes);
    }
}

/// Two samples of a random solver may be equal by chance.
#[test]
fn repeats_of_scores_are_no_further_pairs() {
    let mut random = Random::new("compare-scores", 1);
    let mut side = || {
        let mut text = HEADER.replace('\n', ",question,repeat\n");
        for instance in 0..40 {
            for repeat in 0..2 {
                let row = line("memo", instance, 1.0).replace("grid", &format!("grid {instance}"));
                let score = 100 + 10 * random.below(2);
                let row = row.replace(",7,", &format!(",{score},"));
                text += &format!("{},q{instance},{repeat}\n", row.trim_end());
            }
        }
        let mut rows = rows(&text);
        rows.set_digits([("reach".to_owned(), 0)].into());
        rows.set_directions([("reach", ikeru_core::Direction::Maximize)]);
        rows
    };
    let (a, b, run) = (side(), side(), machine("one"));
    let sides = [("a", &a), ("b", &b)].map(|(name, rows)| self::side(name, rows, &run, None));
    let terms = terms(Metric::Score);
    let found = compare(&sides[0], &sides[1], &terms).expect("compared");
    assert!(found.regressions.is_empty(), "{:?}", found.regressions);
    assert_eq!(found.undecidable, None);
}

#[test]
fn failed_samples_are_no_pairs_left_out_of_a_decision_on_scores() {
    let side = |lost: u32| {
        let mut text = HEADER.replace('\n', ",question\n");
        for instance in 0..20 {
            let row = line("memo", instance, 1.0).replace("grid", &format!("grid {instance}"));
            let row = match instance < lost {
                true => row.replace("solved", "crashed").replace(",7,", ",,"),
                false => row,
            };
            text += &format!("{},q{instance}\n", row.trim_end());
        }
        let mut rows = rows(&text);
        rows.set_digits([("reach".to_owned(), 0)].into());
        rows.set_directions([("reach", ikeru_core::Direction::Maximize)]);
        rows
    };
    let (a, b, run) = (side(0), side(5), machine("one"));
    let sides = [("a", &a), ("b", &b)].map(|(name, rows)| self::side(name, rows, &run, None));
    let notes = |metric| {
        let found = compare(&sides[0], &sides[1], &terms(metric)).expect("compared");
        found.table.notes.join(" ")
    };
    let decided = notes(Metric::Score);
    assert!(decided.contains("worse on 5"), "{decided}");
    assert!(!decided.contains("left out"), "{decided}");
    assert!(notes(Metric::Counter("nodes".into())).contains("5 pairs of cells had no value"));
}

#[test]
fn settings_that_two_labels_have_are_paired() {
    let mut text = HEADER.replace('\n', ",method_width\n");
    let mut random = Random::new("compare-paired", 1);
    for width in [1, 10, 100] {
        for (label, factor) in [("memo", 1.0), ("flat", 1.08)] {
            for _ in 0..8 {
                let time = f64::from(width) * factor * (1e6 + 1e3 * random.unit());
                text += &format!("{},{width}\n", line(label, 1, time).trim_end());
            }
        }
    }
    let (rows, run) = (rows(&text), machine("one"));
    let sides = ["memo", "flat"].map(|name| side(name, &rows, &run, Some(name)));
    let found = compare(&sides[0], &sides[1], &terms(Metric::Wall)).expect("compared");
    assert_eq!(field(&found.table, 0, "B ÷ A"), "1.08×");
    assert_eq!(field(&found.table, 0, HERE), "slower by more than 5 %");
}
