use std::collections::BTreeMap;

use ikeru_core::Random;

use super::*;
use crate::rows_of;
use crate::rows_of as rows;

const HEADER: &str = "schema,problem,experiment,label,variant,instance,instance_hash,seed,mode,bound_policy,threads,setting_steps,outcome,score,wall_ns,counter_nodes\n";

/// One row of a small run.
fn text(label: &str, instance: u32, outcome: &str, time: f64, nodes: u32) -> String {
    format!(
        "1,reach,e,{label},{label},grid,h{instance},{instance},isolated,shared,1,1,{outcome},7,{time},{nodes}\n"
    )
}

fn line(instance: u32, time: f64) -> String {
    text("memo", instance, "solved", time, 10)
}

/// Ten repeats on each instance, scattered by a hundredth.
fn run(instances: u32, factor: f64) -> String {
    let mut random = Random::new("compare", 1);
    let mut time = |at: u32| {
        let instance = at / 10;
        let time = 1e6 * f64::from(instance + 1) * (1.0 + 0.01 * random.unit());
        line(instance, factor * time)
    };
    (0..10 * instances).map(&mut time).collect()
}

fn terms(metric: Metric) -> CompareTerms {
    let better = match metric {
        Metric::Measure(_) | Metric::Score => Better::Higher,
        _ => Better::Lower,
    };
    CompareTerms {
        bound: 0.05,
        ..CompareTerms::of(metric, better)
    }
}

fn counter() -> Metric {
    Metric::Counter("nodes".to_owned())
}

fn machine(cpu: &str) -> RunFile {
    RunFile {
        machine: BTreeMap::from([("cpu".to_owned(), cpu.to_owned())]),
        ..RunFile::default()
    }
}

fn side<'a>(name: &str, rows: &'a Rows, run: &'a RunFile, label: Option<&str>) -> ComparedSide<'a> {
    let label = label.map(str::to_owned);
    ComparedSide::new(name.to_owned(), (rows, run), rows.all(), label).expect("a side")
}

/// Two labels of one run.
fn labels(header: &str, a: &str, b: &str, terms: &CompareTerms) -> Result<ComparedSides> {
    let b = b.replace("e,memo,memo", "e,flat,flat");
    let rows = rows(&format!("{header}{a}{b}"));
    compared_labels(&rows, terms)
}

fn compared_labels(rows: &Rows, terms: &CompareTerms) -> Result<ComparedSides> {
    let run = machine("one");
    let sides = ["memo", "flat"].map(|label| side(label, rows, &run, Some(label)));
    compare(&sides[0], &sides[1], terms)
}

fn compared(a: &str, b: &str, terms: &CompareTerms) -> ComparedSides {
    labels(HEADER, a, b, terms).expect("compared")
}

/// Two runs.
fn runs(a: &str, b: &str, terms: &CompareTerms) -> Result<ComparedSides> {
    let (a, b) = (rows(a), rows(b));
    let run = machine("one");
    compare(
        &side("a", &a, &run, None),
        &side("b", &b, &run, None),
        terms,
    )
}

/// The decisions of all rows.
fn decisions(found: &ComparedSides) -> Vec<&'static str> {
    found
        .table
        .comparisons
        .iter()
        .map(|row| row.decision.name())
        .collect()
}

fn notes(found: &ComparedSides) -> String {
    found.table.notes.join("\n").replace('\u{202f}', " ")
}

#[test]
fn folders_of_one_last_name_keep_their_variants() {
    let both = run(2, 1.0) + &run(2, 1.2).replace("e,memo,memo", "e,flat,flat");
    let rows = rows_of(&format!("{HEADER}{both}"));
    let run = machine("one");
    let other = rows_of(&format!("{HEADER}{both}"));
    let [a, b] = [("x/run", &rows), ("y/run", &other)];
    let [a, b] = [a, b].map(|(name, rows)| side(name, rows, &run, None));
    let found = compare(&a, &b, &terms(counter())).expect("compared");
    let rows = found.table.comparisons.iter();
    let names: Vec<[&str; 2]> = rows.map(|row| [&*row.a, &*row.b]).collect();
    for names_of_one in [["x/run:memo", "y/run:memo"], ["x/run:flat", "y/run:flat"]] {
        assert!(names.contains(&names_of_one), "{names:?}");
    }
}

#[test]
fn a_variant_of_which_the_order_turns_has_a_note() {
    let on = |instance: u32, nodes: [u32; 2]| {
        let line = |nodes| text("memo", instance, "solved", 1e6, nodes).repeat(6);
        nodes.map(line)
    };
    let told = |second: [u32; 2]| {
        let [[a, b], [c, d]] = [on(0, [10, 30]), on(1, second)];
        notes(&compared(&(a + &c), &(b + &d), &terms(counter())))
    };
    let note = "The order turns by question: flat: 2× fewer to 3× more.";
    let turned = told([20, 10]);
    assert!(turned.contains(note), "{turned}");
    let same = told([10, 20]);
    assert!(!same.contains("order turns"), "{same}");
}

#[test]
fn a_slowdown_is_decided_at_both_scopes_and_by_the_near_end() {
    let before = run(8, 1.0);
    let of = |factor| compared(&before, &run(8, factor), &terms(Metric::Wall));
    let slower = of(1.2);
    assert_eq!(decisions(&slower), ["worse", "worse"]);
    assert_eq!((slower.regressions.len(), slower.undecidable), (1, None));
    assert_eq!(decisions(&of(0.8)), ["better", "better"]);
    assert!(of(1.02).regressions.is_empty() && of(1.08).regressions.len() == 1);
    assert_eq!(decisions(&of(1.0)), ["same", "same"]);
    let wide = CompareTerms {
        bound: 0.1,
        ..terms(Metric::Wall)
    };
    assert!(
        compared(&before, &run(8, 1.08), &wide)
            .regressions
            .is_empty()
    );
    let said = notes(&of(0.5));
    assert!(
        said.starts_with("flat is 2×") && said.contains("these 8 instances (decided), and 2×"),
        "{said}"
    );
}

#[test]
fn repeats_decide_on_these_instances_and_not_on_others() {
    let five = |factor: [f64; 6]| -> String {
        let mut random = Random::new("compare-five", 1);
        let mut time = |at: usize| {
            line(
                at as u32 % 6,
                1e6 * factor[at % 6] * (1.0 + 0.01 * random.unit()),
            )
        };
        (0..30).map(&mut time).collect()
    };
    let uneven = compared(
        &five([1.0; 6]),
        &five([0.1, 0.1, 0.2, 0.2, 1.3, 2.9]),
        &terms(Metric::Wall),
    );
    assert_eq!(decisions(&uneven), ["better", "undecided"]);
}

#[test]
fn a_gate_that_cannot_decide_says_what_to_run() {
    let few = |factor: f64, repeats: u32| -> String {
        (0..repeats)
            .map(|at| line(1, factor * (100.0 + f64::from(at))))
            .collect()
    };
    let found = compared(&few(1.0, 3), &few(9.0, 3), &terms(Metric::Wall));
    assert!(found.regressions.is_empty());
    let why = found.undecidable.expect("three and three samples");
    assert!(
        why.ends_with("too few samples; it needs 4 repeats a side"),
        "{why}"
    );
    let found = compared(&few(1.0, 4), &few(9.0, 4), &terms(Metric::Wall));
    assert_eq!((found.regressions.len(), found.undecidable), (1, None));
}

#[test]
fn times_of_two_runs_are_decided_only_beside_a_placebo_that_stood_still() {
    // The run with a cell for each label and instance; `version` is that of `memo`.
    let with_cells = |memo: f64, other: f64, version: u32| {
        let other = run(8, other).replace("memo", "bits");
        let mut lines = HEADER.replace('\n', ",cell\n");
        for line in (run(8, memo) + &other).lines() {
            let fields: Vec<&str> = line.split(',').collect();
            let version = if fields[3] == "memo" { version } else { 1 };
            lines += &format!("{line},{}-{version}-{}\n", fields[3], fields[6]);
        }
        lines
    };
    let wall = terms(Metric::Wall);
    let of = |memo, other, version| {
        runs(
            &with_cells(1.0, 1.0, 1),
            &with_cells(memo, other, version),
            &wall,
        )
        .expect("compared")
    };
    // The order of the labels is that of their names: bits, memo.
    assert_eq!(
        decisions(&of(1.9, 1.0, 2)),
        ["same", "same", "worse", "worse"]
    );
    let moved = of(1.9, 1.9, 2);
    assert_eq!(decisions(&moved), ["undecided"; 4]);
    assert!(moved.regressions.is_empty());
    let why = moved.undecidable.expect("a moved placebo");
    assert!(
        why.contains("bits is the same program on both sides, and 1.9×"),
        "{why}"
    );
    // One program measured twice shows the machine alone.
    assert_eq!(decisions(&of(1.9, 1.0, 1)), ["undecided"; 4]);
    assert_eq!(decisions(&of(1.0, 1.0, 1)), ["same"; 4]);
    let alone = runs(
        &format!("{HEADER}{}", run(3, 1.0)),
        &format!("{HEADER}{}", run(3, 1.9)),
        &wall,
    )
    .expect("compared");
    assert!(
        alone
            .undecidable
            .is_some_and(|why| why.contains("one after the other"))
    );
    // Counters have no state of the machine.
    let counted = runs(
        &with_cells(1.0, 1.0, 1),
        &with_cells(9.0, 9.0, 2),
        &terms(counter()),
    );
    assert_eq!(decisions(&counted.expect("compared")), ["same"; 4]);
}

#[test]
fn counters_that_repeat_need_no_second_sample_and_others_do() {
    let nodes = |nodes| text("memo", 1, "solved", 5.0, nodes);
    let of = |a: &str, b: &str| compared(a, b, &terms(counter()));
    for (a, b, decision, regressions) in [
        (10, 11, "worse", 1),
        (100, 102, "worse", 0),
        (100, 80, "better", 0),
        (10, 10, "same", 0),
        (0, 0, "same", 0),
        (0, 5, "worse", 1),
        (5, 0, "better", 0),
    ] {
        let found = of(&nodes(a), &nodes(b));
        assert_eq!(
            (decisions(&found), found.regressions.len()),
            (vec![decision], regressions),
            "{a} {b}"
        );
        assert_eq!(
            found.table.comparisons[0].low, None,
            "no interval of width 0"
        );
    }
    // Two workers with a shared best score may have other counters each time.
    let parallel = |count, repeats| {
        nodes(count)
            .replace(",shared,1,", ",shared,2,")
            .repeat(repeats)
    };
    let found = [1, 2, 3].map(|repeats| of(&parallel(10, repeats), &parallel(20, repeats)));
    assert_eq!(
        found.each_ref().map(decisions).concat(),
        ["undecided", "undecided", "worse"]
    );
    for thousandths in 1..200 {
        for (more, expected) in [(0, 0), (1, 1)] {
            let bound = f64::from(thousandths) / 1000.0;
            let terms = CompareTerms {
                bound,
                ..terms(counter())
            };
            let found = compared(&nodes(1000), &nodes(1000 + thousandths + more), &terms);
            assert_eq!(found.regressions.len(), expected, "{thousandths}");
        }
    }
}

#[test]
fn a_metric_is_worse_on_the_side_that_its_problem_says() {
    let scores = |factor: u32| -> String {
        (0..40)
            .map(|at| line(at % 4, 5.0).replace(",7,", &format!(",{},", factor * (100 + at))))
            .collect()
    };
    for (better, fewer, more) in [
        (Better::Higher, "worse", "better"),
        (Better::Lower, "better", "worse"),
        (Better::Neither, "undecided", "undecided"),
    ] {
        let terms = CompareTerms {
            better,
            ..terms(Metric::Score)
        };
        for (a, b, word) in [(2, 1, fewer), (1, 2, more)] {
            let found = compared(&scores(a), &scores(b), &terms);
            assert_eq!(decisions(&found)[0], word);
            assert_eq!(found.regressions.len(), usize::from(word == "worse"));
            assert_eq!(found.undecidable.is_some(), better == Better::Neither);
        }
    }
    // The bound of a score is a part of the larger one.
    for (b, percent, expected) in [(905, 10, 0), (899, 10, 1), (951, 5, 0), (949, 5, 1)] {
        let of = |score: u32| -> String {
            (0..40)
                .map(|at| line(at % 20, 5.0).replace(",7,", &format!(",{score},")))
                .collect()
        };
        let terms = CompareTerms {
            bound: f64::from(percent) / 100.0,
            ..terms(Metric::Score)
        };
        let found = compared(&of(1000), &of(b), &terms).regressions;
        assert_eq!(found.len(), expected, "{b} {percent} {found:?}");
    }
}

#[test]
fn single_samples_of_many_instances_are_one_row() {
    let of = |factor: f64| -> String {
        let of = |at: u32| {
            let time = factor * 1e6 * f64::from(at + 1) * (1.0 + 0.01 * f64::from(at % 3));
            line(at, time).replace("grid", &format!("map{at}"))
        };
        (0..2000).map(of).collect()
    };
    let found = compared(
        &of(1.0),
        &of(1.2).replace("map3,", "map 3,"),
        &terms(Metric::Wall),
    );
    let rows = &found.table.comparisons;
    assert_eq!((rows.len(), rows[1].n, &*rows[1].over), (2, 2000, "all"));
}

#[test]
fn what_may_not_be_compared_is_refused_or_labelled() {
    let of = |text: &str| format!("{HEADER}{text}");
    let (before, force) = (run(2, 1.0), |metric| CompareTerms {
        force: true,
        ..terms(metric)
    });
    let [one, two] = ["one", "two"].map(machine);
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
            run(3, 1.0),
            &one,
            "questions or variants differ: 0 cells only in A, 1 only in B",
        ),
    ] {
        let (a, b) = (rows(&of(&before)), rows(&of(&other)));
        let sides = (side("a", &a, &one, None), side("b", &b, machine, None));
        let error = compare(&sides.0, &sides.1, &terms(Metric::Wall))
            .expect_err(hint)
            .to_string();
        assert!(error.contains(hint) && error.contains("--force"), "{error}");
        let found = compare(&sides.0, &sides.1, &force(Metric::Wall)).expect("forced");
        assert!(
            notes(&found).contains(&format!("FORCED: {hint}")),
            "{}",
            notes(&found)
        );
    }
    // Counters are the same on every machine and in every mode.
    assert!(
        runs(
            &of(&before),
            &of(&before.replace("isolated", "contended")),
            &terms(counter())
        )
        .is_ok()
    );
    let found = compared(
        &before,
        &before.replace(",h", ",other"),
        &terms(Metric::Wall),
    );
    assert_eq!(found.refusal(), Some("instance_hash differs"));
    let rows = rows(&of(&before));
    let unknown = ComparedSide::new(
        "a".to_owned(),
        (&rows, &one),
        vec![0],
        Some("mem".to_owned()),
    );
    assert!(unknown.is_err_and(|error| error.to_string().contains("did you mean `memo`?")));
}

/// Five repeats of one question; the first `failed` of them have the outcome `outcome`.
fn with_failures(outcome: &str, failed: usize) -> String {
    let row = |at: usize| {
        let outcome = if at < failed { outcome } else { "solved" };
        text("memo", 1, outcome, 1e6 + at as f64, 7)
    };
    (0..5).map(row).collect()
}

#[test]
fn a_failed_sample_is_no_absent_sample() {
    for metric in [Metric::Wall, counter(), Metric::Score] {
        for outcome in ["crashed", "wrong", "out-of-memory", "unchecked", "skipped"] {
            for failed in 1..=5 {
                let of = |failed| with_failures(outcome, failed);
                let place = format!("{metric:?}, {failed} of 5 {outcome}");
                let found = compared(&of(0), &of(failed), &terms(metric.clone()));
                // One to three failures of five may be chance (p > 0.05), but the gate does not pass.
                assert_eq!(found.regressions.is_empty(), failed < 4, "{place}");
                assert!(failed > 3 || found.undecidable.is_some(), "{place}");
                assert!(notes(&found).contains(", none before"), "{place}");
                let back = compared(&of(failed), &of(0), &terms(metric.clone()));
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
    );
    assert!(found.regressions.is_empty() && found.undecidable.is_some());
    // One and five of five are a regression (p = 6/252), unless they are the worst of three such questions.
    let is_regression = |more: u32| {
        let side = |failed: usize| {
            let others = (2..2 + more).map(|at| {
                with_failures("crashed", 1 + failed / 5).replace(",h1,1,", &format!(",h{at},{at},"))
            });
            with_failures("crashed", failed) + &others.collect::<String>()
        };
        !compared(&side(1), &side(5), &terms(Metric::Wall))
            .regressions
            .is_empty()
    };
    assert_eq!([0, 1, 2].map(is_regression), [true, true, false]);
    // One failure on each of several questions: they are judged together. Failing each time is a loss.
    let of = |before: &[usize], now: &[usize]| {
        let side = |failed: &[usize]| {
            let of = |at: usize| {
                let own = with_failures("crashed", failed.get(at).copied().unwrap_or(0));
                own.replace(",h1,1,", &format!(",h{at},{at},"))
            };
            (0..10).map(of).collect::<String>()
        };
        let found = compared(&side(before), &side(now), &terms(Metric::Wall));
        let is_open = found
            .undecidable
            .is_some_and(|why| why.contains("chance explains"));
        (found.regressions.len(), is_open)
    };
    assert_eq!(of(&[], &[1]), (0, true));
    assert_eq!(of(&[0, 1], &[1]), (0, true));
    assert_eq!(of(&[], &[1; 4]), (0, true));
    assert_eq!(of(&[], &[1; 5]).0, 5);
    assert_eq!(of(&[0, 1], &[1, 0, 1, 1, 1, 1, 1, 1, 1, 1]).0, 9);
    assert_eq!(of(&[], &[5]), (1, false));
    // An answer that the referee could not judge was asked, and counts for no side.
    let found = compared(
        &run(3, 1.0),
        &(run(3, 1.0) + &text("memo", 4, "referee-failed", 1.0, 1)),
        &terms(Metric::Wall),
    );
    assert!(
        found.regressions.is_empty()
            && notes(&found).contains("The referee failed on 1 answer of B")
    );
}

#[test]
fn a_stop_is_a_loss_where_the_other_had_no_less_time() {
    let ten = |outcome: &str, seconds: f64| -> String {
        (0..10)
            .map(|at| {
                text(
                    "memo",
                    1,
                    outcome,
                    1e9 * seconds * (1.0 + 1e-4 * f64::from(at)),
                    1,
                )
            })
            .collect()
    };
    for (a, b, decision, regressions) in [
        (ten("timeout", 1.0), ten("solved", 5.0), "undecided", 0),
        (ten("timeout", 60.0), ten("solved", 5.0), "better", 0),
        (ten("solved", 5.0), ten("timeout", 60.0), "worse", 2),
        (ten("solved", 5.0), ten("timeout", 1.0), "undecided", 0),
    ] {
        let found = compared(&a, &b, &terms(Metric::Wall));
        assert_eq!(
            (decisions(&found), found.regressions.len()),
            (vec![decision], regressions),
            "{}",
            notes(&found)
        );
    }
    // A process that is ended at its limit prints no counter: decidedly more of them are a loss.
    let silent = |stopped: usize| {
        with_failures("timeout", stopped)
            .replace("timeout,7,1000000,7", "timeout,,1000000,")
            .replace(",timeout,7,", ",timeout,,")
    };
    let lost = |stopped| compared(&silent(0), &silent(stopped), &terms(counter())).regressions;
    assert!(lost(1).is_empty() && lost(5).len() == 1, "{:?}", lost(5));
    // Of several settings of a label the lost one is named.
    let cell = |width: &str, outcome, time| {
        format!("{},{width}\n", text("memo", 1, outcome, time, 1).trim_end())
    };
    let b = cell("1", "solved", 10.0) + &cell("2", "timeout", 100.0);
    let found = labels(
        &HEADER.replace('\n', ",method_width\n"),
        &cell("", "solved", 10.0),
        &b,
        &terms(Metric::Wall),
    );
    let found = found.expect("compared").regressions;
    assert_eq!(
        found,
        ["flat on grid seed=1 width=2 was solved, now timeout"]
    );
}

#[test]
fn times_of_several_nodes_are_paired_on_one_node() {
    let on = |factor: f64, node: &dyn Fn(u32) -> &'static str| -> String {
        let row = |at: u32| {
            let (instance, repeat) = (1 + at / 10, at % 10);
            let node = node(instance * 100 + repeat);
            let slow = if node == "n2" { 3.0 } else { 1.0 };
            let time = factor * slow * (1e6 + 1e3 * f64::from(repeat));
            format!("{},{node}\n", line(instance, time).trim_end())
        };
        (0..20).map(row).collect()
    };
    let both = |a: &str, b: &str, metric| {
        labels(&HEADER.replace('\n', ",node\n"), a, b, &terms(metric)).expect("compared")
    };
    let by_instance = |at: u32| if at < 200 { "n1" } else { "n2" };
    let paired = both(&on(2.0, &by_instance), &on(1.0, &by_instance), Metric::Wall);
    assert!(notes(&paired).ends_with("both sides of a pair are from one node."));
    let requeued = |at: u32| if (105..110).contains(&at) { "n2" } else { "n1" };
    let slow = on(2.0, &|_| "n1");
    let apart = both(&slow, &on(1.0, &requeued), Metric::Wall);
    assert!(notes(&apart).contains("1 cells whose other side is on another node"));
    assert_eq!(decisions(&apart)[0], "better");
    let none = |metric| both(&slow, &on(1.0, &|_| "n2"), metric);
    assert!(none(Metric::Wall).refusal().is_some() && none(counter()).refusal().is_none());
}

/// Rows of a problem of commands: the score of each instance and repeat; `None` of a crash.
fn scored(score: &mut dyn FnMut(u32, u32) -> Option<u64>, repeats: u32) -> String {
    let mut text = String::new();
    for instance in 0..40 {
        for repeat in 0..repeats {
            let row = line(instance, 1.0).replace("grid", &format!("grid {instance}"));
            let row = match score(instance, repeat) {
                Some(score) => row.replace(",7,", &format!(",{score},")),
                None => row.replace("solved", "crashed").replace(",7,", ",,"),
            };
            text += &format!("{},q{instance},{repeat}\n", row.trim_end());
        }
    }
    text
}

fn of_commands(a: &str, b: &str) -> ComparedSides {
    let b = b.replace("e,memo,memo", "e,flat,flat");
    let mut rows = rows(&format!(
        "{}{a}{b}",
        HEADER.replace('\n', ",question,repeat\n")
    ));
    rows.set_digits([("reach".to_owned(), 0)].into());
    rows.set_directions([("reach", ikeru_core::Direction::Maximize)]);
    compared_labels(
        &rows,
        &CompareTerms {
            bound: 0.0,
            ..terms(Metric::Score)
        },
    )
    .expect("compared")
}

#[test]
fn scores_of_commands_are_paired_by_instance() {
    let mut random = Random::new("compare-scores", 1);
    let mut coin = || scored(&mut |_, _| Some(100 + 10 * random.below(2)), 2);
    let found = of_commands(&coin(), &coin());
    assert_eq!(
        (decisions(&found), found.table.comparisons[0].pairs),
        (vec!["undecided"], 40)
    );
    let [whole, lost] = [0, 12].map(|lost| scored(&mut |at, _| (at >= lost).then_some(100), 1));
    let found = of_commands(&whole, &lost);
    assert!(notes(&found).contains("worse on 12"), "{}", notes(&found));
    assert_eq!(
        (decisions(&found), found.table.comparisons[0].scope.name()),
        (vec!["worse"], "instances like these")
    );
    let same = of_commands(&whole, &whole);
    let row = &same.table.comparisons[0];
    assert_eq!(
        (row.decision.name(), row.scope.name()),
        ("same", "these instances")
    );
    assert!(row.why.contains("up to 7.5"), "{}", row.why);
}

#[test]
fn the_settings_of_a_label_are_one_sample() {
    let mut random = Random::new("compare-settings", 1);
    let header = HEADER.replace('\n', ",method_width\n");
    let mut decided = 0;
    for _ in 0..200 {
        let mut time = || 1e6 * (1.0 + 0.1 * random.unit() - 0.05 * random.unit().max(1e-9).ln());
        let mut own = |width: &str| format!("{},{width}\n", line(1, time()).trim_end());
        let (mut a, mut b) = (String::new(), String::new());
        for _ in 0..8 {
            (0..8).for_each(|width| a += &own(&width.to_string()));
            b += &own("");
        }
        let found = labels(&header, &a, &b, &terms(Metric::Wall)).expect("compared");
        assert_eq!(found.table.comparisons[0].n, 72);
        decided += usize::from(["better", "worse"].contains(&decisions(&found)[0]));
    }
    assert!(decided <= 16, "{decided}");
}
